//! The part of the series that a query asks for: `all`, or `2_of_16`.

use core::fmt;

use super::decimal;
use crate::wire::{BufferFull, Writer};

const ALL: &str = "all";
const OF: &str = "_of_";

/// The part of a block's series that a query asks for, in a key: `all`, or `2_of_16` for index 1 of
/// 16.
///
/// ```
/// use borrowire::cache::key::QueryShard;
///
/// assert_eq!(QueryShard::ALL.to_string(), "all");
/// assert_eq!(QueryShard::new(1, 16).map(|shard| shard.to_string()).as_deref(), Some("2_of_16"));
/// assert_eq!(QueryShard::new(16, 16), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QueryShard {
    /// 0 when there are no shards.
    index: u64,
    count: u64,
}

impl QueryShard {
    /// All series.
    pub const ALL: Self = Self { index: 0, count: 0 };

    /// The shard `index`, from 0, of `count`; `None` if there is no such shard.
    #[must_use]
    pub const fn new(index: u64, count: u64) -> Option<Self> {
        if index < count { Some(Self { index, count }) } else { None }
    }

    /// The index, from 0, and how many shards there are; `None` for all series.
    #[must_use]
    pub const fn index_and_count(&self) -> Option<(u64, u64)> {
        if self.count == 0 { None } else { Some((self.index, self.count)) }
    }

    /// The index from 1: at most the count, so it cannot overflow.
    const fn ordinal(&self) -> u64 {
        self.index.saturating_add(1)
    }

    pub(in crate::cache::key) const fn text_len(&self) -> usize {
        if self.count == 0 {
            return ALL.len();
        }
        decimal::len(self.ordinal())
            .saturating_add(OF.len())
            .saturating_add(decimal::len(self.count))
    }

    pub(in crate::cache::key) fn write_to(
        &self,
        writer: &mut Writer<'_>,
    ) -> Result<(), BufferFull> {
        if self.count == 0 {
            return writer.write_raw(ALL.as_bytes());
        }
        decimal::write(self.ordinal(), writer)?;
        writer.write_raw(OF.as_bytes())?;
        decimal::write(self.count, writer)
    }

    /// The shard that `text` names.
    pub(in crate::cache::key) fn read(text: &str) -> Option<Self> {
        if text == ALL {
            return Some(Self::ALL);
        }
        let (ordinal, count) = text.split_once(OF)?;
        Self::new(decimal::read(ordinal)?.checked_sub(1)?, decimal::read(count)?)
    }
}

impl fmt::Display for QueryShard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index_and_count() {
            Some((_, count)) => write!(f, "{}{OF}{count}", self.ordinal()),
            None => f.write_str(ALL),
        }
    }
}
