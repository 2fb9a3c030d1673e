//! Frames: a key, its value, its hash and its time as one run of bytes.
//!
//! | type | layout | for |
//! |---|---|---|
//! | [`CacheEntry`] | lengths of 32 bits | memory: what [`Ring`](super::Ring) holds |
//! | [`Frame`] | an entry behind version and checksum | bytes that come back from elsewhere |
//! | [`BigCacheEntry`], [`BigCacheBlock`] | those of BigCache, the Go library | its users |
//!
//! Each is written through [`Encode`](crate::Encode), exact length first and then in place, and
//! read as a view that borrows. What is not a frame is a [`FrameError`].
//!
//! ```
//! use borrowire::Encode;
//! use borrowire::cache::frame::{CacheEntry, Frame};
//!
//! let frame = Frame::new(CacheEntry::new(0x5eed, 1_700_000_000_000, "key", "value"));
//! let bytes = frame.encode_to_vec()?;
//! let (frame, rest) = Frame::split(&bytes)?;
//! assert_eq!((frame.entry().key, frame.entry().value), (&b"key"[..], &b"value"[..]));
//! assert!(rest.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bigcache;
mod entry;
mod error;
mod v1;

pub use bigcache::{BigCacheBlock, BigCacheEntry};
pub use entry::CacheEntry;
pub use error::{FrameError, FrameErrorKind};
pub use v1::Frame;

pub(super) use entry::HEADER_BYTES;
