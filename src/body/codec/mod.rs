//! One layer of compression around a body, both ways.
//!
//! A layer is decompressed in one piece ([`decompress`]) or as its bytes arrive ([`Stream`]), into
//! an [`Output`] that keeps to the limits, and compressed in one piece ([`compress`]). What a codec
//! needs for that is costly to make, and lies idle in [`Codecs`] between requests. Each format has
//! its file, both ways in it.

#![cfg_attr(
    not(any(feature = "gzip", feature = "lz4", feature = "snappy", feature = "zstd")),
    allow(dead_code, reason = "there is no codec without a feature")
)]

#[cfg(feature = "gzip")]
mod deflate;
#[cfg(feature = "gzip")]
mod gzip;
mod idle;
mod layer;
#[cfg(feature = "lz4")]
mod lz4;
mod output;
mod sink;
#[cfg(feature = "snappy")]
mod snappy;
mod stream;
#[cfg(feature = "snappy")]
mod unstated;
#[cfg(feature = "zstd")]
mod zstd;

pub(super) use idle::Codecs;
pub(super) use layer::{
    check_start, compress, decompress, decompressed_len_hint, max_compressed_len,
};
pub(super) use output::Output;
pub(super) use sink::SliceSink;
#[cfg(feature = "snappy")]
pub(crate) use snappy::is_whole_block;
pub(super) use stream::Stream;
