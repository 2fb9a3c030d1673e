//! Beyond one machine: what a gateway puts into Kafka, and which partition it goes to.
//!
//! ```text
//! request --tokens--> keys --PartitionRing--> partitions --writer--> records --> your client
//! ```
//!
//! | whose records | written by | read by |
//! |---|---|---|
//! | Mimir's, versions 0, 1 and 2 | [`MimirWriter`] | [`MimirReader`] |
//! | Loki's | [`LokiWriter`] | [`LokiReader`] |
//! | plain OTLP | [`OtlpWriter`] | a decoder of [`otlp`](crate::otlp) |
//!
//! No client is in here: everything is a function of bytes. Values are in memory of the caller, so
//! that a request and its body can go before the broker acknowledges its records. How batches are
//! compressed is the client's affair.

mod groups;
mod loki;
mod memory;
mod mimir;
mod otlp;
mod record;
mod ring;

pub use loki::{LokiReader, LokiRecord, LokiWriteError, LokiWriter};
pub use mimir::{
    MimirReader, MimirRecord, MimirRequest, MimirRequestWriter, MimirVersion, MimirWriter,
    ReadError,
};
pub use otlp::{OtlpWriteError, OtlpWriter};
pub use record::{Header, MAX_VALUE_BYTES, Record, Records, RecordsIter};
pub use ring::{
    MAX_PARTITIONS, Partition, PartitionRing, PartitionState, RingError, TOKENS_PER_PARTITION,
};
