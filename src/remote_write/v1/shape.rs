//! What tells a `WriteRequest` from other messages, and where its text is.

use crate::message::shape::{Shape, Value};
use crate::remote_write::model::shape::{HISTOGRAM, SAMPLE};

pub(crate) static WRITE_REQUEST: Shape = Shape(&[
    (1, Value::Record(&TIME_SERIES)),
    (2, Value::Varint),
    (3, Value::Record(&METRIC_METADATA)),
]);

static TIME_SERIES: Shape = Shape(&[
    (1, Value::Message(&LABEL)),
    (2, Value::Message(&SAMPLE)),
    (3, Value::Message(&EXEMPLAR)),
    (4, Value::Message(&HISTOGRAM)),
    (6, Value::Varint),
]);

static LABEL: Shape = Shape(&[(1, Value::Name), (2, Value::Text)]);

static EXEMPLAR: Shape = Shape(&[(1, Value::Message(&LABEL)), (2, Value::I64), (3, Value::Varint)]);

static METRIC_METADATA: Shape =
    Shape(&[(1, Value::Varint), (2, Value::Name), (4, Value::Text), (5, Value::Text)]);
