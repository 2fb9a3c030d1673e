//! Keys as memcached takes them: as they are, or escaped.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::str;

use super::error::{KeyError, KeyErrorKind};
use super::part::base64;
use crate::wire::{BufferFull, Writer};

/// The longest key that memcached takes, in bytes.
pub const MAX_MEMCACHED_KEY: usize = 250;

/// What an escaped key begins with, and what stands around each run that is escaped in it.
const ESCAPE: u8 = b'~';

/// Whether memcached takes `key` as it is: 1 to 250 bytes, none of them a control character or a
/// space.
///
/// This is what the server takes, and Mimir's client of it. Other clients take less: some store a
/// key with a byte over 126, and cannot read it back. [`escape_memcached`] makes a key that all of
/// them take of such a one, and of one with spaces.
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
    check_length(key)?;
    match key.iter().position(|&byte| byte <= b' ' || byte == 0x7f) {
        Some(at) => Err(KeyError::new(KeyErrorKind::UnsafeByte, at)),
        None => Ok(()),
    }
}

/// A form of `key` that every client and server of memcached takes: 1 to 250 bytes of 33 to 126.
/// `Memcached` sends all keys in it.
///
/// ```text
/// key                          form
/// LV2:t:01HV..:job:YZhg..      LV2:t:01HV..:job:YZhg..            the key itself, borrowed
/// LV2:t:01HV..:café:YZhg..     ~LV2:t:01HV..:caf~w6k~:YZhg..
/// bw1n:a team:01HV..:YZhg..    ~bw1n:a~IA~team:01HV..:YZhg..
/// ```
///
/// A key of bytes 33 to 126 that does not begin with `~` is its own form. That of any other is `~`
/// and the key, in which each run of bytes that are not 33 to 125 is `~`, base64 of the whole run
/// (URL alphabet, no padding), `~`.
///
/// No two keys have one form, and [`unescape_memcached`] reads the key back. No key of this crate,
/// of Mimir or Thanos begins with `~`: so usual ones stay as they are, and other programs find
/// them.
///
/// # Errors
///
/// `Empty`, or `TooLong`: at byte 250, or where the run begins with which the form goes over 250
/// bytes.
///
/// ```
/// use borrowire::cache::key::{escape_memcached, unescape_memcached};
///
/// let key = "LV2:tenant:00000000010000000000000000:café:YZhg".as_bytes();
/// let form = escape_memcached(key)?;
/// assert_eq!(&*form, b"~LV2:tenant:00000000010000000000000000:caf~w6k~:YZhg");
/// assert_eq!(&*unescape_memcached(&form)?, key);
/// # Ok::<(), borrowire::cache::key::KeyError>(())
/// ```
pub fn escape_memcached(key: &[u8]) -> Result<Cow<'_, [u8]>, KeyError> {
    check_length(key)?;
    if key.first() != Some(&ESCAPE) && key.iter().all(is_printable) {
        return Ok(Cow::Borrowed(key));
    }
    let mut form = [0; MAX_MEMCACHED_KEY];
    let mut writer = Writer::new(&mut form);
    let mut at = 0_usize;
    let too_long = |at| move |_: BufferFull| KeyError::new(KeyErrorKind::TooLong, at);
    writer.write_raw(&[ESCAPE]).map_err(too_long(at))?;
    for run in key.chunk_by(|one, next| stays(one) == stays(next)) {
        write_run(run, &mut writer).map_err(too_long(at))?;
        at = at.saturating_add(run.len());
    }
    let len = MAX_MEMCACHED_KEY.saturating_sub(writer.remaining());
    Ok(Cow::Owned(form.get(..len).unwrap_or_default().to_vec()))
}

/// The key of which [`escape_memcached`] makes `form`; borrowed where the key is its own form.
///
/// # Errors
///
/// What is the form of no key: `Empty`, `TooLong` at byte 250, `UnsafeByte` at the first byte
/// outside 33 to 126, base64 that is wrong, or `InvalidEscape` at byte 0, such as for another form
/// of a key than the one that is written.
///
/// ```
/// use borrowire::cache::key::{KeyErrorKind, unescape_memcached};
///
/// assert_eq!(&*unescape_memcached(b"bw1n:team")?, b"bw1n:team");
/// assert_eq!(&*unescape_memcached(b"~bw1n:a~IA~team")?, b"bw1n:a team");
/// let error = unescape_memcached(b"~bw1n:team").unwrap_err(); // nothing is escaped in it
/// assert_eq!(error.kind(), KeyErrorKind::InvalidEscape);
/// # Ok::<(), borrowire::cache::key::KeyError>(())
/// ```
pub fn unescape_memcached(form: &[u8]) -> Result<Cow<'_, [u8]>, KeyError> {
    check_length(form)?;
    if let Some(at) = form.iter().position(|byte| !is_printable(byte)) {
        return Err(KeyError::new(KeyErrorKind::UnsafeByte, at));
    }
    let Some(content) = form.strip_prefix(&[ESCAPE]) else { return Ok(Cow::Borrowed(form)) };
    let mut key = Vec::with_capacity(content.len());
    let (mut at, mut is_escaped) = (1_usize, false);
    for part in content.split(|&byte| byte == ESCAPE) {
        if is_escaped {
            let text = str::from_utf8(part).unwrap_or_default();
            let (run, len) = base64::read::<MAX_MEMCACHED_KEY>(text, at)?;
            key.extend_from_slice(run.get(..len).unwrap_or_default());
        } else {
            key.extend_from_slice(part);
        }
        at = at.saturating_add(part.len()).saturating_add(1);
        is_escaped = !is_escaped;
    }
    // A key has one form: what was put together in another way is none.
    match escape_memcached(&key) {
        Ok(canonical) if *canonical == *form => Ok(Cow::Owned(key)),
        _ => Err(KeyError::new(KeyErrorKind::InvalidEscape, 0)),
    }
}

const fn check_length(key: &[u8]) -> Result<(), KeyError> {
    match key.len() {
        0 => Err(KeyError::new(KeyErrorKind::Empty, 0)),
        1..=MAX_MEMCACHED_KEY => Ok(()),
        _ => Err(KeyError::new(KeyErrorKind::TooLong, MAX_MEMCACHED_KEY)),
    }
}

/// Whether every client takes a byte in a key.
const fn is_printable(byte: &u8) -> bool {
    matches!(byte, b'!'..=b'~')
}

/// Whether a byte of a key that is escaped stays as it is.
const fn stays(byte: &u8) -> bool {
    is_printable(byte) && *byte != ESCAPE
}

/// Writes a run of bytes of which all stay as they are, or none does.
fn write_run(run: &[u8], writer: &mut Writer<'_>) -> Result<(), BufferFull> {
    if run.iter().all(stays) {
        return writer.write_raw(run);
    }
    writer.write_raw(&[ESCAPE])?;
    base64::write(run, writer)?;
    writer.write_raw(&[ESCAPE])
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::string::String;

    use proptest::prelude::*;

    use super::*;

    fn fault(result: Result<Cow<'_, [u8]>, KeyError>) -> (KeyErrorKind, usize) {
        let error = result.unwrap_err();
        (error.kind(), error.offset())
    }

    #[test]
    fn forms_byte_for_byte() {
        for (key, form) in [
            ("é", "~~w6k~"),
            ("LV2:t:01HZ:日本:YZhg", "~LV2:t:01HZ:~5pel5pys~:YZhg"),
            ("bw1p:a team:01HZ:A2Zv", "~bw1p:a~IA~team:01HZ:A2Zv"),
            ("k\r\nflush_all", "~k~DQo~flush_all"),
            ("\0", "~~AA~"),
            ("\x7f~ ", "~~f34g~"),
            ("~", "~~fg~"),
            ("~a", "~~fg~a"),
            ("a~ b", "~a~fiA~b"),
        ] {
            let found = escape_memcached(key.as_bytes()).unwrap();
            assert_eq!(str::from_utf8(&found), Ok(form), "{key:?}");
        }
    }

    /// Nothing is allocated for them, and other programs find them.
    #[test]
    fn usual_keys_stay_as_they_are() {
        let longest = "k".repeat(MAX_MEMCACHED_KEY);
        let all: String = (b'!'..=b'~').map(char::from).collect();
        for key in ["a", "a~", "a~b~c", "S:t=1:01HZ:7", "%", "=", &longest, &all] {
            let key = key.as_bytes();
            assert!(matches!(escape_memcached(key), Ok(Cow::Borrowed(form)) if form == key));
            assert!(matches!(unescape_memcached(key), Ok(Cow::Borrowed(read)) if read == key));
        }
    }

    #[test]
    fn a_key_that_does_not_fit_is_refused() {
        use KeyErrorKind::{Empty, TooLong};
        assert_eq!(fault(escape_memcached(b"")), (Empty, 0));
        assert_eq!(fault(escape_memcached(&[b'k'; 251])), (TooLong, 250));
        assert_eq!(fault(escape_memcached(&[b' '; 251])), (TooLong, 250));
        // "~", the key, and "~IA~" in place of the space.
        let with_space = |len: usize| [vec![b'k'; len - 1], vec![b' ']].concat();
        assert_eq!(escape_memcached(&with_space(246)).unwrap().len(), 250);
        assert_eq!(fault(escape_memcached(&with_space(247))), (TooLong, 246));
        // "~~", base64, "~".
        assert_eq!(escape_memcached(&[0xff; 185]).unwrap().len(), 250);
        assert_eq!(fault(escape_memcached(&[0xff; 186])), (TooLong, 0));
    }

    #[test]
    fn the_form_of_no_key_is_refused() {
        use KeyErrorKind::*;
        for (form, expected) in [
            (&b""[..], (Empty, 0)),
            (&[b'~'; 251], (TooLong, 250)),
            (b"a b", (UnsafeByte, 1)),
            (b"caf\xc3\xa9", (UnsafeByte, 3)),
            (b"~", (InvalidEscape, 0)),         // the empty key
            (b"~a", (InvalidEscape, 0)),        // "a" is its own form
            (b"~a~~", (InvalidEscape, 0)),      // an empty run
            (b"~~YQ~", (InvalidEscape, 0)),     // "a" again
            (b"~~IA~~IA~", (InvalidEscape, 0)), // two runs that are one
            (b"~a~IA", (InvalidEscape, 0)),     // no end of the run
            (b"~a~I!~", (InvalidBase64, 4)),
            (b"~a~IA==~", (InvalidBase64, 5)),
            (b"~a~I~", (InvalidBase64Length, 3)),
            (b"~a~IB~", (NonCanonicalBase64, 4)),
        ] {
            assert_eq!(fault(unescape_memcached(form)), expected, "{}", form.escape_ascii());
        }
    }

    /// All keys of up to four bytes, out of some of each kind.
    #[test]
    fn no_two_short_keys_have_one_form() {
        let bytes = *b"~aIAQg \n\x7f\x80\xff=";
        let mut keys = vec![Vec::new()];
        let mut forms: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
        for _ in 0..4 {
            let longer = |key: &Vec<u8>| bytes.map(|byte| [&key[..], &[byte]].concat());
            keys = keys.iter().flat_map(longer).collect();
            for key in &keys {
                let form = escape_memcached(key).unwrap().into_owned();
                assert!(form.iter().all(is_printable));
                assert_eq!(*unescape_memcached(&form).unwrap(), **key);
                assert_eq!(forms.insert(form, key.clone()), None, "{}", key.escape_ascii());
            }
        }
        assert_eq!(forms.len(), 12 + 144 + 1_728 + 20_736);
    }

    /// Bytes of all kinds; `~` and base64 more often.
    fn key_bytes() -> impl Strategy<Value = Vec<u8>> {
        let some = prop::sample::select(&b" AIQg\r\n"[..]);
        let byte = prop_oneof![any::<u8>(), b'!'..=b'~', Just(ESCAPE), 0x80..=0xff_u8, some];
        prop::collection::vec(byte, 0..260)
    }

    proptest! {
        #[test]
        fn keys_come_back(key in key_bytes()) {
            match escape_memcached(&key) {
                Ok(form) => {
                    prop_assert!(form.len() <= MAX_MEMCACHED_KEY && form.iter().all(is_printable));
                    prop_assert_eq!(&*unescape_memcached(&form).unwrap(), &key[..]);
                }
                Err(error) if error.kind() == KeyErrorKind::Empty => prop_assert!(key.is_empty()),
                Err(error) => {
                    prop_assert_eq!(error.kind(), KeyErrorKind::TooLong);
                    // The worst is every other byte in a run of its own: five for two, and "~".
                    prop_assert!(key.len() > 99 && error.offset() < key.len());
                }
            }
        }

        #[test]
        fn two_keys_have_two_forms(one in key_bytes(), other in key_bytes()) {
            if let (Ok(form), Ok(other_form)) = (escape_memcached(&one), escape_memcached(&other)) {
                prop_assert_eq!(one == other, form == other_form);
            }
        }

        #[test]
        fn a_text_is_the_form_of_one_key_or_of_none(
            form in "~?[!-~]{0,6}(~[IAQg]{0,4}~[!-~]{0,4}){0,4}",
        ) {
            if let Ok(key) = unescape_memcached(form.as_bytes()) {
                prop_assert_eq!(&*escape_memcached(&key).unwrap(), form.as_bytes());
            }
        }
    }
}
