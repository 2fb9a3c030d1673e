//! Strings and numbers of a JSON text.

use alloc::vec::Vec;

use crate::wire::impossible;

/// Appends to `out` what a string says, given without its quotes. Its escapes have been checked; half
/// of a surrogate pair becomes U+FFFD, as in Go.
pub(super) fn unescape(raw: &[u8], out: &mut Vec<u8>) {
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let (plain, escape) = rest.split_at_checked(at).unwrap_or_else(impossible);
        out.extend_from_slice(plain);
        rest = match escape {
            [_, b'u', rest @ ..] => {
                let (character, rest) = code_point(rest);
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                rest
            }
            [_, kind, rest @ ..] => {
                out.push(match kind {
                    b'b' => 0x08,
                    b'f' => 0x0c,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    itself => *itself,
                });
                rest
            }
            _ => &[],
        };
    }
    out.extend_from_slice(rest);
}

/// The character of four hexadecimal digits, or of twice four that are a surrogate pair, and what is
/// behind them.
fn code_point(digits: &[u8]) -> (char, &[u8]) {
    let (first, rest) = code_unit(digits);
    if let 0xd800..0xdc00 = first
        && let Some(second) = rest.strip_prefix(b"\\u")
        && let (second @ 0xdc00..0xe000, rest) = code_unit(second)
    {
        let pair = char::decode_utf16([first, second]).next().and_then(Result::ok);
        return (pair.unwrap_or_else(impossible), rest);
    }
    (char::from_u32(first.into()).unwrap_or(char::REPLACEMENT_CHARACTER), rest)
}

fn code_unit(digits: &[u8]) -> (u16, &[u8]) {
    let (digits, rest) = digits.split_at_checked(4).unwrap_or_default();
    let unit = core::str::from_utf8(digits).ok();
    let unit = unit.and_then(|digits| u16::from_str_radix(digits, 16).ok());
    (unit.unwrap_or_else(impossible), rest)
}

/// The value of a number as JSON has it; `None` if it is too large.
pub(super) fn parse_decimal(text: &[u8]) -> Option<f64> {
    let value: f64 = core::str::from_utf8(text).ok()?.parse().ok()?;
    value.is_finite().then_some(value)
}

/// The NaN of Go and of Prometheus, which differs by a bit from Rust's.
pub(super) const GO_NAN: f64 = f64::from_bits(0x7ff8_0000_0000_0001);

/// The value of a number in a string, as Go's `ParseFloat` has it: also `NaN`, `Inf`, `+Infinity` and so
/// on in any case, `.5`, `5.` and `+5`, hexadecimal with an exponent, and underscores between digits.
pub(super) fn parse_float(text: &[u8]) -> Option<f64> {
    let (is_negative, unsigned) = match text {
        [b'+', rest @ ..] => (false, rest),
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let with_sign = |value: f64| if is_negative { -value } else { value };
    let is = |name: &[u8]| unsigned.eq_ignore_ascii_case(name);
    if is(b"inf") || is(b"infinity") {
        return Some(with_sign(f64::INFINITY));
    }
    if text.eq_ignore_ascii_case(b"nan") {
        return Some(GO_NAN);
    }
    // The names aside, what Rust reads begins with a digit or a point.
    match unsigned {
        [b'0'..=b'9' | b'.', ..] => parse_decimal(unsigned).map(with_sign),
        _ => None,
    }
}
