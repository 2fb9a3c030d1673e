//! Content encodings of request bodies, decompressed into a buffer that is used again.

#![allow(dead_code, reason = "each test and example uses its part")]

use flate2::{Decompress, FlushDecompress, Status};
use zstd::stream::raw::{Decoder as ZstdDecoder, Operation};

/// The longest decoded body: what protobuf itself can hold. A longer one could not be a message, so
/// a compressed bomb is stopped here.
pub const MAX_DECODED: usize = 0x7fff_ffff;

/// What a body went through after it was encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Nothing.
    Identity,
    /// Snappy's block format, which is what remote write means by `snappy`.
    Snappy,
    /// One or more gzip members.
    Gzip,
    /// One or more zstd frames.
    Zstd,
    /// zlib, as HTTP defines `deflate`, or the bare stream that some clients send under that name.
    Deflate,
}

impl Encoding {
    pub const ALL: [Self; 5] =
        [Self::Identity, Self::Snappy, Self::Gzip, Self::Zstd, Self::Deflate];

    /// As `Content-Encoding` has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Snappy => "snappy",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Deflate => "deflate",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|e| e.name() == name)
    }

    /// Tells the encoding of a body that came without a `Content-Encoding`.
    ///
    /// The magic numbers of gzip and zstd cannot begin a snappy block (its first element would
    /// refer to text before the start), and a remote write request that happens to be a well-formed
    /// snappy block of exactly the length it declares is too improbable to care. A bare deflate
    /// stream has no mark at all and is not recognised.
    pub fn detect(body: &[u8]) -> Self {
        let decodes = |encoding| Decompressor::default().decompress(encoding, body).is_ok();
        if body.starts_with(b"\x1f\x8b") {
            Self::Gzip
        } else if body.starts_with(b"\x28\xb5\x2f\xfd") {
            Self::Zstd
        } else if decodes(Self::Snappy) {
            Self::Snappy
        } else if has_zlib_header(body) && decodes(Self::Deflate) {
            Self::Deflate
        } else {
            Self::Identity
        }
    }
}

/// Undoes content encodings. One value serves many bodies and keeps its buffer between them.
#[derive(Default)]
pub struct Decompressor {
    zstd: Option<ZstdDecoder<'static>>,
    output: Output,
}

impl Decompressor {
    /// What `body` decodes to: itself for [`Encoding::Identity`], otherwise the inside of this
    /// value.
    ///
    /// # Errors
    ///
    /// One line that says what is wrong with the body.
    pub fn decompress<'b>(
        &'b mut self,
        encoding: Encoding,
        body: &'b [u8],
    ) -> Result<&'b [u8], String> {
        self.output.len = 0;
        let decoded = match encoding {
            Encoding::Identity => return Ok(body),
            Encoding::Snappy => self.snappy(body),
            Encoding::Gzip => self.inflate(body, || Decompress::new_gzip(15), Streams::Many),
            Encoding::Deflate => {
                let zlib = has_zlib_header(body);
                self.inflate(body, || Decompress::new(zlib), Streams::One)
            }
            Encoding::Zstd => self.zstd(body),
        };
        match decoded {
            Ok(()) => Ok(self.output.decoded()),
            Err(problem) => Err(format!("{}: {problem}", encoding.name())),
        }
    }

    fn snappy(&mut self, body: &[u8]) -> Result<(), String> {
        let len = snap::raw::decompress_len(body).map_err(|e| e.to_string())?;
        // The densest element is a copy of 64 bytes said in 3: more than that, times the body, is a
        // lie, and not a reason to allocate.
        if len / 64 > body.len() / 3 + 1 {
            return Err(format!("{} bytes cannot hold the declared {len}", body.len()));
        }
        let output = self.output.reserve(len)?;
        self.output.len =
            snap::raw::Decoder::new().decompress(body, output).map_err(|e| e.to_string())?;
        Ok(())
    }

    fn inflate(
        &mut self,
        body: &[u8],
        new_stream: impl Fn() -> Decompress,
        streams: Streams,
    ) -> Result<(), String> {
        let mut stream = new_stream();
        let mut at_end = false;
        self.output.fill(body, streams, |input, output| {
            if at_end {
                stream = new_stream();
            }
            let (read, written) = (stream.total_in(), stream.total_out());
            let status = stream
                .decompress(input, output, FlushDecompress::None)
                .map_err(|e| e.to_string())?;
            at_end = status == Status::StreamEnd;
            Ok(Step {
                read: progress(read, stream.total_in()),
                written: progress(written, stream.total_out()),
                at_end,
            })
        })
    }

    fn zstd(&mut self, body: &[u8]) -> Result<(), String> {
        let decoder = match &mut self.zstd {
            Some(decoder) => decoder,
            none => none.insert(ZstdDecoder::new().map_err(|e| e.to_string())?),
        };
        // After a body that failed, the decoder still waits for the rest of it.
        decoder.reinit().map_err(|e| e.to_string())?;
        self.output.fill(body, Streams::Many, |input, output| {
            let status = decoder.run_on_buffers(input, output).map_err(|e| e.to_string())?;
            Ok(Step {
                read: status.bytes_read,
                written: status.bytes_written,
                at_end: status.remaining == 0,
            })
        })
    }
}

/// How many streams a body may be a sequence of.
#[derive(Clone, Copy, PartialEq)]
enum Streams {
    One,
    Many,
}

/// What one call of a streaming decompressor did.
struct Step {
    read: usize,
    written: usize,
    /// A stream (gzip member, zstd frame) is complete.
    at_end: bool,
}

/// The reused buffer. Only `bytes[..len]` belongs to the current body.
#[derive(Default)]
struct Output {
    bytes: Vec<u8>,
    len: usize,
}

impl Output {
    fn decoded(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// At least `capacity` bytes from the start. The buffer never shrinks: clearing and growing it
    /// again would write its zeros anew for every body.
    fn reserve(&mut self, capacity: usize) -> Result<&mut [u8], String> {
        if capacity > MAX_DECODED {
            return Err(format!("decodes to more than {MAX_DECODED} bytes"));
        }
        if self.bytes.len() < capacity {
            self.bytes.resize(capacity, 0);
        }
        Ok(&mut self.bytes)
    }

    /// Runs `step` over all of `body`, with room to write each time.
    fn fill(
        &mut self,
        mut body: &[u8],
        streams: Streams,
        mut step: impl FnMut(&[u8], &mut [u8]) -> Result<Step, String>,
    ) -> Result<(), String> {
        loop {
            let start = self.len;
            if start == self.bytes.len() {
                let doubled = (2 * start).clamp(1 << 16, MAX_DECODED);
                // At the limit this asks for one byte more, and fails.
                self.reserve(doubled.max(start + 1))?;
            }
            let done = step(body, &mut self.bytes[start..])?;
            body = &body[done.read..];
            self.len += done.written;
            match (done.at_end, body.is_empty()) {
                (true, true) => return Ok(()),
                (true, false) if streams == Streams::One => {
                    return Err(format!("{} bytes behind the end", body.len()));
                }
                (false, _) if done.read == 0 && done.written == 0 => {
                    return Err("truncated".to_owned());
                }
                _ => {}
            }
        }
    }
}

/// Compression method 8 with a window that exists, no dictionary, and a header that its check bits
/// confirm. A bare stream cannot begin so: it would be a stored block with bits set in its padding.
fn has_zlib_header(body: &[u8]) -> bool {
    body.first_chunk().is_some_and(|&[cmf, flags]| {
        cmf & 0x8f == 0x08
            && flags & 0x20 == 0
            && u16::from_be_bytes([cmf, flags]).is_multiple_of(31)
    })
}

fn progress(before: u64, after: u64) -> usize {
    usize::try_from(after - before).expect("both lie in slices")
}
