//! What tells the requests of OTLP from other messages, and from each other.

use crate::message::shape::{Shape, Value};

pub(super) static LOGS: Shape = Shape(&[(1, Value::Record(&RESOURCE_LOGS))]);
pub(super) static METRICS: Shape = Shape(&[(1, Value::Record(&RESOURCE_METRICS))]);
pub(super) static TRACES: Shape = Shape(&[(1, Value::Record(&RESOURCE_SPANS))]);

static RESOURCE_LOGS: Shape =
    Shape(&[(1, Value::Message(&RESOURCE)), (2, Value::Message(&SCOPE_LOGS)), (3, Value::Len)]);
static RESOURCE_METRICS: Shape =
    Shape(&[(1, Value::Message(&RESOURCE)), (2, Value::Message(&SCOPE_METRICS)), (3, Value::Len)]);
static RESOURCE_SPANS: Shape =
    Shape(&[(1, Value::Message(&RESOURCE)), (2, Value::Message(&SCOPE_SPANS)), (3, Value::Len)]);

static SCOPE_LOGS: Shape =
    Shape(&[(1, Value::Message(&SCOPE)), (2, Value::Message(&LOG_RECORD)), (3, Value::Len)]);
static SCOPE_METRICS: Shape =
    Shape(&[(1, Value::Message(&SCOPE)), (2, Value::Message(&METRIC)), (3, Value::Len)]);
static SCOPE_SPANS: Shape =
    Shape(&[(1, Value::Message(&SCOPE)), (2, Value::Message(&SPAN)), (3, Value::Len)]);

static RESOURCE: Shape = Shape(&[(1, Value::Message(&KEY_VALUE)), (2, Value::Varint)]);
static SCOPE: Shape = Shape(&[
    (1, Value::Name),
    (2, Value::Name),
    (3, Value::Message(&KEY_VALUE)),
    (4, Value::Varint),
]);
static KEY_VALUE: Shape = Shape(&[(1, Value::Name), (2, Value::Message(&ANY_VALUE))]);
static ANY_VALUE: Shape = Shape(&[
    (1, Value::Len),
    (2, Value::Varint),
    (3, Value::Varint),
    (4, Value::I64),
    (5, Value::Len),
    (6, Value::Len),
    (7, Value::Len),
]);

static LOG_RECORD: Shape = Shape(&[
    (1, Value::I64),
    (2, Value::Varint),
    (3, Value::Len),
    (5, Value::Message(&ANY_VALUE)),
    (6, Value::Message(&KEY_VALUE)),
    (7, Value::Varint),
    (8, Value::I32),
    (9, Value::Len),
    (10, Value::Len),
    (11, Value::I64),
]);
static METRIC: Shape = Shape(&[
    (1, Value::Name),
    (2, Value::Len),
    (3, Value::Len),
    (5, Value::Len),
    (7, Value::Len),
    (9, Value::Len),
    (10, Value::Len),
    (11, Value::Len),
    (12, Value::Message(&KEY_VALUE)),
]);
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
