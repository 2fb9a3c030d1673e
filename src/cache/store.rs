//! What all caches can do, near or far.

use core::future::Future;

use super::batch::BatchScratch;
use super::keys::Keys;
use super::values::Values;
use crate::Encode;

/// A cache that takes its work in batches: of this process, or of another machine.
///
/// [`ShardedCache`](super::ShardedCache) and `Memcached` implement it. The futures of
/// `ShardedCache` never wait: whoever wants no runtime calls its own methods of the same names.
///
/// ```
/// use borrowire::cache::{BatchScratch, Cache, Keys, Values};
///
/// /// The values of `keys`, of which those that were not there are now.
/// async fn fetch<C: Cache>(
///     cache: &C,
///     keys: &[String],
///     values: &mut Values,
///     fetch: impl Fn(&str) -> Vec<u8>,
/// ) -> Result<Vec<(String, Vec<u8>)>, C::Error> {
///     cache.get_many(keys, values).await?;
///     let missing = values.missing().map(|at| (keys[at].clone(), fetch(&keys[at])));
///     let fetched: Vec<_> = missing.collect();
///     cache.put_many(&fetched, &mut BatchScratch::new()).await?;
///     Ok(fetched)
/// }
/// # use borrowire::cache::{CacheOptions, ShardedCache};
/// # let cache = ShardedCache::new(CacheOptions::new(1 << 20)).unwrap();
/// # let (keys, mut values) = (["a".to_owned(), "b".to_owned()], Values::new());
/// # cache.put("b", "2").unwrap();
/// # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
/// # let fetched = runtime.block_on(fetch(&cache, &keys, &mut values, |_| b"1".to_vec())).unwrap();
/// # assert_eq!(fetched, [("a".to_owned(), b"1".to_vec())]);
/// # assert_eq!(cache.get_with("a", <[u8]>::to_vec).as_deref(), Some(&b"1"[..]));
/// ```
pub trait Cache {
    /// Why a batch failed.
    type Error: core::error::Error + Send + Sync + 'static;

    /// Looks up all `keys`, and puts their values into `values`, which is emptied first.
    ///
    /// # Errors
    ///
    /// If the cache cannot be asked; nothing is found then.
    fn get_many<K: Keys + Sync + ?Sized>(
        &self,
        keys: &K,
        values: &mut Values,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;

    /// Stores all `entries`; of those with the same key the last one stays.
    ///
    /// # Errors
    ///
    /// If the cache cannot be asked, or refuses an entry; others may be stored then.
    fn put_many<K: Encode + Sync, V: Encode + Sync>(
        &self,
        entries: &[(K, V)],
        scratch: &mut BatchScratch,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send;
}
