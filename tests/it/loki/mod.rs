//! What is special in Loki's push, as protobuf and as JSON.

mod batch;
mod cases;
mod floods;
mod json;
