//! Reading a body: serde_json finds the pieces, which go straight into the storage.
//!
//! Strings are asked for as raw JSON, quotes and escapes included. So what has no escapes is
//! borrowed, what has some is resolved into the arena instead of memory that serde_json allocates,
//! and the place of each piece is known.
//!
//! serde_json cannot go on behind an error. So in partial mode, once a body is known to have a
//! fault, streams and entries are asked for as raw JSON as well, and each is read apart.

use core::fmt;

use bumpalo::Bump;
use serde_core::de::{
    DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::value::RawValue;

use super::error::{JsonError, JsonErrorKind, bytes_read};
use super::skipped::JsonSkipped;
use super::{labels, rfc3339, text};
use crate::loki::push::Storage;
use crate::loki::{DecodeOptions, LabelPair, Timestamp};
use crate::message::columns::push;
use crate::message::request::Raw;
use crate::wire;
use crate::wire::error::MAX_MESSAGE_BYTES;
use crate::wire::impossible;
use crate::wire::quote::is_identifier;

/// Reads `body` into `storage`, which is empty. Returns whether it held members that are not known.
pub(super) fn read<'a>(
    body: &'a [u8],
    arena: &'a Bump,
    storage: &mut Storage<'a>,
    options: &DecodeOptions,
) -> Result<bool, JsonError> {
    if body.len() > options.limits.max_message_bytes.min(MAX_MESSAGE_BYTES) {
        return Err(JsonError::new(JsonErrorKind::MessageTooLarge, 0));
    }
    // Once for all of it, so that no piece needs a check of its own.
    let Some(body) = wire::text_region(body) else {
        let valid = core::str::from_utf8(body).err().map_or(0, |error| error.valid_up_to());
        return Err(JsonError::new(JsonErrorKind::InvalidUtf8, valid));
    };
    match read_all(body, arena, storage, options, Faults::Fail) {
        // Most bodies are good, and read once.
        Err(error) if options.partial && error.kind().is_content() => {
            storage.clear();
            read_all(body, arena, storage, options, Faults::Skip)
        }
        result => result,
    }
}

fn read_all<'a>(
    body: &'a str,
    arena: &'a Bump,
    storage: &mut Storage<'a>,
    options: &DecodeOptions,
    faults: Faults,
) -> Result<bool, JsonError> {
    let mut state = State {
        body,
        arena,
        storage,
        options,
        faults,
        elements_left: options.limits.max_elements,
        streams_begun: 0,
        labels: "",
        unknown: false,
        fault: None,
    };
    state.read_part(Piece::Body, body)?;
    Ok(state.unknown)
}

/// What a fault in a stream or in an entry does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Faults {
    /// It fails the push.
    Fail,
    /// It costs the stream or the entry.
    Skip,
}

struct State<'r, 'a> {
    body: &'a str,
    arena: &'a Bump,
    storage: &'r mut Storage<'a>,
    options: &'r DecodeOptions,
    faults: Faults,
    /// How many more elements the limits allow.
    elements_left: usize,
    /// How many streams there were so far, the current one and those left out among them.
    streams_begun: usize,
    /// The labels of the current stream.
    labels: &'a str,
    unknown: bool,
    /// What is wrong beyond the JSON: serde's errors have no place for it.
    fault: Option<PushFault>,
}

/// What is wrong with a push, which is JSON so far.
struct PushFault {
    kind: JsonErrorKind,
    /// `None`: as far as serde_json has read.
    offset: Option<usize>,
}

/// What is read.
#[derive(Clone, Copy)]
enum Piece {
    /// `{"streams":[...]}`
    Body,
    Streams,
    /// `{"stream":{...},"values":[...]}`, or in the older shape `{"labels":"...","entries":[...]}`.
    Stream,
    /// `{"job":"varlogs"}`
    Labels,
    Values,
    /// `["1700000000000000000","line",{...}]`
    Value,
    /// `{"trace_id":"0242ac120002"}`
    Metadata,
    Entries,
    /// `{"ts":"2023-11-14T22:13:20Z","line":"..."}`
    Entry,
}

/// Reads a piece: tells serde_json what to look for, and takes what it finds.
struct PieceReader<'s, 'r, 'a> {
    piece: Piece,
    state: &'s mut State<'r, 'a>,
}

impl<'a> DeserializeSeed<'a> for PieceReader<'_, '_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, json: D) -> Result<(), D::Error> {
        match self.piece {
            Piece::Stream => {
                self.state.begin_stream()?;
                json.deserialize_map(self)
            }
            Piece::Body | Piece::Labels | Piece::Metadata => json.deserialize_map(self),
            Piece::Streams | Piece::Values | Piece::Value | Piece::Entries | Piece::Entry => {
                json.deserialize_option(self)
            }
        }
    }
}

impl<'a> Visitor<'a> for PieceReader<'_, '_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a piece of a push")
    }

    /// Null: nothing, also in place of an entry.
    fn visit_none<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_some<D: Deserializer<'a>>(self, json: D) -> Result<(), D::Error> {
        match self.piece {
            Piece::Value => {
                self.state.count_element()?;
                json.deserialize_seq(self)
            }
            Piece::Entry => {
                self.state.count_element()?;
                json.deserialize_map(self)
            }
            _ => json.deserialize_seq(self),
        }
    }

    fn visit_seq<S: SeqAccess<'a>>(self, mut elements: S) -> Result<(), S::Error> {
        let Self { piece, state } = self;
        let element = match piece {
            Piece::Streams => Piece::Stream,
            Piece::Values => Piece::Value,
            Piece::Entries => Piece::Entry,
            _ => return state.read_value(&mut elements),
        };
        match state.faults {
            Faults::Fail => while elements.next_element_seed(state.reader(element))?.is_some() {},
            Faults::Skip => {
                let mut position = 0_usize;
                while let Some(raw) = elements.next_element::<&RawValue>()? {
                    state.read_or_skip(element, position, raw.get())?;
                    position = position.saturating_add(1);
                }
            }
        }
        Ok(())
    }

    fn visit_map<M: MapAccess<'a>>(self, mut members: M) -> Result<(), M::Error> {
        let Self { piece, state } = self;
        match piece {
            Piece::Stream => state.read_stream(&mut members),
            Piece::Labels => state.read_labels(&mut members),
            Piece::Metadata => state.read_metadata(&mut members),
            Piece::Entry => state.read_entry(&mut members),
            _ => state.read_body(&mut members),
        }
    }
}

impl<'r, 'a> State<'r, 'a> {
    fn reader(&mut self, piece: Piece) -> PieceReader<'_, 'r, 'a> {
        PieceReader { piece, state: self }
    }

    /// Reads a piece that is all of `part`, which is a piece of the body.
    fn read_part(&mut self, piece: Piece, part: &'a str) -> Result<(), JsonError> {
        let mut json = serde_json::Deserializer::from_str(part);
        let read = self.reader(piece).deserialize(&mut json).and_then(|()| json.end());
        read.map_err(|error| self.locate(&error, part))
    }

    /// What `error` is about, which was met in `part`, and where that is in the body.
    #[cold]
    fn locate(&mut self, error: &serde_json::Error, part: &str) -> JsonError {
        let start = text::offset_in(self.body, part);
        match self.fault.take() {
            None => JsonError::from_serde(error, part).behind(start),
            Some(PushFault { kind, offset: Some(offset) }) => JsonError::new(kind, offset),
            Some(PushFault { kind, offset: None }) => {
                // An entry that lacks something has been read to its end.
                let end = usize::from(kind == JsonErrorKind::MissingElement);
                let read = bytes_read(error, part).saturating_sub(end);
                JsonError::new(kind, read).behind(start)
            }
        }
    }

    /// Reads a stream or an entry that is all of `part`, the one at `position` in its array, or
    /// leaves it out.
    fn read_or_skip<E: Error>(
        &mut self,
        piece: Piece,
        position: usize,
        part: &'a str,
    ) -> Result<(), E> {
        let streams_kept = self.storage.streams.len();
        let metadata_kept = self.storage.metadata.len();
        let skipped_kept = self.storage.skipped().len();
        let Err(error) = self.read_part(piece, part) else { return Ok(()) };
        if !error.kind().is_content() {
            self.fault = Some(PushFault { kind: error.kind(), offset: Some(error.offset()) });
            return Err(E::custom(""));
        }
        let skipped = if matches!(piece, Piece::Stream) {
            self.storage.truncate(streams_kept);
            self.storage.truncate_skipped(skipped_kept);
            JsonSkipped::of_stream(position, error)
        } else {
            // An entry is stored when it has been read; before that only its metadata is.
            self.storage.metadata.truncate(metadata_kept);
            let stream = self.streams_begun.saturating_sub(1);
            JsonSkipped::of_entry(stream, position, error)
        };
        self.storage.skip(skipped);
        Ok(())
    }

    fn read_body<M: MapAccess<'a>>(&mut self, members: &mut M) -> Result<(), M::Error> {
        while let Some(name) = members.next_key()? {
            match self.text(name)? {
                "streams" => {
                    // Of members with the same name the last counts, here and below, as in Loki.
                    self.storage.clear();
                    self.streams_begun = 0;
                    members.next_value_seed(self.reader(Piece::Streams))?;
                }
                _ => self.skip(members)?,
            }
        }
        Ok(())
    }

    fn begin_stream<E: Error>(&mut self) -> Result<(), E> {
        if self.streams_begun >= self.options.max_streams {
            return Err(self.fail(JsonErrorKind::LimitExceeded));
        }
        self.streams_begun = self.streams_begun.saturating_add(1);
        self.count_element()
    }

    fn read_stream<M: MapAccess<'a>>(&mut self, members: &mut M) -> Result<(), M::Error> {
        let kept = (self.storage.streams.len(), self.storage.skipped().len());
        self.labels = "";
        while let Some(name) = members.next_key()? {
            match self.text(name)? {
                "stream" => members.next_value_seed(self.reader(Piece::Labels))?,
                "values" => {
                    self.begin_entries(kept);
                    members.next_value_seed(self.reader(Piece::Values))?;
                }
                "labels" => self.labels = self.text(members.next_value()?)?,
                "entries" => {
                    self.begin_entries(kept);
                    members.next_value_seed(self.reader(Piece::Entries))?;
                }
                _ => self.skip(members)?,
            }
        }
        self.storage.end_stream(self.labels, 0, Raw::default());
        Ok(())
    }

    /// Forgets the entries of a member before: all behind so many streams and notes of what was
    /// left out.
    fn begin_entries(&mut self, (streams, skipped): (usize, usize)) {
        self.storage.truncate(streams);
        self.storage.truncate_skipped(skipped);
    }

    fn read_labels<M: MapAccess<'a>>(&mut self, members: &mut M) -> Result<(), M::Error> {
        // For the time being at the end of the metadata, where all that entries have is in front.
        let start = self.storage.metadata.len();
        while let Some(raw) = members.next_key::<&RawValue>()? {
            let name = self.text(raw)?;
            let quoted = self.options.quoted_names && !name.is_empty();
            if !quoted && !is_identifier(name) {
                return Err(self.fail_at(raw.get(), JsonErrorKind::InvalidLabelName));
            }
            let value: &RawValue = members.next_value()?;
            push(&mut self.storage.metadata, LabelPair::new(name, value.get()));
        }
        let pairs = self.storage.metadata.get_mut(start..).unwrap_or_else(impossible);
        let pairs = labels::last_of_each(pairs, self.body);
        for pair in pairs.iter_mut() {
            // What is no string is taken as it stands.
            if let Some(value) = inside_quotes(pair.value) {
                match text::unescape(value, self.arena) {
                    Ok(value) => pair.value = value,
                    Err(at) => {
                        let place = value.get(at..).unwrap_or_else(impossible);
                        return Err(self.fail_at(place, JsonErrorKind::InvalidEscape));
                    }
                }
            }
        }
        self.labels = labels::write(pairs, self.arena);
        self.storage.metadata.truncate(start);
        Ok(())
    }

    fn read_value<S: SeqAccess<'a>>(&mut self, elements: &mut S) -> Result<(), S::Error> {
        let (Some(time), Some(line)) = (elements.next_element()?, elements.next_element()?) else {
            return Err(self.fail(JsonErrorKind::MissingElement));
        };
        let (time, line) = (self.nanos(time)?, self.text(line)?);
        if elements.next_element_seed(self.reader(Piece::Metadata))?.is_some() {
            while elements.next_element::<IgnoredAny>()?.is_some() {
                self.unknown = true;
            }
        }
        self.storage.push_entry(Some(time), line.as_bytes(), 0);
        Ok(())
    }

    fn read_metadata<M: MapAccess<'a>>(&mut self, members: &mut M) -> Result<(), M::Error> {
        while let Some(raw) = members.next_key::<&RawValue>()? {
            let Some(left) = self.elements_left.checked_sub(1) else {
                return Err(self.fail_at(raw.get(), JsonErrorKind::LimitExceeded));
            };
            self.elements_left = left;
            let pair = LabelPair::new(self.text(raw)?, self.text(members.next_value()?)?);
            push(&mut self.storage.metadata, pair);
        }
        Ok(())
    }

    fn read_entry<M: MapAccess<'a>>(&mut self, members: &mut M) -> Result<(), M::Error> {
        let (mut time, mut line) = (None, None);
        while let Some(name) = members.next_key()? {
            match self.text(name)? {
                "ts" => {
                    let raw: &RawValue = members.next_value()?;
                    time =
                        Some(rfc3339::parse(self.text(raw)?).ok_or_else(|| {
                            self.fail_at(raw.get(), JsonErrorKind::InvalidTimestamp)
                        })?);
                }
                "line" => line = Some(self.text(members.next_value()?)?),
                _ => self.skip(members)?,
            }
        }
        let (Some(time), Some(line)) = (time, line) else {
            return Err(self.fail(JsonErrorKind::MissingElement));
        };
        self.storage.push_entry(Some(time), line.as_bytes(), 0);
        Ok(())
    }

    /// The text of a string.
    #[inline]
    fn text<E: Error>(&mut self, raw: &'a RawValue) -> Result<&'a str, E> {
        let Some(inner) = inside_quotes(raw.get()) else {
            return Err(self.fail_at(raw.get(), JsonErrorKind::UnexpectedType));
        };
        text::unescape(inner, self.arena).map_err(|at| {
            self.fail_at(inner.get(at..).unwrap_or_else(impossible), JsonErrorKind::InvalidEscape)
        })
    }

    /// A time in nanoseconds since the Unix epoch, as a string.
    #[inline]
    fn nanos<E: Error>(&mut self, raw: &'a RawValue) -> Result<Timestamp, E> {
        let text = self.text(raw)?;
        match text.parse() {
            // Loki takes no plus.
            Ok(nanos) if !text.starts_with('+') => Ok(Timestamp::from_unix_nanos(nanos)),
            _ => Err(self.fail_at(raw.get(), JsonErrorKind::InvalidTimestamp)),
        }
    }

    /// Passes over a member that is not known.
    fn skip<M: MapAccess<'a>>(&mut self, members: &mut M) -> Result<(), M::Error> {
        self.unknown = true;
        members.next_value::<IgnoredAny>().map(drop)
    }

    /// Counts an element, at whose start serde_json stands.
    fn count_element<E: Error>(&mut self) -> Result<(), E> {
        let left = self.elements_left.checked_sub(1);
        self.elements_left = left.ok_or_else(|| self.fail(JsonErrorKind::LimitExceeded))?;
        Ok(())
    }

    /// An error where serde_json stands.
    #[cold]
    fn fail<E: Error>(&mut self, kind: JsonErrorKind) -> E {
        self.fault = Some(PushFault { kind, offset: None });
        E::custom("")
    }

    /// An error where `piece` begins, which is a piece of the body.
    #[cold]
    fn fail_at<E: Error>(&mut self, piece: &str, kind: JsonErrorKind) -> E {
        let offset = text::offset_in(self.body, piece);
        self.fault = Some(PushFault { kind, offset: Some(offset) });
        E::custom("")
    }
}

/// What is in a string, escapes and all; `None` if the value is no string.
#[inline]
fn inside_quotes(raw: &str) -> Option<&str> {
    raw.strip_prefix('"')?.strip_suffix('"')
}
