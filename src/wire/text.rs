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

use crate::wire::error::DecodeErrorKind;

/// A region as text, if it is UTF-8 as a whole. Strings cut out of it by [`str::get`] or
/// [`str::split_at_checked`] need no check of their own.
///
/// ```
/// use borrowire::wire::{text_region, text_run_len};
///
/// # use borrowire::wire::{Tag, WireType, Writer};
/// # const NAME: Tag = Tag::new(1, WireType::Len);
/// # let mut message = [0; 64];
/// # let mut writer = Writer::new(&mut message);
/// # writer.write_string(NAME, "job")?;
/// # writer.write_string(NAME, "node")?;
/// # writer.write_int64(Tag::new(2, WireType::Varint), 7)?;
/// // `message`: two strings in field 1, then a number in field 2
/// let run = text_run_len(&message, NAME.byte());
/// let text = text_region(&message[..run]).unwrap();
/// assert_eq!((&text[2..5], &text[7..11]), ("job", "node"));
/// # Ok::<(), borrowire::wire::BufferFull>(())
/// ```
#[inline]
#[must_use]
pub fn text_region(bytes: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(bytes).ok()
}

/// The last `len` bytes of `bytes` as text, if they are UTF-8.
///
/// A short region is checked together with what happens to be in front of it: 64 bytes take one
/// step of vectors, fewer are looked at one by one. Where those in front are no text it is checked
/// alone.
#[inline]
pub(crate) fn text_tail(bytes: &[u8], len: usize) -> Option<&str> {
    const STEP: usize = 64;
    if len < STEP
        && let Some(step) = bytes.last_chunk::<STEP>()
        // In the middle of a character there is no need to try.
        && !matches!(step, [0x80..0xc0, ..])
        && let Some(text) = text_region(step)
        && let Some(tail) = text.get(STEP.saturating_sub(len)..)
    {
        return Some(tail);
    }
    text_region(bytes.get(bytes.len().saturating_sub(len)..)?)
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
    fn a_tail_is_text_whatever_is_in_front_of_it() {
        let tails = [&b""[..], b"a", "é☃".as_bytes(), &[b'x'; 63], &[b'x'; 64], &[b'x'; 65]];
        let fronts = [&[b'y'; 200][..], &"é☃".as_bytes().repeat(30), &[0xff; 100], b"", b"\xc3"];
        for tail in tails {
            for front in fronts {
                for cut in 0..front.len().min(9) {
                    let bytes = [&front[cut..], tail].concat();
                    assert_eq!(text_tail(&bytes, tail.len()), core::str::from_utf8(tail).ok());
                }
            }
        }
        // No text by itself, though it is with what is in front of it.
        for front in [0, 10, 100] {
            let bytes = [&"y".repeat(front), "é"].concat();
            assert_eq!(text_tail(bytes.as_bytes(), 1), None);
            assert_eq!(text_tail(bytes.as_bytes(), 2), Some("é"));
            assert_eq!(text_tail(b"abc\xff", 2), None);
        }
        assert_eq!(text_tail(b"ab", 3), Some("ab"));
    }

    #[test]
    fn a_run_ends_before_the_first_other_record() {
        assert_eq!(text_run_len(b"\x0a\x01a\x0a\x00\x12\x01b", 0x0a), 5);
        assert_eq!(text_run_len(b"\x0a\x01a\x0a\x05b", 0x0a), 3);
        assert_eq!(text_run_len(b"\x0a\x81\x00a", 0x0a), 0);
        assert_eq!(text_run_len(b"", 0x0a), 0);
    }
}
