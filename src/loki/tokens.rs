//! Tokens: the hashes by which a stream finds its shard.
//!
//! ```text
//! Loki     stream    FNV-1 32   tenant label-string
//! stable   stream    XXH3 64    tenant ff label-string ff     for clusters of your own
//! ```

use alloc::vec::Vec;

use super::push::{PushRequest, Stream};
use crate::shard::{FNV_OFFSET, StableTokens, fnv1, fnv1_all};

/// Loki's ring tokens for a tenant's streams: 32 bits of FNV-1.
///
/// Loki hashes the label string in its canonical form: see [`selector`](crate::loki::selector).
///
/// ```
/// use borrowire::loki::{LokiTokens, Stream};
///
/// let tokens = LokiTokens::new("fake");
/// assert_eq!(tokens.token(&Stream::new(r#"{foo="bar"}"#)), 1_716_197_110);
/// ```
#[derive(Clone, Copy, Debug)]
#[doc(alias("hash", "shard", "ring", "tenant"))]
pub struct LokiTokens {
    /// The hash of the tenant.
    tenant: u32,
}

impl LokiTokens {
    /// The tokens of `tenant`.
    #[must_use]
    pub fn new(tenant: &str) -> Self {
        Self { tenant: fnv1(FNV_OFFSET, tenant.as_bytes()) }
    }

    /// The token of a stream.
    #[must_use]
    pub fn token(&self, stream: &Stream<'_, '_>) -> u32 {
        self.labels(stream.labels())
    }

    /// The token of a stream with the label string `labels`.
    #[must_use]
    pub fn labels(&self, labels: &str) -> u32 {
        fnv1(self.tenant, labels.as_bytes())
    }

    /// The tokens of all streams of `request`, in place of what `tokens` held.
    pub fn tokens(&self, request: &PushRequest<'_>, tokens: &mut Vec<u32>) {
        let streams = request.streams();
        tokens.clear();
        tokens.resize(streams.len(), 0);
        fnv1_all(self.tenant, streams.iter().map(|stream| stream.labels().as_bytes()), tokens);
    }
}

/// The tokens of Loki streams.
impl StableTokens<'_> {
    /// The token of a stream: its label string in place of labels.
    #[must_use]
    pub fn stream(&self, stream: &Stream<'_, '_>) -> u64 {
        self.text(stream.labels())
    }

    /// The tokens of all streams of `request`, in place of what `tokens` held.
    pub fn stream_tokens(&self, request: &PushRequest<'_>, tokens: &mut Vec<u64>) {
        let mut gathering = self.gathering();
        tokens.clear();
        tokens.extend(request.streams().iter().map(|stream| gathering.text(stream.labels())));
    }
}
