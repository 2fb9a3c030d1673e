//! Tokens: the hashes by which the field chooses a shard for a series.
//!
//! ```text
//! Mimir    series    FNV-1 32   tenant (name value)*            no separators, any order of labels
//!          metadata  FNV-1 32   tenant family
//! Cortex   series    FNV-1 32   tenant (name value)*            without labels of no value
//!          metadata  FNV-1 32   tenant family
//! Cortex   series    FNV-1 32   tenant metric-name              without shard-by-all-labels
//!          metadata  FNV-1 32   tenant
//! Thanos   series    XXH64      tenant ff (name ff value ff)*
//! labels   series    XXH64      (name ff value ff)*             Prometheus' StableHash
//! stable   series    XXH3 64    tenant ff (name ff value ff)*   for clusters of your own
//!          metadata  XXH3 64    tenant ff family ff
//! ```
//!
//! All of them hash labels as they stand: most senders sort them. Where not, the distributors of
//! Mimir and Cortex drop labels without a value and sort the rest first, and so does
//! [`MimirTokens::with_normalized_labels`]; Thanos does not; for Prometheus' hash, see
//! [`Labels::normalize`](crate::remote_write::Labels::normalize). FNV-1 without
//! separators cannot tell `{a="bc"}` from `{ab="c"}`; `ff` is in no UTF-8 text, so the others can.
//!
//! FNV is serial: each byte waits for the one before. The `tokens` of whole requests hash several
//! series side by side.

mod mimir;
mod series_request;
mod xxhash;

pub use mimir::MimirTokens;
pub use series_request::SeriesRequest;
pub use xxhash::{ThanosTokens, labels_hash};
