//! Writing strings in double quotes, as Go's `strconv.Quote` does, and which names need none.

use core::convert::Infallible;

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use crate::wire::impossible;

/// Gives `put` the quoted form of `text`, piece by piece. `also_escaped` is a character that Go
/// would keep.
pub(crate) fn write<E>(
    text: &str,
    also_escaped: Option<char>,
    put: &mut impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    put("\"")?;
    if text.bytes().fold(true, |plain, byte| plain & is_plain(byte)) {
        put(text)?;
    } else {
        write_escaped(text, also_escaped, put)?;
    }
    put("\"")
}

/// Printable ASCII that needs no escape.
const fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') & (byte != b'"') & (byte != b'\\')
}

fn write_escaped<E>(
    text: &str,
    also_escaped: Option<char>,
    put: &mut impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    let needs_escape = |char| needs_escape(char) || Some(char) == also_escaped;
    let mut rest = text;
    while let Some((at, char)) = rest.char_indices().find(|&(_, char)| needs_escape(char)) {
        put(rest.get(..at).unwrap_or_else(impossible))?;
        write_escape(char, put)?;
        rest = rest.get(at.saturating_add(char.len_utf8())..).unwrap_or_else(impossible);
    }
    put(rest)
}

fn needs_escape(char: char) -> bool {
    match u8::try_from(char) {
        Ok(byte @ 0..=0x7f) => !is_plain(byte),
        _ => !is_printable(char),
    }
}

/// Go's `IsPrint`, for characters that are not ASCII.
fn is_printable(char: char) -> bool {
    // Separators, and control, format, private and unassigned characters.
    !matches!(
        char.general_category_group(),
        GeneralCategoryGroup::Separator | GeneralCategoryGroup::Other
    )
}

fn write_escape<E>(char: char, put: &mut impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
    match char {
        '"' => put(r#"\""#),
        '\\' => put(r"\\"),
        '\x07' => put(r"\a"),
        '\x08' => put(r"\b"),
        '\x0c' => put(r"\f"),
        '\n' => put(r"\n"),
        '\r' => put(r"\r"),
        '\t' => put(r"\t"),
        '\x0b' => put(r"\v"),
        ..='\x7f' => write_hex(r"\x", 2, char, put),
        ..='\u{ffff}' => write_hex(r"\u", 4, char, put),
        _ => write_hex(r"\U", 8, char, put),
    }
}

/// `prefix`, and the code point as `digits` hexadecimal digits.
fn write_hex<E>(
    prefix: &str,
    digits: u32,
    char: char,
    put: &mut impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    put(prefix)?;
    for digit in (0..digits).rev() {
        let value = u32::from(char) >> digit.saturating_mul(4) & 0xf;
        let value = char::from_digit(value, 16).unwrap_or_else(impossible);
        put(value.encode_utf8(&mut [0; 4]))?;
    }
    Ok(())
}

/// A `put` that adds the length of each piece to `len`.
#[inline]
pub(crate) fn count<P: AsRef<[u8]> + ?Sized>(
    len: &mut usize,
) -> impl FnMut(&P) -> Result<(), Infallible> {
    |piece| {
        *len = len.saturating_add(piece.as_ref().len());
        Ok(())
    }
}

/// Whether `text` is a name that needs no quotes: `[a-zA-Z_][a-zA-Z0-9_]*`.
#[inline]
pub(crate) fn is_identifier(text: &str) -> bool {
    text.as_bytes().first().copied().is_some_and(is_name_start) && text.bytes().all(is_name_byte)
}

/// Whether a name that needs no quotes may begin with `byte`.
#[inline]
pub(crate) const fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// Whether a name that needs no quotes may hold `byte` further on.
#[inline]
pub(crate) fn is_name_byte(byte: u8) -> bool {
    NAME_BYTES.get(usize::from(byte)).copied().unwrap_or_else(impossible)
}

/// A table, because names are read byte by byte: a third of the instructions of comparing.
static NAME_BYTES: [bool; 256] = {
    let mut bytes = [false; 256];
    let mut rest: &mut [bool] = &mut bytes;
    let mut byte = 0_u8;
    while let Some((is_name_byte, tail)) = rest.split_first_mut() {
        *is_name_byte = byte.is_ascii_alphanumeric() || byte == b'_';
        byte = byte.wrapping_add(1);
        rest = tail;
    }
    bytes
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_told_from_other_names() {
        for name in ["a", "_", "__name__", "job", "Z9", "a_1"] {
            assert!(is_identifier(name), "{name}");
        }
        for name in ["", "1", "9a", "a.b", "a:b", "a-b", "a b", "\u{e9}", "a\u{e9}", "a\0"] {
            assert!(!is_identifier(name), "{name}");
        }
    }
}
