//! What a walk over a request needs, and the next one uses again.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use hashbrown::HashSet;

use super::buckets::NativeBuckets;
use super::labels::ValueText;
use super::settings::Settings;
use crate::message::columns::{sum, vec_bytes};
use crate::remote_write::v1::{SeriesId, append_label};
use crate::remote_write::{Label, METRIC_NAME};

/// What a walk needs, and the next one uses again.
#[derive(Default)]
pub(super) struct Scratch {
    /// The texts of one exemplar, or a metric's name with its suffix.
    pub(super) text: String,
    pub(super) value_text: ValueText,
    pub(super) name_labels: NameLabels,
    pub(super) positive: NativeBuckets,
    pub(super) negative: NativeBuckets,
    pub(super) bounds: BoundTexts,
    pub(super) custom_values: Vec<f64>,
    /// The samples of `target_info` that are there.
    pub(super) target_info: HashSet<(SeriesId, i64)>,
}

/// The label `__name__` of each series of a metric, as a field.
#[derive(Default)]
pub(super) struct NameLabels {
    pub(super) plain: Vec<u8>,
    pub(super) sum: Vec<u8>,
    pub(super) count: Vec<u8>,
    pub(super) bucket: Vec<u8>,
}

impl NameLabels {
    pub(super) fn make(&mut self, name: &str, text: &mut String) {
        for (label, suffix) in [
            (&mut self.plain, ""),
            (&mut self.sum, "_sum"),
            (&mut self.count, "_count"),
            (&mut self.bucket, "_bucket"),
        ] {
            text.clear();
            text.push_str(name);
            text.push_str(suffix);
            label.clear();
            // An empty value is none: without escaping a metric can have no name.
            if !text.is_empty() {
                append_label(label, Label::new(METRIC_NAME, text));
            }
        }
    }
}

/// Bounds as text: histograms of a metric have the same.
#[derive(Default)]
pub(super) struct BoundTexts {
    column: String,
    /// At each place the last bound's bits, and where its text is.
    last: Vec<(u64, usize, usize)>,
}

impl BoundTexts {
    pub(super) fn get(&mut self, place: usize, bound: f64) -> &str {
        let bits = bound.to_bits();
        let (start, end) = match self.last.get(place) {
            Some(&(last, start, end)) if last == bits => (start, end),
            _ => {
                let start = self.column.len();
                write_float(&mut self.column, bound);
                let made = (bits, start, self.column.len());
                match self.last.get_mut(place) {
                    Some(last) => *last = made,
                    None => self.last.push(made),
                }
                (start, self.column.len())
            }
        };
        self.column.get(start..end).unwrap_or_default()
    }
}

/// A number as Prometheus has it in labels: without an exponent.
fn write_float(out: &mut String, value: f64) {
    // Writing to a `String` cannot fail.
    let _ = if value.is_infinite() {
        out.write_str(if value > 0.0 { "+Inf" } else { "-Inf" })
    } else {
        write!(out, "{value}")
    };
}

impl Scratch {
    /// Forgets the last request.
    pub(super) fn begin(&mut self, settings: &Settings) {
        self.bounds.column.clear();
        self.bounds.last.clear();
        self.target_info.clear();
        self.value_text.set(settings);
    }

    /// Heap bytes that it holds.
    pub(super) fn capacity_bytes(&self) -> usize {
        let names = &self.name_labels;
        sum([
            self.text.capacity(),
            self.value_text.capacity_bytes(),
            vec_bytes(&names.plain),
            vec_bytes(&names.sum),
            vec_bytes(&names.count),
            vec_bytes(&names.bucket),
            self.bounds.column.capacity(),
            vec_bytes(&self.bounds.last),
            vec_bytes(&self.custom_values),
            self.positive.capacity_bytes(),
            self.negative.capacity_bytes(),
            self.target_info.allocation_size(),
        ])
    }
}
