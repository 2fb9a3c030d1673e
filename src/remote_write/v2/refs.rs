//! The references of a series, read again from the bytes that it was decoded from.
//!
//! Decoding resolves them and keeps no copy; who needs them (to renumber, to show) finds them here.

use super::exemplar::EXEMPLARS;
use super::labels_refs::{LABELS_REFS, LABELS_REFS_PACKED};
use super::metadata::{HELP_REF, METADATA, TYPE, UNIT_REF};
use crate::message::request::Skipped;
use crate::remote_write::model::metadata::{MetadataRefs, MetricType};
use crate::remote_write::model::record_kind::RecordKind;
use crate::wire::{Reader, impossible};

/// The references of a series of 2.0, as they were in the body.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v2::{Request, Symbolizer};
/// use borrowire::remote_write::{Exemplar, Label, TimeSeries};
///
/// let (labels, trace) = ([Label::new("a", "b")], [Label::new("b", "a")]);
/// let exemplars = [Exemplar::new(&trace, 0.25, 1)];
/// let series = [TimeSeries::new(&labels).with_exemplars(&exemplars)];
/// let body = Symbolizer::new().symbolize(series)?.encode_to_vec()?;
///
/// let request = Request::decode(&body)?;
/// assert!(request.symbols().iter().eq([Some(""), Some("a"), Some("b")]));
/// let refs = request.refs(0).unwrap();
/// assert!(refs.labels().eq([1, 2]));
/// assert!(refs.exemplars().next().unwrap().eq([2, 1]));
/// assert_eq!(refs.metadata(), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SeriesRefs<'s, 'a> {
    message: Reader<'a>,
    left_out: &'s [Skipped<RecordKind>],
}

impl<'s, 'a> SeriesRefs<'s, 'a> {
    /// The references in `record`, which was decoded before, but for `left_out`: tag, length,
    /// series.
    pub(super) fn new(record: &'a [u8], left_out: &'s [Skipped<RecordKind>]) -> Option<Self> {
        let mut reader = Reader::new(record).ok()?;
        reader.next_tag().ok()??;
        Some(Self { message: reader.read_message().ok()?, left_out })
    }

    /// Those of the labels: name, value, name, value ...
    #[must_use]
    pub fn labels(&self) -> Refs<'a> {
        Refs::new(self.message.clone())
    }

    /// Those of the exemplars, in wire order; not of those that partial mode left out.
    #[must_use]
    pub fn exemplars(&self) -> ExemplarRefs<'s, 'a> {
        let Self { message, left_out } = self;
        ExemplarRefs { message: message.clone(), position: 0, left_out }
    }

    /// Those of the metadata, with its type; `None` if there is none.
    #[must_use]
    pub fn metadata(&self) -> Option<MetadataRefs> {
        let mut message = self.message.clone();
        let mut metadata = None;
        while let Ok(Some(tag)) = message.next_tag() {
            if tag == METADATA {
                let merged: &mut MetadataRefs = metadata.get_or_insert_default();
                merged.merge(message.read_message().ok()?);
            } else {
                message.skip_field(tag).ok()?;
            }
        }
        metadata
    }
}

impl MetadataRefs {
    fn merge(&mut self, mut message: Reader<'_>) {
        while let Ok(Some(tag)) = message.next_tag() {
            match tag {
                TYPE => {
                    self.metric_type =
                        MetricType(message.read_enum().unwrap_or_else(|_| impossible()))
                }
                HELP_REF => self.help_ref = message.read_uint32().unwrap_or_else(|_| impossible()),
                UNIT_REF => self.unit_ref = message.read_uint32().unwrap_or_else(|_| impossible()),
                _ => _ = message.skip_field(tag),
            }
        }
    }
}

/// Iterates over the references of labels.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v2::{Request, Symbolizer};
/// use borrowire::remote_write::{Label, TimeSeries};
///
/// let labels = [Label::new("a", "b"), Label::new("c", "a")];
/// let body = Symbolizer::new().symbolize([TimeSeries::new(&labels)])?.encode_to_vec()?;
/// let request = Request::decode(&body)?;
/// let refs: Vec<u32> = request.refs(0).unwrap().labels().collect();
/// assert_eq!(refs, [1, 2, 3, 1]); // name, value, name, value
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Refs<'a> {
    /// What is still to be read of the packed block.
    block: Option<Reader<'a>>,
    message: Reader<'a>,
}

impl<'a> Refs<'a> {
    const fn new(message: Reader<'a>) -> Self {
        Self { block: None, message }
    }
}

impl Iterator for Refs<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        loop {
            match &mut self.block {
                Some(block) if !block.is_empty() => return block.read_uint32().ok(),
                _ => match self.message.next_tag().ok()?? {
                    LABELS_REFS => return self.message.read_uint32().ok(),
                    LABELS_REFS_PACKED => self.block = Some(self.message.read_block().ok()?),
                    tag => self.message.skip_field(tag).ok()?,
                },
            }
        }
    }
}

impl core::iter::FusedIterator for Refs<'_> {}

/// Iterates over the references of a series' exemplars: those of each.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v2::{Request, Symbolizer};
/// use borrowire::remote_write::{Exemplar, Label, TimeSeries};
///
/// let trace = [Label::new("trace_id", "0242ac120002")];
/// let exemplars = [Exemplar::new(&trace, 0.25, 1), Exemplar::new(&[], 0.5, 2)];
/// let series = [TimeSeries::new(&[]).with_exemplars(&exemplars)];
/// let body = Symbolizer::new().symbolize(series)?.encode_to_vec()?;
/// let request = Request::decode(&body)?;
/// let counts = request.refs(0).unwrap().exemplars().map(|refs| refs.count());
/// assert!(counts.eq([2, 0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ExemplarRefs<'s, 'a> {
    message: Reader<'a>,
    /// That of the next exemplar in the body.
    position: usize,
    left_out: &'s [Skipped<RecordKind>],
}

impl<'a> Iterator for ExemplarRefs<'_, 'a> {
    type Item = Refs<'a>;

    fn next(&mut self) -> Option<Refs<'a>> {
        loop {
            match self.message.next_tag().ok()?? {
                EXEMPLARS => {
                    let exemplar = self.message.read_message().ok()?;
                    if !is_left_out(&mut self.left_out, &mut self.position) {
                        return Some(Refs::new(exemplar));
                    }
                }
                tag => self.message.skip_field(tag).ok()?,
            }
        }
    }
}

impl core::iter::FusedIterator for ExemplarRefs<'_, '_> {}

/// Whether the exemplar at `position` is the first in `left_out`. Goes on to the next position.
pub(super) fn is_left_out(left_out: &mut &[Skipped<RecordKind>], position: &mut usize) -> bool {
    let at = Some(*position);
    *position = position.wrapping_add(1);
    match left_out {
        [first, rest @ ..] if first.element == at => {
            *left_out = rest;
            true
        }
        _ => false,
    }
}
