//! Beyond one machine: what a gateway puts into Kafka, and which partition it goes to.
//!
//! ```text
//! request --tokens--> keys --PartitionRing--> partitions --MimirWriter--> records --> your client
//! ```
//!
//! No client is in here: everything is a function of bytes.

mod groups;
mod memory;
mod mimir;
mod record;
mod ring;

pub use mimir::{
    MimirReader, MimirRecord, MimirRequest, MimirRequestWriter, MimirVersion, MimirWriter,
    ReadError,
};
pub use record::{Header, MAX_VALUE_BYTES, Record, Records, RecordsIter};
pub use ring::{
    MAX_PARTITIONS, Partition, PartitionRing, PartitionState, RingError, TOKENS_PER_PARTITION,
};
