//! Prometheus remote write 2.0.
//!
//! To decode is to have each label as two texts here, as this crate gives them: the others'
//! generated types hold references, which are looked up, checked, and kept as one list of pairs. To
//! encode is the way back, from texts to symbols that are there once each.

mod borrowire;
mod buffa;
mod micropb;
pub mod payload;
mod prost;
mod quick_protobuf;
mod resolved;
pub mod shard;

pub use self::borrowire::Borrowire;
pub use self::buffa::Buffa;
pub use self::micropb::Micropb;
pub use self::prost::{ProstBytes, ProstString};
pub use self::quick_protobuf::QuickProtobuf;

use std::error::Error;

use bytes::Bytes;

use super::{Content, Digest, check, for_every_peer};

/// Checks that all implementations read and write the same content; returns it.
pub fn check_all(body: &Bytes) -> Result<Digest, Box<dyn Error>> {
    let expected = Content::of::<ProstString>(body)?;
    for_every_peer!(remote_write_v2, Peer => check::<Peer, ProstString>(body, &expected)?);
    Ok(expected.digest)
}
