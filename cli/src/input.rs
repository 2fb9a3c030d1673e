//! Bodies out of files.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use borrowire::body::{Body, BodyError, BodyLimits, BufferPool, Encoding};
use clap::Args;

use crate::arguments::ContentEncoding;

/// The longest body, compressed or not: what protobuf itself can hold. A bomb is stopped here.
const MAX_BYTES: usize = 0x7fff_ffff;

/// The limits on a body that its owner hands in.
pub const LIMITS: BodyLimits =
    BodyLimits::new().with_max_compressed_bytes(MAX_BYTES).with_max_decompressed_bytes(MAX_BYTES);

/// A file with a body.
#[derive(Args, Debug)]
pub struct Input {
    /// How the body is compressed
    #[arg(long, value_enum, default_value_t)]
    pub encoding: ContentEncoding,

    /// A file, or - for standard input
    #[arg(value_name = "FILE|-")]
    pub file: PathBuf,
}

impl Input {
    /// The file's name, for people.
    pub fn name(&self) -> impl std::fmt::Display + '_ {
        self.file.display()
    }

    /// Opens the file.
    ///
    /// # Errors
    ///
    /// One line with the file's name.
    pub fn open(&self) -> Result<Box<dyn Read>> {
        if self.file == Path::new("-") {
            return Ok(Box::new(io::stdin().lock()));
        }
        let file = File::open(&self.file).with_context(|| self.name().to_string())?;
        Ok(Box::new(file))
    }

    /// Reads the body and decompresses it.
    ///
    /// # Errors
    ///
    /// One line with the file's name.
    pub fn read_body(&self) -> Result<Body> {
        let file = self.open()?;
        let body = BufferPool::new().read(file, self.encoding, &LIMITS, None);
        body.map_err(plain).with_context(|| self.name().to_string())
    }

    /// What may be wrong with the arguments, if `body` could not be decoded.
    #[must_use]
    pub fn suggestion(&self, body: &[u8]) -> Option<String> {
        if self.encoding != ContentEncoding::Identity {
            return None;
        }
        let encoding = detect(body).unwrap_or(Encoding::Snappy);
        let read = BufferPool::new().decompress(body, encoding, &LIMITS);
        let fits = read.is_ok_and(|read| !read.is_empty());
        fits.then(|| format!("is it compressed? try --encoding {encoding}"))
    }
}

/// The encoding of a body about which nothing is known, if its first bytes tell one.
#[must_use]
pub fn detect(body: &[u8]) -> Option<Encoding> {
    const STARTS: [(&[u8], Encoding); 4] = [
        (b"\x1f\x8b", Encoding::Gzip),
        (b"\x28\xb5\x2f\xfd", Encoding::Zstd),
        (b"\x04\x22\x4d\x18", Encoding::Lz4),
        (b"\xff\x06\0\0sNaPpY", Encoding::SnappyFramed),
    ];
    let found = STARTS.iter().find(|(start, _)| body.starts_with(start));
    found.map(|(_, encoding)| *encoding)
}

/// The error that a file gave, without the words around it, which its name stands for.
fn plain(error: BodyError) -> anyhow::Error {
    match error {
        BodyError::Read(error) => error.into(),
        error => error.into(),
    }
}
