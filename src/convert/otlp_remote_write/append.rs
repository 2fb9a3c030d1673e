//! What is appended to a series: samples, exemplars.

use alloc::string::String;

use smallvec::SmallVec;

use super::loss::LossKind;
use super::scratch::Scratch;
use super::times::milliseconds_down;
use crate::message::columns::sum;
use crate::otlp::metrics::{self as otlp, Exemplars};
use crate::remote_write::v1::{Appender, SeriesId};
use crate::remote_write::{Exemplar, Label, Sample};

/// Prometheus leaves negative zeros out.
pub(super) fn without_negative_zero(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value }
}

pub(super) fn push_sample(appender: &mut Appender, series: SeriesId, value: f64, timestamp: i64) {
    appender.push_sample(series, Sample::new(without_negative_zero(value), timestamp));
}

/// An exemplar without a value is not written, nor is what comes behind it.
pub(super) fn check_exemplars(exemplars: Exemplars<'_, '_>) -> Result<(), LossKind> {
    let complete = exemplars.iter().all(|exemplar| exemplar.value.is_some());
    if complete { Ok(()) } else { Err(LossKind::ExemplarWithoutValue) }
}

/// Characters that the labels of an exemplar may have together.
const MAX_EXEMPLAR_CHARS: usize = 128;

pub(super) fn push_exemplar(
    appender: &mut Appender,
    scratch: &mut Scratch,
    series: SeriesId,
    exemplar: &otlp::Exemplar<'_, '_>,
) -> Result<(), LossKind> {
    let Scratch { text, value_text, .. } = scratch;
    text.clear();
    // The name of each label, and where its value is.
    let mut labels: SmallVec<[(&str, usize, usize); 16]> = SmallVec::new();
    let mut chars = 0_usize;
    let mut note = |labels: &mut SmallVec<_>, name, start: usize, text: &str| {
        let value = text.get(start..).unwrap_or_default();
        chars = sum([chars, count_chars(name), count_chars(value)]);
        labels.push((name, start, text.len()));
        chars
    };
    if let Some(id) = exemplar.trace_id.filter(|id| !id.is_zero()) {
        push_hex(text, &id.0);
        note(&mut labels, "trace_id", 0, text);
    }
    if let Some(id) = exemplar.span_id.filter(|id| !id.is_zero()) {
        let start = text.len();
        push_hex(text, &id.0);
        note(&mut labels, "span_id", start, text);
    }
    let ids = labels.len();
    for attribute in exemplar.filtered_attributes.iter() {
        let start = text.len();
        value_text.push(text, attribute.value)?;
        if note(&mut labels, attribute.key, start, text) > MAX_EXEMPLAR_CHARS {
            labels.truncate(ids);
            break;
        }
    }
    labels.sort_by_key(|(name, ..)| *name);
    let labels: SmallVec<[Label<'_>; 16]> = labels
        .iter()
        .map(|&(name, start, end)| Label::new(name, text.get(start..end).unwrap_or_default()))
        .collect();
    let timestamp = milliseconds_down(exemplar.time_unix_nano.cast_signed());
    let value = without_negative_zero(exemplar.value.map_or(0.0, otlp::NumberValue::as_f64));
    appender.push_exemplar(series, Exemplar::new(&labels, value, timestamp));
    Ok(())
}

fn count_chars(text: &str) -> usize {
    text.chars().count()
}

/// Appends `bytes` as hexadecimal digits.
fn push_hex(out: &mut String, bytes: &[u8]) {
    let digit = |value: u8| {
        char::from(if value < 10 { b'0' | value } else { value.wrapping_add(b'a' - 10) })
    };
    out.extend(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]));
}
