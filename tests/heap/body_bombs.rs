//! Bombs are refused within the memory of the limit, and at once if their header gives them away.

use borrowire::body::{BodyError, BodyLimits, BufferPool, Encoding, Encodings, MalformedKind};

use borrowire::loki::PushRequest;
use borrowire::remote_write::v1::WriteRequest;
use borrowire::remote_write::v2::Request;

use crate::{codecs, heap};

const LIMIT: usize = 1 << 20;
/// A decoder of gzip has a window of 32 KiB, and tables; one of zstd three blocks of 128 KiB, and its
/// frame's window.
const STATE: usize = 512 << 10;

pub fn run() {
    let limits = BodyLimits::new().with_max_decompressed_bytes(LIMIT);
    inflating(&limits);
    nested(&limits);
    headers(&limits);
    with_the_defaults();
}

/// A few megabytes of gzip, with what takes most storage for a byte in it: what a receiver that sets no
/// limits at all spends on it.
fn with_the_defaults() {
    const MOST: usize = 300_000_000;
    const LEN: usize = 32 << 20;
    let flood = |tag: u8, element: &[u8]| {
        let mut message = vec![tag, 0, 0, 0, 0];
        message.extend(element.repeat((LEN - message.len()) / element.len()));
        let len = message.len() - 5;
        // A length of four bytes.
        message[1..5]
            .copy_from_slice(&[0, 7, 14, 21].map(|bits| (len >> bits) as u8 & 0x7f | 0x80));
        message[4] &= 0x7f;
        message
    };
    let bodies = [
        b"\x0a\x00".repeat(LEN / 2), // series, streams
        b"\x1a\x00".repeat(LEN / 2), // metadata
        flood(0x0a, b"\x0a\x00"),    // labels
        flood(0x0a, b"\x12\x00"),    // samples, entries
        flood(0x0a, b"\x1a\x00"),    // exemplars
        flood(0x0a, b"\x22\x00"),    // histograms
        [b"\x22\x00".repeat(LEN / 4), b"\x2a\x00".repeat(LEN / 4)].concat(), // symbols, series of 2.0
    ];
    for body in bodies {
        let sent = codecs::gzip(&body);
        drop(body);
        let peak = heap::peak_bytes(|| {
            let body = BufferPool::new().decompress(&sent, Encoding::Gzip, &BodyLimits::new());
            let body = body.unwrap();
            let refused = [
                WriteRequest::decode(&body).is_err(),
                Request::decode(&body).is_err(),
                PushRequest::decode(&body).is_err(),
            ];
            assert!(refused.contains(&true));
        });
        assert!(peak <= MOST, "{peak} bytes");
        // One byte more is not even read.
        let over = codecs::gzip(&vec![0; LEN + 1]);
        let result = BufferPool::new().decompress(&over, Encoding::Gzip, &BodyLimits::new());
        assert!(result.is_err_and(|error| error.is_too_large()));
    }
}

/// The most memory that a body takes, whichever way it comes in.
fn peak(sent: &[u8], encodings: Encodings, limits: &BodyLimits) -> usize {
    let whole = heap::peak_bytes(|| refused(BufferPool::new().decompress(sent, encodings, limits)));
    let chunks = heap::peak_bytes(|| {
        let pool = BufferPool::new();
        let mut receiver = pool.receive(encodings, limits, None).unwrap();
        let pushed = sent.chunks(8 << 10).try_for_each(|chunk| receiver.push(chunk));
        refused(pushed.and_then(|()| receiver.finish()));
    });
    // What is only decompressed in one piece is held until then.
    let held = match encodings.outermost_first().next() {
        Some(Encoding::Gzip | Encoding::Zstd) | None => 0,
        Some(_) => sent.len() * 2,
    };
    whole.max(chunks.saturating_sub(held))
}

#[track_caller]
fn refused<T>(result: Result<T, BodyError>) {
    match result {
        Ok(_) => panic!("a bomb was read"),
        // A block of snappy that cannot be as long as it says.
        Err(BodyError::Malformed {
            encoding: Encoding::Snappy,
            kind: MalformedKind::Truncated,
        }) => {}
        Err(BodyError::Malformed { kind: MalformedKind::WindowTooLarge, .. }) => {}
        Err(error) => assert!(error.is_too_large(), "{error}"),
    }
}

fn inflating(limits: &BodyLimits) {
    let zeros = vec![0; 8 << 20];
    let mut bombs: Vec<_> =
        codecs::ALL.map(|encoding| (encoding, codecs::encode(encoding, &zeros), 0)).into();
    let window = 2 << 20; // what zstd has at its default level
    bombs.push((Encoding::Zstd, codecs::zstd_of_unknown_size(&zeros), window));
    // 10 MB of gzip that is 10 GB; as many frames, none of which tells its size.
    let member = codecs::gzip(&zeros);
    bombs.push((Encoding::Gzip, member.repeat((10 << 20) / member.len()), 0));
    let frame = codecs::zstd_of_unknown_size(&zeros);
    bombs.push((Encoding::Zstd, frame.repeat((1 << 20) / frame.len()), window));
    for (encoding, sent, window) in bombs {
        let peak = peak(&sent, encoding.into(), limits);
        let allowed = LIMIT + STATE + window;
        assert!(peak <= allowed, "{encoding}, {} bytes: {peak} bytes", sent.len());
        // The ratio stops it at 64 KiB.
        let limits = limits.with_max_ratio(10);
        if sent.len() < 6 << 10 {
            let peak = self::peak(&sent, encoding.into(), &limits);
            assert!(peak <= (64 << 10) + STATE + window, "{encoding}, by ratio: {peak} bytes");
        }
    }
}

/// With a layer in between, two buffers are there at a time.
fn nested(limits: &BodyLimits) {
    let zeros = vec![0; 64 << 20];
    for inner in [Encoding::Gzip, Encoding::Zstd, Encoding::Deflate] {
        let sent = codecs::encode(inner, &zeros);
        for outer in codecs::ALL {
            let encodings = Encodings::new(inner).and(outer).unwrap();
            let peak = peak(&codecs::encode(outer, &sent), encodings, limits);
            assert!(peak <= 2 * LIMIT + 2 * STATE, "{encodings:?}: {peak} bytes");
        }
    }
    let mut bomb = codecs::gzip(&zeros);
    let mut encodings = Encodings::new(Encoding::Gzip);
    for _ in 0..3 {
        bomb = codecs::gzip(&bomb);
        encodings = encodings.and(Encoding::Gzip).unwrap();
        let peak = peak(&bomb, encodings, limits);
        assert!(peak <= 2 * LIMIT + 2 * STATE, "{encodings:?}: {peak} bytes");
    }
}

/// These are refused before anything is made for them but the pool itself.
fn headers(limits: &BodyLimits) {
    let max = 0x7fff_ffff_u64;
    for (what, encoding, sent) in [
        ("snappy of 4 GiB", Encoding::Snappy, &b"\xff\xff\xff\xff\x0f\x00A"[..]),
        ("snappy of 16 MiB", Encoding::Snappy, b"\x80\x80\x80\x08\x00A"),
        ("snappy of 1 MiB in 6 bytes", Encoding::Snappy, b"\x80\x80\x40\x00A"),
        (
            "lz4 of 16 EiB",
            Encoding::Lz4,
            b"\x04\x22\x4d\x18\x68\x70\xff\xff\xff\xff\xff\xff\xff\xff\x14",
        ),
        ("zstd of 2 GiB", Encoding::Zstd, b"\x28\xb5\x2f\xfd\x80\x00\xff\xff\xff\x7f"),
        ("zstd of 16 EiB", Encoding::Zstd, b"\x28\xb5\x2f\xfd\xe0\xff\xff\xff\xff\xff\xff\xff\xff"),
        ("zstd, window of 2 GiB", Encoding::Zstd, b"\x28\xb5\x2f\xfd\x00\xa8\x29\x00\x00hello"),
    ] {
        let empty = heap::peak_bytes(BufferPool::new);
        let peak =
            heap::peak_bytes(|| refused(BufferPool::new().decompress(sent, encoding, limits)));
        assert_eq!(peak, empty, "{what}");
    }
    let peak = heap::peak_bytes(|| {
        let pool = BufferPool::new();
        refused(pool.receive(Encoding::Gzip, limits, Some(max)));
    });
    assert_eq!(peak, heap::peak_bytes(BufferPool::new), "content length");
}
