//! OTLP: what is special about it.

mod as_string;
mod captured;
mod differential;
mod json;
mod messages;
mod rules;
mod split;
