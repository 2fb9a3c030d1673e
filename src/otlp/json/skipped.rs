//! What was left out of a body of which not all was good.

use core::fmt;

use super::error::JsonError;
use crate::message::columns::index;
use crate::otlp::record_kind::RecordKind;
use crate::wire::to_usize;

/// A data point, an exemplar or a log record that partial mode left out of a body in JSON.
///
/// ```
/// use borrowire::otlp::json::{JsonErrorKind, JsonScratch};
/// use borrowire::otlp::logs::ExportLogsServiceRequest;
/// use borrowire::otlp::{DecodeOptions, RecordKind};
///
/// let body = br#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[
///   {"severityText":"INFO"}, {"spanId":"0102"}, {"severityText":"WARN"}
/// ]}]}]}"#;
/// let options = DecodeOptions::new().with_partial(true);
/// let mut scratch = JsonScratch::new();
/// let request = ExportLogsServiceRequest::decode_json_with(body, &mut scratch, &options)?;
/// assert_eq!((request.log_records_len(), request.rejected_log_records()), (2, 1));
///
/// let skipped = request.json_skipped()[0];
/// assert_eq!((skipped.kind(), skipped.index()), (RecordKind::LogRecord, 1));
/// assert_eq!(skipped.error().kind(), JsonErrorKind::InvalidId);
/// assert_eq!(skipped.to_string(), "log record 1 left out: invalid hexadecimal id at byte 84");
/// # Ok::<(), borrowire::otlp::json::JsonError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct JsonSkipped {
    // Small, for there can be one for each two bytes of a body.
    kind: RecordKind,
    index: u32,
    error: JsonError,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<JsonSkipped>() == 24);

impl JsonSkipped {
    pub(super) fn new(kind: RecordKind, position: usize, error: JsonError) -> Self {
        Self { kind, index: index(position), error }
    }

    /// What was left out.
    #[must_use]
    pub const fn kind(&self) -> RecordKind {
        self.kind
    }

    /// Its position among all of its kind as they stood in the body, from 0.
    #[must_use]
    pub const fn index(&self) -> usize {
        to_usize(self.index)
    }

    /// What is wrong with it, and where in the body.
    #[must_use]
    pub const fn error(&self) -> JsonError {
        self.error
    }
}

impl fmt::Display for JsonSkipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} left out: {}", self.kind, self.index, self.error)
    }
}
