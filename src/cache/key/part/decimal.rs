//! Numbers in keys: decimal, as short as can be.

use crate::wire::{BufferFull, Writer};

pub(super) const fn len(value: u64) -> usize {
    match value.checked_ilog10() {
        // At most 19, so lossless.
        #[allow(clippy::as_conversions)]
        Some(power) => (power as usize).saturating_add(1),
        None => 1,
    }
}

pub(super) fn write(value: u64, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
    let mut rest = value;
    for digit in writer.take(len(value))?.iter_mut().rev() {
        *digit = b'0' | u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
    }
    Ok(())
}

/// The number that `text` is, if it is written as here.
pub(super) fn read(text: &str) -> Option<u64> {
    let value = text.parse().ok()?;
    // Leading zeros, or a plus sign.
    (text.len() == len(value)).then_some(value)
}
