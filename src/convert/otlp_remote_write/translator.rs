//! The translator: memory that is used again, and the way from a request to its series.

use core::fmt;
use core::mem;

use super::labels::Labels;
use super::loss::Loss;
use super::name_cache::NameCache;
use super::scratch::Scratch;
use super::settings::Settings;
use super::translated::Translated;
use super::walk::Walk;
use crate::message::columns::sum;
use crate::otlp::metrics::ExportMetricsServiceRequest;
use crate::remote_write::v1::Appender;
use crate::remote_write::{Extensions, RequestSource};
use crate::wire::message::Encode;
use crate::wire::retention::Retention;

/// Makes series of metrics. Its memory is used again for the next request; that of a large request is
/// freed after 16 in a row that need less than a quarter of it.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::convert::otlp_remote_write::{Settings, Translator};
/// use borrowire::otlp::metrics::ExportMetricsServiceRequest;
/// use borrowire::remote_write::v1::WriteRequest;
///
/// let mut translator = Translator::new(Settings::prometheus()); // once
/// let mut buffer = vec![0; 4096];
///
/// # let body = b"";
/// let request = ExportMetricsServiceRequest::decode(body)?;
/// let translated = translator.translate(&request, |loss| eprintln!("{loss}"));
/// let len = translated.encode(&mut buffer)?;
///
/// let written = WriteRequest::decode(&buffer[..len])?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Translator {
    settings: Settings,
    names: NameCache,
    appender: Appender,
    labels: Labels<'static>,
    scratch: Scratch,
    retention: Retention,
}

impl Translator {
    /// A translator without memory yet.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Its settings.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The series of `request`. What does not become series goes to `report`, and the rest goes on.
    pub fn translate(
        &mut self,
        request: &ExportMetricsServiceRequest<'_>,
        report: impl FnMut(Loss),
    ) -> Translated<'_> {
        self.give_up_what_is_wasted();
        let Self { settings, names, appender, labels, scratch, .. } = self;
        appender.clear();
        appender.extensions = Extensions::new().with_source(RequestSource::OTLP);
        scratch.begin(settings);
        let cap = request.body().len().saturating_mul(settings.max_expansion);
        let mut walk = Walk::new(
            settings,
            names,
            appender,
            mem::take(labels).for_request(settings),
            scratch,
            cap.max(settings.min_output),
            report,
        );
        walk.request(request);
        *labels = walk.into_labels();
        Translated::new(appender)
    }

    /// Frees the memory of a large request once many small ones have come after it.
    fn give_up_what_is_wasted(&mut self) {
        let (used, capacity) = (self.appender.encoded_len(), self.capacity_bytes());
        if self.retention.is_wasted(used, || capacity) {
            let settings = mem::take(&mut self.settings);
            *self = Self::new(settings);
        }
    }

    /// Heap bytes that the translator holds.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        sum([
            self.names.capacity_bytes(),
            self.appender.capacity_bytes(),
            self.labels.capacity_bytes(),
            self.scratch.capacity_bytes(),
        ])
    }
}

impl fmt::Debug for Translator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Translator")
            .field("settings", &self.settings)
            .field("capacity_bytes", &self.capacity_bytes())
            .finish()
    }
}
