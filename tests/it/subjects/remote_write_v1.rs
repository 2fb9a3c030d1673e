//! Remote write 1.0.

use borrowire::proto::prometheus as proto;
use borrowire::remote_write::Rules;
use borrowire::remote_write::v1::{DecodeOptions, WriteRequest};
use proptest::prelude::*;

use crate::properties::hostile::flood;
use crate::properties::{Cap, Tested, test_every_property};
use crate::support::bytes::{self, Bytes, label, request, sample, series};
use crate::support::oracle::remote_write::inner_elements;
use crate::support::oracle::remote_write_v1::RemoteWriteV1;
use crate::support::{generate, json};

test_every_property!(RemoteWriteV1);

impl Tested for RemoteWriteV1 {
    const FIXTURES: (&'static str, &'static [(&'static str, usize)]) = (
        "remote-write-v1",
        &[
            ("fluentbit-rw1-gzip", 6),
            ("fluentbit-rw1-identity", 6),
            ("fluentbit-rw1-snappy", 16),
            ("k6-rw1", 5),
            ("npm-prometheus-remote-write", 3),
            ("otelcol-rw1", 4),
            ("otelpy-rw1", 3),
            ("prom242-rw1", 20),
            ("prom314-rw1", 17),
            ("prom314-rw1-k8s", 2),
            ("py-prometheus-remote-writer", 2),
            ("rust-prometheus-reqwest-rw", 1),
            ("rust-prometheus_remote_write", 1),
            ("vmagent1150-fallback", 19),
            ("vmagent1150-snappy", 18),
            ("vmagent1150-zstd", 20),
        ],
    );

    fn small_bodies() -> Vec<(&'static str, Vec<u8>)> {
        bytes::small_bodies()
    }

    fn generated() -> BoxedStrategy<proto::WriteRequest> {
        generate::remote_write_v1::request().boxed()
    }

    fn canonical(request: &proto::WriteRequest) -> Vec<u8> {
        generate::remote_write_v1::canonical(request)
    }

    fn disordered() -> BoxedStrategy<Vec<u8>> {
        generate::remote_write_v1::disordered().boxed()
    }

    fn floods() -> Vec<Vec<u8>> {
        let series = |content: Bytes| request(&[content]);
        let histogram = |content: Bytes| request(&[Bytes::new().len(4, content)]);
        vec![
            flood([0x1a, 0x00]).build(),
            flood(Bytes::new().len(1, Bytes::new().int(6, 1))).build(),
            flood(Bytes::new().fixed32(99, 1)).build(),
            flood([0x7b, 0x7c]).build(),
            series(flood(Bytes::new().int(6, 1))),
            series(flood([0x12, 0x00])),
            series(flood([0x1a, 0x00])),
            series(flood([0x22, 0x00])),
            series(Bytes::new().len(3, flood([0x0a, 0x00]))),
            histogram(flood([0x42, 0x00])),
            histogram(flood([0x5a, 0x00])),
            histogram(flood([0x48, 0x01])),
            histogram(flood([0x4a, 0x00])),
            histogram(Bytes::new().len(12, flood([0x01]))),
            histogram(Bytes::new().len(13, flood([0; 8]))),
            histogram(flood(Bytes::new().double(16, 1.0))),
        ]
    }

    fn bodies_of_elements() -> Vec<Vec<u8>> {
        let histogram = |content: Bytes| request(&[Bytes::new().len(4, content)]);
        let long = "v".repeat(130);
        let mut bodies = vec![
            [0x0a, 0x00].repeat(9),
            [0x1a, 0x00].repeat(9),
            request(&[Bytes::new().raw([0x0a, 0x00].repeat(9))]),
            request(&[series(&[("a", "b"); 9], &[(1.0, 1 << 40)])]),
            request(&[series(&[("a", &long), ("b", "c"), ("b", &long)], &[(1.0, 1)])]),
            request(&[series(&[("a", "b")], &[]).len(2, "").len(1, label("c", "d")).len(1, "")]),
            request(&[series(&[("a", "b")], &[(1.0, 1 << 40); 9])]),
            request(&[Bytes::new().raw([0x1a, 0x00].repeat(9))]),
            request(&[Bytes::new().len(3, Bytes::new().raw([0x0a, 0x00].repeat(9)))]),
            request(&[Bytes::new().raw([0x22, 0x00].repeat(9))]),
            histogram(Bytes::new().raw([0x42, 0x00].repeat(9))),
            histogram(Bytes::new().raw([0x5a, 0x00].repeat(9))),
            histogram(Bytes::new().packed_sints(9, &[1; 9]).sint(9, 1)),
            histogram(Bytes::new().packed_doubles(10, &[1.0; 9]).double(10, 1.0)),
            histogram(Bytes::new().packed_sints(12, &[300; 9]).sint(12, 1)),
            histogram(Bytes::new().packed_doubles(13, &[1.0; 9]).double(13, 1.0)),
            histogram(Bytes::new().packed_doubles(16, &[1.0; 9]).double(16, 1.0)),
        ];
        let small = Self::small_bodies().into_iter().flat_map(|(_, body)| body);
        bodies.push(small.chain(bodies.concat()).collect());
        bodies
    }

    fn elements(request: &WriteRequest<'_>) -> usize {
        request.timeseries().len()
            + request.metadata().len()
            + request.labels_len()
            + request.samples_len()
            + request.exemplars_len()
            + request.histograms_len()
            + request.timeseries().iter().map(|series| inner_elements(&series)).sum::<usize>()
    }

    fn caps() -> Vec<Vec<Cap<Self>>> {
        let one = Bytes::new().len(1, series(&[("a", "b")], &[(1.0, 1)]));
        let entry = Bytes::new().len(3, Bytes::new().len(2, "m"));
        vec![vec![
            Cap { record: one.build(), with_max: DecodeOptions::with_max_timeseries },
            Cap { record: entry.build(), with_max: DecodeOptions::with_max_metadata },
        ]]
    }

    fn bad_record() -> Cap<Self> {
        let record = Bytes::new().len(1, Bytes::new().len(1, label("a", b"\xff")));
        Cap { record: record.build(), with_max: DecodeOptions::with_max_timeseries }
    }

    fn failing() -> Vec<Vec<u8>> {
        let exemplar = Bytes::new().len(3, Bytes::new().len(1, "\x0a\x05"));
        vec![
            request(&[Bytes::new().len(1, label("job", b"\xff")).len(2, sample(9.0, 9))]),
            request(&[Bytes::new().len(1, label("job", "aaaaaaaa")).raw(exemplar)]),
            Bytes::new().varint(2, 1).varint(1000, 1).fixed32(99, 1).raw([0x0a, 0x05]).build(),
            Bytes::new().len(3, Bytes::new().varint(1, 1).len(2, "m").len(4, b"\xff")).build(),
        ]
    }

    fn validate(request: &WriteRequest<'_>) {
        request.validate(&Rules::strict(), |_| {});
    }

    fn to_json(request: &WriteRequest<'_>) -> String {
        let mut json = String::new();
        json::remote_write_v1::write_request(&mut json, request);
        json
    }

    fn counts(request: &WriteRequest<'_>) -> Vec<(&'static str, usize)> {
        let exemplars = request.timeseries().iter().flat_map(|series| series.exemplars());
        vec![
            ("timeseries", request.timeseries().len()),
            ("labels", request.labels_len()),
            ("samples", request.samples_len()),
            ("exemplars", request.exemplars_len()),
            ("exemplar_labels", exemplars.map(|exemplar| exemplar.labels().len()).sum()),
            ("histograms", request.histograms_len()),
            ("metadata", request.metadata().len()),
        ]
    }
}
