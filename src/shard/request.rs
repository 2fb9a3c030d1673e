//! What is split: a request's lists of records, where they stand in the body, and its own fields.

use crate::message::request::sealed::RecordKind;

/// A decoded request that can be split: those of all protocols.
///
/// ```
/// use borrowire::shard::{SplitRequest, Splitter};
///
/// /// Into how many parts of at most a megabyte a request of any protocol goes.
/// fn parts<R: SplitRequest>(request: &R, splitter: &mut Splitter) -> usize {
///     splitter.split_by_size(request, 1 << 20).parts().len()
/// }
///
/// let request = borrowire::remote_write::v1::WriteRequest::default();
/// assert_eq!(parts(&request, &mut Splitter::new()), 0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no decoded request that can be split",
    note = "what a decoder or a pool returns is a guard around the request: give `&*request`"
)]
pub trait SplitRequest: sealed::Records {
    /// What a shard function looks at: a series, a stream, an entry of metadata.
    type Record<'s>: Copy
    where
        Self: 's;

    /// How many records of `kind` there are.
    fn records_len(&self, kind: Self::Kind) -> usize;

    /// The record at `index` among those of `kind`.
    fn record(&self, kind: Self::Kind, index: usize) -> Option<Self::Record<'_>>;
}

pub(crate) mod sealed {
    use super::RecordKind;
    use crate::message::request::Raw;
    use crate::shard::numbering::{Numbering, Scratch};
    use crate::wire::{BufferFull, Tag, Writer};

    /// Where among a request's fields some of its own belong, by their numbers.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[allow(unnameable_types, reason = "sealed")]
    pub enum Place {
        /// In front of all records.
        Front,
        /// Between the records of the first list and those of the second.
        Between,
        /// Behind all records.
        Behind,
    }

    /// The part of [`SplitRequest`](super::SplitRequest) that may change.
    #[allow(unnameable_types, reason = "sealed")]
    pub trait Records {
        /// Which list a record is in.
        type Kind: RecordKind;
        /// The request's fields besides its records.
        type Fields: Copy + Default;

        fn fields_len(fields: &Self::Fields) -> usize;

        /// Writes the fields that belong to `place`.
        fn write_fields(
            fields: &Self::Fields,
            place: Place,
            writer: &mut Writer<'_>,
        ) -> Result<(), BufferFull>;

        /// The bytes that the request was decoded from; empty if there are none.
        fn body_bytes(&self) -> &[u8];

        /// Where in the body the records of the first list stand.
        fn first_raws(&self) -> impl ExactSizeIterator<Item = Raw>;

        /// Where in the body the records of the second list stand.
        fn second_raws(&self) -> impl ExactSizeIterator<Item = Raw> {
            core::iter::empty()
        }

        /// The index of the record of `kind` that begins at `start` of the body.
        fn index_at(&self, kind: Self::Kind, start: u32) -> Option<usize>;

        /// Bytes of a record that stands in no body, tag and length included.
        fn record_len(&self, kind: Self::Kind, index: usize) -> usize;

        /// Writes a record that stands in no body.
        fn write_record(
            &self,
            kind: Self::Kind,
            index: usize,
            writer: &mut Writer<'_>,
        ) -> Result<(), BufferFull>;

        /// The position in the body of the record at `index`.
        fn position_in_body(&self, kind: Self::Kind, index: usize) -> usize;

        /// The table that the records refer to, where they cannot be copied as they are.
        fn table(&self) -> Option<&dyn Table> {
            None
        }
    }

    /// A table whose entries the records of a request name by number: each part gets the entries
    /// that it uses, and no others. Such a request has one list of records.
    #[allow(unnameable_types, reason = "sealed")]
    pub trait Table {
        /// The number of the first entry that the request has itself; those below keep their
        /// numbers.
        fn first(&self) -> u32;

        /// How many entries there are, with those below [`first`](Self::first).
        fn len(&self) -> usize;

        /// Bytes of an entry as a field.
        fn entry_len(&self, number: u32) -> usize;

        /// Writes an entry as a field.
        fn write_entry(&self, number: u32, writer: &mut Writer<'_>) -> Result<(), BufferFull>;

        /// The tag of a record.
        fn record_tag(&self) -> Tag;

        /// Makes `scratch.record` the content of the record at `index`, its references numbered
        /// anew.
        fn rewrite(&self, index: usize, numbering: &mut Numbering, scratch: &mut Scratch);
    }
}
