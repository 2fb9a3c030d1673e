//! quick-protobuf, with borrowed strings (UTF-8 checked, lines as well).

use std::error::Error;

use bytes::Bytes;
use quick_protobuf::{BytesReader, MessageRead, MessageWrite, Writer};

use super::super::{Digest, Peer, Touch};
use super::quick_protobuf_types::{LabelPairAdapter, PushRequest};

pub struct QuickProtobuf;

impl Peer for QuickProtobuf {
    const NAME: &'static str = "quick-protobuf";

    type Request<'a> = PushRequest<'a>;

    fn decode(body: &Bytes) -> Result<PushRequest<'_>, Box<dyn Error>> {
        Ok(PushRequest::from_reader(&mut BytesReader::from_bytes(body), body)?)
    }

    fn digest(request: &PushRequest<'_>) -> Digest {
        let mut digest = Digest::default();
        digest.format(request.format.as_bytes());
        for stream in &request.streams {
            digest.stream(stream.labels.as_bytes(), stream.hash);
            for entry in &stream.entries {
                let timestamp = entry.timestamp.as_ref().map(|time| (time.seconds, time.nanos));
                digest.entry(timestamp, entry.line.as_bytes());
                digest.pairs(entry.structuredMetadata.iter().map(pair));
                digest.pairs(entry.parsed.iter().map(pair));
            }
        }
        digest
    }

    #[inline]
    fn touch(request: &PushRequest<'_>) -> Touch {
        let mut touch = Touch::default();
        for stream in &request.streams {
            touch.text(stream.labels.as_bytes());
            for entry in &stream.entries {
                if let Some(time) = &entry.timestamp {
                    touch.time(time.seconds, time.nanos);
                }
                touch.text(entry.line.as_bytes());
                for pair in &entry.structuredMetadata {
                    touch.label(pair.name.as_bytes(), pair.value.as_bytes());
                }
            }
        }
        touch
    }

    #[inline]
    fn encoded_len(request: &PushRequest<'_>) -> usize {
        request.get_size()
    }

    #[inline]
    fn encode(request: &PushRequest<'_>, buffer: &mut Vec<u8>) -> usize {
        buffer.clear();
        request.write_message(&mut Writer::new(&mut *buffer)).expect("a vector grows");
        buffer.len()
    }
}

fn pair<'r>(pair: &'r LabelPairAdapter<'_>) -> (&'r [u8], &'r [u8]) {
    (pair.name.as_bytes(), pair.value.as_bytes())
}
