//! What keys are made of, and how it stands in them.
//!
//! ```text
//! <tenant>:<block>:     Scope           the tenant as it is, the block's 26 characters (BlockId)
//! Zm9vOmJhcg            LabelId         base64 of a short label, or of its hash
//! YZhgZcxhevUMc3tax..   Digest          base64 of a hash, 43 characters
//! job=~"api.*"          Matcher         never as it is: its text or its parts are hashed
//! 2_of_16               QueryShard
//! 12345                                 decimal.rs
//! ```

pub(super) mod base64;
mod block_id;
pub(super) mod decimal;
mod digest;
mod label_id;
mod matcher;
mod query_shard;
mod scope;

pub use block_id::BlockId;
pub use digest::Digest;
pub use matcher::{MatchOp, Matcher};
pub use query_shard::QueryShard;
pub use scope::Scope;

pub(super) use label_id::{LabelId, LabelLayout, NameColonValue};
pub(super) use matcher::for_each_sorted;
pub(super) use scope::{BLOCK_LEN, write_block};
