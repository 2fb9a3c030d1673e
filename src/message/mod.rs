//! What every message of a protocol is made of, and no protocol itself.
//!
//! | file | what it gives |
//! |---|---|
//! | `cursor` | reading: the wire's reader together with what decoding notes on its way |
//! | `explain` | errors in the terms of the message |
//! | `fields` | fields that are left out when they hold their default |
//! | `regions` | names with values, cut out of text that was checked as a whole |
//! | `columns` | flat storage |
//! | `by_address` | what is known of long texts that many records share |
//! | `lossy` | text made UTF-8 |
//! | `list` | views of lists in storage |
//! | `batch` | values that are put together, grouped by the record that they belong to |
//! | `request` | the outermost message: the loop over a body's records |
//! | `shape` | what a body is, told by its first fields |
//! | `violation` | what `validate` reports |

pub(crate) mod batch;
pub(crate) mod by_address;
pub(crate) mod columns;
pub(crate) mod cursor;
pub(crate) mod explain;
pub(crate) mod fields;
pub(crate) mod list;
pub(crate) mod lossy;
pub(crate) mod regions;
pub(crate) mod request;
pub(crate) mod shape;
pub(crate) mod violation;
