//! The index cache of a store gateway: keys written in one piece, looked up at once, and what is
//! missing fetched and stored. In this process, or with an address on a memcached.
//!
//! ```text
//! cargo run --release --example index_cache [-- 127.0.0.1:11211]
//! ```

use borrowire::cache::key::{BlockId, KeyBatch, Scope, mimir::SeriesKey};
use borrowire::cache::{BatchScratch, Cache, CacheOptions, Keys, Memcached, ShardedCache, Values};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    match std::env::args().nth(1) {
        Some(address) => queries(&Memcached::new(address)).await,
        None => queries(&ShardedCache::new(CacheOptions::new(64 << 20))?).await,
    }
}

async fn queries(cache: &impl Cache) -> Result<(), Box<dyn std::error::Error>> {
    let scope = Scope::new("tenant", BlockId::new("01HV2Z3Q9MXV4N8T7E6R5W4Q3P")?)?;
    // Kept for the next query, whose keys and values are then written without an allocation.
    let (mut keys, mut values) = (KeyBatch::new(), Values::new());
    let mut scratch = BatchScratch::new();
    for query in 0..4 {
        // Half of them were in the query before.
        let series: Vec<u64> = (query * 500..query * 500 + 1000).collect();
        keys.clear();
        series.iter().try_for_each(|&series| keys.push(&SeriesKey::new(scope, series)))?;
        cache.get_many(&keys, &mut values).await?;
        let missing = values.missing().map(|at| (keys.key(at), fetch(series[at])));
        let fetched: Vec<_> = missing.collect();
        cache.put_many(&fetched, &mut scratch).await?;
        println!("query {query}: {} series found, {} fetched", values.hits(), fetched.len());
    }
    Ok(())
}

/// A series as it stands in a block's index, from an object store, which is slow and far away.
fn fetch(series: u64) -> Vec<u8> {
    format!("labels and chunks of series {series}").into_bytes()
}
