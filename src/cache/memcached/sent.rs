//! Keys as they are sent: those that not every client takes are escaped.

use std::borrow::Cow;
use std::vec::Vec;

use super::error::MemcachedError;
use crate::cache::key::{KeyErrorKind, escape_memcached};
use crate::cache::keys::Keys;

/// The keys of a batch as they are sent. Nothing is allocated for those that stay as they are.
pub(super) struct SentKeys<'k, K: ?Sized> {
    keys: &'k K,
    /// Those that are sent in another form, by their index.
    escaped: Vec<(usize, Vec<u8>)>,
}

impl<'k, K: Keys + ?Sized> SentKeys<'k, K> {
    /// Refuses a key that cannot be sent.
    pub(super) fn new(keys: &'k K) -> Result<Self, MemcachedError> {
        let mut escaped = Vec::new();
        for index in 0..keys.len() {
            if let Cow::Owned(form) = sent_key(keys.key(index), index)? {
                escaped.push((index, form));
            }
        }
        Ok(Self { keys, escaped })
    }
}

impl<K: Keys + ?Sized> Keys for SentKeys<'_, K> {
    fn len(&self) -> usize {
        self.keys.len()
    }

    fn key(&self, index: usize) -> &[u8] {
        let escaped = self.escaped.binary_search_by_key(&index, |&(index, _)| index);
        match escaped.ok().and_then(|at| self.escaped.get(at)) {
            Some((_, form)) => form,
            None => self.keys.key(index),
        }
    }
}

/// A key, at `index` in its batch, as it is sent.
pub(super) fn sent_key(key: &[u8], index: usize) -> Result<Cow<'_, [u8]>, MemcachedError> {
    escape_memcached(key).map_err(|error| match error.kind() {
        KeyErrorKind::TooLong => MemcachedError::KeyTooLong { index },
        _ => MemcachedError::InvalidKey { index },
    })
}
