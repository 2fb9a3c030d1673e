//! Base64 as keys have it: URL alphabet, no padding, and one text only for the same bytes.

use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::{DecodeError, DecodeSliceError, Engine};

use crate::cache::key::error::{KeyError, KeyErrorKind};
use crate::wire::{BufferFull, Writer};

/// The length of the text for `len` bytes.
pub(in crate::cache::key) const fn encoded_len(len: usize) -> usize {
    match base64::encoded_len(len, false) {
        Some(len) => len,
        None => usize::MAX,
    }
}

/// Writes the text for `bytes`, in place.
#[inline]
pub(in crate::cache::key) fn write(
    bytes: &[u8],
    writer: &mut Writer<'_>,
) -> Result<(), BufferFull> {
    let slot = writer.take(encoded_len(bytes.len()))?;
    URL_SAFE_NO_PAD.encode_slice(bytes, slot).map_err(|_| BufferFull)?;
    Ok(())
}

/// The bytes that `text`, at `offset` in the key, stands for: at most `N`, and how many.
pub(in crate::cache::key) fn read<const N: usize>(
    text: &str,
    offset: usize,
) -> Result<([u8; N], usize), KeyError> {
    let mut bytes = [0; N];
    let fail = |kind, at| Err(KeyError::new(kind, offset.saturating_add(at)));
    match URL_SAFE_NO_PAD.decode_slice(text, &mut bytes) {
        Ok(len) => Ok((bytes, len)),
        Err(DecodeSliceError::DecodeError(error)) => match error {
            DecodeError::InvalidByte(at, _) => fail(KeyErrorKind::InvalidBase64, at),
            DecodeError::InvalidLastSymbol { offset, .. } => {
                fail(KeyErrorKind::NonCanonicalBase64, offset)
            }
            DecodeError::InvalidLength(_) => fail(KeyErrorKind::InvalidBase64Length, 0),
            DecodeError::InvalidPadding => {
                fail(KeyErrorKind::InvalidBase64, text.find('=').unwrap_or_default())
            }
        },
        Err(DecodeSliceError::OutputSliceTooSmall) => fail(KeyErrorKind::InvalidBase64Length, 0),
    }
}
