//! Remote write 2.0, put together by hand.

use super::{Bytes, sample};

/// Packed references.
pub fn packed(refs: &[u32]) -> Bytes {
    refs.iter().fold(Bytes::new(), |packed, &r| packed.bare_varint(u64::from(r)))
}

/// `labels_refs` of a series or an exemplar, as clients write it.
pub fn refs(refs: &[u32]) -> Bytes {
    Bytes::new().len(1, packed(refs))
}

pub fn symbols(symbols: &[&str]) -> Bytes {
    symbols.iter().fold(Bytes::new(), |bytes, symbol| bytes.len(4, symbol))
}

/// A request of `symbols`, then `series`.
pub fn request(texts: &[&str], series: &[Bytes]) -> Vec<u8> {
    series.iter().fold(symbols(texts), |request, series| request.len(5, series)).build()
}

/// The symbols of [`small_bodies`].
const SYMBOLS: [&str; 10] = [
    "",
    "__name__",
    "http_requests_total",
    "job",
    "api-server",
    "städte",
    "Köln",
    "trace_id",
    "0af7651916cd43dd",
    "Requests.",
];

/// Small bodies that together use every message and every field, in the shapes clients send and some
/// that they do not.
pub fn small_bodies() -> Vec<(&'static str, Vec<u8>)> {
    let histogram = Bytes::new()
        .varint(1, 12)
        .double(3, 18.4)
        .sint(4, 2)
        .double(5, 1e-128)
        .varint(6, 2)
        .len(8, Bytes::new().varint(2, 1))
        .packed_sints(9, &[3])
        .len(11, Bytes::new().sint(1, -3).varint(2, 2))
        .packed_sints(12, &[1, 2])
        .varint(14, 2)
        .int(15, 1_700_000_000_123)
        .int(17, 1_700_000_000_000);
    let float_histogram = Bytes::new()
        .double(2, 3.5)
        .double(7, 0.0)
        .packed_doubles(13, &[1.5, -0.0])
        .packed_doubles(16, &[0.5]);
    let exemplar = refs(&[7, 8]).double(2, 0.25).int(3, 1_700_000_000_000);
    let labels = refs(&[1, 2, 3, 4, 5, 6]);
    let usual = labels.clone().len(2, sample(1027.0, 1_700_000_000_000));
    let metadata = Bytes::new().varint(1, 1).varint(3, 9).varint(4, 3);
    let of = |series: &[Bytes]| request(&SYMBOLS, series);
    let long = "/0123456789".repeat(12);
    vec![
        ("one series", of(std::slice::from_ref(&usual))),
        (
            "start timestamps",
            of(&[usual.clone().len(2, sample(1.0, 2).int(3, 1)).int(6, 5), usual.clone()]),
        ),
        (
            "as Prometheus orders it",
            of(&[usual.clone().len(4, &exemplar).len(3, &histogram).len(5, &metadata)]),
        ),
        ("histograms", of(&[labels.clone().len(3, histogram).len(3, float_histogram)])),
        ("metadata of no bytes", of(&[usual.clone().len(5, ""), usual.clone()])),
        (
            "metadata in two parts",
            of(&[usual.clone(), Bytes::new().len(5, metadata).raw(&usual).len(5, [0x20, 0])]),
        ),
        ("exemplars without labels", of(&[usual.clone().len(4, "").len(4, &exemplar).len(4, "")])),
        (
            "references one by one and in blocks",
            of(&[refs(&[1]).varint(1, 2).len(1, "").varint(1, 3).raw(refs(&[4, 5, 6])), {
                let exemplar = Bytes::new().varint(1, 7).double(2, 1.0).raw(refs(&[8, 3, 4]));
                labels.clone().len(4, exemplar)
            }]),
        ),
        (
            "symbols behind the series",
            Bytes::new().len(4, "").len(5, &usual).raw(symbols(&SYMBOLS[1..])).build(),
        ),
        (
            "symbols between the series",
            symbols(&SYMBOLS[..5])
                .len(5, refs(&[1, 2]))
                .len(5, labels.clone().len(4, &exemplar))
                .raw(symbols(&SYMBOLS[5..]))
                .len(5, &usual)
                .build(),
        ),
        (
            "extensions and unknown fields",
            Bytes::new()
                .len(1, "of 1.0")
                .varint(2, 1)
                .len(3, "of 1.0 too")
                .raw(of(&[usual.varint(9, 1).tag(10, 3).varint(1, 1).tag(10, 4)]))
                .varint(1000, 1)
                .varint(1001, 1)
                .build(),
        ),
        ("a long symbol", request(&["", "a", &long, "b"], &[refs(&[1, 2, 3, 2])])),
    ]
}
