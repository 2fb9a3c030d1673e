//! After the first JSON bodies, reading and writing them allocates nothing.

use std::hint::black_box;
use std::sync::Arc;

use borrowire::Encode;
use borrowire::loki::json::{JsonEncoder, JsonScratch};
use borrowire::loki::{DecodeOptions, Entry, PushRequest, Stream, Timestamp};
use borrowire::reuse::{Decoder, Pool};
use bytes::Bytes;

use crate::heap;

/// Bodies with something of everything, of several sizes.
fn bodies() -> Vec<Vec<u8>> {
    let small = r#"{"streams":[{"stream":{"a":"b"},"values":[["1","x"]]}]}"#.to_owned();
    let older = r#"{"streams":[{"labels":"{a=\"b\"}","entries":[
        {"ts":"2023-11-14T22:13:20.5+01:00","line":"x\ny","z":[1]}]}]}"#;
    let stream = r#"{"values":[["1","plain"],null,["2","\"quotes\" \u00e9 \ud83d\ude80",
        {"k\u0065y":"v\\alue","k":"v"}],["3","",{},0]],
        "stream":{"l\u00e4bel":"\u00fc","empty":"","n":1.5,"o":{"a":1},"job":"\"","job":"x"},"x":{}}"#;
    let large = format!(r#"{{"streams":[{}]}}"#, vec![stream; 200].join(","));
    // More labels than any first guess of capacity.
    let labels: Vec<_> = (0..300).map(|i| format!(r#""l{}":"v\n""#, i * 7 % 290)).collect();
    let labels = format!(r#"{{"streams":[{{"stream":{{{}}}}}]}}"#, labels.join(","));
    [small, older.into(), large, labels].map(String::into_bytes).into()
}

/// Reads everything that a request shows.
fn read(push: &PushRequest<'_>) -> usize {
    let streams = push.streams().into_iter().map(|stream| {
        let entries = stream.entries().into_iter().map(|entry| {
            let metadata = entry.structured_metadata().iter();
            entry.line().len()
                + metadata.map(|pair| pair.name.len() + pair.value.len()).sum::<usize>()
        });
        stream.labels().len() + entries.sum::<usize>()
    });
    streams.sum()
}

pub fn run() {
    used_again();
    partial();
    hostile();
}

fn used_again() {
    let _profiler = heap::profiler();
    let bodies = bodies();
    let options = DecodeOptions::new().with_quoted_names(true);

    let mut decoder = Decoder::<PushRequest>::new().with_options(options);
    let mut decode_all = || {
        for body in &bodies {
            black_box(read(&decoder.decode_json(body).unwrap()));
        }
    };
    decode_all();
    decode_all();
    assert_eq!(heap::blocks(&mut decode_all), 0, "decoder");

    // What is refused gives the storage back; serde_json boxes its error.
    let mut refuse_all = || {
        for body in &bodies {
            for bad in
                [&body[..body.len() - 1], &body[1..], b"\xff", br#"{"streams":[{"a":[]},0]}"#]
            {
                assert!(decoder.decode_json(bad).is_err());
            }
        }
    };
    refuse_all();
    let blocks = heap::blocks(refuse_all);
    assert!(blocks <= 3 * 4 * u64::try_from(bodies.len()).unwrap(), "{blocks}");
    let kept = heap::blocks(|| {
        for body in &bodies {
            black_box(read(&decoder.decode_json(body).unwrap()));
        }
    });
    assert_eq!(kept, 0, "after errors");

    let pool = Pool::<PushRequest>::new().with_options(options);
    let pool_all = || {
        let mut decoder = pool.decoder();
        let first = decoder.decode_json(&bodies[2]).unwrap();
        for body in &bodies {
            black_box(read(&pool.decoder().decode_json(body).unwrap()));
        }
        black_box(read(&first));
    };
    pool_all();
    pool_all();
    pool_all();
    assert_eq!(heap::blocks(pool_all), 0, "pool");

    // An owned push is one block, which holds body and storage together.
    let shared = Arc::new(Pool::<PushRequest>::new().with_options(options));
    let owned: Vec<_> = bodies.iter().cloned().map(Bytes::from).collect();
    let plain = Bytes::from_static(br#"{"streams":[{"labels":"","entries":[]}]}"#);
    for body in owned.iter().cycle().take(2 * owned.len()).cloned() {
        black_box(read(shared.decode_json_owned(body).unwrap().request()));
    }
    for body in owned {
        let blocks = heap::blocks(|| {
            black_box(read(shared.decode_json_owned(body).unwrap().request()));
        });
        assert_eq!(blocks, 1, "owned");
    }
    assert_eq!(heap::blocks(|| drop(shared.decode_json_owned(plain).unwrap())), 1, "owned");

    let (mut scratch, mut back) = (JsonScratch::new(), JsonScratch::new());
    let mut storage = PushRequest::default();
    let mut out = Vec::new();
    let mut there_and_back = || {
        // The last has more labels than are parsed without an allocation.
        for body in &bodies[..3] {
            let mut push = std::mem::take(&mut storage);
            push.decode_json_into(body, &mut scratch, &options).unwrap();
            out.clear();
            let json = push.json_encoder(&mut back).unwrap();
            assert_eq!(json.append_to_vec(&mut out), Ok(json.encoded_len()));
            storage = push.recycle();
        }
    };
    there_and_back();
    there_and_back();
    assert_eq!(heap::blocks(&mut there_and_back), 0, "there and back");

    // A sender's own data.
    let entries = [Entry::new(Timestamp::new(1_700_000_000, 0), b"GET \"/\" 200"); 100];
    let streams = [Stream::new(r#"{job="varlogs", path="C:\\"}"#).with_entries(&entries); 10];
    let mut buffer = vec![0; 1 << 16];
    let mut send = || {
        let json = JsonEncoder::new(streams, &mut back).unwrap();
        json.encode(&mut buffer).unwrap()
    };
    send();
    assert_eq!(heap::blocks(&mut send), 0, "sender");
}

/// Partial mode costs nothing where all is good, and the notes of what was left out use their memory again;
/// serde_json makes a few blocks for each fault.
fn partial() {
    let _profiler = heap::profiler();
    let good = br#"{"streams":[{"stream":{"a":"b"},"values":[["1","x"],["2","\"y\""]]}]}"#;
    let bad =
        br#"{"streams":[{"stream":{"a":"b"},"values":[["x","x"],["2","y"]]},{"stream":{"":0}}]}"#;
    let options = DecodeOptions::new().with_quoted_names(true).with_partial(true);
    let mut decoder = Decoder::<PushRequest>::new().with_options(options);
    let mut faults = |body: &[u8]| decoder.decode_json(body).unwrap().json_skipped().len();
    assert_eq!([faults(good), faults(bad)], [0, 2]);
    assert_eq!(heap::blocks(|| faults(good)), 0);
    // Once for the first fault in strict mode.
    let blocks = heap::blocks(|| faults(bad));
    assert!(blocks <= 3 * 5, "{blocks}");
}

/// Storage and scratch stay within a few bytes for each byte of the body, whatever it is made of.
fn hostile() {
    let streams = |stream: &str, count| format!(r#"{{"streams":[{}{{}}]}}"#, stream.repeat(count));
    let one = |front: &str, piece: &str, back: &str, count| {
        format!(r#"{{"streams":[{{{front}{}{back}}}]}}"#, piece.repeat(count))
    };
    let count = 20_000;
    for (name, body) in [
        ("streams", streams("{},", count)),
        ("streams with labels", streams(r#"{"stream":{}},"#, count)),
        ("values", one(r#""values":["#, r#"["0",""],"#, "null]", count)),
        ("nulls", one(r#""values":["#, "null,", "null]", count)),
        ("metadata", one(r#""values":[["0","",{"#, r#""":"","#, r#""":""}]]"#, count)),
        ("labels", one(r#""stream":{"#, r#""a":"","#, r#""a":""}"#, count)),
        ("quoted labels", one(r#""stream":{"a":""#, "\u{7f}", r#""}"#, count)),
        ("private labels", one(r#""stream":{"a":""#, "\u{10fffd}", r#""}"#, count)),
        ("escapes", one(r#""values":[["0",""#, r"\n", r#""]]"#, count)),
        ("lines with an escape", one(r#""values":["#, r#"["0","\n"],"#, "null]", count)),
        ("long escapes", one(r#""values":[["0",""#, r"\u0041", r#""]]"#, count)),
        ("streams over and over", format!(r#"{{{}"x":0}}"#, r#""streams":[{}],"#.repeat(count))),
        ("nesting", one(r#""x":"#, "[", &"]".repeat(count), count)),
    ] {
        let peak = heap::peak_bytes(|| {
            let mut scratch = JsonScratch::new();
            PushRequest::decode_json(body.as_bytes(), &mut scratch).map(|push| read(&push)).unwrap()
        });
        let bound = 24 * body.len() + 4096;
        assert!(peak <= bound, "{name}: {peak} allocated for {} bytes", body.len());
    }
}
