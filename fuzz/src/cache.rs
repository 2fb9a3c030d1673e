//! Frames of any bytes, and the ring and the cache under any operations.

use std::collections::HashMap;

use borrowire::Encode;
use borrowire::cache::frame::{BigCacheBlock, BigCacheEntry, CacheEntry, Frame};
use borrowire::cache::{BatchScratch, CacheOptions, ShardedCache, Values};

use crate::cache_model::{Checked, Fault, HEADER};

/// Bytes are a frame or not, of each layout; what is read is written the same.
pub fn cache_frame(bytes: &[u8]) {
    if let Ok((entry, rest)) = CacheEntry::split(bytes) {
        let len = bytes.len() - rest.len();
        assert_eq!(entry.encode_to_vec().expect("small"), bytes[..len]);
        assert_eq!(CacheEntry::decode(&bytes[..len]), Ok(entry));
        // A fuzzer does not find the checksum by itself.
        let mut frame = Frame::new(entry).encode_to_vec().expect("small");
        assert_eq!(Frame::decode(&frame).expect("just written").entry(), entry);
        let damaged = usize::from(bytes[0]) % frame.len();
        frame[damaged] ^= 1 << (bytes[1] % 8);
        assert!(Frame::split(&frame).is_err());
    }
    if let Ok((frame, rest)) = Frame::split(bytes) {
        let len = bytes.len() - rest.len();
        assert_eq!(frame.encode_to_vec().expect("small"), bytes[..len]);
    }
    if let Ok(entry) = BigCacheEntry::decode(bytes) {
        assert_eq!(entry.encode_to_vec().expect("small"), bytes);
    }
    let mut rest = bytes;
    while let Ok((block, behind)) = BigCacheBlock::split(rest) {
        assert!(behind.len() < rest.len(), "each block takes a byte at least");
        let written = block.encode_to_vec().expect("small");
        assert_eq!(BigCacheBlock::split(&written), Ok((block, &[][..])));
        assert!(written.len() <= rest.len() - behind.len(), "no form is shorter");
        rest = behind;
    }
}

/// Three bytes an operation: on a ring against its model, and on a cache against what was put last.
pub fn cache_ring(bytes: &[u8]) {
    let Some((&[capacity, shards], operations)) = bytes.split_first_chunk() else { return };
    let capacity = HEADER + usize::from(capacity) * 4;
    let mut ring = Checked::new(capacity);
    let options = CacheOptions::new(capacity * 4).with_shards(1 << (shards % 3));
    let cache = ShardedCache::new(options).expect("large enough");
    let (mut batch, mut found) = (BatchScratch::new(), Values::new());
    let mut last: HashMap<u8, Vec<u8>> = HashMap::new();

    for (number, &[what, key, len]) in operations.as_chunks().0.iter().enumerate() {
        let value = vec![key ^ what; usize::from(len)];
        match what % 8 {
            0 => ring.clear(),
            1 => {
                let there = cache.get_with(&[key], |_| ()).is_some();
                assert_eq!(cache.remove(&[key]), there);
                last.remove(&key);
            }
            2 => {
                let entries = [([key], &value), ([key.wrapping_add(1)], &value)];
                if cache.put_many(&entries, &mut batch).is_ok() {
                    last.insert(key, value.clone());
                    last.insert(key.wrapping_add(1), value);
                }
            }
            3 => {
                let fault = [Fault::Short, Fault::Full, Fault::Panic][usize::from(key % 3)];
                ring.fail(value.len(), fault);
            }
            _ => {
                ring.push(number as u64, usize::from(key) % 32, usize::from(len));
                if cache.put(&[key], &value).is_ok() {
                    assert_eq!(cache.get_with(&[key], |found| *found == value), Some(true));
                    last.insert(key, value);
                }
            }
        }
        // An entry may have left; another value than the last one is never there.
        let keys = [[key], [key.wrapping_sub(1)], [what]];
        cache.get_many(&keys, &mut found);
        for ([key], value) in keys.iter().zip(found.iter()) {
            assert!(value.is_none_or(|value| last.get(key).is_some_and(|last| last == value)));
        }
        let statistics = cache.statistics();
        assert!(statistics.bytes <= capacity * 4 && statistics.entries <= last.len());
    }
}
