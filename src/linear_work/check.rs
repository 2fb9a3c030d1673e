//! The check that work grows with the input: what a request makes each function do, counted in the
//! bytes that are gone over. The tests in `tests.rs` and the fuzz target `work` ask it for what they make.
//!
//! | work on a decoded request | is at most proportional to |
//! |---|---|
//! | validating, symbolizing, converting, counting | the body |
//! | encoding, splitting, relabelling | the body and what is written |
//! | hashing, which is defined over every byte of every label | the body and what it stands for |

use std::vec::Vec;

use borrowire::Encode;
use borrowire::convert::remote_write::{ToV1, ToV2};
use borrowire::remote_write::v1::{Relabeler, WriteRequest};
use borrowire::remote_write::v2::{Request, Symbolizer, Validator};
use borrowire::remote_write::{
    MimirTokens, NameScheme, Rules, SeriesRequest, ThanosTokens, labels_hash,
};
use borrowire::shard::{Splitter, StableTokens};

/// The most work for a byte of text, or of what is written: labels in any order, up to 64 of them,
/// are compared each with each.
pub(crate) const TEXT: usize = 128;
/// The most work for a byte that refers to text. A label of two bytes names two texts that can be
/// 255 bytes long before they are remembered, and each is compared with its neighbours.
const REFERENCE: usize = 1024;
/// The most work for a byte that is hashed: it is gathered, and it is compared where labels are put
/// in order.
pub(crate) const HASHED: usize = 8;
/// What even an empty request may cost.
const BASE: usize = 4096;

/// Counts the bytes that are gone over.
pub(crate) type Measure = fn(&mut dyn FnMut()) -> usize;

/// Panics if `work` goes over more than `most` bytes.
pub(crate) fn bound(measure: Measure, what: &str, most: usize, mut work: impl FnMut()) {
    let (found, most) = (measure(&mut work), most + BASE);
    assert!(found <= most, "{what} goes over {found} bytes, {most} would do");
}

/// Bytes of the texts that the labels of a request are.
pub(crate) fn expanded<'a>(request: &impl SeriesRequest<'a>) -> usize {
    let labels = request.timeseries().iter().flat_map(|series| series.labels());
    labels.map(|label| label.name.len() + label.value.len()).sum()
}

/// What requests of both versions have.
pub(crate) fn check_series<'a, R: SeriesRequest<'a>>(request: &R, measure: Measure) {
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
