//! Remote write 2.0: after the first requests reading allocates nothing, and hostile bytes make the decoder
//! allocate a few bytes for each of theirs.

use std::hint::black_box;
use std::sync::Arc;

use borrowire::remote_write::v2::{DecodeOptions, Format, Request};
use borrowire::reuse::{Decoder, Pool};

use crate::bytes::Bytes;
use crate::bytes::v2::{refs, request, small_bodies, symbols};
use crate::heap;

/// Requests with something of everything, and one too long for any first guess of capacity.
fn bodies() -> Vec<Vec<u8>> {
    let mut bodies: Vec<_> = small_bodies().into_iter().map(|(_, body)| body).collect();
    bodies.push(bodies.concat().repeat(50));
    let bad = [
        refs(&[0, 9]),
        refs(&[0]),
        Bytes::new().len(5, [0x18, 9]),
        Bytes::new().len(4, refs(&[0, 9])).len(4, refs(&[0, 1])).len(4, refs(&[0])),
    ];
    bodies.push(symbols(&["", "a"]).raw(request(&["b"], &bad)).build());
    bodies
        .push(Bytes::new().len(4, b"\xff").len(5, refs(&[1, 0])).raw(symbols(&["b"; 99])).build());
    bodies
}

/// Reads everything that a request shows.
fn read(request: &Request<'_>) -> usize {
    let mut sum = request.skipped().len() + usize::from(request.has_unknown_fields());
    sum += request.symbols().iter().flatten().map(str::len).sum::<usize>();
    for (i, series) in request.timeseries().iter().enumerate() {
        sum +=
            series.labels().iter().map(|label| label.name.len() + label.value.len()).sum::<usize>();
        sum += series.samples().iter().filter(|sample| sample.start_timestamp != 0).count();
        sum += series.exemplars().iter().map(|exemplar| exemplar.labels().len()).sum::<usize>();
        sum += series.metadata().map_or(0, |metadata| metadata.help.len());
        sum += series.histograms().iter().map(|h| h.positive_buckets(99).count()).sum::<usize>();
        let refs = request.refs(i).expect("it was decoded from a body");
        sum += refs.labels().chain(refs.exemplars().flatten()).count();
        sum += usize::from(refs.metadata().is_some());
    }
    sum
}

fn reading_allocates_nothing() {
    let bodies = bodies();
    let partial = DecodeOptions::new().with_partial(true);

    let mut decoder = Decoder::<Request>::new().with_options(partial);
    let mut decode_all = || {
        for body in &bodies {
            black_box(read(&decoder.decode(body).unwrap()));
            // Requests that fail give the storage back, too.
            assert!(decoder.decode(&body[..body.len() - 1]).is_err());
        }
    };
    decode_all();
    assert_eq!(heap::blocks(&mut decode_all), 0, "decoder");

    let mut mimir =
        Decoder::<Request>::new().with_options(partial.with_format(Format::MimirRecord));
    let record = request(&["", "up"], &[refs(&[1, 65])]);
    assert_eq!(mimir.decode(&record).unwrap().labels_len(), 1);
    assert_eq!(heap::blocks(|| mimir.decode(&record).map(drop)), 0, "common symbols");

    let pool = Pool::<Request>::new().with_options(partial);
    // Two at a time, so that both storages are ready.
    let pool_all = || {
        let first = pool.decode(&bodies[0]).unwrap();
        for body in &bodies {
            black_box(read(&pool.decode(body).unwrap()));
        }
        black_box(read(&first));
    };
    pool_all();
    pool_all();
    assert_eq!(heap::blocks(pool_all), 0, "pool");

    let mut request = Request::default();
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
    let shared = Arc::new(Pool::<Request>::new().with_options(partial));
    let owned: Vec<_> = bodies.into_iter().map(::bytes::Bytes::from).collect();
    let decode_owned = |body: &::bytes::Bytes| {
        let body = body.clone();
        heap::blocks(|| black_box(read(shared.decode_owned(body).unwrap().request())))
    };
    owned.iter().chain(&owned).for_each(|body| _ = decode_owned(body));
    assert!(owned.iter().all(|body| decode_owned(body) == 1), "owned");
}

/// Bytes of storage for one byte of input, at the most.
const FACTOR: usize = 24;
/// Bytes that each kind of element may take beyond that, for the first few.
const FIRST: usize = 512;

/// A flood: its name, how many lists of storage it fills, what makes a body of so many elements.
type Flood = (&'static str, usize, Box<dyn Fn(usize) -> Vec<u8>>);

/// `piece` over and over, in the message that the fields `way` lead to, behind one symbol.
fn flood(name: &'static str, lists: usize, way: &'static [u32], piece: &[u8]) -> Flood {
    let piece = piece.to_vec();
    let body = move |count| {
        let content = piece.repeat(count);
        let content =
            way.iter().rev().fold(content, |inner, &field| Bytes::new().len(field, inner).build());
        symbols(&[""]).raw(content).build()
    };
    (name, lists + 1, Box::new(body))
}

fn floods() -> Vec<Flood> {
    let series = |content: Bytes| Bytes::new().len(5, content).build();
    let exemplar = |content: Bytes| Bytes::new().len(4, content).build();
    let bad = refs(&[9, 9]);
    let mut floods = vec![
        flood("symbols", 0, &[], &[0x22, 0x00]),
        flood("symbols of a byte", 0, &[], b"\x22\x01a"),
        flood("symbols that are no text", 0, &[], b"\x22\x01\xff"),
        flood("series", 1, &[], &[0x2a, 0x00]),
        flood("packed references", 2, &[5, 1], &[0, 0]),
        flood("references in blocks of two", 2, &[5], refs(&[0, 0]).as_ref()),
        flood("references one by one", 2, &[5], &[8, 0, 8, 0]),
        flood("series of a label", 2, &[], &series(refs(&[0, 0]))),
        flood("samples", 2, &[5], &[0x12, 0x00]),
        flood("series of a sample", 2, &[], &series(Bytes::new().len(2, ""))),
        flood("exemplars", 2, &[5], &[0x22, 0x00]),
        flood("exemplars of a label", 3, &[5], &exemplar(refs(&[0, 0]))),
        flood("exemplar labels", 3, &[5, 4, 1], &[0, 0]),
        flood("histograms", 3, &[5], &[0x1a, 0x00]),
        flood("packed deltas", 4, &[5, 3, 12], &[1]),
        flood("spans", 4, &[5, 3], &[0x42, 0x00]),
        flood("series with metadata", 2, &[], &series(Bytes::new().len(5, ""))),
        flood("metadata of one series", 2, &[5], &[0x2a, 0x00]),
        flood("created timestamps", 2, &[], &series(Bytes::new().int(6, 1))),
        flood(
            "metadata and created timestamps",
            3,
            &[],
            &series(Bytes::new().len(5, "").int(6, 1)),
        ),
        flood("symbols and series", 1, &[], &[0x22, 0x00, 0x2a, 0x00]),
        flood("everything in a series", 6, &[5], b"\x0a\x02\0\0\x12\0\x1a\0\x22\0\x2a\0"),
        flood("bad series", 2, &[], &series(bad.clone())),
        flood("odd series", 2, &[], &series(Bytes::new().len(1, [0]))),
        flood("bad exemplars", 3, &[5], &exemplar(Bytes::new().varint(1, 0))),
        flood("series of a bad exemplar", 3, &[], &series(Bytes::new().len(4, [8, 0]))),
        flood("bad series with labels", 2, &[], &series(refs(&[0, 0, 0, 0, 0, 9]))),
        flood("bad series with exemplars", 3, &[], &{
            series(bad.raw(exemplar(refs(&[0, 0]))).raw(exemplar(refs(&[0, 0]))))
        }),
    ];
    // Series that are read a second time, because the last reference is to a symbol behind them.
    let again =
        |content: Bytes| symbols(&[""]).len(5, content.raw(refs(&[0, 1]))).len(4, "a").build();
    floods.push((
        "labels read twice",
        3,
        Box::new(move |count| again(Bytes::new().len(1, [0, 0].repeat(count)))),
    ));
    floods.push((
        "exemplar labels read twice",
        5,
        Box::new(move |count| {
            again(Bytes::new().len(4, Bytes::new().len(1, [0, 0].repeat(count))))
        }),
    ));
    floods.push((
        "deltas read twice",
        6,
        Box::new(move |count| again(Bytes::new().len(3, Bytes::new().len(12, [1].repeat(count))))),
    ));
    floods.push((
        "histograms read twice",
        5,
        Box::new(move |count| again(Bytes::new().raw([0x1a, 0x00].repeat(count)))),
    ));
    floods.push((
        "histograms with a delta read twice",
        6,
        Box::new(move |count| again(Bytes::new().raw([0x1a, 0x02, 0x48, 0x01].repeat(count)))),
    ));
    floods
}

/// Numbers of elements just behind each step of a list that grows by a third, where most is in reserve,
/// and some small ones.
fn counts() -> impl Iterator<Item = usize> {
    let steps = std::iter::successors(Some(16_usize), |step| Some(step + (step / 3).max(16)));
    let steps = steps.take_while(|&step| step < 20_000);
    [0, 1, 2, 15, 16].into_iter().chain(steps.flat_map(|step| [step - 1, step, step + 1]))
}

fn floods_take_a_bounded_multiple() {
    let options = DecodeOptions::new().with_partial(true);
    for (name, lists, make) in floods() {
        for count in counts() {
            let body = make(count);
            let mut capacity = 0;
            let peak = heap::peak_bytes(|| {
                let request = Request::decode_with(&body, &options).unwrap();
                capacity = request.capacity_bytes();
                request
            });
            let bound = FACTOR * body.len() + FIRST * lists;
            let about = || format!("{count} {name}, {} bytes of input", body.len());
            assert!(peak <= bound, "{}: {peak} allocated, {bound} allowed", about());
            // All that is allocated is storage that is kept.
            assert_eq!(peak, capacity, "{}", about());
        }
    }

    // Lengths of 4 GiB and more, with too few bytes behind, of every field that has one or may.
    let ways: [&[u32]; 6] = [&[], &[5], &[5, 3], &[5, 3, 8], &[5, 4], &[5, 5]];
    for way in ways {
        for field in 1..18 {
            for length in [0xffff_ffff, 1 << 32, 0x7fff_ffff, u64::MAX] {
                let promise = Bytes::new().tag(field, 2).bare_varint(length).raw([0; 8]).build();
                let body = way
                    .iter()
                    .rev()
                    .fold(promise, |inner, &field| Bytes::new().len(field, inner).build());
                let peak = heap::peak_bytes(|| {
                    assert!(Request::decode_with(&body, &options).is_err(), "{way:?} {field}");
                });
                assert_eq!(peak, 0, "{way:?} {field} {length:x}");
            }
        }
    }
}

pub fn run() {
    {
        let _profiler = heap::profiler();
        reading_allocates_nothing();
    }
    floods_take_a_bounded_multiple();
}
