//! Labels that have been read, or that the caller has collected.

use core::slice;

use smallvec::SmallVec;

use crate::loki::LabelPair;

/// How many pairs need no allocation: Loki takes 15 from a client by default, and may add one
/// itself.
const INLINE: usize = 16;

/// The labels of a stream, as read by [`parse`](super::parse) or collected by the caller: in any
/// order, with empty values and duplicates, until the methods here take care of them. Up to 16 need
/// no allocation.
///
/// Equal when the pairs are, in the same order.
///
/// ```
/// use borrowire::loki::{LabelPair, selector::Labels};
///
/// let mut labels: Labels = [("b", "2"), ("c", ""), ("a", "1")]
///     .into_iter()
///     .map(|(name, value)| LabelPair::new(name, value))
///     .collect();
/// labels.normalize();
/// assert_eq!(labels.as_slice(), [LabelPair::new("a", "1"), LabelPair::new("b", "2")]);
/// ```
#[derive(Clone, Debug, Default, Eq, Hash)]
pub struct Labels<'a> {
    pairs: SmallVec<[LabelPair<'a>; INLINE]>,
}

impl<'a> Labels<'a> {
    /// No labels.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a pair.
    #[inline]
    pub fn push(&mut self, pair: LabelPair<'a>) {
        self.pairs.push(pair);
    }

    /// Removes the pairs without a value, which to Loki are as good as absent.
    pub fn drop_empty(&mut self) {
        self.pairs.retain(|pair| !pair.value.is_empty());
    }

    /// Sorts by name, and by value where names are equal.
    pub fn sort(&mut self) {
        self.pairs.sort_unstable();
    }

    /// What Loki does with the labels it has read: [`drop_empty`](Self::drop_empty), then
    /// [`sort`](Self::sort). It then refuses a stream that has a [`duplicate`](Self::duplicate), or
    /// no label left.
    pub fn normalize(&mut self) {
        self.drop_empty();
        self.sort();
    }

    /// A name that occurs more than once, if there is one: the first in order.
    #[must_use]
    pub fn duplicate(&self) -> Option<&'a str> {
        if !self.pairs.is_sorted() {
            let mut sorted = self.clone();
            sorted.sort();
            return sorted.duplicate();
        }
        let mut neighbours = self.pairs.iter().zip(self.pairs.iter().skip(1));
        neighbours.find(|(one, next)| one.name == next.name).map(|(one, _)| one.name)
    }

    /// The value of the first label called `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'a str> {
        self.pairs.iter().find(|pair| pair.name == name).map(|pair| pair.value)
    }

    /// The pairs.
    #[must_use]
    pub fn as_slice(&self) -> &[LabelPair<'a>] {
        &self.pairs
    }

    /// The pairs, one by one.
    pub fn iter(&self) -> slice::Iter<'_, LabelPair<'a>> {
        self.pairs.iter()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }
}

// Not derived: `SmallVec` is invariant, so that would only compare labels of one lifetime.
impl<'b> PartialEq<Labels<'b>> for Labels<'_> {
    fn eq(&self, other: &Labels<'b>) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl<'a> AsRef<[LabelPair<'a>]> for Labels<'a> {
    fn as_ref(&self) -> &[LabelPair<'a>] {
        &self.pairs
    }
}

impl<'a> FromIterator<LabelPair<'a>> for Labels<'a> {
    fn from_iter<I: IntoIterator<Item = LabelPair<'a>>>(pairs: I) -> Self {
        Self { pairs: pairs.into_iter().collect() }
    }
}

impl<'a> Extend<LabelPair<'a>> for Labels<'a> {
    fn extend<I: IntoIterator<Item = LabelPair<'a>>>(&mut self, pairs: I) {
        self.pairs.extend(pairs);
    }
}

impl<'s, 'a> IntoIterator for &'s Labels<'a> {
    type Item = &'s LabelPair<'a>;
    type IntoIter = slice::Iter<'s, LabelPair<'a>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
