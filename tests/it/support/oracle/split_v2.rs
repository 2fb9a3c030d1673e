//! Splitting requests of 2.0, whose parts have symbols of their own.

use borrowire::Encode;
use borrowire::remote_write::Extensions;
use borrowire::remote_write::v2::{DecodeOptions, Format, Request};
use borrowire::shard::Splitter;
use borrowire::wire::{Reader, WireType};

use super::check_slices;

/// Parts of 2.0 hold the series of their shards, with the symbols that these use, each once.
pub fn check(request: &Request<'_>, options: &DecodeOptions, splitter: &mut Splitter) {
    let len = request.timeseries().len();
    for shards in [1_usize, 3] {
        let prepared = splitter.prepare(request).with_extensions(request.extensions());
        let mut split = prepared.split_by_position(|at| (at * 7 % shards) as u32);
        assert_eq!(split.oversized().len(), 0);
        let mut longest = 0;
        let mut seen = 0;
        for (shard, part) in split.parts() {
            let encoded = part.encode_to_vec().unwrap();
            check_slices(&part, &encoded);
            longest = longest.max(encoded.len());
            let decoded = Request::decode_with(&encoded, options).unwrap();
            let own = (0..len).filter(|at| (at * 7 % shards) as u32 == shard);
            assert_eq!(part.records_len(), own.clone().count());
            seen += part.records_len();
            same_series_of_v2(&decoded, request, own);
            check_symbols(&decoded, part.entries_len(), options);
            let same = part.records().zip(decoded.timeseries()).all(|(one, other)| one == other);
            assert!(same && part.records().count() == decoded.timeseries().len());
            assert_eq!(decoded.extensions(), request.extensions());
        }
        assert_eq!(seen, len);

        let shards_of = |at: usize| [at * 7 % shards, (at * 5 + 1) % shards];
        let mut positions = 0..;
        let mut split = splitter
            .replicate(request, |_| shards_of(positions.next().unwrap()).map(|to| to as u32));
        for (shard, part) in split.parts() {
            let encoded = part.encode_to_vec().unwrap();
            let decoded = Request::decode_with(&encoded, options).unwrap();
            let own = (0..len).filter(|at| shards_of(*at).contains(&(shard as usize)));
            assert_eq!(part.records_len(), own.clone().count());
            same_series_of_v2(&decoded, request, own);
            check_symbols(&decoded, part.entries_len(), options);
        }

        for max_bytes in [0, longest / 3, longest.saturating_sub(1), longest] {
            let limited = splitter.prepare(request).with_max_bytes(max_bytes);
            let mut split = limited.split_by_position(|at| (at * 7 % shards) as u32);
            let oversized: Vec<usize> = split
                .oversized()
                .map(|one| {
                    assert!(one.part_len > max_bytes);
                    request.index_of(one.kind, one.index).unwrap()
                })
                .collect();
            let mut left: Vec<Vec<usize>> = (0..shards)
                .map(|shard| {
                    let own = (0..len).filter(|at| at * 7 % shards == shard);
                    own.filter(|at| !oversized.contains(at)).rev().collect()
                })
                .collect();
            for (shard, part) in split.parts() {
                let encoded = part.encode_to_vec().unwrap();
                assert_eq!(encoded.len(), part.encoded_len());
                assert!(encoded.len() <= max_bytes, "{} over {max_bytes}", encoded.len());
                let decoded = Request::decode_with(&encoded, options).unwrap();
                let left = &mut left[shard as usize];
                let own: Vec<usize> =
                    (0..decoded.timeseries().len()).map(|_| left.pop().unwrap()).collect();
                assert!(!own.is_empty());
                let same =
                    part.records().zip(decoded.timeseries()).all(|(one, other)| one == other);
                assert!(same && part.records().count() == decoded.timeseries().len());
                assert_eq!(decoded.extensions(), Extensions::new());
                same_series_of_v2(&decoded, request, own.into_iter());
                check_symbols(&decoded, part.entries_len(), options);
            }
            assert!(left.iter().all(|left| left.is_empty()));
        }
    }
}

fn same_series_of_v2(part: &Request<'_>, whole: &Request<'_>, own: impl Iterator<Item = usize>) {
    let mut series = part.timeseries().iter();
    for at in own {
        let (ours, original) = (series.next().unwrap(), whole.timeseries().get(at).unwrap());
        assert_eq!(ours.labels(), original.labels());
        assert_eq!(ours.samples(), original.samples());
        assert!(ours.exemplars().iter().eq(original.exemplars().iter()));
        assert!(ours.histograms().iter().eq(original.histograms().iter()));
        assert_eq!(ours.metadata(), original.metadata());
        assert_eq!(ours.created_timestamp(), original.created_timestamp());
    }
    assert!(series.next().is_none());
}

/// All symbols of a part are used, each by its own text.
pub fn check_symbols(part: &Request<'_>, len: usize, options: &DecodeOptions) {
    let first = if options.format == Format::MimirRecord { 64 } else { 0 };
    assert_eq!(part.symbols().len(), first + len);
    let mut used = vec![false; first + len];
    used[..=first].fill(true);
    for at in 0..part.timeseries().len() {
        let refs = part.refs(at).unwrap();
        let exemplars = refs.exemplars().flatten();
        let metadata = metadata_refs(part.raw_timeseries(at).unwrap());
        for reference in refs.labels().chain(exemplars).chain(metadata) {
            used[reference as usize] = true;
        }
    }
    assert!(used.iter().all(|used| *used), "{used:?}");
}

/// All references in the metadata of a series, also those that later ones replace.
fn metadata_refs(record: &[u8]) -> Vec<u32> {
    let mut refs = Vec::new();
    let mut record = Reader::new(record).unwrap();
    record.next_tag().unwrap();
    let mut series = record.read_message().unwrap();
    while let Some(tag) = series.next_tag().unwrap() {
        if (tag.field_number(), tag.wire_type()) != (5, WireType::Len) {
            series.skip_field(tag).unwrap();
            continue;
        }
        let mut metadata = series.read_message().unwrap();
        while let Some(tag) = metadata.next_tag().unwrap() {
            match (tag.field_number(), tag.wire_type()) {
                (3 | 4, WireType::Varint) => refs.push(metadata.read_uint32().unwrap()),
                _ => metadata.skip_field(tag).unwrap(),
            }
        }
    }
    refs
}
