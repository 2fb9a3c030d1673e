//! The caller's memory, with values one behind the other.

use alloc::vec::Vec;

use super::record::Place;
use crate::wire::error::EncodeError;
use crate::wire::impossible;
use crate::wire::message::{Encode, checked_len};

/// Memory that grows, and is never cut: what lies behind the values need not be cleared again for
/// the next ones.
pub(super) struct Memory<'m> {
    bytes: &'m mut Vec<u8>,
    used: usize,
}

impl<'m> Memory<'m> {
    pub(super) fn new(bytes: &'m mut Vec<u8>) -> Self {
        Self { bytes, used: 0 }
    }

    /// Appends a value, and its place to `places`.
    pub(super) fn append<M: Encode + ?Sized>(
        &mut self,
        value: &M,
        partition: u32,
        places: &mut Vec<Place>,
    ) -> Result<(), EncodeError> {
        let start = self.used;
        let len = checked_len(value, self.bytes.len().saturating_sub(start))?;
        let end = start.saturating_add(len);
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        value.encode(self.bytes.get_mut(start..end).unwrap_or_else(impossible))?;
        self.used = end;
        places.push(Place { partition, value: start..end });
        Ok(())
    }
}
