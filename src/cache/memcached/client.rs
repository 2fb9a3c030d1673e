//! The cache over memcached.

use core::fmt;
use core::time::Duration;
use std::borrow::Cow;
use std::string::String;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;
use std::vec::Vec;

use async_memcached::{AsciiProtocol, Client, Error as ClientError, ErrorKind, Status, Value};

use super::error::MemcachedError;
use super::sent::{SentKeys, sent_key};
use crate::Encode;
use crate::cache::batch::BatchScratch;
use crate::cache::keys::Keys;
use crate::cache::store::Cache;
use crate::cache::values::Values;

/// Beyond this memcached takes a time to live for a date.
const MAX_RELATIVE_SECONDS: u64 = 30 * 24 * 60 * 60;
/// How many entries are sent before their answers are read: few enough that these fit into the
/// buffers of any socket. Else a deadlock: the server waits until its answers are read, and we
/// until it takes more entries.
const ENTRIES_IN_FLIGHT: usize = 1000;

/// A memcached server as a [`Cache`], for any number of tasks.
///
/// Values are stored as they are, without flags, so other clients read them. A batch of keys is one
/// round trip; connections are kept for the next batch, and a connection whose answer was not read
/// to its end is closed, so no batch ever gets the answer of another. One server, or a proxy in
/// front of many.
///
/// A key may have any bytes: one that some client of memcached cannot send or read back, such as
/// one with a space or a UTF-8 name, is sent [escaped](crate::cache::key::escape_memcached), and so
/// never spoils its batch. All others are sent as they are. Only an empty key, and one of over 250
/// bytes in its form, are refused, before anything is sent.
///
/// It needs a tokio runtime with I/O and time enabled.
///
/// ```no_run
/// use std::time::Duration;
/// use borrowire::cache::{BatchScratch, Cache, Memcached, Values};
///
/// # async fn run() -> Result<(), borrowire::cache::MemcachedError> {
/// let cache = Memcached::new("127.0.0.1:11211").with_ttl(Duration::from_secs(7 * 24 * 3600));
/// cache.put_many(&[("key", "value")], &mut BatchScratch::new()).await?;
/// let mut values = Values::new();
/// cache.get_many(&["key", "other"], &mut values).await?;
/// assert_eq!(values.get(0), Some(&b"value"[..]));
/// # Ok(())
/// # }
/// ```
pub struct Memcached {
    address: String,
    ttl: Option<Duration>,
    timeout: Duration,
    max_idle: usize,
    idle: Mutex<Vec<Client>>,
}

impl Memcached {
    /// A cache on the server at `address`: `host:port` over IPv4, or `unix:///path`. It connects
    /// when it is first used.
    #[must_use]
    pub fn new(address: impl Into<String>) -> Self {
        let mut address = address.into();
        if !address.contains("://") {
            address.insert_str(0, "tcp://");
        }
        Self {
            address,
            ttl: None,
            timeout: Duration::from_secs(1),
            max_idle: 16,
            idle: Mutex::new(Vec::new()),
        }
    }

    /// Sets after how long an entry is gone; rounded up to seconds. Default: never.
    #[must_use]
    pub const fn with_ttl(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl);
        self
    }

    /// Sets how long a batch may take, connecting included. Default: 1 s.
    #[must_use]
    pub const fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets how many connections are kept while no batch needs them. Default: 16.
    #[must_use]
    pub const fn with_max_idle(mut self, connections: usize) -> Self {
        self.max_idle = connections;
        self
    }

    /// Asks for all keys at once.
    async fn fetch<K: Keys + Sync + ?Sized>(
        &self,
        keys: &SentKeys<'_, K>,
        values: &mut Values,
    ) -> Result<(), MemcachedError> {
        loop {
            let (mut client, used) = self.client().await.map_err(MemcachedError::from_client)?;
            let result = client.get_multi((0..keys.len()).map(|index| keys.key(index))).await;
            if used && is_gone(&result) {
                continue;
            }
            let answers = match result {
                Err(ClientError::Protocol(Status::NotFound)) => Vec::new(),
                result => result.map_err(MemcachedError::from_client)?,
            };
            assign(&answers, keys, values)?;
            self.keep(client);
            return Ok(());
        }
    }

    /// Stores some entries, and returns the first that was refused.
    async fn store(
        &self,
        entries: &[(&[u8], &[u8])],
        seconds: i64,
    ) -> Result<Option<usize>, ClientError> {
        loop {
            let (mut client, used) = self.client().await?;
            let result = client.set_multi(entries, Some(seconds), None).await;
            if used && is_gone(&result) {
                continue;
            }
            let answers = result?;
            if answers.values().all(is_to_an_entry) {
                self.keep(client);
            }
            let refused = |(key, _): &&(&[u8], &[u8])| !matches!(answers.get(key), Some(Ok(())));
            // Of equal keys the answer is that to the last.
            let last =
                |(key, _): &(&[u8], &[u8])| entries.iter().rposition(|(other, _)| other == key);
            return Ok(entries.iter().find(refused).and_then(last));
        }
    }

    /// A connection, and whether it was used before: the server may have closed it since.
    async fn client(&self) -> Result<(Client, bool), ClientError> {
        let idle = self.lock().pop();
        match idle {
            Some(client) => Ok((client, true)),
            None => Ok((Client::new(&self.address).await?, false)),
        }
    }

    /// Keeps a connection for the next batch, unless it is closed. Only one whose answers were to
    /// what was asked: any other may be an answer behind.
    fn keep(&self, client: Client) {
        if client.is_closed() {
            return;
        }
        let mut idle = self.lock();
        if idle.len() < self.max_idle {
            idle.push(client);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Client>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cache for Memcached {
    type Error = MemcachedError;

    async fn get_many<K: Keys + Sync + ?Sized>(
        &self,
        keys: &K,
        values: &mut Values,
    ) -> Result<(), MemcachedError> {
        values.reset(keys.len());
        let sent = SentKeys::new(keys)?;
        if keys.is_empty() {
            return Ok(());
        }
        let fetch = tokio::time::timeout(self.timeout, self.fetch(&sent, values));
        let result = fetch.await.unwrap_or(Err(MemcachedError::Timeout));
        if result.is_err() {
            values.reset(keys.len());
        }
        result
    }

    async fn put_many<K: Encode + Sync, V: Encode + Sync>(
        &self,
        entries: &[(K, V)],
        _scratch: &mut BatchScratch,
    ) -> Result<(), MemcachedError> {
        let mut encoded = Vec::with_capacity(entries.len());
        for (index, (key, value)) in entries.iter().enumerate() {
            let too_long = |_| MemcachedError::KeyTooLong { index };
            let refused = |_| MemcachedError::Refused { index };
            let key = bytes(key).map_err(too_long)?;
            let escaped = match sent_key(&key, index)? {
                Cow::Borrowed(_) => None,
                Cow::Owned(form) => Some(Cow::Owned(form)),
            };
            encoded.push((escaped.unwrap_or(key), bytes(value).map_err(refused)?));
        }
        let entries: Vec<_> = encoded.iter().map(|(key, value)| (&**key, &**value)).collect();
        let seconds = expiration(self.ttl, SystemTime::now());
        let store = async {
            let mut refused = None;
            for (part, entries) in entries.chunks(ENTRIES_IN_FLIGHT).enumerate() {
                if let Some(index) = self.store(entries, seconds).await? {
                    let start = part.saturating_mul(ENTRIES_IN_FLIGHT);
                    refused = refused.or(Some(start.saturating_add(index)));
                }
            }
            Ok::<_, ClientError>(refused)
        };
        let refused = tokio::time::timeout(self.timeout, store);
        let refused = refused.await.map_err(|_| MemcachedError::Timeout)?;
        match refused.map_err(MemcachedError::from_client)? {
            Some(index) => Err(MemcachedError::Refused { index }),
            None => Ok(()),
        }
    }
}

/// Whether the connection broke.
const fn is_gone<T>(result: &Result<T, ClientError>) -> bool {
    matches!(result, Err(ClientError::Io(_) | ClientError::ConnectionClosed))
}

/// Whether this answers an entry that was sent: it is stored, or the server has no place for it.
const fn is_to_an_entry(answer: &Result<(), ClientError>) -> bool {
    matches!(answer, Ok(()) | Err(ClientError::Protocol(Status::Error(ErrorKind::Server(_)))))
}

fn bytes(part: &impl Encode) -> Result<Cow<'_, [u8]>, crate::EncodeError> {
    match part.as_encoded() {
        Some(bytes) => Ok(Cow::Borrowed(bytes)),
        None => part.encode_to_vec().map(Cow::Owned),
    }
}

/// Puts each value to its key. Servers answer in the order of the keys, proxies in that of each
/// server behind them, so the search goes on from the last key, and around.
fn assign<K: Keys + ?Sized>(
    answers: &[Value],
    keys: &K,
    values: &mut Values,
) -> Result<(), MemcachedError> {
    let mut next = 0;
    for answer in answers {
        let mut candidates = (next..keys.len()).chain(0..next);
        let index = candidates
            .find(|&index| keys.key(index) == answer.key && values.get(index).is_none())
            .ok_or(MemcachedError::Protocol)?;
        values.set(index, answer.data.as_deref().unwrap_or_default());
        next = index.saturating_add(1);
    }
    Ok(())
}

/// The time to live as memcached wants it: 0 for ever, up to 30 days in seconds, above that as a
/// date.
fn expiration(ttl: Option<Duration>, now: SystemTime) -> i64 {
    let Some(ttl) = ttl else { return 0 };
    let seconds = ttl.as_secs().saturating_add(u64::from(ttl.subsec_nanos() > 0)).max(1);
    let seconds = if seconds > MAX_RELATIVE_SECONDS {
        let now = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        seconds.saturating_add(now.as_secs())
    } else {
        seconds
    };
    i64::try_from(seconds).unwrap_or(i64::MAX)
}

/// The address, which is no tenant's.
impl fmt::Debug for Memcached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memcached")
            .field("address", &self.address)
            .field("ttl", &self.ttl)
            .field("timeout", &self.timeout)
            .field("idle", &self.lock().len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_to_live_never_becomes_another_one() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let day = 24 * 60 * 60;
        for (ttl, expected) in [
            (None, 0),
            (Some(Duration::from_millis(1)), 1), // 0 would be for ever
            (Some(Duration::ZERO), 1),
            (Some(Duration::from_millis(1_001)), 2),
            (Some(Duration::from_secs(30 * day)), 30 * 86_400),
            // One second more, and memcached would take it for a day in 1970.
            (Some(Duration::from_secs(30 * day + 1)), 1_700_000_000 + 30 * 86_400 + 1),
            (Some(Duration::MAX), i64::MAX),
        ] {
            assert_eq!(expiration(ttl, now), expected, "{ttl:?}");
        }
    }

    fn value(key: &str, data: &str) -> Value {
        let (key, data) = (key.as_bytes().to_vec(), Some(data.as_bytes().to_vec()));
        Value { key, cas: None, flags: None, data }
    }

    #[test]
    fn values_go_to_their_keys_in_any_order() {
        let keys = ["a", "b", "a", "c", "d"];
        let mut values = Values::new();
        for order in [["a", "a", "c"], ["c", "a", "a"], ["a", "c", "a"]] {
            values.reset(keys.len());
            assign(&order.map(|key| value(key, key)), &keys, &mut values).unwrap();
            let found: Vec<_> = values.iter().collect();
            let [a, c] = [b"a", b"c"].map(|value| Some(&value[..]));
            assert_eq!(found, [a, None, a, c, None], "{order:?}");
        }
        for foreign in [["e"].as_slice(), &["b", "b"]] {
            values.reset(keys.len());
            let answers: Vec<_> = foreign.iter().map(|key| value(key, "")).collect();
            let result = assign(&answers, &keys, &mut values);
            assert!(matches!(result, Err(MemcachedError::Protocol)), "{foreign:?}");
        }
    }
}
