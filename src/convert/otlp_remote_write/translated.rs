//! What a translation came to.

use core::fmt;

use crate::remote_write::v1::Appender;
use crate::wire::message::Encode;
use crate::wire::{BufferFull, Writer};

/// The series of a request, as a request of remote write 1.0 that is ready to be written.
///
/// It has Mimir's `source` field, which says that it came from OTLP. Without series and metadata
/// there is nothing to send.
pub struct Translated<'t> {
    appender: &'t Appender,
}

impl<'t> Translated<'t> {
    pub(super) const fn new(appender: &'t Appender) -> Self {
        Self { appender }
    }

    /// How many series there are.
    #[must_use]
    pub fn timeseries_len(&self) -> usize {
        self.appender.series_count()
    }

    /// How many samples all series have together.
    #[must_use]
    pub fn samples_len(&self) -> usize {
        self.appender.samples_count()
    }

    /// How many native histograms all series have together.
    #[must_use]
    pub fn histograms_len(&self) -> usize {
        self.appender.histograms_count()
    }

    /// How many exemplars all series have together.
    #[must_use]
    pub fn exemplars_len(&self) -> usize {
        self.appender.exemplars_count()
    }

    /// How many metadata entries there are.
    #[must_use]
    pub fn metadata_len(&self) -> usize {
        self.appender.metadata_count()
    }

    /// Whether there is no series: nothing to send.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.timeseries_len() == 0
    }
}

impl Encode for Translated<'_> {
    fn encoded_len(&self) -> usize {
        self.appender.encoded_len()
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.appender.write_to(writer)
    }
}

/// Shows counts, not content.
impl fmt::Debug for Translated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Translated")
            .field("timeseries_len", &self.timeseries_len())
            .field("samples_len", &self.samples_len())
            .field("histograms_len", &self.histograms_len())
            .field("exemplars_len", &self.exemplars_len())
            .field("metadata_len", &self.metadata_len())
            .finish()
    }
}
