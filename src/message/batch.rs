//! Requests that are put together value by value: values that belong to one record find each other.
//!
//! ```text
//! keys     | labels of a | labels of b |           what a record begins with, once
//! values   | a 1 | b 1 | a 2 | a 3 |               as they came, encoded
//! message  | labels of a, a 1, a 2, a 3 | labels of b, b 1 |
//! ```
//!
//! All is encoded at once, so nothing is borrowed, and the message's length is always known.

use alloc::vec::Vec;
use core::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::columns::{clear_table, index, sum, used_bytes, vec_bytes};
use crate::wire::message::Encode;
use crate::wire::retention::Retention;
use crate::wire::{self, BufferFull, Tag, Writer, impossible, to_usize};

/// Values grouped by the key that their record begins with.
#[derive(Clone)]
pub(crate) struct Batch {
    /// That of a record.
    tag: Tag,
    keys: Vec<u8>,
    groups: Vec<Group>,
    values: Vec<u8>,
    pieces: Vec<Piece>,
    /// Positions among the groups.
    by_key: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// Bytes of the message.
    len: usize,
    retention: Retention,
}

/// A record: its key, and the ends of the chain of its pieces.
#[derive(Clone, Copy)]
struct Group {
    key_start: usize,
    key_end: usize,
    first: u32,
    last: u32,
    /// Bytes of its content.
    len: usize,
}

/// Values that stand side by side, and the next ones of the same record.
#[derive(Clone, Copy)]
struct Piece {
    start: usize,
    end: usize,
    next: u32,
}

/// No piece.
const NONE: u32 = u32::MAX;

impl Batch {
    /// An empty batch, whose records are fields of `tag`.
    pub(crate) fn new(tag: Tag) -> Self {
        Self {
            tag,
            keys: Vec::new(),
            groups: Vec::new(),
            values: Vec::new(),
            pieces: Vec::new(),
            by_key: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            len: 0,
            retention: Retention::default(),
        }
    }

    /// The record that begins with what `write` writes, `len` bytes: one that is there already, or
    /// a new one.
    pub(crate) fn group(
        &mut self,
        len: usize,
        write: impl FnOnce(&mut Writer<'_>) -> Result<(), BufferFull>,
    ) -> u32 {
        let start = append_with(&mut self.keys, len, write);
        let (known, new) = self.keys.split_at_checked(start).unwrap_or_else(impossible);
        let hash = self.hasher.hash_one(new);
        let groups = &self.groups;
        let found = self.by_key.find(hash, |&at| key_of(known, groups, at) == new);
        if let Some(&group) = found {
            self.keys.truncate(start);
            return group;
        }
        let group = index(self.groups.len());
        let key_end = self.keys.len();
        self.len = self.len.saturating_add(wire::message_len(self.tag, len));
        self.groups.push(Group { key_start: start, key_end, first: NONE, last: NONE, len });
        let Self { keys, groups, by_key, hasher, .. } = self;
        by_key.insert_unique(hash, group, |&at| hasher.hash_one(key_of(keys, groups, at)));
        group
    }

    /// Appends what `write` writes, `len` bytes, to a record.
    pub(crate) fn append(
        &mut self,
        group: u32,
        len: usize,
        write: impl FnOnce(&mut Writer<'_>) -> Result<(), BufferFull>,
    ) {
        let start = append_with(&mut self.values, len, write);
        let end = self.values.len();
        self.len = self.len_with(Some(group), 0, len);
        let position = index(self.pieces.len());
        let Some(group) = self.groups.get_mut(to_usize(group)) else { return impossible() };
        group.len = group.len.saturating_add(len);
        match self.pieces.get_mut(to_usize(group.last)) {
            Some(last) if last.end == start => {
                last.end = end;
                return;
            }
            Some(last) => last.next = position,
            None => group.first = position,
        }
        group.last = position;
        self.pieces.push(Piece { start, end, next: NONE });
    }

    /// Bytes of the message with `values` more bytes in a record: in one that is there, or in a new
    /// one with `key` bytes in front of them.
    fn len_with(&self, group: Option<u32>, key: usize, values: usize) -> usize {
        let record = |content| wire::message_len(self.tag, content);
        match group.and_then(|group| self.groups.get(to_usize(group))) {
            Some(group) => {
                let longer = record(group.len.saturating_add(values));
                self.len.saturating_sub(record(group.len)).saturating_add(longer)
            }
            None => self.len.saturating_add(record(key.saturating_add(values))),
        }
    }

    /// Bytes that the message would have with `values` more bytes in the record that begins with
    /// what `write` writes, `len` bytes.
    pub(crate) fn len_if(
        &mut self,
        len: usize,
        write: impl FnOnce(&mut Writer<'_>) -> Result<(), BufferFull>,
        values: usize,
    ) -> usize {
        let start = append_with(&mut self.keys, len, write);
        let (known, new) = self.keys.split_at_checked(start).unwrap_or_else(impossible);
        let groups = &self.groups;
        let is_new = |&at: &u32| key_of(known, groups, at) == new;
        let found = self.by_key.find(self.hasher.hash_one(new), is_new).copied();
        self.keys.truncate(start);
        self.len_with(found, len, values)
    }

    /// How many records there are.
    pub(crate) const fn groups_len(&self) -> usize {
        self.groups.len()
    }

    /// Forgets all records, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        let used = sum([
            used_bytes(&self.keys),
            used_bytes(&self.groups),
            used_bytes(&self.values),
            used_bytes(&self.pieces),
        ]);
        let mut retention = self.retention;
        if retention.is_wasted(used, || self.capacity_bytes()) {
            *self = Self::new(self.tag);
            return;
        }
        self.retention = retention;
        self.keys.clear();
        self.groups.clear();
        self.values.clear();
        self.pieces.clear();
        clear_table(&mut self.by_key);
        self.len = 0;
    }

    pub(crate) fn capacity_bytes(&self) -> usize {
        sum([
            vec_bytes(&self.keys),
            vec_bytes(&self.groups),
            vec_bytes(&self.values),
            vec_bytes(&self.pieces),
            self.by_key.allocation_size(),
        ])
    }
}

/// The key of the group at `position`.
fn key_of<'k>(keys: &'k [u8], groups: &[Group], position: u32) -> &'k [u8] {
    let Some(group) = groups.get(to_usize(position)) else { return impossible() };
    keys.get(group.key_start..group.key_end).unwrap_or_else(impossible)
}

/// Appends what `write` writes, `len` bytes, and tells where they begin.
pub(crate) fn append_with(
    out: &mut Vec<u8>,
    len: usize,
    write: impl FnOnce(&mut Writer<'_>) -> Result<(), BufferFull>,
) -> usize {
    let start = out.len();
    out.resize(start.saturating_add(len), 0);
    // It has just the room that it needs.
    let written = write(&mut Writer::new(out.get_mut(start..).unwrap_or_else(impossible)));
    debug_assert!(written.is_ok());
    start
}

impl Encode for Batch {
    fn encoded_len(&self) -> usize {
        self.len
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        for group in &self.groups {
            writer.write_len(self.tag, group.len)?;
            let key = self.keys.get(group.key_start..group.key_end);
            writer.write_raw(key.unwrap_or_else(impossible))?;
            let mut next = group.first;
            while let Some(piece) = self.pieces.get(to_usize(next)) {
                let values = self.values.get(piece.start..piece.end);
                writer.write_raw(values.unwrap_or_else(impossible))?;
                next = piece.next;
            }
        }
        Ok(())
    }
}
