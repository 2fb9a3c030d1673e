//! The dialects of remote write 1.0 that Cortex and Mimir speak, as prost types: all fields of their
//! schemas in `proto/`. Made by `benches/generated/make`.

/// Of `proto/cortexpb.proto`.
#[allow(dead_code, unreachable_pub, clippy::all, clippy::pedantic)]
pub mod cortexpb {
    include!("cortexpb.rs");
}

/// Of `proto/mimirpb.proto`, whose package is `cortexpb` too.
#[allow(dead_code, unreachable_pub, clippy::all, clippy::pedantic)]
pub mod mimirpb {
    include!("mimirpb.rs");
}
