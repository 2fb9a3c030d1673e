//! Caches: keys, frames, the ring, and the embedded cache.

mod frame;
mod keys;
mod ring;
mod sharded;
