//! Every content encoding both ways, by the codecs' own crates in one shot and with fresh state, so
//! that nothing of what is tested takes part.

use std::error::Error;
use std::io::{self, Read, Write};

use borrowire::body::{Encoding, Encodings};
use flate2::Compression;
use lz4_flex::frame::{BlockSize, FrameEncoder, FrameInfo};

pub const ALL: [Encoding; 6] = [
    Encoding::Deflate,
    Encoding::Gzip,
    Encoding::Lz4,
    Encoding::Snappy,
    Encoding::SnappyFramed,
    Encoding::Zstd,
];

/// Puts one layer on. `Deflate` is zlib, as the RFC has it.
pub fn encode(encoding: Encoding, bytes: &[u8]) -> Vec<u8> {
    match encoding {
        Encoding::Deflate => zlib(bytes),
        Encoding::Gzip => gzip(bytes),
        Encoding::Lz4 => {
            lz4(FrameInfo::new().block_size(BlockSize::Max64KB).content_checksum(true), bytes)
        }
        Encoding::Snappy => snap::raw::Encoder::new().compress_vec(bytes).unwrap(),
        Encoding::SnappyFramed => {
            // Written in one piece: the identifier is there even if nothing follows.
            let mut encoder = snap::write::FrameEncoder::new(Vec::new());
            encoder.write_all(bytes).unwrap();
            let stream = encoder.into_inner().unwrap();
            if stream.is_empty() { b"\xff\x06\x00\x00sNaPpY".to_vec() } else { stream }
        }
        Encoding::Zstd => zstd(bytes),
        other => panic!("{other} is not written"),
    }
}

/// Puts all layers on.
pub fn encode_all(encodings: Encodings, bytes: &[u8]) -> Vec<u8> {
    encodings.layers().fold(bytes.to_vec(), |bytes, encoding| encode(encoding, &bytes))
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn raw_deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A frame of LZ4, as `info` has it.
pub fn lz4(info: FrameInfo, bytes: &[u8]) -> Vec<u8> {
    let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A frame with a checksum, and with the size of its content in the header.
pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ::zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.set_pledged_src_size(Some(bytes.len() as u64)).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A frame that does not tell the size of its content, as clients that stream write it.
pub fn zstd_of_unknown_size(bytes: &[u8]) -> Vec<u8> {
    ::zstd::stream::encode_all(bytes, 3).unwrap()
}

/// Undoes one layer. Bytes behind its end are an error, and an empty body is empty.
pub fn decode(encoding: Encoding, sent: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut bytes = Vec::new();
    if sent.is_empty() {
        return Ok(bytes);
    }
    match encoding {
        Encoding::Deflate => {
            let as_zlib = to_end(flate2::bufread::ZlibDecoder::new(sent), |d| d.into_inner());
            return Ok(match as_zlib {
                Ok(bytes) => bytes,
                Err(_) => to_end(flate2::bufread::DeflateDecoder::new(sent), |d| d.into_inner())?,
            });
        }
        Encoding::Gzip => {
            flate2::bufread::MultiGzDecoder::new(sent).read_to_end(&mut bytes)?;
        }
        Encoding::Lz4 => {
            // The reader stops at the end of a frame, and takes what is cut short for whole: it would
            // read the byte behind the body then.
            let sent = [sent, b"\0"].concat();
            let mut rest = &sent[..];
            while rest.len() > 1 {
                lz4_flex::frame::FrameDecoder::new(&mut rest).read_to_end(&mut bytes)?;
            }
            if rest.is_empty() {
                return Err("cut short".into());
            }
        }
        Encoding::Snappy => bytes = snap::raw::Decoder::new().decompress_vec(sent)?,
        Encoding::SnappyFramed => {
            snap::read::FrameDecoder::new(sent).read_to_end(&mut bytes)?;
        }
        Encoding::Zstd => bytes = ::zstd::stream::decode_all(sent)?,
        other => panic!("{other} is not read"),
    }
    Ok(bytes)
}

/// Undoes all layers.
pub fn decode_all(encodings: Encodings, sent: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    encodings.outermost_first().try_fold(sent.to_vec(), |bytes, encoding| decode(encoding, &bytes))
}

/// Reads to the end of a stream, which must be the end of the body.
fn to_end<'a, R: Read>(mut reader: R, rest: impl Fn(R) -> &'a [u8]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes)?;
    if rest(reader).is_empty() { Ok(bytes) } else { Err(io::ErrorKind::InvalidData.into()) }
}

/// The same numbers on every machine (xorshift).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Bytes that do not compress.
    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| (self.next() >> 32) as u8).collect()
    }

    /// Bytes that compress about as well as metrics do.
    pub fn text(&mut self, len: usize) -> Vec<u8> {
        const WORDS: [&[u8]; 8] = [
            b"__name__",
            b"namespace",
            b"monitoring",
            b"pod",
            b"\x0a\x2f\x12",
            b"\0\0\0\0",
            b"container_cpu_usage_seconds_total",
            b"eu-west-1",
        ];
        let mut text = Vec::with_capacity(len + 64);
        while text.len() < len {
            text.extend_from_slice(WORDS[self.below(WORDS.len())]);
            let number = self.next();
            text.extend_from_slice(&number.to_le_bytes()[..2]);
        }
        text.truncate(len);
        text
    }
}
