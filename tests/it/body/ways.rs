//! All ways in, one beside the other.

use std::io::{self, Read};

use borrowire::body::{
    Body, BodyError, BodyLimits, BufferPool, Encoding, Encodings, MalformedKind,
};

use crate::support::codecs::Random;

/// Reads a body in every way, and returns what they all say.
///
/// # Panics
///
/// If one of them finds other bytes, or fails where another succeeds.
#[track_caller]
pub fn read(
    pool: &BufferPool,
    sent: &[u8],
    encodings: impl Into<Encodings>,
    limits: &BodyLimits,
) -> Result<Vec<u8>, BodyError> {
    let encodings = encodings.into();
    let whole = pool.decompress(sent, encodings, limits);
    let mut random = Random(1 + sent.len() as u64);
    let len = sent.len() as u64;
    for (way, other) in [
        ("read", pool.read(sent, encodings, limits, Some(len))),
        ("read by halves", pool.read(Halves(sent), encodings, limits, None)),
        ("one chunk", receive(pool, sent, encodings, limits, |_| sent.len())),
        ("bytes", receive(pool, sent, encodings, limits, |_| 1)),
        ("sevens", receive(pool, sent, encodings, limits, |_| 7)),
        ("chunks", receive(pool, sent, encodings, limits, |rest| random.below(rest + 1))),
    ] {
        match (&whole, &other) {
            (Ok(whole), Ok(other)) => {
                assert!(**whole == **other, "{way}: other bytes ({encodings:?})");
            }
            (Err(_), Err(_)) => {}
            _ => panic!("{way}: {other:?}, in one piece {whole:?} ({encodings:?})"),
        }
    }
    whole.map(|body| body.to_vec())
}

/// Hands a body over in chunks; `next` says how long the next is, given what is left.
pub fn receive(
    pool: &BufferPool,
    sent: &[u8],
    encodings: Encodings,
    limits: &BodyLimits,
    mut next: impl FnMut(usize) -> usize,
) -> Result<Body, BodyError> {
    let mut receiver = pool.receive(encodings, limits, None)?;
    let mut rest = sent;
    while !rest.is_empty() {
        let (chunk, left) = rest.split_at(next(rest.len()).min(rest.len()));
        receiver.push(chunk)?;
        rest = left;
    }
    receiver.finish()
}

/// A reader that is interrupted before each read, and then yields half of what it could.
struct Halves<'a>(&'a [u8]);

impl Read for Halves<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let len = self.0.len().min(out.len()).div_ceil(2);
        self.0.read(&mut out[..len])
    }
}

/// The fault of a malformed body.
#[track_caller]
pub fn fault<T: std::fmt::Debug>(result: Result<T, BodyError>) -> (Encoding, MalformedKind) {
    match result {
        Err(BodyError::Malformed { encoding, kind }) => (encoding, kind),
        other => panic!("not malformed: {other:?}"),
    }
}

/// Bytes from hexadecimal digits.
pub fn hex(digits: &str) -> Vec<u8> {
    assert!(digits.len().is_multiple_of(2));
    let pairs = (0..digits.len()).step_by(2);
    pairs.map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap()).collect()
}

/// Two requests of one series each, which differ in a label and the sample.
pub fn messages() -> (Vec<u8>, Vec<u8>) {
    let a = "0a2f0a0e0a085f5f6e616d655f5f120275700a0f0a036a6f62120861616161616161\
             61120c09000000000000f03f10e807";
    let b = "0a2f0a0e0a085f5f6e616d655f5f120275700a0f0a036a6f62120862626262626262\
             62120c09000000000000004010d00f";
    (hex(a), hex(b))
}
