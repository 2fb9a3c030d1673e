//! The JSON form of a push, both ways.
//!
//! ```text
//! {"streams": [{"stream": {"job": "varlogs", ...},
//!               "values": [["1700000000000000000", "line"],
//!                          ["1700000000000000001", "line", {"trace_id": "0242ac120002", ...}]]}]}
//!
//! {"streams": [{"labels": "{job=\"varlogs\"}",
//!               "entries": [{"ts": "2023-11-14T22:13:20.000000001Z", "line": "line"}]}]}
//! ```
//!
//! The second shape is older; each stream may have the one or the other. What is read is a
//! [`PushRequest`](super::PushRequest) like any other: a string without escapes is a piece of the body, one
//! with escapes is resolved into a [`JsonScratch`], which also takes the label strings.
//!
//! As Loki does it:
//!
//! - The labels of a stream become a label string, sorted and quoted as Loki writes it. A value that is no
//!   string is taken as the text that stands there. A name must be an identifier; with
//!   [`quoted_names`](super::DecodeOptions::quoted_names) any other but an empty one is quoted instead.
//! - Members may come in any order. Of several with the same name the last counts, but for structured
//!   metadata, where all are kept. Members that are not known are passed over, and so is what follows in the
//!   array of an entry.
//! - `null` stands for no streams, no values or no entries, and in place of an entry for none.
//! - A time in nanoseconds is a string, with a line behind it that is one, too.
//!
//! Where Loki is lax, this is strict: the body must be UTF-8 and JSON to its end, an entry must have a time
//! and a line, half a surrogate pair is an error. Names of structured metadata may have escapes.
//!
//! ```
//! use borrowire::Encode;
//! use borrowire::loki::{PushRequest, json::JsonScratch};
//! use borrowire::reuse::Decoder;
//!
//! # let bodies = [br#"{"streams":[{"stream":{"job":"varlogs"},"values":[["1","\"hi\""]]}]}"#];
//! let (mut decoder, mut scratch) = (Decoder::<PushRequest>::new(), JsonScratch::new());
//! let (mut back, mut out) = (JsonScratch::new(), Vec::new());
//! for body in bodies {
//!     let push = decoder.decode_json(body, &mut scratch)?; // memory of all bodies before
//!     for stream in push.streams() {
//!         for entry in stream.entries() {
//!             assert_eq!((stream.labels(), entry.line()), (r#"{job="varlogs"}"#, &b"\"hi\""[..]));
//!         }
//!     }
//!     out.clear();
//!     push.json_encoder(&mut back)?.append_to_vec(&mut out)?; // and as JSON again
//!     assert_eq!(out, body);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! To hand a push to another task, together with its body and that text, there is
//! [`Owned::decode_json`](crate::reuse::Owned::decode_json).
//!
//! After the first bodies nothing is allocated, with these exceptions: a body that is refused costs a small
//! block or two inside serde_json, as does a member that is passed over and nests values two deep; writing a
//! stream of more than 16 labels costs a block. The scratch takes a few times the body's size at the most.

mod decode;
mod encode;
mod error;
mod labels;
mod quote;
mod rfc3339;
mod scratch;
mod text;

pub use encode::{JsonEncodeError, JsonEncodeErrorKind, JsonEncoder};
pub use error::{JsonError, JsonErrorKind};
pub use scratch::JsonScratch;
