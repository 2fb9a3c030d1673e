//! Reading a label string without keeping anything: for validation, which must not allocate.

use core::iter;

use super::error::SelectorError;
use super::grammar::{StringFault, Strings, visit};
use super::unquote::{Piece, Unescaped, split_plain, split_usual, unescape, utf8_fault, walk};
use super::utf8::{Incomplete, Step};
use crate::wire::impossible;

/// Calls `each` with every name and value of a label string, in order, as [`parse`](super::parse)
/// reads them.
pub(in crate::loki) fn check<'a>(
    labels: &'a str,
    each: impl FnMut(Checked<'a>, Checked<'a>),
) -> Result<(), SelectorError> {
    visit(labels, Checker, each)
}

/// A well-formed string, in which escapes are still escapes.
#[derive(Clone, Copy)]
pub(in crate::loki) struct Checked<'a> {
    /// Without the quotes.
    raw: &'a str,
    /// The quote, if there are escapes.
    escaped: Option<u8>,
    len: usize,
}

impl<'a> Checked<'a> {
    /// Bytes of what the string stands for.
    pub(in crate::loki) const fn len(&self) -> usize {
        self.len
    }

    pub(in crate::loki) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether the string stands for `text`.
    #[inline]
    pub(in crate::loki) fn is(&self, text: &'a str) -> bool {
        *self == Checker::unquoted(text)
    }

    /// Whether both stand for the same, where at least one has escapes.
    #[cold]
    fn eq_escaped(&self, other: &Self) -> bool {
        self.len == other.len && self.bytes().eq(other.bytes())
    }

    /// The bytes of what the string stands for.
    fn bytes(self) -> impl Iterator<Item = u8> + use<'a> {
        let mut rest = self.raw;
        let characters = iter::from_fn(move || {
            let (character, tail) = split_character(rest, self.escaped)?;
            rest = tail;
            let mut bytes = [0; 4];
            let len = match character {
                Unescaped::Byte(byte) => {
                    bytes = [byte, 0, 0, 0];
                    1
                }
                Unescaped::Char(char) => char.encode_utf8(&mut bytes).len(),
            };
            Some(bytes.into_iter().take(len))
        });
        characters.flatten()
    }
}

/// The character or byte at the front of `raw`, and the text behind it.
fn split_character(raw: &str, escaped: Option<u8>) -> Option<(Unescaped, &str)> {
    let first = raw.chars().next()?;
    let behind = raw.get(first.len_utf8()..)?;
    match (first, escaped) {
        ('\\', Some(quote)) => {
            let (character, len) = unescape(behind.as_bytes(), quote).ok()?;
            Some((character, behind.get(len..)?))
        }
        _ => Some((Unescaped::Char(first), behind)),
    }
}

/// Whether they stand for the same.
impl PartialEq for Checked<'_> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        if self.escaped.is_none() && other.escaped.is_none() {
            return self.raw == other.raw;
        }
        self.eq_escaped(other)
    }
}

struct Checker;

impl<'a> Strings<'a> for Checker {
    type Text = Checked<'a>;

    #[inline]
    fn unquoted(text: &'a str) -> Checked<'a> {
        Checked { raw: text, escaped: None, len: text.len() }
    }

    #[inline]
    fn read(&mut self, text: &'a str, quote: u8) -> Result<(Checked<'a>, &'a str), StringFault> {
        match split_usual(text, quote) {
            Some((value, rest)) => Ok((Self::unquoted(value), rest)),
            None => read_unusual(text, quote),
        }
    }
}

#[cold]
#[inline(never)]
fn read_unusual(text: &str, quote: u8) -> Result<(Checked<'_>, &str), StringFault> {
    if let Some((value, rest)) = split_plain(text, quote)? {
        return Ok((Checker::unquoted(value), rest));
    }
    let mut len: usize = 0;
    // Where the value stops being UTF-8.
    let mut invalid = None;
    let mut incomplete = Incomplete::default();
    let rest = walk(text, quote, |_, piece| {
        let valid = len.saturating_sub(incomplete.len());
        let broken = match piece {
            Piece::Text(_) => incomplete.take(),
            Piece::Byte(byte) => matches!(incomplete.push(byte), Step::Invalid | Step::Broken),
        };
        if broken {
            invalid.get_or_insert(valid);
        }
        len = len.saturating_add(piece.bytes(&mut [0]).len());
    })?;
    if incomplete.len() > 0 {
        invalid.get_or_insert(len.saturating_sub(incomplete.len()));
    }
    if let Some(valid) = invalid {
        return Err(utf8_fault(text, quote, valid));
    }
    // Without the quotes on both sides.
    let quoted = text.len().saturating_sub(rest.len());
    let raw = text.get(1..quoted.saturating_sub(1)).unwrap_or_else(impossible);
    Ok((Checked { raw, escaped: Some(quote), len }, rest))
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use proptest::prelude::*;

    use super::*;
    use crate::loki::selector::parse;

    /// Both ways of reading `text` give the same lengths, the same equal names, the same fault.
    fn assert_checks_as_parsed(text: &str) {
        let mut checked = Vec::new();
        let result = check(text, |name, value| checked.push((name, value)));
        let mut scratch = Vec::new();
        let labels = match parse(text, &mut scratch) {
            Ok(labels) => labels,
            Err(error) => return assert_eq!(result, Err(error), "{text}"),
        };
        assert_eq!(result, Ok(()), "{text}");
        assert_eq!(checked.len(), labels.len(), "{text}");
        for ((name, value), pair) in checked.iter().zip(&labels) {
            assert_eq!((name.len(), value.len()), (pair.name.len(), pair.value.len()), "{text}");
            for ((other, _), other_pair) in checked.iter().zip(&labels) {
                assert_eq!(name == other, pair.name == other_pair.name, "{text}");
            }
            assert_eq!(name.is("job"), pair.name == "job", "{text}");
        }
    }

    #[test]
    fn escapes_are_seen_through() {
        for text in [
            r#"{job="a", "job"="b", "\x6ao\u0062"="c", 'j\157b'="d", `job`="e", "jo"="f"}"#,
            r#"{"\xc3\xa9"="a", "é"="b", "\u00e9"="c", "\xc3\x29"="d"}"#,
            r#"{`\x61`="a", "\\x61"="b", "a"="c", "\x61"="d"}"#,
            r#"{a="\xff"}"#,
            r#"{a="é\xc3"}"#,
            r#"{a="é\xc3é"}"#,
            r#"{a="\xe2\x98", b="\q"}"#,
            r#"{a="\xff\q"}"#,
            r#"up{"\x5f_name__"="x", __name__="y", a="b"}"#,
        ] {
            assert_checks_as_parsed(text);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_is_checked_as_it_is_parsed(
            text in "[a{}=,\"'`\\\\\n# xuU0-9é\u{fffd}]{0,40}",
            value in r#"(a|é|\\xc3|\\xa9|\\x61|\\u00e9|\\141|\\xf0\\x9f|\\x98\\x80|\\n){0,8}"#,
            name in r#"(a|é|\\xc3|\\xa9|\\x61|\\u00e9|\\141|\\n){0,3}"#,
        ) {
            assert_checks_as_parsed(&text);
            let labels = alloc::format!(r#"{{a="{value}", "{name}"='{value}', "a"="b", "é"="c"}}"#);
            assert_checks_as_parsed(&labels);
        }
    }
}
