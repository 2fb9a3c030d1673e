//! The long symbols of a request, each compared and checked once for all the series that use it.
//!
//! A megabyte can name a text of another megabyte many thousands of times. What looks at texts for
//! each use would then go over gigabytes.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::symbols::Symbols;
use crate::message::by_address::{ByAddress, is_long};
use crate::message::columns::{index, vec_bytes};
use crate::remote_write::model::rules::{EachTime, NameScheme, Names, is_classic};
use crate::wire::{impossible, to_usize};

/// Long symbols by their order, in memory that is used again.
#[derive(Clone, Default)]
pub(crate) struct LongSymbols {
    /// Positions in `sorted`.
    positions: ByAddress,
    sorted: Vec<LongSymbol>,
}

#[derive(Clone, Copy)]
struct LongSymbol {
    reference: u32,
    /// The same for symbols of the same text, and in their order.
    rank: u32,
    /// Whether it is valid in [`NameScheme::Classic`], as a label's name and as a metric's.
    classic: [bool; 2],
}

impl LongSymbols {
    /// Looks at each of `symbols`, in place of those that it looked at before, and borrows them
    /// until it does so again or is cleared.
    pub(crate) fn read(&mut self, symbols: Symbols<'_, '_>) {
        let Self { positions, sorted } = self;
        positions.clear();
        sorted.clear();
        let long = |symbol: &Option<&str>| symbol.is_some_and(is_long);
        if !symbols.iter().any(|symbol| long(&symbol)) {
            return;
        }
        let all = symbols.iter().enumerate().filter(|(_, symbol)| long(symbol));
        sorted.extend(all.map(|(at, symbol)| {
            let classic = [false, true].map(|metric| symbol.is_some_and(|s| is_classic(s, metric)));
            LongSymbol { reference: index(at), rank: 0, classic }
        }));
        let text = |symbol: &LongSymbol| symbols.get(symbol.reference).unwrap_or_else(impossible);
        sorted.sort_unstable_by(|one, other| EachTime.compare(text(one), text(other)));
        let mut rank = 0_u32;
        let mut before: Option<LongSymbol> = None;
        for (position, symbol) in sorted.iter_mut().enumerate() {
            if before.is_some_and(|before| !EachTime.same(text(&before), text(symbol))) {
                rank = rank.saturating_add(1);
            }
            symbol.rank = rank;
            before = Some(*symbol);
            positions.insert(text(symbol), index(position));
        }
    }

    /// Whether there are none.
    pub(crate) const fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// Whether two symbols, or what is left of them without a suffix, are the same text.
    pub(crate) fn same(&self, one: &str, other: &str) -> bool {
        Names::same(self, one, other)
    }

    pub(crate) fn clear(&mut self) {
        self.positions.clear();
        self.sorted.clear();
    }

    pub(crate) fn capacity_bytes(&self) -> usize {
        vec_bytes(&self.sorted).saturating_add(self.positions.capacity_bytes())
    }

    fn get(&self, text: &str) -> Option<LongSymbol> {
        self.sorted.get(to_usize(self.positions.get(text)?)).copied()
    }
}

impl Names for LongSymbols {
    fn compare(&self, one: &str, other: &str) -> Ordering {
        if core::ptr::eq(one, other) {
            return Ordering::Equal;
        }
        match (self.get(one), self.get(other)) {
            (Some(one), Some(other)) => one.rank.cmp(&other.rank),
            // One of them is short.
            _ => one.cmp(other),
        }
    }

    fn is_valid(&self, name: &str, scheme: NameScheme, metric: bool) -> bool {
        match (scheme, self.get(name)) {
            (NameScheme::Classic, Some(LongSymbol { classic, .. })) => {
                let [label, of_metric] = classic;
                if metric { of_metric } else { label }
            }
            _ => EachTime.is_valid(name, scheme, metric),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote_write::model::symbol_table::SymbolTable;
    use alloc::string::String;

    #[test]
    fn ranks_are_the_order_of_texts() {
        let long = |end: &str| "x".repeat(300) + end;
        let texts: [String; 9] = [
            "".into(),
            "b".into(),
            long("b"),
            long("a:"),
            long("b"),
            long(""),
            "a".into(),
            "1".repeat(256),
            "é".repeat(200),
        ];
        let mut table = SymbolTable::default();
        for (at, text) in texts.iter().enumerate() {
            table.push(if at == 1 { None } else { Some(text) });
        }
        let mut symbols = LongSymbols::default();
        symbols.read(Symbols::stored(&table));
        assert_eq!(symbols.sorted.len(), 6);
        for one in &texts {
            for other in &texts {
                assert_eq!(symbols.compare(one, other), one.cmp(other));
                assert_eq!(symbols.same(one, other), one == other);
            }
            for scheme in [NameScheme::Classic, NameScheme::Utf8] {
                for metric in [false, true] {
                    let valid = symbols.is_valid(one, scheme, metric);
                    assert_eq!(valid, EachTime.is_valid(one, scheme, metric), "{one}");
                }
            }
        }
        assert_eq!(symbols.get(&texts[2]).unwrap().rank, symbols.get(&texts[4]).unwrap().rank);
        let mut short = SymbolTable::default();
        short.push(Some(&texts[1]));
        symbols.read(Symbols::stored(&short));
        assert!(symbols.is_empty() && symbols.get(&texts[2]).is_none());
    }
}
