//! The grammar of label strings, as it stands in the [module's documentation](super): what a string
//! in quotes becomes is up to those who read it.

use super::error::{SelectorError, SelectorErrorKind};
use crate::wire::impossible;
use crate::wire::quote::{is_name_byte, is_name_start};

/// The label that holds a metric's name. (Remote write has its own: protocols do not know each
/// other.)
const METRIC_NAME: &str = "__name__";

/// The words that PromQL, in which label strings are written, never takes as a metric name, in
/// whatever case. Of its other words, such as `sum` and `by`, it makes an exception there.
const RESERVED: [&str; 8] =
    ["atan2", "bool", "group_left", "group_right", "ignoring", "inf", "nan", "on"];

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

    /// Reads the string whose opening `quote` is the first byte of `text`. Returns its value, and
    /// the text behind the closing quote.
    fn read(&mut self, text: &'a str, quote: u8) -> Result<(Self::Text, &'a str), StringFault>;
}

/// What is wrong with a string in quotes, and how many bytes there are from that place to the end
/// of the label string.
pub(super) struct StringFault {
    kind: SelectorErrorKind,
    left: usize,
}

impl StringFault {
    /// A fault at the start of `rest`, which is all that is left of the label string.
    pub(super) const fn new(kind: SelectorErrorKind, rest: &str) -> Self {
        Self { kind, left: rest.len() }
    }
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
            let at = self.offset();
            let name = self.take_while(|byte| is_name_byte(byte) || byte == b':');
            if RESERVED.iter().any(|word| name.eq_ignore_ascii_case(word)) {
                return Err(SelectorError::new(SelectorErrorKind::ReservedWord, at));
            }
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

    /// Reads a label and the comma behind it; `None` behind the closing brace, which is taken where
    /// it is in the place of a label, and left where it is in the place of the comma.
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
            Err(StringFault { kind, left }) => {
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

    /// Takes the text up to the first byte that is not `wanted`, which must not be inside a
    /// character.
    #[inline]
    fn take_while(&mut self, wanted: impl Fn(u8) -> bool) -> &'a str {
        let len = self.rest.bytes().position(|byte| !wanted(byte)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at_checked(len).unwrap_or_else(impossible);
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
