//! `ResourceMetrics`: the metrics of one resource.

use super::metric::Metrics;
use super::scope_metrics::{self, ScopeMetrics};
use super::storage::Storage;
use crate::message::fields::{text_len, write_text};
use crate::otlp::common::{
    Guess, RESOURCE, Resource, SCHEMA_URL, SCOPES, stored_list, write_guessing,
};
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Writer};

/// The metrics of one resource.
///
/// ```
/// use borrowire::otlp::Resource;
/// use borrowire::otlp::metrics::{ResourceMetrics, ScopeMetrics, ScopeMetricsList};
///
/// let scopes = [ScopeMetrics::default()];
/// let resource_metrics = ResourceMetrics::new(Resource::default(), ScopeMetricsList::new(&scopes));
/// assert_eq!(resource_metrics.scope_metrics.len(), 1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResourceMetrics<'s, 'a> {
    /// The resource; `None` if the sender left it out: then it is not known.
    pub resource: Option<Resource<'s, 'a>>,
    /// The metrics, by scope.
    pub scope_metrics: ScopeMetricsList<'s, 'a>,
    /// The schema of the resource.
    pub schema_url: &'a str,
}

/// What the lengths of messages take that are written one after the other.
#[derive(Clone, Copy)]
pub(super) struct Guesses {
    scope: Guess,
    inner: scope_metrics::Guesses,
}

impl Guesses {
    pub(super) const fn new(guess: Guess) -> Self {
        Self { scope: guess, inner: scope_metrics::Guesses::new(guess) }
    }
}

impl<'s, 'a> ResourceMetrics<'s, 'a> {
    /// `scope_metrics` of `resource`.
    #[must_use]
    pub fn new(resource: Resource<'s, 'a>, scope_metrics: ScopeMetricsList<'s, 'a>) -> Self {
        Self { resource: Some(resource), scope_metrics, schema_url: "" }
    }

    pub(super) fn write_guessing(
        &self,
        writer: &mut Writer<'_>,
        guesses: &mut Guesses,
    ) -> Result<(), BufferFull> {
        if let Some(resource) = self.resource {
            writer.write_message(RESOURCE, &resource)?;
        }
        for scope in self.scope_metrics {
            guesses.scope = guesses.scope.write(
                writer,
                SCOPES,
                || scope.encoded_len(),
                |writer| scope.write_guessing(writer, &mut guesses.inner),
            )?;
        }
        write_text(writer, SCHEMA_URL, self.schema_url)
    }
}

impl Encode for ResourceMetrics<'_, '_> {
    fn encoded_len(&self) -> usize {
        let resource =
            self.resource.map_or(0, |resource| wire::message_len(RESOURCE, resource.encoded_len()));
        self.scope_metrics
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
    /// Metrics of several scopes: the caller's slice, or those of a decoded resource.
    ///
    /// ```
    /// use borrowire::otlp::metrics::{ScopeMetrics, ScopeMetricsList};
    ///
    /// let scopes = [ScopeMetrics::default()];
    /// assert_eq!(ScopeMetricsList::new(&scopes).len(), 1);
    /// ```
    ScopeMetricsList of ScopeMetrics in Storage, scope_metrics;
    /// Iterates over [`ScopeMetricsList`].
    ScopeMetricsListIter
}

stored_list! {
    /// Metrics of several resources: the caller's slice, or those of a decoded request.
    ///
    /// ```
    /// use borrowire::otlp::metrics::{ResourceMetrics, ResourceMetricsList};
    ///
    /// let resources = [ResourceMetrics::default()];
    /// assert_eq!(ResourceMetricsList::new(&resources).len(), 1);
    /// ```
    ResourceMetricsList of ResourceMetrics in Storage, resource_metrics;
    /// Iterates over [`ResourceMetricsList`].
    ResourceMetricsListIter
}

impl<'a> Storage<'a> {
    pub(super) fn scope_metrics(&self, position: usize) -> Option<ScopeMetrics<'_, 'a>> {
        let (scope, schema_url, metrics) = self.parents.scope(position)?;
        Some(ScopeMetrics { scope, metrics: Metrics::stored(self, metrics), schema_url })
    }

    pub(super) fn resource_metrics(&self, position: usize) -> Option<ResourceMetrics<'_, 'a>> {
        let (resource, schema_url, scopes) = self.parents.resource(position)?;
        Some(ResourceMetrics {
            resource,
            scope_metrics: ScopeMetricsList::stored(self, scopes),
            schema_url,
        })
    }
}
