//! Edits of a series' labels.

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::fmt;

use super::time_series::LABELS_BYTE;
use crate::message::columns::vec_bytes;
use crate::message::regions::{pairs_len, write_pairs};
use crate::remote_write::model::label::Label;
use crate::wire::{Writer, impossible};

/// What is to become of the labels of a series. Of edits to the same name the last one counts.
///
/// ```
/// use borrowire::remote_write::v1::{LabelEdits, Relabeler, WriteRequest};
///
/// fn anonymize(edits: &mut LabelEdits) {
///     edits.set("cluster", "eu-1");
///     edits.remove("instance");
/// }
///
/// let request = WriteRequest::default();
/// let mut relabeler = Relabeler::new();
/// relabeler.relabel(&request, |_, edits| {
///     anonymize(edits);
///     true
/// });
/// ```
#[derive(Clone, Default)]
pub struct LabelEdits {
    /// All names and values, one behind the other.
    text: String,
    edits: Vec<Edit>,
}

/// An edit, by the places of its texts.
#[derive(Clone, Copy)]
struct Edit {
    name: (usize, usize),
    /// Empty to remove the label.
    value: (usize, usize),
    /// Whether the series has a label of that name.
    found: bool,
    /// Whether the new value was written.
    written: bool,
}

impl LabelEdits {
    /// Sets the value of the label called `name`, in its place; further labels of that name go. If
    /// there is none, one is added in front of the first label whose name is greater, so that
    /// sorted labels stay sorted. An empty value is no label: [`remove`](Self::remove).
    pub fn set(&mut self, name: &str, value: &str) {
        let name = self.keep(name);
        let value = self.keep(value);
        self.edits.push(Edit { name, value, found: false, written: false });
    }

    /// Removes all labels called `name`.
    pub fn remove(&mut self, name: &str) {
        self.set(name, "");
    }

    fn keep(&mut self, text: &str) -> (usize, usize) {
        let start = self.text.len();
        self.text.push_str(text);
        (start, self.text.len())
    }

    pub(super) fn capacity_bytes(&self) -> usize {
        self.text.capacity().saturating_add(vec_bytes(&self.edits))
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.edits.clear();
    }

    /// Appends what becomes of `labels` to `out` as fields of a series; `false`, with nothing
    /// appended, if they stay as they are.
    pub(super) fn apply(&mut self, labels: &[Label<'_>], out: &mut Vec<u8>) -> bool {
        if self.edits.is_empty() {
            return false;
        }
        let Self { text, edits } = self;
        // Of the same name the latest edit comes first, and stays.
        edits.sort_unstable_by_key(|edit| (slice(text, edit.name), Reverse(edit.name)));
        edits.dedup_by(|later, first| slice(text, later.name) == slice(text, first.name));
        let mut changes = false;
        for edit in &mut *edits {
            let (name, value) = (slice(text, edit.name), slice(text, edit.value));
            let mut same = labels.iter().filter(|label| label.name == name);
            let first = same.next();
            edit.found = first.is_some();
            changes |= match first {
                Some(label) => value.is_empty() || label.value != value || same.next().is_some(),
                None => !value.is_empty(),
            };
        }
        if changes {
            write(text, edits, labels, out);
        }
        changes
    }
}

/// Appends `labels` with `edits`, which are sorted by name, each name once.
fn write(text: &str, edits: &mut [Edit], labels: &[Label<'_>], out: &mut Vec<u8>) {
    let label_of = |edit: &Edit| Label::new(slice(text, edit.name), slice(text, edit.value));
    let is_new = |edit: &Edit| !edit.found && edit.value.0 != edit.value.1;
    let mut new = 0_usize;
    // Labels that stay are appended run by run, which is faster than one by one.
    let mut stay_from = 0_usize;
    for (at, label) in labels.iter().enumerate() {
        while let Some(edit) = edits.get(new)
            && slice(text, edit.name) < label.name
        {
            if is_new(edit) {
                append(out, labels.get(stay_from..at).unwrap_or_else(impossible));
                stay_from = at;
                append(out, &[label_of(edit)]);
            }
            new = new.saturating_add(1);
        }
        let edit = edits.binary_search_by_key(&label.name, |edit| slice(text, edit.name));
        let Some(edit) = edit.ok().and_then(|at| edits.get_mut(at)) else { continue };
        append(out, labels.get(stay_from..at).unwrap_or_else(impossible));
        stay_from = at.saturating_add(1);
        if !edit.written && edit.value.0 != edit.value.1 {
            edit.written = true;
            append(out, &[label_of(edit)]);
        }
    }
    append(out, labels.get(stay_from..).unwrap_or_else(impossible));
    for edit in edits.get(new..).unwrap_or_else(impossible).iter().filter(|edit| is_new(edit)) {
        append(out, &[label_of(edit)]);
    }
}

fn slice(text: &str, (start, end): (usize, usize)) -> &str {
    text.get(start..end).unwrap_or_else(impossible)
}

fn append(out: &mut Vec<u8>, labels: &[Label<'_>]) {
    let start = out.len();
    out.resize(start.saturating_add(pairs_len(labels)), 0);
    let mut writer = Writer::new(out.get_mut(start..).unwrap_or_else(impossible));
    // They have just the room that they need.
    let _ = write_pairs::<LABELS_BYTE, _>(&mut writer, labels);
}

impl fmt::Debug for LabelEdits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LabelEdits").field("edits", &self.edits.len()).finish_non_exhaustive()
    }
}
