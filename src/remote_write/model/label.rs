//! `Label`: a name and a value.
//!
//! ```text
//! 1 name   string
//! 2 value  string
//! ```

use crate::message::cursor::{Cursor, Merge};
use crate::message::regions::{Pair, merge_pair, pair_len, write_pair};
use crate::wire::error::DecodeError;
use crate::wire::message::{Decode, Encode};
use crate::wire::{BufferFull, Reader, Writer};

/// The name of the label that holds the metric's name.
pub const METRIC_NAME: &str = "__name__";

/// One label of a series or exemplar. Labels order by name, then value, bytewise.
///
/// ```
/// use borrowire::remote_write::Label;
///
/// let label = Label::new("job", "node");
/// assert_eq!((label.name, label.value), ("job", "node"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[doc(alias("label", "LabelPair", "tag"))]
pub struct Label<'a> {
    /// The label's name.
    pub name: &'a str,
    /// The label's value; an empty value means the same as no label.
    pub value: &'a str,
}

impl<'a> Label<'a> {
    /// A label of `name` and `value`.
    #[must_use]
    pub const fn new(name: &'a str, value: &'a str) -> Self {
        Self { name, value }
    }
}

impl<'a> Pair<'a> for Label<'a> {
    #[inline]
    fn new(name: &'a str, value: &'a str) -> Self {
        Self { name, value }
    }

    #[inline]
    fn name(&self) -> &'a str {
        self.name
    }

    #[inline]
    fn value(&self) -> &'a str {
        self.value
    }
}

impl<'a> Merge<'a> for Label<'a> {
    fn merge_fields(&mut self, cursor: &mut Cursor<'a, '_>) -> Result<(), DecodeError> {
        merge_pair(self, cursor)
    }
}

impl<'a> Decode<'a> for Label<'a> {
    fn merge(&mut self, reader: &mut Reader<'a>) -> Result<(), DecodeError> {
        self.merge_alone(reader)
    }
}

impl Encode for Label<'_> {
    fn encoded_len(&self) -> usize {
        pair_len(self)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_pair(writer, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DecodeErrorKind;
    use crate::message::cursor::State;
    use crate::message::regions::{pairs_len, read_pair, take_pairs, write_pairs};
    use crate::wire::{Tag, WireType};
    use alloc::string::String;
    use alloc::vec;
    use alloc::vec::Vec;

    const LABELS: Tag = Tag::new(1, WireType::Len);
    const LABELS_BYTE: u8 = LABELS.byte();

    fn read(text: &str) -> (Vec<Label<'_>>, &str) {
        let mut labels = Vec::new();
        let mut state = State::strict();
        let rest = take_pairs::<LABELS_BYTE, _>(text, &mut labels, &mut state);
        (labels, rest)
    }

    #[test]
    fn golden_bytes_both_ways() {
        let bytes = b"\x0a\x08__name__\x12\x02up";
        let label = Label::new("__name__", "up");
        assert_eq!(Label::decode(bytes), Ok(label));
        assert_eq!(label.encode_to_vec().as_deref(), Ok(&bytes[..]));
        assert_eq!(Label::decode(b"\x0a\x00\x12\x00"), Ok(Label::default()));
        assert_eq!(Label::default().encode_to_vec().as_deref(), Ok(&[][..]));
    }

    #[test]
    fn faults_have_kind_and_place() {
        let fault = |bytes| {
            let error = Label::decode(bytes).unwrap_err();
            (error.kind(), error.field_number(), error.offset())
        };
        assert_eq!(fault(b"\x0a\x05ab"), (DecodeErrorKind::Truncated, 1, 1));
        assert_eq!(fault(b"\x0a\x01a\x12\x03b\xffc"), (DecodeErrorKind::InvalidUtf8, 2, 6));
    }

    #[test]
    fn every_shape_is_taken_from_a_region() {
        // usual; value first; no value; empty; unknown field; name twice
        let text = "\n\x06\n\x01a\x12\x01b\n\x06\x12\x01b\n\x01a\n\x03\n\x01a\n\0\
                    \n\x08\n\x01a\x12\x01b\x18\x07\n\x06\n\x01x\n\x01a";
        let (labels, rest) = read(text);
        let (ab, a) = (Label::new("a", "b"), Label::new("a", ""));
        assert_eq!((labels, rest), (vec![ab, ab, a, Label::default(), ab, a], ""));
    }

    #[test]
    fn a_region_is_taken_as_far_as_it_is_labels() {
        let (labels, rest) = read("\n\x06\n\x01a\x12\x01b\x12\x02\x10\x01");
        assert_eq!((labels.len(), rest), (1, "\x12\x02\x10\x01"));
        // a label that is cut off, and one whose string passes its end
        assert_eq!(read("\n\x06\n\x01a\x12").1, "\n\x06\n\x01a\x12");
        assert_eq!(read("\n\x03\n\x05abc").1, "\n\x03\n\x05abc");
        // half a character, whose other half is an unknown field's tag
        assert_eq!(read("\n\x07\n\x01\u{e9}\x01ab").1, "\n\x07\n\x01\u{e9}\x01ab");
    }

    #[test]
    fn lengths_are_exact_where_a_byte_more_is_needed() {
        let long: String = "v".repeat(20_000);
        for value in
            [0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 32, 33, 120, 121, 122, 123, 124, 127, 128, 16_384]
        {
            for name in [0, 1, 3, 5, 127, 128] {
                let labels = [Label::new(&long[..name], &long[..value]), Label::new("a", "b")];
                let mut out = vec![0xaa; pairs_len(&labels) + 3];
                let mut writer = Writer::new(&mut out);
                write_pairs::<LABELS_BYTE, _>(&mut writer, &labels).unwrap();
                let written = writer.written();
                assert_eq!(written + 3, out.len(), "{name} and {value} bytes");
                assert_eq!(out[written..], [0xaa; 3]);
                let mut state = State::strict();
                let reader = Reader::new(&out[..written]).unwrap();
                let mut cursor = Cursor::over(reader, &mut state);
                for label in labels {
                    assert_eq!(cursor.next_tag(), Ok(Some(LABELS)));
                    assert_eq!(read_pair(&mut cursor), Ok(label));
                }
                let mut short = vec![0; written - 1];
                assert!(
                    write_pairs::<LABELS_BYTE, _>(&mut Writer::new(&mut short), &labels).is_err()
                );
            }
        }
    }
}
