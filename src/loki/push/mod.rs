//! The messages of a push, one a file, and where they are kept.

mod batch;
mod entries;
mod entry;
mod label_pair;
mod owned;
mod owned_batch;
mod push_request;
pub(crate) mod shape;
mod storage;
mod stream;
mod timestamp;

pub use batch::PushBatch;
pub use entries::{Entries, EntriesIter};
pub use entry::Entry;
pub use label_pair::LabelPair;
pub use owned_batch::OwnedPushBatch;
pub use push_request::{PushRequest, PushRequestEncoder};
pub use stream::{Stream, Streams, StreamsIter};
pub use timestamp::Timestamp;

#[cfg(all(feature = "json", feature = "std"))]
pub(in crate::loki) use owned::OwnedBody;
pub(in crate::loki) use push_request::{FORMAT, STREAMS};
#[cfg(feature = "json")]
pub(in crate::loki) use storage::Storage;
