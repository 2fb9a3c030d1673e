//! Which form of the message: Prometheus' own, or that of Mimir's records in Kafka.

/// The form of a request of 2.0.
///
/// Decoding, symbolizing and converting take it, and a decoded request remembers it, so that all of
/// them agree.
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
