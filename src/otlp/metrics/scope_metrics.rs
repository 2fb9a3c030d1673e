//! `ScopeMetrics`: the metrics of one instrumentation scope.

use super::metric::{self, Metrics};
use crate::message::fields::{text_len, write_text};
use crate::otlp::common::{
    CHILDREN, Guess, InstrumentationScope, SCHEMA_URL, SCOPE, write_guessing,
};
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Writer};

/// The metrics of one instrumentation scope.
///
/// ```
/// use borrowire::otlp::InstrumentationScope;
/// use borrowire::otlp::metrics::{Metric, Metrics, ScopeMetrics};
///
/// let metrics = [Metric::default()];
/// let scope = InstrumentationScope::new("my.library", "1.0.0");
/// let scope_metrics = ScopeMetrics::new(scope, Metrics::new(&metrics));
/// assert_eq!(scope_metrics.metrics.len(), 1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScopeMetrics<'s, 'a> {
    /// The scope; `None` if the sender left it out, which is to be read as an empty one.
    pub scope: Option<InstrumentationScope<'s, 'a>>,
    /// The metrics.
    pub metrics: Metrics<'s, 'a>,
    /// The schema of the metrics.
    pub schema_url: &'a str,
}

/// What the lengths of messages take that are written one after the other.
#[derive(Clone, Copy)]
pub(super) struct Guesses {
    metric: Guess,
    inner: metric::Guesses,
}

impl Guesses {
    pub(super) const fn new(guess: Guess) -> Self {
        Self { metric: guess, inner: metric::Guesses::new(guess) }
    }
}

impl<'s, 'a> ScopeMetrics<'s, 'a> {
    /// `metrics` of `scope`.
    #[must_use]
    pub fn new(scope: InstrumentationScope<'s, 'a>, metrics: Metrics<'s, 'a>) -> Self {
        Self { scope: Some(scope), metrics, schema_url: "" }
    }

    pub(super) fn write_guessing(
        &self,
        writer: &mut Writer<'_>,
        guesses: &mut Guesses,
    ) -> Result<(), BufferFull> {
        if let Some(scope) = self.scope {
            writer.write_message(SCOPE, &scope)?;
        }
        for metric in self.metrics {
            guesses.metric = guesses.metric.write(
                writer,
                CHILDREN,
                || metric.encoded_len(),
                |writer| metric.write_guessing(writer, &mut guesses.inner),
            )?;
        }
        write_text(writer, SCHEMA_URL, self.schema_url)
    }
}

impl Encode for ScopeMetrics<'_, '_> {
    fn encoded_len(&self) -> usize {
        let scope = self.scope.map_or(0, |scope| wire::message_len(SCOPE, scope.encoded_len()));
        self.metrics
            .iter()
            .fold(scope.saturating_add(text_len(SCHEMA_URL, self.schema_url)), |sum, metric| {
                sum.saturating_add(wire::message_len(CHILDREN, metric.encoded_len()))
            })
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_guessing(writer, |writer, guess| {
            self.write_guessing(writer, &mut Guesses::new(guess))
        })
    }
}
