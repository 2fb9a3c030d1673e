//! Tokens: the hashes by which the field chooses a shard.
//!
//! ```text
//! Mimir    series    FNV-1 32   tenant (name value)*            no separators, any order of labels
//!          metadata  FNV-1 32   tenant family
//! Cortex   series    FNV-1 32   tenant (name value)*            labels with an empty value left out
//!          metadata  FNV-1 32   tenant family
//! Cortex   series    FNV-1 32   tenant metric-name              without shard-by-all-labels
//!          metadata  FNV-1 32   tenant
//! Loki     stream    FNV-1 32   tenant label-string
//! Thanos   series    XXH64      tenant ff (name ff value ff)*
//! labels   series    XXH64      (name ff value ff)*             Prometheus' StableHash
//! stable   series    XXH3 64    tenant ff (name ff value ff)*   for clusters of your own
//!          metadata  XXH3 64    tenant ff family ff
//!          stream    XXH3 64    tenant ff label-string ff
//! ```
//!
//! All of them hash labels in the order in which they stand: senders sort them. FNV-1 without separators
//! cannot tell `{a="bc"}` from `{ab="c"}`; `ff` is in no UTF-8 text, so the others can.
//!
//! | token | for | a token alone | for whole requests |
//! |---|---|---|---|
//! | [`MimirTokens`] | Mimir, Cortex | [`token`](MimirTokens::token) | [`tokens`](MimirTokens::tokens), [`tokens_v2`](MimirTokens::tokens_v2) |
//! | [`LokiTokens`] | Loki | [`token`](LokiTokens::token) | [`tokens`](LokiTokens::tokens) |
//! | [`ThanosTokens`] | Thanos | [`series`](ThanosTokens::series) | |
//! | [`StableTokens`] | anything new | [`token`](StableTokens::token) | [`tokens`](StableTokens::tokens) |
//! | [`labels_hash`] | what is keyed by Prometheus' hash | itself | |
//!
//! FNV is serial: each byte waits for the one before. `tokens` hashes several series side by side.

mod fnv;
mod loki;
mod mimir;
mod text;
mod xxhash;

pub use loki::LokiTokens;
pub use mimir::MimirTokens;
pub use xxhash::{StableTokens, ThanosTokens, labels_hash, shard_of};
