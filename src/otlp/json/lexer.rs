//! The pieces of a JSON text, one after the other, each with its place.
//!
//! Written here because it is what reading JSON takes the time for. A text is gone over once, eight
//! bytes at a time in strings, and nothing is made of it but slices.

use super::error::{JsonError, JsonErrorKind};
use crate::wire::{impossible, to_usize};

/// How deep values that are passed over may nest.
const MAX_SKIPPED_DEPTH: u32 = 128;

/// Where in a text reading is. The text is UTF-8.
pub(super) struct Lexer<'t> {
    text: &'t [u8],
    rest: &'t [u8],
}

/// What stands between the quotes of a string. Its escapes have been checked.
#[derive(Clone, Copy)]
pub(super) struct Quoted<'t> {
    pub(super) raw: &'t [u8],
    pub(super) has_escapes: bool,
}

/// The text of a number.
#[derive(Clone, Copy)]
pub(super) struct Number<'t> {
    pub(super) text: &'t [u8],
    /// Whether it has neither a point nor an exponent.
    pub(super) is_whole: bool,
}

impl<'t> Lexer<'t> {
    pub(super) const fn new(text: &'t [u8]) -> Self {
        Self { text, rest: text }
    }

    /// What is not read yet: a place in the text.
    pub(super) const fn place(&self) -> &'t [u8] {
        self.rest
    }

    /// Goes to a place.
    pub(super) const fn go_to(&mut self, place: &'t [u8]) {
        self.rest = place;
    }

    #[cold]
    pub(super) const fn error_at(&self, place: &'t [u8], kind: JsonErrorKind) -> JsonError {
        JsonError::new(kind, self.text.len().saturating_sub(place.len()))
    }

    #[cold]
    pub(super) const fn error(&self, kind: JsonErrorKind) -> JsonError {
        self.error_at(self.rest, kind)
    }

    /// The error about something else than what is expected, where no value is.
    #[cold]
    pub(super) const fn unexpected(&self) -> JsonError {
        self.error(if self.rest.is_empty() {
            JsonErrorKind::Truncated
        } else {
            JsonErrorKind::Syntax
        })
    }

    /// The error about a value of the wrong type, or about what is no value.
    #[cold]
    pub(super) const fn wrong_type(&self) -> JsonError {
        match self.rest {
            [b'"' | b'{' | b'[' | b't' | b'f' | b'n' | b'-' | b'0'..=b'9', ..] => {
                self.error(JsonErrorKind::UnexpectedType)
            }
            _ => self.unexpected(),
        }
    }

    /// The byte that comes next, white space aside.
    #[inline]
    pub(super) const fn peek(&mut self) -> Option<u8> {
        loop {
            match self.rest {
                [b' ' | b'\n' | b'\r' | b'\t', rest @ ..] => self.rest = rest,
                [byte, ..] => return Some(*byte),
                [] => return None,
            }
        }
    }

    /// Takes the byte that was peeked at.
    #[inline]
    pub(super) const fn take(&mut self) {
        if let [_, rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    /// Takes `byte`, if it comes next.
    #[inline]
    pub(super) fn take_if(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.take();
        }
        found
    }

    /// Takes a comma and returns true, or takes `end` and returns false.
    #[inline]
    pub(super) fn take_comma_or(&mut self, end: u8) -> Result<bool, JsonError> {
        match self.peek() {
            Some(b',') => {
                self.take();
                Ok(true)
            }
            Some(byte) if byte == end => {
                self.take();
                Ok(false)
            }
            _ => Err(self.unexpected()),
        }
    }

    /// The name of a member, and the colon behind it.
    #[inline]
    pub(super) fn name(&mut self) -> Result<Quoted<'t>, JsonError> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected());
        }
        let name = self.string()?;
        if !self.take_if(b':') {
            return Err(self.unexpected());
        }
        Ok(name)
    }

    /// `null`, `true` or `false`, whose first letter was peeked at.
    pub(super) fn literal(&mut self, literal: &[u8]) -> Result<(), JsonError> {
        match self.rest.strip_prefix(literal) {
            Some(rest) => {
                self.rest = rest;
                Ok(())
            }
            None if literal.starts_with(self.rest) => {
                Err(self.error_at(&[], JsonErrorKind::Truncated))
            }
            None => Err(self.error(JsonErrorKind::Syntax)),
        }
    }

    /// A string, whose first quote was peeked at.
    #[inline]
    pub(super) fn string(&mut self) -> Result<Quoted<'t>, JsonError> {
        let (_, inner) = self.rest.split_first().unwrap_or((&0, &[]));
        // Most have nothing in them but what they say.
        match split_plain(inner) {
            Some((raw, behind)) => {
                self.rest = behind;
                Ok(Quoted { raw, has_escapes: false })
            }
            None => self.string_with_escapes(inner),
        }
    }

    /// A string that has escapes, or that is none.
    #[inline(never)]
    fn string_with_escapes(&mut self, inner: &'t [u8]) -> Result<Quoted<'t>, JsonError> {
        let mut rest = inner;
        loop {
            let Some(at) = next_special(rest) else {
                return Err(self.error_at(&[], JsonErrorKind::Truncated));
            };
            let (_, from) = rest.split_at_checked(at).unwrap_or_else(impossible);
            match from {
                [b'"', behind @ ..] => {
                    let len = inner.len().saturating_sub(from.len());
                    self.rest = behind;
                    let raw = inner.get(..len).unwrap_or_default();
                    return Ok(Quoted { raw, has_escapes: true });
                }
                [b'\\', ..] => rest = self.behind_escape(from)?,
                _ => return Err(self.error_at(from, JsonErrorKind::Syntax)),
            }
        }
    }

    /// Takes a string of up to 19 digits and nothing else, if that comes next: a time, mostly.
    #[inline]
    pub(super) fn take_quoted_digits(&mut self) -> Option<u64> {
        let [b'"', digits @ ..] = self.rest else { return None };
        let (mut value, mut rest) = (0_u64, digits);
        while let [digit @ b'0'..=b'9', behind @ ..] = rest {
            // So many digits are no more than 64 bits, and of more the value is not used.
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit & 0x0f));
            rest = behind;
        }
        let len = digits.len().saturating_sub(rest.len());
        match rest {
            [b'"', behind @ ..] if (1..=19).contains(&len) => {
                self.rest = behind;
                Some(value)
            }
            _ => None,
        }
    }

    /// Takes the name `expected` and the colon behind it, if they come next as most writers write them.
    #[inline]
    pub(super) fn take_name(&mut self, expected: &str) -> bool {
        if let [b'"', rest @ ..] = self.rest
            && let Some([b'"', b':', rest @ ..]) = rest.strip_prefix(expected.as_bytes())
        {
            self.rest = rest;
            return true;
        }
        false
    }

    /// What is behind the escape at the front of `from`.
    fn behind_escape(&self, from: &'t [u8]) -> Result<&'t [u8], JsonError> {
        match from {
            [_, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', behind @ ..] => Ok(behind),
            [_, b'u', digits @ ..] => match digits.split_at_checked(4) {
                Some((digits, behind)) if digits.iter().all(u8::is_ascii_hexdigit) => Ok(behind),
                None if digits.iter().all(u8::is_ascii_hexdigit) => {
                    Err(self.error_at(&[], JsonErrorKind::Truncated))
                }
                _ => Err(self.error_at(from, JsonErrorKind::Syntax)),
            },
            [_] => Err(self.error_at(&[], JsonErrorKind::Truncated)),
            _ => Err(self.error_at(from, JsonErrorKind::Syntax)),
        }
    }

    /// A number, whose first character was peeked at.
    pub(super) fn number(&mut self) -> Result<Number<'t>, JsonError> {
        let start = self.rest;
        if let [b'-', rest @ ..] = self.rest {
            self.rest = rest;
        }
        if let [b'0', rest @ ..] = self.rest {
            self.rest = rest;
        } else {
            self.digits()?;
        }
        let mut is_whole = true;
        if let [b'.', rest @ ..] = self.rest {
            is_whole = false;
            self.rest = rest;
            self.digits()?;
        }
        if let [b'e' | b'E', rest @ ..] = self.rest {
            is_whole = false;
            self.rest = match rest {
                [b'+' | b'-', rest @ ..] => rest,
                _ => rest,
            };
            self.digits()?;
        }
        let len = start.len().saturating_sub(self.rest.len());
        Ok(Number { text: start.get(..len).unwrap_or_default(), is_whole })
    }

    /// At least one digit.
    fn digits(&mut self) -> Result<(), JsonError> {
        let [b'0'..=b'9', ..] = self.rest else { return Err(self.unexpected()) };
        while let [b'0'..=b'9', rest @ ..] = self.rest {
            self.rest = rest;
        }
        Ok(())
    }

    /// Passes over a value, which must be JSON.
    pub(super) fn skip_value(&mut self) -> Result<(), JsonError> {
        // Which of the arrays and objects around are objects, the innermost in the lowest bit.
        let mut objects = 0_u128;
        let mut depth = 0_u32;
        loop {
            let opened = match self.peek() {
                Some(b'{') => Some(true),
                Some(b'[') => Some(false),
                Some(b'"') => {
                    self.string()?;
                    None
                }
                Some(b't') => {
                    self.literal(b"true")?;
                    None
                }
                Some(b'f') => {
                    self.literal(b"false")?;
                    None
                }
                Some(b'n') => {
                    self.literal(b"null")?;
                    None
                }
                Some(b'-' | b'0'..=b'9') => {
                    self.number()?;
                    None
                }
                _ => return Err(self.unexpected()),
            };
            if let Some(is_object) = opened {
                if depth == MAX_SKIPPED_DEPTH {
                    return Err(self.error(JsonErrorKind::DepthLimit));
                }
                self.take();
                if !self.take_if(if is_object { b'}' } else { b']' }) {
                    depth = depth.saturating_add(1);
                    objects = objects << 1 | u128::from(is_object);
                    if is_object {
                        self.name()?;
                    }
                    continue;
                }
            }
            loop {
                if depth == 0 {
                    return Ok(());
                }
                let in_object = objects & 1 == 1;
                if self.take_comma_or(if in_object { b'}' } else { b']' })? {
                    if in_object {
                        self.name()?;
                    }
                    break;
                }
                depth = depth.saturating_sub(1);
                objects >>= 1;
            }
        }
    }
}

/// What is in front of the first quote in `text`, and what is behind it, if it is the end of a string
/// without escapes.
#[inline]
pub(super) fn split_plain(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (plain, from) = text.split_at_checked(next_special(text)?)?;
    match from {
        [b'"', behind @ ..] => Some((plain, behind)),
        _ => None,
    }
}

/// Where the first byte is that may end a string or is not allowed in it: a quote, a backslash, or a
/// control character.
#[inline]
fn next_special(text: &[u8]) -> Option<usize> {
    let mut rest = text;
    while let Some((word, behind)) = rest.split_first_chunk() {
        let specials = specials(u64::from_le_bytes(*word));
        if specials != 0 {
            // The lowest bit that is set is in the first of them.
            let before = text.len().saturating_sub(rest.len());
            let inside = specials.trailing_zeros() >> 3;
            return Some(before.saturating_add(to_usize(inside)));
        }
        rest = behind;
    }
    let inside = rest.iter().position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\')?;
    Some(text.len().saturating_sub(rest.len()).saturating_add(inside))
}

/// A bit in each byte of `word` that is a quote, a backslash or a control character; above the first
/// of them there may be bits for others, too.
#[inline]
const fn specials(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // A byte of less than what is subtracted borrows from the ones above, never from those below.
    let quotes = word ^ ONES.wrapping_mul(0x22);
    let backslashes = word ^ ONES.wrapping_mul(0x5c);
    let controls = word.wrapping_sub(ONES.wrapping_mul(0x20)) & !word;
    let quotes = quotes.wrapping_sub(ONES) & !quotes;
    let backslashes = backslashes.wrapping_sub(ONES) & !backslashes;
    (controls | quotes | backslashes) & HIGH
}
