//! Beyond one machine: what a gateway puts into Kafka, and which partition it goes to.

mod ring;

pub use ring::{
    MAX_PARTITIONS, Partition, PartitionRing, PartitionState, RingError, TOKENS_PER_PARTITION,
};
