//! Relabelling against the obvious way to do it.

use borrowire::Encode;
use borrowire::remote_write::v1::{Relabeler, WriteRequest};
use borrowire::remote_write::v2::{self, COMMON_SYMBOLS_END, Format, Request};
use borrowire::remote_write::{Label, TimeSeries};

use super::remote_write_v1::RemoteWriteV1;
use super::remote_write_v2::RemoteWriteV2;
use super::split_v2::check_symbols;
use super::{Subject, check_slices};

/// Nothing changes what nothing is done to; and edits do what they do to a list of labels.
pub fn check(request: &WriteRequest<'_>, relabeler: &mut Relabeler) {
    let relabeled = relabeler.relabel(request, |_, _| true);
    let relabeled = relabeled.with_extensions(request.extensions()).encode_to_vec().unwrap();
    let same = WriteRequest::decode(&relabeled).unwrap();
    RemoteWriteV1::assert_same_content(&same, request);
    assert!(same.skipped().is_empty());

    check_normalized(request, relabeler);

    let edits = [("a", "new"), ("job", ""), ("__name__", "x"), ("zz", "last"), ("a", "newer")];
    let mut at = 0..;
    let kept = |at: usize| at % 5 != 3;
    let used_edits = |at: usize| &edits[at % 4..at % 7 % 5 + 1];
    let mut relabeled = relabeler.relabel(request, |_, labels| {
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
    check_slices(&relabeled, &encoded);
    assert_eq!(relabeled.as_bytes(), encoded);
    // What is made along with the bytes is what would be decoded from them.
    let made = relabeled.request();
    assert_eq!(made.body(), encoded);
    let relabeled = WriteRequest::decode(&encoded).unwrap();
    RemoteWriteV1::assert_same_content(&made, &relabeled);
    for at in 0..relabeled.timeseries().len() {
        assert_eq!(made.raw_timeseries(at), relabeled.raw_timeseries(at));
    }
    for at in 0..relabeled.metadata().len() {
        assert_eq!(made.raw_metadata(at), relabeled.raw_metadata(at));
    }
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

/// Putting in order, with an edit before it, and as what is asked for most.
fn check_normalized(request: &WriteRequest<'_>, relabeler: &mut Relabeler) {
    for edits in [&[][..], &[("b", "new"), ("job", "")]] {
        let mut relabeled = relabeler.relabel(request, |_, labels| {
            edits.iter().for_each(|(name, value)| labels.set(name, value));
            labels.normalize();
            true
        });
        let encoded = relabeled.as_bytes().to_vec();
        let made = relabeled.request();
        let decoded = WriteRequest::decode(&encoded).unwrap();
        RemoteWriteV1::assert_same_content(&made, &decoded);
        for (at, (series, original)) in
            made.timeseries().iter().zip(request.timeseries()).enumerate()
        {
            assert_eq!(made.raw_timeseries(at), decoded.raw_timeseries(at));
            let mut expected = edited(original.labels(), edits);
            if !TimeSeries::new(&expected).has_normalized_labels() {
                expected.retain(|label| !label.value.is_empty());
                expected.sort();
            } else if edits.is_empty() && !request.body().is_empty() {
                assert_eq!(made.raw_timeseries(at), request.raw_timeseries(at));
            }
            assert_eq!(series.labels(), expected);
            assert!(series.has_normalized_labels());
            assert_eq!(series.samples(), original.samples());
            assert!(series.exemplars().iter().eq(original.exemplars().iter()));
        }
        assert_eq!(made.timeseries().len(), request.timeseries().len());
        drop(made);
        if edits.is_empty() {
            assert_eq!(relabeler.normalize(request).as_bytes(), encoded);
        }
    }
}

/// The same for requests of 2.0, whose symbols are those that are still in use.
pub fn check_v2(request: &Request<'_>, options: &v2::DecodeOptions, relabeler: &mut v2::Relabeler) {
    let mut normalized = relabeler.normalize(request);
    let encoded = normalized.as_bytes().to_vec();
    let made = normalized.request();
    let decoded = Request::decode_with(&encoded, options).unwrap();
    RemoteWriteV2::assert_same_content(&made, &decoded);
    assert_eq!(RemoteWriteV2::raws(&made), RemoteWriteV2::raws(&decoded));
    assert_eq!(made.timeseries().len(), request.timeseries().len());
    for (series, original) in made.timeseries().iter().zip(request.timeseries()) {
        let mut expected = original.labels().to_vec();
        if !original.has_normalized_labels() {
            expected.retain(|label| !label.value.is_empty());
            expected.sort();
        }
        assert_eq!(series.labels(), expected);
        assert_eq!(series.samples(), original.samples());
        assert_eq!(series.metadata(), original.metadata());
    }
    drop(made);

    let relabeled = relabeler.relabel(request, |_, _| true);
    let relabeled = relabeled.with_extensions(request.extensions()).encode_to_vec().unwrap();
    let same = Request::decode_with(&relabeled, options).unwrap();
    RemoteWriteV2::assert_same_content(&same, request);
    assert!(same.skipped().is_empty());

    let edits = [("a", "new"), ("job", ""), ("__name__", "x"), ("zz", "last"), ("a", "newer")];
    let mut at = 0..;
    let kept = |at: usize| at % 5 != 3;
    let used_edits =
        |at: usize| if at % 4 <= at % 7 % 5 { &edits[at % 4..at % 7 % 5 + 1] } else { &[] };
    let mut relabeled = relabeler.relabel(request, |_, labels| {
        let at = at.next().unwrap();
        used_edits(at).iter().for_each(|(name, value)| labels.set(name, value));
        kept(at)
    });
    let encoded = relabeled.encode_to_vec().unwrap();
    check_slices(&relabeled, &encoded);
    assert_eq!(relabeled.as_bytes(), encoded);
    let decoded = Request::decode_with(&encoded, options).unwrap();
    let originals: Vec<_> =
        request.timeseries().iter().enumerate().filter(|(at, _)| kept(*at)).collect();
    assert_eq!(decoded.timeseries().len(), originals.len());
    for (series, (at, original)) in decoded.timeseries().iter().zip(originals) {
        assert_eq!(series.labels(), edited(original.labels(), used_edits(at)));
        assert_eq!(series.samples(), original.samples());
        assert!(series.exemplars().iter().eq(original.exemplars().iter()));
        assert!(series.histograms().iter().eq(original.histograms().iter()));
        assert_eq!(series.created_timestamp(), original.created_timestamp());
        assert_eq!(series.metadata(), original.metadata());
    }
    check_symbols(&decoded, decoded.symbols().len() - own_start(options), options);
    // What is made along with the bytes is what would be decoded from them.
    let made = relabeled.request();
    assert_eq!(made.body(), encoded);
    RemoteWriteV2::assert_same_content(&made, &decoded);
    RemoteWriteV2::assert_same_rest(&made, &decoded);
    assert_eq!(RemoteWriteV2::raws(&made), RemoteWriteV2::raws(&decoded));
}

fn own_start(options: &v2::DecodeOptions) -> usize {
    if options.format == Format::MimirRecord { COMMON_SYMBOLS_END as usize } else { 0 }
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
