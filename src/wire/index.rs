//! Places in messages, which take 32 bits, as indices.

/// A place or length of 32 bits, as an index.
#[inline]
#[allow(clippy::as_conversions)]
pub(crate) const fn to_usize(at: u32) -> usize {
    const { assert!(usize::BITS >= 32, "places in a body take 32 bits") };
    at as usize
}
