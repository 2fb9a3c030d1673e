//! Tokens: the hashes by which a stream finds its shard.
//!
//! ```text
//! Loki     stream    FNV-1 32   tenant label-string
//! stable   stream    XXH3 64    tenant ff label-string ff     for clusters of your own
//! ```
//!
//! A label without a value is not there, as in Loki: clients do send them.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::push::{PushRequest, Stream};
use super::selector::{self, Canonical};
use crate::shard::{FNV_OFFSET, StableTokens, fnv1, fnv1_all};

/// Loki's ring tokens for a tenant's streams: 32 bits of FNV-1.
///
/// Loki hashes the label string in its [canonical form](Canonical), and so is every one that is in
/// this form but for labels without a value, which do not count (to leave them out allocates). Any
/// other is hashed as it stands: bring it into the form first.
///
/// ```
/// use borrowire::loki::{LokiTokens, Stream};
///
/// let tokens = LokiTokens::new("fake");
/// assert_eq!(tokens.token(&Stream::new(r#"{foo="bar"}"#)), 1_716_197_110);
/// assert_eq!(tokens.token(&Stream::new(r#"{foo="bar", zone=""}"#)), 1_716_197_110);
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
        match without_empty(labels) {
            Some(labels) => fnv1(self.tenant, labels.as_bytes()),
            None => fnv1(self.tenant, labels.as_bytes()),
        }
    }

    /// The tokens of all streams of `request`, in place of what `tokens` held.
    pub fn tokens(&self, request: &PushRequest<'_>, tokens: &mut Vec<u32>) {
        let streams = request.streams();
        tokens.clear();
        tokens.resize(streams.len(), 0);
        fnv1_all(self.tenant, streams.iter().map(|stream| stream.labels().as_bytes()), tokens);
        for (stream, token) in streams.iter().zip(tokens) {
            if let Some(labels) = without_empty(stream.labels()) {
                *token = fnv1(self.tenant, labels.as_bytes());
            }
        }
    }
}

/// The tokens of Loki streams.
impl StableTokens<'_> {
    /// The token of a stream: its label string in place of labels. Labels without a value do not
    /// count, whatever else does: see [`LokiTokens`].
    #[must_use]
    pub fn stream(&self, stream: &Stream<'_, '_>) -> u64 {
        let labels = stream.labels();
        without_empty(labels).map_or_else(|| self.text(labels), |labels| self.text(&labels))
    }

    /// The tokens of all streams of `request`, in place of what `tokens` held.
    pub fn stream_tokens(&self, request: &PushRequest<'_>, tokens: &mut Vec<u64>) {
        let mut gathering = self.gathering();
        tokens.clear();
        tokens.extend(request.streams().iter().map(|stream| {
            let labels = stream.labels();
            match without_empty(labels) {
                Some(labels) => gathering.text(&labels),
                None => gathering.text(labels),
            }
        }));
    }
}

/// The canonical form of a label string that holds a label without a value; `None` if there is no
/// such label, or the string does not parse.
#[inline]
fn without_empty(labels: &str) -> Option<String> {
    if has_empty(labels.as_bytes()) { to_canonical(labels) } else { None }
}

/// Whether `labels` hold `=""`. In the canonical form that is a label without a value: a quote
/// inside of a string has a backslash in front.
#[inline]
fn has_empty(labels: &[u8]) -> bool {
    let [second, third] = [1, 2].map(|from| labels.get(from..).unwrap_or_default());
    // All of them without a branch, which is many at a time.
    let triples = labels.iter().zip(second).zip(third);
    triples.fold(0, |found, ((&a, &b), &c)| {
        found | (u8::from(a == b'=') & u8::from(b == b'"') & u8::from(c == b'"'))
    }) != 0
}

#[cold]
fn to_canonical(labels: &str) -> Option<String> {
    let mut scratch = Vec::new();
    let labels = selector::parse(labels, &mut scratch).ok()?;
    Some(Canonical::from(labels).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loki::PushRequestEncoder;
    use crate::wire::message::Encode;

    #[test]
    fn a_label_without_a_value_does_not_count() {
        // The same stream in each row, the first in canonical form.
        let same: [&[&str]; 4] = [
            &["{}", r#"{a=""}"#, r#"{a="", b=""}"#],
            &[
                r#"{app="web", job="x"}"#,
                r#"{app="web",empty="",job="x"}"#,
                r#"{app="web", job="x", zone=""}"#,
                r#"{job="x", zone="", app="web"}"#,
                r#"{"a.b"="", app='web', job=`x`}"#,
            ],
            &[r#"{a="=\"\"", b="x\""}"#, r#"{"x="="", a="=\"\"", b="x\""}"#],
            &[r#"{"x="="y"}"#, r#"{"x="="y", z=""}"#],
        ];
        let (tokens, stable) = (LokiTokens::new("fake"), StableTokens::new("fake"));
        for labels in same {
            let hash = fnv1(fnv1(FNV_OFFSET, b"fake"), labels[0].as_bytes());
            let streams = labels.iter().map(|labels| Stream::new(labels));
            for stream in streams.clone() {
                assert_eq!(tokens.token(&stream), hash, "{}", stream.labels());
                assert_eq!(stable.stream(&stream), stable.text(labels[0]), "{}", stream.labels());
            }
            let body = PushRequestEncoder::new(streams).encode_to_vec().unwrap();
            let push = PushRequest::decode(&body).unwrap();
            let (mut all, mut all_stable) = (Vec::new(), Vec::new());
            tokens.tokens(&push, &mut all);
            stable.stream_tokens(&push, &mut all_stable);
            assert_eq!(all, alloc::vec![hash; labels.len()]);
            assert_eq!(all_stable, alloc::vec![stable.text(labels[0]); labels.len()]);
        }
    }

    #[test]
    fn any_other_label_string_counts_as_it_stands() {
        let tokens = LokiTokens::new("fake");
        for labels in ["", r#"{b="1",a="2"}"#, r#"{a="b", c=""#, r#"{a="x" b=""}"#, r#"=""="#] {
            let hash = fnv1(fnv1(FNV_OFFSET, b"fake"), labels.as_bytes());
            assert_eq!(tokens.labels(labels), hash, "{labels}");
        }
    }
}
