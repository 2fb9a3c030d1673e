//! Faults of pools, of reused decoders and of kept bytes: one request seen through another.

use std::sync::Arc;

use borrowire::Encode;
use borrowire::remote_write::v1::{Message, WriteRequest, WriteRequestEncoder};
use borrowire::remote_write::{Extensions, Sample, TimeSeries};
use borrowire::reuse::{Decoder, Owned, Pool};

use crate::support::bytes::{Bytes, label, request, series, small_bodies};
use crate::support::oracle::assert_same;
use crate::support::oracle::remote_write_v1::{PARTIAL, RemoteWriteV1};

/// Two requests of the same layout: a view of one that was read from the other would still look right.
fn twin(job: &str, value: f64) -> Vec<u8> {
    request(&[series(&[("__name__", "up"), ("job", job)], &[(value, 1000)])])
}

#[test]
fn a_kept_copy_does_not_change_when_the_storage_and_the_buffer_are_used_again() {
    let pool = Pool::<WriteRequest>::new();
    let mut buffer = twin("aaaaaaaa", 1.0);
    let kept =
        pool.decode(&buffer).unwrap().timeseries().get(0).unwrap().label("job").unwrap().to_owned();
    buffer.copy_from_slice(&twin("bbbbbbbb", 2.0));
    assert_eq!(pool.idle(), 1);
    let next = pool.decode(&buffer).unwrap();
    assert_eq!(pool.idle(), 0, "the same storage");
    assert_eq!(next.timeseries().get(0).unwrap().label("job"), Some("bbbbbbbb"));
    assert_eq!(kept, "aaaaaaaa");
}

#[test]
fn an_owned_request_keeps_its_body_alive_when_every_other_handle_is_gone() {
    let pool = Arc::new(Pool::<WriteRequest>::new());
    let body = ::bytes::Bytes::from(twin("aaaaaaaa", 1.0));
    let owned = [
        Owned::<WriteRequest>::decode(body.clone()).unwrap(),
        pool.decode_owned(body.clone()).unwrap(),
    ];
    let len = body.len();
    drop(body);
    drop(pool);
    // Whatever frees the body's memory too early gives it to one of these.
    let others: Vec<Vec<u8>> = (0..100).map(|_| vec![0xff; len]).collect();
    for owned in &owned {
        let series = owned.request().timeseries().get(0).unwrap();
        assert_eq!((series.metric_name(), series.label("job")), (Some("up"), Some("aaaaaaaa")));
    }
    drop(others);
}

#[test]
fn a_rich_request_leaves_nothing_in_a_bare_one_at_any_level() {
    let bare = [
        Vec::new(),
        request(&[Bytes::new()]),
        request(&[series(&[("__name__", "n")], &[])]),
        request(&[Bytes::new().len(1, "")]),
        request(&[Bytes::new().len(2, "")]),
        request(&[Bytes::new().len(3, "")]),
        request(&[Bytes::new().len(3, Bytes::new().len(1, ""))]),
        request(&[Bytes::new().len(4, "")]),
        request(&[Bytes::new().len(4, Bytes::new().len(8, "").len(11, ""))]),
        request(&[Bytes::new(), Bytes::new(), Bytes::new()]),
        Bytes::new().len(3, "").build(),
    ];
    let rich: Vec<_> = small_bodies().into_iter().map(|(_, body)| body).collect();
    let rich = rich.concat();
    let mut decoder = Decoder::<WriteRequest>::new().with_options(PARTIAL);
    for body in &bare {
        let invalid =
            [&rich[..], &request(&[series(&[("a", "b")], &[]).len(1, label(b"\xff", "c"))])]
                .concat();
        assert_eq!(decoder.decode(&invalid).unwrap().skipped().len(), 1);
        let decoded = decoder.decode(body).unwrap();
        assert_same::<RemoteWriteV1>(&decoded, &WriteRequest::decode(body).unwrap());
        assert_eq!(decoded.encode_to_vec().as_deref(), Ok(&body[..]));
    }
    assert_eq!(decoder.decode(&[]).unwrap().extensions(), Extensions::new());
}

#[test]
fn an_edited_series_is_encoded_from_its_parts_and_not_from_kept_bytes() {
    let body = twin("aaaaaaaa", 1.0);
    let decoded = WriteRequest::decode(&body).unwrap();
    let series = decoded.timeseries().get(0).unwrap();
    let samples = [series.samples(), &[Sample::new(9.0, 3000)]].concat();
    let edited = series.with_samples(&samples);
    let encoder = WriteRequestEncoder::new([edited]);
    let encoded = encoder.encode_to_vec().unwrap();
    assert_eq!(encoded.len(), encoder.encoded_len());
    let again = WriteRequest::decode(&encoded).unwrap();
    assert_eq!(again.timeseries().get(0).unwrap().samples(), samples);
    assert_eq!(again.timeseries().get(0).unwrap().labels(), series.labels());
    // The raw bytes belong to the request, and stay what was received.
    assert_eq!(decoded.raw_timeseries(0), Some(&body[..]));
    let renamed = TimeSeries::new(&series.labels()[..1]);
    assert_eq!(
        Message(renamed).encode_to_vec().unwrap(),
        Bytes::new().len(1, label("__name__", "up")).build()
    );
}
