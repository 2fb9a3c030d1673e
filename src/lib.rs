//! Zero-copy protobuf codec for time series and log streams.
#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(
    missing_docs,
    missing_debug_implementations,
    elided_lifetimes_in_paths,
    unreachable_pub,
    unnameable_types,
    clippy::missing_errors_doc,
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

mod error;
mod limits;
mod message;
#[cfg(feature = "prost")]
pub mod proto;
pub mod remote_write;
pub mod wire;

pub use error::{DecodeError, DecodeErrorKind, EncodeError, EncodeErrorKind};
pub use limits::Limits;
pub use message::{Decode, Encode};
