use super::matchers::{self, ExpandedPostings, LabelNames, LabelValues};
use super::postings::{self, Postings, PostingsOffset};
use super::series::{self, Series, SeriesForPostings};
use crate::cache::key::buf::Text;
use crate::cache::key::error::{KeyError, KeyErrorKind};
use crate::cache::key::parser::Parser;
use crate::wire::message::Encode;
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
    Postings(Postings<'a>),
    /// `PO`
    PostingsOffset(PostingsOffset<'a>),
    /// `S`
    Series(Series<'a>),
    /// `E2`
    ExpandedPostings(ExpandedPostings<'a>),
    /// `SP2`
    SeriesForPostings(SeriesForPostings<'a>),
    /// `LN`
    LabelNames(LabelNames<'a>),
    /// `LV2`
    LabelValues(LabelValues<'a>),
}

impl<'a> Key<'a> {
    /// Reads a key, which must be exactly as it is written here: other texts that stand for the same are
    /// refused, such as padded base64, or numbers with leading zeros.
    ///
    /// # Errors
    ///
    /// The first fault, with its place.
    pub fn parse(key: &'a [u8]) -> Result<Self, KeyError> {
        let mut parser = Parser::new(key)?;
        if parser.skip(postings::POSTINGS) {
            Postings::parse(parser).map(Self::Postings)
        } else if parser.skip(postings::POSTINGS_OFFSET) {
            PostingsOffset::parse(parser).map(Self::PostingsOffset)
        } else if parser.skip(series::SERIES) {
            Series::parse(parser).map(Self::Series)
        } else if parser.skip(matchers::EXPANDED_POSTINGS) {
            ExpandedPostings::parse(parser).map(Self::ExpandedPostings)
        } else if parser.skip(series::SERIES_FOR_POSTINGS) {
            SeriesForPostings::parse(parser).map(Self::SeriesForPostings)
        } else if parser.skip(matchers::LABEL_NAMES) {
            LabelNames::parse(parser).map(Self::LabelNames)
        } else if parser.skip(matchers::LABEL_VALUES) {
            LabelValues::parse(parser).map(Self::LabelValues)
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
