//! OTLP as JSON, both ways, for requests and for answers.
//!
//! ```text
//! {"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"web"}}]},
//!   "scopeLogs":[{"scope":{"name":"lib"},"logRecords":[{"timeUnixNano":"1700000000000000005",
//!     "severityNumber":9,"body":{"stringValue":"started"},"traceId":"5b8efff798038103d269b633813fc60c"}]}]}]}
//! ```
//!
//! A body in JSON becomes protobuf in memory that is used again ([`JsonScratch`]), and that is decoded: so
//! views are the same as ever, text is unescaped once, and what works on the bytes of a request, such as
//! splitting, works on a request that came as JSON.
//!
//! # What is accepted
//!
//! What the OpenTelemetry Collector's reader accepts, and it reads the same:
//!
//! - Names in lowerCamelCase and as in the `.proto` files; other members are passed over.
//! - Integers as numbers or in strings, of all widths; doubles as numbers or in strings, also `"NaN"`,
//!   `"Infinity"`, `"-Inf"` in any case.
//! - Enums as numbers or by name; bytes in standard base64 with padding; ids in hexadecimal of either case.
//! - A list twice is one list; of a number or text twice the last counts. `null` is an empty request.
//!
//! What we do otherwise, and why:
//!
//! | in the body | Collector | here | |
//! |---|---|---|---|
//! | `null` for a double | error | NaN, or absent where it is optional | JavaScript and serde_json write NaN so |
//! | other `null`s | error for numbers, booleans, ids | absent | some writers write what they do not have |
//! | `"gauge":null`, `"arrayValue":null` | an empty one | absent | it would replace the member that is there |
//! | escapes in ids and base64 | error | read | PHP writes `\/` |
//! | text behind the value | ignored | error | a second request would be lost |
//! | an empty name, `"":1` | ends the object | a member like any | the rest would be lost |
//! | a message twice, also in a `oneof` | the last, in a `oneof` | merged | as protobuf has it |
//! | nesting | any | to 250 messages | work has an end |
//! | hexadecimal numbers, `"1_0"` | read in strings | error | nobody writes them |
//! | text that is not UTF-8 | passed on | error | it is text |
//! | ids that are all zeros | absent | kept | `validate` tells |
//!
//! In partial mode what is wrong within a data point, an exemplar or a log record costs only that: see
//! [`JsonSkipped`].

mod encode;
mod error;
mod lexer;
mod read;
mod requests;
mod response;
mod schema;
pub(in crate::otlp) mod scratch;
pub(in crate::otlp) mod skipped;
mod text;
mod write;

pub use encode::{JsonEncodeError, JsonEncoder};
pub use error::{JsonError, JsonErrorKind};
pub use response::JsonResponse;
pub use scratch::JsonScratch;
pub use skipped::JsonSkipped;
