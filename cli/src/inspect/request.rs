//! What can be done with a request of any kind.

use std::fmt::{Debug, Display, Write};

use anyhow::{Error, Result, anyhow};
use borrowire::loki::{self, PushRequest};
use borrowire::otlp::logs::ExportLogsServiceRequest;
use borrowire::otlp::metrics::ExportMetricsServiceRequest;
use borrowire::remote_write::v1::WriteRequest;
use borrowire::remote_write::v2::{Request, Symbolizer};
use borrowire::{DecodeError, Encode, otlp, remote_write};

use crate::arguments::MessageKind;
use crate::json_form::{
    LogsRequestForm, MetricsRequestForm, PushRequestForm, RequestForm, WriteRequestForm,
};

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

impl Inspected for ExportMetricsServiceRequest<'_> {
    fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string(&MetricsRequestForm(self))?)
    }

    fn violations(&self) -> String {
        let mut lines = String::new();
        self.validate(&otlp::Rules::new(), |violation| line(&mut lines, violation));
        lines
    }

    fn encode(&self) -> Result<Vec<u8>> {
        Ok(self.encode_to_vec()?)
    }
}

impl Inspected for ExportLogsServiceRequest<'_> {
    fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string(&LogsRequestForm(self))?)
    }

    fn violations(&self) -> String {
        let mut lines = String::new();
        self.validate(&otlp::Rules::new(), |violation| line(&mut lines, violation));
        lines
    }

    fn encode(&self) -> Result<Vec<u8>> {
        Ok(self.encode_to_vec()?)
    }
}

/// A request that is written as its protocol's JSON.
pub struct Json<'r, R>(pub &'r R);

impl<R: Inspected + EncodeJson> Inspected for Json<'_, R> {
    fn to_json(&self) -> Result<String> {
        self.0.to_json()
    }

    fn violations(&self) -> String {
        self.0.violations()
    }

    fn encode(&self) -> Result<Vec<u8>> {
        self.0.encode_json()
    }
}

/// A request whose protocol has a JSON form.
pub trait EncodeJson {
    /// The request, encoded in that form.
    fn encode_json(&self) -> Result<Vec<u8>>;
}

impl EncodeJson for PushRequest<'_> {
    fn encode_json(&self) -> Result<Vec<u8>> {
        Ok(self.json_encoder(&mut loki::json::JsonScratch::new())?.encode_to_vec()?)
    }
}

impl EncodeJson for ExportMetricsServiceRequest<'_> {
    fn encode_json(&self) -> Result<Vec<u8>> {
        Ok(self.json_encoder(&mut otlp::json::JsonScratch::new())?.encode_to_vec()?)
    }
}

impl EncodeJson for ExportLogsServiceRequest<'_> {
    fn encode_json(&self) -> Result<Vec<u8>> {
        Ok(self.json_encoder(&mut otlp::json::JsonScratch::new())?.encode_to_vec()?)
    }
}

fn line(lines: &mut String, violation: impl Display) {
    writeln!(lines, "{violation}").expect("a String takes all");
}

/// Decodes a body of protobuf, and shows the request to `look`.
pub fn decode<T>(
    kind: MessageKind,
    body: &[u8],
    look: impl FnOnce(&dyn Inspected) -> Result<T>,
) -> Result<T> {
    match kind {
        MessageKind::RemoteWriteV1 => look(&WriteRequest::decode(body).map_err(describe)?),
        MessageKind::RemoteWriteV2 => look(&Request::decode(body).map_err(describe)?),
        MessageKind::LokiPush => look(&PushRequest::decode(body).map_err(describe)?),
        MessageKind::OtlpMetrics => {
            look(&ExportMetricsServiceRequest::decode(body).map_err(describe)?)
        }
        MessageKind::OtlpLogs => look(&ExportLogsServiceRequest::decode(body).map_err(describe)?),
    }
}

/// Decodes a body of JSON, which the message has, and shows the request to `look`.
pub fn decode_json<T>(
    kind: MessageKind,
    body: &[u8],
    look: impl FnOnce(&dyn Inspected) -> Result<T>,
) -> Result<T> {
    if kind == MessageKind::LokiPush {
        let mut scratch = loki::json::JsonScratch::new();
        let push = PushRequest::decode_json(body, &mut scratch)
            .map_err(|error| describe_json(error.kind(), error.offset()))?;
        return look(&Json(&push));
    }
    let mut scratch = otlp::json::JsonScratch::new();
    let describe = |error: otlp::json::JsonError| describe_json(error.kind(), error.offset());
    if kind == MessageKind::OtlpMetrics {
        let request = ExportMetricsServiceRequest::decode_json(body, &mut scratch);
        return look(&Json(&request.map_err(describe)?));
    }
    let request = ExportLogsServiceRequest::decode_json(body, &mut scratch);
    look(&Json(&request.map_err(describe)?))
}

/// The error's own words leave out a field that there is not; a script wants the same parts each
/// time.
pub fn describe(error: DecodeError) -> Error {
    let (kind, field, offset) = (error.kind(), error.field_number(), error.offset());
    anyhow!("{kind} (kind {kind:?}, field {field}, offset {offset})")
}

fn describe_json(kind: impl Debug + Display, offset: usize) -> Error {
    anyhow!("{kind} (kind {kind:?}, field 0, offset {offset})")
}
