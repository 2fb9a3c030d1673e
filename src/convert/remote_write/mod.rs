//! Remote write 1.0 as 2.0, and 2.0 as 1.0.
//!
//! [`ToV1`] and [`ToV2`] take a decoded request of the one version and give the views that are the
//! same request in the other: nothing is copied, so they cost little more than a look at each
//! series. From the views come bytes:
//!
//! ```
//! use borrowire::Encode;
//! use borrowire::convert::remote_write::{ToV1, ToV2};
//! use borrowire::remote_write::v1::{MetricMetadata, WriteRequest, WriteRequestEncoder};
//! use borrowire::remote_write::v2::{Request, Symbolizer};
//! use borrowire::remote_write::{Label, MetricType, Sample, TimeSeries};
//!
//! // once; all of it is used again
//! let (mut to_v1, mut to_v2) = (ToV1::new(), ToV2::new());
//! let (mut symbolizer, mut buffer) = (Symbolizer::new(), vec![0; 4096]);
//!
//! let labels = [Label::new("__name__", "ups")];
//! let samples = [Sample::new(1.0, 1_700_000_000_000)];
//! let metadata = [MetricMetadata::new(MetricType::COUNTER, "ups")];
//! let body = WriteRequestEncoder::new([TimeSeries::new(&labels).with_samples(&samples)])
//!     .with_metadata(metadata)
//!     .encode_to_vec()?;
//! let old = WriteRequest::decode(&body)?;
//! let converted = to_v2.convert(&old, |loss| eprintln!("{loss}"));
//! let len = converted.symbolize(&mut symbolizer)?.encode(&mut buffer)?;
//!
//! let new = Request::decode(&buffer[..len])?;
//! let converted = to_v1.convert(&new, |loss| eprintln!("{loss}"));
//! assert_eq!(converted.metadata(), metadata);
//! assert_eq!(converted.encode_to_vec()?, body);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What becomes of what
//!
//! | 1.0 | 2.0 | |
//! |---|---|---|
//! | label | two references | same order; empty and repeated ones too |
//! | sample, exemplar, histogram | the same | |
//! | samples and histograms of a series | two series | exemplars go with the samples |
//! | `MetricMetadata` | `metadata` of each series of the family | by name: see below |
//! | `created_timestamp` (ext) | `start_timestamp`s, or field 6 | [by option][created] |
//! | `start_timestamp` (ext) | the same | towards 1.0 [by option][start] |
//! | source and flags (ext) | the same | those that the caller hands over |
//!
//! A metadata entry of 1.0 names a metric family, metadata of 2.0 stands at a series. The family is
//! the series' metric name, without its suffix if the type has suffixes: see [`family_name`]. The
//! first definition of a family wins. Metadata of type 0 without help and unit is none: writers of
//! 2.0 put it at every series that has no metadata.
//!
//! # What cannot be said
//!
//! Each thing that the other version has no place for is reported as a [`Loss`], by its position in
//! the request that is converted. What partial mode left out is not there any more: see
//! `skipped()`.
//!
//! # Mimir's records
//!
//! Records of version 2 in Kafka are requests of 1.0 in the form of 2.0, and differ: an entry goes
//! to all series whose metric name *is* the family name. Entries without such a series, and other
//! definitions of a family, are carried by series of their own, which have `__name__` and nothing
//! else; so are those without a name or content, though no reader makes entries of them again. A
//! series keeps both samples and histograms, and has metadata even if it says nothing.
//!
//! ```
//! use borrowire::Encode;
//! use borrowire::convert::remote_write::{ToV1, ToV2};
//! use borrowire::remote_write::MetricType;
//! use borrowire::remote_write::v1::{MetricMetadata, WriteRequest, WriteRequestEncoder};
//! use borrowire::remote_write::v2::{DecodeOptions, Format, Request, Symbolizer};
//!
//! let metadata = [MetricMetadata::new(MetricType::COUNTER, "ups").with_help("Up")]; // it alone
//! let body = WriteRequestEncoder::new([]).with_metadata(metadata).encode_to_vec()?;
//! let request = WriteRequest::decode(&body)?;
//!
//! let mut to_v2 = ToV2::new().with_format(Format::MimirRecord);
//! let converted = to_v2.convert(&request, |loss| eprintln!("{loss}"));
//! let record = converted.symbolize(&mut Symbolizer::new())?.encode_to_vec()?;
//!
//! let options = DecodeOptions::new().with_format(Format::MimirRecord);
//! let request = Request::decode_with(&record, &options)?;
//! // `__name__` is one of the common symbols.
//! assert!(request.refs(0).unwrap().labels().eq([1, 65]));
//! let mut to_v1 = ToV1::new(); // the request knows what it is
//! let converted = to_v1.convert(&request, |loss| eprintln!("{loss}"));
//! assert_eq!(converted.encode_to_vec()?, body);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [created]: crate::remote_write::v2::EncodeOptions::created_timestamps
//! [start]: crate::remote_write::v1::EncodeOptions::start_timestamps

mod family;
mod loss;
mod source;
mod to_v1;
mod to_v2;

pub use family::family_name;
pub use loss::Loss;
pub use source::RequestV1;
#[cfg(feature = "kafka")]
pub(crate) use source::{Positions, Selection};
pub use to_v1::{ConvertedToV1, ToV1, V1Series};
pub use to_v2::{ConvertedToV2, ToV2, V2Series};
