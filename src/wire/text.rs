//! Checking text: whole regions at once, so that strings cut from them need no check of their own.
//!
//! The labels of a series lie side by side, and their framing (tags, lengths under 128) is ASCII:
//!
//! ```text
//! 0a 0f  0a 08 __name__  12 03 foo    0a 09  0a 03 job  12 02 xy
//! ^^^^^  ^^^^^           ^^^^^        tag and length bytes are ASCII too
//! ```
//!
//! If such a run is UTF-8 as a whole, then so is every string in it: no character can span an ASCII
//! byte. One vectorised pass over the run replaces a call for each string.

use crate::error::DecodeErrorKind;

/// A region as text, if it is UTF-8 as a whole. Strings cut out of it by [`str::get`] or
/// [`str::split_at_checked`] need no check of their own.
///
/// ```
/// use borrowire::wire::{text_region, text_run_len};
///
/// let labels = b"\x0a\x03job\x0a\x04node\x10\x07";
/// let run = text_run_len(labels, 0x0a);
/// assert_eq!(text_region(&labels[..run]), Some("\n\u{3}job\n\u{4}node"));
/// ```
#[inline]
#[must_use]
pub fn text_region(bytes: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(bytes).ok()
}

/// `bytes` as text, or where it stops being UTF-8.
#[inline]
pub(super) fn utf8(bytes: &[u8]) -> Result<&str, usize> {
    text_region(bytes).ok_or_else(|| valid_up_to(bytes))
}

#[cold]
fn valid_up_to(bytes: &[u8]) -> usize {
    core::str::from_utf8(bytes).err().map_or(0, |error| error.valid_up_to())
}

/// How many bytes at the front of `bytes` are whole records with the one-byte tag `tag` and a
/// one-byte length: the longest run that can be one [`text_region`].
#[must_use]
pub fn text_run_len(bytes: &[u8], tag: u8) -> usize {
    let mut rest = bytes;
    while let [first, len, tail @ ..] = rest {
        if *first != tag || *len >= 0x80 {
            break;
        }
        let Some((_, tail)) = tail.split_at_checked(usize::from(*len)) else {
            break;
        };
        rest = tail;
    }
    bytes.len().saturating_sub(rest.len())
}

/// The kind that a failed text check is reported as.
pub(super) const INVALID: DecodeErrorKind = DecodeErrorKind::InvalidUtf8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_where_text_ends() {
        assert_eq!(utf8("naïve".as_bytes()), Ok("naïve"));
        assert_eq!(utf8(b"ab\xff"), Err(2));
        assert_eq!(utf8(b"\xed\xa0\x80"), Err(0));
        assert_eq!(utf8(b"ab\xc3"), Err(2));
    }

    #[test]
    fn a_run_ends_before_the_first_other_record() {
        assert_eq!(text_run_len(b"\x0a\x01a\x0a\x00\x12\x01b", 0x0a), 5);
        assert_eq!(text_run_len(b"\x0a\x01a\x0a\x05b", 0x0a), 3);
        assert_eq!(text_run_len(b"\x0a\x81\x00a", 0x0a), 0);
        assert_eq!(text_run_len(b"", 0x0a), 0);
    }
}
