//! `ScopeLogs`: the log records of one instrumentation scope.

use super::log_record::LogRecord;
use super::storage::Storage;
use crate::message::fields::{text_len, write_text};
use crate::otlp::common::{
    CHILDREN, Guess, InstrumentationScope, SCHEMA_URL, SCOPE, stored_list, write_guessing,
};
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Writer};

/// The log records of one instrumentation scope.
///
/// ```
/// use borrowire::otlp::InstrumentationScope;
/// use borrowire::otlp::logs::{LogRecord, LogRecords, ScopeLogs};
///
/// let records = [LogRecord::default()];
/// let scope = InstrumentationScope::new("my.library", "1.0.0");
/// let scope_logs = ScopeLogs::new(scope, LogRecords::new(&records));
/// assert_eq!(scope_logs.log_records.len(), 1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScopeLogs<'s, 'a> {
    /// The scope; `None` if the sender left it out, which is to be read as an empty one.
    pub scope: Option<InstrumentationScope<'s, 'a>>,
    /// The records.
    pub log_records: LogRecords<'s, 'a>,
    /// The schema of the records.
    pub schema_url: &'a str,
}

impl<'s, 'a> ScopeLogs<'s, 'a> {
    /// `log_records` of `scope`.
    #[must_use]
    pub fn new(scope: InstrumentationScope<'s, 'a>, log_records: LogRecords<'s, 'a>) -> Self {
        Self { scope: Some(scope), log_records, schema_url: "" }
    }

    pub(super) fn write_guessing(
        &self,
        writer: &mut Writer<'_>,
        record: &mut Guess,
    ) -> Result<(), BufferFull> {
        if let Some(scope) = self.scope {
            writer.write_message(SCOPE, &scope)?;
        }
        for log_record in self.log_records {
            record.write_message(writer, CHILDREN, &log_record)?;
        }
        write_text(writer, SCHEMA_URL, self.schema_url)
    }
}

impl Encode for ScopeLogs<'_, '_> {
    fn encoded_len(&self) -> usize {
        let scope = self.scope.map_or(0, |scope| wire::message_len(SCOPE, scope.encoded_len()));
        self.log_records
            .iter()
            .fold(scope.saturating_add(text_len(SCHEMA_URL, self.schema_url)), |sum, record| {
                sum.saturating_add(wire::message_len(CHILDREN, record.encoded_len()))
            })
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_guessing(writer, |writer, guess| self.write_guessing(writer, &mut { guess }))
    }
}

stored_list! {
    /// Log records: the caller's slice, or those of a decoded scope.
    ///
    /// ```
    /// use borrowire::otlp::logs::{LogRecord, LogRecords};
    ///
    /// let records = [LogRecord::default()];
    /// assert_eq!(LogRecords::new(&records).get(0), Some(LogRecord::default()));
    /// ```
    LogRecords of LogRecord in Storage, log_record;
    /// Iterates over [`LogRecords`].
    LogRecordsIter
}
