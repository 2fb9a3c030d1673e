//! What memcached takes for a key.

use super::error::{KeyError, KeyErrorKind};

/// The longest key that memcached takes, in bytes.
pub const MAX_MEMCACHED_KEY: usize = 250;

/// Whether memcached takes `key`: 1 to 250 bytes, none of them a control character or a space.
///
/// Keys are never cut to fit, since two long ones could then be one. What makes a key too long is a
/// long tenant (Mimir's own are at most 150 bytes, but several joined may be more), or the name of
/// a label in [`mimir::LabelValuesKey`](super::mimir::LabelValuesKey), which is also what may have
/// a space in it. [`distinct`](super::distinct) keys have no such names.
///
/// # Errors
///
/// `Empty`, `TooLong` at byte 250, or `UnsafeByte` at the first such byte.
///
/// ```
/// use borrowire::cache::key::{KeyErrorKind, check_memcached};
///
/// assert!(check_memcached(b"S:tenant:00000000010000000000000000:7").is_ok());
/// let error = check_memcached(b"S:a tenant:00000000010000000000000000:7").unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (KeyErrorKind::UnsafeByte, 3));
/// assert_eq!(check_memcached(&[b'x'; 251]).unwrap_err().kind(), KeyErrorKind::TooLong);
/// ```
pub fn check_memcached(key: &[u8]) -> Result<(), KeyError> {
    if key.is_empty() {
        return Err(KeyError::new(KeyErrorKind::Empty, 0));
    }
    if key.len() > MAX_MEMCACHED_KEY {
        return Err(KeyError::new(KeyErrorKind::TooLong, MAX_MEMCACHED_KEY));
    }
    match key.iter().position(|&byte| byte <= b' ' || byte == 0x7f) {
        Some(at) => Err(KeyError::new(KeyErrorKind::UnsafeByte, at)),
        None => Ok(()),
    }
}
