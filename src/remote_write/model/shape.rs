//! What tells the messages that both versions have from others.

use crate::message::shape::{Shape, Value};

pub(in crate::remote_write) static SAMPLE: Shape =
    Shape(&[(1, Value::I64), (2, Value::Varint), (3, Value::Varint)]);

/// Without its lists.
pub(in crate::remote_write) static HISTOGRAM: Shape = Shape(&[
    (1, Value::Varint),
    (2, Value::I64),
    (3, Value::I64),
    (4, Value::Varint),
    (5, Value::I64),
    (6, Value::Varint),
    (7, Value::I64),
    (14, Value::Varint),
    (15, Value::Varint),
]);
