//! OpenTelemetry's protocol, OTLP: metrics and logs.

mod response;

pub use response::{
    Any, Details, ExportResponse, MAX_RESPONSE_BYTES, PartialSuccess, Status, is_retryable,
    retryable_status,
};
