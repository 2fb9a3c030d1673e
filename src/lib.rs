//! A zero-copy protobuf codec for time series and log streams: request bodies in, borrowed and
//! validated views out; views in, exact bytes out, in memory that the caller already owns.
//!
//! ```
//! use borrowire::Encode;
//! use borrowire::remote_write::v1::WriteRequest;
//!
//! # let body: &[u8] = b"\x0a\x22\x0a\x0e\x0a\x08__name__\x12\x02up\x12\x10\x09\0\0\0\0\0\0\xf0\x3f\x10\x80\xd0\x95\xff\xbc\x31";
//! let request = WriteRequest::decode(body)?; // `body`: the decompressed bytes of a request
//! for series in request.timeseries() {
//!     let name: Option<&str> = series.metric_name(); // text out of the body, not a copy
//!     for sample in series.samples() {
//!         println!("{name:?} {} at {} ms", sample.value, sample.timestamp);
//!     }
//! }
//! let mut out = vec![0; 4096]; // used again for the next request
//! let len = request.encode(&mut out)?;
//! assert_eq!(&out[..len], body);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A service decodes into storage that is used again, so that nothing is allocated after the first
//! requests:
//!
//! ```
//! use borrowire::remote_write::v1::{Rules, WriteRequestPool};
//! # fn bodies() -> impl Iterator<Item = Vec<u8>> { std::iter::repeat_n(vec![0x0a, 0x00], 3) }
//!
//! let pool = WriteRequestPool::new(); // shared by all threads
//! for body in bodies() {
//!     let request = pool.decode(&body)?; // gives its storage back when dropped
//!     request.validate(&Rules::new(), |violation| eprintln!("{violation}"));
//! }
//! # Ok::<(), borrowire::DecodeError>(())
//! ```
//!
//! A sender encodes an iterator over its own data:
//!
//! ```
//! use borrowire::Encode;
//! use borrowire::remote_write::v1::{Label, Sample, TimeSeries, WriteRequestEncoder};
//!
//! let labels = [Label::new("__name__", "up"), Label::new("job", "node")];
//! let samples = [Sample::new(1.0, 1_700_000_000_000)];
//! let series = [(&labels, &samples)];
//!
//! let request = WriteRequestEncoder::new(
//!     series.iter().map(|(labels, samples)| TimeSeries::new(*labels).with_samples(*samples)),
//! );
//! let mut buffer = Vec::new();
//! request.append_to_vec(&mut buffer)?;
//! assert_eq!(buffer.len(), request.encoded_len());
//! # Ok::<(), borrowire::EncodeError>(())
//! ```
//!
//! # Modules
//!
//! | module | what is in it |
//! |---|---|
//! | [`remote_write::v1`] | Prometheus remote write 1.0, with the fields of Cortex and Mimir |
//! | [`remote_write::v2`] | Prometheus remote write 2.0: symbols, decoded to the same series; Mimir's forms of it |
//! | [`remote_write::convert`] | 1.0 as 2.0 and 2.0 as 1.0 |
//! | [`loki`] | Loki push: streams and entries, label strings, JSON |
//! | `body` | request bodies: negotiation, pooled reading and decompression, limits; and the way out |
//! | `cache` | keys of index caches, BigCache's frames, an embedded cache of bytes, memcached |
//! | [`shard`] | forwarding without encoding again: tokens, splitting, relabelling, merging |
//! | [`reuse`] | decoding into storage that is used again: [`reuse::Decoder`], `reuse::Pool` |
//! | [`wire`] | the protobuf wire format, for message types of your own |
//! | `proto` | with feature `prost`: the generated types, for conversion and comparison |
//!
//! # Promises
//!
//! 1. No `unsafe`: `forbid(unsafe_code)` for the whole crate. (What it depends on has some, such as
//!    `self_cell`, which ties an owned request to its body.)
//! 2. After a warm-up request, decoding, measuring, validating, encoding, converting, splitting and
//!    building keys allocate nothing, in memory that is kept for it. Only an owned request
//!    allocates, once: the cell that ties it to its body.
//! 3. Decoding checks everything once: framing, lengths, wire types, and that every `string` is
//!    UTF-8. After `Ok`, iteration cannot fail and cannot panic. Malformed is an error, never
//!    "absent".
//! 4. An error says what and where: kind, field number, absolute byte offset. It never echoes
//!    input.
//! 5. Work is linear in the input, and storage at most 24 bytes for each byte of it (plus under 4
//!    KiB). No input makes the crate panic, recurse without bound, or allocate from a length that
//!    it has not verified. [`Limits`] cap it further.
//! 6. A view cannot outlive its bytes: the compiler refuses. Pooled storage comes back on drop,
//!    also after an error or a panic, and is emptied before it is used again.
//! 7. [`Encode::encode`] writes exactly [`Encode::encoded_len`] bytes at the front of the slice and
//!    touches nothing behind them, or fails with [`EncodeError`]. A message over 2 GiB - 1 is
//!    refused, both ways.
//! 8. Equal values give equal bytes: fields in number order, proto3 defaults left out, floats
//!    compared by bits, so that -0.0 and NaN payloads survive.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `std` | yes | `body`, pools, `SystemTime` helpers, `std::io::Error` conversions, SIMD chosen at run time |
//! | `snappy` | yes | snappy bodies, blocks and framed |
//! | `gzip` | no | gzip and deflate bodies |
//! | `zstd` | no | zstd bodies |
//! | `json` | no | `loki::json`: Loki's JSON push, both ways |
//! | `cache` | no | `cache`: keys of index caches, frames, an embedded cache of bytes |
//! | `memcached` | no | `cache::Memcached`: the same over memcached |
//! | `http` | no | negotiation over the headers of the crate `http` |
//! | `prost` | no | prost types generated at build time, and conversions to and from them |
//!
//! Without `std` the crate needs `core` and `alloc`. Minimum Rust version: 1.88.

#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
// What users see: documented, debuggable, nameable.
#![warn(
    missing_docs,
    missing_debug_implementations,
    unnameable_types,
    unreachable_pub,
    elided_lifetimes_in_paths,
    clippy::missing_errors_doc
)]
// One way to say things.
#![warn(
    clippy::use_self,
    clippy::manual_let_else,
    clippy::redundant_clone,
    clippy::std_instead_of_core,
    clippy::alloc_instead_of_core
)]
// Code that touches input bytes cannot panic, and cannot compute a wrong place.
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::arithmetic_side_effects,
        clippy::as_conversions,
        clippy::infinite_loop,
        clippy::dbg_macro,
        clippy::print_stdout,
        clippy::todo
    )
)]

extern crate alloc;

#[cfg(feature = "std")]
pub mod body;
#[cfg(feature = "cache")]
pub mod cache;
pub mod convert;
mod limits;
pub mod loki;
mod message;
#[cfg(feature = "prost")]
pub mod proto;
pub mod remote_write;
pub mod reuse;
pub mod shard;
pub mod wire;

pub use limits::Limits;
pub use message::request::{DecodeRequest, Skipped};
pub use message::violation::{Violation, ViolationKind};
pub use wire::error::{DecodeError, DecodeErrorKind, EncodeError, EncodeErrorKind};
pub use wire::message::{Decode, Encode};

#[cfg(doctest)]
mod lifetimes;

/// The README's examples, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
