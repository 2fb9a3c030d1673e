//! The state of codecs between requests: tables and windows that are costly to make.

use alloc::vec::Vec;

use crate::body::sync::{Mutex, PoisonError};

/// The idle codecs of a pool.
#[derive(Default)]
pub(in crate::body) struct Codecs {
    #[cfg(feature = "gzip")]
    pub(super) inflate: Idle<flate2::Decompress>,
    #[cfg(feature = "gzip")]
    pub(super) deflate_raw: Idle<flate2::Compress>,
    #[cfg(feature = "gzip")]
    pub(super) deflate_zlib: Idle<flate2::Compress>,
    #[cfg(feature = "lz4")]
    pub(super) lz4_table: Idle<lz4_flex::block::CompressTable>,
    #[cfg(feature = "snappy")]
    pub(super) snappy_encoder: Idle<snap::raw::Encoder>,
    #[cfg(feature = "zstd")]
    pub(super) zstd_decoder: Idle<::zstd::zstd_safe::DCtx<'static>>,
    #[cfg(feature = "zstd")]
    pub(super) zstd_encoder: Idle<::zstd::zstd_safe::CCtx<'static>>,
}

/// Codecs of one kind that lie idle. Whoever takes one resets it, whatever it did before; one that
/// cannot be reset is not used.
pub(super) struct Idle<T>(Mutex<Stack<T>>);

struct Stack<T> {
    /// Each with the bytes of memory that it holds.
    codecs: Vec<(T, usize)>,
    bytes: usize,
}

impl<T> Default for Idle<T> {
    fn default() -> Self {
        Self(Mutex::new(Stack { codecs: Vec::new(), bytes: 0 }))
    }
}

impl<T> Idle<T> {
    /// How many of a kind are kept.
    const MAX: usize = 64;
    /// How much memory they may hold: the window of a zstd stream is up to 8 MiB, if its sender
    /// wants, and stays with the decoder.
    const MAX_BYTES: usize = 32 << 20;

    pub(super) fn take(&self) -> Option<T> {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (codec, bytes) = idle.codecs.pop()?;
        idle.bytes = idle.bytes.saturating_sub(bytes);
        Some(codec)
    }

    /// Keeps `codec`, which holds `bytes` of memory.
    pub(super) fn give_back(&self, codec: T, bytes: usize) {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all = idle.bytes.saturating_add(bytes);
        if idle.codecs.len() < Self::MAX && all <= Self::MAX_BYTES {
            idle.bytes = all;
            idle.codecs.push((codec, bytes));
        }
    }
}
