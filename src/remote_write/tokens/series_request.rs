//! What requests of both versions have.

use crate::message::request::DecodeRequest;
use crate::remote_write::model::time_series::TimeSeriesList;
use crate::remote_write::v1::WriteRequest;
use crate::remote_write::v2::Request;

/// A decoded request of remote write, of either version: for code that serves both.
///
/// ```
/// use borrowire::remote_write::{SeriesRequest, v1::WriteRequest, v2::Request};
///
/// fn samples<'a>(request: &impl SeriesRequest<'a>) -> usize {
///     request.timeseries().iter().map(|series| series.samples().len()).sum()
/// }
///
/// assert_eq!(samples(&WriteRequest::decode(b"")?) + samples(&Request::decode(b"")?), 0);
/// # Ok::<(), borrowire::DecodeError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no decoded request of remote write",
    note = "what a decoder or a pool returns is a guard around the request: give `&*request`"
)]
pub trait SeriesRequest<'a>: DecodeRequest<'a> {
    /// The series, in wire order.
    fn timeseries(&self) -> TimeSeriesList<'_, 'a>;

    /// Whether all series have [normalized](crate::remote_write::TimeSeries::has_normalized_labels) labels, so that there
    /// is nothing to put in order before they are hashed or sent on.
    fn has_normalized_labels(&self) -> bool {
        self.timeseries().iter().all(|series| series.has_normalized_labels())
    }

    /// The families of the metadata entries that stand beside the series, in wire order: in 1.0
    /// only.
    fn families(&self) -> impl ExactSizeIterator<Item = &'a str>;
}

impl<'a> SeriesRequest<'a> for WriteRequest<'a> {
    #[inline]
    fn timeseries(&self) -> TimeSeriesList<'_, 'a> {
        self.timeseries()
    }

    fn families(&self) -> impl ExactSizeIterator<Item = &'a str> {
        self.metadata().into_iter().map(|entry| entry.metric_family_name)
    }
}

impl<'a> SeriesRequest<'a> for Request<'a> {
    #[inline]
    fn timeseries(&self) -> TimeSeriesList<'_, 'a> {
        self.timeseries()
    }

    fn families(&self) -> impl ExactSizeIterator<Item = &'a str> {
        core::iter::empty()
    }
}
