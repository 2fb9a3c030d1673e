//! After the first requests, reading allocates nothing: whichever way requests are decoded, and
//! whatever is done with them.

use std::hint::black_box;
use std::sync::Arc;

use borrowire::remote_write::v1::{DecodeOptions, WriteRequest};
use borrowire::remote_write::{Histogram, NameScheme, Rules};
use borrowire::reuse::{Decoder, Pool};

use crate::{bytes, heap};

/// Requests with something of everything, and a series too long for any first guess of capacity.
fn bodies() -> Vec<Vec<u8>> {
    let mut bodies: Vec<_> = bytes::small_bodies().into_iter().map(|(_, body)| body).collect();
    bodies.push(bodies.concat().repeat(50));
    let labels =
        bytes::Bytes::new().len(1, bytes::label("a", b"\xff")).len(1, bytes::label("c", "d"));
    bodies.push(bytes::request(&[labels, bytes::series(&[("a", "b"); 40], &[(1.0, 1 << 40); 40])]));
    bodies
}

/// Reads everything that a request shows.
fn read(request: &WriteRequest<'_>) -> usize {
    let mut sum = request.skipped().len() + usize::from(request.has_unknown_fields());
    for (i, series) in request.timeseries().iter().enumerate() {
        sum +=
            series.labels().iter().map(|label| label.name.len() + label.value.len()).sum::<usize>();
        sum += series.samples().iter().filter(|sample| sample.is_stale_marker()).count();
        sum += series.exemplars().iter().map(|exemplar| exemplar.labels().len()).sum::<usize>();
        sum += series.metric_name().map_or(0, str::len) + usize::from(series.has_sorted_labels());
        sum += request.raw_timeseries(i).map_or(0, <[u8]>::len);
        let buckets =
            |h: Histogram<'_>| h.positive_buckets(99).count() + h.negative_buckets(99).count();
        sum += series.histograms().iter().map(buckets).sum::<usize>();
        sum += usize::from(series.created_timestamp() != 0);
    }
    sum += request.metadata().iter().map(|metadata| metadata.help.len()).sum::<usize>();
    for names in [NameScheme::Classic, NameScheme::Utf8] {
        request.validate(&Rules::new().with_names(names), |_| sum += 1);
    }
    sum
}

pub fn run() {
    let _profiler = heap::profiler();
    let bodies = bodies();
    let partial = DecodeOptions::new().with_partial(true);

    let mut decoder = Decoder::<WriteRequest>::new().with_options(partial);
    let mut decode_all = || {
        for body in &bodies {
            black_box(read(&decoder.decode(body).unwrap()));
            // Requests that fail give the storage back, too.
            assert!(decoder.decode(&body[..body.len() - 1]).is_err());
        }
    };
    decode_all();
    assert_eq!(heap::blocks(&mut decode_all), 0, "decoder");

    let pool = Pool::<WriteRequest>::new().with_options(partial);
    // Two at a time, so that both storages are ready.
    let pool_all = || {
        let first = pool.decode(&bodies[0]).unwrap();
        for body in &bodies {
            black_box(read(&pool.decode(body).unwrap()));
            assert!(pool.decode(&body[..body.len() - 1]).is_err());
        }
        black_box(read(&first));
    };
    pool_all();
    pool_all();
    assert_eq!(heap::blocks(pool_all), 0, "pool");

    let mut request = WriteRequest::default();
    let mut recycle_all = || {
        for body in &bodies {
            request.decode_into(body, &partial).unwrap();
            black_box(read(&request));
            let capacity = request.capacity_bytes();
            request = std::mem::take(&mut request).recycle();
            assert_eq!(request.capacity_bytes(), capacity, "recycling keeps every allocation");
        }
    };
    recycle_all();
    assert_eq!(heap::blocks(&mut recycle_all), 0, "recycle");

    // An owned request is one block, which holds body and storage together.
    let shared = Arc::new(Pool::<WriteRequest>::new().with_options(partial));
    let owned: Vec<_> = bodies.into_iter().map(::bytes::Bytes::from).collect();
    let mut copies: Vec<_> = Vec::with_capacity(owned.len());
    let mut decode_owned = || {
        copies.extend(owned.iter().cloned());
        let mut blocks = Vec::with_capacity(copies.len());
        for body in copies.drain(..) {
            blocks.push(heap::blocks(|| {
                black_box(read(shared.decode_owned(body).unwrap().request()))
            }));
        }
        blocks
    };
    decode_owned();
    decode_owned();
    assert!(decode_owned().iter().all(|&blocks| blocks == 1), "owned");
}
