//! Ring tokens, splitting, relabelling and merging.

mod relabel;
mod split;
mod split_v2;
mod tokens;
