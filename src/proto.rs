//! prost types generated from the schemas in `proto/` (feature `prost`).
//!
//! For users who already hold such types: [`remote_write::v1`](crate::remote_write::v1) converts
//! from and to [`prometheus`], [`remote_write::v2`](crate::remote_write::v2) from
//! [`prometheus_v2`], and [`loki`](crate::loki) to [`logproto`]. They are also what the tests, fuzz
//! targets and benchmarks compare with.

/// Types of Prometheus remote write 1.0: `proto/prometheus_v1.proto`.
#[allow(missing_docs, unreachable_pub, unnameable_types, clippy::all, clippy::pedantic)]
pub mod prometheus {
    include!(concat!(env!("OUT_DIR"), "/prometheus.rs"));
}

/// Types of Prometheus remote write 2.0: `proto/prometheus_v2.proto`.
#[allow(missing_docs, unreachable_pub, unnameable_types, clippy::all, clippy::pedantic)]
pub mod prometheus_v2 {
    include!(concat!(env!("OUT_DIR"), "/io.prometheus.write.v2.rs"));
}

/// Types of Loki's push: `proto/loki_push.proto`. A line that is not UTF-8 does not fit in them.
#[allow(missing_docs, unreachable_pub, unnameable_types, clippy::all, clippy::pedantic)]
pub mod logproto {
    include!(concat!(env!("OUT_DIR"), "/logproto.rs"));
}
