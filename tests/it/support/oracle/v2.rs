//! The same for remote write 2.0.

use borrowire::proto::prometheus_v2 as proto;
use borrowire::remote_write::v2::{
    BadRef, COMMON_SYMBOLS_END, DecodeOptions, EncodeOptions, Format, Refs, Request, Symbolizer,
};
use borrowire::remote_write::{Exemplar, Label, TimeSeries};
use borrowire::reuse::Decoder;
use borrowire::{DecodeError, DecodeErrorKind, Encode};
use prost::Message;

use super::prost::{Kind, is_long_tag, prost_may_refuse};
use super::{check_error, check_slices, check_text};

pub const PARTIAL: DecodeOptions = DecodeOptions::new().with_partial(true);

/// Decoders that were used before, for whatever came first.
#[derive(Default)]
pub struct Used {
    strict: Decoder<Request<'static>>,
    partial: Decoder<Request<'static>>,
    symbolizer: Symbolizer,
}

impl Used {
    pub fn new() -> Self {
        Self {
            strict: Decoder::<Request>::new(),
            partial: Decoder::<Request>::new().with_options(PARTIAL),
            symbolizer: Symbolizer::new(),
        }
    }
}

/// Whether a fault costs one series only.
fn is_of_content(kind: DecodeErrorKind) -> bool {
    use DecodeErrorKind::{InvalidUtf8, OddRefs, RefOutOfRange};
    matches!(kind, InvalidUtf8 | OddRefs | RefOutOfRange)
}

/// Decodes `body` with a new and a used decoder, strictly and partially, and checks that all agree.
pub fn decode<'a>(body: &'a [u8], used: &mut Used) -> Result<Request<'a>, DecodeError> {
    let strict = Request::decode(body);
    let partial = Request::decode_with(body, &PARTIAL);
    same_result(used.strict.decode(body).as_deref(), strict.as_ref());
    same_result(used.partial.decode(body).as_deref(), partial.as_ref());
    for error in [strict.as_ref().err(), partial.as_ref().err()].into_iter().flatten() {
        check_error(body, error);
    }
    match (&strict, &partial) {
        (Ok(strict), Ok(partial)) => {
            same(strict, partial);
            assert!(partial.skipped().is_empty());
            check_views(body, strict, 0);
        }
        (Err(strict), Ok(partial)) => {
            assert!(is_of_content(strict.kind()), "only content may be passed over: {strict}");
            // A symbol that is no text sinks the series that use it, where they use it.
            if strict.kind() != DecodeErrorKind::InvalidUtf8 {
                let first =
                    partial.skipped().first().expect("what fails a strict decode is listed");
                // A series that is bad hides what is wrong with its exemplars.
                let is_hidden = first.element.is_none()
                    && strict.offset() < first.error.offset()
                    && BadRef::find(body, strict).is_some_and(|bad| bad.series == first.index);
                assert!(first.error == *strict || is_hidden, "{strict} is not listed first");
            }
            for skipped in partial.skipped() {
                assert!(is_of_content(skipped.error.kind()));
                check_error(body, &skipped.error);
            }
            assert!(
                partial.skipped().is_sorted_by(|a, b| (a.index, a.element) < (b.index, b.element))
            );
            check_views(body, partial, 0);
        }
        (Err(strict), Err(partial)) => {
            assert!(!is_of_content(partial.kind()));
            // A strict decoder ends at a bad reference, a partial one reads on. But first both look for
            // symbols behind the series, and may find the framing there broken.
            if strict != partial && !is_of_content(strict.kind()) {
                assert!(partial.offset() <= strict.offset(), "found on the way to the symbols");
            }
        }
        (Ok(_), Err(partial)) => panic!("partial mode fails alone: {partial}"),
    }
    strict
}

/// Decodes `body` as a record of Mimir's: its own symbols, and what refers to them, are found behind the
/// common ones.
pub fn check_common_symbols(body: &[u8]) {
    let options = PARTIAL.with_format(Format::MimirRecord);
    let (plain, common) =
        (Request::decode_with(body, &PARTIAL), Request::decode_with(body, &options));
    let (Ok(plain), Ok(common)) = (&plain, &common) else {
        // What fails is the framing, which has nothing to do with references.
        assert_eq!(plain.is_ok(), common.is_ok());
        return;
    };
    let (in_front, own) = (COMMON_SYMBOLS_END as usize, plain.symbols().iter());
    assert_eq!(common.symbols().len(), in_front + own.len());
    assert!(common.symbols().iter().skip(in_front).eq(own));
    check_views(body, common, in_front);
}

fn same_result(a: Result<&Request<'_>, &DecodeError>, b: Result<&Request<'_>, &DecodeError>) {
    match (a, b) {
        (Ok(a), Ok(b)) => same(a, b),
        (Err(a), Err(b)) => assert_eq!(a, b),
        _ => panic!("a used decoder differs: {a:?} and {b:?}"),
    }
}

/// Panics unless two requests show the same everywhere.
pub fn same(a: &Request<'_>, b: &Request<'_>) {
    same_series(a, b);
    assert!(a.symbols().iter().eq(b.symbols().iter()));
    assert_eq!(a.extensions(), b.extensions());
    assert_eq!(a.has_unknown_fields(), b.has_unknown_fields());
    assert_eq!(a.skipped(), b.skipped());
    for i in 0..a.timeseries().len() {
        assert_eq!(a.raw_timeseries(i), b.raw_timeseries(i));
    }
}

/// Panics unless two requests have the same series, by bits.
pub fn same_series(a: &Request<'_>, b: &Request<'_>) {
    assert_eq!(a.timeseries().len(), b.timeseries().len());
    for (i, (a, b)) in a.timeseries().iter().zip(b.timeseries()).enumerate() {
        assert!(is_same_series(&a, &b), "series {i}: {a:?} and {b:?}");
    }
    assert_eq!(totals(a), totals(b));
}

fn is_same_series(a: &TimeSeries<'_, '_>, b: &TimeSeries<'_, '_>) -> bool {
    super::same_series(a, b, true) && a.metadata() == b.metadata()
}

fn totals(request: &Request<'_>) -> [usize; 4] {
    [request.labels_len(), request.samples_len(), request.exemplars_len(), request.histograms_len()]
}

/// Walks through everything that a decoded request shows: nothing panics, the parts add up, and labels
/// are what the references say. So many symbols are not the body's own.
fn check_views(body: &[u8], request: &Request<'_>, common: usize) {
    assert_eq!(request.body(), body);
    for symbol in request.symbols().iter().skip(common).flatten() {
        check_text(body, symbol);
    }
    let mut counts = [0; 4];
    for (i, series) in request.timeseries().iter().enumerate() {
        let counted = [
            series.labels().len(),
            series.samples().len(),
            series.exemplars().len(),
            series.histograms().len(),
        ];
        counts.iter_mut().zip(counted).for_each(|(sum, count)| *sum += count);

        let raw = request.raw_timeseries(i).expect("a decoded series has its bytes");
        check_text(body, raw);
        let refs = request.refs(i).expect("and references");
        check_labels(request, series.labels(), refs.labels());
        let mut exemplars = refs.exemplars();
        for exemplar in series.exemplars() {
            check_labels(request, exemplar.labels(), exemplars.next().expect("one for each"));
        }
        assert!(exemplars.next().is_none());
        let metadata = refs.metadata().map(|metadata| {
            // 0 is unset, also where there are no symbols.
            let text = |reference| match request.symbols().get(reference) {
                None if reference == 0 => "",
                symbol => symbol.expect("a good reference"),
            };
            (metadata.metric_type, text(metadata.help_ref), text(metadata.unit_ref))
        });
        assert_eq!(series.metadata().map(|m| (m.metric_type, m.help, m.unit)), metadata);
    }
    assert_eq!(counts, totals(request));
}

fn check_labels(request: &Request<'_>, labels: &[Label<'_>], refs: Refs<'_>) {
    let symbols = refs.map(|r| request.symbols().get(r).expect("a good reference"));
    assert!(labels.iter().flat_map(|label| [label.name, label.value]).eq(symbols));
}

/// Encodes the series of `request`, and checks the lengths, the borders and what decodes from it.
pub fn round_trip(request: &Request<'_>, used: &mut Used) {
    let symbolizer = &mut used.symbolizer;
    let options = EncodeOptions::new().with_extensions(request.extensions());
    let options = options.with_created_timestamps(true);
    let encoded = {
        let symbolized = symbolizer.symbolize_with(request.timeseries(), &options);
        let symbolized = symbolized.expect("there is no cap");
        let encoded = symbolized.encode_to_vec().expect("a decoded request is not too large");
        check_slices(&symbolized, &encoded);
        encoded
    };
    let again = Request::decode(&encoded).expect("what we write is well-formed");
    same_series(request, &again);
    assert_eq!(again.extensions(), request.extensions());
    assert!(!again.has_unknown_fields());
    let symbols: Vec<_> = again.symbols().iter().map(|symbol| symbol.expect("text")).collect();
    assert_eq!(symbols[0], "");
    let mut unique = symbols.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), symbols.len(), "each symbol is there once");

    let symbolized = symbolizer.symbolize_with(again.timeseries(), &options).expect("as before");
    assert_eq!(symbolized.encode_to_vec().as_ref(), Ok(&encoded), "equal values give equal bytes");
    let theirs = proto::Request::decode(&encoded[..]).expect("prost reads what we write");
    assert_same(&again, &theirs);
}

/// Checks what this crate made of `body` against what prost makes of it.
pub fn check_prost(body: &[u8], ours: Result<&Request<'_>, DecodeError>) {
    match (ours, proto::Request::decode(body)) {
        (Ok(ours), Ok(theirs)) => {
            assert_same(ours, &theirs);
            let converted = Request::from_prost(&theirs).expect("references are good");
            assert!(converted.symbols().iter().eq(ours.symbols().iter()));
            assert_eq!(totals(&converted), totals(ours));
            for (ours, converted) in ours.timeseries().iter().zip(converted.timeseries()) {
                let created = ours.created_timestamp();
                assert!(is_same_series(&ours, &converted.with_created_timestamp(created)));
            }
        }
        (Ok(_), Err(theirs)) => {
            assert!(prost_may_refuse(Kind::RequestV2, body), "prost refuses it: {theirs}");
        }
        (Err(ours), Ok(theirs)) => {
            assert!(is_refused_alone(body, &ours, &theirs), "prost takes it: {ours}");
        }
        (Err(_), Err(_)) => {}
    }
}

/// Whether this crate has a reason to refuse what prost takes: bad references, which prost does not
/// resolve, or tags of over five bytes.
fn is_refused_alone(body: &[u8], ours: &DecodeError, theirs: &proto::Request) -> bool {
    let rest = &body[ours.offset()..];
    match ours.kind() {
        DecodeErrorKind::InvalidTag => is_long_tag(rest),
        DecodeErrorKind::RefOutOfRange => {
            let value = rest.iter().enumerate().take_while(|(i, _)| *i == 0 || rest[i - 1] >= 0x80);
            let value = value.fold(0_u64, |value, (i, byte)| {
                value | u64::from(byte & 0x7f).checked_shl(7 * i as u32).unwrap_or(0)
            });
            value as u32 as usize >= theirs.symbols.len()
        }
        DecodeErrorKind::OddRefs => {
            let exemplars = theirs.timeseries.iter().flat_map(|series| &series.exemplars);
            let lists = theirs.timeseries.iter().map(|series| &series.labels_refs);
            let mut lists = lists.chain(exemplars.map(|exemplar| &exemplar.labels_refs));
            lists.any(|refs| refs.len() % 2 == 1)
        }
        _ => false,
    }
}

/// Panics unless the request equals prost's, floats by bits, references and all.
pub fn assert_same(ours: &Request<'_>, theirs: &proto::Request) {
    assert!(ours.symbols().iter().eq(theirs.symbols.iter().map(|symbol| Some(&**symbol))));
    assert_eq!(ours.timeseries().len(), theirs.timeseries.len());
    for (i, (series, theirs)) in ours.timeseries().iter().zip(&theirs.timeseries).enumerate() {
        let refs = ours.refs(i).expect("a decoded series has references");
        assert!(refs.labels().eq(theirs.labels_refs.iter().copied()), "series {i}");
        assert!(series.samples().len() == theirs.samples.len());
        for (ours, theirs) in series.samples().iter().zip(&theirs.samples) {
            assert_eq!(ours.value.to_bits(), theirs.value.to_bits());
            assert_eq!(
                (ours.timestamp, ours.start_timestamp),
                (theirs.timestamp, theirs.start_timestamp)
            );
        }
        assert_eq!(series.exemplars().len(), theirs.exemplars.len());
        let exemplars = series.exemplars().iter().zip(refs.exemplars());
        for ((ours, refs), theirs) in exemplars.zip(&theirs.exemplars) {
            assert!(is_same_exemplar(&ours, refs, theirs), "series {i}");
        }
        // Histograms are those of 1.0, and one field more; by bytes, which hold every bit but the sign of
        // a zero.
        assert_eq!(series.histograms().len(), theirs.histograms.len());
        for (ours, theirs) in series.histograms().iter().zip(&theirs.histograms) {
            assert_eq!(ours.start_timestamp, theirs.start_timestamp);
            let bits = |value: f64| value.to_bits();
            assert_eq!(
                [bits(ours.sum), bits(ours.zero_threshold)],
                [bits(theirs.sum), bits(theirs.zero_threshold)]
            );
            assert_eq!(
                proto::Histogram::from(ours).encode_to_vec(),
                theirs.encode_to_vec(),
                "series {i}"
            );
        }
        let metadata = refs.metadata().map(proto::Metadata::from);
        assert_eq!(metadata, theirs.metadata, "series {i}");
    }
}

fn is_same_exemplar(ours: &Exemplar<'_, '_>, refs: Refs<'_>, theirs: &proto::Exemplar) -> bool {
    refs.eq(theirs.labels_refs.iter().copied())
        && ours.value().to_bits() == theirs.value.to_bits()
        && ours.timestamp() == theirs.timestamp
}
