//! What tests have in common. Fuzz targets, benchmarks and `tests/heap` include some of it.

pub mod bytes;
pub mod cache_model;
pub mod codecs;
#[path = "../../../examples/support/encoding.rs"]
pub mod encoding;
#[path = "../../../examples/support/fixtures.rs"]
pub mod fixtures;
pub mod generate;
#[path = "../../../examples/support/json/mod.rs"]
pub mod json;
pub mod loki_json;
pub mod oracle;
pub mod plain_keys;
pub mod proto;
pub mod wire_messages;
