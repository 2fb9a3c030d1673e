//! Everything that is tested from outside the crate, but for allocations (`tests/heap`) and programs.

mod properties;
mod subjects;
mod support;

mod body;
mod cache;
mod convert;
mod futures;
mod kafka;
mod loki;
mod otlp;
mod receive;
mod remote_write;
mod shard;
mod wire;
