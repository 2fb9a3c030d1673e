//! This crate.

use std::error::Error;

use borrowire::Encode;
use borrowire::otlp::AnyValue;
use borrowire::otlp::logs::ExportLogsServiceRequest;
use bytes::Bytes;

use super::super::otlp::borrowire::{
    add_attributes, add_resource, add_scope, add_value, touch_attributes,
};
use super::super::{Digest, Peer, Touch};

pub struct Borrowire;

impl Peer for Borrowire {
    const NAME: &'static str = "borrowire";

    type Request<'a> = ExportLogsServiceRequest<'a>;

    fn decode(body: &Bytes) -> Result<ExportLogsServiceRequest<'_>, Box<dyn Error>> {
        Ok(ExportLogsServiceRequest::decode(body)?)
    }

    fn digest(request: &ExportLogsServiceRequest<'_>) -> Digest {
        let mut digest = Digest::default();
        for logs in request.resource_logs() {
            digest.resource();
            add_resource(&mut digest, logs.resource);
            digest.text(logs.schema_url.as_bytes());
            for logs in logs.scope_logs {
                add_scope(&mut digest, logs.scope);
                digest.text(logs.schema_url.as_bytes());
                for record in logs.log_records {
                    digest.log_record(record.time_unix_nano);
                    digest.word(record.observed_time_unix_nano);
                    digest.int(record.severity_number.0.into());
                    digest.text(record.severity_text.as_bytes());
                    add_value(&mut digest, record.body);
                    add_attributes(&mut digest, record.attributes);
                    digest.word(record.dropped_attributes_count.into());
                    digest.word(record.flags.into());
                    digest.text(record.trace_id.as_ref().map_or(&[], |id| &id.0));
                    digest.text(record.span_id.as_ref().map_or(&[], |id| &id.0));
                    digest.text(record.event_name.as_bytes());
                }
            }
        }
        digest
    }

    #[inline]
    fn touch(request: &ExportLogsServiceRequest<'_>) -> Touch {
        let mut touch = Touch::default();
        for logs in request.resource_logs() {
            for logs in logs.scope_logs {
                for record in logs.log_records {
                    touch.time(record.time_unix_nano.cast_signed(), record.severity_number.0);
                    if let Some(AnyValue::String(text)) = record.body {
                        touch.text(text.as_bytes());
                    }
                    touch_attributes(&mut touch, record.attributes);
                }
            }
        }
        touch
    }

    #[inline]
    fn encoded_len(request: &ExportLogsServiceRequest<'_>) -> usize {
        request.encoded_len()
    }

    #[inline]
    fn encode(request: &ExportLogsServiceRequest<'_>, buffer: &mut Vec<u8>) -> usize {
        request.encode(buffer).expect("the buffer is longer than the message")
    }
}
