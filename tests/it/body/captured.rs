//! What clients really sent: read as their headers say, cut short, and damaged.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use borrowire::body::negotiate::{self, RequestHead};
use borrowire::body::{BodyLimits, BufferPool, Encoding, Encodings};
use borrowire::remote_write::v1::WriteRequest;
use serde_json::Value;

use super::ways;
use crate::support::codecs;

struct Captured {
    name: String,
    sent: Vec<u8>,
    /// As negotiated from the request's own headers.
    encodings: Encodings,
    /// How the body is really compressed, by an inspection of its own.
    compression: Option<Encoding>,
    decoded_bytes: usize,
}

static CAPTURED: LazyLock<Vec<Captured>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let folders = fs::read_dir(root).expect("a folder").map(|entry| entry.expect("one").path());
    let files = folders.filter(|path| path.is_dir()).flat_map(|folder| {
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("one").path())
    });
    let mut bodies: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|e| e == "body")).collect();
    bodies.sort();
    bodies.iter().map(|path| load(path)).collect()
});

fn load(path: &Path) -> Captured {
    let read = |extension| fs::read(path.with_extension(extension)).expect("a file");
    let request: Value = serde_json::from_slice(&read("json")).expect("JSON");
    let mut line = request["request_line"].as_str().expect("a line").split(' ');
    let headers = request["headers"].as_array().expect("headers");
    let header = |wanted: &str| {
        let named =
            |header: &&Value| header[0].as_str().is_some_and(|n| n.eq_ignore_ascii_case(wanted));
        headers.iter().find(named).and_then(|header| header[1].as_str())
    };
    let head = RequestHead::new()
        .with_method(line.next().expect("a method"))
        .with_path(line.next().expect("a path"))
        .with_content_type(header("content-type"))
        .with_content_encoding(header("content-encoding"))
        .with_remote_write_version(header("x-prometheus-remote-write-version"));

    // The content, which follows, is of no interest here, and large.
    let mut golden = Vec::new();
    let compressed = read("golden.json.gz");
    let json = flate2::bufread::GzDecoder::new(&compressed[..]).take(256);
    // The cut may be inside a character.
    let _ = std::io::BufReader::new(json).read_to_end(&mut golden);
    let golden = String::from_utf8_lossy(&golden);
    let after = |key: &str| golden.split_once(key).map(|(_, rest)| rest).expect("a key");
    let compression = after("\"compression\":\"").split(['"', ' ']).next().expect("a name");
    let decoded = after("\"decoded_bytes\":").split([',', '}']).next().expect("a number");
    Captured {
        name: path.file_stem().expect("a name").to_string_lossy().into_owned(),
        sent: read("body"),
        encodings: negotiate::by_path(&head).expect("a head of a real client").encodings,
        compression: match compression {
            "identity" => None,
            "deflate" => Some(Encoding::Deflate),
            "gzip" => Some(Encoding::Gzip),
            "snappy-block" => Some(Encoding::Snappy),
            "snappy-framed" => Some(Encoding::SnappyFramed),
            "zstd" => Some(Encoding::Zstd),
            other => panic!("{other}"),
        },
        decoded_bytes: decoded.parse().expect("a number"),
    }
}

/// The bodies that are compressed.
fn compressed() -> impl Iterator<Item = (&'static Captured, Encoding)> {
    CAPTURED.iter().filter_map(|captured| Some((captured, captured.compression?)))
}

/// Every place in a small body, and some in a large one.
fn places(sent: &[u8]) -> impl Iterator<Item = usize> + use<> {
    let step = if sent.len() < 800 { 1 } else { sent.len() / 61 };
    (0..sent.len()).step_by(step)
}

#[test]
fn every_way_reads_what_the_client_compressed() {
    let pool = BufferPool::new();
    let mut seen = [0; 6];
    for captured in &*CAPTURED {
        let Captured { name, sent, compression, .. } = captured;
        let expected = match *compression {
            Some(encoding) => codecs::decode(encoding, sent).expect(name),
            None => sent.clone(),
        };
        assert_eq!(expected.len(), captured.decoded_bytes, "{name}");
        let read = ways::read(&pool, sent, captured.encodings, &BodyLimits::new()).expect(name);
        assert!(read == expected, "{name}");
        let index = codecs::ALL.iter().position(|encoding| Some(*encoding) == *compression);
        seen[index.unwrap_or(5)] += 1;
    }
    assert!(seen.iter().all(|bodies| *bodies > 0), "some client uses each encoding: {seen:?}");
    assert_eq!(pool.statistics().outstanding(), 0);
}

#[test]
fn the_limit_may_be_the_very_size() {
    let pool = BufferPool::new();
    for Captured { name, sent, encodings, decoded_bytes, .. } in &*CAPTURED {
        let limits = BodyLimits::new().with_max_compressed_bytes(sent.len());
        let exact = limits.with_max_decompressed_bytes(*decoded_bytes);
        pool.decompress(sent, *encodings, &exact).expect(name);
        let over = limits.with_max_decompressed_bytes(decoded_bytes - 1);
        assert!(pool.decompress(sent, *encodings, &over).unwrap_err().is_too_large(), "{name}");
        let over = exact.with_max_compressed_bytes(sent.len() - 1);
        assert!(pool.decompress(sent, *encodings, &over).unwrap_err().is_too_large(), "{name}");
    }
}

#[test]
fn every_prefix_is_refused() {
    let pool = BufferPool::new();
    let limits = BodyLimits::new();
    for (Captured { name, sent, encodings, .. }, encoding) in compressed() {
        for len in places(sent).skip(1) {
            let prefix = &sent[..len];
            // All ways are slow to try, and agree.
            let read = match len % 8 {
                0 if len < 800 => ways::read(&pool, prefix, *encodings, &limits),
                _ => pool.decompress(prefix, *encodings, &limits).map(|body| body.to_vec()),
            };
            let body = match read {
                Ok(body) => body,
                Err(error) => {
                    assert!(error.is_malformed(), "{name}, {len} bytes: {error}");
                    continue;
                }
            };
            match *encodings {
                // A stream of snappy has no end of its own: it may end behind any chunk.
                _ if encoding == Encoding::SnappyFramed => {
                    assert_eq!(body, codecs::decode(encoding, prefix).expect(name));
                }
                // What does not look like a block is taken as it is, and must not pass for a message.
                unstated if unstated == Encodings::from(Encoding::Unstated) => {
                    assert_eq!(body, prefix, "{name}, {len} bytes");
                    if let Ok(request) = WriteRequest::decode(&body) {
                        assert!(request.has_unknown_fields(), "{name}, {len} bytes");
                        assert!(request.timeseries().is_empty(), "{name}, {len} bytes");
                    }
                }
                _ => panic!("{name}: {len} bytes of {} pass", sent.len()),
            }
        }
    }
}

#[test]
fn a_damaged_byte_is_refused_or_changes_bytes_within_the_limits() {
    let pool = BufferPool::new();
    for (Captured { name, sent, encodings, decoded_bytes, .. }, encoding) in compressed() {
        let original = codecs::decode(encoding, sent).expect(name);
        let limits = BodyLimits::new().with_max_decompressed_bytes(decoded_bytes + 10);
        let damages = places(sent).flat_map(|i| [0x01, 0x08, 0x80].map(|flip| (i, flip)));
        for (place, flip) in damages {
            let mut damaged = sent.clone();
            damaged[place] ^= flip;
            let Ok(body) = pool.decompress(&damaged, *encodings, &limits) else { continue };
            assert!(body.len() <= decoded_bytes + 10, "{name}: {place} ^ {flip:#x}");
            // A checksum finds all of it, but for fields of the header that mean nothing here.
            if matches!(encoding, Encoding::Gzip | Encoding::Deflate) {
                assert!(*body == *original, "{name}: {place} ^ {flip:#x}");
            }
        }
        let same = pool.decompress(sent, *encodings, &limits).expect(name);
        assert!(*same == *original, "{name}: read again after damaged ones");
    }
    assert_eq!(pool.statistics().outstanding(), 0);
}
