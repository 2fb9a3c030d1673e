//! What a body is whose sender did not say: told by what cannot be a coincidence.
//!
//! ```text
//! 1f 8b 08               gzip
//! 28 b5 2f fd            zstd
//! 04 22 4d 18            lz4
//! ff 06 00 00 "sNaPpY"   framed snappy
//! a whole snappy block   its elements yield exactly the length that it declares
//! a run of records       fields with a length, of fields or of text, up to exactly the body's end
//! the shape of a block   a snappy block that is damaged: an error
//! anything else          as it is
//! ```
//!
//! The first rule that fits holds. No whole block begins like the first four, and no run of
//! records. Of a whole block that passes for a run of records and the other way round, the first is
//! less rare: the first byte of a message declares at most 127 bytes, and in so few most letters
//! are copies from places that are not there. A small block that is cut passes for a run of records
//! once in 100,000 cuts (blocks of 60 to 300 bytes, 3.6 million cuts).

use super::snappy;
use crate::body::encoding::Encoding;
use crate::wire::{Reader, Tag, WireType};

/// What `bytes` are compressed with; `None` if they are not. It takes one look at each record or
/// element at most.
pub(super) fn tell(bytes: &[u8]) -> Option<Encoding> {
    let magic = Encoding::by_magic_number(bytes);
    if magic.is_some() {
        return magic;
    }
    // Nearly always the first record or element decides; a message of over a few hundred bytes does
    // not even look like a block.
    let is_block = snappy::looks_like_a_block(bytes)
        && (!is_run_of_records(bytes) || snappy::is_whole_block(bytes));
    is_block.then_some(Encoding::Snappy)
}

/// Whether `bytes` are fields with a length, one behind the other, and nothing else: messages, as
/// far as their fields tell, or text. The content counts, because the first field could else be
/// what is left of a block that was cut just there.
fn is_run_of_records(bytes: &[u8]) -> bool {
    are_fields(bytes, |tag, reader| {
        tag.wire_type() == WireType::Len
            && reader.read_bytes().is_ok_and(|content| {
                is_text(content)
                    || are_fields(content, |tag, reader| reader.skip_field(tag).is_ok())
            })
    })
}

/// Whether `bytes` are fields, one behind the other, and nothing else; `read` reads the value of
/// each.
fn are_fields<'a>(bytes: &'a [u8], mut read: impl FnMut(Tag, &mut Reader<'a>) -> bool) -> bool {
    let Ok(mut reader) = Reader::new(bytes) else { return false };
    loop {
        match reader.next_tag() {
            Ok(None) => return true,
            Ok(Some(tag)) if read(tag, &mut reader) => {}
            _ => return false,
        }
    }
}

/// Whether `bytes` are UTF-8, without control characters other than those that lay out a text.
fn is_text(bytes: &[u8]) -> bool {
    let is_layout = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r');
    bytes.iter().all(|byte| !byte.is_ascii_control() || is_layout(byte))
        && core::str::from_utf8(bytes).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::encoding::{GZIP, LZ4, SNAPPY_FRAMED, ZSTD};
    use crate::body::{BodyError, BodyLimits, BufferPool};
    use std::vec::Vec;

    fn read(sent: &[u8]) -> Result<Vec<u8>, BodyError> {
        let body = BufferPool::new().decompress(sent, Encoding::Unstated, &BodyLimits::new())?;
        Ok(body.to_vec())
    }

    #[test]
    fn records_are_whole_and_end_where_the_body_ends() {
        for (bytes, expected) in [
            (&b""[..], true),
            (b"\x0a\x00", true),
            (b"\x0a\x04text\x1a\x00", true),
            (b"\x0a\x02\x08\x01", true),
            (b"\xc2\x3e\x05line\n", true), // field 1000
            (b"\x0a\x04tex", false),
            (b"\x0a\x04text\x1a", false),
            (b"\x0a\x03text", false),
            (b"\x0a\x02\x08\xff", false), // neither a message nor text
            (b"\x0a\x03\x0a\x02a", false),
            (b"\x0a\x04text\x08\x01", false), // a field without a length
            (b"\x02\x01a", false),            // field 0
        ] {
            assert_eq!(is_run_of_records(bytes), expected, "{bytes:x?}");
        }
    }

    /// They have the shape of a block, and only their records tell what they are.
    #[test]
    fn small_messages_are_not_taken_for_blocks() {
        for message in [
            // A series `load` with a sample, once in the form that repeats all names, once with a
            // table of texts; and a type and a help text alone.
            &b"\x0a\x24\x0a\x10\x0a\x08__name__\x12\x04load\
               \x12\x10\x09\0\0\0\0\0\0\xf0\x3f\x10\x80\xd0\x95\xff\xbc\x31"[..],
            b"\x22\x00\x22\x08__name__\x22\x02up\
              \x2a\x16\x0a\x02\x01\x02\x12\x10\x09\0\0\0\0\0\0\xf0\x3f\x10\x80\xd0\x95\xff\xbc\x31",
            b"\x1a\x10\x08\x01\x12\x02up\x22\x08helphelp",
        ] {
            assert!(snappy::looks_like_a_block(message));
            assert_eq!(tell(message), None);
            assert_eq!(read(message).unwrap(), message);
        }
    }

    #[test]
    fn a_whole_block_is_a_block_also_where_it_passes_for_records() {
        // A field of 76 bytes; or 122 bytes, from literals of 20, 17 and 17, and copies of 6 and 7.
        let both = b"zLtwenty-bytes-of-text@seventeen-letters@seventeen-letters\t\t\t\t\
                     \r\t\r\t\r\t\r\t\r\t\r\t\r\t\r\t";
        assert!(is_run_of_records(both) && snappy::is_whole_block(both));
        assert_eq!(read(both).unwrap().len(), 122);
        // Without the last copy it is neither; with another length in it a run of records.
        assert_eq!(tell(&both[..both.len() - 2]), Some(Encoding::Snappy));
        assert!(read(&both[..both.len() - 2]).is_err());
        let records = [&b"zJ"[..], &both[2..both.len() - 2]].concat();
        assert_eq!(tell(&records), None);
    }

    #[test]
    fn magic_numbers_are_neither_blocks_nor_records() {
        for magic in [GZIP, LZ4, ZSTD, SNAPPY_FRAMED] {
            for len in 0..300 {
                let bytes = [magic, &b"\0".repeat(len)].concat();
                assert!(!snappy::is_whole_block(&bytes) && !is_run_of_records(&bytes));
            }
            let named = tell(magic).unwrap();
            match read(magic) {
                Ok(bytes) => assert_eq!((named, &bytes[..]), (Encoding::SnappyFramed, &b""[..])),
                Err(BodyError::Malformed { encoding, .. }) => assert_eq!(encoding, named),
                Err(error) => assert!(!named.is_enabled(), "{error}"),
            }
        }
    }

    #[test]
    fn work_is_linear_for_the_smallest_records_and_elements() {
        // A million of each; what is read twice by each of them would not end.
        let records = b"\x0a\x00".repeat(1 << 20);
        assert_eq!(tell(&records), None);
        let elements = [&b"\x80\x80\x40"[..], &b"\x00a".repeat(1 << 20)].concat();
        assert!(snappy::is_whole_block(&elements));
    }
}
