//! What tells a push from other messages, and where its text is. A line is bytes.

use crate::message::shape::{Shape, Value};

pub(crate) static PUSH_REQUEST: Shape = Shape(&[(1, Value::Record(&STREAM)), (2, Value::Text)]);

static STREAM: Shape = Shape(&[
    (1, Value::Always(&Value::Begins(b'{'))),
    (2, Value::Message(&ENTRY)),
    (3, Value::Varint),
]);

static ENTRY: Shape = Shape(&[
    (1, Value::Message(&TIMESTAMP)),
    (2, Value::Len),
    (3, Value::Message(&LABEL_PAIR)),
    (4, Value::Message(&LABEL_PAIR)),
]);

static TIMESTAMP: Shape = Shape(&[(1, Value::Varint), (2, Value::Varint)]);

static LABEL_PAIR: Shape = Shape(&[(1, Value::Name), (2, Value::Text)]);
