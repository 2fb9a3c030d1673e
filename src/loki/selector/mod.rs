//! The label string of a stream, `{job="varlogs", host="a"}`: read to borrowed pairs, and written
//! in the form that Loki writes itself.
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
//! No name are the words that PromQL keeps for itself, in whatever case: `atan2`, `bool`,
//! `group_left`, `group_right`, `ignoring`, `inf`, `nan` and `on`.
//!
//! Between all these may be spaces, tabs, line ends, and comments from `#` to the end of the line.
//! In backticks nothing is escaped, and a string may span lines; in the other quotes it may not.
//! Octal and `\x` escapes stand for a byte, `\u` and `\U` for a character. U+FFFD must be escaped.
//! Bytes that are not UTF-8 are refused by [`parse`] and replaced by [`parse_lossy`].
//!
//! To Loki a label without a value is not there. Reading keeps such labels;
//! [`Labels::drop_empty`] drops them, and so does [`Canonical`].
//!
//! ```
//! use borrowire::loki::LabelPair;
//! use borrowire::loki::selector::{self, Canonical};
//!
//! let mut scratch = Vec::new(); // used again for the next label string
//! let labels = selector::parse(r#"{path="C:\\log", app='web', zone=""}"#, &mut scratch)?;
//! assert_eq!(labels.get("path"), Some(r"C:\log")); // decoded into `scratch`
//! assert_eq!(labels.get("app"), Some("web")); // borrowed
//!
//! let canonical = Canonical::from(labels); // sorted, and without `zone`
//! assert_eq!(canonical.labels().as_slice()[0], LabelPair::new("app", "web"));
//! assert_eq!(canonical.to_string(), r#"{app="web", path="C:\\log"}"#);
//! # Ok::<(), selector::SelectorError>(())
//! ```

mod canonical;
mod check;
mod error;
mod grammar;
mod labels;
mod parse;
#[cfg(test)]
mod tests;
mod unquote;
mod utf8;

pub use canonical::Canonical;
#[cfg(feature = "json")]
pub(super) use canonical::write_sorted;
pub(super) use check::{Checked, check};
pub use error::{SelectorError, SelectorErrorKind};
pub use labels::Labels;
pub use parse::{parse, parse_lossy};
