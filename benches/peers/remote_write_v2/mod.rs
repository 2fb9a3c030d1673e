//! Prometheus remote write 2.0.
//!
//! To decode is to have each label as two texts here, as this crate gives them: the others' generated
//! types hold references, which are looked up, checked, and kept as one list of pairs. To encode is the
//! way back, from texts to symbols that are there once each.

pub mod borrowire;
pub mod payload;
pub mod prost;
pub mod quick_protobuf;
pub mod shard;
#[rustfmt::skip]
mod quick_protobuf_types;

pub use self::borrowire::Borrowire;
pub use self::prost::{ProstBytes, ProstString};
pub use self::quick_protobuf::QuickProtobuf;

use std::error::Error;

use bytes::Bytes;

use super::{Content, Digest, check};

/// Checks that all implementations read and write the same content; returns it.
pub fn check_all(body: &Bytes) -> Result<Digest, Box<dyn Error>> {
    let expected = Content::of::<ProstString>(body)?;
    check::<ProstString, ProstString>(body, &expected)?;
    check::<ProstBytes, ProstString>(body, &expected)?;
    check::<QuickProtobuf, ProstString>(body, &expected)?;
    check::<Borrowire, ProstString>(body, &expected)?;
    Ok(expected.digest)
}
