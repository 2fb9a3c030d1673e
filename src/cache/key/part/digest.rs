//! The hash in a key: of a long label, of matchers, of series references.

use core::fmt;

use blake2::Blake2b256;
use blake2::digest::FixedOutput;

use super::base64;
use crate::wire::{BufferFull, Writer};

/// A BLAKE2b-256 hash, without a key: what stands in a cache key for a thing of any length.
///
/// It is kept to make several keys from one hash: those of expanded postings, label names and label
/// values have the hash of the same matchers.
///
/// ```
/// use borrowire::cache::key::{BlockId, Digest, MatchOp, Matcher, Scope, mimir};
///
/// let matchers = [Matcher::new("job", MatchOp::Equal, "api")];
/// let matchers: Digest = mimir::hash_matchers(&matchers);
/// assert_eq!(Digest::new(*matchers.as_bytes()), matchers);
///
/// let scope = Scope::new("tenant", BlockId::new("00000000010000000000000000")?)?;
/// let names = mimir::LabelNamesKey { scope, matchers };
/// let postings = mimir::ExpandedPostingsKey { scope, matchers, strategy: "all" };
/// # let _ = (names, postings);
/// # Ok::<(), borrowire::cache::key::KeyError>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; Self::LEN]);

impl Digest {
    /// The length in bytes.
    pub const LEN: usize = 32;

    /// The length in a key, in characters.
    pub(in crate::cache::key) const TEXT_LEN: usize = base64::encoded_len(Self::LEN);

    /// The hash that these bytes are.
    #[must_use]
    pub const fn new(bytes: [u8; Self::LEN]) -> Self {
        Self(bytes)
    }

    /// The bytes of the hash.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; Self::LEN] {
        &self.0
    }

    /// The hash of all the pieces that `feed` updates with.
    #[inline]
    pub(in crate::cache::key) fn of(feed: impl FnOnce(&mut Blake2b256)) -> Self {
        // One message after the other, scalar code beats vectors on a wide processor: 83 ns a block
        // on Zen 5, where `blake2b_simd` takes 145. That is used where it gains, for four at a
        // time: `batch.rs`.
        let mut hasher = Blake2b256::default();
        feed(&mut hasher);
        Self(hasher.finalize_fixed().into())
    }

    pub(in crate::cache::key) fn write_to(
        &self,
        writer: &mut Writer<'_>,
    ) -> Result<(), BufferFull> {
        base64::write(&self.0, writer)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Digest(")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str(")")
    }
}
