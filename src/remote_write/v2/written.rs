//! What the answer to a request has to tell: how much of it was written.

use super::request::Request;
use crate::remote_write::TimeSeries;
use crate::remote_write::v1::{Record, WriteRequest};
use crate::shard::Part;

/// How many samples, histograms and exemplars of a request were written.
///
/// Remote write 2.0 wants the three headers in every answer, also when nothing was written and in
/// errors: to a sender of 2.0, a success without them means that nothing was understood. Senders of
/// 1.0 ignore them.
///
/// ```
/// use borrowire::remote_write::v1::WriteRequest;
/// use borrowire::remote_write::v2::Written;
/// # use borrowire::Encode;
/// # use borrowire::remote_write::v1::WriteRequestEncoder;
/// # use borrowire::remote_write::{Label, Sample, TimeSeries};
///
/// # let (named, nameless) = ([Label::new("__name__", "up")], [Label::new("job", "node")]);
/// # let samples = [Sample::new(1.0, 1_700_000_000_000)];
/// # let series = [&named, &nameless].map(|labels| TimeSeries::new(labels).with_samples(&samples));
/// # let body = &WriteRequestEncoder::new(series).encode_to_vec()?;
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
/// # Ok::<(), Box<dyn std::error::Error>>(())
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

    /// Puts the three headers into those of an answer, in place of what was there.
    ///
    /// ```
    /// use borrowire::remote_write::v2::Written;
    ///
    /// let (mut parts, ()) = http::Response::new(()).into_parts();
    /// Written::new(7, 0, 1).insert_into(&mut parts.headers);
    /// assert_eq!(parts.headers["x-prometheus-remote-write-samples-written"], "7");
    /// ```
    #[cfg(feature = "http")]
    pub fn insert_into(&self, headers: &mut http::HeaderMap) {
        for (name, value) in [
            ("x-prometheus-remote-write-samples-written", self.samples),
            ("x-prometheus-remote-write-histograms-written", self.histograms),
            ("x-prometheus-remote-write-exemplars-written", self.exemplars),
        ] {
            headers.insert(http::HeaderName::from_static(name), http::HeaderValue::from(value));
        }
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

/// All that the part holds.
impl From<&Part<'_, WriteRequest<'_>>> for Written {
    fn from(part: &Part<'_, WriteRequest<'_>>) -> Self {
        part.records()
            .filter_map(|record| match record {
                Record::TimeSeries(series) => Some(series),
                Record::Metadata(_) => None,
            })
            .collect()
    }
}

/// All that the part holds.
impl From<&Part<'_, Request<'_>>> for Written {
    fn from(part: &Part<'_, Request<'_>>) -> Self {
        part.records().collect()
    }
}

/// All that the series hold.
impl<'s, 'a: 's> FromIterator<TimeSeries<'s, 'a>> for Written {
    fn from_iter<I: IntoIterator<Item = TimeSeries<'s, 'a>>>(timeseries: I) -> Self {
        timeseries.into_iter().fold(Self::default(), |sum, series| {
            let Self { samples, histograms, exemplars } = Self::from(series);
            Self::new(
                sum.samples.saturating_add(samples),
                sum.histograms.saturating_add(histograms),
                sum.exemplars.saturating_add(exemplars),
            )
        })
    }
}

/// Lossless: no platform has lengths of over 64 bits.
fn count(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Encode;
    use crate::remote_write::v2::{DecodeOptions, Symbolizer};
    use crate::remote_write::{Exemplar, Histogram, Label, Sample};
    #[cfg(feature = "http")]
    use alloc::string::ToString;
    use alloc::vec::Vec;

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

    /// Two series, of a sample, a histogram and an exemplar each, as they are sent.
    fn body() -> Vec<u8> {
        let labels = [Label::new("__name__", "up")];
        let samples = [Sample::new(1.0, 1)];
        let exemplars = [Exemplar::new(&[], 1.0, 1)];
        let histograms = [Histogram::default()];
        let series = TimeSeries::new(&labels)
            .with_samples(&samples)
            .with_exemplars(&exemplars)
            .with_histograms(&histograms);
        Symbolizer::new().symbolize([series; 2]).unwrap().encode_to_vec().unwrap()
    }

    #[test]
    fn what_was_stored_is_counted_not_what_was_sent() {
        let body = body();
        let request = Request::decode(&body).unwrap();
        let mut written = Written::from(&request);
        assert_eq!(written, Written::new(2, 2, 2));
        let series = request.timeseries().get(0).unwrap();
        written.reject(series);
        assert_eq!(written, Written::new(1, 1, 1));
        // More than there is, and what has none of them.
        written.reject(TimeSeries::new(&[]));
        assert_eq!(written, Written::new(1, 1, 1));
        written.reject(series);
        written.reject(series);
        assert_eq!(written, Written::new(0, 0, 0));
    }

    #[test]
    fn what_partial_mode_left_out_is_not_counted() {
        // A sample, a histogram and an exemplar of a series whose labels are not there.
        let series = b"\x2a\x0c\x0a\x02\x70\x71\x12\x02\x10\x01\x1a\x00\x22\x00";
        let mut body = body();
        body.extend_from_slice(series);
        assert!(Request::decode(&body).is_err());
        let options = DecodeOptions::new().with_partial(true);
        let request = Request::decode_with(&body, &options).unwrap();
        assert_eq!(request.skipped().len(), 1);
        assert_eq!(Written::from(&request), Written::new(2, 2, 2));
        // A sample, and an exemplar whose label is not there.
        body.truncate(body.len() - series.len());
        body.extend_from_slice(b"\x2a\x08\x12\x00\x22\x04\x0a\x02\x70\x71");
        let request = Request::decode_with(&body, &options).unwrap();
        assert_eq!(request.skipped().len(), 1);
        assert_eq!(Written::from(&request), Written::new(3, 2, 2));
    }

    #[cfg(feature = "http")]
    #[test]
    fn all_headers_are_there_in_decimal_and_once() {
        let mut headers = http::HeaderMap::new();
        for written in [Written::new(1, 2, 3), Written::new(1_000_000, 0, 0)] {
            written.insert_into(&mut headers);
            assert_eq!(headers.len(), 3);
            for (name, count) in written.headers() {
                let values: Vec<_> = headers.get_all(name).iter().collect();
                assert_eq!(values, [&count.to_string()[..]], "{name}");
            }
        }
    }
}
