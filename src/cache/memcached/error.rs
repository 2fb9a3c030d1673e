//! Why memcached was not asked, or did not do it.

use core::fmt;
use std::io;

use async_memcached::{Error as ClientError, ErrorKind, Status};

/// Why a batch for [`Memcached`](super::Memcached) failed.
///
/// ```
/// use borrowire::cache::{BatchScratch, Cache, Memcached, MemcachedError};
///
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
/// # runtime.block_on(async {
/// let cache = Memcached::new("127.0.0.1:11211");
/// let entries = [("key", "value"), ("", "value")];
/// let result = cache.put_many(&entries, &mut BatchScratch::new()).await; // nothing was sent
/// assert!(matches!(result, Err(MemcachedError::InvalidKey { index: 1 })));
/// # });
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum MemcachedError {
    /// Connecting, sending or receiving failed.
    Io(io::Error),
    /// An empty key, for which memcached cannot be asked. Nothing was sent.
    InvalidKey {
        /// Which of the batch.
        index: usize,
    },
    /// A key of over 250 bytes, as it is or
    /// [escaped](crate::cache::key::escape_memcached). Nothing was sent; keys are never cut.
    KeyTooLong {
        /// Which of the batch.
        index: usize,
    },
    /// The server answered something else than what was asked.
    Protocol,
    /// The server did not store an entry: its value is over the server's limit, by default 1 MiB,
    /// or there is no memory.
    Refused {
        /// Which of the batch.
        index: usize,
    },
    /// The server reports an error of its own.
    Server,
    /// There was no answer in time.
    Timeout,
}

impl fmt::Display for MemcachedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "cannot reach memcached: {error}"),
            Self::InvalidKey { index } => write!(f, "key {index} is empty"),
            Self::KeyTooLong { index } => write!(f, "key {index} is over 250 bytes when sent"),
            Self::Protocol => f.write_str("unexpected answer of memcached"),
            Self::Refused { index } => write!(f, "memcached does not store entry {index}"),
            Self::Server => f.write_str("memcached reports an error"),
            Self::Timeout => f.write_str("no answer of memcached in time"),
        }
    }
}

impl core::error::Error for MemcachedError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl MemcachedError {
    /// The kind only: the server's text may quote what it was sent.
    pub(super) fn from_client(error: ClientError) -> Self {
        match error {
            ClientError::Connect(error) | ClientError::Io(error) => Self::Io(error),
            ClientError::ConnectionClosed => Self::Io(io::ErrorKind::NotConnected.into()),
            ClientError::Protocol(Status::Error(
                ErrorKind::Server(_) | ErrorKind::Client(_) | ErrorKind::NonexistentCommand,
            )) => Self::Server,
            _ => Self::Protocol,
        }
    }
}

impl From<MemcachedError> for io::Error {
    fn from(error: MemcachedError) -> Self {
        match error {
            MemcachedError::Io(error) => error,
            MemcachedError::Timeout => Self::new(io::ErrorKind::TimedOut, error),
            MemcachedError::InvalidKey { .. } | MemcachedError::KeyTooLong { .. } => {
                Self::new(io::ErrorKind::InvalidInput, error)
            }
            error => Self::other(error),
        }
    }
}
