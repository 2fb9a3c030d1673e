use blake2::digest::Update;

use crate::cache::key::buf::Text;
use crate::cache::key::decimal;
use crate::cache::key::digest::Digest;
use crate::cache::key::error::KeyError;
use crate::cache::key::parser::Parser;
use crate::cache::key::scope::Scope;
use crate::cache::key::shard::Shard;
use crate::wire::message::Encode;
use crate::wire::{BufferFull, Writer};

pub(super) const SERIES: &str = "S:";
pub(super) const SERIES_FOR_POSTINGS: &str = "SP2:";

/// How many references are hashed at a time: four of BLAKE2b's blocks.
const REFS: usize = 64;

/// The key of a series: `S:<tenant>:<block>:<ref>`.
///
/// ```
/// use borrowire::cache::key::{Block, CacheKey, Scope, mimir};
///
/// let scope = Scope::new("tenant", Block::new("00000000010000000000000000")?)?;
/// let key = mimir::Series::new(scope, 12345).to_buf()?;
/// assert_eq!(key, "S:tenant:00000000010000000000000000:12345");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Series<'a> {
    /// Whose series, and of which block.
    pub scope: Scope<'a>,
    /// Where in the block's index the series lies: TSDB's series reference.
    pub series_ref: u64,
}

impl<'a> Series<'a> {
    /// The key of the series `series_ref`.
    #[must_use]
    pub const fn new(scope: Scope<'a>, series_ref: u64) -> Self {
        Self { scope, series_ref }
    }

    pub(super) fn parse(mut parser: Parser<'a>) -> Result<Self, KeyError> {
        Ok(Self { scope: parser.scope()?, series_ref: parser.number()? })
    }
}

impl Encode for Series<'_> {
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

impl Text for Series<'_> {}

/// The key of the series that postings stand for: `SP2:<tenant>:<block>:<shard>:<refs>`.
///
/// ```
/// use borrowire::cache::key::{Block, CacheKey, Scope, Shard, mimir};
///
/// let scope = Scope::new("tenant", Block::new("00000000010000000000000000")?)?;
/// let key = mimir::SeriesForPostings::new(scope, Shard::ALL, &[1, 2]).to_buf()?;
/// assert_eq!(
///     key,
///     "SP2:tenant:00000000010000000000000000:all:rUaXhjCvbO4nxc9U_dVxWOCVLbaKb0eYZDagiu4PCBk"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SeriesForPostings<'a> {
    /// Whose series, and of which block.
    pub scope: Scope<'a>,
    /// Which of them.
    pub shard: Shard,
    /// The hash of their references: [`hash_refs`].
    pub refs: Digest,
}

impl<'a> SeriesForPostings<'a> {
    /// The key of the series `refs`, in this order.
    #[must_use]
    pub fn new(scope: Scope<'a>, shard: Shard, refs: &[u64]) -> Self {
        Self { scope, shard, refs: hash_refs(refs) }
    }

    pub(super) fn parse(mut parser: Parser<'a>) -> Result<Self, KeyError> {
        let (scope, shard) = (parser.scope()?, parser.shard()?);
        let refs = parser.digest()?;
        parser.end(Self { scope, shard, refs })
    }
}

impl Encode for SeriesForPostings<'_> {
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

impl Text for SeriesForPostings<'_> {}

/// The hash of series references, in this order, 8 bytes each, little endian.
#[must_use]
pub fn hash_refs(refs: &[u64]) -> Digest {
    Digest::of(|hasher| {
        let mut bytes = [0; 8 * REFS];
        for refs in refs.chunks(REFS) {
            let mut writer = Writer::new(&mut bytes);
            // There is room for as many.
            let _ = refs.iter().try_for_each(|value| writer.write_raw(&value.to_le_bytes()));
            let len = writer.written();
            hasher.update(bytes.get(..len).unwrap_or_default());
        }
    })
}
