//! What can be read as a request of 1.0, and some of its records.

use core::ops::Range;
use core::slice;

use super::to_v1::ConvertedToV1;
use crate::remote_write::v1::{MetricMetadata, WriteRequest};
use crate::remote_write::{Extensions, TimeSeries};
use crate::wire::to_usize;

/// A request in the terms of 1.0: one that was decoded, or one of another kind that was converted.
///
/// ```
/// use borrowire::convert::remote_write::{RequestV1, ToV1};
/// use borrowire::remote_write::v1::WriteRequest;
/// use borrowire::remote_write::v2::Request;
///
/// fn records<'a>(request: &impl RequestV1<'a>) -> usize {
///     request.series_len() + request.metadata_len()
/// }
///
/// assert_eq!(records(&WriteRequest::decode(b"")?), 0);
/// let (request, mut to_v1) = (Request::decode(b"")?, ToV1::new());
/// assert_eq!(records(&to_v1.convert(&request, |loss| eprintln!("{loss}"))), 0);
/// # Ok::<(), borrowire::DecodeError>(())
/// ```
pub trait RequestV1<'a>: sealed::Sealed {
    /// How many series there are.
    fn series_len(&self) -> usize;

    /// The series at `position`.
    fn series_at(&self, position: usize) -> Option<TimeSeries<'_, 'a>>;

    /// How many metadata entries there are.
    fn metadata_len(&self) -> usize;

    /// The metadata entry at `position`.
    fn metadata_at(&self, position: usize) -> Option<MetricMetadata<'a>>;

    /// The bytes that the series at `position` came in, as
    /// [`WriteRequest::raw_timeseries`] has them; `None` if it did not come as one of 1.0.
    fn raw_series_at(&self, position: usize) -> Option<&'a [u8]>;

    /// The bytes that the metadata entry at `position` came in, as [`WriteRequest::raw_metadata`]
    /// has them; `None` if it did not come as one of 1.0.
    fn raw_metadata_at(&self, position: usize) -> Option<&'a [u8]>;

    /// The fields that Cortex and Mimir add to the request.
    fn extensions(&self) -> Extensions;

    /// Whether the request that this one was made of had fields that this crate does not know.
    fn has_unknown_fields(&self) -> bool;
}

mod sealed {
    #[allow(unnameable_types, reason = "sealed")]
    pub trait Sealed {}
}

impl sealed::Sealed for WriteRequest<'_> {}

impl<'a> RequestV1<'a> for WriteRequest<'a> {
    #[inline]
    fn series_len(&self) -> usize {
        self.timeseries().len()
    }

    #[inline]
    fn series_at(&self, position: usize) -> Option<TimeSeries<'_, 'a>> {
        self.timeseries().get(position)
    }

    #[inline]
    fn metadata_len(&self) -> usize {
        self.metadata().len()
    }

    #[inline]
    fn metadata_at(&self, position: usize) -> Option<MetricMetadata<'a>> {
        self.metadata().get(position)
    }

    #[inline]
    fn raw_series_at(&self, position: usize) -> Option<&'a [u8]> {
        self.raw_timeseries(position)
    }

    fn raw_metadata_at(&self, position: usize) -> Option<&'a [u8]> {
        self.raw_metadata(position)
    }

    fn extensions(&self) -> Extensions {
        self.extensions()
    }

    fn has_unknown_fields(&self) -> bool {
        self.has_unknown_fields()
    }
}

impl sealed::Sealed for ConvertedToV1<'_, '_> {}

impl<'a> RequestV1<'a> for ConvertedToV1<'_, 'a> {
    fn series_len(&self) -> usize {
        self.positions_len()
    }

    #[inline]
    fn series_at(&self, position: usize) -> Option<TimeSeries<'_, 'a>> {
        self.series_at_position(position)
    }

    fn metadata_len(&self) -> usize {
        self.metadata().len()
    }

    #[inline]
    fn metadata_at(&self, position: usize) -> Option<MetricMetadata<'a>> {
        self.metadata().get(position).copied()
    }

    fn raw_series_at(&self, _: usize) -> Option<&'a [u8]> {
        None
    }

    fn raw_metadata_at(&self, _: usize) -> Option<&'a [u8]> {
        None
    }

    fn extensions(&self) -> Extensions {
        self.source().extensions()
    }

    fn has_unknown_fields(&self) -> bool {
        self.source().has_unknown_fields()
    }
}

/// Positions in one of a request's lists, in ascending order.
#[derive(Clone, Debug)]
pub(crate) enum Positions<'p> {
    /// All from one to another.
    Run(Range<usize>),
    /// These.
    #[cfg_attr(not(feature = "kafka"), allow(dead_code, reason = "for parts of requests"))]
    Some(slice::Iter<'p, u32>),
}

impl Positions<'_> {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Run(run) => run.len(),
            Self::Some(positions) => positions.len(),
        }
    }

    /// Those from the `start`th on, up to the `end`th.
    #[cfg(feature = "kafka")]
    pub(crate) fn slice(&self, start: usize, end: usize) -> Self {
        match self {
            Self::Run(run) => {
                let at = |index| run.start.saturating_add(index).min(run.end);
                Self::Run(at(start)..at(end))
            }
            Self::Some(positions) => {
                let positions = positions.as_slice().get(start..end);
                Self::Some(positions.unwrap_or_else(crate::wire::impossible).iter())
            }
        }
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<usize> {
        match self {
            Self::Run(run) => run.start.checked_add(index).filter(|at| *at < run.end),
            Self::Some(positions) => positions.as_slice().get(index).map(|&at| to_usize(at)),
        }
    }
}

impl Iterator for Positions<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        match self {
            Self::Run(run) => run.next(),
            Self::Some(positions) => positions.next().map(|&at| to_usize(at)),
        }
    }
}

/// Some of a request's records.
#[derive(Clone, Debug)]
pub(crate) struct Selection<'p> {
    pub(crate) series: Positions<'p>,
    pub(crate) metadata: Positions<'p>,
}

impl Selection<'_> {
    pub(crate) fn all<'a>(request: &impl RequestV1<'a>) -> Self {
        Self {
            series: Positions::Run(0..request.series_len()),
            metadata: Positions::Run(0..request.metadata_len()),
        }
    }
}
