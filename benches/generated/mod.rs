//! The types of the peers. `make` makes them from the schemas in `proto/`: see the README there.

// What the generators do not look after.
#![allow(
    dead_code,
    elided_lifetimes_in_paths,
    mismatched_lifetime_syntaxes,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    unnameable_types,
    unreachable_pub,
    unused,
    clippy::all,
    clippy::pedantic
)]

/// Views that borrow, with owned types beside them.
pub mod buffa {
    pub mod loki_push {
        include!("buffa/loki_push.rs");
    }
    pub mod otlp_logs {
        include!("buffa/otlp_logs.rs");
    }
    pub mod otlp_metrics {
        include!("buffa/otlp_metrics.rs");
    }
    pub mod prometheus_v1 {
        include!("buffa/prometheus_v1.rs");
    }
    pub mod prometheus_v2 {
        include!("buffa/prometheus_v2.rs");
    }
}

/// Owned types.
pub mod micropb {
    pub mod loki_push {
        include!("micropb/loki_push.rs");
    }
    pub mod prometheus_v1 {
        include!("micropb/prometheus_v1.rs");
    }
    pub mod prometheus_v2 {
        include!("micropb/prometheus_v2.rs");
    }
}

/// Owned types, in which text is a part of the body, unchecked.
pub mod prost_bytes {
    pub mod loki_push {
        include!("prost_bytes/loki_push.rs");
    }
    pub mod prometheus_v1 {
        include!("prost_bytes/prometheus_v1.rs");
    }
    pub mod prometheus_v2 {
        include!("prost_bytes/prometheus_v2.rs");
    }
}

/// Types that borrow text.
pub mod quick_protobuf {
    pub mod loki_push {
        include!("quick_protobuf/loki_push.rs");
    }
    pub mod prometheus_v1 {
        include!("quick_protobuf/prometheus_v1.rs");
    }
    pub mod prometheus_v2 {
        include!("quick_protobuf/prometheus_v2.rs");
    }
}
