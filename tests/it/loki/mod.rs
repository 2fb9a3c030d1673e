//! Loki's push, as protobuf and as JSON.

mod cases;
mod differential;
mod fixtures;
mod hostile;
mod json;
