//! The keys of series.
//!
//! ```text
//! S:<tenant>:<block>:<ref>              SeriesKey              ref: decimal
//! SP2:<tenant>:<block>:<shard>:<refs>   SeriesForPostingsKey   shard: all, 2_of_16
//!
//! refs   base64 of the BLAKE2b-256 hash of the series references, 8 bytes each, little endian
//! ```

use blake2::digest::Update;

use crate::Encode;
use crate::cache::key::error::KeyError;
use crate::cache::key::key_buf::Text;
use crate::cache::key::parser::Parser;
use crate::cache::key::part::{Digest, QueryShard, Scope, decimal};
use crate::wire::{BufferFull, Writer, impossible};

pub(super) const SERIES: &str = "S:";
pub(super) const SERIES_FOR_POSTINGS: &str = "SP2:";

/// How many references are hashed at a time: four of BLAKE2b's blocks.
const REFS: usize = 64;

/// The key of a series: `S:<tenant>:<block>:<ref>`.
///
/// ```
/// use borrowire::cache::key::{BlockId, CacheKey, Scope, mimir};
///
/// let scope = Scope::new("tenant", BlockId::new("00000000010000000000000000")?)?;
/// let key = mimir::SeriesKey::new(scope, 12345).to_buf()?;
/// assert_eq!(key, "S:tenant:00000000010000000000000000:12345");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SeriesKey<'a> {
    /// Whose series, and of which block.
    pub scope: Scope<'a>,
    /// Where in the block's index the series lies: TSDB's series reference.
    pub series_ref: u64,
}

impl<'a> SeriesKey<'a> {
    /// The key of the series `series_ref`.
    #[must_use]
    pub const fn new(scope: Scope<'a>, series_ref: u64) -> Self {
        Self { scope, series_ref }
    }

    pub(super) fn parse(mut parser: Parser<'a>) -> Result<Self, KeyError> {
        Ok(Self { scope: parser.scope()?, series_ref: parser.number()? })
    }
}

impl Encode for SeriesKey<'_> {
    #[inline]
    fn encoded_len(&self) -> usize {
        self.scope.len(SERIES).saturating_add(decimal::len(self.series_ref))
    }

    #[inline]
    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.scope.write(SERIES, writer)?;
        decimal::write(self.series_ref, writer)
    }
}

impl Text for SeriesKey<'_> {}

/// The key of the series that postings stand for: `SP2:<tenant>:<block>:<shard>:<refs>`.
///
/// ```
/// use borrowire::cache::key::{BlockId, CacheKey, QueryShard, Scope, mimir};
///
/// let scope = Scope::new("tenant", BlockId::new("00000000010000000000000000")?)?;
/// let key = mimir::SeriesForPostingsKey::new(scope, QueryShard::ALL, &[1, 2]).to_buf()?;
/// assert_eq!(
///     key,
///     "SP2:tenant:00000000010000000000000000:all:rUaXhjCvbO4nxc9U_dVxWOCVLbaKb0eYZDagiu4PCBk"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SeriesForPostingsKey<'a> {
    /// Whose series, and of which block.
    pub scope: Scope<'a>,
    /// Which of them.
    pub shard: QueryShard,
    /// The hash of their references: [`hash_refs`].
    pub refs: Digest,
}

impl<'a> SeriesForPostingsKey<'a> {
    /// The key of the series `refs`, in this order.
    #[must_use]
    pub fn new(scope: Scope<'a>, shard: QueryShard, refs: &[u64]) -> Self {
        Self { scope, shard, refs: hash_refs(refs) }
    }

    pub(super) fn parse(mut parser: Parser<'a>) -> Result<Self, KeyError> {
        let (scope, shard) = (parser.scope()?, parser.shard()?);
        let refs = parser.digest()?;
        parser.end(Self { scope, shard, refs })
    }
}

impl Encode for SeriesForPostingsKey<'_> {
    fn encoded_len(&self) -> usize {
        self.scope
            .len(SERIES_FOR_POSTINGS)
            .saturating_add(self.shard.text_len())
            .saturating_add(1 + Digest::TEXT_LEN)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.scope.write(SERIES_FOR_POSTINGS, writer)?;
        self.shard.write_to(writer)?;
        writer.write_raw(b":")?;
        self.refs.write_to(writer)
    }
}

impl Text for SeriesForPostingsKey<'_> {}

/// The hash of series references, in this order, 8 bytes each, little endian.
///
/// ```
/// use borrowire::cache::key::{BlockId, QueryShard, Scope, mimir};
///
/// let scope = Scope::new("tenant", BlockId::new("00000000010000000000000000")?)?;
/// let refs = mimir::hash_refs(&[1, 2]);
/// let key = mimir::SeriesForPostingsKey { scope, shard: QueryShard::ALL, refs };
/// assert_eq!(key, mimir::SeriesForPostingsKey::new(scope, QueryShard::ALL, &[1, 2]));
/// # Ok::<(), borrowire::cache::key::KeyError>(())
/// ```
#[must_use]
pub fn hash_refs(refs: &[u64]) -> Digest {
    Digest::of(|hasher| {
        let mut bytes = [0; 8 * REFS];
        for refs in refs.chunks(REFS) {
            let mut writer = Writer::new(&mut bytes);
            // There is room for as many.
            let _ = refs.iter().try_for_each(|value| writer.write_raw(&value.to_le_bytes()));
            let len = writer.written();
            hasher.update(bytes.get(..len).unwrap_or_else(impossible));
        }
    })
}
