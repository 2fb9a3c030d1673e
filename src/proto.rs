//! prost types generated from the schemas in `proto/` (feature `prost`).
//!
//! For users who already hold such types. They convert into requests with `from_prost`, and back
//! with `From`, or `TryFrom` where that can fail:
//!
//! | types | request |
//! |---|---|
//! | [`prometheus`] | [`v1::WriteRequest`](crate::remote_write::v1::WriteRequest) |
//! | [`prometheus_v2`] | [`v2::Request`](crate::remote_write::v2::Request) |
//! | [`logproto`] | [`loki::PushRequest`](crate::loki::PushRequest) |
//!
//! ```
//! use borrowire::proto::prometheus;
//! use borrowire::remote_write::v1::WriteRequest;
//!
//! let generated = prometheus::WriteRequest::default();
//! let request = WriteRequest::from_prost(&generated);
//! assert_eq!(prometheus::WriteRequest::from(&request), generated);
//! ```
//!
//! The tests, fuzz targets and benchmarks compare with them too.

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
