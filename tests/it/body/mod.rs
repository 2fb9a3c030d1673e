//! Request bodies: every way in, every encoding, their limits, and the pool behind them.

mod captured;
mod chunks;
mod compress;
mod deflate;
mod gzip;
mod layers;
mod limits;
mod lz4;
mod negotiation;
mod pool;
mod snappy;
mod threads;
mod unstated;
mod ways;
mod zstd;
