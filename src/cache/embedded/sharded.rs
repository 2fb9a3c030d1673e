//! The embedded cache: shards behind locks.
//!
//! ```text
//! put   key -> hash -> shard -> lock -> oldest entries out -> entry into the ring -> index
//! get   key -> hash -> shard -> lock -> index -> keys compared -> value, where it lies
//! ```

use core::fmt;
use core::hash::{BuildHasher, Hasher};
use core::ops::Deref;
use core::sync::atomic::{AtomicU64, Ordering};
use std::boxed::Box;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

use bytes::BytesMut;
use hashbrown::DefaultHashBuilder;

use super::batch::{Batch, Found};
use super::clock::{Clock, MonotonicClock};
use super::error::{CacheError, CacheErrorKind};
use super::frame::Entry;
use super::key_list::KeyList;
use super::options::ShardedOptions;
use super::ring::{Position, Ring};
use super::shard::{Age, Shard};
use super::statistics::Statistics;
use crate::error::EncodeError;
use crate::message::Encode;

/// The longest encoded key that is looked up without an allocation; memcached takes 250 bytes.
const SCRATCH_BYTES: usize = 256;

/// A cache of bytes in a fixed amount of memory, for any number of threads.
///
/// Each shard is a [`Ring`] with an index behind a lock. An entry is encoded straight into the ring, and read
/// where it lies; what is oldest makes room. Keys and values are byte slices, text, or anything else that
/// implements [`Encode`]. The whole key decides, not its hash.
///
/// The hash is foldhash, seeded at random, unless another [`BuildHasher`] is given; it gets the bytes of the
/// key and nothing else. All its 64 bits are used: the low ones choose the shard, the upper half finds the key
/// there, and with one that leaves that half empty each look-up goes through all keys of the shard.
///
/// ```
/// use std::time::Duration;
/// use borrowire::cache::{Sharded, ShardedOptions};
///
/// let cache = Sharded::new(ShardedOptions::new(64 << 20).with_ttl(Duration::from_secs(3600)))?;
/// cache.put(b"key", b"value")?;
/// assert_eq!(cache.get(b"key").as_deref(), Some(&b"value"[..])); // in place, under the shard's lock
///
/// let mut copy = Vec::new(); // or a copy
/// assert_eq!(cache.append_to_vec(b"key", &mut copy), Some(5));
/// assert!(cache.remove(b"key") && cache.get(b"key").is_none());
/// # Ok::<(), borrowire::cache::CacheError>(())
/// ```
pub struct Sharded<S = DefaultHashBuilder, C = MonotonicClock> {
    shards: Box<[Line]>,
    hasher: S,
    clock: C,
    ttl: u64,
    refused: AtomicU64,
}

/// A shard in cache lines of its own: its neighbours' locks do not slow it down.
#[repr(align(128))]
struct Line(Mutex<Shard>);

impl Line {
    /// A shard is whole at every moment in which foreign code can panic.
    #[inline]
    fn lock(&self) -> MutexGuard<'_, Shard> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sharded {
    /// A cache with the default hash and clock. All memory of the rings is asked for at once.
    ///
    /// # Errors
    ///
    /// If the options leave a shard less than the 24 bytes of an empty entry, or give it 4 GiB and more; if the
    /// number of shards is not a power of two up to 8,192; if the time to live is zero.
    pub fn new(options: ShardedOptions) -> Result<Self, CacheError> {
        Self::with_parts(options, DefaultHashBuilder::default(), MonotonicClock::new())
    }
}

impl<S: BuildHasher, C: Clock> Sharded<S, C> {
    /// A cache with this hash and clock. The clock is only asked if entries have a time to live.
    ///
    /// # Errors
    ///
    /// As for [`new`](Sharded::new).
    pub fn with_parts(options: ShardedOptions, hasher: S, clock: C) -> Result<Self, CacheError> {
        let count = options.shard_count()?;
        let ttl = options.ttl_millis()?;
        let bytes = options.max_bytes.checked_div(count).unwrap_or_default();
        let shard = |_| Ok(Line(Mutex::new(Shard::new(Ring::new(bytes)?))));
        let shards = (0..count).map(shard).collect::<Result<_, CacheError>>()?;
        Ok(Self { shards, hasher, clock, ttl, refused: AtomicU64::new(0) })
    }

    /// The value of `key`, where it lies. The guard holds the lock of the key's shard: read or copy, and drop
    /// it. Nothing is allocated, unless for a key that is not bytes and takes over 256.
    ///
    /// A thread that holds a guard and goes to the same shard again waits for itself, and two that hold one
    /// each and go to the other's shard wait for each other: let go of one before the next operation.
    ///
    /// ```compile_fail,E0277
    /// # use borrowire::cache::{Sharded, ShardedOptions};
    /// # let cache = Sharded::new(ShardedOptions::new(1 << 20)).unwrap();
    /// let value = cache.get(b"key"); // nor can a guard be kept across an `await` of a future that is `Send`
    /// std::thread::scope(|scope| scope.spawn(move || drop(value)).join());
    /// ```
    #[must_use]
    pub fn get<K: Encode + ?Sized>(&self, key: &K) -> Option<Value<'_>> {
        with_bytes(key, |key| {
            let (hash, age) = (self.hash(key), self.age());
            let mut shard = self.shard_of(hash)?.lock();
            let (position, _) = shard.find(hash, key, age)?;
            Some(Value { shard, position })
        })
        .flatten()
    }

    /// Copies the value of `key` to the front of `out`, and returns its length.
    ///
    /// # Errors
    ///
    /// If `out` is shorter than the value.
    pub fn get_into<K: Encode + ?Sized>(
        &self,
        key: &K,
        out: &mut [u8],
    ) -> Result<Option<usize>, EncodeError> {
        self.get(key).map(|value| value.encode(out)).transpose()
    }

    /// Appends the value of `key` to `out`, and returns its length.
    pub fn append_to_vec<K: Encode + ?Sized>(&self, key: &K, out: &mut Vec<u8>) -> Option<usize> {
        let value = self.get(key)?;
        out.extend_from_slice(&value);
        Some(value.len())
    }

    /// Appends the value of `key` to `out`, and returns its length.
    pub fn append_to_bytes<K: Encode + ?Sized>(
        &self,
        key: &K,
        out: &mut BytesMut,
    ) -> Option<usize> {
        let value = self.get(key)?;
        out.extend_from_slice(&value);
        Some(value.len())
    }

    /// Stores `value` under `key`, in place of what was there. The oldest entries of the shard make room.
    ///
    /// The value is encoded under the shard's lock: one that goes to the cache for it waits for itself.
    ///
    /// # Errors
    ///
    /// If the entry is larger than a shard: nothing is evicted, and what was there under `key` stays. If key or
    /// value write another number of bytes than they announced: nothing is stored.
    pub fn put<K, V>(&self, key: &K, value: &V) -> Result<(), CacheError>
    where
        K: Encode + ?Sized,
        V: Encode + ?Sized,
    {
        let result = with_bytes(key, |key| {
            let (hash, age) = (self.hash(key), self.age());
            let Some(shard) = self.shard_of(hash) else { return Ok(()) };
            shard.lock().put(&Entry::new(age.now, hash, key, value), age)
        });
        let result = result.unwrap_or_else(|| {
            let len = Entry::new(0, 0, key, value).encoded_len();
            Err(CacheError::new(CacheErrorKind::WrongLength, len, 0))
        });
        self.count_refused(&result);
        result
    }

    /// Takes the entry of `key` out, and tells whether there was one.
    pub fn remove<K: Encode + ?Sized>(&self, key: &K) -> bool {
        with_bytes(key, |key| {
            let (hash, age) = (self.hash(key), self.age());
            self.shard_of(hash).is_some_and(|shard| shard.lock().remove(hash, key, age))
        })
        .unwrap_or_default()
    }

    /// Looks up all `keys`, and copies their values to `found`. Each shard is locked once; nothing is allocated
    /// once `found` has been as large.
    pub fn get_many<K: KeyList + ?Sized>(&self, keys: &K, found: &mut Found) {
        found.reset(keys.len());
        let mut batch = core::mem::take(&mut found.batch);
        let hashes = (0..keys.len()).map(|index| self.hash(keys.key(index)));
        batch.group(self.shards.len(), hashes, |hash| self.shard_index(hash));
        let age = self.age();
        for (shard, keys_of_shard) in batch.by_shard() {
            let Some(shard) = self.shards.get(shard) else { continue };
            let mut shard = shard.lock();
            for (index, hash) in keys_of_shard {
                if let Some((_, value)) = shard.find(hash, keys.key(index), age) {
                    found.set(index, value);
                }
            }
        }
        found.batch = batch;
    }

    /// Stores all `entries`; of those with the same key the last one stays. Each shard is locked once; nothing
    /// is allocated once `batch` has been as large.
    ///
    /// # Errors
    ///
    /// The first refusal, after all other entries were stored: see [`put`](Self::put).
    pub fn put_many<K: Encode, V: Encode>(
        &self,
        entries: &[(K, V)],
        batch: &mut Batch,
    ) -> Result<(), CacheError> {
        // A key without bytes is refused below, in whichever shard.
        let hash = |key: &K| with_bytes(key, |key| self.hash(key)).unwrap_or_default();
        let hashes = entries.iter().map(|(key, _)| hash(key));
        batch.group(self.shards.len(), hashes, |hash| self.shard_index(hash));
        let age = self.age();
        let mut refused = Ok(());
        for (shard, keys_of_shard) in batch.by_shard() {
            let Some(shard) = self.shards.get(shard) else { continue };
            let mut shard = shard.lock();
            for (index, hash) in keys_of_shard {
                let Some((key, value)) = entries.get(index) else { continue };
                let result = shard.put(&Entry::new(age.now, hash, key, value), age);
                self.count_refused(&result);
                refused = refused.and(result);
            }
        }
        refused
    }

    /// Takes all entries out.
    pub fn clear(&self) {
        for shard in &self.shards {
            shard.lock().clear();
        }
    }

    /// What happened so far, for a metrics page. Each shard is locked in turn.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let mut sum =
            Statistics { refused: self.refused.load(Ordering::Relaxed), ..Statistics::default() };
        for shard in &self.shards {
            shard.lock().add_to(&mut sum);
        }
        sum
    }

    #[inline]
    fn hash(&self, key: &[u8]) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(key);
        hasher.finish()
    }

    /// The low bits choose the shard; the index of a shard has the upper half.
    #[inline]
    fn shard_index(&self, hash: u64) -> usize {
        let mask = self.shards.len().wrapping_sub(1);
        // Cut on purpose.
        #[allow(clippy::as_conversions)]
        {
            hash as usize & mask
        }
    }

    #[inline]
    fn shard_of(&self, hash: u64) -> Option<&Line> {
        self.shards.get(self.shard_index(hash))
    }

    #[inline]
    fn age(&self) -> Age {
        let now = if self.ttl == u64::MAX { 0 } else { self.clock.now() };
        Age { now, ttl: self.ttl }
    }

    fn count_refused(&self, result: &Result<(), CacheError>) {
        if result.is_err() {
            self.refused.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The encoded key: where it lies, or in a scratch on the stack. `None` if it writes another number of bytes
/// than it announces: half a key may be that of something else.
#[inline]
fn with_bytes<K: Encode + ?Sized, R>(key: &K, then: impl FnOnce(&[u8]) -> R) -> Option<R> {
    if let Some(bytes) = key.as_encoded() {
        return Some(then(bytes));
    }
    let len = key.encoded_len();
    let mut scratch = [0; SCRATCH_BYTES];
    if let Some(scratch) = scratch.get_mut(..len) {
        return (key.encode(scratch) == Ok(len)).then(|| then(scratch));
    }
    let mut bytes = Vec::new();
    (key.append_to_vec(&mut bytes) == Ok(len)).then(|| then(&bytes))
}

impl<S, C> fmt::Debug for Sharded<S, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sharded").field("shards", &self.shards.len()).finish_non_exhaustive()
    }
}

/// A value in a [`Sharded`] cache, and the lock of its shard.
pub struct Value<'c> {
    shard: MutexGuard<'c, Shard>,
    position: Position,
}

impl Deref for Value<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.shard.value(self.position)
    }
}

impl AsRef<[u8]> for Value<'_> {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

/// The length only: the value is a tenant's.
impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Value").field("len", &self.len()).finish()
    }
}
