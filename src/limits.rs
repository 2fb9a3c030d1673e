//! Every cap in one place, with its default and the reason for it.

use crate::error::MAX_MESSAGE_BYTES;

/// Caps on what one request may hold.
///
/// The first group bounds memory and is enforced while decoding a message. The second is about meaning
/// and is only looked at by `validate`.
///
/// ```
/// use borrowire::Limits;
///
/// let limits = Limits::default().with_max_message_bytes(100 << 20).with_max_timeseries(50_000);
/// assert_eq!(limits.max_timeseries, 50_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one message. Default and maximum: 2 GiB - 1, protobuf's own limit.
    pub max_message_bytes: usize,
    /// Time series of one request. Default: no cap of its own, the input's size bounds it.
    pub max_timeseries: usize,
    /// Streams of one Loki push. Default: no cap of its own, the input's size bounds it.
    pub max_streams: usize,
    /// Symbols of one request. Default: no cap of its own, the input's size bounds it.
    pub max_symbols: usize,
    /// Metadata entries of one request. Default: no cap of its own, the input's size bounds it.
    pub max_metadata: usize,
    /// Elements of one request: everything repeated that takes a place in decoded storage (time
    /// series, metadata entries, symbols, labels, samples, exemplars and their labels, histograms, spans,
    /// bucket values). Default: no cap of its own; storage takes at most 24 bytes for each byte of
    /// input whatever the input is, so the input's size bounds it.
    pub max_elements: usize,

    /// Labels of one series, `__name__` included. Default: 30, as Mimir and Cortex have it.
    pub max_labels_per_series: usize,
    /// Labels of one Loki stream, `service_name` not counted. Default: 15, as Loki has it.
    pub max_labels_per_stream: usize,
    /// Bytes of a label name. Default: 1024, as Mimir, Cortex and Loki have it.
    pub max_label_name_bytes: usize,
    /// Bytes of a label value. Default: 2048, as Mimir, Cortex and Loki have it.
    pub max_label_value_bytes: usize,
    /// Samples and histograms of one series. Default: no cap; senders differ widely.
    pub max_samples_per_series: usize,
    /// Bytes of a log line. Default: 256 KiB, as Loki has it.
    pub max_line_bytes: usize,
    /// Bytes of an entry's structured metadata, names and values together. Default: 64 KiB, as Loki
    /// has it.
    pub max_structured_metadata_bytes: usize,
    /// Pairs of an entry's structured metadata. Default: 128, as Loki has it.
    pub max_structured_metadata_pairs: usize,
    /// The earliest timestamp, in milliseconds since the Unix epoch. Default: none; 0 and negative
    /// timestamps are legal.
    pub min_timestamp: i64,
    /// The latest timestamp, in milliseconds since the Unix epoch. Default: none. Receivers
    /// usually allow ten minutes from now.
    pub max_timestamp: i64,
}

impl Default for Limits {
    fn default() -> Self {
        Self::new()
    }
}

impl Limits {
    /// The defaults.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            max_message_bytes: MAX_MESSAGE_BYTES,
            max_timeseries: usize::MAX,
            max_streams: usize::MAX,
            max_symbols: usize::MAX,
            max_metadata: usize::MAX,
            max_elements: usize::MAX,
            max_labels_per_series: 30,
            max_labels_per_stream: 15,
            max_label_name_bytes: 1024,
            max_label_value_bytes: 2048,
            max_samples_per_series: usize::MAX,
            max_line_bytes: 256 << 10,
            max_structured_metadata_bytes: 64 << 10,
            max_structured_metadata_pairs: 128,
            min_timestamp: i64::MIN,
            max_timestamp: i64::MAX,
        }
    }

    /// Sets [`max_message_bytes`](Self::max_message_bytes).
    #[must_use]
    pub const fn with_max_message_bytes(mut self, bytes: usize) -> Self {
        self.max_message_bytes = bytes;
        self
    }

    /// Sets [`max_timeseries`](Self::max_timeseries).
    #[must_use]
    pub const fn with_max_timeseries(mut self, count: usize) -> Self {
        self.max_timeseries = count;
        self
    }

    /// Sets [`max_streams`](Self::max_streams).
    #[must_use]
    pub const fn with_max_streams(mut self, count: usize) -> Self {
        self.max_streams = count;
        self
    }

    /// Sets [`max_symbols`](Self::max_symbols).
    #[must_use]
    pub const fn with_max_symbols(mut self, count: usize) -> Self {
        self.max_symbols = count;
        self
    }

    /// Sets [`max_metadata`](Self::max_metadata).
    #[must_use]
    pub const fn with_max_metadata(mut self, count: usize) -> Self {
        self.max_metadata = count;
        self
    }

    /// Sets [`max_elements`](Self::max_elements).
    #[must_use]
    pub const fn with_max_elements(mut self, count: usize) -> Self {
        self.max_elements = count;
        self
    }

    /// Sets [`max_labels_per_series`](Self::max_labels_per_series).
    #[must_use]
    pub const fn with_max_labels_per_series(mut self, count: usize) -> Self {
        self.max_labels_per_series = count;
        self
    }

    /// Sets [`max_labels_per_stream`](Self::max_labels_per_stream).
    #[must_use]
    pub const fn with_max_labels_per_stream(mut self, count: usize) -> Self {
        self.max_labels_per_stream = count;
        self
    }

    /// Sets [`max_label_name_bytes`](Self::max_label_name_bytes).
    #[must_use]
    pub const fn with_max_label_name_bytes(mut self, bytes: usize) -> Self {
        self.max_label_name_bytes = bytes;
        self
    }

    /// Sets [`max_label_value_bytes`](Self::max_label_value_bytes).
    #[must_use]
    pub const fn with_max_label_value_bytes(mut self, bytes: usize) -> Self {
        self.max_label_value_bytes = bytes;
        self
    }

    /// Sets [`max_samples_per_series`](Self::max_samples_per_series).
    #[must_use]
    pub const fn with_max_samples_per_series(mut self, count: usize) -> Self {
        self.max_samples_per_series = count;
        self
    }

    /// Sets [`max_line_bytes`](Self::max_line_bytes).
    #[must_use]
    pub const fn with_max_line_bytes(mut self, bytes: usize) -> Self {
        self.max_line_bytes = bytes;
        self
    }

    /// Sets [`max_structured_metadata_bytes`](Self::max_structured_metadata_bytes).
    #[must_use]
    pub const fn with_max_structured_metadata_bytes(mut self, bytes: usize) -> Self {
        self.max_structured_metadata_bytes = bytes;
        self
    }

    /// Sets [`max_structured_metadata_pairs`](Self::max_structured_metadata_pairs).
    #[must_use]
    pub const fn with_max_structured_metadata_pairs(mut self, count: usize) -> Self {
        self.max_structured_metadata_pairs = count;
        self
    }

    /// Sets [`min_timestamp`](Self::min_timestamp) and [`max_timestamp`](Self::max_timestamp), both
    /// allowed themselves, in milliseconds since the Unix epoch.
    #[must_use]
    pub const fn with_timestamps(mut self, min: i64, max: i64) -> Self {
        self.min_timestamp = min;
        self.max_timestamp = max;
        self
    }
}
