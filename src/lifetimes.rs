//! What the compiler must refuse, each beside a twin that it accepts: views that outlive their
//! bytes.

/// Text outlives the storage, but never the body:
///
/// ```
/// # use borrowire::remote_write::v1::WriteRequest;
/// let body = b"\x0a\x0d\x0a\x0b\x0a\x01a\x12\x06metric".to_vec();
/// let name = {
///     let request = WriteRequest::decode(&body).unwrap();
///     request.timeseries().get(0).unwrap().labels()[0].value
/// };
/// assert_eq!(name, "metric");
/// ```
///
/// ```compile_fail,E0597
/// # use borrowire::remote_write::v1::WriteRequest;
/// let name = {
///     let body = b"\x0a\x0d\x0a\x0b\x0a\x01a\x12\x06metric".to_vec();
///     let request = WriteRequest::decode(&body).unwrap();
///     request.timeseries().get(0).unwrap().labels()[0].value
/// };
/// assert_eq!(name, "metric");
/// ```
///
/// While a request lives, nobody can write to its body:
///
/// ```
/// # use borrowire::remote_write::v1::WriteRequest;
/// let mut body = vec![0x0a, 0x00];
/// let request = WriteRequest::decode(&body).unwrap();
/// assert_eq!(request.timeseries().len(), 1);
/// body[0] = 0x1a;
/// ```
///
/// ```compile_fail,E0502
/// # use borrowire::remote_write::v1::WriteRequest;
/// let mut body = vec![0x0a, 0x00];
/// let request = WriteRequest::decode(&body).unwrap();
/// body[0] = 0x1a;
/// assert_eq!(request.timeseries().len(), 1);
/// ```
struct Body;

/// Views into the storage end when it is used again.
///
/// ```
/// # use borrowire::remote_write::v1::WriteRequest;
/// let request = WriteRequest::decode(&[0x0a, 0x00]).unwrap();
/// let series = request.timeseries().get(0).unwrap();
/// assert!(series.labels().is_empty());
/// let idle: WriteRequest<'static> = request.recycle();
/// ```
///
/// ```compile_fail,E0505
/// # use borrowire::remote_write::v1::WriteRequest;
/// let request = WriteRequest::decode(&[0x0a, 0x00]).unwrap();
/// let series = request.timeseries().get(0).unwrap();
/// let idle: WriteRequest<'static> = request.recycle();
/// assert!(series.labels().is_empty());
/// ```
struct Recycle;

/// A view cannot outlive the guard, which holds its storage; text can.
///
/// ```
/// # use borrowire::{remote_write::v1::WriteRequest, reuse::Pool};
/// let pool = Pool::<WriteRequest>::new();
/// let body = *b"\x0a\x0d\x0a\x0b\x0a\x01a\x12\x06metric";
/// let request = pool.decode(&body).unwrap();
/// let series = request.timeseries().get(0).unwrap();
/// let value = series.labels()[0].value;
/// drop(request);
/// assert_eq!(value, "metric");
/// ```
///
/// ```compile_fail,E0505
/// # use borrowire::{remote_write::v1::WriteRequest, reuse::Pool};
/// let pool = Pool::<WriteRequest>::new();
/// let body = *b"\x0a\x0d\x0a\x0b\x0a\x01a\x12\x06metric";
/// let request = pool.decode(&body).unwrap();
/// let series = request.timeseries().get(0).unwrap();
/// drop(request);
/// let value = series.labels()[0].value;
/// assert_eq!(value, "metric");
/// ```
///
/// Nor can the request itself outlive the pool:
///
/// ```
/// # use borrowire::{remote_write::v1::WriteRequest, reuse::Pool};
/// let body = [0x0a, 0x00];
/// let pool = Pool::<WriteRequest>::new();
/// let request = { pool.decode(&body).unwrap() };
/// assert_eq!(request.timeseries().len(), 1);
/// ```
///
/// ```compile_fail,E0597
/// # use borrowire::{remote_write::v1::WriteRequest, reuse::Pool};
/// let body = [0x0a, 0x00];
/// let request = {
///     let pool = Pool::<WriteRequest>::new();
///     pool.decode(&body).unwrap()
/// };
/// assert_eq!(request.timeseries().len(), 1);
/// ```
struct Pool;

/// One request at a time.
///
/// ```
/// # use borrowire::{remote_write::v1::WriteRequest, reuse::Decoder};
/// let mut decoder = Decoder::<WriteRequest>::new();
/// let first = decoder.decode(&[0x0a, 0x00]).unwrap();
/// assert_eq!(first.timeseries().len(), 1);
/// drop(first);
/// let second = decoder.decode(&[]).unwrap();
/// ```
///
/// ```compile_fail,E0499
/// # use borrowire::{remote_write::v1::WriteRequest, reuse::Decoder};
/// let mut decoder = Decoder::<WriteRequest>::new();
/// let first = decoder.decode(&[0x0a, 0x00]).unwrap();
/// let second = decoder.decode(&[]).unwrap();
/// assert_eq!(first.timeseries().len(), 1);
/// ```
struct Decoder;

/// The text of an owned request lives as long as it does.
///
/// ```
/// # use borrowire::{remote_write::v1::WriteRequest, reuse::Owned};
/// let body = &b"\x0a\x0d\x0a\x0b\x0a\x01a\x12\x06metric"[..];
/// let owned = Owned::<WriteRequest>::decode(body).unwrap();
/// let value = owned.request().timeseries().get(0).unwrap().labels()[0].value.to_owned();
/// drop(owned);
/// assert_eq!(value, "metric");
/// ```
///
/// ```compile_fail,E0505
/// # use borrowire::{remote_write::v1::WriteRequest, reuse::Owned};
/// let body = &b"\x0a\x0d\x0a\x0b\x0a\x01a\x12\x06metric"[..];
/// let owned = Owned::<WriteRequest>::decode(body).unwrap();
/// let value = owned.request().timeseries().get(0).unwrap().labels()[0].value;
/// drop(owned);
/// assert_eq!(value, "metric");
/// ```
struct Owned;

/// Bodies own their buffers: what is decoded ends with them, and each is given back once.
///
/// ```
/// # use borrowire::body::{BodyLimits, BufferPool, Encoding};
/// # use borrowire::remote_write::v1::WriteRequest;
/// let pool = BufferPool::new();
/// let request = WriteRequest::decode(&[0x0a, 0x00]).unwrap();
/// let sent = pool.compress(&request, Encoding::Snappy).unwrap();
/// let mut receiver = pool.receive(Encoding::Snappy, &BodyLimits::new(), None).unwrap();
/// receiver.push(&sent).unwrap();
/// drop(sent);
/// let body = receiver.finish().unwrap();
/// let request = WriteRequest::decode(&body).unwrap();
/// assert_eq!(request.timeseries().len(), 1);
/// drop(body);
/// ```
///
/// A slice of compressed output cannot outlive the output, whose buffer is then the next one's:
///
/// ```compile_fail,E0505
/// # use borrowire::{body::{BufferPool, Encoding}, remote_write::v1::WriteRequest};
/// # let pool = BufferPool::new();
/// # let request = WriteRequest::decode(&[0x0a, 0x00]).unwrap();
/// let sent = pool.compress(&request, Encoding::Snappy).unwrap();
/// let bytes: &[u8] = &sent;
/// drop(sent);
/// println!("{}", bytes.len());
/// ```
///
/// A receiver that has finished takes no more:
///
/// ```compile_fail,E0382
/// # use borrowire::body::{BodyLimits, BufferPool, Encoding};
/// # let pool = BufferPool::new();
/// let mut receiver = pool.receive(Encoding::Snappy, &BodyLimits::new(), None).unwrap();
/// let body = receiver.finish().unwrap();
/// receiver.push(&[0x00]).unwrap();
/// ```
///
/// A body is given back once, and cannot be doubled:
///
/// ```compile_fail,E0382
/// # use borrowire::body::{BodyLimits, BufferPool, Encodings};
/// # let pool = BufferPool::new();
/// let body = pool.decompress(&[0x0a, 0x00], Encodings::IDENTITY, &BodyLimits::new()).unwrap();
/// drop(body);
/// drop(body);
/// ```
///
/// ```compile_fail,E0599
/// # use borrowire::body::{BodyLimits, BufferPool, Encodings};
/// # let pool = BufferPool::new();
/// let body = pool.decompress(&[0x0a, 0x00], Encodings::IDENTITY, &BodyLimits::new()).unwrap();
/// let copy = body.clone();
/// ```
///
/// Its bytes cannot be handed on while a view of them lives:
///
/// ```compile_fail,E0505
/// # use borrowire::body::{BodyLimits, BufferPool, Encodings};
/// # use borrowire::remote_write::v1::WriteRequest;
/// # let pool = BufferPool::new();
/// let body = pool.decompress(&[0x0a, 0x00], Encodings::IDENTITY, &BodyLimits::new()).unwrap();
/// let request = WriteRequest::decode(&body).unwrap();
/// let bytes = body.into_bytes();
/// println!("{}", request.timeseries().len());
/// ```
struct Bodies;
