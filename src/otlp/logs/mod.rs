//! Logs: `ExportLogsServiceRequest`.
//!
//! ```text
//! ExportLogsServiceRequest  1 resource_logs*
//! ResourceLogs              1 resource        2 scope_logs*    3 schema_url
//! ScopeLogs                 1 scope           2 log_records*   3 schema_url
//! LogRecord                 see LogRecord
//! ```
//!
//! Source: opentelemetry-proto, `opentelemetry/proto/logs/v1/logs.proto`.

mod log_record;
mod request;
mod resource_logs;
mod scope_logs;
mod severity_number;
mod storage;

pub use log_record::LogRecord;
pub use request::{ExportLogsServiceRequest, ExportLogsServiceRequestEncoder};
pub use resource_logs::{
    LogRecordItem, ResourceLogs, ResourceLogsList, ResourceLogsListIter, ScopeLogsList,
    ScopeLogsListIter,
};
pub use scope_logs::{LogRecords, LogRecordsIter, ScopeLogs};
pub use severity_number::SeverityNumber;
