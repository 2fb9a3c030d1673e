//! Remote write 2.0.

use borrowire::proto::prometheus::WriteRequest;
use borrowire::proto::prometheus_v2 as proto;
use borrowire::remote_write::v2::{
    BadRef, COMMON_SYMBOLS_END, DecodeOptions, EncodeOptions, Format, Refs, Request, Symbolizer,
};
use borrowire::remote_write::{Exemplar, Label, Rules};
use borrowire::{DecodeError, DecodeErrorKind, Encode, Limits};
use prost::Message;

use super::prost::{Kind, is_long_tag};
use super::remote_write::{assert_same_series, check_buckets, counts, same_series, sum};
use super::{Subject, check_text};

pub struct RemoteWriteV2;

pub const PARTIAL: DecodeOptions = DecodeOptions::new().with_partial(true);

impl Subject for RemoteWriteV2 {
    type Family = Request<'static>;
    type Generated = proto::Request;
    type Scratch = Symbolizer;

    const MESSAGE: Kind = Kind::RequestV2;

    fn with_limits(options: DecodeOptions, limits: Limits) -> DecodeOptions {
        options.with_limits(limits)
    }

    fn with_partial(options: DecodeOptions, partial: bool) -> DecodeOptions {
        options.with_partial(partial)
    }

    fn raws<'r>(request: &'r Request<'_>) -> Vec<Option<&'r [u8]>> {
        (0..request.timeseries().len()).map(|at| request.raw_timeseries(at)).collect()
    }

    fn assert_same_content(a: &Request<'_>, b: &Request<'_>) {
        assert_same_series(a.timeseries().iter(), b.timeseries().iter());
        assert_eq!(totals(a), totals(b));
        assert_eq!(a.extensions(), b.extensions());
    }

    /// Symbols that nothing uses are no content.
    fn assert_same_rest(a: &Request<'_>, b: &Request<'_>) {
        assert!(a.symbols().iter().eq(b.symbols().iter()));
    }

    fn check_views(body: &[u8], request: &Request<'_>) {
        check_references(body, request, 0);
        for series in request.timeseries() {
            check_buckets(&series);
        }
        let report = |violation: borrowire::Violation<_>| {
            assert!(!violation.to_string().is_empty());
        };
        request.validate(&Rules::strict(), report);
    }

    fn is_of_content(kind: DecodeErrorKind) -> bool {
        use DecodeErrorKind::{InvalidUtf8, OddRefs, RefOutOfRange};
        matches!(kind, InvalidUtf8 | OddRefs | RefOutOfRange)
    }

    fn check_partial(
        body: &[u8],
        strict: &DecodeError,
        partial: Result<&Request<'_>, &DecodeError>,
    ) {
        match partial {
            Ok(partial) => {
                assert!(Self::is_of_content(strict.kind()), "may not be passed over: {strict}");
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
            }
            Err(partial) => {
                assert!(!Self::is_of_content(partial.kind()));
                // A strict decoder ends at a bad reference, a partial one reads on. But first both look
                // for symbols behind the series, and may find the framing there broken.
                if strict != partial && !Self::is_of_content(strict.kind()) {
                    assert!(partial.offset() <= strict.offset(), "found on the way to the symbols");
                }
            }
        }
    }

    fn encode<T>(
        request: &Request<'_>,
        symbolizer: &mut Symbolizer,
        with: impl FnOnce(&dyn Encode) -> T,
    ) -> T {
        let options = EncodeOptions::new().with_extensions(request.extensions());
        let options = options.with_created_timestamps(true);
        let encoder = symbolizer.symbolize_with(request.timeseries(), &options);
        with(&encoder.expect("there is no cap"))
    }

    fn check_encoded(_: &Request<'_>, encoded: &[u8]) {
        let again = Request::decode(encoded).expect("what we write is well-formed");
        let mut symbols: Vec<_> =
            again.symbols().iter().map(|symbol| symbol.expect("text")).collect();
        assert_eq!(symbols[0], "");
        let len = symbols.len();
        symbols.sort_unstable();
        symbols.dedup();
        assert_eq!(symbols.len(), len, "each symbol is there once");
    }

    fn assert_same_as_prost(ours: &Request<'_>, theirs: &proto::Request) {
        assert_same(ours, theirs);
    }

    fn from_prost(generated: &proto::Request) -> Request<'_> {
        Request::from_prost(generated).expect("references are good")
    }

    fn check_conversions(ours: &Request<'_>, theirs: &proto::Request) {
        let converted = Self::from_prost(theirs);
        assert!(converted.symbols().iter().eq(ours.symbols().iter()));
        assert_eq!(totals(&converted), totals(ours));
        for (ours, converted) in ours.timeseries().iter().zip(converted.timeseries()) {
            let created = ours.created_timestamp();
            assert!(same_series(&ours, &converted.with_created_timestamp(created)));
        }
        assert!(converted.refs(0).is_none());
        // A created timestamp goes to samples and histograms, which have none otherwise.
        if ours.timeseries().iter().all(|series| series.created_timestamp() == 0) {
            let back = proto::Request::from(ours);
            assert_eq!(back.encode_to_vec(), theirs.encode_to_vec());
        }
        for (ours, theirs) in ours.timeseries().iter().zip(&theirs.timeseries) {
            let samples = ours.samples().iter().map(|&sample| proto::Sample::from(sample));
            // By bytes, because of NaN.
            let samples = samples.map(|sample| sample.encode_to_vec());
            assert!(samples.eq(theirs.samples.iter().map(Message::encode_to_vec)));
        }
    }

    /// Or bad references, which prost does not resolve.
    fn is_refused_alone(body: &[u8], ours: &DecodeError, theirs: &proto::Request) -> bool {
        let rest = &body[ours.offset()..];
        match ours.kind() {
            DecodeErrorKind::InvalidTag => is_long_tag(rest),
            DecodeErrorKind::RefOutOfRange => {
                let bytes = rest.iter().enumerate();
                let bytes = bytes.take_while(|(i, _)| *i == 0 || rest[i - 1] >= 0x80);
                let value = bytes.fold(0_u64, |value, (i, byte)| {
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
            DecodeErrorKind::OtherVersion => {
                // If prost refuses it as one of 1.0, that is for what the shape leaves out.
                let other = WriteRequest::decode(body);
                let has_records = |o: WriteRequest| o.timeseries.len() + o.metadata.len() > 0;
                theirs.timeseries.is_empty() && other.map_or(true, has_records)
            }
            _ => false,
        }
    }

    /// As a record of Mimir's: its own symbols, and what refers to them, are found behind the common ones.
    fn check_own(body: &[u8]) {
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
        check_references(body, common, in_front);
    }
}

fn totals(request: &Request<'_>) -> [usize; 4] {
    [request.labels_len(), request.samples_len(), request.exemplars_len(), request.histograms_len()]
}

/// Checks that symbols are in the body, but for the first ones, and that labels and metadata are what the
/// references say.
fn check_references(body: &[u8], request: &Request<'_>, common: usize) {
    for symbol in request.symbols().iter().skip(common).flatten() {
        check_text(body, symbol);
    }
    for (i, series) in request.timeseries().iter().enumerate() {
        let refs = request.refs(i).expect("a decoded series has references");
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
    let counted = request.timeseries().iter().map(|series| counts(&series));
    assert_eq!(sum(counted), totals(request));
}

fn check_labels(request: &Request<'_>, labels: &[Label<'_>], refs: Refs<'_>) {
    let symbols = refs.map(|r| request.symbols().get(r).expect("a good reference"));
    assert!(labels.iter().flat_map(|label| [label.name, label.value]).eq(symbols));
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
