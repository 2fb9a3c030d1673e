//! Names that need no quotes, and strings in double quotes as Go's `strconv.Quote` writes them.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// Whether `text` is a name that needs no quotes: letters, digits and `_`, of ASCII, and no digit
/// first.
#[cfg_attr(not(feature = "cache"), allow(dead_code, reason = "for keys of caches"))]
pub(crate) fn is_identifier(text: &str) -> bool {
    let is_name_byte = |byte: u8| byte.is_ascii_alphanumeric() | (byte == b'_');
    text.bytes().next().is_some_and(|first| !first.is_ascii_digit())
        && text.bytes().fold(true, |name, byte| name & is_name_byte(byte))
}

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
        put(rest.get(..at).unwrap_or_default())?;
        write_escape(char, put)?;
        rest = rest.get(at.saturating_add(char.len_utf8())..).unwrap_or_default();
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
        let value = char::from_digit(value, 16).unwrap_or_default();
        put(value.encode_utf8(&mut [0; 4]))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_names_of_ascii_letters_digits_and_underscores() {
        for name in ["a", "_", "Z9", "__name__", "a_label_name_of_over_thirty_two_bytes_0"] {
            assert!(is_identifier(name), "{name}");
        }
        for name in ["", "9", "1a", "a:b", "a-b", "a b", "é", "aé", "a\0", "[", "`", "{", "@", "/"]
        {
            assert!(!is_identifier(name), "{name}");
        }
    }
}
