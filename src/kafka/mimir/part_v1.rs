//! Values of versions 0 and 1: requests of 1.0, and where Mimir cuts them.

use crate::convert::remote_write::{Positions, RequestV1, Selection};
use crate::remote_write::Extensions;
use crate::remote_write::v1::fields::{
    extensions_len, metadata_field_len, series_field_len, write_flags, write_metadata_field,
    write_series_field, write_source,
};
use crate::wire::message::Encode;
use crate::wire::{BufferFull, Writer, varint_len};

/// A request of 1.0 that has some of another's records.
pub(super) struct PartV1<'p, R> {
    pub(super) request: &'p R,
    pub(super) records: Selection<'p>,
    pub(super) extensions: Extensions,
    /// Whether records are copied as they came, where they came in this form.
    pub(super) raw: bool,
}

impl<'p, 'a, R: RequestV1<'a>> PartV1<'p, R> {
    fn raw_series(&self, position: usize) -> Option<&'a [u8]> {
        if self.raw { self.request.raw_series_at(position) } else { None }
    }

    fn raw_metadata(&self, position: usize) -> Option<&'a [u8]> {
        if self.raw { self.request.raw_metadata_at(position) } else { None }
    }

    /// Bytes of the field that the series at `position` is.
    fn series_len(&self, position: usize) -> usize {
        match self.raw_series(position) {
            Some(raw) => raw.len(),
            None => self.request.series_at(position).map_or(0, |series| series_field_len(&series)),
        }
    }

    /// Bytes of the field that the metadata entry at `position` is.
    fn metadata_len(&self, position: usize) -> usize {
        match self.raw_metadata(position) {
            Some(raw) => raw.len(),
            None => self.request.metadata_at(position).map_or(0, |it| metadata_field_len(&it)),
        }
    }

    /// Cuts the request into parts of at most `max` bytes, as Mimir's writer does: of series, then
    /// of metadata. What is over it alone is a part nevertheless, and so may be what is over it by
    /// a record's tag and length, which Mimir does not look at.
    pub(super) fn split<E>(
        &self,
        max: usize,
        mut part: impl FnMut(Self) -> Result<(), E>,
    ) -> Result<(), E> {
        let Selection { series, metadata } = &self.records;
        let of_series = sum(series, |position| self.series_len(position));
        let of_metadata = sum(metadata, |position| self.metadata_len(position));
        let fields = extensions_len(&self.extensions);
        let whole = fields.saturating_add(of_series).saturating_add(of_metadata);
        if whole <= max {
            return part(Self { records: self.records.clone(), ..*self });
        }
        let extensions = self.extensions.with_skip_label_count_validation(false);
        let empty = extensions_len(&extensions);
        let mut part = |series, metadata| {
            part(Self { records: Selection { series, metadata }, extensions, ..*self })
        };
        let fits = whole.saturating_sub(of_metadata) <= max;
        cut(
            series,
            fits,
            empty,
            max,
            |at| self.series_len(at),
            |some| part(some, metadata.slice(0, 0)),
        )?;
        let fits = whole.saturating_sub(of_series) <= max;
        cut(
            metadata,
            fits,
            empty,
            max,
            |at| self.metadata_len(at),
            |some| part(series.slice(0, 0), some),
        )
    }
}

fn sum(positions: &Positions<'_>, len_of: impl Fn(usize) -> usize) -> usize {
    positions.clone().fold(0, |sum, position| sum.saturating_add(len_of(position)))
}

/// Cuts a list into parts, whose size begins with that of an `empty` one. `len_of` gives the bytes
/// of a record as a field.
fn cut<'p, E>(
    positions: &Positions<'p>,
    fits: bool,
    empty: usize,
    max: usize,
    len_of: impl Fn(usize) -> usize,
    mut part: impl FnMut(Positions<'p>) -> Result<(), E>,
) -> Result<(), E> {
    let len = positions.len();
    if len == 0 {
        return Ok(());
    }
    if fits {
        return part(positions.clone());
    }
    let (mut start, mut size) = (0, empty);
    for (index, position) in positions.clone().enumerate() {
        let field = len_of(position);
        if size.saturating_add(content_len(field)) > max && index > start {
            part(positions.slice(start, index))?;
            (start, size) = (index, empty);
        }
        size = size.saturating_add(field);
    }
    part(positions.slice(start, len))
}

/// Bytes of a message that is a field of `field` bytes, with a tag of one.
fn content_len(field: usize) -> usize {
    let content = |prefix| field.saturating_sub(1).saturating_sub(prefix);
    let fits = |prefix: &usize| {
        u64::try_from(content(*prefix)).is_ok_and(|len| varint_len(len) == *prefix)
    };
    // Others are fields whose length was written in more bytes than it takes.
    content((1..=5).find(fits).unwrap_or(1))
}

impl<'a, R: RequestV1<'a>> Encode for PartV1<'_, R> {
    fn encoded_len(&self) -> usize {
        extensions_len(&self.extensions)
            .saturating_add(sum(&self.records.series, |position| self.series_len(position)))
            .saturating_add(sum(&self.records.metadata, |position| self.metadata_len(position)))
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        for position in self.records.series.clone() {
            match self.raw_series(position) {
                Some(raw) => writer.write_raw(raw)?,
                None => {
                    let Some(series) = self.request.series_at(position) else { continue };
                    write_series_field(writer, &series)?;
                }
            }
        }
        write_source(writer, &self.extensions)?;
        for position in self.records.metadata.clone() {
            match self.raw_metadata(position) {
                Some(raw) => writer.write_raw(raw)?,
                None => {
                    let Some(metadata) = self.request.metadata_at(position) else { continue };
                    write_metadata_field(writer, &metadata)?;
                }
            }
        }
        write_flags(writer, &self.extensions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_tag_length_and_content() {
        for content in [0, 1, 126, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152, 1 << 30] {
            let field = 1 + varint_len(content as u64) + content;
            assert_eq!(content_len(field), content);
        }
    }
}
