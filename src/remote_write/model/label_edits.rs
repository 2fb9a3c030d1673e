//! Edits of a series' labels, and which of the labels they change.

use alloc::vec::Vec;
use core::cmp::Reverse;
use core::fmt;
use core::mem;

use super::label::Label;
use crate::message::columns::{index, same_bytes, sum, used_bytes, vec_bytes};
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
    text: Vec<u8>,
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
    /// Whether the labels of the current series are to be put in order.
    normalizes: bool,
}

/// An edit, by the places of its texts.
#[derive(Clone, Copy)]
struct Edit {
    /// That of the name.
    key: u64,
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
    /// The label that it is put in front of if not.
    label: u32,
}

/// A label that is added, replaced or removed.
#[derive(Clone, Copy, Debug)]
pub(in crate::remote_write) struct Splice {
    /// The place of the label that it is about.
    pub(in crate::remote_write) label: u32,
    /// Whether that label goes; if not, one is put in front of it.
    pub(in crate::remote_write) cuts: bool,
    edit: u32,
}

impl Splice {
    /// The edit that is put in its place, by its number, if any.
    #[inline]
    pub(in crate::remote_write) fn edit(&self) -> Option<usize> {
        (self.edit != NONE).then_some(to_usize(self.edit))
    }
}

/// No edit: the label is removed.
const NONE: u32 = u32::MAX;

impl LabelEdits {
    /// Sets the value of the label called `name`, in its place; further labels of that name go. If
    /// there is none, one is added in front of the first label whose name is greater, so that
    /// sorted labels stay sorted. An empty value is no label: [`remove`](Self::remove).
    #[inline(always)]
    pub fn set(&mut self, name: &str, value: &str) {
        let call = self.current.len();
        let (edit, key) = match self.usual.get(call).and_then(|&at| self.same(at, name, value)) {
            Some(usual) => usual,
            None => self.add(call, name, value),
        };
        self.current.push(Current { key, edit, found: false, label: 0 });
    }

    /// Removes all labels called `name`.
    #[inline]
    pub fn remove(&mut self, name: &str) {
        self.set(name, "");
    }

    /// Puts the labels of the series in order, after all edits: those without a value go, the rest
    /// is sorted by name, as Prometheus and Mimir do it. Labels that are in order stay byte by byte
    /// as they are; others are encoded anew.
    #[inline]
    pub fn normalize(&mut self) {
        self.normalizes = true;
    }

    /// Whether the labels of the current series are to be put in order.
    #[inline]
    pub(in crate::remote_write) const fn normalizes(&self) -> bool {
        self.normalizes
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
        self.normalizes = false;
    }

    /// Finds what the edits of the current series change of its `labels`, whose texts may lie in
    /// `body`; returns whether that is anything.
    #[inline]
    pub(in crate::remote_write) fn apply(&mut self, labels: &[Label<'_>], body: &[u8]) -> bool {
        if self.current.is_empty() {
            return false;
        }
        self.placed = 0;
        self.splices_start = self.splices.len();
        if !self.has_order() {
            match &mut *self.current {
                // Field by field: as a whole they would have to arrive in memory first.
                [first, second] if first.key > second.key => {
                    mem::swap(&mut first.key, &mut second.key);
                    mem::swap(&mut first.edit, &mut second.edit);
                }
                _ => self.sort(),
            }
        }
        let mut between = (0, self.current.first().map_or(u64::MAX, |first| first.key));
        for (at, label) in labels.iter().enumerate() {
            let key = key_in(label.name.as_bytes(), body);
            // Most labels are at once known to stay, and to have nothing put in front of them.
            if !(key > between.0 && key < between.1) {
                between = self.find(index(at), label, key);
            }
        }
        self.end(index(labels.len()))
    }

    fn has_order(&self) -> bool {
        self.current.is_sorted_by(|one, other| one.key < other.key)
    }

    /// Of the same name the latest edit stays.
    fn sort(&mut self) {
        for (call, edit) in self.current.iter_mut().enumerate() {
            edit.label = index(call);
        }
        self.current.sort_unstable_by_key(|edit| edit.key);
        if self.has_order() {
            return;
        }
        let Self { text, edits, current, .. } = self;
        let name = |edit: &Current| name_of(text, edits, edit.edit);
        current.sort_unstable_by_key(|edit| (name(edit), Reverse(edit.label)));
        current.dedup_by(|later, first| name(later) == name(first));
    }

    /// Finds what becomes of a label, and what is put in front of it. Returns the keys of the last
    /// edit that has its place, and of the next.
    #[inline(never)]
    fn find(&mut self, at: u32, label: &Label<'_>, key: u64) -> (u64, u64) {
        const FEW: usize = 8;
        let Self { text, edits, current, placed, splices, .. } = self;
        let name_of = |edit: &Current| name_of(text, edits, edit.edit);
        let name = label.name.as_bytes();
        let is_less = |edit: &Current| !same_bytes(name_of(edit), name) && name_of(edit) < name;
        while let Some(edit) = current.get_mut(*placed)
            && (edit.key < key || edit.key == key && is_less(edit))
        {
            edit.label = at;
            *placed = placed.saturating_add(1);
        }
        let found = if current.len() <= FEW {
            current.iter().position(|edit| edit.key == key && same_bytes(name_of(edit), name))
        } else {
            current.binary_search_by_key(&name, |edit| name_of(edit)).ok()
        };
        if let Some((found, edit)) = found.and_then(|at| Some((at, current.get_mut(at)?))) {
            let new = value_of(text, edits, edit.edit);
            let is_first = !mem::replace(&mut edit.found, true);
            let edit = if is_first && !new.is_empty() { edit.edit } else { NONE };
            if edit == NONE || !same_bytes(new, label.value.as_bytes()) {
                splices.push(Splice { label: at, cuts: true, edit });
            }
            // It needs no other place.
            *placed = placed.saturating_add(usize::from(found == *placed));
        }
        let key_of = |at: usize| current.get(at).map(|edit| edit.key);
        let before = placed.checked_sub(1).and_then(key_of);
        (before.unwrap_or(0), key_of(*placed).unwrap_or(u64::MAX))
    }

    /// Ends the current series of `labels` labels; returns whether anything changes.
    #[inline]
    fn end(&mut self, labels: u32) -> bool {
        let Self { text, edits, current, placed, splices, splices_start, .. } = self;
        current.iter_mut().skip(*placed).for_each(|edit| edit.label = labels);
        let found = splices.len();
        for edit in &*current {
            if !edit.found && !value_of(text, edits, edit.edit).is_empty() {
                splices.push(Splice { label: edit.label, cuts: false, edit: edit.edit });
            }
        }
        let added = splices.len() > found;
        let new = splices.get_mut(*splices_start..).unwrap_or_else(impossible);
        let place = |splice: &Splice| (splice.label, splice.cuts);
        if !added || new.is_sorted_by_key(place) {
            return !new.is_empty();
        }
        match new {
            [first, second] if place(first) > place(second) => {
                mem::swap(&mut first.label, &mut second.label);
                mem::swap(&mut first.cuts, &mut second.cuts);
                mem::swap(&mut first.edit, &mut second.edit);
            }
            _ => new.sort_unstable_by(|one, other| {
                // Those that are added at one place in the order of their names.
                let name = |splice: &Splice| name_of(text, edits, splice.edit);
                place(one).cmp(&place(other)).then_with(|| name(one).cmp(name(other)))
            }),
        }
        true
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

    /// The labels that the edits from number `start` on set.
    pub(in crate::remote_write) fn labels_from(
        &self,
        start: usize,
    ) -> impl Iterator<Item = Label<'_>> {
        (start..self.edits.len()).map(|at| self.label(index(at)))
    }

    /// How many edits differ.
    #[inline]
    pub(in crate::remote_write) const fn edits_len(&self) -> usize {
        self.edits.len()
    }

    /// The label that an edit sets.
    fn label(&self, at: u32) -> Label<'_> {
        let Self { text, edits, .. } = self;
        let [name, value] = [name_of(text, edits, at), value_of(text, edits, at)]
            .map(|text| str::from_utf8(text).unwrap_or_else(|_| impossible()));
        Label::new(name, value)
    }

    /// Appends what became of `labels` by the splices from number `start` to `end`.
    pub(in crate::remote_write) fn append_edited<'e>(
        &'e self,
        labels: &[Label<'e>],
        (start, end): (usize, usize),
        out: &mut impl Extend<Label<'e>>,
    ) {
        let mut from = 0;
        for splice in self.splices.get(start..end).unwrap_or_else(impossible) {
            let to = to_usize(splice.label);
            out.extend(labels.get(from..to).unwrap_or_else(impossible).iter().copied());
            out.extend((splice.edit != NONE).then(|| self.label(splice.edit)));
            from = to.saturating_add(usize::from(splice.cuts));
        }
        out.extend(labels.get(from..).unwrap_or_else(impossible).iter().copied());
    }

    /// Edit number `at` with its key, if it is this one.
    #[inline]
    fn same(&self, at: u32, name: &str, value: &str) -> Option<(u32, u64)> {
        let edit = self.edits.get(to_usize(at))?;
        let text = |start, end| self.text.get(start..end).unwrap_or_else(impossible);
        let same = same_bytes(text(edit.name_start, edit.value_start), name.as_bytes())
            && same_bytes(text(edit.value_start, edit.value_end), value.as_bytes());
        same.then_some((at, edit.key))
    }

    /// Adds an edit, which is the one of number `call` of its series.
    #[cold]
    fn add(&mut self, call: usize, name: &str, value: &str) -> (u32, u64) {
        let key = key(name.as_bytes());
        let added = index(self.edits.len());
        let name_start = self.text.len();
        self.text.extend_from_slice(name.as_bytes());
        let value_start = self.text.len();
        self.text.extend_from_slice(value.as_bytes());
        self.edits.push(Edit { key, name_start, value_start, value_end: self.text.len() });
        match self.usual.get_mut(call) {
            Some(usual) => *usual = added,
            None => self.usual.push(added),
        }
        (added, key)
    }

    pub(in crate::remote_write) fn used_bytes(&self) -> usize {
        sum([self.text.len(), used_bytes(&self.edits), used_bytes(&self.splices)])
    }

    pub(in crate::remote_write) fn capacity_bytes(&self) -> usize {
        sum([
            vec_bytes(&self.text),
            vec_bytes(&self.edits),
            vec_bytes(&self.usual),
            vec_bytes(&self.current),
            vec_bytes(&self.splices),
        ])
    }
}

/// The first eight bytes of `name`, and zeros behind a shorter one: names whose keys differ are in
/// the order of the keys.
fn key(name: &[u8]) -> u64 {
    let mut first = [0; 8];
    first.iter_mut().zip(name).for_each(|(to, from)| *to = *from);
    u64::from_be_bytes(first)
}

/// The key of a `name` that may lie in `body`: there a short one can be read with what is behind it.
#[inline(always)]
fn key_in(name: &[u8], body: &[u8]) -> u64 {
    // An address, but only as a place that is checked: what is read there is compared below.
    let at = name.as_ptr().addr().wrapping_sub(body.as_ptr().addr());
    match (body.get(at..).and_then(|rest| rest.first_chunk()), MASKS.get(name.len())) {
        (Some(first), Some(mask)) => u64::from_be_bytes(*first) & mask,
        (Some(first), None) => u64::from_be_bytes(*first),
        (None, _) => key(name),
    }
}

/// What stays of the eight bytes at a name's front, by its length if it is shorter.
const MASKS: [u64; 8] =
    [0, 0xff << 56, 0xffff << 48, 0xff_ffff << 40, 0xffff_ffff << 32, !0 << 24, !0 << 16, !0 << 8];

#[inline]
fn name_of<'t>(text: &'t [u8], edits: &[Edit], at: u32) -> &'t [u8] {
    let Some(edit) = edits.get(to_usize(at)) else { return &[] };
    text.get(edit.name_start..edit.value_start).unwrap_or_else(impossible)
}

#[inline]
fn value_of<'t>(text: &'t [u8], edits: &[Edit], at: u32) -> &'t [u8] {
    let Some(edit) = edits.get(to_usize(at)) else { return &[] };
    text.get(edit.value_start..edit.value_end).unwrap_or_else(impossible)
}

impl fmt::Debug for LabelEdits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LabelEdits").field("edits", &self.current.len()).finish_non_exhaustive()
    }
}
