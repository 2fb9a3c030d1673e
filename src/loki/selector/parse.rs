use alloc::vec::Vec;

use super::error::{SelectorError, SelectorErrorKind};
use super::labels::Labels;
use super::unquote::{Arena, Fault};
use super::{METRIC_NAME, is_name_byte, is_name_start};
use crate::loki::LabelPair;

/// Reads a label string.
///
/// The pairs are in order of appearance, empty values and duplicates included: what to do about those is
/// up to the caller, see [`Labels`]. A metric name, or a string alone, is the value of `__name__`; a
/// metric name in front of the braces takes the place of any `__name__` inside, as in Loki.
///
/// A name or value without escapes is a piece of `labels`. One with escapes is decoded into `scratch`,
/// which grows to the length of `labels` when first needed; what it holds before and after is of no
/// meaning. Used again, it spares the allocation.
///
/// Words that PromQL gives a meaning elsewhere, such as `inf` and `bool`, are taken as metric names.
///
/// # Errors
///
/// The first fault in `labels`, with its place. Among them are escapes for bytes that are not UTF-8, such
/// as `\xff`: labels are text. (Loki reads such a string, and then refuses the stream.) See
/// [`parse_lossy`].
///
/// ```
/// use borrowire::loki::{LabelPair, selector::parse};
///
/// let mut scratch = Vec::new();
/// let labels = parse("up{job=\"node\", \"le mans\"='24\\u2009h',} # and so on", &mut scratch)?;
/// let expected = [("__name__", "up"), ("job", "node"), ("le mans", "24\u{2009}h")];
/// assert!(labels.iter().map(|pair| (pair.name, pair.value)).eq(expected));
/// # Ok::<(), borrowire::loki::selector::SelectorError>(())
/// ```
pub fn parse<'a>(labels: &'a str, scratch: &'a mut Vec<u8>) -> Result<Labels<'a>, SelectorError> {
    collect(labels, Arena::new(scratch, labels.len(), false))
}

/// Reads a label string as [`parse`] does, with U+FFFD in place of what is not UTF-8: for those who rather
/// keep a stream than refuse it.
///
/// This is about escapes for bytes, such as `\xff`; what they stand for is replaced as
/// [`String::from_utf8_lossy`](alloc::string::String::from_utf8_lossy) does. Other labels read as with
/// `parse`. Different label strings may so become the same labels, and [`Canonical`](super::Canonical)
/// writes U+FFFD as `\ufffd`, so that Loki reads it.
///
/// # Errors
///
/// The first fault in `labels`, with its place. U+FFFD that is not escaped is one here, too.
///
/// ```
/// use borrowire::loki::selector::{SelectorErrorKind, parse, parse_lossy};
///
/// let labels = r#"{path="caf\xe9", job="web"}"#; // Latin-1
/// let error = parse(labels, &mut Vec::new()).unwrap_err();
/// assert_eq!(error.kind(), SelectorErrorKind::InvalidUtf8);
///
/// let mut scratch = Vec::new();
/// let parsed = parse_lossy(labels, &mut scratch)?;
/// assert_eq!(parsed.get("path"), Some("caf\u{fffd}"));
/// # Ok::<(), borrowire::loki::selector::SelectorError>(())
/// ```
pub fn parse_lossy<'a>(
    labels: &'a str,
    scratch: &'a mut Vec<u8>,
) -> Result<Labels<'a>, SelectorError> {
    collect(labels, Arena::new(scratch, labels.len(), true))
}

fn collect<'a>(labels: &'a str, arena: Arena<'a>) -> Result<Labels<'a>, SelectorError> {
    let mut parsed = Labels::new();
    visit(labels, arena, |name, value| parsed.push(LabelPair::new(name, value)))?;
    Ok(parsed)
}

/// Calls `each` with every name and value of a label string, in order.
#[inline]
pub(super) fn visit<'a, S: Strings<'a>>(
    labels: &'a str,
    strings: S,
    each: impl FnMut(S::Text, S::Text),
) -> Result<(), SelectorError> {
    Parser { input: labels, rest: labels, strings }.read(each)
}

/// What becomes of strings.
pub(super) trait Strings<'a> {
    type Text: PartialEq;

    /// A name without quotes.
    fn unquoted(text: &'a str) -> Self::Text;

    /// Reads the string whose opening `quote` is the first byte of `text`. Returns its value, and the
    /// text behind the closing quote.
    fn read(&mut self, text: &'a str, quote: u8) -> Result<(Self::Text, &'a str), Fault>;
}

/// A name and a value.
type Pair<T> = (T, T);

struct Parser<'a, S> {
    input: &'a str,
    rest: &'a str,
    strings: S,
}

impl<'a, S: Strings<'a>> Parser<'a, S> {
    fn read(mut self, mut each: impl FnMut(S::Text, S::Text)) -> Result<(), SelectorError> {
        let mut byte = self.peek();
        let named = byte.is_some_and(|byte| is_name_start(byte) || byte == b':');
        if named {
            let name = self.take_while(|byte| is_name_byte(byte) || byte == b':');
            each(S::unquoted(METRIC_NAME), S::unquoted(name));
            byte = self.peek();
        }
        match byte {
            None => return Ok(()),
            Some(b'{') => self.advance(1),
            Some(_) => return Err(self.error(SelectorErrorKind::ExpectedBrace)),
        }
        while let Some((name, value)) = self.next_pair()? {
            if !(named && name == S::unquoted(METRIC_NAME)) {
                each(name, value);
            }
        }
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.error(SelectorErrorKind::ExpectedEnd)),
        }
    }

    /// Reads a label and the comma behind it; `None` behind the closing brace, which is taken where it
    /// is in the place of a label, and left where it is in the place of the comma.
    #[inline]
    fn next_pair(&mut self) -> Result<Option<Pair<S::Text>>, SelectorError> {
        let pair = match self.peek() {
            Some(byte) if is_name_start(byte) => {
                let name = self.take_while(is_name_byte);
                (S::unquoted(name), self.value()?)
            }
            Some(b'}') => {
                self.advance(1);
                return Ok(None);
            }
            Some(quote @ (b'"' | b'\'' | b'`')) => {
                let name = self.string(quote)?;
                match self.peek() {
                    Some(b',' | b'}') => (S::unquoted(METRIC_NAME), name),
                    _ => (name, self.value()?),
                }
            }
            _ => return Err(self.unexpected(SelectorErrorKind::ExpectedName)),
        };
        match self.peek() {
            Some(b',') => self.advance(1),
            Some(b'}') => {}
            _ => return Err(self.unexpected(SelectorErrorKind::ExpectedComma)),
        }
        Ok(Some(pair))
    }

    /// Reads `=` and the string behind it.
    #[inline]
    fn value(&mut self) -> Result<S::Text, SelectorError> {
        if self.peek() != Some(b'=') {
            return Err(self.unexpected(SelectorErrorKind::ExpectedEquals));
        }
        self.advance(1);
        match self.peek() {
            Some(quote @ (b'"' | b'\'' | b'`')) => self.string(quote),
            _ => Err(self.unexpected(SelectorErrorKind::ExpectedValue)),
        }
    }

    /// Reads a string, at whose opening quote the parser stands.
    #[inline]
    fn string(&mut self, quote: u8) -> Result<S::Text, SelectorError> {
        match self.strings.read(self.rest, quote) {
            Ok((text, rest)) => {
                self.rest = rest;
                Ok(text)
            }
            Err(Fault { kind, left }) => {
                Err(SelectorError::new(kind, self.input.len().saturating_sub(left)))
            }
        }
    }

    /// The next byte that is not white space or a comment; stands there.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        loop {
            match *self.rest.as_bytes().first()? {
                b' ' | b'\t' | b'\n' | b'\r' => self.advance(1),
                b'#' => {
                    self.take_while(|byte| byte != b'\n' && byte != b'\r');
                }
                byte => return Some(byte),
            }
        }
    }

    /// Takes the text up to the first byte that is not `wanted`, which must not be inside a character.
    #[inline]
    fn take_while(&mut self, wanted: impl Fn(u8) -> bool) -> &'a str {
        let len = self.rest.bytes().position(|byte| !wanted(byte)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at_checked(len).unwrap_or_default();
        self.rest = rest;
        taken
    }

    /// Passes over `count` bytes, at most to the end.
    #[inline]
    fn advance(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
    }

    fn offset(&self) -> usize {
        self.input.len().saturating_sub(self.rest.len())
    }

    fn error(&self, kind: SelectorErrorKind) -> SelectorError {
        SelectorError::new(kind, self.offset())
    }

    /// The error for what stands here inside the braces, where `expected` was; the end has its own.
    #[cold]
    fn unexpected(&self, expected: SelectorErrorKind) -> SelectorError {
        let at_end = self.rest.is_empty();
        self.error(if at_end { SelectorErrorKind::UnclosedBrace } else { expected })
    }
}
