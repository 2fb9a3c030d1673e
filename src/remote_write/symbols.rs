//! The symbol table of a decoded request of remote write 2.0.

use alloc::vec::Vec;

use crate::storage::{push, vec_bytes};

/// The symbols of a request, by reference.
///
/// `None` stands for a reference that nothing may use: a symbol whose text is not UTF-8 (partial mode
/// only), or a place in Mimir's common table that nothing has.
#[derive(Clone, Default)]
pub(super) struct SymbolTable<'a> {
    pub(super) symbols: Vec<Option<&'a str>>,
    /// How many of them stand in front of the request's own: Mimir's common table, or none.
    pub(super) own_start: usize,
}

impl<'a> SymbolTable<'a> {
    #[inline]
    pub(super) fn get(&self, reference: u32) -> Option<&'a str> {
        *self.symbols.get(usize::try_from(reference).ok()?)?
    }

    pub(super) fn push(&mut self, symbol: Option<&'a str>) {
        push(&mut self.symbols, symbol);
    }

    pub(super) fn clear(&mut self) {
        self.symbols.clear();
        self.own_start = 0;
    }

    pub(super) fn recycle<'b>(mut self) -> SymbolTable<'b> {
        self.clear();
        SymbolTable { symbols: self.symbols.into_iter().map(|_| None).collect(), own_start: 0 }
    }

    pub(super) fn capacity_bytes(&self) -> usize {
        vec_bytes(&self.symbols)
    }
}
