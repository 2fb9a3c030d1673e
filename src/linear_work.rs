//! The check that work grows with the input: what a request makes each function do, counted in the
//! bytes that are gone over. The tests below and the fuzz target `work` ask it for what they make.
//!
//! | work on a decoded request | is at most proportional to |
//! |---|---|
//! | validating, symbolizing, converting, counting | the body |
//! | encoding, splitting, relabelling | the body and what is written |
//! | hashing, which is defined over every byte of every label | the body and what it stands for |

use std::vec::Vec;

use borrowire::Encode;
use borrowire::convert::remote_write::{ToV1, ToV2};
use borrowire::loki::{self, LokiTokens, PushRequest};
use borrowire::remote_write::v1::{Relabeler, WriteRequest};
use borrowire::remote_write::v2::{Request, Symbolizer, Validator};
use borrowire::remote_write::{
    MimirTokens, NameScheme, Rules, SeriesRequest, ThanosTokens, labels_hash,
};
use borrowire::shard::{Splitter, StableTokens};

/// The most work for a byte of text, or of what is written: labels in any order, up to 64 of them,
/// are compared each with each.
const TEXT: usize = 128;
/// The most work for a byte that refers to text. A label of two bytes names two texts that can be
/// 255 bytes long before they are remembered, and each is compared with its neighbours.
const REFERENCE: usize = 1024;
/// The most work for a byte that is hashed: it is gathered, and it is compared where labels are put
/// in order.
const HASHED: usize = 8;
/// What even an empty request may cost.
const BASE: usize = 4096;

/// Counts the bytes that are gone over.
pub(crate) type Measure = fn(&mut dyn FnMut()) -> usize;

/// Panics if `work` goes over more than `most` bytes.
fn bound(measure: Measure, what: &str, most: usize, mut work: impl FnMut()) {
    let (found, most) = (measure(&mut work), most + BASE);
    assert!(found <= most, "{what} goes over {found} bytes, {most} would do");
}

/// Bytes of the texts that the labels of a request are.
fn expanded<'a>(request: &impl SeriesRequest<'a>) -> usize {
    let labels = request.timeseries().iter().flat_map(|series| series.labels());
    labels.map(|label| label.name.len() + label.value.len()).sum()
}

/// What requests of both versions have.
fn check_series<'a, R: SeriesRequest<'a>>(request: &R, measure: Measure) {
    let bytes = request.body().len() + expanded(request);
    let (mut narrow, mut wide) = (Vec::new(), Vec::new());
    for tokens in [
        MimirTokens::new("t"),
        MimirTokens::new("t").with_normalized_labels(true),
        MimirTokens::cortex("t"),
        MimirTokens::cortex_by_metric_name("t"),
    ] {
        bound(measure, "MimirTokens", HASHED * bytes, || tokens.tokens(request, &mut narrow));
    }
    bound(measure, "StableTokens", HASHED * bytes, || {
        StableTokens::new("t").tokens(request, &mut wide);
    });
    bound(measure, "tokens one by one", HASHED * bytes, || {
        for series in request.timeseries() {
            narrow.push(MimirTokens::new("t").series(series.labels()));
            wide.push(ThanosTokens::new("t").series(series.labels()));
            wide.push(labels_hash(series.labels()));
        }
    });
}

/// Both versions have all of their public functions on decoded requests here.
pub(crate) fn check_v2(request: &Request<'_>, measure: Measure) {
    let body = request.body().len();
    let texts = request.symbols().iter().flatten().map(str::len).sum::<usize>().min(body);
    let most = TEXT * body + REFERENCE * (body - texts);
    check_series(request, measure);
    for rules in [Rules::new(), Rules::strict(), Rules::strict().with_names(NameScheme::Classic)] {
        let mut violations = 0_usize;
        bound(measure, "validate", most, || request.validate(&rules, |_| violations += 1));
        let mut validator = Validator::new(rules);
        bound(measure, "Validator", most, || validator.validate(request, |_| {}));
    }
    let mut symbolizer = Symbolizer::new();
    bound(measure, "encoder", most, || {
        drop(request.encoder(&mut symbolizer));
    });
    let encoded = request.encoder(&mut symbolizer).map(|encoder| encoder.encode_to_vec());
    if let Ok(Ok(encoded)) = encoded {
        bound(measure, "encode", most + TEXT * encoded.len(), || {
            if let Ok(encoder) = request.encoder(&mut symbolizer) {
                assert_eq!(encoder.encode_to_vec().as_deref(), Ok(&*encoded));
            }
        });
    }
    let mut to_v1 = ToV1::new();
    bound(measure, "ToV1", most, || {
        assert!(to_v1.convert(request, |_| {}).encoded_len() < usize::MAX);
    });
    bound(measure, "refs", most, || {
        for at in 0..request.timeseries().len() {
            assert!(request.refs(at).is_none_or(|refs| refs.labels().count() < usize::MAX));
        }
    });
    let mut splitter = Splitter::new();
    let mut check_split = |max: usize| {
        let work = |splitter: &mut Splitter| {
            let mut split = splitter.split_by_size(request, max);
            split.parts().map(|(_, part)| part.encode_to_vec().map_or(0, |part| part.len())).sum()
        };
        let written: usize = work(&mut splitter);
        bound(measure, "split", most + TEXT * written, || {
            assert_eq!(work(&mut splitter), written);
        });
    };
    check_split(usize::MAX);
    check_split(body / 3 + 100);
}

pub(crate) fn check_v1(request: &WriteRequest<'_>, measure: Measure) {
    let body = request.body().len();
    check_series(request, measure);
    for rules in [Rules::new(), Rules::strict().with_names(NameScheme::Classic)] {
        bound(measure, "validate", TEXT * body, || request.validate(&rules, |_| {}));
    }
    let mut to_v2 = ToV2::new();
    let mut symbolizer = Symbolizer::new();
    bound(measure, "ToV2", TEXT * body, || {
        drop(to_v2.convert(request, |_| {}).symbolize(&mut symbolizer));
    });
    let mut relabeler = Relabeler::new();
    bound(measure, "relabel", TEXT * body, || {
        let mut relabeled = relabeler.relabel(request, |_, labels| {
            labels.set("job", "new");
            true
        });
        assert!(relabeled.request().timeseries().len() == request.timeseries().len());
    });
    let mut splitter = Splitter::new();
    bound(measure, "split", TEXT * body, || {
        let split = splitter.split_by_size(request, 100);
        assert!(split.encoded_len() < usize::MAX);
    });
    bound(measure, "encode", TEXT * body, || drop(request.encode_to_vec()));
}

pub(crate) fn check_loki(request: &PushRequest<'_>, measure: Measure) {
    let body = request.body().len();
    let mut tokens = Vec::new();
    bound(measure, "validate", TEXT * body, || request.validate(&loki::Rules::new(), |_| {}));
    bound(measure, "LokiTokens", HASHED * body, || {
        LokiTokens::new("t").tokens(request, &mut tokens)
    });
    let mut splitter = Splitter::new();
    bound(measure, "split", TEXT * body, || {
        assert!(splitter.split_by_size(request, 100).encoded_len() < usize::MAX);
    });
    bound(measure, "encode", TEXT * body, || drop(request.encode_to_vec()));
}

/// A body of 2.0 of `symbols`, behind them series whose messages are given.
pub(crate) fn body_v2<T: AsRef<str>, S: AsRef<[u8]>>(symbols: &[T], series: &[S]) -> Vec<u8> {
    fn push(body: &mut Vec<u8>, tag: u8, content: &[u8]) {
        body.push(tag);
        let mut len = content.len();
        while len > 0x7f {
            body.push((len & 0x7f) as u8 | 0x80);
            len >>= 7;
        }
        body.push(len as u8);
        body.extend_from_slice(content);
    }
    let mut body = Vec::new();
    for symbol in symbols {
        push(&mut body, 0x22, symbol.as_ref().as_bytes());
    }
    for series in series {
        push(&mut body, 0x2a, series.as_ref());
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use borrowire::Limits;
    use borrowire::remote_write::v2::DecodeOptions;
    use proptest::prelude::*;
    use std::string::String;
    use std::vec;

    fn measure(work: &mut dyn FnMut()) -> usize {
        crate::wire::work::measure(work)
    }

    fn options() -> DecodeOptions {
        let limits = Limits::new().with_max_expanded_bytes(u64::MAX);
        DecodeOptions::new().with_limits(limits)
    }

    /// Texts that differ in their last byte alone, each of them twice.
    fn alike(count: u8, len: usize) -> Vec<String> {
        let text = |n: u8| "x".repeat(len) + &char::from(b'a' + n / 2).to_string();
        [String::new()].into_iter().chain((0..2 * count).map(text)).collect()
    }

    /// A series of labels, sample, an exemplar, and metadata.
    fn series(refs: &[u8]) -> Vec<u8> {
        let labels = [&[0x0a, refs.len() as u8], refs].concat();
        let exemplar = [&[0x22, labels.len() as u8], &labels[..]].concat();
        let help = refs.first().copied().unwrap_or(0);
        let metadata = [0x2a, 6, 8, 1, 0x18, help, 0x20, help];
        [&labels[..], &[0x12, 0], &exemplar, &metadata].concat()
    }

    /// The same few long texts under many series, which differ only at their ends: of the body each
    /// takes a byte, of what it stands for 32 KiB.
    #[test]
    fn work_on_a_long_symbol_is_done_once() {
        let work = |series_len: usize| {
            let all: Vec<_> = (0..series_len)
                .map(|n| series(&[1 + n as u8 % 7, 9, 2 + n as u8 % 5, 3, 12, 12]))
                .collect();
            let body = body_v2(&alike(6, 1 << 15), &all);
            let request = Request::decode_with(&body, &options()).unwrap();
            assert!(expanded(&request) > 100_000 * series_len);
            let mut validator = Validator::new(Rules::strict().with_names(NameScheme::Classic));
            let mut symbolizer = Symbolizer::new();
            let mut to_v1 = ToV1::new();
            (
                body.len(),
                measure(&mut || {
                    validator.validate(&request, |_| {});
                    assert!(request.encoder(&mut symbolizer).is_ok());
                    assert!(to_v1.convert(&request, |_| {}).encoded_len() > body.len());
                }),
            )
        };
        let [(small, few), (large, many)] = [work(500), work(1000)];
        // Twice the series: as much on the symbols, and what each series takes by itself.
        assert!(many - few < 100 * (large - small), "{few}, {many}");
        assert!(many < 16 * large, "{many} for {large}");
    }

    #[test]
    fn what_is_hashed_is_what_the_body_stands_for() {
        let body = body_v2(&alike(6, 1 << 12), &vec![series(&[1, 9, 2, 3]); 100]);
        let request = Request::decode_with(&body, &options()).unwrap();
        check_series(&request, measure);
        check_v2(&request, measure);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

        #[test]
        fn work_grows_with_the_input(
            lens in prop::collection::vec(0_usize..20_000, 1..12),
            alike in any::<bool>(),
            refs in prop::collection::vec(prop::collection::vec(0_u8..12, 0..20), 0..40),
        ) {
            let len = |at: usize| if alike { lens[0] } else { lens[at] };
            let text = |at: usize| "x".repeat(len(at)) + ["", "a", "b"][at % 3];
            let symbols: Vec<_> = (0..lens.len()).map(text).collect();
            let all: Vec<_> = refs.iter().map(|refs| {
                let refs: Vec<_> = refs.iter().map(|&r| r % lens.len() as u8).collect();
                series(&refs[..refs.len() & !1])
            }).collect();
            let body = body_v2(&symbols, &all);
            let request = Request::decode_with(&body, &options()).unwrap();
            check_v2(&request, measure);
            let spelled_out = ToV1::new().convert(&request, |_| {}).encode_to_vec().unwrap();
            check_v1(&WriteRequest::decode(&spelled_out).unwrap(), measure);
            if let Ok(request) = PushRequest::decode(&spelled_out) {
                check_loki(&request, measure);
            }
        }
    }
}
