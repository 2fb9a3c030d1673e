//! The outermost layer of a body, decompressed as its bytes arrive.

#[cfg(feature = "gzip")]
use super::gzip::Gzip;
use super::idle::Codecs;
use super::output::Output;
#[cfg(feature = "zstd")]
use super::zstd::Zstd;
use crate::body::encoding::Encoding;
use crate::body::error::BodyError;
use crate::body::sync::Arc;

/// A layer that is decompressed as its bytes arrive.
#[allow(clippy::large_enum_variant, reason = "there is one for a request, and it stays in place")]
pub(in crate::body) enum Stream {
    /// Not compressed.
    Identity,
    #[cfg(feature = "gzip")]
    Gzip(Gzip),
    #[cfg(feature = "zstd")]
    Zstd(Zstd),
}

impl Stream {
    /// A stream of `encoding`; `None` if it is decompressed in one piece.
    #[cfg_attr(not(any(feature = "gzip", feature = "zstd")), allow(unused_variables))]
    pub(in crate::body) fn new(
        encoding: Encoding,
        codecs: &Arc<Codecs>,
    ) -> Result<Option<Self>, BodyError> {
        match encoding {
            #[cfg(feature = "gzip")]
            Encoding::Gzip => Ok(Some(Self::Gzip(Gzip::new(codecs)))),
            #[cfg(feature = "zstd")]
            Encoding::Zstd => Ok(Some(Self::Zstd(Zstd::new(codecs)))),
            held if held.is_enabled() => Ok(None),
            other => Err(BodyError::NotEnabled(other)),
        }
    }

    /// Takes the next `chunk` of compressed bytes. `output` counts it already.
    pub(in crate::body) fn push(
        &mut self,
        chunk: &[u8],
        output: &mut Output<'_>,
    ) -> Result<(), BodyError> {
        match self {
            Self::Identity => output.append(chunk),
            #[cfg(feature = "gzip")]
            Self::Gzip(gzip) => gzip.push(chunk, output),
            #[cfg(feature = "zstd")]
            Self::Zstd(zstd) => zstd.push(chunk, output),
        }
    }

    /// Ends the layer: all its bytes are there.
    pub(in crate::body) const fn finish(&self) -> Result<(), BodyError> {
        match self {
            Self::Identity => Ok(()),
            #[cfg(feature = "gzip")]
            Self::Gzip(gzip) => gzip.finish(),
            #[cfg(feature = "zstd")]
            Self::Zstd(zstd) => zstd.finish(),
        }
    }
}
