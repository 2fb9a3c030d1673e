//! Tags: field number and wire type, in one number.

/// How the value behind a tag is laid out.
///
/// ```
/// use borrowire::wire::{Tag, WireType};
///
/// // A repeated scalar comes one by one, or many in a block.
/// const DELTAS: Tag = Tag::new(9, WireType::Varint);
/// assert_eq!(DELTAS.packed().wire_type(), WireType::Len);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WireType {
    /// 0: a varint.
    Varint,
    /// 1: eight bytes.
    I64,
    /// 2: a length and that many bytes.
    Len,
    /// 3: the start of a group.
    SGroup,
    /// 4: the end of a group.
    EGroup,
    /// 5: four bytes.
    I32,
}

impl WireType {
    const fn number(self) -> u32 {
        match self {
            Self::Varint => 0,
            Self::I64 => 1,
            Self::Len => 2,
            Self::SGroup => 3,
            Self::EGroup => 4,
            Self::I32 => 5,
        }
    }
}

/// A field number with a wire type, as it stands before each value: `number << 3 | wire type`.
///
/// A constant of it is a pattern, so one `match` tells fields apart by number and type at once.
///
/// ```
/// use borrowire::wire::{Tag, WireType};
///
/// const NAME: Tag = Tag::new(1, WireType::Len);
/// assert_eq!((NAME.field_number(), NAME.wire_type()), (1, WireType::Len));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tag(u32);

impl Tag {
    /// The largest field number.
    pub const MAX_FIELD_NUMBER: u32 = 0x1fff_ffff;

    /// The tag of field `field_number` with `wire_type`.
    ///
    /// # Panics
    ///
    /// If the number is not in `1..=536870911`; in a constant that is a compile error.
    #[must_use]
    pub const fn new(field_number: u32, wire_type: WireType) -> Self {
        assert!(
            field_number >= 1 && field_number <= Self::MAX_FIELD_NUMBER,
            "field numbers go from 1 to 536870911"
        );
        Self(field_number << 3 | wire_type.number())
    }

    /// The field's number: 1 to 536870911.
    #[inline]
    #[must_use]
    pub const fn field_number(self) -> u32 {
        self.0 >> 3
    }

    /// How the value is laid out.
    #[inline]
    #[must_use]
    pub const fn wire_type(self) -> WireType {
        match self.0 & 7 {
            0 => WireType::Varint,
            1 => WireType::I64,
            2 => WireType::Len,
            3 => WireType::SGroup,
            4 => WireType::EGroup,
            // 6 and 7 are no tags: `from_wire` is the only other way in.
            _ => WireType::I32,
        }
    }

    /// The number that stands on the wire.
    #[inline]
    #[must_use]
    pub const fn value(self) -> u32 {
        self.0
    }

    /// The tag's one byte on the wire.
    ///
    /// # Panics
    ///
    /// If it takes more, for field numbers over 15; in a constant that is a compile error.
    #[must_use]
    pub const fn byte(self) -> u8 {
        assert!(self.0 < 0x80, "field numbers from 16 on take more than a byte");
        self.0.to_le_bytes()[0]
    }

    /// The tag that takes the one byte `byte` on the wire.
    pub(crate) const fn of_byte(byte: u8) -> Self {
        assert!(byte >= 0x08 && byte < 0x80 && byte & 7 < 6, "a tag of one byte");
        // Lossless: `u32::from` is not const.
        #[allow(clippy::as_conversions)]
        Self(byte as u32)
    }

    /// A tag as read; the caller has checked the field number and excluded wire types 6 and 7.
    #[inline]
    pub(super) const fn from_wire(value: u32) -> Self {
        Self(value)
    }

    /// This field's tag as a length-delimited value: how a packed block of repeated scalars begins.
    #[inline]
    #[must_use]
    pub const fn packed(self) -> Self {
        Self(self.0 & !7 | WireType::Len.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_and_type_come_back() {
        for wire_type in [
            WireType::Varint,
            WireType::I64,
            WireType::Len,
            WireType::SGroup,
            WireType::EGroup,
            WireType::I32,
        ] {
            for number in [1, 15, 16, Tag::MAX_FIELD_NUMBER] {
                let tag = Tag::new(number, wire_type);
                assert_eq!((tag.field_number(), tag.wire_type()), (number, wire_type));
                assert_eq!(Tag::from_wire(tag.value()), tag);
                assert_eq!(tag.packed(), Tag::new(number, WireType::Len));
            }
        }
    }

    #[test]
    #[should_panic(expected = "field numbers")]
    fn number_zero_is_refused() {
        let _ = Tag::new(0, WireType::Len);
    }
}
