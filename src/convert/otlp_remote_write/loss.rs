//! What a translation leaves out.

use core::fmt;

use super::name::NothingLeft;
use crate::otlp::AsStringError;

/// Something of a request that did not become series, and where it was. The rest did.
///
/// Positions count from 0: the resource in the request, the scope in the resource, the metric in the
/// scope, the point in the metric.
///
/// ```
/// use borrowire::convert::otlp_remote_write::{Loss, LossKind};
///
/// fn report(loss: Loss) {
///     if loss.kind != LossKind::NoDataPoints {
///         eprintln!("{loss}: {} points lost", loss.points);
///     }
/// }
/// # let _ = report;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Loss {
    /// What was wrong.
    pub kind: LossKind,
    /// The resource.
    pub resource: usize,
    /// The scope; `None` if the whole resource is lost, or its `target_info`.
    pub scope: Option<usize>,
    /// The metric; `None` if the whole scope is lost.
    pub metric: Option<usize>,
    /// The first point that is lost, perhaps only in part; `None` if the whole metric is.
    pub point: Option<usize>,
    /// How many points are lost, those that are lost in part included: what a partial success
    /// reports as rejected.
    pub points: usize,
}

/// What can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LossKind {
    /// Delta temporality, where the settings do not allow it, or none at all.
    InvalidTemporality,
    /// A metric of a type that is not known, or of none.
    NoData,
    /// A metric without data points.
    NoDataPoints,
    /// Of the metric's name nothing is left once it is escaped.
    InvalidMetricName,
    /// Of an attribute's key nothing is left once it is escaped. The point and those behind it are
    /// lost; the scope or the resource, if the attribute is theirs.
    InvalidLabelName,
    /// A value whose text is longer than the settings allow, with what is lost as for a key.
    ValueTooLong,
    /// An exemplar without a value. The points behind it are lost.
    ExemplarWithoutValue,
    /// An exponential histogram of a scale under -4, which native histograms lack.
    UnsupportedScale,
    /// Times of points too far apart for `target_info`: only its last samples are there. No point is
    /// lost.
    TargetInfoTooLong,
    /// The output is over what the settings allow for the input. All points behind it are lost.
    OutputTooLarge,
}

impl LossKind {
    const fn text(self) -> &'static str {
        match self {
            Self::InvalidTemporality => "invalid temporality for the metric's type",
            Self::NoData => "metric of an unsupported type",
            Self::NoDataPoints => "metric without data points",
            Self::InvalidMetricName => "nothing is left of the metric's name",
            Self::InvalidLabelName => "nothing is left of an attribute's key",
            Self::ValueTooLong => "text of a value too long",
            Self::ExemplarWithoutValue => "exemplar without a value",
            Self::UnsupportedScale => "exponential histogram of a scale under -4",
            Self::TargetInfoTooLong => "times too far apart for target_info",
            Self::OutputTooLarge => "output too large for the input",
        }
    }
}

impl From<NothingLeft> for LossKind {
    fn from(_: NothingLeft) -> Self {
        Self::InvalidLabelName
    }
}

impl From<AsStringError> for LossKind {
    fn from(_: AsStringError) -> Self {
        Self::ValueTooLong
    }
}

impl fmt::Display for LossKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "resource {}", self.resource)?;
        for (what, position) in
            [("scope", self.scope), ("metric", self.metric), ("point", self.point)]
        {
            if let Some(position) = position {
                write!(f, ", {what} {position}")?;
            }
        }
        write!(f, ": {}", self.kind)
    }
}
