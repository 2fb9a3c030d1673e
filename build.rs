//! Generates prost types from `proto/` when the feature `prost` is on, and does nothing otherwise.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "prost")]
    generate();
}

/// A file in `OUT_DIR` for each schema whose types are public, named by its package.
///
/// The compiler is protox, so no `protoc` has to be installed.
#[cfg(feature = "prost")]
fn generate() {
    const SCHEMAS: [&str; 5] = [
        "prometheus_v1.proto",
        "prometheus_v2.proto",
        "loki_push.proto",
        "otlp_collector_metrics.proto",
        "otlp_collector_logs.proto",
    ];

    println!("cargo::rerun-if-changed=proto");
    let schemas = protox::compile(SCHEMAS, ["proto"]).expect("the schemas are well-formed");
    prost_build::compile_fds(schemas).expect("OUT_DIR is writable");
}
