//! `ResourceLogs`: the log records of one resource.

use super::log_record::LogRecord;
use super::scope_logs::{LogRecords, ScopeLogs};
use super::storage::Storage;
use crate::message::fields::{text_len, write_text};
use crate::otlp::common::{
    Guess, RESOURCE, Resource, SCHEMA_URL, SCOPES, stored_list, write_guessing,
};
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Writer};

/// The log records of one resource.
///
/// ```
/// use borrowire::otlp::Resource;
/// use borrowire::otlp::logs::{ResourceLogs, ScopeLogs, ScopeLogsList};
///
/// let scopes = [ScopeLogs::default()];
/// let resource_logs = ResourceLogs::new(Resource::default(), ScopeLogsList::new(&scopes));
/// assert_eq!(resource_logs.scope_logs.len(), 1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResourceLogs<'s, 'a> {
    /// The resource; `None` if the sender left it out: then it is not known.
    pub resource: Option<Resource<'s, 'a>>,
    /// The records, by scope.
    pub scope_logs: ScopeLogsList<'s, 'a>,
    /// The schema of the resource.
    pub schema_url: &'a str,
}

/// A log record with all that is around it.
///
/// ```
/// use borrowire::otlp::logs::ExportLogsServiceRequest;
///
/// let request = ExportLogsServiceRequest::default();
/// for item in request.items() {
///     let resource = item.resource_logs.resource.unwrap_or_default();
///     println!("{:?} {:?}", resource.attributes.value("service.name"), item.log_record.body);
/// }
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LogRecordItem<'s, 'a> {
    /// The resource.
    pub resource_logs: ResourceLogs<'s, 'a>,
    /// The scope.
    pub scope_logs: ScopeLogs<'s, 'a>,
    /// The record.
    pub log_record: LogRecord<'s, 'a>,
}

impl<'s, 'a> ResourceLogs<'s, 'a> {
    /// All log records, each with all that is around it, in wire order.
    pub fn items(self) -> impl Iterator<Item = LogRecordItem<'s, 'a>> {
        self.scope_logs.iter().flat_map(move |scope_logs| {
            let records = scope_logs.log_records.iter();
            records.map(move |log_record| LogRecordItem {
                resource_logs: self,
                scope_logs,
                log_record,
            })
        })
    }
}

/// What the lengths of messages take that are written one after the other.
#[derive(Clone, Copy)]
pub(super) struct Guesses {
    scope: Guess,
    record: Guess,
}

impl Guesses {
    pub(super) const fn new(guess: Guess) -> Self {
        Self { scope: guess, record: guess }
    }
}

impl<'s, 'a> ResourceLogs<'s, 'a> {
    /// `scope_logs` of `resource`.
    #[must_use]
    pub fn new(resource: Resource<'s, 'a>, scope_logs: ScopeLogsList<'s, 'a>) -> Self {
        Self { resource: Some(resource), scope_logs, schema_url: "" }
    }

    pub(super) fn write_guessing(
        &self,
        writer: &mut Writer<'_>,
        guesses: &mut Guesses,
    ) -> Result<(), BufferFull> {
        if let Some(resource) = self.resource {
            writer.write_message(RESOURCE, &resource)?;
        }
        for scope in self.scope_logs {
            guesses.scope = guesses.scope.write(
                writer,
                SCOPES,
                || scope.encoded_len(),
                |writer| scope.write_guessing(writer, &mut guesses.record),
            )?;
        }
        write_text(writer, SCHEMA_URL, self.schema_url)
    }
}

impl Encode for ResourceLogs<'_, '_> {
    fn encoded_len(&self) -> usize {
        let resource =
            self.resource.map_or(0, |resource| wire::message_len(RESOURCE, resource.encoded_len()));
        self.scope_logs
            .iter()
            .fold(resource.saturating_add(text_len(SCHEMA_URL, self.schema_url)), |sum, scope| {
                sum.saturating_add(wire::message_len(SCOPES, scope.encoded_len()))
            })
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_guessing(writer, |writer, guess| {
            self.write_guessing(writer, &mut Guesses::new(guess))
        })
    }
}

stored_list! {
    /// Logs of several scopes: the caller's slice, or those of a decoded resource.
    ///
    /// ```
    /// use borrowire::otlp::logs::{ScopeLogs, ScopeLogsList};
    ///
    /// let scopes = [ScopeLogs::default()];
    /// assert_eq!(ScopeLogsList::new(&scopes).len(), 1);
    /// ```
    ScopeLogsList of ScopeLogs in Storage, scope_logs;
    /// Iterates over [`ScopeLogsList`].
    ScopeLogsListIter
}

stored_list! {
    /// Logs of several resources: the caller's slice, or those of a decoded request.
    ///
    /// ```
    /// use borrowire::otlp::logs::{ResourceLogs, ResourceLogsList};
    ///
    /// let resources = [ResourceLogs::default()];
    /// assert_eq!(ResourceLogsList::new(&resources).len(), 1);
    /// ```
    ResourceLogsList of ResourceLogs in Storage, resource_logs;
    /// Iterates over [`ResourceLogsList`].
    ResourceLogsListIter
}

impl<'a> Storage<'a> {
    pub(super) fn scope_logs(&self, position: usize) -> Option<ScopeLogs<'_, 'a>> {
        let (scope, schema_url, records) = self.parents.scope(position)?;
        Some(ScopeLogs { scope, log_records: LogRecords::stored(self, records), schema_url })
    }

    pub(super) fn resource_logs(&self, position: usize) -> Option<ResourceLogs<'_, 'a>> {
        let (resource, schema_url, scopes) = self.parents.resource(position)?;
        Some(ResourceLogs { resource, scope_logs: ScopeLogsList::stored(self, scopes), schema_url })
    }
}
