//! `logproto.PushRequest`, as Loki has it.

use borrowire::loki::{Entry, LabelPair, PushRequest, Stream, Timestamp};

use super::{Object, integer, list, string};

/// Appends `request` to `json`.
pub fn push_request(json: &mut String, request: &PushRequest<'_>) {
    let mut object = Object::begin(json);
    object.list("streams", request.streams(), stream);
    object.string("format", request.format());
    object.end();
}

fn stream(json: &mut String, stream: Stream<'_, '_>) {
    let mut object = Object::begin(json);
    object.string("labels", stream.labels());
    object.list("entries", stream.entries(), entry);
    object.integer("hash", stream.hash());
    object.end();
}

fn entry(json: &mut String, entry: Entry<'_, '_>) {
    let mut object = Object::begin(json);
    if let Some(time) = entry.timestamp() {
        timestamp(object.member("timestamp"), time);
    }
    match entry.line_str() {
        Ok(line) => object.string("line", line),
        Err(_) => invalid_utf8(object.member("line"), entry.line()),
    }
    object.list("structuredMetadata", entry.structured_metadata(), label_pair);
    object.list("parsed", entry.parsed(), label_pair);
    object.end();
}

/// Short form: `[seconds, nanos]`.
fn timestamp(json: &mut String, time: Timestamp) {
    list(json, [time.seconds, time.nanos.into()], integer);
}

/// Short form: `[name, value]`.
fn label_pair(json: &mut String, pair: &LabelPair<'_>) {
    list(json, [pair.name, pair.value], string);
}

/// Bytes that stand where the schema says text: `{"invalid_utf8_hex": "..."}`.
fn invalid_utf8(json: &mut String, bytes: &[u8]) {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut object = Object::begin(json);
    object.string("invalid_utf8_hex", &hex);
    object.end();
}
