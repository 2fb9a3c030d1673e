//! Keys of index caches, made in the plainest way, and what is checked against them.
#![allow(dead_code, reason = "each user uses a part")]

pub mod check;
pub mod plain;
