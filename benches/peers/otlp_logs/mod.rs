//! OTLP logs.

mod borrowire;
mod buffa;
mod prost;

pub use self::borrowire::Borrowire;
pub use self::buffa::Buffa;
pub use self::prost::ProstString;

use std::error::Error;

use bytes::Bytes;

use super::{Content, Digest, check, for_every_peer};

/// Checks that all implementations read and write the same content; returns it.
pub fn check_all(body: &Bytes) -> Result<Digest, Box<dyn Error>> {
    let expected = Content::of::<ProstString>(body)?;
    for_every_peer!(
        otlp_logs, Peer => check::<Peer, ProstString>(body, &expected)?,
        [Borrowire ProstString Buffa]
    );
    Ok(expected.digest)
}

/// `Peer::digest` and `Peer::touch` of generated types, by how a message field is an option.
macro_rules! impl_reading {
    (|$message:ident| $option:expr) => {
        fn digest(request: &Self::Request<'_>) -> Digest {
            let mut digest = Digest::default();
            let digest_ref = &mut digest;
            for logs in request.resource_logs.iter() {
                digest_ref.resource();
                let $message = &logs.resource;
                add_resource!(digest_ref, $option);
                digest_ref.text(logs.schema_url.as_bytes());
                for logs in logs.scope_logs.iter() {
                    let $message = &logs.scope;
                    add_scope!(digest_ref, $option);
                    digest_ref.text(logs.schema_url.as_bytes());
                    for record in logs.log_records.iter() {
                        digest_ref.log_record(record.time_unix_nano);
                        digest_ref.word(record.observed_time_unix_nano);
                        digest_ref.int(record.severity_number.number().into());
                        digest_ref.text(record.severity_text.as_bytes());
                        let $message = &record.body;
                        add_value(digest_ref, $option);
                        record.attributes.iter().for_each(|it| add_key_value(digest_ref, it));
                        digest_ref.word(record.dropped_attributes_count.into());
                        digest_ref.word(record.flags.into());
                        digest_ref.text(&record.trace_id);
                        digest_ref.text(&record.span_id);
                        digest_ref.text(record.event_name.as_bytes());
                    }
                }
            }
            digest
        }

        #[inline]
        fn touch(request: &Self::Request<'_>) -> Touch {
            let mut touch = Touch::default();
            for logs in request.resource_logs.iter() {
                for logs in logs.scope_logs.iter() {
                    for record in logs.log_records.iter() {
                        touch.time(
                            record.time_unix_nano.cast_signed(),
                            record.severity_number.number(),
                        );
                        let $message = &record.body;
                        if let Some(Value::StringValue(text)) =
                            $option.and_then(|body| body.value.as_ref())
                        {
                            touch.text(text.as_bytes());
                        }
                        record.attributes.iter().for_each(|it| touch_key_value(&mut touch, it));
                    }
                }
            }
            touch
        }
    };
}
use impl_reading;
