//! What can be done with a request of any kind.

use std::fmt::{Display, Write};

use anyhow::{Error, Result, anyhow};
use borrowire::loki::json::{JsonError, JsonScratch};
use borrowire::loki::{self, PushRequest};
use borrowire::remote_write::v1::WriteRequest;
use borrowire::remote_write::v2::{Request, Symbolizer};
use borrowire::{DecodeError, Encode, remote_write};

use crate::arguments::RequestKind;
use crate::json_form::{PushRequestForm, RequestForm, WriteRequestForm};

/// A decoded request.
pub trait Inspected {
    /// Its content.
    fn to_json(&self) -> Result<String>;

    /// What breaks the default rules, one a line.
    fn violations(&self) -> String;

    /// The request, encoded again.
    fn encode(&self) -> Result<Vec<u8>>;
}

impl Inspected for WriteRequest<'_> {
    fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string(&WriteRequestForm(self))?)
    }

    fn violations(&self) -> String {
        let mut lines = String::new();
        self.validate(&remote_write::Rules::new(), |violation| line(&mut lines, violation));
        lines
    }

    fn encode(&self) -> Result<Vec<u8>> {
        Ok(self.encode_to_vec()?)
    }
}

/// Encoded again, it has other symbols: those that are used, in the order of their use.
impl Inspected for Request<'_> {
    fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string(&RequestForm(self))?)
    }

    fn violations(&self) -> String {
        let mut lines = String::new();
        self.validate(&remote_write::Rules::new(), |violation| line(&mut lines, violation));
        lines
    }

    fn encode(&self) -> Result<Vec<u8>> {
        Ok(self.encoder(&mut Symbolizer::new())?.encode_to_vec()?)
    }
}

impl Inspected for PushRequest<'_> {
    fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string(&PushRequestForm(self))?)
    }

    fn violations(&self) -> String {
        let mut lines = String::new();
        self.validate(&loki::Rules::new(), |violation| line(&mut lines, violation));
        lines
    }

    fn encode(&self) -> Result<Vec<u8>> {
        Ok(self.encode_to_vec()?)
    }
}

/// A push that is written as Loki's JSON.
pub struct JsonPush<'r, 'a>(pub &'r PushRequest<'a>);

impl Inspected for JsonPush<'_, '_> {
    fn to_json(&self) -> Result<String> {
        self.0.to_json()
    }

    fn violations(&self) -> String {
        self.0.violations()
    }

    fn encode(&self) -> Result<Vec<u8>> {
        Ok(self.0.json_encoder(&mut JsonScratch::new())?.encode_to_vec()?)
    }
}

fn line(lines: &mut String, violation: impl Display) {
    writeln!(lines, "{violation}").expect("a String takes all");
}

/// Decodes a body of protobuf, and shows the request to `look`.
pub fn decode<T>(
    kind: RequestKind,
    body: &[u8],
    look: impl FnOnce(&dyn Inspected) -> Result<T>,
) -> Result<T> {
    match kind {
        RequestKind::RemoteWriteV1 => look(&WriteRequest::decode(body).map_err(describe)?),
        RequestKind::RemoteWriteV2 => look(&Request::decode(body).map_err(describe)?),
        RequestKind::LokiPush => look(&PushRequest::decode(body).map_err(describe)?),
    }
}

/// Decodes a push that is JSON, and shows it to `look`.
pub fn decode_json<T>(body: &[u8], look: impl FnOnce(&dyn Inspected) -> Result<T>) -> Result<T> {
    let mut scratch = JsonScratch::new();
    let push = PushRequest::decode_json(body, &mut scratch).map_err(describe_json)?;
    look(&JsonPush(&push))
}

/// The error's own words leave out a field that there is not; a script wants the same parts each
/// time.
pub fn describe(error: DecodeError) -> Error {
    let (kind, field, offset) = (error.kind(), error.field_number(), error.offset());
    anyhow!("{kind} (kind {kind:?}, field {field}, offset {offset})")
}

fn describe_json(error: JsonError) -> Error {
    let (kind, offset) = (error.kind(), error.offset());
    anyhow!("{kind} (kind {kind:?}, field 0, offset {offset})")
}
