//! The labels of the series of a point.

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::loss::LossKind;
use super::name::{LabelNaming, NothingLeft};
use super::settings::Settings;
use crate::Decode;
use crate::message::columns::{index, recycle, sum, vec_bytes};
use crate::otlp::{
    AnyValue, AsStringError, AsStringOptions, AsStringScratch, Attributes, PdataVersion,
};
use crate::remote_write::v1::append_label;
use crate::remote_write::{Label, METRIC_NAME};
use crate::wire::{Reader, impossible, to_usize};

/// A text that is borrowed, or built into a column.
#[derive(Clone, Copy)]
pub(super) enum Text<'a> {
    Borrowed(&'a str),
    Built { start: u32, end: u32 },
}

impl Default for Text<'_> {
    fn default() -> Self {
        Self::Borrowed("")
    }
}

impl<'a> Text<'a> {
    fn built(column: &str, start: usize) -> Self {
        Self::Built { start: index(start), end: index(column.len()) }
    }

    #[inline]
    fn get<'t>(self, column: &'t str) -> &'t str
    where
        'a: 't,
    {
        match self {
            Self::Borrowed(text) => text,
            Self::Built { start, end } => {
                column.get(to_usize(start)..to_usize(end)).unwrap_or_else(impossible)
            }
        }
    }
}

/// What is done to the labels of each point, after its attributes.
#[derive(Clone, Copy, Default)]
struct Step<'a> {
    name: Text<'a>,
    value: Text<'a>,
    does: Does,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Does {
    /// The label gets the value; an empty one takes the label away.
    #[default]
    Set,
    /// The label gets the value if it is not there.
    Default,
    /// The same; of several that follow each other the last one does.
    Promote,
}

/// An attribute on its way to being a label.
#[derive(Clone, Copy, Default)]
struct Attribute<'a> {
    name: Text<'a>,
    value: Text<'a>,
    key: &'a str,
    place: u32,
}

/// Makes labels of attributes and of what comes to them from around.
///
/// Its memory is used again.
#[derive(Default)]
pub(super) struct Labels<'a> {
    naming: LabelNaming,
    value_text: ValueText,
    /// Names that are not as they were. They stay for the request.
    names: String,
    /// Values that were no text. A stack: those of the resource, the scope, the metric, the point.
    values: String,
    /// Of the last attribute at each place, its key and name: points of a metric are alike.
    memo: Vec<(&'a str, Text<'a>)>,
    /// What is done to all points, in order. A stack as well.
    steps: Vec<Step<'a>>,
    /// The same in order of names, one step a name.
    merged: Vec<Step<'a>>,
    order: Vec<u32>,
    attributes: Vec<Attribute<'a>>,
    /// Where the last attributes were before they were sorted, if none of them were joined.
    known_order: Vec<u32>,
    spare: Vec<Attribute<'a>>,
    frame: Frame,
}

/// Makes text of values as Mimir does.
#[derive(Default)]
pub(super) struct ValueText {
    options: AsStringOptions,
    scratch: AsStringScratch,
}

impl ValueText {
    /// Heap bytes that it holds.
    pub(super) fn capacity_bytes(&self) -> usize {
        self.scratch.capacity_bytes()
    }

    pub(super) fn set(&mut self, settings: &Settings) {
        self.options = AsStringOptions::new()
            .with_version(PdataVersion::V1_51)
            .with_max_bytes(settings.max_value_bytes);
    }

    /// Appends the text of a value to `out`.
    pub(super) fn push(
        &mut self,
        out: &mut String,
        value: Option<AnyValue<'_>>,
    ) -> Result<(), AsStringError> {
        match value {
            None => {}
            Some(AnyValue::String(text)) => out.push_str(text),
            Some(value) => out.push_str(value.as_string(&mut self.scratch, &self.options)?),
        }
        Ok(())
    }
}

/// Where a stack of [`Labels`] stands.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    steps: usize,
    values: usize,
}

/// Labels as fields of a series, with the places where a series' own go.
#[derive(Default)]
pub(super) struct Frame {
    bytes: Vec<u8>,
    name_at: usize,
    /// The label that tells the series of one point apart, or where it would stand.
    own: (usize, usize),
}

impl Frame {
    /// Appends the labels, with `metric_name`, a label as a field.
    pub(super) fn write(&self, out: &mut Vec<u8>, metric_name: &[u8]) {
        let (before, behind) = self.bytes.split_at_checked(self.name_at).unwrap_or_else(impossible);
        out.extend_from_slice(before);
        out.extend_from_slice(metric_name);
        out.extend_from_slice(behind);
    }

    /// Whether there is a label of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        let Ok(mut labels) = Reader::new(&self.bytes) else { return impossible() };
        while let Ok(Some(_)) = labels.next_tag() {
            let label = labels.read_bytes().and_then(Label::decode);
            if label.is_ok_and(|label| label.name == name) {
                return true;
            }
        }
        false
    }

    /// Appends the labels, with `metric_name` and `own`.
    pub(super) fn write_with(&self, out: &mut Vec<u8>, metric_name: &[u8], own: Label<'_>) {
        let part = |from: usize, to: usize| self.bytes.get(from..to).unwrap_or_else(impossible);
        let (start, end) = self.own;
        out.extend_from_slice(part(0, self.name_at));
        out.extend_from_slice(metric_name);
        out.extend_from_slice(part(self.name_at, start));
        append_label(out, own);
        out.extend_from_slice(part(end, self.bytes.len()));
    }
}

impl<'a> Labels<'a> {
    /// Forgets a resource, a scope or a metric.
    pub(super) fn back_to(&mut self, mark: Mark) {
        self.steps.truncate(mark.steps);
        self.values.truncate(mark.values);
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { steps: self.steps.len(), values: self.values.len() }
    }

    /// Has a label for all points from now on, of a name that is as it should be.
    pub(super) fn push(&mut self, does: Does, name: &'a str, value: &'a str) {
        let (name, value) = (Text::Borrowed(name), Text::Borrowed(value));
        self.steps.push(Step { name, value, does });
    }

    /// Has a label for all points from now on, whose value is copied, unless that is empty.
    pub(super) fn push_copy(&mut self, name: &'a str, value: &str) {
        if !value.is_empty() {
            let start = self.values.len();
            self.values.push_str(value);
            let value = Text::built(&self.values, start);
            self.steps.push(Step { name: Text::Borrowed(name), value, does: Does::Set });
        }
    }

    /// Has a label for all points from now on, of one value or of two with a text between them,
    /// unless that is empty.
    pub(super) fn push_texts(
        &mut self,
        name: &'a str,
        front: Option<(Option<AnyValue<'a>>, &str)>,
        value: Option<AnyValue<'a>>,
    ) -> Result<(), LossKind> {
        let start = self.values.len();
        if let Some((front, between)) = front {
            self.value_text.push(&mut self.values, front)?;
            self.values.push_str(between);
        }
        self.value_text.push(&mut self.values, value)?;
        if self.values.len() > start {
            let value = Text::built(&self.values, start);
            self.steps.push(Step { name: Text::Borrowed(name), value, does: Does::Set });
        }
        Ok(())
    }

    /// Has an attribute as a label of all points from now on, with `prefix` in front of its name.
    pub(super) fn push_attribute(
        &mut self,
        does: Does,
        prefix: &str,
        key: &'a str,
        value: Option<AnyValue<'a>>,
    ) -> Result<(), LossKind> {
        // The whole is what is named.
        let Self { names, values, naming, .. } = self;
        let (from, start) = (values.len(), names.len());
        values.push_str(prefix);
        values.push_str(key);
        let result = naming.write(names, values.get(from..).unwrap_or_else(impossible));
        values.truncate(from);
        result?;
        let name = Text::built(names, start);
        let value = text_of(&mut self.values, &mut self.value_text, value)?;
        self.steps.push(Step { name, value, does });
        Ok(())
    }

    /// The memory, emptied, for a request.
    pub(super) fn for_request<'b>(mut self, settings: &Settings) -> Labels<'b> {
        self.naming = settings.label_naming();
        self.value_text.set(settings);
        self.recycle()
    }

    /// The memory, emptied, for a request of another lifetime.
    pub(super) fn recycle<'b>(mut self) -> Labels<'b> {
        self.names.clear();
        self.values.clear();
        Labels {
            naming: self.naming,
            value_text: self.value_text,
            names: self.names,
            values: self.values,
            memo: recycle(self.memo),
            steps: recycle(self.steps),
            merged: recycle(self.merged),
            order: self.order,
            attributes: recycle(self.attributes),
            known_order: {
                self.known_order.clear();
                self.known_order
            },
            spare: recycle(self.spare),
            frame: self.frame,
        }
    }

    /// Heap bytes that it holds.
    pub(super) fn capacity_bytes(&self) -> usize {
        sum([
            self.names.capacity(),
            self.values.capacity(),
            vec_bytes(&self.memo),
            vec_bytes(&self.steps),
            vec_bytes(&self.merged),
            vec_bytes(&self.order),
            vec_bytes(&self.attributes),
            vec_bytes(&self.known_order),
            vec_bytes(&self.spare),
            vec_bytes(&self.frame.bytes),
            self.value_text.capacity_bytes(),
        ])
    }

    /// Puts the steps in order of names, one a name. To be called when they have changed.
    pub(super) fn merge_steps(&mut self) {
        let Self { names, values, steps, merged, order, .. } = self;
        order.clear();
        order.extend((0_u32..).zip(&*steps).map(|(place, _)| place));
        let name = |place: u32| steps.get(to_usize(place)).map_or("", |step| step.name.get(names));
        order.sort_unstable_by(|one, other| name(*one).cmp(name(*other)).then(one.cmp(other)));
        merged.clear();
        for step in order.iter().filter_map(|place| steps.get(to_usize(*place))) {
            match merged.last_mut() {
                Some(last) if last.name.get(names) == step.name.get(names) => match step.does {
                    Does::Set => *last = *step,
                    Does::Promote if last.does == Does::Promote => *last = *step,
                    Does::Default | Does::Promote if last.value.get(values).is_empty() => {
                        last.value = step.value
                    }
                    Does::Default | Does::Promote => {}
                },
                _ => merged.push(*step),
            }
        }
    }

    /// How many steps there are to put in order.
    pub(super) fn unmerged_steps(&self) -> usize {
        self.steps.len()
    }

    /// How many steps a point takes besides its own attributes.
    pub(super) fn steps(&self) -> usize {
        self.merged.len()
    }

    /// Makes the labels of a point that has `attributes`, but for the metric's name. `own` is the
    /// name of the label that the point's series differ by. Keys that are not `is_label` are passed
    /// over.
    pub(super) fn point(
        &mut self,
        attributes: Attributes<'_, 'a>,
        own: &str,
        is_label: impl Fn(&str) -> bool,
    ) -> Result<&Frame, LossKind> {
        let mark = self.values.len();
        let keys_are_known = self.read(attributes, is_label)?;
        if keys_are_known && self.known_order.len() == self.attributes.len() {
            self.put_in_known_order();
        } else {
            self.known_order.clear();
            if !self.is_in_order() {
                self.sort();
            }
        }
        self.write_frame(own);
        self.values.truncate(mark);
        Ok(&self.frame)
    }

    /// Reads the attributes, and tells whether their keys are those of the last ones.
    fn read(
        &mut self,
        attributes: Attributes<'_, 'a>,
        is_label: impl Fn(&str) -> bool,
    ) -> Result<bool, LossKind> {
        self.attributes.clear();
        let mut keys_are_known = true;
        for attribute in attributes.iter() {
            let key = attribute.key;
            if key == METRIC_NAME || !is_label(key) {
                continue;
            }
            let at = self.attributes.len();
            let name = match self.memo.get(at) {
                Some((last, name)) if *last == key => *name,
                _ => {
                    keys_are_known = false;
                    // Should it fail, the order of what is remembered is not.
                    self.known_order.clear();
                    let name = name_of(&mut self.names, self.naming, key)?;
                    match self.memo.get_mut(at) {
                        Some(memo) => *memo = (key, name),
                        None => self.memo.push((key, name)),
                    }
                    name
                }
            };
            let value = text_of(&mut self.values, &mut self.value_text, attribute.value)?;
            self.attributes.push(Attribute { name, value, key, place: index(at) });
        }
        Ok(keys_are_known)
    }

    /// Sorts attributes whose keys are those of the last ones, as those were sorted.
    fn put_in_known_order(&mut self) {
        let Self { attributes, spare, known_order, .. } = self;
        spare.clear();
        spare.extend(known_order.iter().filter_map(|place| attributes.get(to_usize(*place))));
        core::mem::swap(attributes, spare);
    }

    /// Whether the attributes are sorted by name, and none has the name of another.
    fn is_in_order(&self) -> bool {
        let name = |attribute: &Attribute<'a>| attribute.name;
        self.attributes.windows(2).all(
            |pair| matches!(pair, [a, b] if name(a).get(&self.names) < name(b).get(&self.names)),
        )
    }

    /// Sorts the attributes by name. Where names are escaped, those that became the same name are
    /// joined.
    fn sort(&mut self) {
        let Self { attributes, known_order, names, values, naming, .. } = self;
        // Attributes of one name are in order of their keys, and where those are equal as they came.
        attributes.sort_unstable_by(|one, other| {
            let by_name = one.name.get(names).cmp(other.name.get(names));
            by_name.then_with(|| one.key.cmp(other.key)).then(one.place.cmp(&other.place))
        });
        known_order.extend(attributes.iter().map(|attribute| attribute.place));
        if naming.utf8 {
            return;
        }
        let mut kept = 0_usize;
        let mut next = 0_usize;
        while let Some(&first) = attributes.get(next) {
            let name = first.name.get(names);
            let same = attributes.get(next..).unwrap_or_default().iter();
            let same = same.take_while(|attribute| attribute.name.get(names) == name).count();
            let mut joined = first;
            for attribute in attributes.get(next..).unwrap_or_default().iter().take(same).skip(1) {
                if joined.value.get(values).is_empty() {
                    joined.value = attribute.value;
                    continue;
                }
                let start = values.len();
                push_text(values, joined.value);
                values.push(';');
                push_text(values, attribute.value);
                joined.value = Text::built(values, start);
            }
            if let Some(place) = attributes.get_mut(kept) {
                *place = joined;
            }
            kept = kept.saturating_add(1);
            next = next.saturating_add(same.max(1));
        }
        if kept < attributes.len() {
            known_order.clear();
        }
        attributes.truncate(kept);
    }

    fn write_frame(&mut self, own: &str) {
        let Self { names, values, merged, attributes, frame, naming, .. } = self;
        let (names, values) = (&**names, &**values);
        frame.bytes.clear();
        let mut writer = FrameWriter { frame, own, name_at: None, own_at: None };
        let mut steps = merged.iter().peekable();
        let mut attributes = attributes.as_slice();
        while let Some((attribute, rest)) = attributes.split_first() {
            let name = attribute.name.get(names);
            while let Some(step) = steps.next_if(|step| step.name.get(names) < name) {
                writer.write(step.name.get(names), step.value.get(values));
            }
            let step = steps.next_if(|step| step.name.get(names) == name);
            let value = attribute.value.get(values);
            // All of one name: more than one only where names are not escaped.
            let same = if naming.utf8 {
                let same = |other: &&Attribute<'_>| other.name.get(names) == name;
                rest.iter().take_while(same).count()
            } else {
                0
            };
            let (others, rest) = rest.split_at_checked(same).unwrap_or((rest, &[]));
            attributes = rest;
            let gone =
                value.is_empty() || others.iter().any(|other| other.value.get(values).is_empty());
            let (first, others) = match step.map(|step| (step.does, step.value.get(values))) {
                Some((Does::Set, "")) => continue,
                Some((Does::Set, set)) if gone => (set, &[][..]),
                Some((Does::Set, set)) => (set, others),
                Some((_, default)) if gone => (default, &[][..]),
                None if gone => continue,
                _ => (value, others),
            };
            writer.write(name, first);
            others.iter().for_each(|other| writer.write(name, other.value.get(values)));
        }
        steps.for_each(|step| writer.write(step.name.get(names), step.value.get(values)));
        writer.finish();
    }
}

struct FrameWriter<'f> {
    frame: &'f mut Frame,
    own: &'f str,
    name_at: Option<usize>,
    own_at: Option<(usize, usize)>,
}

impl FrameWriter<'_> {
    /// Writes a label; labels come in order of names.
    #[inline]
    fn write(&mut self, name: &str, value: &str) {
        if value.is_empty() {
            return;
        }
        let bytes = &mut self.frame.bytes;
        let at = bytes.len();
        if self.name_at.is_none() {
            match name.cmp(METRIC_NAME) {
                Ordering::Less => {}
                Ordering::Equal => return,
                Ordering::Greater => self.name_at = Some(at),
            }
        }
        append_label(bytes, Label::new(name, value));
        if self.own_at.is_none() {
            match name.cmp(self.own) {
                Ordering::Less => {}
                Ordering::Equal => self.own_at = Some((at, bytes.len())),
                Ordering::Greater => self.own_at = Some((at, at)),
            }
        }
    }

    fn finish(self) {
        let end = self.frame.bytes.len();
        self.frame.name_at = self.name_at.unwrap_or(end);
        self.frame.own = self.own_at.unwrap_or((end, end));
    }
}

fn push_text(column: &mut String, text: Text<'_>) {
    match text {
        Text::Borrowed(text) => column.push_str(text),
        Text::Built { start, end } => column.extend_from_within(to_usize(start)..to_usize(end)),
    }
}

fn name_of<'a>(
    names: &mut String,
    naming: LabelNaming,
    key: &'a str,
) -> Result<Text<'a>, NothingLeft> {
    if naming.is_unchanged(key) {
        return Ok(Text::Borrowed(key));
    }
    let start = names.len();
    naming.write(names, key)?;
    Ok(Text::built(names, start))
}

fn text_of<'a>(
    values: &mut String,
    value_text: &mut ValueText,
    value: Option<AnyValue<'a>>,
) -> Result<Text<'a>, AsStringError> {
    match value {
        None => Ok(Text::default()),
        Some(AnyValue::String(text)) => Ok(Text::Borrowed(text)),
        value => {
            let start = values.len();
            value_text.push(values, value)?;
            Ok(Text::built(values, start))
        }
    }
}
