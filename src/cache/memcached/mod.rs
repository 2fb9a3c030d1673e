//! A cache on another machine: memcached.
//!
//! ```text
//! get_many   one round trip
//!   get key key key ...\r\n                     ->  VALUE key flags length\r\n value\r\n ...
//!                                                   END\r\n
//! put_many   one round trip for 1,000 entries
//!   set key 0 seconds length\r\n value\r\n ...  ->  STORED\r\n ...
//! ```
//!
//! Keys are sent as they are, or escaped where the client could not read them back: see
//! [`escape_memcached`](crate::cache::key::escape_memcached).
//!
//! Source: memcached's text protocol, which its proxies understand as well. The client is
//! `async-memcached`.

mod client;
mod error;
mod sent;

pub use client::Memcached;
pub use error::MemcachedError;
