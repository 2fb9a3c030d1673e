//! The messages as tables: what a member of a JSON object is called, and which field it is.
//!
//! Both directions go by them. A field's name is that of the `.proto` file in lowerCamelCase; the name
//! as it stands there is read, too.
//!
//! Source: opentelemetry-proto, and "JSON Protobuf Encoding" of the OTLP specification, which departs
//! from protobuf's own JSON: ids are hexadecimal, enums are numbers.

use super::super::record_kind::RecordKind;

/// A message.
pub(super) struct Message {
    pub(super) fields: &'static [Field],
    /// What partial mode can leave out, if it is that.
    pub(super) record: Option<RecordKind>,
}

/// A field of a message.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) snake: &'static str,
    pub(super) number: u8,
    pub(super) kind: Kind,
    pub(super) presence: Presence,
}

/// How often a field is there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    /// Once, perhaps without being written: absent is the default.
    Plain,
    /// `optional`: absent is not the default.
    Optional,
    /// One of several.
    Oneof,
    Repeated,
}

/// What a field holds.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Message(&'static Message),
    String,
    /// `bytes`, in base64.
    Bytes,
    /// `bytes` of so many, or none, in hexadecimal.
    Id(usize),
    Bool,
    /// With the names of its values from 0 on.
    Enum(&'static [&'static str]),
    Int32,
    Int64,
    Uint32,
    Uint64,
    Sint32,
    Fixed32,
    Fixed64,
    Sfixed64,
    Double,
}

impl Kind {
    /// The wire type of a value.
    pub(super) const fn wire_type(self) -> u8 {
        match self {
            Self::Bool
            | Self::Enum(_)
            | Self::Int32
            | Self::Int64
            | Self::Uint32
            | Self::Uint64
            | Self::Sint32 => 0,
            Self::Fixed64 | Self::Sfixed64 | Self::Double => 1,
            Self::Message(_) | Self::String | Self::Bytes | Self::Id(_) => 2,
            Self::Fixed32 => 5,
        }
    }

    /// Whether values of it are packed where it is repeated.
    pub(super) const fn is_packed(self) -> bool {
        self.wire_type() != 2
    }
}

impl Field {
    /// The field's tag, which takes a byte: no number is over 15.
    pub(super) const fn tag(&self) -> u8 {
        let is_packed = matches!(self.presence, Presence::Repeated) && self.kind.is_packed();
        let wire_type = if is_packed { 2 } else { self.kind.wire_type() };
        self.number << 3 | wire_type
    }

    const fn new(name: (&'static str, &'static str), number: u8, kind: Kind) -> Self {
        Self { name: name.0, snake: name.1, number, kind, presence: Presence::Plain }
    }

    const fn optional(self) -> Self {
        Self { presence: Presence::Optional, ..self }
    }

    const fn oneof(self) -> Self {
        Self { presence: Presence::Oneof, ..self }
    }

    const fn repeated(self) -> Self {
        Self { presence: Presence::Repeated, ..self }
    }
}

const fn message(fields: &'static [Field]) -> Message {
    Message { fields, record: None }
}

const fn record(record: RecordKind, fields: &'static [Field]) -> Message {
    Message { fields, record: Some(record) }
}

/// A field whose name is one word.
const fn word(name: &'static str, number: u8, kind: Kind) -> Field {
    Field::new((name, name), number, kind)
}

const fn field(name: &'static str, snake: &'static str, number: u8, kind: Kind) -> Field {
    Field::new((name, snake), number, kind)
}

pub(super) static EXPORT_METRICS_REQUEST: Message =
    message(&[field("resourceMetrics", "resource_metrics", 1, Kind::Message(&RESOURCE_METRICS))
        .repeated()]);

static RESOURCE_METRICS: Message = message(&[
    word("resource", 1, Kind::Message(&RESOURCE)),
    field("scopeMetrics", "scope_metrics", 2, Kind::Message(&SCOPE_METRICS)).repeated(),
    field("schemaUrl", "schema_url", 3, Kind::String),
]);

static SCOPE_METRICS: Message = message(&[
    word("scope", 1, Kind::Message(&SCOPE)),
    word("metrics", 2, Kind::Message(&METRIC)).repeated(),
    field("schemaUrl", "schema_url", 3, Kind::String),
]);

static METRIC: Message = message(&[
    word("name", 1, Kind::String),
    word("description", 2, Kind::String),
    word("unit", 3, Kind::String),
    word("gauge", 5, Kind::Message(&GAUGE)).oneof(),
    word("sum", 7, Kind::Message(&SUM)).oneof(),
    word("histogram", 9, Kind::Message(&HISTOGRAM)).oneof(),
    field(
        "exponentialHistogram",
        "exponential_histogram",
        10,
        Kind::Message(&EXPONENTIAL_HISTOGRAM),
    )
    .oneof(),
    word("summary", 11, Kind::Message(&SUMMARY)).oneof(),
    word("metadata", 12, Kind::Message(&KEY_VALUE)).repeated(),
]);

static GAUGE: Message = message(&[data_points(&NUMBER_DATA_POINT)]);

static SUM: Message = message(&[
    data_points(&NUMBER_DATA_POINT),
    TEMPORALITY,
    field("isMonotonic", "is_monotonic", 3, Kind::Bool),
]);

static HISTOGRAM: Message = message(&[data_points(&HISTOGRAM_DATA_POINT), TEMPORALITY]);

static EXPONENTIAL_HISTOGRAM: Message =
    message(&[data_points(&EXPONENTIAL_HISTOGRAM_DATA_POINT), TEMPORALITY]);

static SUMMARY: Message = message(&[data_points(&SUMMARY_DATA_POINT)]);

const fn data_points(message: &'static Message) -> Field {
    field("dataPoints", "data_points", 1, Kind::Message(message)).repeated()
}

const TEMPORALITY: Field = field(
    "aggregationTemporality",
    "aggregation_temporality",
    2,
    Kind::Enum(&[
        "AGGREGATION_TEMPORALITY_UNSPECIFIED",
        "AGGREGATION_TEMPORALITY_DELTA",
        "AGGREGATION_TEMPORALITY_CUMULATIVE",
    ]),
);

const START_TIME: Field = field("startTimeUnixNano", "start_time_unix_nano", 2, Kind::Fixed64);
const TIME: Field = field("timeUnixNano", "time_unix_nano", 3, Kind::Fixed64);

static NUMBER_DATA_POINT: Message = record(
    RecordKind::DataPoint,
    &[
        START_TIME,
        TIME,
        field("asDouble", "as_double", 4, Kind::Double).oneof(),
        word("exemplars", 5, Kind::Message(&EXEMPLAR)).repeated(),
        field("asInt", "as_int", 6, Kind::Sfixed64).oneof(),
        attributes(7),
        word("flags", 8, Kind::Uint32),
    ],
);

static HISTOGRAM_DATA_POINT: Message = record(
    RecordKind::DataPoint,
    &[
        START_TIME,
        TIME,
        word("count", 4, Kind::Fixed64),
        word("sum", 5, Kind::Double).optional(),
        field("bucketCounts", "bucket_counts", 6, Kind::Fixed64).repeated(),
        field("explicitBounds", "explicit_bounds", 7, Kind::Double).repeated(),
        word("exemplars", 8, Kind::Message(&EXEMPLAR)).repeated(),
        attributes(9),
        word("flags", 10, Kind::Uint32),
        word("min", 11, Kind::Double).optional(),
        word("max", 12, Kind::Double).optional(),
    ],
);

static EXPONENTIAL_HISTOGRAM_DATA_POINT: Message = record(
    RecordKind::DataPoint,
    &[
        attributes(1),
        START_TIME,
        TIME,
        word("count", 4, Kind::Fixed64),
        word("sum", 5, Kind::Double).optional(),
        word("scale", 6, Kind::Sint32),
        field("zeroCount", "zero_count", 7, Kind::Fixed64),
        word("positive", 8, Kind::Message(&BUCKETS)),
        word("negative", 9, Kind::Message(&BUCKETS)),
        word("flags", 10, Kind::Uint32),
        word("exemplars", 11, Kind::Message(&EXEMPLAR)).repeated(),
        word("min", 12, Kind::Double).optional(),
        word("max", 13, Kind::Double).optional(),
        field("zeroThreshold", "zero_threshold", 14, Kind::Double),
    ],
);

static BUCKETS: Message = message(&[
    word("offset", 1, Kind::Sint32),
    field("bucketCounts", "bucket_counts", 2, Kind::Uint64).repeated(),
]);

static SUMMARY_DATA_POINT: Message = record(
    RecordKind::DataPoint,
    &[
        START_TIME,
        TIME,
        word("count", 4, Kind::Fixed64),
        word("sum", 5, Kind::Double),
        field("quantileValues", "quantile_values", 6, Kind::Message(&VALUE_AT_QUANTILE)).repeated(),
        attributes(7),
        word("flags", 8, Kind::Uint32),
    ],
);

static VALUE_AT_QUANTILE: Message =
    message(&[word("quantile", 1, Kind::Double), word("value", 2, Kind::Double)]);

static EXEMPLAR: Message = record(
    RecordKind::Exemplar,
    &[
        field("timeUnixNano", "time_unix_nano", 2, Kind::Fixed64),
        field("asDouble", "as_double", 3, Kind::Double).oneof(),
        field("spanId", "span_id", 4, Kind::Id(8)),
        field("traceId", "trace_id", 5, Kind::Id(16)),
        field("asInt", "as_int", 6, Kind::Sfixed64).oneof(),
        field("filteredAttributes", "filtered_attributes", 7, Kind::Message(&KEY_VALUE)).repeated(),
    ],
);

pub(super) static EXPORT_LOGS_REQUEST: Message =
    message(&[field("resourceLogs", "resource_logs", 1, Kind::Message(&RESOURCE_LOGS)).repeated()]);

static RESOURCE_LOGS: Message = message(&[
    word("resource", 1, Kind::Message(&RESOURCE)),
    field("scopeLogs", "scope_logs", 2, Kind::Message(&SCOPE_LOGS)).repeated(),
    field("schemaUrl", "schema_url", 3, Kind::String),
]);

static SCOPE_LOGS: Message = message(&[
    word("scope", 1, Kind::Message(&SCOPE)),
    field("logRecords", "log_records", 2, Kind::Message(&LOG_RECORD)).repeated(),
    field("schemaUrl", "schema_url", 3, Kind::String),
]);

static LOG_RECORD: Message = record(
    RecordKind::LogRecord,
    &[
        field("timeUnixNano", "time_unix_nano", 1, Kind::Fixed64),
        field("severityNumber", "severity_number", 2, Kind::Enum(&SEVERITY_NUMBERS)),
        field("severityText", "severity_text", 3, Kind::String),
        word("body", 5, Kind::Message(&ANY_VALUE)),
        attributes(6),
        DROPPED_ATTRIBUTES_OF_RECORD,
        word("flags", 8, Kind::Fixed32),
        field("traceId", "trace_id", 9, Kind::Id(16)),
        field("spanId", "span_id", 10, Kind::Id(8)),
        field("observedTimeUnixNano", "observed_time_unix_nano", 11, Kind::Fixed64),
        field("eventName", "event_name", 12, Kind::String),
    ],
);

static SEVERITY_NUMBERS: [&str; 25] = [
    "SEVERITY_NUMBER_UNSPECIFIED",
    "SEVERITY_NUMBER_TRACE",
    "SEVERITY_NUMBER_TRACE2",
    "SEVERITY_NUMBER_TRACE3",
    "SEVERITY_NUMBER_TRACE4",
    "SEVERITY_NUMBER_DEBUG",
    "SEVERITY_NUMBER_DEBUG2",
    "SEVERITY_NUMBER_DEBUG3",
    "SEVERITY_NUMBER_DEBUG4",
    "SEVERITY_NUMBER_INFO",
    "SEVERITY_NUMBER_INFO2",
    "SEVERITY_NUMBER_INFO3",
    "SEVERITY_NUMBER_INFO4",
    "SEVERITY_NUMBER_WARN",
    "SEVERITY_NUMBER_WARN2",
    "SEVERITY_NUMBER_WARN3",
    "SEVERITY_NUMBER_WARN4",
    "SEVERITY_NUMBER_ERROR",
    "SEVERITY_NUMBER_ERROR2",
    "SEVERITY_NUMBER_ERROR3",
    "SEVERITY_NUMBER_ERROR4",
    "SEVERITY_NUMBER_FATAL",
    "SEVERITY_NUMBER_FATAL2",
    "SEVERITY_NUMBER_FATAL3",
    "SEVERITY_NUMBER_FATAL4",
];

static RESOURCE: Message = message(&[
    attributes(1),
    dropped_attributes(2),
    field("entityRefs", "entity_refs", 3, Kind::Message(&ENTITY_REF)).repeated(),
]);

static ENTITY_REF: Message = message(&[
    field("schemaUrl", "schema_url", 1, Kind::String),
    word("type", 2, Kind::String),
    field("idKeys", "id_keys", 3, Kind::String).repeated(),
    field("descriptionKeys", "description_keys", 4, Kind::String).repeated(),
]);

static SCOPE: Message = message(&[
    word("name", 1, Kind::String),
    word("version", 2, Kind::String),
    attributes(3),
    dropped_attributes(4),
]);

const DROPPED_ATTRIBUTES_OF_RECORD: Field = dropped_attributes(7);

const fn dropped_attributes(number: u8) -> Field {
    field("droppedAttributesCount", "dropped_attributes_count", number, Kind::Uint32)
}

const fn attributes(number: u8) -> Field {
    word("attributes", number, Kind::Message(&KEY_VALUE)).repeated()
}

/// Tags of the usual attribute.
pub(super) const KEY: u8 = word("key", 1, Kind::String).tag();
pub(super) const VALUE: u8 = word("value", 2, Kind::String).tag();
pub(super) const STRING_VALUE: u8 = word("stringValue", 1, Kind::String).tag();

pub(super) static KEY_VALUE: Message = message(&[
    word("key", 1, Kind::String),
    word("value", 2, Kind::Message(&ANY_VALUE)),
    field("keyStrindex", "key_strindex", 3, Kind::Int32),
]);

static ANY_VALUE: Message = message(&[
    field("stringValue", "string_value", 1, Kind::String).oneof(),
    field("boolValue", "bool_value", 2, Kind::Bool).oneof(),
    field("intValue", "int_value", 3, Kind::Int64).oneof(),
    field("doubleValue", "double_value", 4, Kind::Double).oneof(),
    field("arrayValue", "array_value", 5, Kind::Message(&ARRAY_VALUE)).oneof(),
    field("kvlistValue", "kvlist_value", 6, Kind::Message(&KEY_VALUE_LIST)).oneof(),
    field("bytesValue", "bytes_value", 7, Kind::Bytes).oneof(),
    field("stringValueStrindex", "string_value_strindex", 8, Kind::Int32).oneof(),
]);

static ARRAY_VALUE: Message = message(&[word("values", 1, Kind::Message(&ANY_VALUE)).repeated()]);

static KEY_VALUE_LIST: Message =
    message(&[word("values", 1, Kind::Message(&KEY_VALUE)).repeated()]);

/// The answer to metrics.
pub(super) static EXPORT_METRICS_RESPONSE: Message = message(&[field(
    "partialSuccess",
    "partial_success",
    1,
    Kind::Message(&METRICS_PARTIAL_SUCCESS),
)]);

static METRICS_PARTIAL_SUCCESS: Message = message(&[
    field("rejectedDataPoints", "rejected_data_points", 1, Kind::Int64),
    field("errorMessage", "error_message", 2, Kind::String),
]);

/// The answer to logs.
pub(super) static EXPORT_LOGS_RESPONSE: Message =
    message(&[field("partialSuccess", "partial_success", 1, Kind::Message(&LOGS_PARTIAL_SUCCESS))]);

static LOGS_PARTIAL_SUCCESS: Message = message(&[
    field("rejectedLogRecords", "rejected_log_records", 1, Kind::Int64),
    field("errorMessage", "error_message", 2, Kind::String),
]);

/// `google.rpc.Status`, without its details: what they are in JSON depends on schemas of their own.
pub(super) static STATUS: Message =
    message(&[word("code", 1, Kind::Int32), word("message", 2, Kind::String)]);
