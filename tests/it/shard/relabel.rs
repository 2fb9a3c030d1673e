//! Dropping and relabelling series. What holds for any request is in `oracle::relabel`.

use borrowire::Encode;
use borrowire::remote_write::v1::{DecodeOptions, Relabeler, WriteRequest};
use borrowire::remote_write::{Extensions, LabelEdits};

use proptest::prelude::*;

use crate::support::bytes::{self, Bytes, label, sample, series};
use crate::support::generate::{mutated, remote_write_v1 as generate};
use crate::support::oracle::relabel::check;

/// `body` with edits of each series, which say whether to keep it.
fn relabeled(body: &[u8], mut edit: impl FnMut(&mut LabelEdits) -> bool) -> Vec<u8> {
    let request = WriteRequest::decode(body).unwrap();
    let mut relabeler = Relabeler::new();
    let relabeled = relabeler.relabel(&request, |_, labels| edit(labels));
    let encoded = relabeled.encode_to_vec().unwrap();
    assert_eq!(encoded.len(), relabeled.encoded_len());
    encoded
}

fn of(pairs: &[(&str, &str)]) -> Vec<u8> {
    bytes::request(&[series(pairs, &[(1.0, 2)])])
}

#[test]
fn labels_are_set_added_and_removed() {
    let before = of(&[("__name__", "up"), ("job", "node"), ("pod", "x")]);
    for (edits, after) in [
        (&[("job", "api")][..], of(&[("__name__", "up"), ("job", "api"), ("pod", "x")])),
        (&[("job", "")], of(&[("__name__", "up"), ("pod", "x")])),
        (&[("k", "v")], of(&[("__name__", "up"), ("job", "node"), ("k", "v"), ("pod", "x")])),
        (&[("A", "1")], of(&[("A", "1"), ("__name__", "up"), ("job", "node"), ("pod", "x")])),
        (
            &[("z", "1"), ("q", "2"), ("a", "3")],
            of(&[
                ("__name__", "up"),
                ("a", "3"),
                ("job", "node"),
                ("pod", "x"),
                ("q", "2"),
                ("z", "1"),
            ]),
        ),
        (&[("pod", ""), ("pod", "y")], of(&[("__name__", "up"), ("job", "node"), ("pod", "y")])),
        (&[("pod", "y"), ("pod", "")], of(&[("__name__", "up"), ("job", "node")])),
        (&[("__name__", ""), ("job", ""), ("pod", "")], of(&[])),
        (&[("none", ""), ("job", "node")], before.clone()),
        (&[], before.clone()),
    ] {
        let relabeled = relabeled(&before, |labels| {
            edits.iter().for_each(|(name, value)| labels.set(name, value));
            true
        });
        assert_eq!(relabeled, after, "{edits:?}");
    }
    let removed = relabeled(&before, |labels| {
        labels.remove("job");
        true
    });
    assert_eq!(removed, of(&[("__name__", "up"), ("pod", "x")]));
}

#[test]
fn of_labels_with_one_name_one_stays() {
    let before = of(&[("a", "1"), ("b", "2"), ("a", "3")]);
    for (value, after) in [
        ("4", of(&[("a", "4"), ("b", "2")])),
        ("1", of(&[("a", "1"), ("b", "2")])),
        ("", of(&[("b", "2")])),
    ] {
        let set = |labels: &mut LabelEdits| {
            labels.set("a", value);
            true
        };
        assert_eq!(relabeled(&before, set), after);
    }
}

#[test]
fn other_bytes_stay_as_they_came() {
    // Labels apart from each other, lengths longer than needed, unknown fields at every level.
    let exemplar = Bytes::new().len(1, label("trace", "t")).varint(44, 1);
    let odd = Bytes::new()
        .varint(99, 1)
        .len(1, label("a", "1"))
        .len(2, sample(1.0, 2).varint(55, 3))
        .varint(1, 7) // no label: another wire type
        .len(1, label("b", "2").varint(66, 1))
        .raw([0x1a, 0x80 | exemplar.clone().build().len() as u8, 0])
        .raw(&exemplar)
        .tag(98, 3)
        .tag(98, 4);
    let plain = series(&[("x", "y")], &[(1.0, 2)]).varint(97, 5);
    let metadata = Bytes::new().len(2, "m").varint(96, 1);
    let body = Bytes::new()
        .len(50, "first")
        .len(1, &plain)
        .len(3, &metadata)
        .len(1, &odd)
        .len(1001, "")
        .len(1, &plain)
        .fixed32(51, 9)
        .build();
    let after = Bytes::new()
        .varint(99, 1)
        .len(1, label("a", "new"))
        .len(2, sample(1.0, 2).varint(55, 3))
        .varint(1, 7)
        .len(1, label("b", "2").varint(66, 1))
        .raw([0x1a, 0x80 | exemplar.clone().build().len() as u8, 0])
        .raw(&exemplar)
        .tag(98, 3)
        .tag(98, 4);
    let expected = Bytes::new()
        .len(50, "first")
        .len(1, &plain)
        .len(3, &metadata)
        .len(1, after)
        .len(1001, "")
        .len(1, &plain)
        .fixed32(51, 9)
        .build();
    let request = WriteRequest::decode(&body).unwrap();
    let mut relabeler = Relabeler::new();
    let relabeled = relabeler.relabel(&request, |series, labels| {
        if series.label("a").is_some() {
            labels.set("a", "new");
        }
        true
    });
    assert_eq!(relabeled.encode_to_vec(), Ok(expected));
    let len = relabeled.encoded_len();
    assert_eq!(format!("{relabeled:?}"), format!("Relabeled {{ bytes: {len}, .. }}"));
    assert!(!format!("{relabeler:?}").contains("new"));
}

#[test]
fn series_are_dropped_and_their_edits_with_them() {
    let [a, b, c] = ["a", "b", "c"].map(|name| series(&[("__name__", name)], &[(1.0, 2)]));
    let metadata = Bytes::new().len(2, "b");
    let body = Bytes::new().len(1, &a).len(1, b).len(3, &metadata).len(1, &c).build();
    let mut at = 0..;
    let kept = relabeled(&body, |labels| {
        let drop = at.next() == Some(1);
        if drop {
            labels.set("__name__", "dropped");
        }
        !drop
    });
    assert_eq!(kept, Bytes::new().len(1, a).len(3, &metadata).len(1, c).build());
    assert_eq!(relabeled(&body, |_| false), Bytes::new().len(3, metadata).build());
    assert!(relabeled(&[], |_| unreachable!()).is_empty());
}

#[test]
fn lengths_grow_with_their_contents() {
    for len in [0_usize, 50, 100, 126, 127, 128, 200, 16_200, 16_384, 20_000] {
        let value = "v".repeat(len);
        let set = |labels: &mut LabelEdits| {
            labels.set("b", &value);
            true
        };
        let after = if len == 0 { of(&[("a", "1")]) } else { of(&[("a", "1"), ("b", &value)]) };
        assert_eq!(relabeled(&of(&[("a", "1")]), set), after, "{len} bytes");
        assert_eq!(relabeled(&of(&[("a", "1"), ("b", "2")]), set), after, "{len} bytes");
    }
}

#[test]
fn fields_of_the_request_are_dropped_unless_the_caller_hands_them_over() {
    let one = series(&[("a", "1")], &[]);
    let body = Bytes::new().varint(2, 1).varint(1000, 1).len(1, &one).varint(1001, 1).build();
    let request = WriteRequest::decode(&body).unwrap();
    let mut relabeler = Relabeler::new();
    let relabeled = relabeler.relabel(&request, |_, _| true);
    assert_eq!(relabeled.as_bytes(), Bytes::new().len(1, &one).build());
    let own = Bytes::new().len(1, &one).varint(2, 1).varint(1000, 1).varint(1001, 1).build();
    let mut kept = relabeled.with_extensions(request.extensions());
    assert_eq!(kept.encode_to_vec(), Ok(own));
    assert_eq!(kept.request().extensions(), request.extensions());
    let none = kept.with_extensions(Extensions::new());
    assert_eq!(none.as_bytes(), Bytes::new().len(1, one).build());
}

#[test]
fn what_partial_mode_left_out_stays_out() {
    let [a, c] = ["a", "c"].map(|name| series(&[("__name__", name)], &[(1.0, 2)]));
    let bad = series(&[("__name__", "bad")], &[]).len(1, label("a", b"\xff"));
    let bad_metadata = Bytes::new().len(2, b"\xff");
    let body = Bytes::new()
        .len(1, &bad)
        .len(1, &a)
        .len(3, &bad_metadata)
        .len(1, &bad)
        .len(1, &c)
        .len(3, Bytes::new().len(2, "m"))
        .build();
    let request =
        WriteRequest::decode_with(&body, &DecodeOptions::new().with_partial(true)).unwrap();
    let mut relabeler = Relabeler::new();
    let relabeled = relabeler.relabel(&request, |_, _| true);
    let good = Bytes::new().len(1, a).len(1, c).len(3, Bytes::new().len(2, "m")).build();
    assert_eq!(relabeled.encode_to_vec(), Ok(good));
}

#[test]
fn a_request_of_generated_types_is_encoded() {
    let [a, b, c] = ["a", "b", "c"].map(|name| series(&[("__name__", name)], &[(1.0, 2)]));
    let metadata = Bytes::new().len(2, "m");
    let body = Bytes::new().len(1, &a).len(1, &b).len(1, c).len(3, &metadata).build();
    let prost: borrowire::proto::prometheus::WriteRequest =
        prost::Message::decode(&body[..]).unwrap();
    let request = WriteRequest::from_prost(&prost);
    let mut relabeler = Relabeler::new();
    let relabeled = relabeler.relabel(&request, |series, labels| {
        if series.metric_name() == Some("b") {
            labels.set("job", "node");
        }
        series.metric_name() != Some("c")
    });
    let b = series(&[("__name__", "b"), ("job", "node")], &[(1.0, 2)]);
    let expected = Bytes::new().len(1, a).len(1, b).len(3, metadata).build();
    assert_eq!(relabeled.encode_to_vec(), Ok(expected));
}

/// Decodes `body`, if it can be read in full or in part.
fn check_body(body: &[u8], relabeler: &mut Relabeler) {
    for partial in [false, true] {
        let options = DecodeOptions::new().with_partial(partial);
        if let Ok(request) = WriteRequest::decode_with(body, &options) {
            check(&request, relabeler);
        }
    }
}

#[test]
fn small_bodies_are_relabelled_as_they_should() {
    let mut relabeler = Relabeler::new();
    let bodies: Vec<_> = bytes::small_bodies().into_iter().map(|(_, body)| body).collect();
    for body in bodies.iter().chain([&bodies.concat()]) {
        check_body(body, &mut relabeler);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_request_is_relabelled_as_it_should(
        body in prop_oneof![
            generate::request().prop_map(|request| prost::Message::encode_to_vec(&request)),
            generate::disordered(),
            mutated(generate::disordered()),
        ],
        times in 1_usize..4,
    ) {
        check_body(&body.repeat(times), &mut Relabeler::new());
    }
}
