//! This crate.

use std::error::Error;

use borrowire::Encode;
use borrowire::loki::{LabelPair, PushRequest};
use bytes::Bytes;

use super::super::{Digest, Peer, Touch};

pub struct Borrowire;

impl Peer for Borrowire {
    const NAME: &'static str = "borrowire";

    type Request<'a> = PushRequest<'a>;

    fn decode(body: &Bytes) -> Result<PushRequest<'_>, Box<dyn Error>> {
        Ok(PushRequest::decode(body)?)
    }

    fn digest(request: &PushRequest<'_>) -> Digest {
        let mut digest = Digest::default();
        digest.format(request.format().as_bytes());
        for stream in request.streams() {
            digest.stream(stream.labels().as_bytes(), stream.hash());
            for entry in stream.entries() {
                let timestamp = entry.timestamp().map(|time| (time.seconds, time.nanos));
                digest.entry(timestamp, entry.line());
                digest.pairs(entry.structured_metadata().iter().map(pair));
                digest.pairs(entry.parsed().iter().map(pair));
            }
        }
        digest
    }

    #[inline]
    fn touch(request: &PushRequest<'_>) -> Touch {
        let mut touch = Touch::default();
        for stream in request.streams() {
            touch.text(stream.labels().as_bytes());
            for entry in stream.entries() {
                if let Some(time) = entry.timestamp() {
                    touch.time(time.seconds, time.nanos);
                }
                touch.text(entry.line());
                for pair in entry.structured_metadata() {
                    touch.label(pair.name.as_bytes(), pair.value.as_bytes());
                }
            }
        }
        touch
    }

    #[inline]
    fn encoded_len(request: &PushRequest<'_>) -> usize {
        request.encoded_len()
    }

    #[inline]
    fn encode(request: &PushRequest<'_>, buffer: &mut Vec<u8>) -> usize {
        request.encode(buffer).expect("the buffer is longer than the message")
    }
}

fn pair<'a>(pair: &LabelPair<'a>) -> (&'a [u8], &'a [u8]) {
    (pair.name.as_bytes(), pair.value.as_bytes())
}
