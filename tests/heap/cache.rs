//! After a warm-up the embedded cache allocates nothing: not for single operations, not for batches with the
//! keys that they need, and not for messages as keys and values.

use borrowire::Encode;
use borrowire::cache::frame::{CacheEntry, Frame};
use borrowire::cache::key::{BlockId, KeyBatch, Scope, mimir};
use borrowire::cache::{BatchScratch, CacheOptions, Ring, ShardedCache, Values};
use borrowire::remote_write::Label;

use crate::heap;

const KEYS: usize = 20_000;

pub fn run() {
    let _profiler = heap::profiler();
    let keys: Vec<String> = (0..KEYS).map(|n| format!("S:tenant:01HZ:{n}")).collect();
    let value = [7; 256];
    let entries: Vec<_> = keys.iter().step_by(2).map(|key| (key, value)).collect();
    let label = Label::new("job", "node");

    for shards in [1, 64, 1024] {
        // Less than all entries take, so that some make room for others.
        let options = CacheOptions::new(4 << 20).with_shards(shards);
        let cache = ShardedCache::new(options).expect("large enough");
        let (mut batch, mut found) = (BatchScratch::new(), Values::new());
        let (mut out, mut copy) = ([0; 256], Vec::with_capacity(256));
        let mut hits = 0;
        let mut run = || {
            for key in &keys {
                cache.put(key, &value).expect("small enough");
                hits += usize::from(cache.get_with(key, |_| ()).is_some());
            }
            cache.put(&label, &label).expect("small enough");
            assert_eq!(cache.get_with(&label, <[u8]>::len), Some(label.encoded_len()));
            assert!(cache.remove(&label));
            cache.put_many(&entries, &mut batch).expect("small enough");
            cache.get_many(&keys, &mut found);
            for key in &keys {
                copy.clear();
                let copied = cache.append_to_vec(key, &mut copy);
                assert_eq!(cache.get_into(key, &mut out), Ok(copied));
            }
            assert!(found.hits() > KEYS / 4 && cache.statistics().evicted > 0);
        };
        // The first two rounds find out how much there is.
        run();
        run();
        for _ in 0..3 {
            assert_eq!(heap::blocks(&mut run), 0, "{shards} shards");
        }
        assert!(hits > 0);
    }

    // Keys of an index cache, from their parts to the values.
    let cache = ShardedCache::new(CacheOptions::new(16 << 20)).expect("large enough");
    let block = BlockId::new("01HV2Z3Q9MXV4N8T7E6R5W4Q3P").expect("26 characters");
    let scope = Scope::new("tenant", block).expect("no colon");
    let (mut keys, mut found) = (KeyBatch::new(), Values::new());
    for n in (0..KEYS as u64).step_by(2) {
        cache.put(&mimir::SeriesKey::new(scope, n), &value).expect("small enough");
    }
    let mut run = || {
        keys.clear();
        for n in 0..KEYS as u64 {
            keys.push(&mimir::SeriesKey::new(scope, n)).expect("short");
        }
        cache.get_many(&keys, &mut found);
        assert_eq!((found.len(), found.hits()), (KEYS, KEYS / 2));
    };
    run();
    assert_eq!(heap::blocks(&mut run), 0);

    let mut ring = Ring::new(10_000).expect("large enough");
    let mut out = [0; 1024];
    let blocks = heap::blocks(|| {
        for n in 0..1000_u64 {
            let entry = CacheEntry::new(n, n, &label, &value);
            let position = ring.push(&entry, |_, _| {}).expect("small enough");
            assert!(ring.get(position).is_some());
            let len = Frame::new(entry).encode(&mut out).expect("large enough");
            assert!(Frame::decode(&out[..len]).is_ok());
            assert!(CacheEntry::decode(&out[8..len]).is_ok());
        }
    });
    assert_eq!(blocks, 0);

    // A length that is not there asks for no memory.
    let lies = [0xff; 64];
    assert_eq!(heap::blocks(|| CacheEntry::decode(&lies).is_err()), 0);
    let error = heap::blocks(|| Ring::new(usize::MAX).is_err());
    assert_eq!(error, 0);
}
