//! How names are compared and checked.

use core::cmp::Ordering;

use super::set::NameScheme;
use crate::wire::work::count;

/// What the rules ask of names and values.
pub(in crate::remote_write) trait Names {
    /// The order of two names, bytewise.
    fn compare(&self, one: &str, other: &str) -> Ordering;

    /// Whether two names are the same.
    #[inline]
    fn same(&self, one: &str, other: &str) -> bool {
        one.len() == other.len() && self.compare(one, other).is_eq()
    }

    /// Whether `name` may be the name of a label, or of a `metric`.
    fn is_valid(&self, name: &str, scheme: NameScheme, metric: bool) -> bool;
}

/// Looks at each name each time.
pub(in crate::remote_write) struct EachTime;

impl Names for EachTime {
    #[inline]
    fn compare(&self, one: &str, other: &str) -> Ordering {
        count(one.len().min(other.len()));
        one.cmp(other)
    }

    #[inline]
    fn same(&self, one: &str, other: &str) -> bool {
        count(if one.len() == other.len() { one.len() } else { 0 });
        one == other
    }

    #[inline]
    fn is_valid(&self, name: &str, scheme: NameScheme, metric: bool) -> bool {
        match scheme {
            NameScheme::Utf8 => true,
            NameScheme::Classic => is_classic(name, metric),
        }
    }
}

/// Whether a name that is not empty is one of remote write 1.0.
pub(in crate::remote_write) fn is_classic(name: &str, metric: bool) -> bool {
    count(name.len());
    let valid = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || (metric && byte == b':');
    name.bytes().all(valid) && name.bytes().next().is_none_or(|byte| !byte.is_ascii_digit())
}
