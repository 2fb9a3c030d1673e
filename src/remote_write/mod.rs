//! Prometheus remote write.

pub mod v1;
