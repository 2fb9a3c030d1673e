//! What a conversion cannot carry over.

use core::fmt;

use crate::message::request::DecodeRequest;
use crate::remote_write::RecordKind;

/// Something that a request says and the other version has no place for.
///
/// Positions count from 0, in wire order, in the request that is converted.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::convert::remote_write::{Loss, ToV2};
/// use borrowire::remote_write::MetricType;
/// use borrowire::remote_write::v1::{MetricMetadata, WriteRequest, WriteRequestEncoder};
///
/// let metadata = [MetricMetadata::new(MetricType::COUNTER, "ups").with_help("Up.")];
/// let body = WriteRequestEncoder::new([]).with_metadata(metadata).encode_to_vec()?;
/// let request = WriteRequest::decode(&body)?;
///
/// let mut losses = Vec::new();
/// ToV2::new().convert(&request, |loss| losses.push(loss));
/// assert_eq!(losses, [Loss::MetadataWithoutSeries { metadata: 0 }]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Loss {
    /// The request has fields that this crate does not know, at any level.
    UnknownFields,
    /// A start timestamp: towards 1.0 any of the series, unless they are [asked
    /// for](crate::remote_write::v1::EncodeOptions::start_timestamps); towards 2.0 that of a series
    /// without samples and histograms, unless it may
    /// [stay](crate::remote_write::v2::EncodeOptions::created_timestamps) with the series. Reported
    /// once for a series.
    StartTimestamp {
        /// The series' position.
        series: usize,
    },
    /// 2.0 to 1.0: metadata of a series without a metric name, so of no family.
    SeriesMetadataWithoutName {
        /// The series' position.
        series: usize,
    },
    /// 2.0 to 1.0: metadata that differs from what the first series of the family has.
    ConflictingSeriesMetadata {
        /// The series' position.
        series: usize,
    },
    /// 1.0 to 2.0: a metadata entry without a family name.
    MetadataWithoutName {
        /// The entry's position.
        metadata: usize,
    },
    /// 1.0 to 2.0: a metadata entry of type 0 without help and unit, which in 2.0 is no metadata.
    EmptyMetadata {
        /// The entry's position.
        metadata: usize,
    },
    /// 1.0 to 2.0: a metadata entry that differs from the first of its family. Mimir's records
    /// carry it.
    ConflictingMetadata {
        /// The later entry's position.
        metadata: usize,
    },
    /// 1.0 to 2.0: a metadata entry of a family that no series belongs to. Mimir's records carry
    /// it.
    MetadataWithoutSeries {
        /// The entry's position.
        metadata: usize,
    },
}

impl Loss {
    /// Makes `report` get positions in the body in place of those in the decoded `request`.
    pub(super) fn in_body<'a>(
        request: &impl DecodeRequest<'a, Kind = RecordKind>,
        mut report: impl FnMut(Self),
    ) -> impl FnMut(Self) {
        move |mut loss| {
            let (kind, index) = match &mut loss {
                Self::UnknownFields => return report(loss),
                Self::StartTimestamp { series }
                | Self::SeriesMetadataWithoutName { series }
                | Self::ConflictingSeriesMetadata { series } => (RecordKind::TimeSeries, series),
                Self::MetadataWithoutName { metadata }
                | Self::EmptyMetadata { metadata }
                | Self::ConflictingMetadata { metadata }
                | Self::MetadataWithoutSeries { metadata } => (RecordKind::Metadata, metadata),
            };
            *index = request.index_in_body(kind, *index);
            report(loss);
        }
    }

    /// A fixed, lower-case name, for logs and metric labels.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnknownFields => "unknown fields",
            Self::StartTimestamp { .. } => "start timestamp",
            Self::SeriesMetadataWithoutName { .. } => "series metadata without name",
            Self::ConflictingSeriesMetadata { .. } => "conflicting series metadata",
            Self::MetadataWithoutName { .. } => "metadata without name",
            Self::EmptyMetadata { .. } => "empty metadata",
            Self::ConflictingMetadata { .. } => "conflicting metadata",
            Self::MetadataWithoutSeries { .. } => "metadata without series",
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::UnknownFields => f.write_str("the request has unknown fields"),
            Self::StartTimestamp { series } => {
                write!(f, "series {series} has a start timestamp that finds no place")
            }
            Self::SeriesMetadataWithoutName { series } => {
                write!(f, "series {series} has metadata but no metric name")
            }
            Self::ConflictingSeriesMetadata { series } => {
                write!(f, "series {series} has other metadata than its family had before")
            }
            Self::MetadataWithoutName { metadata } => {
                write!(f, "metadata {metadata} has no family name")
            }
            Self::EmptyMetadata { metadata } => {
                write!(f, "metadata {metadata} has neither type nor help nor unit")
            }
            Self::ConflictingMetadata { metadata } => {
                write!(f, "metadata {metadata} differs from an earlier one of its family")
            }
            Self::MetadataWithoutSeries { metadata } => {
                write!(f, "metadata {metadata} is of a family without series")
            }
        }
    }
}
