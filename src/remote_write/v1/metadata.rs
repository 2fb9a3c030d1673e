//! `MetricMetadata`: what a metric family means.
//!
//! ```text
//! 1 type                enum, 0 unknown .. 7 stateset
//! 2 metric_family_name  string
//! 4 help                string
//! 5 unit                string
//! ```

use alloc::vec::Vec;

use crate::defaults::{text_len, write_text};
use crate::error::DecodeError;
use crate::message::{Decode, Encode};
use crate::remote_write::metadata::MetricType;
use crate::storage::{DecodeState, index, push, vec_bytes};
use crate::wire::{self, BufferFull, Reader, Tag, WireType, Writer};

const TYPE: Tag = Tag::new(1, WireType::Varint);
const METRIC_FAMILY_NAME: Tag = Tag::new(2, WireType::Len);
const HELP: Tag = Tag::new(4, WireType::Len);
const UNIT: Tag = Tag::new(5, WireType::Len);

/// Type, help and unit of a metric family.
///
/// ```
/// use borrowire::remote_write::v1::{MetricMetadata, MetricType};
///
/// let metadata = MetricMetadata::new(MetricType::COUNTER, "http_requests_total").with_help("Requests.");
/// assert_eq!(metadata.unit, "");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct MetricMetadata<'a> {
    /// The family's type.
    pub metric_type: MetricType,
    /// The family's name: the metric's name, for some types without its suffix.
    pub metric_family_name: &'a str,
    /// What the metric tells, for people.
    pub help: &'a str,
    /// The unit, such as `seconds`.
    pub unit: &'a str,
}

impl<'a> MetricMetadata<'a> {
    /// Metadata of the family `metric_family_name`, without help and unit.
    #[must_use]
    pub const fn new(metric_type: MetricType, metric_family_name: &'a str) -> Self {
        Self { metric_type, metric_family_name, help: "", unit: "" }
    }

    /// Sets [`help`](Self::help).
    #[must_use]
    pub const fn with_help(mut self, help: &'a str) -> Self {
        self.help = help;
        self
    }

    /// Sets [`unit`](Self::unit).
    #[must_use]
    pub const fn with_unit(mut self, unit: &'a str) -> Self {
        self.unit = unit;
        self
    }

    pub(super) fn merge_fields(
        &mut self,
        reader: &mut Reader<'a>,
        state: &mut DecodeState,
    ) -> Result<(), DecodeError> {
        while let Some(tag) = reader.next_tag()? {
            match tag {
                TYPE => self.metric_type = MetricType(reader.read_enum()?),
                METRIC_FAMILY_NAME => self.metric_family_name = state.read_string(reader)?,
                HELP => self.help = state.read_string(reader)?,
                UNIT => self.unit = state.read_string(reader)?,
                _ => state.skip_field(reader, tag)?,
            }
        }
        Ok(())
    }
}

impl<'a> Decode<'a> for MetricMetadata<'a> {
    fn merge(&mut self, reader: &mut Reader<'a>) -> Result<(), DecodeError> {
        self.merge_fields(reader, &mut DecodeState::strict())
    }
}

impl Encode for MetricMetadata<'_> {
    fn encoded_len(&self) -> usize {
        let metric_type = match self.metric_type.0 {
            0 => 0,
            number => wire::enum_len(TYPE, number),
        };
        metric_type
            .saturating_add(text_len(METRIC_FAMILY_NAME, self.metric_family_name))
            .saturating_add(text_len(HELP, self.help))
            .saturating_add(text_len(UNIT, self.unit))
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        if self.metric_type.0 != 0 {
            writer.write_enum(TYPE, self.metric_type.0)?;
        }
        write_text(writer, METRIC_FAMILY_NAME, self.metric_family_name)?;
        write_text(writer, HELP, self.help)?;
        write_text(writer, UNIT, self.unit)
    }
}

/// The metadata entries of a decoded request, flat.
#[derive(Clone, Default)]
pub(super) struct MetadataStorage<'a> {
    records: Vec<MetadataRecord>,
    texts: Vec<&'a str>,
}

/// A metadata entry. Of its three texts only those that are not empty take a place in `texts`, from
/// `texts_start` on.
#[derive(Clone, Copy)]
struct MetadataRecord {
    raw_start: u32,
    raw_end: u32,
    metric_type: MetricType,
    texts_start: u32,
    /// Which texts are not empty: name, help, unit.
    texts: [bool; 3],
}

impl<'a> MetadataStorage<'a> {
    /// Appends `metadata`, which stood from `raw_start` to `raw_end` in the body.
    pub(super) fn push(&mut self, metadata: &MetricMetadata<'a>, raw_start: u32, raw_end: u32) {
        let texts = [metadata.metric_family_name, metadata.help, metadata.unit];
        let record = MetadataRecord {
            raw_start,
            raw_end,
            metric_type: metadata.metric_type,
            texts_start: index(self.texts.len()),
            texts: texts.map(|text| !text.is_empty()),
        };
        push(&mut self.records, record);
        for text in texts.into_iter().filter(|text| !text.is_empty()) {
            push(&mut self.texts, text);
        }
    }

    /// From where to where the entry at `index` stood in the body.
    pub(super) fn raw(&self, index: usize) -> Option<(u32, u32)> {
        self.records.get(index).map(|record| (record.raw_start, record.raw_end))
    }

    /// Where in the body the records of all entries stand.
    pub(super) fn raws(&self) -> impl ExactSizeIterator<Item = (u32, u32)> {
        self.records.iter().map(|record| (record.raw_start, record.raw_end))
    }

    pub(super) fn clear(&mut self) {
        self.records.clear();
        self.texts.clear();
    }

    pub(super) fn recycle<'b>(mut self) -> MetadataStorage<'b> {
        self.clear();
        MetadataStorage {
            records: self.records,
            texts: self.texts.into_iter().map(|_| "").collect(),
        }
    }

    pub(super) fn capacity_bytes(&self) -> usize {
        vec_bytes(&self.records).saturating_add(vec_bytes(&self.texts))
    }
}

impl MetadataRecord {
    fn view<'a>(&self, texts: &[&'a str]) -> MetricMetadata<'a> {
        let start = usize::try_from(self.texts_start).unwrap_or(usize::MAX);
        let mut texts = texts.get(start..).unwrap_or_default().iter();
        let [name, help, unit] = self
            .texts
            .map(|present| if present { texts.next().copied().unwrap_or("") } else { "" });
        MetricMetadata { metric_type: self.metric_type, metric_family_name: name, help, unit }
    }
}

/// The metadata entries of a request.
#[derive(Clone, Copy)]
pub struct MetadataList<'s, 'a> {
    storage: &'s MetadataStorage<'a>,
}

impl<'s, 'a> MetadataList<'s, 'a> {
    pub(super) const fn stored(storage: &'s MetadataStorage<'a>) -> Self {
        Self { storage }
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.storage.records.len()
    }

    /// The entry at `index`, in wire order.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<MetricMetadata<'a>> {
        self.storage.records.get(index).map(|record| record.view(&self.storage.texts))
    }
}

crate::storage::impl_list! {
    /// Iterates over [`MetadataList`].
    MetadataList, MetadataIter, ['s, 'a], MetricMetadata<'a>
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_bytes_both_ways() {
        let bytes = b"\x08\x02\x12\x01m\x22\x01h\x2a\x01s";
        let metadata = MetricMetadata::new(MetricType::GAUGE, "m").with_help("h").with_unit("s");
        assert_eq!(MetricMetadata::decode(bytes), Ok(metadata));
        assert_eq!(metadata.encode_to_vec().as_deref(), Ok(&bytes[..]));
        // Numbers without a name are kept; negative ones take ten bytes.
        for number in [99, -1] {
            let metadata = MetricMetadata::new(MetricType(number), "");
            let bytes = metadata.encode_to_vec().unwrap();
            assert_eq!(MetricMetadata::decode(&bytes), Ok(metadata));
        }
    }

    #[test]
    fn storage_keeps_which_texts_are_empty() {
        let mut storage = MetadataStorage::default();
        let entries = [("n", "", "u"), ("", "", ""), ("", "h", ""), ("a", "b", "c")]
            .map(|(n, h, u)| MetricMetadata::new(MetricType::INFO, n).with_help(h).with_unit(u));
        for entry in &entries {
            storage.push(entry, 0, 0);
        }
        assert!(MetadataList::stored(&storage).iter().eq(entries));
    }
}
