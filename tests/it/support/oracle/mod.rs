//! What must hold for any bytes and any request: checks that tests and fuzz targets share. Each panics
//! with what is wrong.

pub mod convert;
pub mod loki;
pub mod prost;
pub mod shard;
pub mod v2;

use borrowire::remote_write::v1::{DecodeOptions, EncodeOptions, WriteRequest};
use borrowire::remote_write::{Extensions, Histogram, Rules, TimeSeries};
use borrowire::reuse::Decoder;
use borrowire::{DecodeError, DecodeErrorKind, Encode, EncodeErrorKind};

/// Decoders that were used before, for whatever came first.
#[derive(Default)]
pub struct Used {
    strict: Decoder<WriteRequest<'static>>,
    partial: Decoder<WriteRequest<'static>>,
}

impl Used {
    pub fn new() -> Self {
        Self {
            strict: Decoder::<WriteRequest>::new(),
            partial: Decoder::<WriteRequest>::new().with_options(PARTIAL),
        }
    }
}

pub const PARTIAL: DecodeOptions = DecodeOptions::new().with_partial(true);

/// Decodes `body` with a new and a used decoder, strictly and partially, and checks that all agree.
pub fn decode<'a>(body: &'a [u8], used: &mut Used) -> Result<WriteRequest<'a>, DecodeError> {
    let strict = WriteRequest::decode(body);
    let partial = WriteRequest::decode_with(body, &PARTIAL);
    same_result(
        &used.strict.decode(body).as_deref().map_err(|e| *e),
        &strict.as_ref().map_err(|e| *e),
    );
    same_result(
        &used.partial.decode(body).as_deref().map_err(|e| *e),
        &partial.as_ref().map_err(|e| *e),
    );
    for error in [strict.as_ref().err(), partial.as_ref().err()].into_iter().flatten() {
        check_error(body, error);
    }
    match (&strict, &partial) {
        (Ok(strict), Ok(partial)) => {
            same(strict, partial);
            check_views(body, strict);
        }
        (Err(strict), Ok(partial)) => {
            assert_eq!(strict.kind(), DecodeErrorKind::InvalidUtf8, "only text may be passed over");
            let first = partial.skipped().first().expect("what fails a strict decode is listed");
            assert_eq!(&first.error, strict, "the first fault is the first that is listed");
            for skipped in partial.skipped() {
                assert_eq!(skipped.error.kind(), DecodeErrorKind::InvalidUtf8);
                check_error(body, &skipped.error);
            }
            check_views(body, partial);
        }
        (Err(strict), Err(partial)) => {
            if strict.kind() == DecodeErrorKind::InvalidUtf8 {
                assert_ne!(partial.kind(), DecodeErrorKind::InvalidUtf8);
                assert!(partial.offset() > strict.offset(), "faults come in order");
            } else {
                assert_eq!(strict, partial);
            }
        }
        (Ok(_), Err(partial)) => panic!("partial mode fails alone: {partial}"),
    }
    strict
}

fn check_error(body: &[u8], error: &DecodeError) {
    assert!(error.offset() <= body.len(), "{error} is outside {} bytes", body.len());
}

fn same_result(
    a: &Result<&WriteRequest<'_>, DecodeError>,
    b: &Result<&WriteRequest<'_>, DecodeError>,
) {
    match (a, b) {
        (Ok(a), Ok(b)) => same(a, b),
        (Err(a), Err(b)) => assert_eq!(a, b),
        _ => panic!("a used decoder differs: {a:?} and {b:?}"),
    }
}

/// Panics unless two requests show the same everywhere.
pub fn same(a: &WriteRequest<'_>, b: &WriteRequest<'_>) {
    same_content(a, b, true);
    assert_eq!(a.extensions(), b.extensions());
    assert_eq!(a.has_unknown_fields(), b.has_unknown_fields());
    assert_eq!(a.skipped(), b.skipped());
    for i in 0..a.timeseries().len() {
        assert_eq!(a.raw_timeseries(i), b.raw_timeseries(i));
    }
    for i in 0..a.metadata().len() {
        assert_eq!(a.raw_metadata(i), b.raw_metadata(i));
    }
}

/// Panics unless two requests have the same series and metadata, by bits.
pub fn same_content(a: &WriteRequest<'_>, b: &WriteRequest<'_>, extensions: bool) {
    assert_eq!(a.timeseries().len(), b.timeseries().len());
    for (i, (a, b)) in a.timeseries().iter().zip(b.timeseries()).enumerate() {
        assert!(same_series(&a, &b, extensions), "series {i}: {a:?} and {b:?}");
    }
    assert!(a.metadata().iter().eq(b.metadata()));
    let totals = |request: &WriteRequest<'_>| {
        [
            request.labels_len(),
            request.samples_len(),
            request.exemplars_len(),
            request.histograms_len(),
        ]
    };
    assert_eq!(totals(a), totals(b));
}

/// Whether two series are equal, field by field.
pub fn same_series(a: &TimeSeries<'_, '_>, b: &TimeSeries<'_, '_>, extensions: bool) -> bool {
    let samples = |series: &TimeSeries<'_, '_>| -> Vec<_> {
        let samples = series.samples().iter();
        samples
            .map(|s| {
                (s.value.to_bits(), s.timestamp, if extensions { s.start_timestamp } else { 0 })
            })
            .collect()
    };
    let exemplars = a.exemplars().iter().zip(b.exemplars());
    let histograms = a.histograms().iter().zip(b.histograms());
    a.labels() == b.labels()
        && samples(a) == samples(b)
        && a.exemplars().len() == b.exemplars().len()
        && exemplars.fold(true, |same, (a, b)| {
            same && a.labels() == b.labels()
                && a.value().to_bits() == b.value().to_bits()
                && a.timestamp() == b.timestamp()
        })
        && a.histograms().len() == b.histograms().len()
        && histograms.fold(true, |same, (a, b)| same && same_histogram(a, b, extensions))
        && (!extensions || a.created_timestamp() == b.created_timestamp())
        && (!extensions || (a == b))
}

fn same_histogram(a: Histogram<'_>, mut b: Histogram<'_>, extensions: bool) -> bool {
    if !extensions {
        b.start_timestamp = a.start_timestamp;
    }
    a == b
}

/// Walks through everything that a decoded request shows: nothing panics, and the parts add up.
fn check_views(body: &[u8], request: &WriteRequest<'_>) {
    let mut labels = 0;
    let mut samples = 0;
    let mut exemplars = 0;
    let mut histograms = 0;
    for (i, series) in request.timeseries().iter().enumerate() {
        labels += series.labels().len();
        samples += series.samples().len();
        exemplars += series.exemplars().len();
        histograms += series.histograms().len();
        for label in series.labels() {
            check_text(body, label.name);
            check_text(body, label.value);
        }
        for histogram in series.histograms() {
            for buckets in [histogram.positive_buckets(1000), histogram.negative_buckets(1000)] {
                let buckets: Vec<_> = buckets.collect();
                assert!(buckets.len() <= 1000);
                assert!(buckets.iter().rev().skip(1).all(Result::is_ok), "one error, and last");
            }
        }
        let raw = request.raw_timeseries(i).expect("a decoded series has its bytes");
        check_text(body, raw);
        let alone = WriteRequest::decode(raw).expect("raw bytes are a request");
        assert_eq!(alone.timeseries().len(), 1);
        assert!(same_series(&alone.timeseries().get(0).unwrap(), &series, true), "series {i}");
    }
    assert_eq!(
        [labels, samples, exemplars, histograms],
        [
            request.labels_len(),
            request.samples_len(),
            request.exemplars_len(),
            request.histograms_len()
        ]
    );
    for (i, metadata) in request.metadata().iter().enumerate() {
        let raw = request.raw_metadata(i).expect("a decoded entry has its bytes");
        let alone = WriteRequest::decode(raw).expect("raw bytes are a request");
        assert_eq!(alone.metadata().get(0), Some(metadata));
    }
    request.validate(&Rules::strict(), |violation| assert!(!violation.to_string().is_empty()));
}

/// Text must lie in the body, not in a copy; what is empty lies nowhere.
fn check_text(body: &[u8], text: impl AsRef<[u8]>) {
    let text = text.as_ref().as_ptr_range();
    assert!(
        text.is_empty()
            || (body.as_ptr_range().start <= text.start && text.end <= body.as_ptr_range().end)
    );
}

/// Encodes `request` with and without extension fields, and checks the lengths, the borders and what
/// decodes from it.
pub fn round_trip(request: &WriteRequest<'_>) {
    let encoded = request.encode_to_vec().expect("a decoded request is not too large");
    check_slices(request, &encoded);
    let again = WriteRequest::decode(&encoded).expect("what we write is well-formed");
    same_content(request, &again, false);
    assert_eq!(again.extensions(), Extensions::new(), "extensions are not passed on");
    assert!(!again.has_unknown_fields());
    assert_eq!(again.encode_to_vec().as_ref(), Ok(&encoded), "equal values give equal bytes");

    let options = EncodeOptions::new().with_extensions(request.extensions());
    let encoder = request.encoder().with_options(options.with_start_timestamps(true));
    let encoded = encoder.encode_to_vec().expect("nor too large with extensions");
    check_slices(&encoder, &encoded);
    let again = WriteRequest::decode(&encoded).expect("what we write is well-formed");
    same_content(request, &again, true);
    assert_eq!(again.extensions(), request.extensions());
}

/// Into a slice of the exact length, a longer one, and shorter ones.
pub fn check_slices(message: &impl Encode, encoded: &[u8]) {
    let len = message.encoded_len();
    assert_eq!(len, encoded.len());
    let mut exact = vec![0xaa; len];
    assert_eq!(message.encode(&mut exact), Ok(len));
    assert_eq!(exact, encoded);
    let mut longer = vec![0xaa; len + 40];
    assert_eq!(message.encode(&mut longer), Ok(len));
    assert_eq!(longer[..len], *encoded);
    assert_eq!(longer[len..], [0xaa; 40], "bytes behind the message are not touched");
    // All shorter ones where they are few, and some of each size otherwise.
    let step = 1 + len / 64;
    for short in (0..len).step_by(step).chain(len.checked_sub(1)) {
        let error = message.encode(&mut exact[..short]).expect_err("too short");
        assert_eq!(error.kind(), EncodeErrorKind::BufferTooSmall);
        assert_eq!((error.needed(), error.capacity()), (len, short));
    }
}
