//! Generated pushes: the same bytes on every machine, encoded by prost.

use borrowire::proto::logproto::{EntryAdapter, LabelPairAdapter, PushRequest, StreamAdapter};
use bytes::Bytes;
use prost::Message;
use prost_types::Timestamp;

use super::super::random::Random;

/// 2024-03-02 12:00:00 UTC, in seconds.
const NOW: i64 = 1_709_380_800;

const APPS: [&str; 6] =
    ["querier", "ingester", "distributor", "gateway", "cart", "checkout-service"];
const NAMESPACES: [&str; 4] = ["default", "shop", "mimir-prod-01", "tempo-dev-01"];
const LEVELS: [&str; 4] = ["debug", "info", "info", "warn"];
const WORDS: [&str; 8] =
    ["request", "block", "flushed", "from", "cache", "after", "retry", "upstream"];

/// All payloads, with a name that tells where they come from.
pub fn all() -> impl Iterator<Item = (String, Bytes)> {
    let generated = [("1k", shippers(50, 100)), ("big", long_lines(2_000)), ("small", small())];
    generated.into_iter().map(|(name, body)| (format!("generated_{name}"), body))
}

/// Streams as an agent on each node ships them: six labels, lines of 120 to 400 bytes, three pairs
/// of structured metadata a line.
pub fn shippers(streams: u32, lines: u32) -> Bytes {
    let mut random = Random(3);
    let streams = (0..streams).map(|_| StreamAdapter {
        labels: random.labels(),
        entries: (0..lines).map(|line| random.entry(line, 120, 400)).collect(),
        hash: 0,
    });
    encode(streams.collect())
}

/// One stream of lines of 2 kB without structured metadata.
pub fn long_lines(lines: u32) -> Bytes {
    let mut random = Random(4);
    let labels = random.labels();
    let entries = (0..lines).map(|line| EntryAdapter {
        structured_metadata: Vec::new(),
        ..random.entry(line, 2_000, 2_001)
    });
    encode(vec![StreamAdapter { labels, entries: entries.collect(), hash: 0 }])
}

/// As in Loki's own benchmark: one stream of four entries with all that they can have.
pub fn small() -> Bytes {
    let mut random = Random(5);
    let mut entries: Vec<_> = (0..4).map(|line| random.entry(line, 290, 291)).collect();
    for (entry, pairs) in entries.iter_mut().zip([0, 1, 0, 1]) {
        entry.structured_metadata.truncate(pairs);
    }
    entries[3].parsed.push(pair("msg", "text".into()));
    encode(vec![StreamAdapter { labels: random.labels(), entries, hash: 12_349 }])
}

fn encode(streams: Vec<StreamAdapter>) -> Bytes {
    PushRequest { streams, format: String::new() }.encode_to_vec().into()
}

fn pair(name: &str, value: String) -> LabelPairAdapter {
    LabelPairAdapter { name: name.into(), value }
}

impl Random {
    fn labels(&mut self) -> String {
        let app = self.choose(APPS);
        format!(
            "{{cluster=\"prod-eu-west-1\", container=\"{app}\", filename=\"/var/log/pods/{app}/{}.log\", \
             namespace=\"{}\", pod=\"{app}-{:010x}-{:05x}\", stream=\"stderr\"}}",
            self.below(4),
            self.choose(NAMESPACES),
            self.below(1 << 40),
            self.below(1 << 20),
        )
    }

    /// The entry of a line of `min` to `max` - 1 bytes, give or take a character.
    fn entry(&mut self, line: u32, min: u64, max: u64) -> EntryAdapter {
        let timestamp =
            Timestamp { seconds: NOW + i64::from(line), nanos: self.below(1_000_000_000) as i32 };
        let len = (min + self.below(max - min)) as usize;
        let mut line = format!(
            "ts={}.{:09} level={} caller=server.go:{} duration={}us msg=\"",
            timestamp.seconds,
            timestamp.nanos,
            self.choose(LEVELS),
            self.below(900) + 100,
            self.below(1 << 20),
        );
        while line.len() < len {
            // Few characters of a line are not ASCII, but many lines have some.
            line.push_str(if self.below(16) == 0 { "Größe" } else { self.choose(WORDS) });
            line.push(' ');
        }
        while line.len() >= len {
            line.pop();
        }
        line.push('"');
        EntryAdapter {
            timestamp: Some(timestamp),
            line,
            structured_metadata: vec![
                pair("trace_id", format!("{:016x}{:016x}", self.next(), self.next())),
                pair("span_id", format!("{:016x}", self.next())),
                pair("user_id", self.below(1 << 20).to_string()),
            ],
            parsed: Vec::new(),
        }
    }
}
