//! A message whose text is made UTF-8: what is not is replaced by U+FFFD, and lengths are renewed.

use super::shape::{Shape, Value};
use crate::wire::message::Encode;
use crate::wire::{BufferFull, Reader, Tag, WireType, Writer, message_len};

/// The message in `bytes`, with all its text made UTF-8.
///
/// Each run of bytes that cannot be the beginning of a character becomes one U+FFFD, as
/// `String::from_utf8_lossy` does it. All else is copied: fields that are unknown, or have another
/// wire type, and whatever is behind a fault in the framing, which the decoder then finds.
pub(crate) struct Lossy<'b> {
    pub(crate) shape: &'static Shape,
    pub(crate) bytes: &'b [u8],
    /// How deep it is nested: what is deeper than any decoder goes stays as it is.
    pub(crate) depth: u8,
}

/// A piece of a message.
enum Piece<'b> {
    /// A field as it stands.
    Raw(&'b [u8]),
    /// Text that is not UTF-8.
    Text(Tag, &'b [u8]),
    Message(Tag, Lossy<'b>),
}

/// How deep messages are nested that a decoder reads.
const MAX_DEPTH: u8 = 100;

const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

impl<'b> Lossy<'b> {
    fn pieces(&self) -> impl Iterator<Item = Piece<'b>> {
        let mut reader = Reader::new(self.bytes).ok();
        let (shape, depth) = (self.shape, self.depth);
        core::iter::from_fn(move || {
            let rest = reader.as_ref()?.rest();
            if rest.is_empty() {
                return None;
            }
            let piece = next_piece(shape, depth, reader.as_mut()?);
            if piece.is_none() {
                reader = None;
            }
            Some(piece.unwrap_or(Piece::Raw(rest)))
        })
    }
}

/// The next field; `None` for what is none.
fn next_piece<'b>(shape: &Shape, depth: u8, reader: &mut Reader<'b>) -> Option<Piece<'b>> {
    let before = reader.rest();
    let tag = reader.next_tag().ok()??;
    let mut known = shape.0.iter().filter(|(number, _)| *number == tag.field_number());
    let value = known.next().map(|(_, value)| value).filter(|_| tag.wire_type() == WireType::Len);
    match value {
        Some(Value::Message(shape) | Value::Record(shape)) if depth < MAX_DEPTH => {
            let bytes = reader.read_bytes().ok()?;
            Some(Piece::Message(tag, Lossy { shape, bytes, depth: depth.saturating_add(1) }))
        }
        Some(value) if value.is_text() => {
            let text = reader.read_bytes().ok()?;
            if core::str::from_utf8(text).is_err() {
                return Some(Piece::Text(tag, text));
            }
            raw(before, reader)
        }
        _ => {
            reader.skip_field(tag).ok()?;
            raw(before, reader)
        }
    }
}

/// What was read since `before` was the rest.
fn raw<'b>(before: &'b [u8], reader: &Reader<'b>) -> Option<Piece<'b>> {
    before.get(..before.len().saturating_sub(reader.rest().len())).map(Piece::Raw)
}

/// The pieces of `text`, made UTF-8.
fn chunks(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.utf8_chunks().flat_map(|chunk| {
        let replacement = if chunk.invalid().is_empty() { &[][..] } else { REPLACEMENT };
        [chunk.valid().as_bytes(), replacement]
    })
}

fn text_len(text: &[u8]) -> usize {
    chunks(text).fold(0, |len, chunk| len.saturating_add(chunk.len()))
}

impl Encode for Lossy<'_> {
    fn encoded_len(&self) -> usize {
        let len = |piece: Piece<'_>| match piece {
            Piece::Raw(bytes) => bytes.len(),
            // A text of so many bytes.
            Piece::Text(tag, text) => message_len(tag, text_len(text)),
            Piece::Message(tag, message) => message_len(tag, message.encoded_len()),
        };
        self.pieces().fold(0, |sum, piece| sum.saturating_add(len(piece)))
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        for piece in self.pieces() {
            match piece {
                Piece::Raw(bytes) => writer.write_raw(bytes)?,
                Piece::Text(tag, text) => {
                    writer.write_len(tag, text_len(text))?;
                    chunks(text).try_for_each(|chunk| writer.write_raw(chunk))?;
                }
                Piece::Message(tag, message) => writer.write_message(tag, &message)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static INNER: Shape = Shape(&[(1, Value::Name), (2, Value::Len)]);
    static OUTER: Shape = Shape(&[(1, Value::Record(&INNER)), (2, Value::Always(&Value::Text))]);

    #[test]
    fn text_alone_is_made_whole() {
        for (bytes, expected) in [
            (&b""[..], &b""[..]),
            (b"\x0a\x03\x0a\x01a", b"\x0a\x03\x0a\x01a"),
            (b"\x0a\x03\x0a\x01\xff", b"\x0a\x05\x0a\x03\xef\xbf\xbd"),
            (b"\x0a\x03\x12\x01\xff", b"\x0a\x03\x12\x01\xff"), // bytes
            (b"\x12\x04a\xe2\x98b", b"\x12\x05a\xef\xbf\xbdb"), // half a character
            (b"\x1a\x01\xff\x12\x01\xff", b"\x1a\x01\xff\x12\x03\xef\xbf\xbd"),
            (b"\x10\x01\x08\x02", b"\x10\x01\x08\x02"), // other wire types
            (b"\x12\x01\xff\x12\x05\xff", b"\x12\x03\xef\xbf\xbd\x12\x05\xff"), // cut
            (b"\x0a\x05\x0a\x01\xff\x0a\x09", b"\x0a\x07\x0a\x03\xef\xbf\xbd\x0a\x09"),
        ] {
            let lossy = Lossy { shape: &OUTER, bytes, depth: 0 };
            assert_eq!(lossy.encode_to_vec().unwrap(), expected, "{bytes:x?}");
        }
    }

    #[test]
    fn lengths_grow_with_what_is_in_them() {
        let text = [0xff; 100];
        let bytes = [b"\x0a\x66\x0a\x64", &text[..]].concat();
        let lossy = Lossy { shape: &OUTER, bytes: &bytes, depth: 0 };
        let expected = [b"\x0a\xaf\x02\x0a\xac\x02", &REPLACEMENT.repeat(100)[..]].concat();
        assert_eq!(lossy.encode_to_vec().unwrap(), expected);
    }
}
