//! Splitting, merging and relabelling against the obvious way to do each.

use std::collections::BTreeMap;
use std::fmt::Debug;

use borrowire::Encode;
use borrowire::loki::{self, PushRequest};
use borrowire::remote_write::v1::{
    self, EncodeOptions, Relabeler, WriteRequest, WriteRequestEncoder,
};
use borrowire::remote_write::v2::{self, Format, Request};
use borrowire::remote_write::{Extensions, Label, RecordKind, RequestSource};
use borrowire::shard::{Merger, SplitRequest, Splitter};
use borrowire::wire::{Reader, WireType};

/// Storage that every input goes through.
#[derive(Default)]
pub struct Used {
    splitter: Splitter,
    relabeler: Relabeler,
}

/// Checks everything on `body`, as whatever it can be read as.
pub fn check(body: &[u8], used: &mut Used) {
    for partial in [false, true] {
        let options = v1::DecodeOptions::new().with_partial(partial);
        if let Ok(request) = WriteRequest::decode_with(body, &options) {
            let records = Records {
                first: (0..request.timeseries().len())
                    .map(|at| request.raw_timeseries(at).expect("it was decoded"))
                    .collect(),
                second: (0..request.metadata().len())
                    .map(|at| request.raw_metadata(at).expect("it was decoded"))
                    .collect(),
            };
            let extensions = request.extensions();
            let fields = [fields(true, extensions), fields(false, extensions)];
            let kinds = [RecordKind::TimeSeries, RecordKind::Metadata];
            check_splits(&request, &records, kinds, &fields, used);
            check_relabeled(&request, used);
            check_merged(&request, used);
        }
        for format in [Format::Standard, Format::MimirRecord] {
            let options = v2::DecodeOptions::new().with_partial(partial).with_format(format);
            if let Ok(request) = Request::decode_with(body, &options) {
                check_v2(&request, &options, &mut used.splitter);
            }
        }
        let options = loki::DecodeOptions::new().with_partial(partial);
        if let Ok(push) = PushRequest::decode_with(body, &options) {
            let records = Records {
                first: (0..push.streams().len())
                    .map(|at| push.raw_stream(at).expect("it was decoded"))
                    .collect(),
                second: Vec::new(),
            };
            let mut last = Vec::new();
            let format = push.format();
            if (1..=16).contains(&format.len()) {
                last = [&[0x12, format.len() as u8], format.as_bytes()].concat();
            }
            let kinds = [loki::RecordKind::Stream; 2];
            check_splits(&push, &records, kinds, &[Vec::new(), last], used);
        }
    }
}

/// Parts of 2.0 hold the series of their shards, with the symbols that these use, each once.
fn check_v2(request: &Request<'_>, options: &v2::DecodeOptions, splitter: &mut Splitter) {
    let len = request.timeseries().len();
    for shards in [1_usize, 3] {
        let mut split = splitter.split_by_position(request, |at| (at * 7 % shards) as u32);
        assert_eq!(split.oversized().len(), 0);
        let mut longest = 0;
        let mut seen = 0;
        for (shard, part) in split.parts() {
            let encoded = part.encode_to_vec().unwrap();
            super::check_slices(&part, &encoded);
            longest = longest.max(encoded.len());
            let decoded = Request::decode_with(&encoded, options).unwrap();
            let own = (0..len).filter(|at| (at * 7 % shards) as u32 == shard);
            assert_eq!(part.records_len(), own.clone().count());
            seen += part.records_len();
            same_series_of_v2(&decoded, request, own);
            check_symbols(&decoded, part.entries_len(), options);
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
                    one.index
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
fn check_symbols(part: &Request<'_>, len: usize, options: &v2::DecodeOptions) {
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

/// The records of a request as they stand in its body, list by list.
struct Records<'r> {
    first: Vec<&'r [u8]>,
    second: Vec<&'r [u8]>,
}

fn check_splits<R: SplitRequest>(
    request: &R,
    records: &Records<'_>,
    kinds: [R::Kind; 2],
    fields: &[Vec<u8>; 2],
    used: &mut Used,
) where
    R::Kind: Debug + PartialEq,
{
    assert_eq!(request.records_len(kinds[0]), records.first.len());
    let all: Vec<(bool, &[u8])> = (records.first.iter().map(|raw| (true, *raw)))
        .chain(records.second.iter().map(|raw| (false, *raw)))
        .collect();
    for shards in [1_u32, 3, 70_000, u32::MAX] {
        for copies in 1..3 {
            let shards_of = |at: usize| {
                let hash = (at as u32).wrapping_mul(0x9e37_79b9);
                (0..copies).map(move |copy| (hash.rotate_left(copy * 7) ^ hash >> 13) % shards)
            };
            let mut expected = BTreeMap::<u32, Expected>::new();
            for (at, (is_first, raw)) in all.iter().enumerate() {
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
            let mut split = match copies {
                1 => used.splitter.split(request, |_| {
                    at.next().and_then(|at| shards_of(at).next()).unwrap_or_default()
                }),
                _ => {
                    used.splitter.replicate(request, |_| at.next().into_iter().flat_map(shards_of))
                }
            };
            assert_eq!(split.oversized().count(), 0);
            let ranges: Vec<_> = split.ranges().collect();
            let parts: Vec<(u32, usize, Vec<u8>)> = split
                .parts()
                .map(|(shard, part)| {
                    let encoded = part.encode_to_vec().unwrap();
                    assert_eq!(part.encoded_len(), encoded.len());
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
    let longest = all.iter().map(|(_, raw)| raw.len()).max().unwrap_or(0) + fields_len;
    for max_bytes in [0, fields_len, longest.saturating_sub(1), longest, longest * 2 + 1] {
        check_sizes(request, &all, kinds, fields, max_bytes, used);
    }
}

/// Parts of at most `max_bytes` bytes: greedy, in order, and all that fits is there.
fn check_sizes<R: SplitRequest>(
    request: &R,
    records: &[(bool, &[u8])],
    kinds: [R::Kind; 2],
    fields: &[Vec<u8>; 2],
    max_bytes: usize,
    used: &mut Used,
) where
    R::Kind: Debug + PartialEq,
{
    let fields_len = fields[0].len() + fields[1].len();
    let mut oversized = Vec::new();
    let mut parts = [Vec::<Vec<u8>>::new(), Vec::new()];
    let mut at = [0, 0];
    for (is_first, raw) in records {
        let number = usize::from(!is_first);
        let index = at[number];
        at[number] += 1;
        if raw.len() + fields_len > max_bytes {
            oversized.push((kinds[number], index, raw.len() + fields_len));
            continue;
        }
        match parts[number].last_mut() {
            Some(part) if part.len() + raw.len() + fields_len <= max_bytes => {
                part.extend_from_slice(raw);
            }
            _ => parts[number].push(raw.to_vec()),
        }
    }
    let [first, second] = parts;
    let joined = match (&first[..], &second[..]) {
        ([first], [second]) if first.len() + second.len() + fields_len <= max_bytes => {
            Some([&first[..], &fields[0], second, &fields[1]].concat())
        }
        _ => None,
    };
    let expected: Vec<Vec<u8>> = match joined {
        Some(part) => vec![part],
        None => {
            let first = first.iter().map(|part| [part, &fields[0][..], &fields[1]].concat());
            let second = second.iter().map(|part| [&fields[0], part, &fields[1][..]].concat());
            first.chain(second).collect()
        }
    };
    let mut split = used.splitter.split_by_size(request, max_bytes);
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
fn check_merged(request: &WriteRequest<'_>, used: &mut Used) {
    let mut at = 0_u32..;
    let mut split = used.splitter.split(request, |_| at.next().unwrap_or(0) % 2);
    let parts: Vec<Vec<u8>> =
        split.parts().map(|(_, part)| part.encode_to_vec().unwrap()).collect();
    let mut merger = Merger::<WriteRequest<'_>>::new();
    merger.extend(parts.iter().map(|part| &part[..])).unwrap();
    let merged = merger.encode_to_vec().unwrap();
    assert_eq!(merged, parts.concat());
    let merged = WriteRequest::decode(&merged).unwrap();
    if !parts.is_empty() {
        assert_eq!(merged.extensions(), request.extensions());
    }
    let len = request.timeseries().len();
    assert_eq!(
        (merged.timeseries().len(), merged.metadata().len()),
        (len, request.metadata().len())
    );
    let order = (0..len).step_by(2).chain((1..len).step_by(2));
    for (at, from) in order.enumerate() {
        assert_eq!(merged.raw_timeseries(at), request.raw_timeseries(from));
    }
}

/// Nothing changes what nothing is done to; and edits do what they do to a list of labels.
fn check_relabeled(request: &WriteRequest<'_>, used: &mut Used) {
    let relabeled = used.relabeler.relabel(request, |_, _| true).encode_to_vec().unwrap();
    let same = WriteRequest::decode(&relabeled).unwrap();
    super::same_content(&same, request, true);
    assert_eq!(same.extensions(), request.extensions());
    assert!(same.skipped().is_empty());

    let edits = [("a", "new"), ("job", ""), ("__name__", "x"), ("zz", "last"), ("a", "newer")];
    let mut at = 0..;
    let kept = |at: usize| at % 5 != 3;
    let used_edits = |at: usize| &edits[at % 4..at % 7 % 5 + 1];
    let relabeled = used.relabeler.relabel(request, |_, labels| {
        let at = at.next().unwrap();
        if at % 4 <= at % 7 % 5 {
            for (name, value) in used_edits(at) {
                labels.set(name, value);
            }
        }
        kept(at)
    });
    let encoded = relabeled.encode_to_vec().unwrap();
    assert_eq!(encoded.len(), relabeled.encoded_len());
    super::check_slices(&relabeled, &encoded);
    let relabeled = WriteRequest::decode(&encoded).unwrap();
    let originals: Vec<_> =
        request.timeseries().iter().enumerate().filter(|(at, _)| kept(*at)).collect();
    assert_eq!(relabeled.timeseries().len(), originals.len());
    for (series, (at, original)) in relabeled.timeseries().iter().zip(originals) {
        let edits = if at % 4 <= at % 7 % 5 { used_edits(at) } else { &[] };
        assert_eq!(series.labels(), edited(original.labels(), edits));
        assert_eq!(series.samples(), original.samples());
        assert!(series.exemplars().iter().eq(original.exemplars().iter()));
        assert!(series.histograms().iter().eq(original.histograms().iter()));
        assert_eq!(series.created_timestamp(), original.created_timestamp());
    }
    assert!(relabeled.metadata().iter().eq(request.metadata()));
}

/// `labels` after `edits`, by what is said about them.
fn edited<'a>(labels: &[Label<'a>], edits: &[(&'a str, &'a str)]) -> Vec<Label<'a>> {
    let mut last: Vec<(&str, &str)> = Vec::new();
    for &(name, value) in edits {
        last.retain(|edit| edit.0 != name);
        last.push((name, value));
    }
    last.sort_unstable();
    let mut done = Vec::new();
    for (at, label) in labels.iter().enumerate() {
        let edit = last.iter().find(|edit| edit.0 == label.name);
        for (name, value) in last.iter().filter(|edit| edit.0 < label.name) {
            let is_new = labels.iter().all(|label| label.name != *name);
            let earlier = labels[..at].iter().any(|label| label.name > *name);
            if is_new && !earlier && !value.is_empty() {
                done.push(Label::new(name, value));
            }
        }
        match edit {
            None => done.push(*label),
            Some((name, value)) => {
                let first = labels[..at].iter().all(|label| label.name != *name);
                if first && !value.is_empty() {
                    done.push(Label::new(name, value));
                }
            }
        }
    }
    for (name, value) in last {
        if !value.is_empty() && labels.iter().all(|label| label.name < name) {
            done.push(Label::new(name, value));
        }
    }
    done
}
