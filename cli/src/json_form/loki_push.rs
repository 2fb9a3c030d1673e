//! `logproto.PushRequest`, as Loki has it.

use borrowire::loki::{Entry, LabelPair, PushRequest, Stream, Timestamp};
use serde::ser::{Serialize, Serializer};

use super::Object;

/// A push of Loki.
pub struct PushRequestForm<'r, 'a>(pub &'r PushRequest<'a>);

impl Serialize for PushRequestForm<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::begin(serializer)?;
        object.list("streams", self.0.streams().iter().map(StreamForm))?;
        object.string("format", self.0.format())?;
        object.end()
    }
}

struct StreamForm<'s, 'a>(Stream<'s, 'a>);

impl Serialize for StreamForm<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::begin(serializer)?;
        object.string("labels", self.0.labels())?;
        object.list("entries", self.0.entries().iter().map(EntryForm))?;
        object.integer("hash", self.0.hash())?;
        object.end()
    }
}

struct EntryForm<'s, 'a>(Entry<'s, 'a>);

impl Serialize for EntryForm<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entry = &self.0;
        let mut object = Object::begin(serializer)?;
        if let Some(Timestamp { seconds, nanos, .. }) = entry.timestamp() {
            object.member("timestamp", &(seconds, nanos))?;
        }
        match entry.line_str() {
            Ok(line) => object.string("line", line)?,
            Err(_) => object.member("line", &InvalidUtf8(entry.line()))?,
        }
        object.list("structuredMetadata", entry.structured_metadata().iter().map(short_pair))?;
        object.list("parsed", entry.parsed().iter().map(short_pair))?;
        object.end()
    }
}

/// Short form: `[name, value]`.
fn short_pair<'a>(pair: &LabelPair<'a>) -> [&'a str; 2] {
    [pair.name, pair.value]
}

/// Bytes that stand where the schema says text: `{"invalid_utf8_hex": "..."}`.
struct InvalidUtf8<'a>(&'a [u8]);

impl Serialize for InvalidUtf8<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let hex: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut object = Object::begin(serializer)?;
        object.member("invalid_utf8_hex", &hex)?;
        object.end()
    }
}
