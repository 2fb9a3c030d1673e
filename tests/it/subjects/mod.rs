//! The protocols, with a test of every property for each.

mod loki_push;
mod remote_write_v1;
mod remote_write_v2;
