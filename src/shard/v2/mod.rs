//! Splitting remote write 2.0: each part with the symbols that it uses, and no others.
//!
//! ```text
//! body    symbols "" a b c d   series [1 2]  series [3 4]  series [1 4]
//! part 0  symbols "" a b d     series [1 2]                series [1 3]
//! part 1  symbols "" c d                     series [1 2]
//! ```
//!
//! Series are copied but for their references: those of labels, exemplars and metadata are numbered anew,
//! in the order in which a part uses them. All other fields keep their bytes, also unknown ones. References
//! of labels are joined into one packed field at the front of their message.
//!
//! The first symbol, which is the empty one, is in every part. A long symbol that many parts use is in each
//! of them, so small parts can together have many times the bytes of the request: write them one by one.
//!
//! In requests that were decoded with Mimir's common symbols, those keep their numbers, and a part's own
//! begin behind them.

mod part;
mod renumber;
mod splitter;

pub use part::{Part, Parts, Split};
pub use splitter::{Oversized, Preparation, Splitter};
