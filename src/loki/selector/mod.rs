//! The label string of a stream, `{job="varlogs", host="a"}`: read to borrowed pairs, and written in the
//! form that Loki writes itself.
//!
//! ```text
//! input   = [ name ] [ "{" [ item { "," item } [ "," ] ] "}" ]
//! item    = ident "=" string | string "=" string | string
//! name    = [A-Za-z_:][A-Za-z0-9_:]*           the value of __name__, as is a string alone
//! ident   = [A-Za-z_][A-Za-z0-9_]*
//! string  = "..." | '...' | `...`
//! escape  = \a \b \f \n \r \t \v \\, the enclosing quote, \ooo \xHH \uHHHH \UHHHHHHHH
//! ```
//!
//! Between all these may be spaces, tabs, line ends, and comments from `#` to the end of the line. In
//! backticks nothing is escaped, and a string may span lines; in the other quotes it may not. Octal and
//! `\x` escapes stand for a byte, `\u` and `\U` for a character. U+FFFD must be escaped. Bytes that are not
//! UTF-8 are refused by [`parse`] and replaced by [`parse_lossy`].
//!
//! ```
//! use borrowire::loki::LabelPair;
//! use borrowire::loki::selector::{self, Canonical};
//!
//! let mut scratch = Vec::new(); // used again for the next label string
//! let mut labels = selector::parse(r#"{path="C:\\log", app='web', zone=""}"#, &mut scratch)?;
//! assert_eq!(labels.get("path"), Some(r"C:\log")); // decoded into `scratch`
//! assert_eq!(labels.get("app"), Some("web")); // borrowed
//!
//! labels.normalize(); // as Loki does
//! assert_eq!(labels.as_slice()[0], LabelPair::new("app", "web"));
//! assert_eq!(Canonical::from(labels).to_string(), r#"{app="web", path="C:\\log"}"#);
//! # Ok::<(), selector::SelectorError>(())
//! ```

mod canonical;
mod check;
mod error;
mod labels;
mod parse;
#[cfg(test)]
mod tests;
mod unquote;
mod utf8;

pub use canonical::Canonical;
#[cfg(feature = "json")]
pub(super) use canonical::{is_identifier, write_sorted};
pub(super) use check::{Checked, check};
pub use error::{SelectorError, SelectorErrorKind};
pub use labels::Labels;
pub use parse::{parse, parse_lossy};

/// The label that holds a metric's name.
const METRIC_NAME: &str = "__name__";

/// Whether a name without quotes may begin with `byte`.
const fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// Whether a name without quotes may hold `byte` further on.
#[inline]
fn is_name_byte(byte: u8) -> bool {
    NAME_BYTES.get(usize::from(byte)).copied().unwrap_or_default()
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
