//! Remote write 1.0 as 2.0, and 2.0 as 1.0.
//!
//! [`ToV1`] and [`ToV2`] take a decoded request of the one version and give the views that are the same
//! request in the other: nothing is copied, so they cost little more than a look at each series. From the
//! views come bytes:
//!
//! ```
//! use borrowire::Encode;
//! use borrowire::remote_write::convert::{ToV1, ToV2};
//! use borrowire::remote_write::v1::{MetricMetadata, MetricType, WriteRequest};
//! use borrowire::remote_write::v2::{Request, Symbolizer};
//!
//! // once; all of it is used again
//! let (mut to_v1, mut to_v2) = (ToV1::new(), ToV2::new());
//! let (mut symbolizer, mut buffer) = (Symbolizer::new(), vec![0; 4096]);
//!
//! let body = b"\x0a\x1a\x0a\x0f\x0a\x08__name__\x12\x03ups\x12\x07\x10\x80\xd0\x95\xff\xbc\x31\x1a\x07\x08\x01\x12\x03ups";
//! let old = WriteRequest::decode(body)?;
//! let converted = to_v2.convert(&old, |loss| eprintln!("{loss}"));
//! let len = converted.symbolize(&mut symbolizer)?.encode(&mut buffer)?;
//!
//! let new = Request::decode(&buffer[..len])?;
//! let converted = to_v1.convert(&new, |loss| eprintln!("{loss}"));
//! assert_eq!(converted.metadata(), [MetricMetadata::new(MetricType::COUNTER, "ups")]);
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
//! | series of samples and histograms | two series | 2.0 wants either: exemplars go with the samples |
//! | `MetricMetadata` | `metadata` of each series of the family | by name: see below |
//! | `created_timestamp` (ext) | `start_timestamp`s, or field 6 | [`Extensions::created_timestamps`] |
//! | `start_timestamp` (ext) | the same | towards 1.0 with [`Extensions::start_timestamps`] only |
//! | source and flags (ext) | the same | those that the caller hands over |
//!
//! A metadata entry of 1.0 names a metric family, metadata of 2.0 stands at a series. The family is the
//! series' metric name, without its suffix if the type has suffixes: see [`family_name`]. The first
//! definition of a family wins. Metadata of type 0 without help and unit is none: writers of 2.0 put it at
//! every series that has no metadata.
//!
//! # What cannot be said
//!
//! Each thing that the other version has no place for is reported as a [`Loss`], by its position in the
//! request that is converted. What partial mode left out is not there any more: see `skipped()`.
//!
//! # Mimir's records
//!
//! Records of version 2 in Kafka are requests of 1.0 in the form of 2.0, and differ: an entry goes to the
//! first series whose metric name *is* the family name, all others are carried by series of their own,
//! which have `__name__` and nothing else; nothing is cut, and no definition wins over another. A series
//! keeps both samples and histograms.
//!
//! ```
//! use borrowire::remote_write::convert::{ToV1, ToV2};
//! use borrowire::remote_write::v1::WriteRequest;
//! use borrowire::remote_write::v2::{Request, Symbolizer};
//! use borrowire::{DecodeOptions, Encode};
//!
//! let mut to_v2 = ToV2::new().with_mimir_records(true);
//! let mut symbolizer = Symbolizer::new().with_common_symbols(true);
//! let body = b"\x1a\x0b\x08\x01\x12\x03ups\x22\x02Up"; // metadata alone
//! let request = WriteRequest::decode(body)?;
//! let converted = to_v2.convert(&request, |loss| eprintln!("{loss}"));
//! let record = converted.symbolize(&mut symbolizer)?.encode_to_vec()?;
//! assert_eq!(record, b"\x22\x00\x22\x03ups\x22\x02Up\x2a\x0a\x0a\x02\x01\x41\x2a\x04\x08\x01\x18\x42");
//!
//! let mut to_v1 = ToV1::new().with_mimir_records(true);
//! let request = Request::decode_with(&record, &DecodeOptions::new().with_common_symbols(true))?;
//! let converted = to_v1.convert(&request, |loss| eprintln!("{loss}"));
//! assert_eq!(converted.encode_to_vec()?, body);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Extensions::created_timestamps`]: super::Extensions::created_timestamps
//! [`Extensions::start_timestamps`]: super::Extensions::start_timestamps

mod family;
mod loss;
mod to_v1;
mod to_v2;

pub use family::family_name;
pub use loss::Loss;
pub use to_v1::{ConvertedToV1, ToV1, V1Series};
pub use to_v2::{ConvertedToV2, ToV2, V2Series};
