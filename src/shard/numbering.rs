//! Numbering a table's entries anew for each part, and buffers for the records that name them.

use alloc::vec::Vec;

use crate::message::columns::{index, sum, used_bytes, vec_bytes};
use crate::wire::{Tag, impossible, low_byte, to_usize};

/// The numbers of a table's entries in the current part.
#[derive(Clone, Debug, Default)]
#[allow(unnameable_types, reason = "sealed")]
pub struct Numbering {
    /// For each entry of the request the part that has it, and its number there.
    numbers: Vec<(usize, u32)>,
    /// The entries of all parts, by their numbers in the request.
    pub(super) entries: Vec<u32>,
    /// The current part, from 1.
    part: usize,
    /// Where its entries begin.
    pub(super) start: usize,
    /// Bytes of its entries.
    pub(super) bytes: usize,
    /// The number of the request's, and so of a part's, first own entry.
    first: u32,
}

/// Buffers for messages on their way into others.
#[derive(Clone, Debug, Default)]
#[allow(unnameable_types, reason = "sealed")]
pub struct Scratch {
    /// The content of the record.
    pub(crate) record: Vec<u8>,
    /// A message in it.
    pub(crate) inner: Vec<u8>,
    /// References.
    pub(crate) refs: Vec<u8>,
    /// Room for the references of a usual record.
    pub(crate) usual: Vec<u8>,
}

impl Numbering {
    /// Begins a request, whose table has `len` entries; those below `first` keep their numbers.
    pub(crate) fn begin(&mut self, len: usize, first: u32) {
        self.numbers.clear();
        self.numbers.resize(len, (0, 0));
        self.entries.clear();
        self.part = 0;
        self.first = first;
    }

    /// Begins a part with the table's entry 0, which all parts have and which takes `bytes`.
    pub(crate) fn begin_part(&mut self, bytes: usize) {
        self.part = self.part.saturating_add(1);
        self.start = self.entries.len();
        self.entries.push(0);
        self.bytes = bytes;
    }

    /// Lets the table have `len` entries.
    pub(crate) fn extend_to(&mut self, len: usize) {
        self.numbers.resize(len, (0, 0));
    }

    /// The entries of the current part, by their numbers in the request.
    pub(crate) fn entries(&self) -> &[u32] {
        self.entries.get(self.start..).unwrap_or_else(impossible)
    }

    /// Bytes of the current part's entries.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// The number in the current part of what is entry `number` in the request. For one that the
    /// part has not used before, `len` tells how many bytes it takes; `None` if entry 0 is as good.
    #[inline]
    pub(crate) fn number(&mut self, number: u32, len: impl FnOnce() -> Option<usize>) -> u32 {
        match self.numbers.get(to_usize(number)) {
            Some(&(part, number)) if part == self.part => number,
            _ if number < self.first => number,
            _ => self.add(number, len()),
        }
    }

    #[inline(never)]
    fn add(&mut self, number: u32, len: Option<usize>) -> u32 {
        let Some(slot) = self.numbers.get_mut(to_usize(number)) else { return 0 };
        let Some(len) = len.filter(|_| number != 0) else { return 0 };
        let place = index(self.entries.len().saturating_sub(self.start));
        *slot = (self.part, self.first.saturating_add(place));
        self.entries.push(number);
        self.bytes = self.bytes.saturating_add(len);
        slot.1
    }

    /// Forgets the entries behind the first `entries` ones, which take `bytes`.
    pub(super) fn truncate(&mut self, entries: usize, bytes: usize) {
        for &number in self.entries.get(entries..).unwrap_or_else(impossible) {
            if let Some(slot) = self.numbers.get_mut(to_usize(number)) {
                *slot = (0, 0);
            }
        }
        self.entries.truncate(entries);
        self.bytes = bytes;
    }
}

impl Numbering {
    pub(super) fn used_bytes(&self) -> usize {
        used_bytes(&self.numbers).saturating_add(used_bytes(&self.entries))
    }

    pub(crate) fn capacity_bytes(&self) -> usize {
        sum([vec_bytes(&self.numbers), vec_bytes(&self.entries)])
    }
}

impl Scratch {
    pub(crate) fn capacity_bytes(&self) -> usize {
        sum([
            vec_bytes(&self.record),
            vec_bytes(&self.inner),
            vec_bytes(&self.refs),
            vec_bytes(&self.usual),
        ])
    }
}

/// Appends a message as field `tag`.
pub(crate) fn append_message(out: &mut Vec<u8>, tag: Tag, content: &[u8]) {
    append_varint(out, tag.value().into());
    append_varint(out, u64::try_from(content.len()).unwrap_or(u64::MAX));
    out.extend_from_slice(content);
}

/// Appends a bare varint.
pub(crate) fn append_varint(out: &mut Vec<u8>, value: u64) {
    let mut value = value;
    while value >= 0x80 {
        out.push(low_byte(value) | 0x80);
        value >>= 7;
    }
    out.push(low_byte(value));
}
