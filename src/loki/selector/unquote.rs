//! Reading strings: those without escapes are borrowed, the others decoded into scratch.

use alloc::vec::Vec;
use core::mem;

use super::error::SelectorErrorKind;
use super::grammar::{StringFault, Strings};
use super::utf8::{Incomplete, Step};
use crate::wire::impossible;

/// What becomes of escapes that stand for bytes that are not UTF-8.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BadUtf8 {
    /// The label string is refused.
    Refused,
    /// U+FFFD takes their place.
    Replaced,
}

/// Where decoded strings lie: one behind the other, each handed out for as long as the scratch is
/// borrowed.
pub(super) struct Arena<'a> {
    /// Until the first string is decoded.
    scratch: Option<&'a mut Vec<u8>>,
    free: &'a mut [u8],
    capacity: usize,
    bad_utf8: BadUtf8,
}

impl<'a> Arena<'a> {
    /// An arena for strings that take `capacity` bytes with their escapes: decoded, they do not
    /// take more.
    pub(super) fn new(scratch: &'a mut Vec<u8>, capacity: usize, bad_utf8: BadUtf8) -> Self {
        Self { scratch: Some(scratch), free: &mut [], capacity, bad_utf8 }
    }

    fn take_free(&mut self) -> &'a mut [u8] {
        if let Some(scratch) = self.scratch.take() {
            // What is there need not be cleared: it is as long as it has ever been, and
            // overwritten.
            if scratch.len() < self.capacity {
                scratch.resize(self.capacity, 0);
            }
            self.free = scratch;
        }
        mem::take(&mut self.free)
    }

    /// Keeps what `fill` writes.
    fn keep(&mut self, fill: impl FnOnce(&mut Slot<'_>)) -> &'a [u8] {
        let free = self.take_free();
        let mut slot = Slot { bytes: free, len: 0 };
        fill(&mut slot);
        let len = slot.len;
        let (kept, free) = free.split_at_mut_checked(len).unwrap_or_else(impossible);
        self.free = free;
        kept
    }
}

/// A string being decoded.
struct Slot<'o> {
    bytes: &'o mut [u8],
    len: usize,
}

impl Slot<'_> {
    /// Appends what a string stands for, with U+FFFD in place of what is not UTF-8.
    fn push_lossy<'t>(&mut self, text: &'t str, quote: u8) -> Result<&'t str, StringFault> {
        let mut incomplete = Incomplete::default();
        let rest = walk(text, quote, |_, piece| match piece {
            Piece::Text(text) => {
                if incomplete.take() {
                    self.push(&REPLACEMENT);
                }
                self.push(text.as_bytes());
            }
            Piece::Byte(byte) => {
                let step = match incomplete.push(byte) {
                    // It may begin a character itself.
                    Step::Broken => {
                        self.push(&REPLACEMENT);
                        incomplete.push(byte)
                    }
                    step => step,
                };
                match step {
                    Step::Complete(char) => self.push(char.encode_utf8(&mut [0; 4]).as_bytes()),
                    Step::Invalid => self.push(&REPLACEMENT),
                    Step::Incomplete | Step::Broken => {}
                }
            }
        })?;
        if incomplete.take() {
            self.push(&REPLACEMENT);
        }
        Ok(rest)
    }

    fn push(&mut self, bytes: &[u8]) {
        let end = self.len.saturating_add(bytes.len());
        // There is room: no escape is shorter than what it stands for, or than U+FFFD.
        if let Some(slot) = self.bytes.get_mut(self.len..end) {
            slot.copy_from_slice(bytes);
            self.len = end;
        }
    }
}

impl<'a> Strings<'a> for Arena<'a> {
    type Text = &'a str;

    #[inline]
    fn unquoted(text: &'a str) -> &'a str {
        text
    }

    #[inline]
    fn read(&mut self, text: &'a str, quote: u8) -> Result<(&'a str, &'a str), StringFault> {
        match split_usual(text, quote) {
            Some(split) => Ok(split),
            None => read_unusual(text, quote, self),
        }
    }
}

/// The value of the string whose opening `quote` is the first byte of `text`, and the text behind
/// the closing quote: if it is in double quotes and plain.
#[inline]
pub(super) fn split_usual(text: &str, quote: u8) -> Option<(&str, &str)> {
    if quote != b'"' {
        return None;
    }
    let body = behind(text, 1);
    let len = len_before(body.as_bytes(), [b'"', b'\\', b'\n', REPLACEMENT[0]]);
    let (value, rest) = body.split_at_checked(len)?;
    Some((value, rest.strip_prefix('"')?))
}

/// [`Strings::read`] for a string with anything else in it than plain text, or without end.
#[cold]
#[inline(never)]
fn read_unusual<'a>(
    text: &'a str,
    quote: u8,
    arena: &mut Arena<'a>,
) -> Result<(&'a str, &'a str), StringFault> {
    match split_plain(text, quote)? {
        Some(split) => Ok(split),
        None => decode(text, quote, arena),
    }
}

/// The value of a string without escapes, and the text behind it; `None` if there are escapes.
pub(super) fn split_plain(text: &str, quote: u8) -> Result<Option<(&str, &str)>, StringFault> {
    let (value, rest) = take_plain(behind(text, 1), quote)?;
    match rest.as_bytes().first() {
        Some(b'\\') => Ok(None),
        Some(_) => Ok(Some((value, behind(rest, 1)))),
        None => Err(StringFault::new(SelectorErrorKind::UnterminatedString, text)),
    }
}

/// [`Strings::read`] for a string with escapes.
fn decode<'a>(
    text: &'a str,
    quote: u8,
    arena: &mut Arena<'a>,
) -> Result<(&'a str, &'a str), StringFault> {
    let mut rest = Ok("");
    let bad_utf8 = arena.bad_utf8;
    let value = arena.keep(|slot| {
        rest = match bad_utf8 {
            BadUtf8::Refused => walk(text, quote, |_, piece| slot.push(piece.bytes(&mut [0]))),
            BadUtf8::Replaced => slot.push_lossy(text, quote),
        };
    });
    let rest = rest?;
    match core::str::from_utf8(value) {
        Ok(value) => Ok((value, rest)),
        Err(error) => Err(utf8_fault(text, quote, error.valid_up_to())),
    }
}

/// The fault of a string whose value is UTF-8 up to a certain byte only.
pub(super) fn utf8_fault(text: &str, quote: u8, valid_up_to: usize) -> StringFault {
    let mut place = text;
    let mut len: usize = 0;
    let walked = walk(text, quote, |at, piece| {
        if len <= valid_up_to {
            place = at;
        }
        len = len.saturating_add(piece.bytes(&mut [0]).len());
    });
    walked.err().unwrap_or(StringFault::new(SelectorErrorKind::InvalidUtf8, place))
}

/// A piece of a string's value.
#[derive(Clone, Copy)]
pub(super) enum Piece<'t> {
    Text(&'t str),
    /// Of an escape that stands for a byte: perhaps one of several that are a character.
    Byte(u8),
}

impl Piece<'_> {
    /// The piece's bytes; `buffer` is where a single one is put.
    pub(super) fn bytes<'b>(&'b self, buffer: &'b mut [u8; 1]) -> &'b [u8] {
        match *self {
            Self::Text(text) => text.as_bytes(),
            Self::Byte(byte) => {
                *buffer = [byte];
                buffer
            }
        }
    }
}

/// Decodes a string piece by piece, giving `put` each piece's place and what it stands for. Returns
/// the text behind the closing quote.
pub(super) fn walk<'a>(
    text: &'a str,
    quote: u8,
    mut put: impl FnMut(&'a str, Piece<'_>),
) -> Result<&'a str, StringFault> {
    let mut rest = behind(text, 1);
    loop {
        let (plain, stop) = take_plain(rest, quote)?;
        if !plain.is_empty() {
            put(rest, Piece::Text(plain));
        }
        rest = match stop.as_bytes() {
            [] | [b'\\'] => {
                return Err(StringFault::new(SelectorErrorKind::UnterminatedString, text));
            }
            [b'\\', escape @ ..] => {
                let (value, len) =
                    unescape(escape, quote).map_err(|kind| StringFault::new(kind, stop))?;
                match value {
                    Unescaped::Byte(byte) => put(stop, Piece::Byte(byte)),
                    Unescaped::Char(char) => {
                        put(stop, Piece::Text(char.encode_utf8(&mut [0; 4])));
                    }
                }
                behind(stop, len.saturating_add(1))
            }
            _ => return Ok(behind(stop, 1)),
        };
    }
}

/// Splits `text` in front of the first backslash or `quote`; in backticks the backslash is plain
/// text. The second part is empty if there is none.
#[inline]
fn take_plain(text: &str, quote: u8) -> Result<(&str, &str), StringFault> {
    let mut len: usize = 0;
    loop {
        let rest = text.as_bytes().get(len..).unwrap_or_else(impossible);
        let plain = match quote {
            b'`' => len_before(rest, [b'`', REPLACEMENT[0]]),
            _ => len_before(rest, [quote, b'\\', b'\n', REPLACEMENT[0]]),
        };
        len = len.saturating_add(plain);
        match rest.get(plain..) {
            Some([byte, tail @ ..]) if *byte == REPLACEMENT[0] => {
                if tail.starts_with(&[REPLACEMENT[1], REPLACEMENT[2]]) {
                    let at = text.get(len..).unwrap_or_else(impossible);
                    return Err(StringFault::new(SelectorErrorKind::ReplacementCharacter, at));
                }
                len = len.saturating_add(1);
            }
            Some([b'\n', ..]) => {
                return Err(StringFault::new(SelectorErrorKind::LineBreak, behind(text, len)));
            }
            _ => return Ok(text.split_at_checked(len).unwrap_or_else(impossible)),
        }
    }
}

/// U+FFFD in UTF-8. Its first byte begins all of U+F000 to U+FFFF.
const REPLACEMENT: [u8; 3] = [0xef, 0xbf, 0xbd];

/// How many bytes are in front of the first one that is one of `stops`; all if none is.
#[inline]
fn len_before<const N: usize>(bytes: &[u8], stops: [u8; N]) -> usize {
    let mut rest = bytes;
    while let Some((chunk, tail)) = rest.split_first_chunk::<8>() {
        let word = u64::from_le_bytes(*chunk);
        let found = stops.iter().fold(0, |found, &stop| found | bytes_equal(word, stop));
        if found != 0 {
            return bytes.len().wrapping_sub(rest.len()).wrapping_add(leading_bytes(found));
        }
        rest = tail;
    }
    let last = rest.iter().position(|byte| stops.contains(byte)).unwrap_or(rest.len());
    bytes.len().wrapping_sub(rest.len()).wrapping_add(last)
}

/// The top bit of each byte of `word` that equals `byte`. Above the lowest of them may be false
/// ones.
#[inline]
const fn bytes_equal(word: u64, byte: u8) -> u64 {
    const LOW: u64 = u64::from_le_bytes([1; 8]);
    const TOP: u64 = u64::from_le_bytes([0x80; 8]);
    let difference = word ^ u64::from_le_bytes([byte; 8]);
    difference.wrapping_sub(LOW) & !difference & TOP
}

/// How many bytes are in front of the lowest one with a bit set.
#[inline]
#[allow(clippy::as_conversions)]
const fn leading_bytes(found: u64) -> usize {
    (found.trailing_zeros() >> 3) as usize
}

pub(super) enum Unescaped {
    Byte(u8),
    Char(char),
}

/// What the escape at the front of `text`, behind its backslash, stands for, and its length.
pub(super) fn unescape(text: &[u8], quote: u8) -> Result<(Unescaped, usize), SelectorErrorKind> {
    use SelectorErrorKind::InvalidCodePoint;
    let byte = |byte| Ok((Unescaped::Byte(byte), 1));
    match *text {
        [b'a', ..] => byte(0x07),
        [b'b', ..] => byte(0x08),
        [b'f', ..] => byte(0x0c),
        [b'n', ..] => byte(b'\n'),
        [b'r', ..] => byte(b'\r'),
        [b't', ..] => byte(b'\t'),
        [b'v', ..] => byte(0x0b),
        [b'\\', ..] => byte(b'\\'),
        [first, ..] if first == quote => byte(quote),
        [b'0'..=b'7', ..] => {
            let byte = u8::try_from(number::<3>(text, 8)?).map_err(|_| InvalidCodePoint)?;
            Ok((Unescaped::Byte(byte), 3))
        }
        [b'x', ref digits @ ..] => {
            let byte = u8::try_from(number::<2>(digits, 16)?).map_err(|_| InvalidCodePoint)?;
            Ok((Unescaped::Byte(byte), 3))
        }
        [b'u', ref digits @ ..] => {
            let char = char::from_u32(number::<4>(digits, 16)?).ok_or(InvalidCodePoint)?;
            Ok((Unescaped::Char(char), 5))
        }
        [b'U', ref digits @ ..] => {
            let char = char::from_u32(number::<8>(digits, 16)?).ok_or(InvalidCodePoint)?;
            Ok((Unescaped::Char(char), 9))
        }
        _ => Err(SelectorErrorKind::InvalidEscape),
    }
}

/// The number that the first `N` bytes of `text` stand for: all of them digits.
fn number<const N: usize>(text: &[u8], radix: u32) -> Result<u32, SelectorErrorKind> {
    let digits = text.first_chunk::<N>().ok_or(SelectorErrorKind::InvalidEscape)?;
    digits.iter().try_fold(0_u32, |number, &digit| {
        let digit = char::from(digit).to_digit(radix).ok_or(SelectorErrorKind::InvalidEscape)?;
        Ok(number.wrapping_mul(radix).wrapping_add(digit))
    })
}

/// The text behind its first `len` bytes.
#[inline]
fn behind(text: &str, len: usize) -> &str {
    text.get(len..).unwrap_or_else(impossible)
}
