//! Where decoded logs are: a column for each kind of element, rows with the ends of ranges instead of
//! nesting.

use alloc::vec::Vec;

use crate::message::columns::{Words, index, recycle, sum, truncate, used_bytes, vec_bytes};
use crate::otlp::common::{Parents, Row};

/// The log records of a request, and what is around them.
#[derive(Clone, Default)]
pub(in crate::otlp) struct Storage<'a> {
    pub(in crate::otlp) parents: Parents<'a>,
    pub(super) records: Words,
    /// Bodies that are text, and texts of records that are not empty.
    pub(super) texts: Vec<&'a str>,
    pub(super) attributes: Vec<Row<'a>>,
}

/// The fields of a record, in the order of their words; the last three have none.
pub(super) mod field {
    pub(in super::super) const TIME_UNIX_NANO: u64 = 1;
    pub(in super::super) const OBSERVED_TIME_UNIX_NANO: u64 = 1 << 1;
    pub(in super::super) const SEVERITY_NUMBER: u64 = 1 << 2;
    pub(in super::super) const FLAGS: u64 = 1 << 3;
    pub(in super::super) const DROPPED_ATTRIBUTES_COUNT: u64 = 1 << 4;
    pub(in super::super) const TRACE_ID_HIGH: u64 = 1 << 5;
    pub(in super::super) const TRACE_ID_LOW: u64 = 1 << 6;
    pub(in super::super) const SPAN_ID: u64 = 1 << 7;
    pub(in super::super) const ATTRIBUTES: u64 = 1 << 8;
    /// Where in the body the record is, if its own body is no text.
    pub(in super::super) const BODY: u64 = 1 << 9;
    /// Where its texts begin.
    pub(in super::super) const TEXTS: u64 = 1 << 10;
    pub(in super::super) const BODY_TEXT: u64 = 1 << 11;
    pub(in super::super) const SEVERITY_TEXT: u64 = 1 << 12;
    pub(in super::super) const EVENT_NAME: u64 = 1 << 13;
}

/// How long the columns were at some time.
#[derive(Clone, Copy)]
pub(in crate::otlp) struct Mark {
    records: u32,
    texts: u32,
    attributes: u32,
}

impl<'a> Storage<'a> {
    pub(super) fn clear(&mut self) {
        self.parents.clear();
        self.records.clear();
        self.texts.clear();
        self.attributes.clear();
    }

    /// The allocations, emptied, for a body of another lifetime.
    pub(super) fn recycle<'b>(mut self) -> Storage<'b> {
        self.clear();
        Storage {
            parents: self.parents.recycle(),
            records: self.records,
            texts: recycle(self.texts),
            attributes: recycle(self.attributes),
        }
    }

    /// Bytes of all that is in the storage.
    pub(super) fn used_bytes(&self) -> usize {
        sum([
            self.parents.used_bytes(),
            self.records.used_bytes(),
            used_bytes(&self.texts),
            used_bytes(&self.attributes),
        ])
    }

    /// Heap bytes that the storage holds.
    pub(super) fn capacity_bytes(&self) -> usize {
        sum([
            self.parents.capacity_bytes(),
            self.records.capacity_bytes(),
            vec_bytes(&self.texts),
            vec_bytes(&self.attributes),
        ])
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            records: index(self.records.len()),
            texts: index(self.texts.len()),
            attributes: index(self.attributes.len()),
        }
    }

    /// Drops all records that were read since `mark` was made.
    #[cold]
    pub(super) fn truncate(&mut self, mark: Mark) {
        self.records.truncate(mark.records);
        truncate(&mut self.texts, mark.texts);
        truncate(&mut self.attributes, mark.attributes);
    }
}
