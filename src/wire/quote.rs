//! Writing strings in double quotes, as Go's `strconv.Quote` does.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// Gives `put` the quoted form of `text`, piece by piece. `also_escaped` is a character that Go would
/// keep.
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
