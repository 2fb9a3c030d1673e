//! A request's fields one by one, for who writes requests of some of another's records.
//!
//! Lengths are those of whole fields: what the message takes, and its tag and length in front.

use super::metadata::MetricMetadata;
use super::options::EncodeOptions;
use super::time_series::{series_len, write_series};
use super::write_request::{METADATA, TIMESERIES};
use crate::remote_write::model::extensions::Extensions;
use crate::remote_write::model::time_series::TimeSeries;
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Writer};

/// What is written of series: what Mimir writes.
const OPTIONS: EncodeOptions =
    EncodeOptions::new().with_start_timestamps(true).with_omit_negative_zeros(true);

pub(crate) fn series_field_len(series: &TimeSeries<'_, '_>) -> usize {
    wire::message_len(TIMESERIES, series_len(series, &OPTIONS))
}

#[inline]
pub(crate) fn write_series_field(
    writer: &mut Writer<'_>,
    series: &TimeSeries<'_, '_>,
) -> Result<(), BufferFull> {
    writer.write_len(TIMESERIES, series_len(series, &OPTIONS))?;
    write_series(writer, series, &OPTIONS)
}

pub(crate) fn metadata_field_len(metadata: &MetricMetadata<'_>) -> usize {
    wire::message_len(METADATA, metadata.encoded_len())
}

pub(crate) fn write_metadata_field(
    writer: &mut Writer<'_>,
    metadata: &MetricMetadata<'_>,
) -> Result<(), BufferFull> {
    writer.write_message(METADATA, metadata)
}

/// The length of all fields of `extensions`.
pub(crate) fn extensions_len(extensions: &Extensions) -> usize {
    extensions.source_len().saturating_add(extensions.flags_len())
}

/// Writes the field that stands between series and metadata.
pub(crate) fn write_source(
    writer: &mut Writer<'_>,
    extensions: &Extensions,
) -> Result<(), BufferFull> {
    extensions.write_source(writer)
}

/// Writes the fields that stand behind all others.
pub(crate) fn write_flags(
    writer: &mut Writer<'_>,
    extensions: &Extensions,
) -> Result<(), BufferFull> {
    extensions.write_flags(writer)
}
