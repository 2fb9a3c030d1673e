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
//! | [`opentelemetry`] | [`otlp::metrics::ExportMetricsServiceRequest`], [`otlp::logs::ExportLogsServiceRequest`] |
//!
//! [`otlp::metrics::ExportMetricsServiceRequest`]: crate::otlp::metrics::ExportMetricsServiceRequest
//! [`otlp::logs::ExportLogsServiceRequest`]: crate::otlp::logs::ExportLogsServiceRequest
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

/// Types of OTLP, in the modules of their packages: `proto/otlp_*.proto`. They are those of the crate
/// opentelemetry-proto, field by field.
#[allow(missing_docs, unreachable_pub, unnameable_types, clippy::all, clippy::pedantic)]
pub mod opentelemetry {
    pub mod proto {
        pub mod collector {
            pub mod logs {
                pub mod v1 {
                    include!(concat!(env!("OUT_DIR"), "/opentelemetry.proto.collector.logs.v1.rs"));
                }
            }
            pub mod metrics {
                pub mod v1 {
                    include!(concat!(
                        env!("OUT_DIR"),
                        "/opentelemetry.proto.collector.metrics.v1.rs"
                    ));
                }
            }
        }
        pub mod common {
            pub mod v1 {
                include!(concat!(env!("OUT_DIR"), "/opentelemetry.proto.common.v1.rs"));
            }
        }
        pub mod logs {
            pub mod v1 {
                include!(concat!(env!("OUT_DIR"), "/opentelemetry.proto.logs.v1.rs"));
            }
        }
        pub mod metrics {
            pub mod v1 {
                include!(concat!(env!("OUT_DIR"), "/opentelemetry.proto.metrics.v1.rs"));
            }
        }
        pub mod resource {
            pub mod v1 {
                include!(concat!(env!("OUT_DIR"), "/opentelemetry.proto.resource.v1.rs"));
            }
        }
    }
}
