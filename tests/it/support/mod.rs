//! What tests have in common. Fuzz targets, benchmarks and `tests/heap` include some of it.

pub mod bytes;
pub mod cache_model;
pub mod codecs;
pub mod fixtures;
pub mod generate;
pub mod json;
pub mod loki_json;
pub mod oracle;
pub mod plain_keys;
pub mod proto;
pub mod wire_messages;
