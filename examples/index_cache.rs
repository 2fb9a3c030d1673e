//! The index cache of a store gateway: keys written in one piece, looked up at once, and what is missing
//! fetched and stored. In this process, or with an address on a memcached.
//!
//! ```text
//! cargo run --release --example index_cache [-- 127.0.0.1:11211]
//! ```

use borrowire::cache::key::{Block, KeyBatch, Scope, mimir};
use borrowire::cache::{Batch, Cache, Found, KeyList, Memcached, Sharded, ShardedOptions};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    match std::env::args().nth(1) {
        Some(address) => queries(&Memcached::new(address)).await,
        None => queries(&Sharded::new(ShardedOptions::new(64 << 20))?).await,
    }
}

async fn queries(cache: &impl Cache) -> Result<(), Box<dyn std::error::Error>> {
    let scope = Scope::new("tenant", Block::new("01HV2Z3Q9MXV4N8T7E6R5W4Q3P")?)?;
    // Kept for the next query, whose keys and values are then written without an allocation.
    let (mut keys, mut found, mut batch) = (KeyBatch::new(), Found::new(), Batch::new());
    for query in 0..4 {
        // Half of them were in the query before.
        let series: Vec<u64> = (query * 500..query * 500 + 1000).collect();
        keys.clear();
        series.iter().try_for_each(|&series| keys.push(&mimir::Series::new(scope, series)))?;
        cache.get_many(&keys, &mut found).await?;
        let missing = found.missing().map(|at| (keys.key(at), fetch(series[at])));
        let fetched: Vec<_> = missing.collect();
        cache.put_many(&fetched, &mut batch).await?;
        println!("query {query}: {} series found, {} fetched", found.hits(), fetched.len());
    }
    Ok(())
}

/// A series as it stands in a block's index, from an object store, which is slow and far away.
fn fetch(series: u64) -> Vec<u8> {
    format!("labels and chunks of series {series}").into_bytes()
}
