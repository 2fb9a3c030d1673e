//! A series or exemplar alone, as the message that 1.0 makes of it.

/// What is the same in both versions, as the message of 1.0.
///
/// A [`TimeSeries`](crate::remote_write::TimeSeries) and an
/// [`Exemplar`](crate::remote_write::Exemplar) are written differently by 1.0 and 2.0, so they are
/// no messages by themselves; this says which. (In 2.0 they refer to the symbols of their request,
/// and are no messages without it.)
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v1::Message;
/// use borrowire::remote_write::{Label, Sample, TimeSeries};
///
/// let labels = [Label::new("__name__", "up")];
/// let samples = [Sample::new(1.0, 1_700_000_000_000)];
/// let series = TimeSeries::new(&labels).with_samples(&samples);
/// assert_eq!(Message(series).encode_to_vec()?.len(), 34);
/// # Ok::<(), borrowire::EncodeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs, reason = "a wrapper to construct and to match")]
pub struct Message<T>(pub T);
