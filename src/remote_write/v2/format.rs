//! Which form of the message: Prometheus' own, or that of Mimir's records in Kafka.

/// The form of a request of 2.0.
///
/// Decoding, symbolizing and converting take it, and a decoded request remembers it, so that all of
/// them agree.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v2::{DecodeOptions, Format, Request, Symbolizer};
/// use borrowire::remote_write::{Label, TimeSeries};
///
/// let labels = [Label::new("__name__", "up")];
/// let mut symbolizer = Symbolizer::new().with_format(Format::MimirRecord);
/// let record = symbolizer.symbolize([TimeSeries::new(&labels)])?.encode_to_vec()?;
///
/// let options = DecodeOptions::new().with_format(Format::MimirRecord);
/// let request = Request::decode_with(&record, &options)?;
/// assert_eq!(request.format(), Format::MimirRecord);
/// assert_eq!(request.timeseries().get(0).unwrap().labels(), labels);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// As the specification has it.
    #[default]
    Standard,
    /// As Mimir's Kafka records of version 2 have it: references under 64 name [common
    /// symbols](super::COMMON_SYMBOLS), those of a record's own symbols begin at 64, and metadata
    /// without a series is carried by a series with a name and no samples. Such a record has the
    /// header `Version` with the value 2 in four bytes, big-endian.
    MimirRecord,
}
