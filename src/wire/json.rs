//! Writing JSON strings.

use super::impossible;

/// Bytes that are looked at together.
const BLOCK: usize = 32;

/// Gives `put` the JSON string of `text`, which is UTF-8, piece by piece.
#[cfg(feature = "json")]
pub(crate) fn write_string<E>(
    text: &[u8],
    put: &mut impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    put(b"\"")?;
    write_escaped(text, put)?;
    put(b"\"")
}

/// What stands between the quotes: quotes, backslashes and control characters are escaped.
pub(crate) fn write_escaped<E>(
    text: &[u8],
    put: &mut impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut rest = text;
    while let Some((at, byte)) = next_escaped(rest) {
        let (plain, from) = rest.split_at_checked(at).unwrap_or_else(impossible);
        put(plain)?;
        match byte {
            b'"' => put(br#"\""#)?,
            b'\\' => put(br"\\")?,
            0x08 => put(br"\b")?,
            0x0c => put(br"\f")?,
            b'\n' => put(br"\n")?,
            b'\r' => put(br"\r")?,
            b'\t' => put(br"\t")?,
            _ => put(&[b'\\', b'u', b'0', b'0', hex(byte >> 4), hex(byte & 0xf)])?,
        }
        rest = from.get(1..).unwrap_or_else(impossible);
    }
    put(rest)
}

/// The first byte that must be escaped, and where it is.
fn next_escaped(text: &[u8]) -> Option<(usize, u8)> {
    let mut at = 0_usize;
    for block in text.chunks(BLOCK) {
        // All of the block without a branch first: most have nothing.
        if block.iter().fold(false, |found, &byte| found | is_escaped(byte)) {
            let (inside, &byte) = block.iter().enumerate().find(|&(_, &byte)| is_escaped(byte))?;
            return Some((at.saturating_add(inside), byte));
        }
        at = at.saturating_add(BLOCK);
    }
    None
}

const fn is_escaped(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// The digit of a value under 16.
const fn hex(value: u8) -> u8 {
    match value {
        0..=9 => b'0' | value,
        _ => b'a'.wrapping_sub(10).wrapping_add(value),
    }
}
