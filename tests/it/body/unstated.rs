//! Bodies whose sender did not say how they are compressed: real messages of every kind and of every
//! small size, as they are and compressed, cut short and damaged.

use std::collections::BTreeMap;

use borrowire::Encode;
use borrowire::body::{BodyError, BodyLimits, BufferPool, Encoding};
use borrowire::loki::{Entry, LabelPair, PushRequestEncoder, Stream, Timestamp};
use borrowire::remote_write::v1::{MetricMetadata, WriteRequestEncoder};
use borrowire::remote_write::v2::Symbolizer;
use borrowire::remote_write::{Label, MetricType, Sample, TimeSeries};
use borrowire::wire::{self, Tag, WireType, Writer};

use super::ways;
use crate::support::codecs;

/// Up to which size each size is tried.
const MAX: usize = 300;

/// What differs between the messages of a kind.
#[derive(Clone, Copy)]
struct Shape<'t> {
    name: &'t str,
    /// A text of any length, of words as they stand in labels and lines.
    text: &'t str,
    /// Series, entries or points.
    count: usize,
    value: f64,
    time: i64,
}

const WORDS: &str = "http_requests_total checkout-7f9c eu-west-1 10.0.3.17:9100 level=info \
                     msg=\"done\" le=0.25 kube-system/coredns GET /api/v1/write 204 node_cpu 99.5% ";

fn shapes(mut each: impl FnMut(&Shape<'_>)) {
    let words = WORDS.repeat(3);
    for len in 0..=MAX {
        for name_len in [1, 2, 3, 4, 5, 6, 7, 8, 19] {
            for count in [1, 2, 5] {
                for (value, time) in
                    [(0.0, 0), (1.0, 1_700_000_000_000), (99.25, 1_699_999_999_999)]
                {
                    let start = 7 * (name_len % 3);
                    let name = &words[start..start + name_len];
                    let text = &words[start..start + len];
                    each(&Shape { name, text, count, value, time });
                }
            }
        }
    }
}

type Make = fn(&Shape<'_>) -> Vec<u8>;

const KINDS: [(&str, Make); 5] = [
    ("remote write 1.0", remote_write_v1),
    ("remote write 2.0", remote_write_v2),
    ("metadata", metadata),
    ("Loki push", loki_push),
    ("OTLP", otlp),
];

fn remote_write_v1(shape: &Shape<'_>) -> Vec<u8> {
    let labels = [Label::new("__name__", shape.name), Label::new("pod", shape.text)];
    let labels = if shape.text.is_empty() { &labels[..1] } else { &labels };
    let samples = [Sample::new(shape.value, shape.time)];
    let series = TimeSeries::new(labels).with_samples(&samples);
    WriteRequestEncoder::new(vec![series; shape.count]).encode_to_vec().unwrap()
}

fn remote_write_v2(shape: &Shape<'_>) -> Vec<u8> {
    let labels = [Label::new("__name__", shape.name), Label::new("pod", shape.text)];
    let labels = if shape.text.is_empty() { &labels[..1] } else { &labels };
    let samples = [Sample::new(shape.value, shape.time)];
    let series = vec![TimeSeries::new(labels).with_samples(&samples); shape.count];
    Symbolizer::new().symbolize(series).unwrap().encode_to_vec().unwrap()
}

fn metadata(shape: &Shape<'_>) -> Vec<u8> {
    let metadata = MetricMetadata::new(MetricType::COUNTER, shape.name).with_help(shape.text);
    WriteRequestEncoder::new([]).with_metadata(vec![metadata; shape.count]).encode_to_vec().unwrap()
}

fn loki_push(shape: &Shape<'_>) -> Vec<u8> {
    let labels = format!("{{job=\"{}\"}}", shape.name.replace('"', ""));
    let time = Timestamp::from_unix_nanos(shape.time * 1_000_000 + 5);
    let pairs = [LabelPair::new("trace_id", shape.name)];
    let pairs = if shape.value == 1.0 { &pairs[..] } else { &[] };
    let entry = Entry::new(time, shape.text.as_bytes()).with_structured_metadata(pairs);
    let entries = vec![entry; shape.count];
    PushRequestEncoder::new([Stream::new(&labels).with_entries(&entries)]).encode_to_vec().unwrap()
}

/// Resources, each with a scope and a gauge of one point; fields as the protocol numbers them.
fn otlp(shape: &Shape<'_>) -> Vec<u8> {
    fn field(number: u32, content: &[u8]) -> Vec<u8> {
        let tag = Tag::new(number, WireType::Len);
        let mut out = vec![0; wire::bytes_len(tag, content)];
        Writer::new(&mut out).write_bytes(tag, content).unwrap();
        out
    }
    let attribute = |name: &str, value: &str| {
        [field(1, name.as_bytes()), field(2, &field(1, value.as_bytes()))].concat()
    };
    let resource = match shape.text {
        "" => Vec::new(),
        text => field(1, &field(1, &attribute("service.name", text))),
    };
    let time = shape.time.cast_unsigned() * 1_000_000;
    let point = [&[0x19][..], &time.to_le_bytes(), &[0x21], &shape.value.to_le_bytes()].concat();
    let gauge = field(5, &field(1, &point));
    let metric = field(2, &[field(1, shape.name.as_bytes()), gauge].concat());
    let one = field(1, &[resource, field(2, &metric)].concat());
    one.repeat(shape.count)
}

/// All messages of a kind, by size, none over the largest.
fn by_size(make: Make) -> BTreeMap<usize, Vec<Vec<u8>>> {
    let mut by_size = BTreeMap::<_, Vec<Vec<u8>>>::new();
    shapes(|shape| {
        let message = make(shape);
        if message.len() <= MAX {
            let messages = by_size.entry(message.len()).or_default();
            if !messages.contains(&message) {
                messages.push(message);
            }
        }
    });
    by_size
}

fn read(pool: &BufferPool, sent: &[u8]) -> Result<Vec<u8>, BodyError> {
    pool.decompress(sent, Encoding::Unstated, &BodyLimits::new()).map(|body| body.to_vec())
}

#[test]
fn every_small_message_is_read_as_it_is_and_in_any_encoding_that_tells_itself() {
    let pool = BufferPool::new();
    for (kind, make) in KINDS {
        let messages = by_size(make);
        let smallest = *messages.keys().next().unwrap();
        // But for a size or two, where a length grows by a byte in several places.
        let missing = (smallest..=MAX).filter(|len| !messages.contains_key(len)).count();
        assert!(smallest <= 32 && missing <= 14, "{kind}: from {smallest}, {missing} missing");
        for message in messages.values().flatten() {
            assert!(read(&pool, message).unwrap() == *message, "{kind}: {message:x?}");
            let block = codecs::encode(Encoding::Snappy, message);
            assert!(read(&pool, &block).unwrap() == *message, "{kind}: block of {message:x?}");
        }
        for same_size in messages.values() {
            let message = &same_size[0];
            assert!(ways::read(&pool, message, Encoding::Unstated, &BodyLimits::new()).is_ok());
            for encoding in [Encoding::Gzip, Encoding::Lz4, Encoding::SnappyFramed, Encoding::Zstd]
            {
                let sent = codecs::encode(encoding, message);
                assert!(read(&pool, &sent).unwrap() == *message, "{kind}: {encoding}");
            }
        }
    }
}

/// Sizes that no whole message of a kind has: nothing, and messages without content.
#[test]
fn nothing_and_next_to_nothing() {
    let pool = BufferPool::new();
    for count in 0..150 {
        for record in [&b"\x0a\x00"[..], b"\x1a\x00", b"\x22\x00", b"\x2a\x00", b"\x0a\x02\x0a\x00"]
        {
            let message = record.repeat(count);
            assert!(read(&pool, &message).unwrap() == message, "{count} times {record:x?}");
            for encoding in
                [Encoding::Gzip, Encoding::Snappy, Encoding::SnappyFramed, Encoding::Zstd]
            {
                let sent = codecs::encode(encoding, &message);
                let read = read(&pool, &sent).unwrap();
                assert!(read == message, "{count} times {record:x?}, {encoding}");
            }
        }
    }
}

/// What is left of a compressed body is never taken for a message.
#[test]
fn what_is_cut_short_is_an_error() {
    let pool = BufferPool::new();
    for (kind, make) in KINDS {
        for message in by_size(make).values().filter_map(|messages| messages.last()) {
            let block = codecs::encode(Encoding::Snappy, message);
            // From the end of the first literal on, or the middle if it is a long one: by less a block is
            // not known.
            let header = if message.len() < 128 { 1 } else { 2 };
            let first = match usize::from(block[header] >> 2) {
                len @ 0..60 => header + 1 + len + 1,
                _ => header,
            };
            for cut in first.max(block.len() / 2)..block.len() {
                assert_eq!(ways::fault(read(&pool, &block[..cut])).0, Encoding::Snappy, "{kind}");
            }
            let gzip = codecs::encode(Encoding::Gzip, message);
            for cut in 3..gzip.len() {
                assert_eq!(ways::fault(read(&pool, &gzip[..cut])).0, Encoding::Gzip, "{kind}");
            }
        }
    }
}

/// Messages that no rule foresees are left to whoever decodes them.
#[test]
fn other_bodies_are_left_as_they_are() {
    let pool = BufferPool::new();
    for body in [&b"{\"streams\":[]}"[..], b"up 1\n", b"\x08\x01", b"\xff", &[0xaa; 400]] {
        assert_eq!(read(&pool, body).unwrap(), body);
    }
}
