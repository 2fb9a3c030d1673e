//! Loki's messages, put together by hand.

use super::{Bytes, label};

/// A timestamp, defaults left out.
pub fn timestamp(seconds: i64, nanos: i64) -> Bytes {
    let field = |bytes: Bytes, number, value| {
        if value == 0 { bytes } else { bytes.int(number, value) }
    };
    field(field(Bytes::new(), 1, seconds), 2, nanos)
}

/// An entry as clients write it.
pub fn entry(seconds: i64, nanos: i64, line: impl AsRef<[u8]>) -> Bytes {
    Bytes::new().len(1, timestamp(seconds, nanos)).len(2, line)
}

/// Structured metadata: `pairs` as fields of an entry.
pub fn metadata(pairs: &[(&str, &str)]) -> Bytes {
    pairs.iter().fold(Bytes::new(), |entry, (name, value)| entry.len(3, label(name, value)))
}

pub fn stream(labels: &str, entries: &[Bytes]) -> Bytes {
    entries.iter().fold(Bytes::new().len(1, labels), |stream, entry| stream.len(2, entry))
}

/// A push of `streams`.
pub fn push(streams: &[Bytes]) -> Vec<u8> {
    super::request(streams)
}

/// A push of one stream with one entry.
pub fn push_of(entry: &Bytes) -> Vec<u8> {
    push(&[stream("{a=\"b\"}", std::slice::from_ref(entry))])
}

/// Small bodies that together use every message and every field, in the shapes clients send and some
/// that they do not.
pub fn small_bodies() -> Vec<(&'static str, Vec<u8>)> {
    const NOW: i64 = 1_700_000_000;
    let job = r#"{job="varlogs"}"#;
    let pairs = [("trace_id", "0242ac120002"), ("user", "42"), ("städte", "Köln")];
    let usual = entry(NOW, 123_456_789, "level=info msg=\"GET /\"");
    let parsed = |bytes: Bytes| bytes.len(4, label("level", "info")).len(4, label("msg", "x"));
    let long = "v".repeat(130);
    vec![
        ("one line", push(&[stream(job, std::slice::from_ref(&usual))])),
        (
            "metadata",
            push(&[stream(job, &[usual.clone().raw(metadata(&pairs)), entry(NOW, 0, "")])]),
        ),
        (
            "parsed pairs",
            push(&[
                stream(job, &[usual.clone(), parsed(usual.clone().raw(metadata(&pairs)))]),
                stream("{}", &[parsed(Bytes::new()), usual.clone(), parsed(usual.clone())]),
            ]),
        ),
        (
            "pairs between each other",
            push_of(
                &parsed(parsed(usual.clone().raw(metadata(&pairs))).raw(metadata(&pairs[..1])))
                    .len(2, "the line"),
            ),
        ),
        (
            "hash and format",
            Bytes::new()
                .len(1, stream(job, &[]).varint(3, 7))
                .len(1, stream(job, &[]))
                .len(1, stream(job, std::slice::from_ref(&usual)).varint(3, u64::MAX))
                .len(2, "loki")
                .build(),
        ),
        (
            "times of all lengths",
            push(&[stream(
                job,
                &[
                    entry(0, 0, "epoch"),
                    entry(1, 2, "early"),
                    entry(-1, 999_999_999, "before"),
                    entry(-62_135_596_800, 0, "first"),
                    entry(253_402_300_799, 999_999_999, "last"),
                    entry(NOW, 1_000_000_000, "too many nanos"),
                    entry(NOW, -1, "too few"),
                    entry(NOW, 100, "two bytes"),
                    entry(NOW, 1 << 20, "three"),
                    entry(NOW, 1 << 27, "four"),
                    Bytes::new().len(2, "none"),
                    Bytes::new().len(1, "").len(2, "empty"),
                ],
            )]),
        ),
        (
            "split timestamps",
            push(&[stream(
                job,
                &[
                    Bytes::new().len(1, timestamp(5, 0)).len(1, timestamp(0, 7)).len(2, "x"),
                    usual.clone().len(1, timestamp(NOW + 1, 0)),
                ],
            )]),
        ),
        (
            "empty messages",
            Bytes::new()
                .len(1, "")
                .len(1, Bytes::new().len(2, "").len(2, Bytes::new().len(3, "").len(4, "")))
                .len(1, Bytes::new().len(2, Bytes::new().len(1, "")))
                .build(),
        ),
        (
            "unknown fields and groups",
            Bytes::new()
                .len(
                    1,
                    stream(
                        job,
                        &[usual
                            .clone()
                            .varint(9, 1)
                            .len(3, label("a", "b").varint(9, 1))
                            .raw(metadata(&pairs))
                            .tag(9, 3)
                            .len(2, "x")
                            .tag(9, 4)],
                    )
                    .fixed32(77, 5),
                )
                .double(78, 1.0)
                .build(),
        ),
        (
            "long metadata",
            push_of(&usual.raw(metadata(&[("a", "b"), ("path", &long), ("c", "d")]))),
        ),
    ]
}

/// Pushes whose lines are no text: sound for Loki, not for readers that check lines.
pub fn pushes_of_any_bytes() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("bytes", push_of(&entry(1_700_000_000, 1, b"\xff\x00\xc3"))),
        (
            "bytes with metadata",
            push_of(&entry(1_700_000_000, 1, b"caf\xe9").raw(metadata(&[("a", "b")]))),
        ),
        ("bytes without time", push_of(&Bytes::new().len(2, b"\x80"))),
    ]
}
