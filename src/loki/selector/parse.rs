use alloc::vec::Vec;

use super::error::{SelectorError, SelectorErrorKind};
use super::labels::Labels;
use super::unquote::{self, Arena, Fault};
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
/// as `\xff`: labels are text. (Loki reads such a string, and then refuses the stream.)
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
    let mut parsed = Labels::new();
    let parser = Parser { input: labels, rest: labels, arena: Arena::new(scratch, labels.len()) };
    parser.read(&mut parsed)?;
    Ok(parsed)
}

struct Parser<'a> {
    input: &'a str,
    rest: &'a str,
    arena: Arena<'a>,
}

impl<'a> Parser<'a> {
    fn read(mut self, labels: &mut Labels<'a>) -> Result<(), SelectorError> {
        let mut byte = self.peek();
        let named = byte.is_some_and(|byte| is_name_start(byte) || byte == b':');
        if named {
            let name = self.take_while(|byte| is_name_byte(byte) || byte == b':');
            labels.push(LabelPair::new(METRIC_NAME, name));
            byte = self.peek();
        }
        match byte {
            None => return Ok(()),
            Some(b'{') => self.advance(1),
            Some(_) => return Err(self.error(SelectorErrorKind::ExpectedBrace)),
        }
        while let Some(pair) = self.next_pair()? {
            if !(named && pair.name == METRIC_NAME) {
                labels.push(pair);
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
    fn next_pair(&mut self) -> Result<Option<LabelPair<'a>>, SelectorError> {
        let pair = match self.peek() {
            Some(byte) if is_name_start(byte) => {
                let name = self.take_while(is_name_byte);
                LabelPair::new(name, self.value()?)
            }
            Some(b'}') => {
                self.advance(1);
                return Ok(None);
            }
            Some(quote @ (b'"' | b'\'' | b'`')) => {
                let name = self.string(quote)?;
                match self.peek() {
                    Some(b',' | b'}') => LabelPair::new(METRIC_NAME, name),
                    _ => LabelPair::new(name, self.value()?),
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
    fn value(&mut self) -> Result<&'a str, SelectorError> {
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
    fn string(&mut self, quote: u8) -> Result<&'a str, SelectorError> {
        match unquote::read(self.rest, quote, &mut self.arena) {
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
