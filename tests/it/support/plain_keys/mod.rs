//! Keys of index caches, made in the plainest way, and what is checked against them.

pub mod check;
pub mod plain;
