//! The cache: shards behind locks.
//!
//! ```text
//! put   key -> hash -> shard -> lock -> oldest entries out -> entry into the ring -> index
//! get   key -> hash -> shard -> lock -> index -> keys compared -> value, where it lies
//! ```

use core::fmt;
use core::hash::{BuildHasher, Hasher};
use core::sync::atomic::{AtomicU64, Ordering};
use std::boxed::Box;
use std::vec::Vec;

use bytes::BytesMut;

use super::clock::{Clock, MonotonicClock};
use super::error::CacheError;
use super::hash::DefaultHashBuilder;
use super::lock::{CallersCode, LockedShard};
use super::options::CacheOptions;
use super::ring::Ring;
use super::shard::{Age, Shard};
use super::statistics::Statistics;
use crate::cache::batch::BatchScratch;
use crate::cache::frame::CacheEntry;
use crate::cache::keys::Keys;
use crate::cache::store::Cache;
use crate::cache::values::Values;
use crate::wire::impossible;
use crate::{Encode, EncodeError};

/// The longest encoded key that is looked up without an allocation; memcached takes 250 bytes.
const SCRATCH_BYTES: usize = 256;

/// A cache of bytes in a fixed amount of memory, for any number of threads.
///
/// Each shard is a [`Ring`] with an index behind a lock. An entry is encoded straight into the
/// ring, and what is oldest makes room. Keys and values are byte slices, text, or anything else
/// that implements [`Encode`]. The whole key decides, not its hash.
///
/// A value is copied into memory of the caller, one alone by
/// [`append_to_vec`](Self::append_to_vec), [`append_to_bytes`](Self::append_to_bytes) or
/// [`get_into`](Self::get_into), those of many keys by [`get_many`](Self::get_many).
/// [`get_with`](Self::get_with) reads it where it lies.
///
/// The hash is a [`DefaultHashBuilder`] unless another [`BuildHasher`] is given; it gets the bytes
/// of the key and nothing else. All its 64 bits are used: the low ones choose the shard, the upper
/// half finds the key there, and with one that leaves that half empty each look-up goes through all
/// keys of the shard.
///
/// ```
/// use std::time::Duration;
/// use borrowire::cache::{CacheOptions, ShardedCache};
///
/// let options = CacheOptions::new(64 << 20).with_ttl(Duration::from_secs(3600));
/// let cache = ShardedCache::new(options)?;
/// cache.put(b"key", b"value")?;
///
/// let mut value = Vec::new(); // used again for the next look-up
/// assert_eq!(cache.append_to_vec(b"key", &mut value), Some(5));
/// assert_eq!(value, b"value");
/// assert_eq!(cache.get_with(b"key", |value| value[0]), Some(b'v')); // not copied
///
/// assert!(cache.remove(b"key"));
/// assert_eq!(cache.append_to_vec(b"key", &mut value), None);
/// # Ok::<(), borrowire::cache::CacheError>(())
/// ```
///
/// # Deadlocks
///
/// Whoever copies values out, and puts bytes, cannot make one. Some of the caller's code runs under
/// the lock of a shard: the closure of [`get_with`](Self::get_with), a value that
/// [`put`](Self::put) has to encode, and the lists that are given to [`get_many`](Self::get_many)
/// and [`put_many`](Self::put_many). A cache that is used in there could wait for the lock that its
/// own thread holds. So each operation of each `ShardedCache` panics in there, at once and always,
/// whether the lock is free or not:
///
/// ```should_panic
/// # use borrowire::cache::{CacheOptions, ShardedCache};
/// # let cache = ShardedCache::new(CacheOptions::new(1 << 20)).unwrap();
/// # cache.put("key", "value").unwrap();
/// cache.get_with("key", |value| cache.put("copy", value)); // panics
/// ```
///
/// What cannot be seen from here is such code that waits for another thread which uses the cache:
/// that is a deadlock.
pub struct ShardedCache<S = DefaultHashBuilder, C = MonotonicClock> {
    shards: Box<[LockedShard]>,
    hasher: S,
    clock: C,
    ttl: u64,
    refused: AtomicU64,
}

impl ShardedCache {
    /// A cache with the default hash and clock. All memory of the rings is asked for at once.
    ///
    /// # Errors
    ///
    /// If the options leave a shard less than the 24 bytes of an empty entry, or give it 4 GiB and
    /// more; if the number of shards is not a power of two up to 8,192; if the time to live is
    /// zero.
    pub fn new(options: CacheOptions) -> Result<Self, CacheError> {
        Self::with_parts(options, DefaultHashBuilder::default(), MonotonicClock::new())
    }
}

impl<S: BuildHasher, C: Clock> ShardedCache<S, C> {
    /// A cache with this hash and clock. The clock is only asked if entries have a time to live.
    ///
    /// # Errors
    ///
    /// If [`new`](ShardedCache::new) would refuse the options.
    pub fn with_parts(options: CacheOptions, hasher: S, clock: C) -> Result<Self, CacheError> {
        let count = options.shard_count()?;
        let ttl = options.ttl_millis()?;
        let bytes = options.max_bytes.checked_div(count).unwrap_or_else(impossible);
        let shard = |_| Ok(LockedShard::new(Shard::new(Ring::new(bytes)?)));
        let shards = (0..count).map(shard).collect::<Result<_, CacheError>>()?;
        Ok(Self { shards, hasher, clock, ttl, refused: AtomicU64::new(0) })
    }

    /// Appends the value of `key` to `out`, and returns its length; `None` if there is no value.
    ///
    /// Nothing is allocated but what `out` lacks, and for a key that is not bytes and takes over
    /// 256.
    #[inline]
    pub fn append_to_vec<K: Encode + ?Sized>(&self, key: &K, out: &mut Vec<u8>) -> Option<usize> {
        self.find(key, |value| {
            out.extend_from_slice(value);
            value.len()
        })
    }

    /// Appends the value of `key` to `out`, and returns its length; `None` if there is no value.
    #[inline]
    pub fn append_to_bytes<K: Encode + ?Sized>(
        &self,
        key: &K,
        out: &mut BytesMut,
    ) -> Option<usize> {
        self.find(key, |value| {
            out.extend_from_slice(value);
            value.len()
        })
    }

    /// Copies the value of `key` to the front of `out`, and returns its length; `None` if there is
    /// no value.
    ///
    /// # Errors
    ///
    /// If `out` is shorter than the value.
    pub fn get_into<K: Encode + ?Sized>(
        &self,
        key: &K,
        out: &mut [u8],
    ) -> Result<Option<usize>, EncodeError> {
        self.find(key, |value| value.encode(out)).transpose()
    }

    /// Gives `read` the value of `key` where it lies, and returns what it makes of it; `None` if
    /// there is no value.
    ///
    /// Other threads wait for the shard as long as `read` runs.
    ///
    /// ```
    /// use borrowire::cache::{CacheOptions, ShardedCache};
    ///
    /// let cache = ShardedCache::new(CacheOptions::new(1 << 20))?;
    /// cache.put("numbers", &[1, 2, 3])?;
    /// let sum = cache.get_with("numbers", |value| value.iter().sum::<u8>());
    /// assert_eq!(sum, Some(6));
    /// assert!(cache.get_with("other", |_| ()).is_none());
    /// # Ok::<(), borrowire::cache::CacheError>(())
    /// ```
    ///
    /// # Deadlocks
    ///
    /// If `read` waits for another thread that uses the cache.
    ///
    /// # Panics
    ///
    /// If `read` uses a cache, this one or another: see [Deadlocks](Self#deadlocks).
    #[inline]
    pub fn get_with<K: Encode + ?Sized, R>(
        &self,
        key: &K,
        read: impl FnOnce(&[u8]) -> R,
    ) -> Option<R> {
        self.find(key, |value| {
            let _callers_code = CallersCode::enter();
            read(value)
        })
    }

    /// Gives `then` the value of `key`, with the lock taken.
    #[inline]
    fn find<K: Encode + ?Sized, R>(&self, key: &K, then: impl FnOnce(&[u8]) -> R) -> Option<R> {
        with_bytes(key, |key| {
            let (hash, age) = (self.hash(key), self.age());
            let mut shard = self.shard_of(hash)?.lock();
            shard.find(hash, key, age).map(then)
        })
        .flatten()
    }

    /// Stores `value` under `key`, in place of what was there. The oldest entries of the shard make
    /// room.
    ///
    /// # Errors
    ///
    /// If the entry is larger than a shard: nothing is evicted, and what was there under `key`
    /// stays. If key or value write another number of bytes than they announced: nothing is stored.
    ///
    /// # Deadlocks
    ///
    /// If `value` is not bytes, and waits for another thread that uses the cache while it is
    /// encoded.
    ///
    /// # Panics
    ///
    /// If `value` uses a cache while it is encoded: see [Deadlocks](Self#deadlocks).
    pub fn put<K, V>(&self, key: &K, value: &V) -> Result<(), CacheError>
    where
        K: Encode + ?Sized,
        V: Encode + ?Sized,
    {
        let result = with_bytes(key, |key| {
            let (hash, age) = (self.hash(key), self.age());
            let Some(shard) = self.shard_of(hash) else { return Ok(()) };
            let mut shard = shard.lock();
            let _callers_code = CallersCode::enter();
            shard.put(&CacheEntry::new(age.now, hash, key, value), age)
        });
        let result = result.unwrap_or_else(|| {
            let announced_bytes = CacheEntry::new(0, 0, key, value).encoded_len();
            Err(CacheError::WrongLength { announced_bytes })
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

    /// Looks up all `keys`, and copies their values to `values`, which is emptied first. Each shard
    /// is locked once; nothing is allocated once `values` has been as large.
    ///
    /// # Panics
    ///
    /// If [`Keys::key`] uses a cache: see [Deadlocks](Self#deadlocks).
    pub fn get_many<K: Keys + ?Sized>(&self, keys: &K, values: &mut Values) {
        values.reset(keys.len());
        let mut scratch = core::mem::take(&mut values.scratch);
        let hashes = (0..keys.len()).map(|index| self.hash(keys.key(index)));
        scratch.group(self.shards.len(), hashes, |hash| self.shard_index(hash));
        let age = self.age();
        for (shard, keys_of_shard) in scratch.by_shard() {
            let Some(shard) = self.shards.get(shard) else { continue };
            let mut shard = shard.lock();
            let _callers_code = CallersCode::enter();
            for (index, hash) in keys_of_shard {
                if let Some(value) = shard.find(hash, keys.key(index), age) {
                    values.set(index, value);
                }
            }
        }
        values.scratch = scratch;
    }

    /// Stores all `entries`; of those with the same key the last one stays. Each shard is locked
    /// once; nothing is allocated once `scratch` has been as large.
    ///
    /// # Errors
    ///
    /// The first refusal, after all other entries were stored: see [`put`](Self::put).
    ///
    /// # Panics
    ///
    /// If a key or value uses a cache while it is encoded: see [Deadlocks](Self#deadlocks).
    pub fn put_many<K: Encode, V: Encode>(
        &self,
        entries: &[(K, V)],
        scratch: &mut BatchScratch,
    ) -> Result<(), CacheError> {
        // A key without bytes is refused below, in whichever shard.
        let hash = |key: &K| with_bytes(key, |key| self.hash(key)).unwrap_or_default();
        let hashes = entries.iter().map(|(key, _)| hash(key));
        scratch.group(self.shards.len(), hashes, |hash| self.shard_index(hash));
        let age = self.age();
        let mut refused = Ok(());
        for (shard, keys_of_shard) in scratch.by_shard() {
            let Some(shard) = self.shards.get(shard) else { continue };
            let mut shard = shard.lock();
            let _callers_code = CallersCode::enter();
            for (index, hash) in keys_of_shard {
                let Some((key, value)) = entries.get(index) else { continue };
                let result = shard.put(&CacheEntry::new(age.now, hash, key, value), age);
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
    fn shard_of(&self, hash: u64) -> Option<&LockedShard> {
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

/// Gives `then` the encoded key: where it lies, or from a scratch on the stack. `None` if it writes
/// another number of bytes than it announces: half a key may be that of something else.
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

/// Its futures never wait.
impl<S: BuildHasher + Sync, C: Clock + Sync> Cache for ShardedCache<S, C> {
    type Error = CacheError;

    async fn get_many<K: Keys + Sync + ?Sized>(
        &self,
        keys: &K,
        values: &mut Values,
    ) -> Result<(), CacheError> {
        Self::get_many(self, keys, values);
        Ok(())
    }

    async fn put_many<K: Encode + Sync, V: Encode + Sync>(
        &self,
        entries: &[(K, V)],
        scratch: &mut BatchScratch,
    ) -> Result<(), CacheError> {
        Self::put_many(self, entries, scratch)
    }
}

impl<S, C> fmt::Debug for ShardedCache<S, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShardedCache").field("shards", &self.shards.len()).finish_non_exhaustive()
    }
}
