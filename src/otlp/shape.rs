//! What tells the requests of OTLP from other messages, and from each other, and where their text is.

use crate::message::shape::{Shape, Value};

pub(crate) static LOGS: Shape = Shape(&[(1, Value::Record(&RESOURCE_LOGS))]);
pub(crate) static METRICS: Shape = Shape(&[(1, Value::Record(&RESOURCE_METRICS))]);
/// Told from others, and not decoded.
#[cfg(feature = "std")]
pub(crate) static TRACES: Shape = Shape(&[(1, Value::Record(&RESOURCE_SPANS))]);

static RESOURCE_LOGS: Shape =
    Shape(&[(1, Value::Message(&RESOURCE)), (2, Value::Message(&SCOPE_LOGS)), (3, Value::Text)]);
static RESOURCE_METRICS: Shape =
    Shape(&[(1, Value::Message(&RESOURCE)), (2, Value::Message(&SCOPE_METRICS)), (3, Value::Text)]);
#[cfg(feature = "std")]
static RESOURCE_SPANS: Shape =
    Shape(&[(1, Value::Message(&RESOURCE)), (2, Value::Message(&SCOPE_SPANS)), (3, Value::Text)]);

static SCOPE_LOGS: Shape =
    Shape(&[(1, Value::Message(&SCOPE)), (2, Value::Message(&LOG_RECORD)), (3, Value::Text)]);
static SCOPE_METRICS: Shape =
    Shape(&[(1, Value::Message(&SCOPE)), (2, Value::Message(&METRIC)), (3, Value::Text)]);
#[cfg(feature = "std")]
static SCOPE_SPANS: Shape =
    Shape(&[(1, Value::Message(&SCOPE)), (2, Value::Message(&SPAN)), (3, Value::Text)]);

static RESOURCE: Shape =
    Shape(&[(1, Value::Message(&KEY_VALUE)), (2, Value::Varint), (3, Value::Message(&ENTITY_REF))]);
static ENTITY_REF: Shape =
    Shape(&[(1, Value::Text), (2, Value::Text), (3, Value::Text), (4, Value::Text)]);
static SCOPE: Shape = Shape(&[
    (1, Value::Name),
    (2, Value::Name),
    (3, Value::Message(&KEY_VALUE)),
    (4, Value::Varint),
]);
static KEY_VALUE: Shape = Shape(&[(1, Value::Name), (2, Value::Message(&ANY_VALUE))]);
static ANY_VALUE: Shape = Shape(&[
    (1, Value::Text),
    (2, Value::Varint),
    (3, Value::Varint),
    (4, Value::I64),
    (5, Value::Message(&ARRAY_VALUE)),
    (6, Value::Message(&KEY_VALUE_LIST)),
    (7, Value::Len),
]);
static ARRAY_VALUE: Shape = Shape(&[(1, Value::Message(&ANY_VALUE))]);
static KEY_VALUE_LIST: Shape = Shape(&[(1, Value::Message(&KEY_VALUE))]);

static LOG_RECORD: Shape = Shape(&[
    (1, Value::I64),
    (2, Value::Varint),
    (3, Value::Text),
    (5, Value::Message(&ANY_VALUE)),
    (6, Value::Message(&KEY_VALUE)),
    (7, Value::Varint),
    (8, Value::I32),
    (9, Value::Len),
    (10, Value::Len),
    (11, Value::I64),
    (12, Value::Text),
]);

static METRIC: Shape = Shape(&[
    (1, Value::Name),
    (2, Value::Text),
    (3, Value::Text),
    (5, Value::Message(&NUMBERS)),
    (7, Value::Message(&NUMBERS)),
    (9, Value::Message(&HISTOGRAM)),
    (10, Value::Message(&EXPONENTIAL_HISTOGRAM)),
    (11, Value::Message(&SUMMARY)),
    (12, Value::Message(&KEY_VALUE)),
]);
/// Gauge and sum.
static NUMBERS: Shape = Shape(&[(1, Value::Message(&NUMBER)), (2, Value::Varint)]);
static HISTOGRAM: Shape = Shape(&[(1, Value::Message(&HISTOGRAM_DATA_POINT)), (2, Value::Varint)]);
static EXPONENTIAL_HISTOGRAM: Shape =
    Shape(&[(1, Value::Message(&EXPONENTIAL_HISTOGRAM_DATA_POINT)), (2, Value::Varint)]);
static SUMMARY: Shape = Shape(&[(1, Value::Message(&SUMMARY_DATA_POINT))]);

static NUMBER: Shape = Shape(&[
    (2, Value::I64),
    (3, Value::I64),
    (4, Value::I64),
    (5, Value::Message(&EXEMPLAR)),
    (6, Value::I64),
    (7, Value::Message(&KEY_VALUE)),
]);
static HISTOGRAM_DATA_POINT: Shape = Shape(&[
    (2, Value::I64),
    (3, Value::I64),
    (4, Value::I64),
    (8, Value::Message(&EXEMPLAR)),
    (9, Value::Message(&KEY_VALUE)),
]);
static EXPONENTIAL_HISTOGRAM_DATA_POINT: Shape = Shape(&[
    (1, Value::Message(&KEY_VALUE)),
    (2, Value::I64),
    (3, Value::I64),
    (4, Value::I64),
    (11, Value::Message(&EXEMPLAR)),
]);
static SUMMARY_DATA_POINT: Shape =
    Shape(&[(2, Value::I64), (3, Value::I64), (4, Value::I64), (7, Value::Message(&KEY_VALUE))]);
static EXEMPLAR: Shape =
    Shape(&[(2, Value::I64), (3, Value::I64), (6, Value::I64), (7, Value::Message(&KEY_VALUE))]);

#[cfg(feature = "std")]
static SPAN: Shape = Shape(&[
    (1, Value::Len),
    (2, Value::Len),
    (3, Value::Len),
    (4, Value::Len),
    (5, Value::Len),
    (6, Value::Varint),
    (7, Value::I64),
    (8, Value::I64),
    (9, Value::Message(&KEY_VALUE)),
    (10, Value::Varint),
    (16, Value::I32),
]);
