//! The symbols that Mimir's records of version 2 share.

/// The symbols that Mimir's records of version 2 do not spell out, by reference. Those from here up
/// to [`COMMON_SYMBOLS_END`] are not assigned.
///
/// Source: Mimir's ingest storage, record version 2.
pub const COMMON_SYMBOLS: [&str; 36] = [
    "",
    "__name__",
    "__aggregation__",
    "<aggregated>",
    "le",
    "component",
    "cortex_request_duration_seconds_bucket",
    "storage_operation_duration_seconds_bucket",
    "grafana",
    "asserts_env",
    "asserts_request_context",
    "asserts_source",
    "asserts_entity_type",
    "asserts_request_type",
    "name",
    "image",
    "cluster",
    "namespace",
    "pod",
    "job",
    "instance",
    "container",
    "replicaset",
    "interface",
    "status_code",
    "resource",
    "operation",
    "method",
    "kube-system",
    "kube-system/cadvisor",
    "node-exporter",
    "node-exporter/node-exporter",
    "kube-system/kubelet",
    "kube-system/node-local-dns",
    "kube-state-metrics/kube-state-metrics",
    "default/kubernetes",
];

/// The first reference of a record's own symbols, where it uses the common ones.
pub const COMMON_SYMBOLS_END: u32 = 64;
