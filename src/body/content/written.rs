//! What the answer to remote write 2.0 has to tell.

use crate::remote_write::TimeSeries;
use crate::remote_write::v1::WriteRequest;
use crate::remote_write::v2::Request;

/// How many samples, histograms and exemplars of a request were written.
///
/// Remote write 2.0 wants the three headers in every answer, also when nothing was written and in
/// errors: to a sender of 2.0, a success without them means that nothing was understood. Senders of
/// 1.0 ignore them.
///
/// ```
/// use borrowire::body::Written;
/// use borrowire::remote_write::v1::{Rules, WriteRequest};
///
/// # let body = b"\x0a\x22\x0a\x0e\x0a\x08__name__\x12\x02up\x12\x10\x09\0\0\0\0\0\0\xf0\x3f\x10\x80\xd0\x95\xff\xbc\x31\x0a\x04\x12\x00\x12\x00";
/// let request = WriteRequest::decode(body)?; // two series, of which one has no name
/// let mut written = Written::from(&request);
/// for series in request.timeseries() {
///     if series.metric_name().is_none() {
///         written.reject(series);
///     }
/// }
/// let [samples, histograms, exemplars] = written.headers();
/// assert_eq!(samples, ("X-Prometheus-Remote-Write-Samples-Written", 1));
/// assert_eq!(histograms, ("X-Prometheus-Remote-Write-Histograms-Written", 0));
/// assert_eq!(exemplars, ("X-Prometheus-Remote-Write-Exemplars-Written", 0));
/// # Ok::<(), borrowire::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Written {
    /// Samples.
    pub samples: u64,
    /// Native histograms.
    pub histograms: u64,
    /// Exemplars.
    pub exemplars: u64,
}

impl Written {
    /// The names of the headers, in the order of [`headers`](Self::headers).
    pub const HEADERS: [&'static str; 3] = [
        "X-Prometheus-Remote-Write-Samples-Written",
        "X-Prometheus-Remote-Write-Histograms-Written",
        "X-Prometheus-Remote-Write-Exemplars-Written",
    ];

    /// So many of each.
    #[must_use]
    pub const fn new(samples: u64, histograms: u64, exemplars: u64) -> Self {
        Self { samples, histograms, exemplars }
    }

    /// Takes off what was not written: a whole series, or so many of each. Never goes below zero.
    pub fn reject(&mut self, rejected: impl Into<Self>) {
        let rejected = rejected.into();
        self.samples = self.samples.saturating_sub(rejected.samples);
        self.histograms = self.histograms.saturating_sub(rejected.histograms);
        self.exemplars = self.exemplars.saturating_sub(rejected.exemplars);
    }

    /// The headers: names, and values to be written in decimal.
    #[must_use]
    pub const fn headers(&self) -> [(&'static str, u64); 3] {
        let [samples, histograms, exemplars] = Self::HEADERS;
        [(samples, self.samples), (histograms, self.histograms), (exemplars, self.exemplars)]
    }
}

/// All that the request holds. What partial mode left out is not among it.
impl From<&WriteRequest<'_>> for Written {
    fn from(request: &WriteRequest<'_>) -> Self {
        Self::new(
            count(request.samples_len()),
            count(request.histograms_len()),
            count(request.exemplars_len()),
        )
    }
}

/// All that the request holds. What partial mode left out is not among it.
impl From<&Request<'_>> for Written {
    fn from(request: &Request<'_>) -> Self {
        Self::new(
            count(request.samples_len()),
            count(request.histograms_len()),
            count(request.exemplars_len()),
        )
    }
}

/// All that the series holds.
impl From<TimeSeries<'_, '_>> for Written {
    fn from(series: TimeSeries<'_, '_>) -> Self {
        Self::new(
            count(series.samples().len()),
            count(series.histograms().len()),
            count(series.exemplars().len()),
        )
    }
}

/// Lossless: no platform has lengths of over 64 bits.
fn count(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote_write::v1::{Exemplar, Histogram, Sample};

    #[test]
    fn series_are_counted_and_taken_off() {
        let samples = [Sample::new(1.0, 1), Sample::new(2.0, 2)];
        let exemplars = [Exemplar::new(&[], 1.0, 1)];
        let histograms = [Histogram::default(); 3];
        let series = TimeSeries::new(&[])
            .with_samples(&samples)
            .with_exemplars(&exemplars)
            .with_histograms(&histograms);
        assert_eq!(Written::from(series), Written::new(2, 3, 1));

        let mut written = Written::new(10, 10, 10);
        written.reject(series);
        written.reject(Written::new(1, 0, 0));
        assert_eq!(written, Written::new(7, 7, 9));
        written.reject(Written::new(u64::MAX, 0, 0));
        assert_eq!(written, Written::new(0, 7, 9));
    }
}
