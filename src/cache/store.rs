//! What all caches can do, near or far.

use core::future::Future;
use core::hash::BuildHasher;

use super::batch::{Batch, Found};
use super::clock::Clock;
use super::error::CacheError;
use super::key_list::KeyList;
use super::sharded::Sharded;
use crate::wire::message::Encode;

/// A cache that takes its work in batches: of this process, or of another machine.
///
/// [`Sharded`] and `Memcached` implement it. The futures of `Sharded` never wait: whoever wants no runtime
/// calls its own methods of the same names.
///
/// ```
/// use borrowire::cache::{Batch, Cache, Found, KeyList};
///
/// /// The values of `keys`, of which those that were not there are now.
/// async fn fetch<C: Cache>(
///     cache: &C,
///     keys: &[String],
///     found: &mut Found,
///     fetch: impl Fn(&str) -> Vec<u8>,
/// ) -> Result<Vec<(String, Vec<u8>)>, C::Error> {
///     cache.get_many(keys, found).await?;
///     let missing = found.missing().map(|at| (keys[at].clone(), fetch(&keys[at])));
///     let fetched: Vec<_> = missing.collect();
///     cache.put_many(&fetched, &mut Batch::new()).await?;
///     Ok(fetched)
/// }
/// # use borrowire::cache::{Sharded, ShardedOptions};
/// # let cache = Sharded::new(ShardedOptions::new(1 << 20)).unwrap();
/// # let (keys, mut found) = (["a".to_owned(), "b".to_owned()], Found::new());
/// # cache.put("b", "2").unwrap();
/// # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
/// # let fetched = runtime.block_on(fetch(&cache, &keys, &mut found, |_| b"1".to_vec())).unwrap();
/// # assert_eq!(fetched, [("a".to_owned(), b"1".to_vec())]);
/// # assert_eq!(cache.get("a").as_deref(), Some(&b"1"[..]));
/// ```
pub trait Cache {
    /// Why a batch failed.
    type Error: core::error::Error + Send + Sync + 'static;

    /// Looks up all `keys`, and puts their values into `found`, which is emptied first.
    ///
    /// # Errors
    ///
    /// If the cache cannot be asked; nothing is found then.
    fn get_many<K: KeyList + Sync + ?Sized>(
        &self,
        keys: &K,
        found: &mut Found,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Stores all `entries`; of those with the same key the last one stays.
    ///
    /// # Errors
    ///
    /// If the cache cannot be asked, or refuses an entry; others may be stored then.
    fn put_many<K: Encode + Sync, V: Encode + Sync>(
        &self,
        entries: &[(K, V)],
        batch: &mut Batch,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

impl<S: BuildHasher + Sync, C: Clock + Sync> Cache for Sharded<S, C> {
    type Error = CacheError;

    async fn get_many<K: KeyList + Sync + ?Sized>(
        &self,
        keys: &K,
        found: &mut Found,
    ) -> Result<(), CacheError> {
        Self::get_many(self, keys, found);
        Ok(())
    }

    async fn put_many<K: Encode + Sync, V: Encode + Sync>(
        &self,
        entries: &[(K, V)],
        batch: &mut Batch,
    ) -> Result<(), CacheError> {
        Self::put_many(self, entries, batch)
    }
}
