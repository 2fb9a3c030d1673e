//! Resources and scopes, which are around the items of every signal: their storage, and how they are
//! read.
//!
//! ```text
//! ResourceMetrics, ResourceLogs        ScopeMetrics, ScopeLogs
//! 1     resource    Resource           1 scope       InstrumentationScope
//! 2     scope_...   repeated Scope...  2 metrics, log_records  repeated Metric, LogRecord
//! 3     schema_url  string             3 schema_url  string
//! 1000  the former name of field 2
//! ```
//!
//! Field 1000 is what field 2 was before 2022, with a message of the same form. As the Collector does it,
//! it counts if field 2 is empty.

use alloc::vec::Vec;

use super::attributes::{Attributes, Row, read_attribute, take_run};
use super::records::{Records, read_again};
use super::resource::{self, EntityRefs, Resource, check_entity_ref};
use super::scope::{self, InstrumentationScope};
use crate::message::columns::{index, push, range, recycle, sum, truncate, used_bytes, vec_bytes};
use crate::message::cursor::Cursor;
use crate::message::request::{Raw, Skipped};
#[cfg(feature = "json")]
use crate::otlp::json::skipped::JsonSkipped;
use crate::otlp::record_kind::RecordKind;
use crate::wire::error::{DecodeError, DecodeErrorKind};
use crate::wire::{Tag, WireType};

/// Of a request, its only list.
pub(in crate::otlp) const RESOURCES: Tag = Tag::new(1, WireType::Len);

pub(in crate::otlp) const RESOURCE: Tag = Tag::new(1, WireType::Len);
pub(in crate::otlp) const SCOPES: Tag = Tag::new(2, WireType::Len);
const DEPRECATED_SCOPES: Tag = Tag::new(1000, WireType::Len);

pub(in crate::otlp) const SCOPE: Tag = Tag::new(1, WireType::Len);
pub(in crate::otlp) const CHILDREN: Tag = Tag::new(2, WireType::Len);

/// Of both.
pub(in crate::otlp) const SCHEMA_URL: Tag = Tag::new(3, WireType::Len);

/// The resources and scopes of a request.
#[derive(Clone, Default)]
pub(in crate::otlp) struct Parents<'a> {
    /// What the request was decoded from.
    pub(in crate::otlp) body: &'a [u8],
    pub(in crate::otlp) resources: Vec<ResourceRow<'a>>,
    resource_attributes: Vec<Row<'a>>,
    pub(in crate::otlp) scopes: Vec<ScopeRow>,
    /// The texts of scopes that are not empty.
    scope_texts: Vec<&'a str>,
    scope_attributes: Vec<Row<'a>>,
    pub(in crate::otlp) skipped: Vec<Skipped<RecordKind>>,
    /// What was left out of a body in JSON, before it became protobuf.
    #[cfg(feature = "json")]
    pub(in crate::otlp) json_skipped: Vec<JsonSkipped>,
    pub(in crate::otlp) seen: Seen,
    /// How many items the body may hold.
    pub(in crate::otlp) max_items: usize,
    /// Whether the body has items that do not count, or has them in other places than usual.
    pub(in crate::otlp) is_unusual: bool,
}

/// How many of each kind the body holds so far, with what was left out.
#[derive(Clone, Copy, Default)]
pub(in crate::otlp) struct Seen {
    scopes: usize,
    pub(in crate::otlp) metrics: usize,
    pub(in crate::otlp) items: usize,
    pub(in crate::otlp) exemplars: usize,
}

/// A resource. Its scopes end here and begin where those of the resource before end.
#[derive(Clone, Copy, Default)]
pub(in crate::otlp) struct ResourceRow<'a> {
    pub(in crate::otlp) raw: Raw,
    schema_url: &'a str,
    scopes_end: u32,
    /// The end of the attributes, and in the two highest bits whether there is a resource, and whether it
    /// has anything else: an attribute takes two bytes at least, so that a body under 2 GiB has no use
    /// for these bits.
    attributes_end: u32,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<ResourceRow<'_>>() == 32);

const HAS_RESOURCE: u32 = 1 << 31;
const HAS_RARE: u32 = 1 << 30;
const ATTRIBUTES_END: u32 = HAS_RARE - 1;

/// A scope. What it has ends here and begins where that of the scope before ends.
#[derive(Clone, Copy, Default)]
pub(in crate::otlp) struct ScopeRow {
    children_end: u32,
    attributes_end: u32,
    texts_end: u32,
    dropped_attributes_count: u32,
    /// Whether there is a scope, and which of its texts are not empty.
    has: u8,
}

const HAS_SCOPE: u8 = 1;
const HAS_NAME: u8 = 2;
const HAS_VERSION: u8 = 4;
const HAS_SCHEMA_URL: u8 = 8;

/// How long the columns were at some time.
#[derive(Clone, Copy)]
pub(in crate::otlp) struct Mark {
    resource_attributes: u32,
    scopes: u32,
    scope_texts: u32,
    scope_attributes: u32,
    skipped: u32,
}

impl<'a> Parents<'a> {
    pub(in crate::otlp) fn clear(&mut self) {
        self.body = &[];
        self.resources.clear();
        self.resource_attributes.clear();
        self.scopes.clear();
        self.scope_texts.clear();
        self.scope_attributes.clear();
        self.skipped.clear();
        #[cfg(feature = "json")]
        self.json_skipped.clear();
        self.seen = Seen::default();
        self.is_unusual = false;
    }

    /// Whether the items of the body are where they are looked for, and all of them count.
    pub(in crate::otlp) const fn is_plain(&self) -> bool {
        self.skipped.is_empty() && !self.is_unusual && !self.body.is_empty()
    }

    /// The allocations, emptied, for a body of another lifetime.
    pub(in crate::otlp) fn recycle<'b>(mut self) -> Parents<'b> {
        self.clear();
        Parents {
            body: &[],
            resources: recycle(self.resources),
            resource_attributes: recycle(self.resource_attributes),
            scopes: self.scopes,
            scope_texts: recycle(self.scope_texts),
            scope_attributes: recycle(self.scope_attributes),
            skipped: self.skipped,
            #[cfg(feature = "json")]
            json_skipped: self.json_skipped,
            seen: Seen::default(),
            max_items: 0,
            is_unusual: false,
        }
    }

    fn mark(&self) -> Mark {
        Mark {
            resource_attributes: index(self.resource_attributes.len()),
            scopes: index(self.scopes.len()),
            scope_texts: index(self.scope_texts.len()),
            scope_attributes: index(self.scope_attributes.len()),
            skipped: index(self.skipped.len()),
        }
    }

    /// Drops all scopes that were read since `mark` was made, and what is of a resource without a row.
    #[cold]
    fn truncate(&mut self, mark: Mark) {
        truncate(&mut self.resource_attributes, mark.resource_attributes);
        truncate(&mut self.scopes, mark.scopes);
        truncate(&mut self.scope_texts, mark.scope_texts);
        truncate(&mut self.scope_attributes, mark.scope_attributes);
        truncate(&mut self.skipped, mark.skipped);
    }

    /// Takes over what was left out of a body in JSON, in exchange for memory.
    #[cfg(feature = "json")]
    pub(in crate::otlp) fn note_json_skipped(&mut self, skipped: &mut Vec<JsonSkipped>) {
        core::mem::swap(&mut self.json_skipped, skipped);
        let is_item = |skipped: &&JsonSkipped| skipped.kind() != RecordKind::Exemplar;
        let items = self.json_skipped.iter().filter(is_item).count();
        self.seen.items = self.seen.items.saturating_add(items);
    }

    /// Notes something as left out.
    #[cold]
    pub(in crate::otlp) fn skip(&mut self, kind: RecordKind, index: usize, error: DecodeError) {
        push(&mut self.skipped, Skipped { kind, index, element: None, error });
    }

    /// Counts one more item, which begins where `cursor` stands. Returns its position among those of the
    /// body.
    #[inline]
    pub(in crate::otlp) fn count_item(
        &mut self,
        cursor: &mut Cursor<'_, '_>,
    ) -> Result<usize, DecodeError> {
        let position = self.seen.items;
        if position >= self.max_items {
            return Err(cursor.error(DecodeErrorKind::LimitExceeded));
        }
        cursor.count_element()?;
        self.seen.items = position.wrapping_add(1);
        Ok(position)
    }

    pub(in crate::otlp) fn used_bytes(&self) -> usize {
        sum([
            used_bytes(&self.resources),
            used_bytes(&self.resource_attributes),
            used_bytes(&self.scopes),
            used_bytes(&self.scope_texts),
            used_bytes(&self.scope_attributes),
        ])
    }

    pub(in crate::otlp) fn capacity_bytes(&self) -> usize {
        sum([
            vec_bytes(&self.resources),
            vec_bytes(&self.resource_attributes),
            vec_bytes(&self.scopes),
            vec_bytes(&self.scope_texts),
            vec_bytes(&self.scope_attributes),
            vec_bytes(&self.skipped),
            #[cfg(feature = "json")]
            vec_bytes(&self.json_skipped),
        ])
    }

    pub(in crate::otlp) fn attributes_len(&self) -> usize {
        self.resource_attributes.len().saturating_add(self.scope_attributes.len())
    }

    /// The resource at `position`: itself, the URL of its schema, the range of its scopes.
    pub(in crate::otlp) fn resource(
        &self,
        position: usize,
    ) -> Option<(Option<Resource<'_, 'a>>, &'a str, (u32, u32))> {
        let row = self.resources.get(position)?;
        let before = position.checked_sub(1).and_then(|before| self.resources.get(before));
        let (scopes_start, attributes_start) =
            before.map_or((0, 0), |row| (row.scopes_end, row.attributes_end & ATTRIBUTES_END));
        let rows =
            range(&self.resource_attributes, attributes_start, row.attributes_end & ATTRIBUTES_END);
        let resource = (row.attributes_end & HAS_RESOURCE != 0).then(|| {
            let mut resource = Resource::new(Attributes::stored(rows, self.body));
            if row.attributes_end & HAS_RARE != 0 {
                let around = self.content(row.raw);
                resource.dropped_attributes_count = dropped_attributes_count(around);
                resource.entity_refs = EntityRefs::of_message(around, RESOURCE);
            }
            resource
        });
        Some((resource, row.schema_url, (scopes_start, row.scopes_end)))
    }

    /// The content of a record.
    fn content(&self, raw: Raw) -> &'a [u8] {
        read_again(range(self.body, raw.start, raw.end), |mut reader| {
            reader.next_tag()?;
            reader.read_bytes()
        })
    }

    /// The scope at `position`: itself, the URL of its schema, the range of what is in it.
    pub(in crate::otlp) fn scope(
        &self,
        position: usize,
    ) -> Option<(Option<InstrumentationScope<'_, 'a>>, &'a str, (u32, u32))> {
        let row = self.scopes.get(position)?;
        let before = position.checked_sub(1).and_then(|before| self.scopes.get(before));
        let before = before.copied().unwrap_or_default();
        let mut texts = range(&self.scope_texts, before.texts_end, row.texts_end).iter();
        let mut text = |bit| {
            if row.has & bit != 0 { texts.next().copied().unwrap_or("") } else { "" }
        };
        let (name, version, schema_url) = (text(HAS_NAME), text(HAS_VERSION), text(HAS_SCHEMA_URL));
        let scope = (row.has & HAS_SCOPE != 0).then(|| {
            let rows = range(&self.scope_attributes, before.attributes_end, row.attributes_end);
            let mut scope = InstrumentationScope::new(name, version);
            scope.attributes = Attributes::stored(rows, self.body);
            scope.dropped_attributes_count = row.dropped_attributes_count;
            scope
        });
        Some((scope, schema_url, (before.children_end, row.children_end)))
    }

    /// Reads the fields of a resource; returns whether it has any but attributes.
    fn read_resource(&mut self, mut cursor: Cursor<'a, '_>) -> Result<bool, DecodeError> {
        let message = cursor.rest();
        let (mut again, mut rare) = (true, false);
        loop {
            if again {
                again = take_run::<{ resource::ATTRIBUTES_BYTE }>(
                    &mut cursor,
                    message,
                    &mut self.resource_attributes,
                );
            }
            let Some(tag) = cursor.next_tag()? else { return Ok(rare) };
            match tag {
                resource::ATTRIBUTES => read_attribute(&mut cursor, &mut self.resource_attributes)?,
                resource::DROPPED_ATTRIBUTES_COUNT => rare |= cursor.read_uint32()? != 0,
                resource::ENTITY_REFS => {
                    check_entity_ref(&mut cursor.read_message()?)?;
                    rare = true;
                }
                _ => cursor.skip_field(tag)?,
            }
        }
    }
}

/// That of the resource in `around`, a message that was checked.
fn dropped_attributes_count(around: &[u8]) -> u32 {
    let mut count = 0;
    let mut resources = Records::new(around);
    while let Some(resource) = resources.next(RESOURCE) {
        read_again(resource, |mut reader| {
            while let Some(tag) = reader.next_tag()? {
                match tag {
                    resource::DROPPED_ATTRIBUTES_COUNT => count = reader.read_uint32()?,
                    _ => reader.skip_field(tag)?,
                }
            }
            Ok(())
        });
    }
    count
}

/// The storage of a signal: what is in its scopes, and the scopes and resources around.
pub(in crate::otlp) trait Signal<'a> {
    /// How long its own columns were at some time.
    type Mark: Copy;

    fn parents(&mut self) -> &mut Parents<'a>;

    fn mark(&self) -> Self::Mark;

    /// Drops all that was read since `mark` was made.
    fn truncate(&mut self, mark: Self::Mark);

    /// How many metrics or log records there are.
    fn children_len(&self) -> usize;

    /// Reads the metric or log record whose tag has just been read.
    fn read_child(&mut self, cursor: &mut Cursor<'a, '_>) -> Result<(), DecodeError>;
}

/// Where the storage of a signal stood.
#[derive(Clone, Copy)]
pub(in crate::otlp) struct SignalMark<M> {
    parents: Mark,
    own: M,
}

pub(in crate::otlp) fn mark<'a, S: Signal<'a>>(signal: &mut S) -> SignalMark<S::Mark> {
    SignalMark { parents: signal.parents().mark(), own: signal.mark() }
}

#[cold]
pub(in crate::otlp) fn truncate_to<'a, S: Signal<'a>>(signal: &mut S, mark: SignalMark<S::Mark>) {
    signal.parents().truncate(mark.parents);
    signal.truncate(mark.own);
}

/// Reads a record of the request from `message`, all of it, which stands at `raw` in the body.
pub(in crate::otlp) fn read_resource<'a, S: Signal<'a>>(
    message: Cursor<'a, '_>,
    raw: Raw,
    signal: &mut S,
) -> Result<(), DecodeError> {
    let mut cursor = message;
    let whole = cursor.reader();
    let (mut flags, mut schema_url, mut deprecated) = (0, "", false);
    let before = index(signal.parents().scopes.len());
    while let Some(tag) = cursor.next_tag()? {
        match tag {
            RESOURCE => {
                flags |= HAS_RESOURCE;
                if signal.parents().read_resource(cursor.read_message()?)? {
                    flags |= HAS_RARE;
                }
            }
            SCOPES => read_scope(&mut cursor, signal)?,
            SCHEMA_URL => schema_url = cursor.read_string()?,
            DEPRECATED_SCOPES => {
                deprecated = true;
                cursor.pass_field(tag)?;
            }
            _ => cursor.skip_field(tag)?,
        }
    }
    if deprecated {
        read_deprecated(&mut cursor.elsewhere(whole), before, signal)?;
    }
    if cursor.content_is_good() {
        let parents = signal.parents();
        let attributes_end = index(parents.resource_attributes.len()) & ATTRIBUTES_END | flags;
        let scopes_end = index(parents.scopes.len());
        push(&mut parents.resources, ResourceRow { raw, schema_url, scopes_end, attributes_end });
    }
    Ok(())
}

/// Reads scopes under their former name. They are kept if there are no others since scope `before`.
#[cold]
fn read_deprecated<'a, S: Signal<'a>>(
    cursor: &mut Cursor<'a, '_>,
    before: u32,
    signal: &mut S,
) -> Result<(), DecodeError> {
    signal.parents().is_unusual = true;
    let keep = index(signal.parents().scopes.len()) == before;
    let (mark, seen) = (mark(signal), signal.parents().seen);
    while let Some(tag) = cursor.next_tag()? {
        match tag {
            DEPRECATED_SCOPES => read_scope(cursor, signal)?,
            _ => cursor.pass_field(tag)?,
        }
    }
    if !keep {
        // Checked they are all the same.
        truncate_to(signal, mark);
        signal.parents().seen = seen;
    }
    Ok(())
}

/// Reads the scope whose tag has just been read.
fn read_scope<'a, S: Signal<'a>>(
    cursor: &mut Cursor<'a, '_>,
    signal: &mut S,
) -> Result<(), DecodeError> {
    cursor.count_element()?;
    let mark = mark(signal);
    let position = signal.parents().seen.scopes;
    signal.parents().seen.scopes = position.wrapping_add(1);
    let fault = cursor.read_apart(|cursor| read_scope_fields(cursor.read_message()?, signal))?;
    if let Some(error) = fault {
        truncate_to(signal, mark);
        signal.parents().skip(RecordKind::Scope, position, error);
    }
    Ok(())
}

fn read_scope_fields<'a, S: Signal<'a>>(
    mut cursor: Cursor<'a, '_>,
    signal: &mut S,
) -> Result<(), DecodeError> {
    let mut row = ScopeRow::default();
    let (mut name, mut version, mut schema_url) = ("", "", "");
    while let Some(tag) = cursor.next_tag()? {
        match tag {
            SCOPE => {
                row.has |= HAS_SCOPE;
                let attributes = &mut signal.parents().scope_attributes;
                let mut cursor = cursor.read_message()?;
                let message = cursor.rest();
                let mut again = true;
                loop {
                    if again {
                        again = take_run::<{ scope::ATTRIBUTES_BYTE }>(
                            &mut cursor,
                            message,
                            attributes,
                        );
                    }
                    let Some(tag) = cursor.next_tag()? else { break };
                    match tag {
                        scope::NAME => name = cursor.read_string()?,
                        scope::VERSION => version = cursor.read_string()?,
                        scope::ATTRIBUTES => read_attribute(&mut cursor, attributes)?,
                        scope::DROPPED_ATTRIBUTES_COUNT => {
                            row.dropped_attributes_count = cursor.read_uint32()?;
                        }
                        _ => cursor.skip_field(tag)?,
                    }
                }
            }
            CHILDREN => signal.read_child(&mut cursor)?,
            SCHEMA_URL => schema_url = cursor.read_string()?,
            _ => cursor.skip_field(tag)?,
        }
    }
    row.children_end = index(signal.children_len());
    let parents = signal.parents();
    for (text, bit) in [(name, HAS_NAME), (version, HAS_VERSION), (schema_url, HAS_SCHEMA_URL)] {
        if !text.is_empty() {
            row.has |= bit;
            push(&mut parents.scope_texts, text);
        }
    }
    row.texts_end = index(parents.scope_texts.len());
    row.attributes_end = index(parents.scope_attributes.len());
    push(&mut parents.scopes, row);
    Ok(())
}
