//! What `validate` finds.

use core::fmt;

/// What breaks a rule, and in which record of the request.
///
/// A finding, not an error: the caller decides what it means.
///
/// ```
/// use borrowire::remote_write::{Label, Rule, Rules, TimeSeries, v1};
///
/// # use borrowire::Encode;
/// # let labels = [Label::new("job", "node")];
/// # let body = v1::WriteRequestEncoder::new([TimeSeries::new(&labels)]).encode_to_vec()?;
/// let request = v1::WriteRequest::decode(&body)?; // a series without a name
/// let mut found = Vec::new();
/// request.validate(&Rules::new(), |violation| found.push(violation));
/// assert_eq!((found[0].index, found[0].kind.rule()), (Some(0), Rule::MissingMetricName));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Violation<K> {
    /// The record's position in the body, from 0: the same as its index in the decoded request
    /// unless partial mode left something out ([`index_of`](crate::DecodeRequest::index_of) tells
    /// the index); `None` if it is about the request itself.
    pub index: Option<usize>,
    /// What is wrong.
    pub kind: K,
}

/// Kinds of violations of one protocol.
///
/// ```
/// use borrowire::{Violation, ViolationKind};
///
/// /// Prints what `validate` finds, whichever protocol's it is.
/// fn print<K: ViolationKind>(violation: Violation<K>) {
///     println!("{}: {violation}", K::RECORD);
/// }
///
/// let request = borrowire::remote_write::v1::WriteRequest::default();
/// request.validate(&borrowire::remote_write::Rules::new(), print);
/// ```
pub trait ViolationKind: fmt::Display {
    /// What a record is called: `series`, `stream`.
    const RECORD: &'static str;
}

impl<K> Violation<K> {
    pub(crate) const fn of_request(kind: K) -> Self {
        Self { index: None, kind }
    }

    pub(crate) const fn of_record(index: usize, kind: K) -> Self {
        Self { index: Some(index), kind }
    }
}

impl<K: ViolationKind> fmt::Display for Violation<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(index) = self.index {
            write!(f, "{} {index}: ", K::RECORD)?;
        }
        self.kind.fmt(f)
    }
}
