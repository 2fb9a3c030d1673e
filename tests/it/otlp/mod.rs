//! OTLP: what is special about it.

mod captured;
mod messages;
mod rules;
mod split;
