//! Trace ids and span ids: bytes of a fixed number, or none.

use core::fmt;

use crate::message::cursor::Cursor;
use crate::wire::error::{DecodeError, DecodeErrorKind};
use crate::wire::{self, BufferFull, Tag, Writer};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident, $len:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub [u8; $len]);

        impl $name {
            /// Whether all bytes are 0, which OpenTelemetry calls an invalid id.
            #[must_use]
            pub const fn is_zero(&self) -> bool {
                const { assert!($len % 8 == 0) };
                u128::from_be_bytes(widened(&self.0)) == 0
            }
        }

        /// In lower-case hexadecimal digits.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }
    )*};
}

ids! {
    /// A trace id: sixteen bytes. It prints as hexadecimal digits.
    ///
    /// ```
    /// use borrowire::otlp::TraceId;
    ///
    /// assert_eq!(TraceId([0xab; 16]).to_string(), "ab".repeat(16));
    /// assert!(TraceId([0; 16]).is_zero());
    /// ```
    TraceId, 16;
    /// A span id: eight bytes. It prints as hexadecimal digits.
    ///
    /// ```
    /// use borrowire::otlp::SpanId;
    ///
    /// assert_eq!(SpanId([0xab; 8]).to_string(), "ab".repeat(8));
    /// assert!(SpanId([0; 8]).is_zero());
    /// ```
    SpanId, 8;
}

/// `id` behind zeros.
const fn widened<const N: usize>(id: &[u8; N]) -> [u8; 16] {
    let mut wide = [0; 16];
    if let Some((_, tail)) = wide.split_at_mut_checked(16_usize.saturating_sub(N)) {
        tail.copy_from_slice(id);
    }
    wide
}

impl TraceId {
    /// The id as two words, as storage has it.
    #[inline]
    pub(in crate::otlp) const fn words(self) -> [u64; 2] {
        let word = u128::from_be_bytes(self.0);
        // Truncation is what is meant.
        #[allow(clippy::as_conversions)]
        [(word >> 64) as u64, word as u64]
    }

    #[inline]
    pub(in crate::otlp) fn of_words([high, low]: [u64; 2]) -> Self {
        Self((u128::from(high) << 64 | u128::from(low)).to_be_bytes())
    }
}

impl SpanId {
    #[inline]
    pub(in crate::otlp) const fn word(self) -> u64 {
        u64::from_be_bytes(self.0)
    }

    #[inline]
    pub(in crate::otlp) const fn of_word(word: u64) -> Self {
        Self(word.to_be_bytes())
    }
}

/// Reads an id of `N` bytes; `None` for an empty one. One of another length is a fault in the
/// content.
#[inline]
pub(in crate::otlp) fn read_id<const N: usize>(
    cursor: &mut Cursor<'_, '_>,
) -> Result<Option<[u8; N]>, DecodeError> {
    let before = cursor.rest();
    let bytes = cursor.read_bytes()?;
    if bytes.is_empty() {
        return Ok(None);
    }
    match bytes.try_into() {
        Ok(id) => Ok(Some(id)),
        Err(_) => {
            cursor.content_fault_at(before, DecodeErrorKind::InvalidId)?;
            Ok(None)
        }
    }
}

/// Bytes of an id as a field.
#[inline]
pub(in crate::otlp) fn id_len<const N: usize>(tag: Tag, id: Option<[u8; N]>) -> usize {
    id.map_or(0, |id| wire::bytes_len(tag, &id))
}

/// An id as a field, if there is one.
#[inline]
pub(in crate::otlp) fn write_id<const N: usize>(
    writer: &mut Writer<'_>,
    tag: Tag,
    id: Option<[u8; N]>,
) -> Result<(), BufferFull> {
    id.map_or(Ok(()), |id| writer.write_bytes(tag, &id))
}
