//! `MetricMetadata`: what a metric family means.
//!
//! ```text
//! 1 type                enum, 0 unknown .. 7 stateset
//! 2 metric_family_name  string
//! 4 help                string
//! 5 unit                string
//! ```

use alloc::vec::Vec;

use crate::message::columns::{index, push, recycle, sum, used_bytes, vec_bytes};
use crate::message::cursor::{Cursor, Merge};
use crate::message::fields::{enum_len, text_len, write_enum, write_text};
use crate::message::request::Raw;
use crate::remote_write::model::metadata::MetricType;
use crate::remote_write::model::rules::{Rule, Rules};
use crate::wire::error::DecodeError;
use crate::wire::message::{Decode, Encode};
use crate::wire::{BufferFull, Reader, Tag, WireType, Writer, impossible, to_usize};

const TYPE: Tag = Tag::new(1, WireType::Varint);
const METRIC_FAMILY_NAME: Tag = Tag::new(2, WireType::Len);
const HELP: Tag = Tag::new(4, WireType::Len);
const UNIT: Tag = Tag::new(5, WireType::Len);

/// Type, help and unit of a metric family.
///
/// ```
/// use borrowire::remote_write::MetricType;
/// use borrowire::remote_write::v1::MetricMetadata;
///
/// let metadata =
///     MetricMetadata::new(MetricType::COUNTER, "http_requests").with_help("Requests.");
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
}

impl MetricMetadata<'_> {
    /// Reports what is wrong with the entry, whether the rule is on or not.
    pub(super) fn check(&self, rules: &Rules, mut report: impl FnMut(Rule)) {
        if self.metric_family_name.is_empty() {
            report(Rule::MetadataWithoutName);
        }
        for (text, rule) in [
            (self.metric_family_name, Rule::MetadataNameTooLong),
            (self.help, Rule::MetadataHelpTooLong),
            (self.unit, Rule::MetadataUnitTooLong),
        ] {
            if text.len() > rules.max_metadata_bytes {
                report(rule);
            }
        }
    }
}

impl<'a> Merge<'a> for MetricMetadata<'a> {
    fn merge_fields(&mut self, cursor: &mut Cursor<'a, '_>) -> Result<(), DecodeError> {
        while let Some(tag) = cursor.next_tag()? {
            match tag {
                TYPE => self.metric_type = MetricType(cursor.read_enum()?),
                METRIC_FAMILY_NAME => self.metric_family_name = cursor.read_string()?,
                HELP => self.help = cursor.read_string()?,
                UNIT => self.unit = cursor.read_string()?,
                _ => cursor.skip_field(tag)?,
            }
        }
        Ok(())
    }
}

impl<'a> Decode<'a> for MetricMetadata<'a> {
    fn merge(&mut self, reader: &mut Reader<'a>) -> Result<(), DecodeError> {
        self.merge_alone(reader)
    }
}

impl Encode for MetricMetadata<'_> {
    fn encoded_len(&self) -> usize {
        enum_len(TYPE, self.metric_type.0)
            .saturating_add(text_len(METRIC_FAMILY_NAME, self.metric_family_name))
            .saturating_add(text_len(HELP, self.help))
            .saturating_add(text_len(UNIT, self.unit))
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_enum(writer, TYPE, self.metric_type.0)?;
        write_text(writer, METRIC_FAMILY_NAME, self.metric_family_name)?;
        write_text(writer, HELP, self.help)?;
        write_text(writer, UNIT, self.unit)
    }
}

/// The metadata entries of a decoded request, flat.
#[derive(Clone, Default)]
pub(super) struct MetadataColumns<'a> {
    rows: Vec<MetadataRow>,
    texts: Vec<&'a str>,
}

/// A metadata entry. Of its three texts only those that are not empty take a place in `texts`, from
/// `texts_start` on.
#[derive(Clone, Copy)]
struct MetadataRow {
    raw: Raw,
    metric_type: MetricType,
    texts_start: u32,
    /// Which texts are not empty: name, help, unit.
    texts: [bool; 3],
}

impl<'a> MetadataColumns<'a> {
    pub(super) const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Appends `metadata`, which stands at `raw` in the body.
    pub(super) fn push(&mut self, metadata: &MetricMetadata<'a>, raw: Raw) {
        let texts = [metadata.metric_family_name, metadata.help, metadata.unit];
        let row = MetadataRow {
            raw,
            metric_type: metadata.metric_type,
            texts_start: index(self.texts.len()),
            texts: texts.map(|text| !text.is_empty()),
        };
        push(&mut self.rows, row);
        for text in texts.into_iter().filter(|text| !text.is_empty()) {
            push(&mut self.texts, text);
        }
    }

    /// Keeps the first `len` entries.
    pub(super) fn truncate(&mut self, len: usize) {
        if let Some(row) = self.rows.get(len) {
            self.texts.truncate(to_usize(row.texts_start));
        }
        self.rows.truncate(len);
    }

    /// Where in the body the entry at `index` stands.
    pub(super) fn raw(&self, index: usize) -> Option<Raw> {
        self.rows.get(index).map(|row| row.raw)
    }

    /// The index of the entry that begins at `start` of the body.
    pub(super) fn index_at(&self, start: u32) -> Option<usize> {
        self.rows.binary_search_by_key(&start, |row| row.raw.start).ok()
    }

    /// Where in the body each entry stands.
    pub(super) fn raws(&self) -> impl ExactSizeIterator<Item = Raw> {
        self.rows.iter().map(|row| row.raw)
    }

    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.texts.clear();
    }

    pub(super) fn recycle<'b>(mut self) -> MetadataColumns<'b> {
        self.clear();
        MetadataColumns { rows: self.rows, texts: recycle(self.texts) }
    }

    pub(super) fn used_bytes(&self) -> usize {
        sum([used_bytes(&self.rows), used_bytes(&self.texts)])
    }

    pub(super) fn capacity_bytes(&self) -> usize {
        sum([vec_bytes(&self.rows), vec_bytes(&self.texts)])
    }
}

impl MetadataRow {
    fn view<'a>(&self, texts: &[&'a str]) -> MetricMetadata<'a> {
        let mut texts = texts.get(to_usize(self.texts_start)..).unwrap_or_else(impossible).iter();
        let [name, help, unit] = self.texts.map(|present| {
            if present { texts.next().copied().unwrap_or_else(impossible) } else { "" }
        });
        MetricMetadata { metric_type: self.metric_type, metric_family_name: name, help, unit }
    }
}

/// The metadata entries of a request.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::MetricType;
/// use borrowire::remote_write::v1::{MetricMetadata, WriteRequest, WriteRequestEncoder};
///
/// let sent = [MetricMetadata::new(MetricType::GAUGE, "up")];
/// let body = WriteRequestEncoder::new([]).with_metadata(sent).encode_to_vec()?;
/// let request = WriteRequest::decode(&body)?;
/// assert_eq!(request.metadata().len(), 1);
/// assert_eq!(request.metadata().get(0), Some(sent[0]));
/// assert!(request.metadata().iter().eq(sent));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct MetadataEntries<'s, 'a> {
    columns: &'s MetadataColumns<'a>,
}

impl<'s, 'a> MetadataEntries<'s, 'a> {
    pub(super) const fn stored(columns: &'s MetadataColumns<'a>) -> Self {
        Self { columns }
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.columns.rows.len()
    }

    /// The entry at `index`, in wire order.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<MetricMetadata<'a>> {
        self.columns.rows.get(index).map(|row| row.view(&self.columns.texts))
    }
}

crate::message::list::impl_list! {
    /// Iterates over [`MetadataEntries`].
    MetadataEntries, MetadataEntriesIter, ['s, 'a], MetricMetadata<'a>
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
        let mut storage = MetadataColumns::default();
        let entries = [("n", "", "u"), ("", "", ""), ("", "h", ""), ("a", "b", "c")]
            .map(|(n, h, u)| MetricMetadata::new(MetricType::INFO, n).with_help(h).with_unit(u));
        for entry in &entries {
            storage.push(entry, Raw::default());
        }
        assert!(MetadataEntries::stored(&storage).iter().eq(entries));
    }
}
