//! What both versions of remote write mean: the views of series, their storage, rules, tokens.
//!
//! Messages that are the same on the wire in both versions (`Label`, `Sample`, `Histogram`) are
//! whole here; of those that differ (`TimeSeries`, `Exemplar`, metadata) the view is here, and the
//! wire format in `v1/` and `v2/`.

pub(super) mod exemplar;
pub(super) mod extensions;
pub(super) mod histogram;
pub(super) mod label;
pub(super) mod label_edits;
pub(super) mod metadata;
pub(super) mod normalize;
#[cfg(feature = "prost")]
pub(super) mod prost;
pub(super) mod record_kind;
pub(super) mod rules;
pub(super) mod sample;
pub(super) mod shape;
pub(super) mod storage;
pub(super) mod symbol_table;
pub(super) mod time_series;
