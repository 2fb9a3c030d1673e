//! Splitting and merging against the obvious way to do each.

use std::collections::BTreeMap;

use borrowire::loki::{self, PushRequest};
use borrowire::remote_write::v1::{EncodeOptions, WriteRequest, WriteRequestEncoder};
use borrowire::remote_write::v2::{self, Format, Request};
use borrowire::remote_write::{Extensions, RecordKind, RequestSource};
use borrowire::shard::{MergeRequest, Merger, SplitRequest, Splitter};
use borrowire::{DecodeRequest, Encode};

use super::loki_push::LokiPush;
use super::remote_write_v1::RemoteWriteV1;
use super::remote_write_v2::RemoteWriteV2;
use super::{Options, Subject, relabel, split_v2};

/// A protocol whose requests are split.
pub trait Split: Subject {
    /// Checks everything on `body`, if it can be read.
    fn check_split(body: &[u8], options: &Options<Self>, splitter: &mut Splitter);
}

/// Checks everything on `body`, if it can be read in full or in part.
pub fn check<S: Split>(body: &[u8], splitter: &mut Splitter) {
    for partial in [false, true] {
        let options = S::with_partial(Options::<S>::default(), partial);
        S::check_split(body, &options, splitter);
    }
}

impl Split for RemoteWriteV1 {
    fn check_split(body: &[u8], options: &Options<Self>, splitter: &mut Splitter) {
        let Ok(request) = WriteRequest::decode_with(body, options) else { return };
        let kinds = [RecordKind::TimeSeries, RecordKind::Metadata];
        let records = Records::new(&request, kinds, Self::raws(&request));
        let extensions = request.extensions();
        let fields = [fields(true, extensions), fields(false, extensions)];
        check_splits(&request, &records, extensions, &fields, splitter);
        check_splits(&request, &records, Extensions::new(), &Default::default(), splitter);
        check_merged::<Self>(&request, &records, splitter);
    }
}

impl Split for RemoteWriteV2 {
    fn check_split(body: &[u8], options: &Options<Self>, splitter: &mut Splitter) {
        for format in [Format::Standard, Format::MimirRecord] {
            let options = options.with_format(format);
            if let Ok(request) = Request::decode_with(body, &options) {
                split_v2::check(&request, &options, splitter);
                let mut relabeler = v2::Relabeler::new();
                for _ in 0..2 {
                    relabel::check_v2(&request, &options, &mut relabeler);
                }
            }
        }
    }
}

impl Split for LokiPush {
    fn check_split(body: &[u8], options: &Options<Self>, splitter: &mut Splitter) {
        let Ok(push) = PushRequest::decode_with(body, options) else { return };
        let kinds = [loki::RecordKind::Stream; 2];
        let records = Records::new(&push, kinds, Self::raws(&push));
        let last;
        let format = push.format();
        if (1..128).contains(&format.len()) {
            last = [&[0x12, format.len() as u8], format.as_bytes()].concat();
            check_splits(&push, &records, format, &[Vec::new(), last], splitter);
        }
        check_splits(&push, &records, "", &Default::default(), splitter);
        check_merged::<Self>(&push, &records, splitter);
    }
}

/// The extension fields in front of metadata, or behind it.
fn fields(in_front: bool, extensions: Extensions) -> Vec<u8> {
    let some = if in_front {
        Extensions::new().with_source(extensions.source)
    } else {
        extensions.with_source(RequestSource::API)
    };
    let options = EncodeOptions::new().with_extensions(some);
    WriteRequestEncoder::new([]).with_options(options).encode_to_vec().unwrap()
}

/// What the parts of each shard should be.
#[derive(Default)]
struct Expected {
    first: Vec<u8>,
    second: Vec<u8>,
    records: usize,
}

/// The records of a request as they stand in its body, list by list: whether it is in the first one.
struct Records<'a, K> {
    kinds: [K; 2],
    all: Vec<(bool, &'a [u8])>,
    /// Where each of them is in the body, among those of its kind.
    positions: Vec<usize>,
}

impl<'a, K: Copy> Records<'a, K> {
    fn new(
        request: &(impl SplitRequest<Kind = K> + DecodeRequest<'a, Kind = K>),
        kinds: [K; 2],
        raws: Vec<Option<&'a [u8]>>,
    ) -> Self {
        let first = request.records_len(kinds[0]);
        let raws = raws.into_iter().enumerate();
        let all: Vec<_> =
            raws.map(|(at, raw)| (at < first, raw.expect("it was decoded"))).collect();
        let position = |at: usize| match at.checked_sub(first) {
            None => request.index_in_body(kinds[0], at),
            Some(at) => request.index_in_body(kinds[1], at),
        };
        Self { kinds, positions: (0..all.len()).map(position).collect(), all }
    }
}

fn check_splits<R: SplitRequest>(
    request: &R,
    records: &Records<'_, R::Kind>,
    extensions: R::Fields,
    fields: &[Vec<u8>; 2],
    splitter: &mut Splitter,
) {
    for shards in [1_u32, 3, 70_000, u32::MAX] {
        for copies in 1..3 {
            let shards_of = |at: usize| {
                let hash = (at as u32).wrapping_mul(0x9e37_79b9);
                (0..copies).map(move |copy| (hash.rotate_left(copy * 7) ^ hash >> 13) % shards)
            };
            let mut expected = BTreeMap::<u32, Expected>::new();
            for (at, (is_first, raw)) in records.all.iter().enumerate() {
                let mut to: Vec<u32> = shards_of(at).collect();
                to.sort_unstable();
                to.dedup();
                for shard in to {
                    let part = expected.entry(shard).or_default();
                    part.records += 1;
                    match is_first {
                        true => part.first.extend_from_slice(raw),
                        false => part.second.extend_from_slice(raw),
                    }
                }
            }
            let expected: Vec<(u32, usize, Vec<u8>)> = expected
                .into_iter()
                .map(|(shard, part)| {
                    let bytes = [&part.first, &fields[0], &part.second, &fields[1]];
                    (shard, part.records, bytes.map(|bytes| &bytes[..]).concat())
                })
                .collect();

            let mut at = 0..;
            let prepared = splitter.prepare(request).with_extensions(extensions);
            let mut split = match copies {
                1 => prepared
                    .split(|_| at.next().and_then(|at| shards_of(at).next()).unwrap_or_default()),
                _ => prepared.replicate(|_| at.next().into_iter().flat_map(shards_of)),
            };
            assert_eq!(split.oversized().count(), 0);
            let ranges: Vec<_> = split.ranges().collect();
            let parts: Vec<(u32, usize, Vec<u8>)> = split
                .parts()
                .map(|(shard, part)| {
                    let encoded = part.encode_to_vec().unwrap();
                    assert_eq!(part.encoded_len(), encoded.len());
                    assert_eq!(part.records().count(), part.records_len());
                    super::check_slices(&part, &encoded);
                    (shard, part.records_len(), encoded)
                })
                .collect();
            assert_eq!(parts, expected);

            let mut all = vec![0xaa; split.encoded_len() + 3];
            let written = split.encode_all(&mut all).unwrap();
            assert_eq!(all[written..], [0xaa; 3]);
            assert_eq!(ranges.len(), parts.len());
            for ((of, range), (shard, _, part)) in ranges.iter().zip(&parts) {
                assert_eq!((of, &all[range.clone()]), (shard, &part[..]));
            }
            assert_eq!(ranges.last().map_or(0, |(_, range)| range.end), written);
            let again = split.parts().map(|(_, part)| part.encode_to_vec().unwrap());
            assert!(again.eq(parts.iter().map(|part| part.2.clone())));
            if written > 0 {
                let error = split.encode_all(&mut all[..written - 1]).unwrap_err();
                assert_eq!((error.needed(), error.capacity()), (written, written - 1));
            }
        }
    }
    let fields_len = fields[0].len() + fields[1].len();
    let longest = records.all.iter().map(|(_, raw)| raw.len()).max().unwrap_or(0) + fields_len;
    for max_bytes in [0, fields_len, longest.saturating_sub(1), longest, longest * 2 + 1] {
        check_sizes(request, records, extensions, fields, max_bytes, splitter);
    }
}

/// Parts of at most `max_bytes` bytes: greedy, in order, and all that fits is there. What is in the
/// second list goes to where there is most room, and only then to parts of its own.
fn check_sizes<R: SplitRequest>(
    request: &R,
    records: &Records<'_, R::Kind>,
    extensions: R::Fields,
    fields: &[Vec<u8>; 2],
    max_bytes: usize,
    splitter: &mut Splitter,
) {
    let fields_len = fields[0].len() + fields[1].len();
    let mut oversized = Vec::new();
    let (mut parts, mut own) = (Vec::<[Vec<u8>; 2]>::new(), Vec::<Vec<u8>>::new());
    for ((is_first, raw), &index) in records.all.iter().zip(&records.positions) {
        let number = usize::from(!is_first);
        if raw.len() + fields_len > max_bytes {
            oversized.push((records.kinds[number], index, raw.len() + fields_len));
            continue;
        }
        let room = |len: usize| (max_bytes - fields_len).checked_sub(len + raw.len());
        if *is_first {
            match parts.last_mut() {
                Some([part, _]) if room(part.len()).is_some() => part.extend_from_slice(raw),
                _ => parts.push([raw.to_vec(), Vec::new()]),
            }
            continue;
        }
        let rooms = parts.iter().map(|[first, second]| room(first.len() + second.len()));
        // Of the same room the first one.
        let most = rooms.enumerate().rev().max_by_key(|(_, room)| *room);
        match (most, own.last_mut()) {
            (Some((at, Some(_))), _) => parts[at][1].extend_from_slice(raw),
            (_, Some(part)) if room(part.len()).is_some() => part.extend_from_slice(raw),
            _ => own.push(raw.to_vec()),
        }
    }
    parts.extend(own.into_iter().map(|second| [Vec::new(), second]));
    let expected: Vec<Vec<u8>> = parts
        .iter()
        .map(|[first, second]| [&first[..], &fields[0], second, &fields[1]].concat())
        .collect();
    let prepared = splitter.prepare(request).with_extensions(extensions);
    let mut split = prepared.with_max_bytes(max_bytes).split_by_position(|_| 0);
    let reported: Vec<_> =
        split.oversized().map(|one| (one.kind, one.index, one.part_len)).collect();
    assert_eq!(reported, oversized);
    let parts: Vec<Vec<u8>> = split
        .parts()
        .map(|(shard, part)| {
            assert_eq!(shard, 0);
            part.encode_to_vec().unwrap()
        })
        .collect();
    assert_eq!(parts, expected, "at most {max_bytes} bytes");
    let mut all = vec![0; split.encoded_len()];
    split.encode_all(&mut all).unwrap();
    assert_eq!(all, parts.concat());
}

/// Two shards merged again hold the same records.
fn check_merged<S: Subject>(
    request: &(impl SplitRequest + MergeRequest),
    records: &Records<'_, impl Copy>,
    splitter: &mut Splitter,
) {
    let parts = parts_of_two(request, splitter);
    let merged = merge(request, &parts);
    assert_eq!(merged, parts.concat());
    let merged = <super::Request<'_, S>>::decode(&merged).unwrap();
    // List by list, first what was in front in either shard.
    let numbered = records.all.iter().enumerate();
    let of = |first: bool, shard: usize| {
        let own = numbered
            .clone()
            .filter(move |(at, (is_first, _))| *is_first == first && at % 2 == shard);
        own.map(|(_, (_, raw))| Some(*raw))
    };
    let expected = of(true, 0).chain(of(true, 1)).chain(of(false, 0)).chain(of(false, 1));
    assert!(S::raws(&merged).into_iter().eq(expected));
}

fn parts_of_two(request: &impl SplitRequest, splitter: &mut Splitter) -> Vec<Vec<u8>> {
    let mut split = splitter.split_by_position(request, |at| at as u32 % 2);
    split.parts().map(|(_, part)| part.encode_to_vec().unwrap()).collect()
}

fn merge<R: MergeRequest>(_: &R, parts: &[Vec<u8>]) -> Vec<u8> {
    let mut merger = Merger::<R>::new();
    merger.extend(parts.iter().map(|part| &part[..])).unwrap();
    merger.encode_to_vec().unwrap()
}
