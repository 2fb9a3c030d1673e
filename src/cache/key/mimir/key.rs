//! Any key of Mimir's, told apart by its prefix.

use super::matchers::{self, ExpandedPostingsKey, LabelNamesKey, LabelValuesKey};
use super::postings::{self, PostingsKey, PostingsOffsetKey};
use super::series::{self, SeriesForPostingsKey, SeriesKey};
use crate::Encode;
use crate::cache::key::error::{KeyError, KeyErrorKind};
use crate::cache::key::key_buf::Text;
use crate::cache::key::parser::Parser;
use crate::wire::{BufferFull, Writer};

/// Any key of Mimir's, read from its text. Encoded, it is the same text again.
///
/// ```
/// use borrowire::cache::key::mimir::Key;
///
/// let Key::Postings(postings) =
///     Key::parse(b"P2:tenant:00000000010000000000000000:Zm9vOmJhcg")?
/// else {
///     unreachable!()
/// };
/// assert_eq!(postings.scope().tenant(), "tenant");
/// assert_eq!(postings.id(), b"foo:bar");
/// # Ok::<(), borrowire::cache::key::KeyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Key<'a> {
    /// `P2`
    Postings(PostingsKey<'a>),
    /// `PO`
    PostingsOffset(PostingsOffsetKey<'a>),
    /// `S`
    Series(SeriesKey<'a>),
    /// `E2`
    ExpandedPostings(ExpandedPostingsKey<'a>),
    /// `SP2`
    SeriesForPostings(SeriesForPostingsKey<'a>),
    /// `LN`
    LabelNames(LabelNamesKey<'a>),
    /// `LV2`
    LabelValues(LabelValuesKey<'a>),
}

impl<'a> Key<'a> {
    /// Reads a key, which must be exactly as it is written here: other texts that stand for the
    /// same are refused, such as padded base64, or numbers with leading zeros.
    ///
    /// # Errors
    ///
    /// The first fault, with its place.
    pub fn parse(key: &'a [u8]) -> Result<Self, KeyError> {
        let mut parser = Parser::new(key)?;
        if parser.skip(postings::POSTINGS) {
            PostingsKey::parse(parser).map(Self::Postings)
        } else if parser.skip(postings::POSTINGS_OFFSET) {
            PostingsOffsetKey::parse(parser).map(Self::PostingsOffset)
        } else if parser.skip(series::SERIES) {
            SeriesKey::parse(parser).map(Self::Series)
        } else if parser.skip(matchers::EXPANDED_POSTINGS) {
            ExpandedPostingsKey::parse(parser).map(Self::ExpandedPostings)
        } else if parser.skip(series::SERIES_FOR_POSTINGS) {
            SeriesForPostingsKey::parse(parser).map(Self::SeriesForPostings)
        } else if parser.skip(matchers::LABEL_NAMES) {
            LabelNamesKey::parse(parser).map(Self::LabelNames)
        } else if parser.skip(matchers::LABEL_VALUES) {
            LabelValuesKey::parse(parser).map(Self::LabelValues)
        } else {
            Err(parser.error(KeyErrorKind::UnknownPrefix))
        }
    }
}

impl Encode for Key<'_> {
    fn encoded_len(&self) -> usize {
        match self {
            Self::Postings(key) => key.encoded_len(),
            Self::PostingsOffset(key) => key.encoded_len(),
            Self::Series(key) => key.encoded_len(),
            Self::ExpandedPostings(key) => key.encoded_len(),
            Self::SeriesForPostings(key) => key.encoded_len(),
            Self::LabelNames(key) => key.encoded_len(),
            Self::LabelValues(key) => key.encoded_len(),
        }
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        match self {
            Self::Postings(key) => key.write_to(writer),
            Self::PostingsOffset(key) => key.write_to(writer),
            Self::Series(key) => key.write_to(writer),
            Self::ExpandedPostings(key) => key.write_to(writer),
            Self::SeriesForPostings(key) => key.write_to(writer),
            Self::LabelNames(key) => key.write_to(writer),
            Self::LabelValues(key) => key.write_to(writer),
        }
    }
}

impl Text for Key<'_> {}
