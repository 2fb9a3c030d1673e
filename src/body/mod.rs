//! Request bodies: bytes in, contiguous decoded bytes out.

mod codec;
mod compress;
mod encoding;
mod error;
mod pool;
mod receive;
mod sync;

pub use compress::CompressError;
pub use encoding::{Encoding, Encodings, EncodingsError};
pub use error::{BodyError, Fault};
pub use pool::{Body, BufferPool, PoolOptions, PoolStatistics};
pub use receive::BodyReceiver;
