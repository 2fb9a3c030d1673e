//! Ring tokens against values from elsewhere: Python's xxhash, a byte loop, and what Prometheus' tests pin.

use borrowire::loki::{LokiTokens, PushRequest, Stream};
use borrowire::remote_write::v1::{Record, WriteRequest};
use borrowire::remote_write::v2::{DecodeOptions, Format, Request};
use borrowire::remote_write::{Label, MimirTokens, ThanosTokens, labels_hash};
use borrowire::shard::{StableTokens, shard_of};

use crate::support::bytes::{self, Bytes, series};

/// FNV-1 by its definition.
fn fnv1(texts: &[&str]) -> u32 {
    texts
        .concat()
        .bytes()
        .fold(0x811c_9dc5, |hash: u32, byte| hash.wrapping_mul(0x0100_0193) ^ u32::from(byte))
}

fn labels<'a>(pairs: &[(&'a str, &'a str)]) -> Vec<Label<'a>> {
    pairs.iter().map(|&(name, value)| Label::new(name, value)).collect()
}

#[test]
fn mimir_and_cortex() {
    let mimir = MimirTokens::new("user-1");
    let foo = labels(&[("__name__", "foo"), ("bar", "baz"), ("sample", "1")]);
    assert_eq!(mimir.series(&foo), 0x502e_0196);
    assert_eq!(mimir.metadata("foo"), 1_481_338_450);
    assert_eq!(mimir.series(&[]), 3_956_040_770);
    // Without separators these are the same.
    let ambiguous = MimirTokens::new("u");
    for pairs in [[("a", "bc")], [("ab", "c")]] {
        assert_eq!(ambiguous.series(&labels(&pairs)), 1_088_413_374);
    }

    let with_empty = labels(&[("__name__", "foo"), ("gone", ""), ("bar", "baz"), ("sample", "1")]);
    let cortex = MimirTokens::cortex("user-1");
    assert_eq!(cortex.series(&with_empty), 1_345_192_342);
    assert_eq!(mimir.series(&with_empty), fnv1(&["user-1__name__foogonebarbazsample1"]));
    assert_eq!(cortex.metadata("foo"), 1_481_338_450);

    let by_name = MimirTokens::cortex_by_metric_name("user-1");
    assert_eq!(by_name.series(&foo), 1_481_338_450, "the same text as the family's");
    assert_eq!(by_name.series(&labels(&[("bar", "foo")])), 3_956_040_770);
    assert_eq!(by_name.metadata("foo"), 3_956_040_770);
    let twice = labels(&[("a", "b"), ("__name__", "foo"), ("__name__", "bar")]);
    assert_eq!(by_name.series(&twice), 1_481_338_450, "the first name counts");
}

#[test]
fn loki() {
    let tokens = LokiTokens::new("fake");
    assert_eq!(tokens.labels(r#"{foo="bar"}"#), 1_716_197_110);
    assert_eq!(tokens.token(&Stream::new("")), fnv1(&["fake"]));
    let strings: Vec<String> = (0..100).map(|n| "x".repeat(n * n % 97)).collect();
    let body = bytes::loki::push(
        &strings.iter().map(|labels| bytes::loki::stream(labels, &[])).collect::<Vec<_>>(),
    );
    let push = PushRequest::decode(&body).unwrap();
    let mut all = vec![7; 3];
    tokens.tokens(&push, &mut all);
    let expected: Vec<u32> = strings.iter().map(|labels| fnv1(&["fake", labels])).collect();
    assert_eq!(all, expected);
}

#[test]
fn by_xxhash() {
    let metric = labels(&[("__name__", "metric"), ("label", "value")]);
    assert_eq!(labels_hash(&[]), 0xef46_db37_51d8_e999);
    assert_eq!(labels_hash(&labels(&[("hello", "world")])), 0x347c_8ee7_a9e2_9708);
    assert_eq!(labels_hash(&metric), 0xcbab_4054_0f26_097d);
    assert_eq!(ThanosTokens::new("tenant").series(&metric), 0xd950_a542_6809_35d5);

    let stable = StableTokens::new("tenant");
    assert_eq!(stable.series(&metric), 0xe9eb_c91b_7d3e_48ec);
    assert_eq!(stable.series(&[]), 0x9d18_b823_f8e2_121b);
    assert_eq!(stable.metadata("metric"), 0x675a_29b0_5ae1_7a7a);
    assert_eq!(stable.stream(&Stream::new("metric")), 0x675a_29b0_5ae1_7a7a);

    // Longer than what is gathered, in the labels and in the tenant.
    let long = "x".repeat(700);
    let (short, tenant) = (labels(&[("a", "b")]), "t".repeat(600));
    let long = labels(&[("a", "b"), ("long", &long), ("z", "")]);
    assert_eq!(labels_hash(&long), 0xfd5d_f800_35ca_6ec4);
    assert_eq!(ThanosTokens::new("tenant").series(&long), 0x40b2_3c64_6e77_5d08);
    assert_eq!(stable.series(&long), 0x7496_528c_1fff_53fc);
    assert_eq!(StableTokens::new(&tenant).series(&short), 0x0bd7_7548_aeff_4dd5);
    assert_eq!(StableTokens::new(&tenant).metadata("m"), 0x5e4d_9bad_56dd_0771);
}

#[test]
fn separators_keep_labels_apart() {
    let tokens = StableTokens::new("t");
    let sets: [&[(&str, &str)]; 8] = [
        &[("x", "yz")],
        &[("xy", "z")],
        &[("p", "qq"), ("q", "r")],
        &[("p", "q"), ("qq", "r")],
        &[("m::n", "o")],
        &[("m", "n::o")],
        &[("a", "b"), ("", "")],
        &[("a", "b")],
    ];
    let mut all: Vec<u64> = sets.iter().map(|set| tokens.series(&labels(set))).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), sets.len());
    assert_ne!(tokens.series(&labels(&[("a", "b")])), StableTokens::new("ta").series(&[]));
}

/// Series with texts of every length, some too long to be gathered with others, and metadata.
fn many() -> Vec<u8> {
    let text = "abcdefghijklmnopqrstuvwxyz".repeat(1000);
    let mut body = Bytes::new();
    for n in 0..500_usize {
        let (a, b) = (&text[n % 26..][..n * n % 61], &text[n % 19..][..n % 40]);
        let value = &text[..if n % 100 == 57 { 20_000 } else { n % 150 }];
        let pairs = [("__name__", a), (b, ""), ("x", value)];
        body = body.len(1, series(&pairs[..n % 4], &[(1.0, 1)]));
    }
    for n in 0..5 {
        body = body.len(3, Bytes::new().varint(1, 1).len(2, &text[..n * 7]));
    }
    body.build()
}

#[test]
fn all_of_a_request_of_2_0_at_once() {
    let long = "x".repeat(20_000);
    let texts: Vec<String> = (0..300).map(|n| n.to_string()).collect();
    let texts: Vec<&str> =
        ["", &long].into_iter().chain(texts.iter().map(|text| &text[..])).collect();
    // Some with the long symbol, one without labels, references under 64 for the common symbols.
    let pairs: Vec<Bytes> =
        (0..500_u32).map(|n| bytes::v2::refs(&[n % 36, 65 + n % 200])).collect();
    let series = [pairs, vec![bytes::v2::refs(&[])]].concat();
    let body = bytes::v2::request(&texts, &series);
    let mut all = vec![1; 1000];
    for format in [Format::Standard, Format::MimirRecord] {
        let options = DecodeOptions::new().with_format(format);
        let request = Request::decode_with(&body, &options).unwrap();
        for tokens in [MimirTokens::new("tenant"), MimirTokens::cortex("")] {
            tokens.tokens(&request, &mut all);
            let series = request.timeseries().iter();
            let one_by_one: Vec<u32> =
                series.map(|series| tokens.series(series.labels())).collect();
            assert_eq!((all.len(), &all), (501, &one_by_one));
        }
    }
}

#[test]
fn all_at_once_is_one_by_one() {
    let body = many();
    let request = WriteRequest::decode(&body).unwrap();
    let records = request.timeseries().iter().map(Record::TimeSeries);
    let records: Vec<_> = records.chain(request.metadata().iter().map(Record::Metadata)).collect();
    assert_eq!(records.len(), 505);

    let (mut all, mut all_stable) = (Vec::new(), vec![1; 1000]);
    for tokens in [
        MimirTokens::new("tenant"),
        MimirTokens::cortex(""),
        MimirTokens::cortex_by_metric_name("t"),
    ] {
        tokens.tokens(&request, &mut all);
        let one_by_one: Vec<u32> = records.iter().map(|record| tokens.token(record)).collect();
        assert_eq!(all, one_by_one);
    }
    let tokens = StableTokens::new("tenant");
    tokens.tokens(&request, &mut all_stable);
    let one_by_one: Vec<u64> = records.iter().map(|record| tokens.token(record)).collect();
    assert_eq!(all_stable, one_by_one);

    // Against the definition, and without a body to copy from.
    let mimir = MimirTokens::new("tenant");
    mimir.tokens(&request, &mut all);
    for (series, token) in request.timeseries().iter().zip(&all) {
        let texts = series.labels().iter().flat_map(|label| [label.name, label.value]);
        assert_eq!(*token, fnv1(&["tenant"].into_iter().chain(texts).collect::<Vec<_>>()));
    }
    mimir.tokens(&WriteRequest::default(), &mut all);
    assert!(all.is_empty());
}

#[test]
fn a_request_of_generated_types_has_the_same_tokens() {
    let body = many();
    let prost: borrowire::proto::prometheus::WriteRequest =
        prost::Message::decode(&body[..]).unwrap();
    let (decoded, converted) =
        (WriteRequest::decode(&body).unwrap(), WriteRequest::from_prost(&prost));
    let (mut a, mut b) = (Vec::new(), Vec::new());
    MimirTokens::new("t").tokens(&decoded, &mut a);
    MimirTokens::new("t").tokens(&converted, &mut b);
    assert_eq!(a, b);
    let (mut a, mut b) = (Vec::new(), Vec::new());
    StableTokens::new("t").tokens(&decoded, &mut a);
    StableTokens::new("t").tokens(&converted, &mut b);
    assert_eq!(a, b);
}

#[test]
fn shards_are_remainders() {
    assert_eq!(shard_of(u64::MAX, 16), 15);
    assert_eq!(shard_of(5, u32::MAX), 5);
    assert_eq!(shard_of(5, 0), 0);
}

/// What Mimir's distributor does before it hashes: it drops labels without a value, and sorts the rest.
#[test]
fn labels_in_any_order_have_the_token_that_the_distributor_gives_them() {
    let sent = labels(&[("sample", "1"), ("gone", ""), ("__name__", "foo"), ("bar", "baz")]);
    let mimir = MimirTokens::new("user-1");
    assert_eq!(mimir.series(&sent), fnv1(&["user-1sample1gone__name__foobarbaz"]));
    assert_eq!(mimir.with_normalized_labels(true).series(&sent), 1_345_192_342);
    let by_name = MimirTokens::cortex_by_metric_name("user-1").with_normalized_labels(true);
    assert_eq!(by_name.series(&sent), 1_481_338_450);

    // The series of `many`, and some with more labels than are put in order in place.
    let wide: Vec<String> = (0..100).map(|n| format!("l{}", n * 37 % 100)).collect();
    let mut body = many();
    for count in [31, 32, 33, 100] {
        let pairs: Vec<_> = wide[..count].iter().map(|name| (&name[..], &name[1..])).collect();
        body.extend(Bytes::new().len(1, series(&pairs, &[])).build());
    }
    let request = WriteRequest::decode(&body).unwrap();
    let mut unsorted = 0;
    fn in_order<'a>(given: &[Label<'a>]) -> Vec<&'a str> {
        let mut texts: Vec<_> = given.iter().map(|label| (label.name, label.value)).collect();
        texts.retain(|(_, value)| !value.is_empty());
        texts.sort();
        texts.iter().flat_map(|(name, value)| [*name, value]).collect()
    }
    let mut all = Vec::new();
    MimirTokens::new("t").with_normalized_labels(true).tokens(&request, &mut all);
    let mut stable = Vec::new();
    StableTokens::new("t").with_normalized_labels(true).tokens(&request, &mut stable);
    for (at, series) in request.timeseries().iter().enumerate() {
        let texts = in_order(series.labels());
        assert_eq!(all[at], fnv1(&[&["t"], &texts[..]].concat()));
        let sorted: Vec<_> = texts.chunks(2).map(|pair| Label::new(pair[0], pair[1])).collect();
        assert_eq!(stable[at], StableTokens::new("t").series(&sorted));
        assert_eq!(series.has_normalized_labels(), series.labels() == sorted);
        unsorted += usize::from(!series.has_normalized_labels());
    }
    assert!(unsorted > 100 && unsorted < all.len() - 100);
    assert_eq!(all.len(), 509);
    // Metadata has no labels.
    assert_eq!(all[508], fnv1(&["t", &"abcdefghijklmnopqrstuvwxyz".repeat(2)[..28]]));
}
