//! Conditions on labels, whose hash stands in keys.
//!
//! Text: `name op "value"`, the name in quotes too if it is no identifier. Number of the operator:
//! that of Prometheus. Order: name, operator, value.

use core::convert::Infallible;
use core::fmt;

use smallvec::SmallVec;

use crate::Encode;
use crate::wire::quote;
use crate::wire::{BufferFull, Writer};

/// How many matchers are put in order without allocating.
const INLINE: usize = 16;

/// How a matcher compares. The order is that of Prometheus' numbers for them.
///
/// ```
/// use borrowire::cache::key::MatchOp;
///
/// assert_eq!((MatchOp::NotRegex.as_str(), MatchOp::NotRegex.number()), ("!~", 3));
/// assert!(MatchOp::Equal < MatchOp::NotEqual);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchOp {
    /// `=`, number 0.
    Equal,
    /// `!=`, number 1.
    NotEqual,
    /// `=~`, number 2.
    Regex,
    /// `!~`, number 3.
    NotRegex,
}

impl MatchOp {
    /// The operator, as in a query.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Regex => "=~",
            Self::NotRegex => "!~",
        }
    }

    /// Prometheus' number for it.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Self::Equal => 0,
            Self::NotEqual => 1,
            Self::Regex => 2,
            Self::NotRegex => 3,
        }
    }
}

impl fmt::Display for MatchOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A condition on a label, as in `{job=~"api.*"}`. The order is by name, operator and value: that
/// in which Mimir hashes matchers.
///
/// Printed and encoded, it is Prometheus' text of it: the value in double quotes, and the name too
/// if it is no identifier, as Go's `strconv.Quote` does. Which characters are assigned, and so are
/// not escaped, depends on the version of Unicode: one that Go does not know yet is kept here and
/// escaped there.
///
/// ```
/// use borrowire::cache::key::{MatchOp, Matcher};
///
/// let matcher = Matcher::new("job", MatchOp::Regex, "api.*");
/// assert_eq!(matcher.to_string(), r#"job=~"api.*""#);
/// assert_eq!(Matcher::new("k8s.pod", MatchOp::Equal, "\n").to_string(), r#""k8s.pod"="\n""#);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Matcher<'a> {
    /// The label's name.
    pub name: &'a str,
    /// How the label's value is compared.
    pub op: MatchOp,
    /// With what: a text, or a regular expression.
    pub value: &'a str,
}

impl<'a> Matcher<'a> {
    /// A matcher of these parts.
    #[must_use]
    pub const fn new(name: &'a str, op: MatchOp, value: &'a str) -> Self {
        Self { name, op, value }
    }

    /// Gives `put` the text, piece by piece.
    pub(in crate::cache::key) fn pieces<E>(
        &self,
        put: &mut impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        if quote::is_identifier(self.name) {
            put(self.name)?;
        } else {
            quote::write(self.name, None, put)?;
        }
        put(self.op.as_str())?;
        quote::write(self.value, None, put)
    }

    /// Gives `put`, which cannot fail, the text, piece by piece.
    pub(in crate::cache::key) fn for_each_piece(&self, mut put: impl FnMut(&str)) {
        let Ok(()) = self.pieces::<Infallible>(&mut |piece| {
            put(piece);
            Ok(())
        });
    }
}

/// Gives `each` the matchers in order. Nothing is allocated if they are in order, or for up to 16.
pub(in crate::cache::key) fn for_each_sorted(
    matchers: &[Matcher<'_>],
    each: impl FnMut(&Matcher<'_>),
) {
    if matchers.is_sorted() {
        return matchers.iter().for_each(each);
    }
    let mut sorted: SmallVec<[&Matcher<'_>; INLINE]> = matchers.iter().collect();
    sorted.sort_unstable();
    sorted.into_iter().for_each(each);
}

impl fmt::Display for Matcher<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces(&mut |text| f.write_str(text))
    }
}

impl Encode for Matcher<'_> {
    fn encoded_len(&self) -> usize {
        let mut len: usize = 0;
        self.for_each_piece(|piece| len = len.saturating_add(piece.len()));
        len
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.pieces(&mut |text| writer.write_raw(text.as_bytes()))
    }
}
