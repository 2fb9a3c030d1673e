//! Many keys, one behind the other; labels are hashed four at a time.

use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;
use core::ops::Range;
use core::str;

use blake2::digest::Update;
use blake2b_simd::many::{HashManyJob, hash_many};
use blake2b_simd::{Hash, Params};
use smallvec::SmallVec;

use super::key_buf::CacheKey;
use super::part::{Digest, LabelId, LabelLayout};
use crate::EncodeError;
use crate::cache::keys::Keys;
use crate::wire::impossible;
use crate::wire::retention::Retention;

/// How many labels a processor hashes at a time, with AVX2. Fewer are faster one by one.
const LANES: usize = 4;

/// How many labels are hashed together: enough that those of different length keep all lanes busy.
const GROUP: usize = 16 * LANES;

type Ids = SmallVec<[LabelId; GROUP]>;

/// Many keys, one behind the other in memory that is used again: after the first batches, nothing
/// is allocated. It keeps as much as the largest batch took, and the longest labels of 64 in a row;
/// where that is over 1 MiB, and 16 batches in a row needed less than a quarter of it, it is freed.
///
/// Keys are appended by `encode_all` of
/// [`mimir::PostingsKey`](super::mimir::PostingsKey::encode_all) and its counterparts, which hash
/// four labels at a time, or one by one.
///
/// ```
/// use borrowire::cache::key::{BlockId, KeyBatch, Scope, mimir};
///
/// let scope = Scope::new("tenant", BlockId::new("00000000010000000000000000")?)?;
/// let labels = [("foo", "bar"), ("job", "a name that is too long to stand in the key")];
///
/// let mut batch = KeyBatch::new();
/// mimir::PostingsKey::encode_all(scope, labels, &mut batch)?;
/// batch.push(&mimir::SeriesKey::new(scope, 7))?;
/// assert_eq!(batch.len(), 3);
/// assert_eq!(batch.get(0), Some("P2:tenant:00000000010000000000000000:Zm9vOmJhcg"));
/// assert!(batch.iter().all(|key| key.contains("tenant")));
/// batch.clear(); // keeps the memory
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct KeyBatch {
    /// All keys.
    text: Vec<u8>,
    /// Where each of them ends.
    ends: Vec<usize>,
    /// The labels that are to be hashed together, each in one piece.
    labels: Vec<u8>,
    retention: Retention,
}

impl KeyBatch {
    /// No keys.
    #[must_use]
    pub const fn new() -> Self {
        let retention = Retention::NEW;
        Self { text: Vec::new(), ends: Vec::new(), labels: Vec::new(), retention }
    }

    /// Heap bytes that are kept for the next batch.
    #[must_use]
    pub const fn capacity_bytes(&self) -> usize {
        let ends = self.ends.capacity().saturating_mul(size_of::<usize>());
        self.text.capacity().saturating_add(self.labels.capacity()).saturating_add(ends)
    }

    /// Appends a key.
    ///
    /// # Errors
    ///
    /// If it is over 2 GiB - 1.
    #[inline]
    pub fn push(&mut self, key: &impl CacheKey) -> Result<(), EncodeError> {
        key.append_to_vec(&mut self.text)?;
        self.ends.push(self.text.len());
        Ok(())
    }

    /// Appends the keys that `key` makes of all labels, in order.
    pub(super) fn push_labels<'l, L: LabelLayout, K: CacheKey>(
        &mut self,
        labels: impl IntoIterator<Item = (&'l str, &'l str)>,
        key: impl Fn(LabelId) -> K,
    ) -> Result<(), EncodeError> {
        let mut labels = labels.into_iter().fuse();
        let mut ids = Ids::new();
        loop {
            self.read_ids::<L>(labels.by_ref().take(GROUP), &mut ids);
            if ids.is_empty() {
                return Ok(());
            }
            ids.iter().try_for_each(|&id| self.push(&key(id)))?;
        }
    }

    /// Fills `ids` with those of at most `GROUP` labels.
    fn read_ids<'l, L: LabelLayout>(
        &mut self,
        labels: impl Iterator<Item = (&'l str, &'l str)>,
        ids: &mut Ids,
    ) {
        // Where in `ids` a hash is missing, and of what.
        let mut long: SmallVec<[(usize, Range<usize>); GROUP]> = SmallVec::new();
        ids.clear();
        self.labels.clear();
        for (name, value) in labels {
            let id = LabelId::raw::<L>(name, value).unwrap_or_else(|| {
                let start = self.labels.len();
                L::pieces(name, value, |piece| self.labels.extend_from_slice(piece));
                long.push((ids.len(), start..self.labels.len()));
                LabelId::from(Digest::default())
            });
            ids.push(id);
        }
        let few = long.chunks_exact(LANES).remainder();
        let many = long.get(..long.len().saturating_sub(few.len())).unwrap_or_else(impossible);
        let label =
            |range: &Range<usize>| self.labels.get(range.clone()).unwrap_or_else(impossible);
        let mut set = |index: usize, digest| {
            if let Some(id) = ids.get_mut(index) {
                *id = LabelId::from(digest);
            }
        };
        let mut params = Params::new();
        params.hash_length(Digest::LEN);
        let mut jobs: SmallVec<[HashManyJob<'_>; GROUP]> = SmallVec::new();
        for (_, range) in many {
            jobs.push(HashManyJob::new(&params, label(range)));
        }
        hash_many(&mut jobs);
        for ((index, _), job) in many.iter().zip(&jobs) {
            set(*index, digest(&job.to_hash()));
        }
        for (index, range) in few {
            set(*index, Digest::of(|hasher| hasher.update(label(range))));
        }
    }

    /// Removes all keys, and keeps the memory, unless it was far too large for long.
    pub fn clear(&mut self) {
        let used = self.text.len().saturating_add(size_of_val(&*self.ends));
        let capacity = self.capacity_bytes();
        if self.retention.is_wasted(used, || capacity) {
            *self = Self::new();
        }
        self.text.clear();
        self.ends.clear();
    }

    /// How many keys there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// A key, in the order in which they were appended.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&str> {
        // Never fails: only text is put in.
        str::from_utf8(self.get_bytes(index)?).ok()
    }

    /// The bytes of a key. Cheaper than those of the text, which is checked each time.
    #[must_use]
    pub fn get_bytes(&self, index: usize) -> Option<&[u8]> {
        let end = *self.ends.get(index)?;
        let start = match index.checked_sub(1) {
            Some(before) => *self.ends.get(before)?,
            None => 0,
        };
        self.text.get(start..end)
    }

    /// All keys, in the order in which they were appended.
    #[must_use]
    pub const fn iter(&self) -> KeyBatchIter<'_> {
        KeyBatchIter { batch: self, range: 0..self.ends.len() }
    }
}

fn digest(hash: &Hash) -> Digest {
    // Never the default: this is the length that was asked for.
    hash.as_bytes().try_into().map(Digest::new).unwrap_or_else(|_| impossible())
}

impl Keys for KeyBatch {
    fn len(&self) -> usize {
        self.len()
    }

    fn key(&self, index: usize) -> &[u8] {
        self.get_bytes(index).unwrap_or_default()
    }
}

impl fmt::Debug for KeyBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyBatch({} keys, {} bytes)", self.len(), self.text.len())
    }
}

impl<'b> IntoIterator for &'b KeyBatch {
    type Item = &'b str;
    type IntoIter = KeyBatchIter<'b>;

    fn into_iter(self) -> KeyBatchIter<'b> {
        self.iter()
    }
}

/// The keys of a [`KeyBatch`], by [`iter`](KeyBatch::iter).
///
/// ```
/// use borrowire::cache::key::{BlockId, KeyBatch, KeyBatchIter, thanos};
///
/// let block = BlockId::new("00000000010000000000000000")?;
/// let mut batch = KeyBatch::new();
/// batch.push(&thanos::SeriesKey::new(block, 7))?;
/// let mut keys: KeyBatchIter<'_> = batch.iter();
/// assert_eq!(keys.next(), Some("S:00000000010000000000000000:7"));
/// assert_eq!(keys.next(), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct KeyBatchIter<'b> {
    batch: &'b KeyBatch,
    range: Range<usize>,
}

impl<'b> Iterator for KeyBatchIter<'b> {
    type Item = &'b str;

    fn next(&mut self) -> Option<&'b str> {
        self.range.next().and_then(|index| self.batch.get(index))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }
}

impl ExactSizeIterator for KeyBatchIter<'_> {}

impl FusedIterator for KeyBatchIter<'_> {}

impl fmt::Debug for KeyBatchIter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyBatchIter({} left)", self.len())
    }
}
