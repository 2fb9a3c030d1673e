//! What keys begin with: `<tenant>:<block>:`.

use super::block_id::BlockId;
use crate::cache::key::error::{KeyError, KeyErrorKind};
use crate::wire::{BufferFull, Writer};

/// Whose key it is, and of which block: what the keys of Mimir, and
/// [`distinct`](crate::cache::key::distinct) ones, begin with.
///
/// A tenant has no colon. Colons separate the parts of a key, so with one, the key of tenant `a:b`
/// could be the key of tenant `a` with other parts; such a tenant is refused here, and so a key has
/// one reading. Mimir's own tenants pass: they are at most 150 bytes, of letters, digits and
/// `!-_.*'()`, several joined by `|`. Neither their length nor other bytes are checked here: a key
/// of a tenant with spaces, control characters or bytes over 126 is escaped on its way to
/// memcached, see [`escape_memcached`](crate::cache::key::escape_memcached).
///
/// ```
/// use borrowire::cache::key::{BlockId, Scope};
///
/// let block = BlockId::new("00000000010000000000000000")?;
/// let scope = Scope::new("team-a|team-b", block)?;
/// assert_eq!(scope.tenant(), "team-a|team-b");
/// assert_eq!(Scope::new("team:a", block).unwrap_err().offset(), 4);
/// # Ok::<(), borrowire::cache::key::KeyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope<'a> {
    tenant: &'a str,
    block: BlockId,
}

impl<'a> Scope<'a> {
    /// A block of a tenant.
    ///
    /// # Errors
    ///
    /// `InvalidTenant` at the first colon in `tenant`.
    pub fn new(tenant: &'a str, block: BlockId) -> Result<Self, KeyError> {
        match tenant.find(':') {
            Some(at) => Err(KeyError::new(KeyErrorKind::InvalidTenant, at)),
            None => Ok(Self { tenant, block }),
        }
    }

    /// The tenant.
    #[must_use]
    pub const fn tenant(&self) -> &'a str {
        self.tenant
    }

    /// The block.
    #[must_use]
    pub const fn block(&self) -> BlockId {
        self.block
    }

    /// The length of `<prefix><tenant>:<block>:`.
    pub(in crate::cache::key) const fn len(&self, prefix: &str) -> usize {
        const TENANTS_END: usize = 1;
        prefix.len().saturating_add(self.tenant.len()).saturating_add(TENANTS_END + BLOCK_LEN)
    }

    pub(in crate::cache::key) fn write(
        &self,
        prefix: &str,
        writer: &mut Writer<'_>,
    ) -> Result<(), BufferFull> {
        writer.write_raw(prefix.as_bytes())?;
        writer.write_raw(self.tenant.as_bytes())?;
        writer.write_raw(b":")?;
        write_block(&self.block, writer)
    }
}

/// The length of `<block>:`.
pub(in crate::cache::key) const BLOCK_LEN: usize = BlockId::LEN + 1;

pub(in crate::cache::key) fn write_block(
    block: &BlockId,
    writer: &mut Writer<'_>,
) -> Result<(), BufferFull> {
    let slot: &mut [u8; BLOCK_LEN] = writer.take_array()?;
    if let Some((colon, text)) = slot.split_last_mut() {
        text.copy_from_slice(block.as_bytes());
        *colon = b':';
    }
    Ok(())
}
