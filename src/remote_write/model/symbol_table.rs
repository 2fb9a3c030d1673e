//! The texts that series of one request share, by reference: 2.0's symbols. Requests of 1.0 have
//! none.

use alloc::vec::Vec;

use crate::message::columns::{push, recycle, used_bytes, vec_bytes};
use crate::wire::error::DecodeErrorKind;
use crate::wire::to_usize;

/// The symbols of a request, by reference.
///
/// `None` is a reference that nothing may use: a symbol that is not UTF-8 (partial mode only), or a
/// place in front of the request's own that is not assigned.
#[derive(Clone, Default)]
pub(in crate::remote_write) struct SymbolTable<'a> {
    symbols: Vec<Option<&'a str>>,
    /// How many of them stand in front of the request's own.
    common: usize,
}

impl<'a> SymbolTable<'a> {
    /// Puts `common` in front of the request's own symbols, which begin at `end`.
    pub(in crate::remote_write) fn push_common(&mut self, common: &[&'static str], end: u32) {
        self.symbols.extend(common.iter().copied().map(Some));
        self.symbols.resize(to_usize(end), None);
        self.common = self.symbols.len();
    }

    #[inline]
    pub(in crate::remote_write) fn push(&mut self, symbol: Option<&'a str>) {
        push(&mut self.symbols, symbol);
    }

    #[inline]
    pub(in crate::remote_write) fn get(&self, reference: u32) -> Option<&'a str> {
        *self.symbols.get(to_usize(reference))?
    }

    /// The symbol of `reference`, or why there is none.
    #[inline]
    pub(in crate::remote_write) fn resolve(
        &self,
        reference: u32,
    ) -> Result<&'a str, DecodeErrorKind> {
        self.get(reference).ok_or_else(|| {
            if (self.common..self.symbols.len()).contains(&to_usize(reference)) {
                DecodeErrorKind::InvalidUtf8
            } else {
                DecodeErrorKind::RefOutOfRange
            }
        })
    }

    /// How many there are, those in front of the request's own included.
    #[inline]
    pub(in crate::remote_write) const fn len(&self) -> usize {
        self.symbols.len()
    }

    /// The reference of the request's first own symbol.
    pub(in crate::remote_write) const fn own_start(&self) -> usize {
        self.common
    }

    /// How many symbols the request has itself.
    pub(in crate::remote_write) const fn own_len(&self) -> usize {
        self.symbols.len().saturating_sub(self.common)
    }

    /// All of them, by reference.
    pub(in crate::remote_write) fn iter(
        &self,
    ) -> core::iter::Copied<core::slice::Iter<'_, Option<&'a str>>> {
        self.symbols.iter().copied()
    }

    pub(in crate::remote_write) fn clear(&mut self) {
        self.symbols.clear();
        self.common = 0;
    }

    pub(in crate::remote_write) fn recycle<'b>(self) -> SymbolTable<'b> {
        SymbolTable { symbols: recycle(self.symbols), common: 0 }
    }

    pub(in crate::remote_write) fn used_bytes(&self) -> usize {
        used_bytes(&self.symbols)
    }

    pub(in crate::remote_write) fn capacity_bytes(&self) -> usize {
        vec_bytes(&self.symbols)
    }
}
