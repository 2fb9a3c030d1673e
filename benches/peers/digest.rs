//! Content that was read, reduced to what can be compared between implementations.

use std::fmt;

/// Counts of all parts, and a hash of all names, values, float bits and numbers in their order.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Digest {
    pub series: u64,
    pub labels: u64,
    pub samples: u64,
    pub exemplars: u64,
    pub histograms: u64,
    pub spans: u64,
    pub deltas: u64,
    pub counts: u64,
    pub metadata: u64,
    pub streams: u64,
    pub entries: u64,
    pub pairs: u64,
    pub resources: u64,
    pub metrics: u64,
    pub data_points: u64,
    pub log_records: u64,
    pub attributes: u64,
    hash: Hash,
    /// The same, with every -0.0 read as 0.0.
    hash_without_negative_zero: Hash,
}

impl Digest {
    pub fn series(&mut self) {
        self.series += 1;
        self.word(u64::from_le_bytes(*b"series  "));
    }

    pub fn label(&mut self, name: &[u8], value: &[u8]) {
        self.labels += 1;
        self.text(name);
        self.text(value);
    }

    pub fn sample(&mut self, value: f64, timestamp: i64) {
        self.samples += 1;
        self.float(value);
        self.int(timestamp);
    }

    /// An exemplar; its labels follow.
    pub fn exemplar(&mut self, value: f64, timestamp: i64) {
        self.exemplars += 1;
        self.float(value);
        self.int(timestamp);
    }

    /// A native histogram; its counts and buckets follow.
    pub fn histogram(
        &mut self,
        sum: f64,
        schema: i32,
        zero_threshold: f64,
        reset_hint: i32,
        timestamp: i64,
    ) {
        self.histograms += 1;
        self.float(sum);
        self.int(schema.into());
        self.float(zero_threshold);
        self.int(reset_hint.into());
        self.int(timestamp);
    }

    pub fn count(&mut self, count: Option<Count>) {
        match count {
            None => self.word(0),
            Some(Count::Int(count)) => {
                self.word(1);
                self.word(count);
            }
            Some(Count::Float(count)) => {
                self.word(2);
                self.float(count);
            }
        }
    }

    pub fn spans(&mut self, spans: impl ExactSizeIterator<Item = (i32, u32)>) {
        self.spans += self.list_of(spans.len());
        for (offset, length) in spans {
            self.int(offset.into());
            self.word(length.into());
        }
    }

    pub fn deltas(&mut self, deltas: &[i64]) {
        self.deltas += self.list_of(deltas.len());
        for &delta in deltas {
            self.int(delta);
        }
    }

    /// Float counts, or custom bucket bounds.
    pub fn floats(&mut self, counts: &[f64]) {
        self.counts += self.list_of(counts.len());
        for &count in counts {
            self.float(count);
        }
    }

    pub fn metadata(&mut self, metric_type: i32, name: &[u8], help: &[u8], unit: &[u8]) {
        self.metadata += 1;
        self.int(metric_type.into());
        self.text(name);
        self.text(help);
        self.text(unit);
    }

    /// A stream of log lines; its entries follow.
    pub fn stream(&mut self, labels: &[u8], hash: u64) {
        self.streams += 1;
        self.text(labels);
        self.word(hash);
    }

    /// A log line; its pairs follow.
    pub fn entry(&mut self, timestamp: Option<(i64, i32)>, line: &[u8]) {
        self.entries += 1;
        self.word(timestamp.is_some().into());
        let (seconds, nanos) = timestamp.unwrap_or_default();
        self.int(seconds);
        self.int(nanos.into());
        self.text(line);
    }

    /// A list of names and values.
    pub fn pairs<'a>(&mut self, pairs: impl ExactSizeIterator<Item = (&'a [u8], &'a [u8])>) {
        self.pairs += self.list_of(pairs.len());
        for (name, value) in pairs {
            self.text(name);
            self.text(value);
        }
    }

    /// A resource of OTLP; what it has follows.
    pub fn resource(&mut self) {
        self.resources += 1;
        self.word(u64::from_le_bytes(*b"resource"));
    }

    /// An attribute; its value follows.
    pub fn attribute(&mut self, key: &[u8]) {
        self.attributes += 1;
        self.text(key);
    }

    /// A log record of OTLP; what it has follows.
    pub fn log_record(&mut self, time: u64) {
        self.log_records += 1;
        self.word(time);
    }

    /// A metric of OTLP; its points follow.
    pub fn metric(&mut self, name: &[u8]) {
        self.metrics += 1;
        self.text(name);
    }

    /// A point of a metric of OTLP; what it has follows.
    pub fn data_point(&mut self, start_time: u64, time: u64) {
        self.data_points += 1;
        self.word(start_time);
        self.word(time);
    }

    pub fn optional(&mut self, value: Option<f64>) {
        self.word(value.is_some().into());
        self.float(value.unwrap_or_default());
    }

    pub fn words(&mut self, words: &[u64]) {
        self.counts += self.list_of(words.len());
        for &word in words {
            self.word(word);
        }
    }

    /// What a push of log lines says of itself.
    pub fn format(&mut self, format: &[u8]) {
        self.text(format);
    }

    /// Whether both hold the same when -0.0 and 0.0 are not told apart.
    pub fn eq_but_negative_zero(&self, other: &Self) -> bool {
        let by_second_hash = |digest: &Self| Self { hash: Hash::default(), ..digest.clone() };
        by_second_hash(self) == by_second_hash(other)
    }

    fn list_of(&mut self, len: usize) -> u64 {
        let len = len as u64;
        self.word(len);
        len
    }

    pub fn text(&mut self, text: &[u8]) {
        self.word(text.len() as u64);
        for chunk in text.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
    }

    pub fn float(&mut self, value: f64) {
        self.hash.add(value.to_bits());
        let value = if value == 0.0 { 0.0 } else { value };
        self.hash_without_negative_zero.add(value.to_bits());
    }

    pub fn int(&mut self, value: i64) {
        self.word(value.cast_unsigned());
    }

    pub fn word(&mut self, word: u64) {
        self.hash.add(word);
        self.hash_without_negative_zero.add(word);
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (count, what) in [
            (self.series, "series"),
            (self.labels, "labels"),
            (self.samples, "samples"),
            (self.exemplars, "exemplars"),
            (self.histograms, "histograms"),
            (self.spans, "spans"),
            (self.deltas, "deltas"),
            (self.counts, "counts"),
            (self.metadata, "metadata"),
            (self.streams, "streams"),
            (self.entries, "entries"),
            (self.pairs, "pairs"),
            (self.resources, "resources"),
            (self.metrics, "metrics"),
            (self.data_points, "data points"),
            (self.log_records, "log records"),
            (self.attributes, "attributes"),
        ] {
            if count > 0 {
                write!(f, "{count} {what}, ")?;
            }
        }
        write!(f, "content {:016x}", self.hash.0)
    }
}

/// A histogram's count, whatever type an implementation has for it.
pub enum Count {
    Int(u64),
    Float(f64),
}

/// Order-sensitive, and good enough to tell two readings apart: nobody attacks a benchmark.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Hash(u64);

impl Hash {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

/// What one pass over all text and all values leaves: enough to make the pass necessary, and little
/// enough that the pass, not this, is what takes the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touch(u64);

impl Touch {
    /// Reads the lengths and the first bytes.
    #[inline]
    pub fn label(&mut self, name: &[u8], value: &[u8]) {
        let first = |text: &[u8]| u64::from(text.first().copied().unwrap_or_default());
        let lengths = (name.len() as u64) << 32 | value.len() as u64;
        self.0 = self.0.wrapping_add(lengths ^ first(name) << 16 ^ first(value));
    }

    #[inline]
    pub fn sample(&mut self, value: f64, timestamp: i64) {
        self.0 = self.0.wrapping_add(value.to_bits() ^ timestamp.cast_unsigned());
    }

    /// Reads the length and the first byte.
    #[inline]
    pub fn text(&mut self, text: &[u8]) {
        self.label(text, &[]);
    }

    #[inline]
    pub fn time(&mut self, seconds: i64, nanos: i32) {
        self.0 = self.0.wrapping_add(seconds.cast_unsigned() ^ u64::from(nanos.cast_unsigned()));
    }
}
