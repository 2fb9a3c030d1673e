//! What tells a request of 2.0 from other messages, and where its text is.

use crate::message::shape::{Shape, Value};
use crate::remote_write::model::shape::{HISTOGRAM, SAMPLE};

pub(crate) static REQUEST: Shape =
    Shape(&[(4, Value::Always(&Value::Text)), (5, Value::Record(&TIME_SERIES))]);

static TIME_SERIES: Shape = Shape(&[
    (1, Value::Numbers),
    (2, Value::Message(&SAMPLE)),
    (3, Value::Message(&HISTOGRAM)),
    (4, Value::Message(&EXEMPLAR)),
    (5, Value::Message(&METADATA)),
    (6, Value::Varint),
]);

static EXEMPLAR: Shape = Shape(&[(1, Value::Numbers), (2, Value::I64), (3, Value::Varint)]);

static METADATA: Shape = Shape(&[(1, Value::Varint), (3, Value::Varint), (4, Value::Varint)]);
