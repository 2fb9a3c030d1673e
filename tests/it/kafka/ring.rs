//! The partition ring against what dskit's gives.

use std::fs;

use borrowire::kafka::{Partition, PartitionRing, PartitionState, RingError};
use serde_json::Value;
use sha2::{Digest, Sha256};

fn golden() -> Value {
    serde_json::from_slice(&fs::read("tests/golden/partition_ring.json").unwrap()).unwrap()
}

fn numbers(list: &Value) -> Vec<u32> {
    let number = |value: &Value| u32::try_from(value.as_u64().unwrap()).unwrap();
    list.as_array().unwrap().iter().map(number).collect()
}

fn hex_sha256(bytes: impl Iterator<Item = u8>) -> String {
    let digest = Sha256::digest(bytes.collect::<Vec<_>>());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The partitions of `keys`, where -1 is none.
fn partitions(ring: &PartitionRing, keys: &[u32]) -> Vec<i64> {
    keys.iter().map(|&key| ring.partition_for_key(key).map_or(-1, i64::from)).collect()
}

fn expected(list: &Value) -> Vec<i64> {
    list.as_array().unwrap().iter().map(|value| value.as_i64().unwrap()).collect()
}

fn of(ring: &PartitionRing) -> Vec<u32> {
    ring.partitions().map(|partition| partition.number).collect()
}

fn check(ring: &PartitionRing, golden: &Value, lookback: Option<(u64, i64)>) -> usize {
    let keys = numbers(&golden["keys"]);
    assert_eq!(partitions(ring, &keys), expected(&golden["key_partition"]));
    let shards = golden["shards"].as_array().unwrap();
    for shard in shards {
        let tenant = shard[0].as_str().unwrap();
        // Go has negative ones, which are as good as 0.
        let size = usize::try_from(shard[1].as_i64().unwrap()).unwrap_or(0);
        let of_tenant = ring.shuffle_shard(tenant, size);
        assert_eq!(of(&of_tenant), numbers(&shard[2]), "{tenant} {size}");
        assert_eq!(partitions(&of_tenant, &keys[..15]), expected(&shard[3]), "{tenant} {size}");
        if let Some((period, now)) = lookback {
            let looked_back = ring.shuffle_shard_with_lookback(tenant, size, period, now);
            assert_eq!(of(&looked_back), numbers(&shard[4]), "{tenant} {size}");
            let without = ring.shuffle_shard_with_lookback(tenant, size, 0, now);
            assert_eq!(of(&without), of(&of_tenant));
        }
    }
    shards.len()
}

#[test]
fn tokens_keys_and_shards_are_those_of_dskit() {
    let golden = golden();
    let mut shards = 0;
    for expected in golden["rings"].as_array().unwrap() {
        let count = u32::try_from(expected["partitions"].as_u64().unwrap()).unwrap();
        let ring = PartitionRing::with_active(count).unwrap();
        let tokens = || ring.tokens().flat_map(|(token, _)| token.to_le_bytes());
        let owners = || ring.tokens().flat_map(|(_, owner)| owner.to_le_bytes());
        let pairs = ring
            .tokens()
            .flat_map(|(token, owner)| [token.to_le_bytes(), owner.to_le_bytes()])
            .flatten();
        assert_eq!(hex_sha256(tokens()), expected["tokens"], "{count}");
        assert_eq!(hex_sha256(owners()), expected["owners"], "{count}");
        assert_eq!(hex_sha256(pairs), expected["pairs"], "{count}");
        shards += check(&ring, expected, None);
    }
    assert!(shards > 400, "{shards}");
}

#[test]
fn states_are_those_of_dskit() {
    let golden = &golden()["states"];
    let states = golden["state"].as_object().unwrap();
    let partition = |number: u32| {
        let Some(state) = states.get(&number.to_string()) else {
            return Partition::new(number).with_state(PartitionState::Active, 1000);
        };
        let kind = match state[0].as_u64().unwrap() {
            1 => PartitionState::Pending,
            2 => PartitionState::Active,
            _ => PartitionState::Inactive,
        };
        Partition::new(number).with_state(kind, state[1].as_i64().unwrap())
    };
    // Made with its states, in any order, and changed later.
    let ring = PartitionRing::new((0..12).rev().map(partition)).unwrap();
    let mut changed = PartitionRing::with_active(12).unwrap();
    for number in 0..12 {
        assert!(changed.set_partition(partition(number)));
    }
    for ring in [ring, changed] {
        assert!(check(&ring, &golden["ring"], Some((2000, 6000))) > 50);
    }
}

#[test]
fn rings_that_cannot_be() {
    let new = |numbers: &[u32]| {
        PartitionRing::new(numbers.iter().map(|&number| Partition::new(number))).unwrap_err()
    };
    assert_eq!(new(&[1, 2, 1]), RingError::DuplicatePartition { number: 1 });
    assert_eq!(new(&[65_536]), RingError::NumberTooLarge { number: 65_536 });
    assert_eq!(
        PartitionRing::with_active(u32::MAX).unwrap_err().to_string(),
        "partition 4294967294: numbers must be below 65536"
    );
}

#[test]
fn rings_without_anything_active() {
    let empty = PartitionRing::new([]).unwrap();
    assert_eq!(empty.partition_for_key(7), None);
    assert_eq!(empty.shuffle_shard("tenant", 3).partitions().len(), 0);
    let mut ring = PartitionRing::with_active(2).unwrap();
    for number in 0..2 {
        let pending = Partition::new(number).with_state(PartitionState::Pending, 5);
        assert!(ring.set_partition(pending));
    }
    assert!(!ring.set_partition(Partition::new(2)));
    assert_eq!(ring.partition_for_key(7), None);
    assert_eq!(ring.shuffle_shard("tenant", 1).partitions().len(), 0);
    assert_eq!(ring.shuffle_shard_with_lookback("tenant", 1, 10, 10).partitions().len(), 0);
}

/// Partitions need not be numbered without gaps: a tenant's others keep their tokens.
#[test]
fn tokens_depend_on_the_number_alone() {
    let whole = PartitionRing::with_active(12).unwrap();
    let some = PartitionRing::new([11, 3, 7].map(Partition::new)).unwrap();
    let kept: Vec<_> = whole.tokens().filter(|token| [3, 7, 11].contains(&token.1)).collect();
    assert!(some.tokens().eq(kept));
}

#[test]
fn the_state_of_a_partition_comes_and_goes() {
    let mut ring = PartitionRing::with_active(10).unwrap();
    let before = ring.clone();
    let inactive = Partition::new(4).with_state(PartitionState::Inactive, 1);
    assert!(ring.set_partition(inactive));
    assert!(ring.partitions().any(|partition| partition == inactive));
    let moved = (0..1000_u32).map(|n| u32::MAX / 1000 * n);
    for key in moved {
        let (old, new) = (before.partition_for_key(key), ring.partition_for_key(key));
        assert!(old == new || old == Some(4), "only its own keys move");
        assert_ne!(new, Some(4));
    }
    assert!(ring.set_partition(Partition::new(4)));
    assert_eq!(ring.partition_for_key(0), before.partition_for_key(0));
}
