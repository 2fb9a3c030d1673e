//! What is wrong with a label string, and where.

use crate::wire::impl_located;

/// What is wrong with a label string.
///
/// ```
/// use borrowire::loki::selector::{SelectorErrorKind, parse};
///
/// let error = parse(r#"{job="a" job="b"}"#, &mut Vec::new()).unwrap_err();
/// assert_eq!(error.kind(), SelectorErrorKind::ExpectedComma);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SelectorErrorKind {
    /// Something else than a metric name or `{`, where the labels should begin.
    ExpectedBrace,
    /// Something else than `,` or `}` behind a label.
    ExpectedComma,
    /// Text behind the closing brace.
    ExpectedEnd,
    /// Something else than `=` behind a label's name: labels have no other operators.
    ExpectedEquals,
    /// Something else than a label's name or `}`.
    ExpectedName,
    /// Something else than a quoted string behind `=`.
    ExpectedValue,
    /// An escape over `\377`, over U+10FFFF, or that stands for a surrogate.
    InvalidCodePoint,
    /// A backslash with something else behind it than an escape, or with too few digits.
    InvalidEscape,
    /// Escapes for bytes that are not UTF-8.
    InvalidUtf8,
    /// A line feed in a string that is not in backticks.
    LineBreak,
    /// U+FFFD in a string, not escaped: what other software puts in place of broken text.
    ReplacementCharacter,
    /// In place of a metric name, a word that PromQL keeps for something else, such as `on`.
    ReservedWord,
    /// The end of the text, in braces.
    UnclosedBrace,
    /// A string that is never closed.
    UnterminatedString,
}

impl SelectorErrorKind {
    /// A fixed, lower-case description, for logs and metric labels.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ExpectedBrace => "expected an opening brace",
            Self::ExpectedComma => "expected a comma or a closing brace",
            Self::ExpectedEnd => "expected the end",
            Self::ExpectedEquals => "expected an equals sign",
            Self::ExpectedName => "expected a label name or a closing brace",
            Self::ExpectedValue => "expected a quoted value",
            Self::InvalidCodePoint => "escape of no code point",
            Self::InvalidEscape => "invalid escape",
            Self::InvalidUtf8 => "escapes are not UTF-8",
            Self::LineBreak => "line break in a string",
            Self::ReplacementCharacter => "replacement character in a string",
            Self::ReservedWord => "reserved word in place of a metric name",
            Self::UnclosedBrace => "brace not closed",
            Self::UnterminatedString => "string not closed",
        }
    }
}

/// Why a label string was refused, and where.
///
/// ```
/// use borrowire::loki::selector::{SelectorErrorKind, parse};
///
/// let error = parse(r#"{path="C:\Q"}"#, &mut Vec::new()).unwrap_err();
/// assert_eq!(error.kind(), SelectorErrorKind::InvalidEscape);
/// assert_eq!(error.offset(), 9);
/// assert_eq!(error.to_string(), "invalid escape at byte 9");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SelectorError {
    kind: SelectorErrorKind,
    offset: usize,
}

impl_located!(SelectorError, SelectorErrorKind, InvalidData);

impl SelectorError {
    /// Where, in bytes from the start of the label string: the byte that was not expected, which
    /// may be the end; the backslash of an escape; the opening quote of a string that is never
    /// closed; the first letter of a reserved word.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }
}
