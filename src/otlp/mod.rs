//! OTLP: metrics and logs as OpenTelemetry sends them.
//!
//! ```text
//! request > resource > scope > metric > data point       metrics
//! request > resource > scope > log record                logs
//! ```
//!
//! Most of it is attributes, keys with values of any type: [`Attributes`], [`KeyValue`], [`AnyValue`].
//! Text and ids are checked once, when a request is decoded; walking over it cannot fail.
//!
//! # Reading
//!
//! | you have | you call | storage |
//! |---|---|---|
//! | one body | `decode` of [`logs::ExportLogsServiceRequest`] | new |
//! | a loop over bodies | [`reuse::Decoder`](crate::reuse::Decoder) | the decoder's, used again |
//! | many threads | `reuse::Pool` | from the pool, given back by the guard |
//! | a body for another task | [`reuse::Owned`](crate::reuse::Owned) | with the body, `Send` |
//!
//! # Writing
//!
//! The views can be made of your own slices, and an encoder takes an iterator of resources over them; a
//! decoded request encodes as it is. All implement [`Encode`](crate::Encode), and are written in one go:
//! lengths are put right behind the content.
//!
//! # Sending on
//!
//! [`shard::Splitter`](crate::shard::Splitter) splits by resource, [`ItemSplitter`] by data point or log
//! record: by a key, by count, by bytes.
//!
//! Sources: opentelemetry-proto; the Collector's reader (pdata) where the schema leaves a choice.

mod common;
mod item_splitter;
#[cfg(feature = "json")]
pub mod json;
pub mod logs;
pub mod metrics;
mod options;
#[cfg(feature = "prost")]
mod prost;
mod record_kind;
mod response;
mod rules;
pub(crate) mod shape;
mod split;

pub use common::{
    AnyValue, ArrayValue, ArrayValueIter, AsStringError, AsStringOptions, AsStringScratch,
    Attributes, AttributesIter, EntityRef, EntityRefs, EntityRefsIter, InstrumentationScope,
    KeyValue, KeyValueList, KeyValueListIter, PdataVersion, Resource, SpanId, Texts, TextsIter,
    TraceId,
};
pub use item_splitter::{ItemPart, ItemSplit, ItemSplitter, OversizedItem, SplitItems};
pub use options::DecodeOptions;
pub use record_kind::RecordKind;
pub use response::{
    Any, Details, ExportResponse, MAX_RESPONSE_BYTES, PartialSuccess, Status, is_retryable,
    retryable_status,
};
pub use rules::{Rule, Rules, ViolationKind, validate_resource_logs, validate_resource_metrics};
