//! The way out: what is compressed is read by others, is the same each time, and is nobody else's.

use borrowire::body::{BodyLimits, BufferPool, CompressError, Encoding, Encodings};
use borrowire::remote_write::v1::{WriteRequest, WriteRequestEncoder};
use borrowire::remote_write::{Label, Sample, TimeSeries};
use borrowire::wire::{BufferFull, Writer};
use borrowire::{Encode, EncodeErrorKind};

use super::ways;
use crate::support::codecs::{self, Random};

const WRITTEN: [Encoding; 5] =
    [Encoding::Deflate, Encoding::Gzip, Encoding::Lz4, Encoding::Snappy, Encoding::Zstd];

/// A message that is these bytes.
struct Raw<'a>(&'a [u8]);

impl Encode for Raw<'_> {
    fn encoded_len(&self) -> usize {
        self.0.len()
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        writer.write_raw(self.0)
    }
}

#[test]
fn others_read_what_is_compressed() {
    let pool = BufferPool::new();
    let mut random = Random(11);
    for len in [0, 1, 100, 32 << 10, 65_536, 700_000] {
        for bytes in [random.text(len), random.bytes(len)] {
            for encoding in WRITTEN {
                let sent = pool.compress(&Raw(&bytes), encoding).unwrap();
                let read = codecs::decode(encoding, &sent).unwrap();
                assert!(read == bytes, "{len} bytes, {encoding}");
                // And it is no longer than what others write, by more than a little.
                let theirs = codecs::encode(encoding, &bytes).len();
                assert!(sent.len() <= theirs + theirs / 50 + 64, "{len} bytes, {encoding}");
            }
            let plain = pool.compress(&Raw(&bytes), Encodings::IDENTITY).unwrap();
            assert!(*plain == *bytes);
        }
    }
    assert_eq!(pool.statistics().outstanding(), 0);
}

#[test]
fn equal_messages_give_equal_bytes() {
    let text = Random(12).text(100_000);
    let used = BufferPool::new();
    for encoding in WRITTEN {
        let first = BufferPool::new().compress(&Raw(&text), encoding).unwrap();
        for other in [&text[..100], &text[50_000..], b"", &[0; 1 << 20]] {
            drop(used.compress(&Raw(other), encoding).unwrap());
            let again = used.compress(&Raw(&text), encoding).unwrap();
            assert!(*again == *first, "{encoding}");
        }
    }
}

/// An output that shared memory with the pool would change with the next.
#[test]
fn outputs_are_their_own() {
    let (a, b) = ways::messages();
    let (a, b) = (WriteRequest::decode(&a).unwrap(), WriteRequest::decode(&b).unwrap());
    for encoding in WRITTEN {
        let pool = BufferPool::new();
        let fresh = BufferPool::new().compress(&a, encoding).unwrap();
        let x = pool.compress(&a, encoding).unwrap();
        let x_bytes = pool.compress(&a, encoding).unwrap().into_bytes();
        for _ in 0..10 {
            let y = pool.compress(&b, encoding).unwrap();
            assert_ne!(y.as_ptr(), x.as_ptr());
            assert_eq!(codecs::decode(encoding, &y).unwrap(), b.encode_to_vec().unwrap());
        }
        assert_eq!(*x, *fresh, "{encoding}");
        assert_eq!(x_bytes, *fresh, "{encoding}");
        assert_eq!(codecs::decode(encoding, &x).unwrap(), a.encode_to_vec().unwrap());
    }
}

#[test]
fn a_request_goes_out_and_comes_in_through_all_layers() {
    let pool = BufferPool::new();
    let labels = [Label::new("__name__", "up"), Label::new("job", "node")];
    let samples = [Sample::new(1.0, 1_700_000_000_000)];
    let series = [TimeSeries::new(&labels).with_samples(&samples); 50];
    let message = WriteRequestEncoder::new(series);
    for inner in WRITTEN {
        for outer in WRITTEN {
            let encodings = Encodings::new(inner).and(outer).unwrap();
            let sent = pool.compress(&message, encodings).unwrap();
            let theirs = codecs::decode_all(encodings, &sent).unwrap();
            assert_eq!(theirs, message.encode_to_vec().unwrap(), "{encodings:?}");
            let body = pool.decompress(&sent, encodings, &BodyLimits::new()).unwrap();
            let request = WriteRequest::decode(&body).unwrap();
            assert_eq!(request.timeseries().len(), 50);
        }
    }
    assert_eq!(pool.statistics().outstanding(), 0);
}

/// A message that says it is longer than protobuf allows.
struct TooLarge;

impl Encode for TooLarge {
    fn encoded_len(&self) -> usize {
        0x8000_0000
    }

    fn write_to(&self, _: &mut Writer<'_>) -> Result<(), BufferFull> {
        panic!("there is no need to try")
    }
}

#[test]
fn what_cannot_be_written_is_an_error() {
    let pool = BufferPool::new();
    match pool.compress(&TooLarge, Encoding::Snappy) {
        Err(CompressError::Encode(error)) => {
            assert_eq!(error.kind(), EncodeErrorKind::MessageTooLarge);
        }
        other => panic!("{other:?}"),
    }
    for encoding in [Encoding::SnappyFramed, Encoding::Unstated] {
        let error = pool.compress(&Raw(b"x"), encoding).unwrap_err();
        assert_eq!(error, CompressError::Unsupported(encoding));
    }
    assert_eq!(pool.statistics().outstanding(), 0);
}
