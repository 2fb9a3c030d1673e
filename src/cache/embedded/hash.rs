//! The hash of a cache, unless another is given.

use core::fmt;
use core::hash::{BuildHasher, Hasher};

type Inner = hashbrown::DefaultHashBuilder;

/// Makes the hashes of a [`ShardedCache`](super::ShardedCache) unless another [`BuildHasher`] is
/// given: fast, of 64 good bits, and seeded at random, so that clients cannot choose keys that
/// collide. It is foldhash; that may change.
///
/// ```
/// use std::hash::BuildHasher;
/// use borrowire::cache::DefaultHashBuilder;
///
/// let hash = DefaultHashBuilder::default();
/// assert_eq!(hash.hash_one(b"key"), hash.hash_one(b"key"));
/// assert_ne!(hash.hash_one(b"key"), DefaultHashBuilder::default().hash_one(b"key"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct DefaultHashBuilder(Inner);

impl BuildHasher for DefaultHashBuilder {
    type Hasher = DefaultHasher;

    #[inline]
    fn build_hasher(&self) -> DefaultHasher {
        DefaultHasher(self.0.build_hasher())
    }
}

/// Hashes one key: what a [`DefaultHashBuilder`] makes.
///
/// ```
/// use std::hash::{BuildHasher, Hasher};
/// use borrowire::cache::{DefaultHashBuilder, DefaultHasher};
///
/// let mut hasher: DefaultHasher = DefaultHashBuilder::default().build_hasher();
/// hasher.write(b"key");
/// let _hash: u64 = hasher.finish();
/// ```
#[derive(Clone)]
pub struct DefaultHasher(<Inner as BuildHasher>::Hasher);

impl Hasher for DefaultHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0.finish()
    }
}

/// Without its state, which is secret.
impl fmt::Debug for DefaultHasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DefaultHasher").finish_non_exhaustive()
    }
}
