//! Edits of a series' labels, and where in its message they change something.

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::fmt;
use core::mem;

use super::label::Label;
use crate::message::columns::{index, same_text, sum, used_bytes, vec_bytes};
use crate::wire::{impossible, to_usize};

/// What is to become of the labels of a series. Of edits to the same name the last one counts.
///
/// ```
/// use borrowire::remote_write::LabelEdits;
/// use borrowire::remote_write::v1::{Relabeler, WriteRequest};
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
    /// The edits of the request, each once where a series makes the same as the one before.
    edits: Vec<Edit>,
    /// What the calls of the last series were, by number among `edits`.
    usual: Vec<u32>,
    /// The edits of the current series.
    current: Vec<Current>,
    /// How many of them have found their place.
    placed: usize,
    /// What changes, of all series.
    splices: Vec<Splice>,
    /// Where in `splices` those of the current series begin.
    splices_start: usize,
}

/// An edit, by the places of its texts.
#[derive(Clone, Copy)]
struct Edit {
    name_start: usize,
    value_start: usize,
    /// The same as `value_start` to remove the label.
    value_end: usize,
}

/// An edit of the current series.
#[derive(Clone, Copy)]
struct Current {
    key: u64,
    edit: u32,
    /// Whether the series has a label of that name.
    found: bool,
    /// Where it belongs if not: in front of that label, and there in the message.
    label: u32,
    at: u32,
}

/// A label that is added, replaced or removed: in the message the bytes from `start` to `end`.
#[derive(Clone, Copy, Debug)]
pub(in crate::remote_write) struct Splice {
    /// The label's place among those of the series.
    label: u32,
    pub(in crate::remote_write) start: u32,
    /// The same as `start` for a label that is added in front of it.
    pub(in crate::remote_write) end: u32,
    edit: u32,
}

/// No edit: the label is removed.
const NONE: u32 = u32::MAX;

impl LabelEdits {
    /// Sets the value of the label called `name`, in its place; further labels of that name go. If
    /// there is none, one is added in front of the first label whose name is greater, so that
    /// sorted labels stay sorted. An empty value is no label: [`remove`](Self::remove).
    #[inline]
    pub fn set(&mut self, name: &str, value: &str) {
        let call = self.current.len();
        let edit = match self.usual.get(call) {
            Some(&usual) if self.is(usual, name, value) => usual,
            _ => self.add(call, name, value),
        };
        let key = key(name.as_bytes());
        self.current.push(Current { key, edit, found: false, label: 0, at: 0 });
    }

    /// Removes all labels called `name`.
    #[inline]
    pub fn remove(&mut self, name: &str) {
        self.set(name, "");
    }

    /// Forgets a request.
    pub(in crate::remote_write) fn clear(&mut self) {
        self.text.clear();
        self.edits.clear();
        self.usual.clear();
        self.current.clear();
        self.splices.clear();
    }

    /// Begins a series.
    #[inline]
    pub(in crate::remote_write) fn begin(&mut self) {
        self.current.clear();
    }

    /// Whether the current series is edited. If so its labels are to be [found](Self::find), all of
    /// them in their order, and that is to be [ended](Self::end).
    #[inline]
    pub(in crate::remote_write) fn are_there(&mut self) -> bool {
        if self.current.is_empty() {
            return false;
        }
        self.placed = 0;
        self.splices_start = self.splices.len();
        if !self.current.is_sorted_by(|one, other| one.key < other.key) {
            self.sort();
        }
        true
    }

    /// Of the same name the latest edit stays.
    #[cold]
    fn sort(&mut self) {
        let Self { text, edits, current, .. } = self;
        let name = |edit: &Current| name_of(text, edits, edit.edit);
        for (call, edit) in current.iter_mut().enumerate() {
            edit.at = index(call);
        }
        current.sort_unstable_by_key(|edit| (name(edit), Reverse(edit.at)));
        current.dedup_by(|later, first| name(later) == name(first));
    }

    /// Takes up the next label of the current series, which stands from `start` to `end` in its
    /// message; `key` is its name's [`key`].
    #[inline]
    pub(in crate::remote_write) fn find(
        &mut self,
        label: u32,
        name: &[u8],
        value: &[u8],
        (start, end): (u32, u32),
        key: u64,
    ) {
        const FEW: usize = 8;
        let Self { text, edits, current, placed, splices, .. } = self;
        let name_of = |edit: &Current| name_of(text, edits, edit.edit).as_bytes();
        while let Some(edit) = current.get_mut(*placed)
            && (edit.key < key || edit.key == key && name_of(edit) < name)
        {
            (edit.label, edit.at) = (label, start);
            *placed = placed.saturating_add(1);
        }
        let found = if current.len() <= FEW {
            current.iter_mut().find(|edit| edit.key == key && name_of(edit) == name)
        } else {
            let found = current.binary_search_by_key(&name, |edit| name_of(edit));
            found.ok().and_then(|at| current.get_mut(at))
        };
        let Some(edit) = found else { return };
        let new = value_of(text, edits, edit.edit);
        let is_first = !mem::replace(&mut edit.found, true);
        let edit = match is_first && !new.is_empty() {
            true if new.as_bytes() == value => return,
            true => edit.edit,
            false => NONE,
        };
        splices.push(Splice { label, start, end, edit });
    }

    /// Ends the current series of `labels` labels, the last of which ends at `end`; returns whether
    /// anything changes.
    #[inline]
    pub(in crate::remote_write) fn end(&mut self, labels: u32, end: u32) -> bool {
        let Self { text, edits, current, placed, splices, splices_start, .. } = self;
        for edit in current.iter_mut().skip(*placed) {
            (edit.label, edit.at) = (labels, end);
        }
        let found = splices.len();
        for edit in &*current {
            if !edit.found && !value_of(text, edits, edit.edit).is_empty() {
                let Current { label, at, edit, .. } = *edit;
                splices.push(Splice { label, start: at, end: at, edit });
            }
        }
        let splices_len = splices.len();
        let new = splices.get_mut(*splices_start..).unwrap_or_else(impossible);
        if found != splices_len && !new.is_sorted_by_key(|splice| (splice.start, splice.end)) {
            // Those that are added at one place in the order of their names.
            new.sort_unstable_by(|one, other| {
                let place = |splice: &Splice| (splice.start, splice.end);
                let name = |splice: &Splice| name_of(text, edits, splice.edit);
                place(one).cmp(&place(other)).then_with(|| name(one).cmp(name(other)))
            });
        }
        !new.is_empty()
    }
}

impl LabelEdits {
    /// What changes in the current series, in the order of places.
    #[inline]
    pub(in crate::remote_write) fn splices(&self) -> &[Splice] {
        self.splices.get(self.splices_start..).unwrap_or_else(impossible)
    }

    /// How much changes in all series so far.
    pub(in crate::remote_write) const fn splices_len(&self) -> usize {
        self.splices.len()
    }

    /// The label that `splice` puts in its place, if any.
    #[inline]
    pub(in crate::remote_write) fn label(&self, splice: &Splice) -> Option<Label<'_>> {
        let Self { text, edits, .. } = self;
        if splice.edit == NONE {
            return None;
        }
        Some(Label::new(name_of(text, edits, splice.edit), value_of(text, edits, splice.edit)))
    }

    /// Appends what became of `labels` by the splices from number `start` to `end`.
    pub(in crate::remote_write) fn append_edited<'e>(
        &'e self,
        labels: &[Label<'e>],
        (start, end): (usize, usize),
        out: &mut Vec<Label<'e>>,
    ) {
        let mut from = 0;
        for splice in self.splices.get(start..end).unwrap_or_else(impossible) {
            let to = to_usize(splice.label);
            out.extend_from_slice(labels.get(from..to).unwrap_or_else(impossible));
            out.extend(self.label(splice));
            from = to.saturating_add(usize::from(splice.end > splice.start));
        }
        out.extend_from_slice(labels.get(from..).unwrap_or_else(impossible));
    }

    /// Whether edit number `at` is this one.
    #[inline]
    fn is(&self, at: u32, name: &str, value: &str) -> bool {
        let Self { text, edits, .. } = self;
        same_text(name_of(text, edits, at), name) && same_text(value_of(text, edits, at), value)
    }

    /// Adds an edit, which is the one of number `call` of its series.
    #[cold]
    fn add(&mut self, call: usize, name: &str, value: &str) -> u32 {
        let added = index(self.edits.len());
        let name_start = self.text.len();
        self.text.push_str(name);
        let value_start = self.text.len();
        self.text.push_str(value);
        self.edits.push(Edit { name_start, value_start, value_end: self.text.len() });
        match self.usual.get_mut(call) {
            Some(usual) => *usual = added,
            None => self.usual.push(added),
        }
        added
    }

    pub(in crate::remote_write) fn used_bytes(&self) -> usize {
        sum([self.text.len(), used_bytes(&self.edits), used_bytes(&self.splices)])
    }

    pub(in crate::remote_write) fn capacity_bytes(&self) -> usize {
        sum([
            self.text.capacity(),
            vec_bytes(&self.edits),
            vec_bytes(&self.usual),
            vec_bytes(&self.current),
            vec_bytes(&self.splices),
        ])
    }
}

/// The first eight bytes of `name`, and zeros behind a shorter one: names whose keys differ are in
/// the order of the keys.
#[inline]
pub(in crate::remote_write) fn key(name: &[u8]) -> u64 {
    match name.first_chunk() {
        Some(first) => u64::from_be_bytes(*first),
        None => {
            let mut first = [0; 8];
            first.iter_mut().zip(name).for_each(|(to, from)| *to = *from);
            u64::from_be_bytes(first)
        }
    }
}

#[inline]
fn name_of<'t>(text: &'t str, edits: &[Edit], at: u32) -> &'t str {
    let Some(edit) = edits.get(to_usize(at)) else { return "" };
    text.get(edit.name_start..edit.value_start).unwrap_or_else(impossible)
}

#[inline]
fn value_of<'t>(text: &'t str, edits: &[Edit], at: u32) -> &'t str {
    let Some(edit) = edits.get(to_usize(at)) else { return "" };
    text.get(edit.value_start..edit.value_end).unwrap_or_else(impossible)
}

impl fmt::Debug for LabelEdits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LabelEdits").field("edits", &self.current.len()).finish_non_exhaustive()
    }
}
