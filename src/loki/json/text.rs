//! Strings: where they stand in a body, and what they say, with escapes resolved into memory of the
//! caller.

use bumpalo::Bump;
use bumpalo::collections::String;
use memchr::memchr;

use crate::wire::impossible;

/// Where `piece` begins in `body`, which it is a piece of. Only the addresses tell: serde_json says
/// nothing about the place of what it hands out.
pub(super) fn offset_in(body: &str, piece: &str) -> usize {
    piece.as_ptr().addr().wrapping_sub(body.as_ptr().addr())
}

/// The text of a JSON string, given without its quotes: a piece of the body, or of `arena` if there
/// are escapes. What an escape looks like has been checked, except for surrogates.
///
/// # Errors
///
/// Where in `raw` an escape begins that stands for half of a surrogate pair.
#[inline]
pub(super) fn unescape<'a>(raw: &'a str, arena: &'a Bump) -> Result<&'a str, usize> {
    match memchr(b'\\', raw.as_bytes()) {
        None => Ok(raw),
        Some(_) => resolve(raw, arena),
    }
}

fn resolve<'a>(raw: &'a str, arena: &'a Bump) -> Result<&'a str, usize> {
    // No text is longer than its escaped form.
    let mut text = String::with_capacity_in(raw.len(), arena);
    let mut rest = raw;
    while let Some(at) = memchr(b'\\', rest.as_bytes()) {
        let (run, escaped) = rest.split_at_checked(at).unwrap_or_else(impossible);
        let escaped = escaped.get(1..).unwrap_or_else(impossible);
        text.push_str(run);
        let Some((character, behind)) = escape(escaped) else {
            // In front of what follows the backslash is the backslash.
            return Err(raw.len().saturating_sub(escaped.len()).saturating_sub(1));
        };
        text.push(character);
        rest = behind;
    }
    text.push_str(rest);
    Ok(text.into_bump_str())
}

/// The character of an escape whose backslash has been taken, and the text behind it.
#[inline]
fn escape(escaped: &str) -> Option<(char, &str)> {
    let (kind, rest) = escaped.split_at_checked(1)?;
    let character = match kind {
        "b" => '\u{8}',
        "f" => '\u{c}',
        "n" => '\n',
        "r" => '\r',
        "t" => '\t',
        "u" => return code_point(rest),
        _ => return kind.chars().next().map(|itself| (itself, rest)),
    };
    Some((character, rest))
}

/// The character of four hexadecimal digits, or of twice four that are a surrogate pair.
fn code_point(digits: &str) -> Option<(char, &str)> {
    let (first, rest) = code_unit(digits)?;
    match first {
        0xd800..0xdc00 => {
            let (second, rest) = code_unit(rest.strip_prefix("\\u")?)?;
            let character = char::decode_utf16([first, second]).next()?.ok()?;
            Some((character, rest))
        }
        // Of a lone second half there is no character.
        _ => Some((char::from_u32(first.into())?, rest)),
    }
}

fn code_unit(digits: &str) -> Option<(u16, &str)> {
    let (digits, rest) = digits.split_at_checked(4)?;
    Some((u16::from_str_radix(digits, 16).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_every_kind() {
        let arena = Bump::new();
        for (raw, text) in [
            ("", ""),
            ("plain ☃", "plain ☃"),
            (r#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"),
            (r"\u0041\u00e9\u65e5\uffff\u0000", "Aé日\u{ffff}\0"),
            (r"\uD83D\uDE80 \ud800\udc00 \uDBFF\uDFFF", "🚀 \u{10000} \u{10ffff}"),
            (r"\\u0041", r"\u0041"),
            (r"é\n☃", "é\n☃"),
        ] {
            assert_eq!(unescape(raw, &arena), Ok(text), "{raw}");
        }
    }

    #[test]
    fn half_a_surrogate_pair_is_refused_where_it_begins() {
        let arena = Bump::new();
        for (raw, offset) in [
            (r"\ud800", 0),
            (r"\udc00", 0),
            (r"ab\ud800x", 2),
            (r"\n\ud83d\n", 2),
            (r"\ud800\ud800", 0),
            (r"\ud83d\u0041", 0),
            (r"\ud83d\ude80\ude80", 12),
        ] {
            assert_eq!(unescape(raw, &arena), Err(offset), "{raw}");
        }
    }

    #[test]
    fn text_without_escapes_is_not_copied() {
        let arena = Bump::new();
        let raw = "plain";
        assert_eq!(unescape(raw, &arena).map(str::as_ptr), Ok(raw.as_ptr()));
        assert_eq!(arena.allocated_bytes(), 0);
    }
}
