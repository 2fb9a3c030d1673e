//! Bodies in any encodings, as they are or compressed first and then damaged: in chunks they read as in
//! one piece, within the limits, and every buffer comes back.
#![no_main]

use borrowire::Encode;
use borrowire::body::{BodyLimits, BufferPool, Encoding, Encodings};
use borrowire::wire::{BufferFull, Writer};
use libfuzzer_sys::fuzz_target;

const ENCODINGS: [Encoding; 7] = [
    Encoding::Deflate,
    Encoding::Gzip,
    Encoding::Lz4,
    Encoding::Snappy,
    Encoding::SnappyFramed,
    Encoding::Unstated,
    Encoding::Zstd,
];

/// The first bytes of an input say what is done with the others.
const CHOICES: usize = 6;

thread_local! {
    /// One for the whole run: each input meets what the ones before have left.
    static POOL: BufferPool = BufferPool::new();
}

struct Raw<'a>(&'a [u8]);

impl Encode for Raw<'_> {
    fn encoded_len(&self) -> usize {
        self.0.len()
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        writer.write_raw(self.0)
    }
}

fuzz_target!(|input: &[u8]| POOL.with(|pool| {
    if let Some((&choices, bytes)) = input.split_first_chunk() {
        check(pool, choices, bytes);
        assert_eq!(pool.statistics().outstanding(), 0);
    }
}));

fn check(pool: &BufferPool, choices: [u8; CHOICES], bytes: &[u8]) {
    let [inner, outer, limit, chunk, place, flip] = choices;
    let layer = |choice: u8| ENCODINGS.get(usize::from(choice) % 8).copied();
    let mut encodings = Encodings::IDENTITY;
    for encoding in [layer(inner), layer(outer)].into_iter().flatten() {
        encodings = encodings.and(encoding).expect("two at most");
    }
    // The high bits: whether the rest is compressed first.
    let compressed = if inner < 128 { pool.compress(&Raw(bytes), encodings).ok() } else { None };
    let Some(compressed) = compressed else {
        read(pool, bytes, encodings, limit, chunk);
        return;
    };
    let whole = pool.decompress(&compressed, encodings, &BodyLimits::new());
    assert_eq!(*whole.expect("what was compressed"), *bytes);
    let mut damaged = compressed.to_vec();
    let len = damaged.len().max(1);
    if let Some(byte) = damaged.get_mut(usize::from(place) * 7 % len) {
        *byte ^= flip;
    }
    read(pool, &damaged, encodings, limit, chunk);
}

fn read(pool: &BufferPool, sent: &[u8], encodings: Encodings, limit: u8, chunk: u8) {
    let limits = BodyLimits::new()
        .with_max_decompressed_bytes(usize::from(limit) * 1_000)
        .with_max_compressed_bytes(64 << 10);
    let whole = pool.decompress(sent, encodings, &limits);
    let mut receiver = pool.receive(encodings, &limits, None).expect("all features are there");
    let chunks = sent
        .chunks(usize::from(chunk).max(1))
        .try_for_each(|chunk| receiver.push(chunk))
        .and_then(|()| receiver.finish());
    match (whole, chunks) {
        (Ok(whole), Ok(chunks)) => {
            assert_eq!(*whole, *chunks);
            assert!(whole.len() <= limits.max_decompressed_bytes);
        }
        (Err(_), Err(_)) => {}
        other => panic!("{other:?}"),
    }
}
