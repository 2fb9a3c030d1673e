//! What all signals have: attributes and their values, resources, scopes, ids.

mod any_value;
mod as_string;
mod attributes;
mod ids;
mod key_value;
mod lengths;
mod list;
mod parents;
mod records;
mod resource;
mod scope;

/// What a request may borrow from besides its body: JSON becomes protobuf in memory of its own.
#[cfg(feature = "json")]
pub(in crate::otlp) type Scratch = crate::otlp::json::scratch::JsonScratch;
#[cfg(not(feature = "json"))]
pub(in crate::otlp) type Scratch = ();

pub use any_value::{AnyValue, ArrayValue, ArrayValueIter, KeyValueList, KeyValueListIter};
pub use as_string::{AsStringError, AsStringOptions, AsStringScratch, PdataVersion};
pub use attributes::{Attributes, AttributesIter};
pub use ids::{SpanId, TraceId};
pub use key_value::KeyValue;
pub use resource::{EntityRef, EntityRefs, EntityRefsIter, Resource, Texts, TextsIter};
pub use scope::InstrumentationScope;

pub(in crate::otlp) use any_value::{Pieces, check_value};
pub(in crate::otlp) use attributes::{Row, read_attribute, take_run};
pub(in crate::otlp) use ids::{id_len, read_id, write_id};
pub(in crate::otlp) use lengths::{Guess, write_guessing};
pub(in crate::otlp) use list::{Place, stored_list};
pub(in crate::otlp) use parents::{
    CHILDREN, Parents, RESOURCE, RESOURCES, SCHEMA_URL, SCOPE, SCOPES, Signal, SignalMark, mark,
    read_resource, truncate_to,
};
