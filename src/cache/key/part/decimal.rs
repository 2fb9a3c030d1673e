//! Numbers in keys: decimal, as short as can be.

use crate::wire::{BufferFull, Writer};

/// The number of digits.
pub(in crate::cache::key) const fn len(value: u64) -> usize {
    match value.checked_ilog10() {
        // At most 19, so lossless.
        #[allow(clippy::as_conversions)]
        Some(power) => (power as usize).saturating_add(1),
        None => 1,
    }
}

#[inline]
pub(in crate::cache::key) fn write(value: u64, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
    writer.write_raw(itoa::Buffer::new().format(value).as_bytes())
}

/// The number that `text` is, if it is written as here.
pub(in crate::cache::key) fn read(text: &str) -> Option<u64> {
    let value = text.parse().ok()?;
    // Leading zeros, or a plus sign.
    (text.len() == len(value)).then_some(value)
}
