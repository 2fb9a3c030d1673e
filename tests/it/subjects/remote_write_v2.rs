//! Remote write 2.0.

use borrowire::DecodeErrorKind;
use borrowire::proto::prometheus_v2 as proto;
use borrowire::remote_write::Rules;
use borrowire::remote_write::v2::{DecodeOptions, Request};
use proptest::prelude::*;

use crate::properties::hostile::flood;
use crate::properties::{Cap, Tested, test_every_property};
use crate::support::bytes::v2::{packed, refs, request, symbols};
use crate::support::bytes::{self, Bytes, sample};
use crate::support::oracle::remote_write::inner_elements;
use crate::support::oracle::remote_write_v2::RemoteWriteV2;
use crate::support::{generate, json};

test_every_property!(RemoteWriteV2);

impl Tested for RemoteWriteV2 {
    const FIXTURES: (&'static str, &'static [(&'static str, usize)]) = (
        "remote-write-v2",
        &[("prom314-rw2", 15), ("prom314-rw2-agent", 7), ("prom314-rw2-k8s", 2)],
    );

    /// Symbols may stand behind the series that use them.
    const READS_AHEAD: bool = true;

    fn small_bodies() -> Vec<(&'static str, Vec<u8>)> {
        bytes::v2::small_bodies()
    }

    fn generated() -> BoxedStrategy<proto::Request> {
        generate::remote_write_v2::request().boxed()
    }

    fn canonical(request: &proto::Request) -> Vec<u8> {
        generate::remote_write_v2::canonical(request)
    }

    fn disordered() -> BoxedStrategy<Vec<u8>> {
        generate::remote_write_v2::disordered().boxed()
    }

    fn floods() -> Vec<Vec<u8>> {
        let bad = Bytes::new().len(5, refs(&[7, 7]));
        let series = |content: Bytes| request(&[""], &[content]);
        vec![
            flood([0x2a, 0x00]).build(),
            flood(Bytes::new().len(5, refs(&[0, 0]))).raw(symbols(&[""])).build(),
            flood(Bytes::new().len(5, [0x2a, 0x00])).build(),
            flood(Bytes::new().len(5, [0x2a, 0x00]).raw([0x22, 0x00])).build(),
            flood(Bytes::new().len(5, Bytes::new().int(6, 1))).build(),
            flood(&bad).build(),
            flood(bad.raw([0x22, 0x00])).build(),
            flood(Bytes::new().len(5, [0x0a, 0x01, 0x00]).len(4, "")).build(),
            flood(Bytes::new().varint(2, 1)).build(),
            flood([0x0a, 0x00, 0x1a, 0x00]).build(),
            series(flood([0x12, 0x00])),
            series(flood([0x1a, 0x00])),
            series(flood([0x22, 0x00])),
            series(flood([0x2a, 0x00])),
            series(flood([0x0a, 0x00])),
            series(flood(Bytes::new().int(6, 1))),
            series(flood(Bytes::new().len(4, refs(&[0, 0])))),
            series(flood(Bytes::new().len(4, refs(&[0])))),
            series(flood(Bytes::new().len(4, refs(&[0, 9])))),
            series(flood(Bytes::new().len(5, [0x18, 0x00]))),
            series(Bytes::new().len(5, flood([0x18, 0x00]))),
            series(Bytes::new().len(4, Bytes::new().len(1, flood([0x00])))),
            series(Bytes::new().len(3, flood([0x42, 0x00]))),
            series(Bytes::new().len(3, Bytes::new().len(12, flood([0x01])))),
        ]
    }

    fn bodies_of_elements() -> Vec<Vec<u8>> {
        let of = |series: Bytes| request(&["", "a"], &[series]);
        let long = "v".repeat(130);
        vec![
            [0x22, 0x00].repeat(9),
            request(&["", &long, "b", &long], &[]),
            [0x2a, 0x00].repeat(9),
            of(Bytes::new().len(1, packed(&[0, 1].repeat(9)))),
            of(Bytes::new().raw([8, 0, 8, 1].repeat(9))),
            of(refs(&[0]).raw(refs(&[1, 0])).varint(1, 1)),
            of(Bytes::new().raw([0x12, 0x00].repeat(9))),
            of(Bytes::new().raw([0x22, 0x00].repeat(9))),
            of(Bytes::new().len(4, refs(&[0, 1].repeat(9)))),
            of(Bytes::new().raw([0x2a, 0x00].repeat(9))),
            of(Bytes::new().len(3, Bytes::new().packed_sints(12, &[1; 9]).sint(9, 1))),
        ]
    }

    fn elements(request: &Request<'_>) -> usize {
        request.symbols().len()
            + request.timeseries().len()
            + request.labels_len()
            + request.samples_len()
            + request.exemplars_len()
            + request.histograms_len()
            + request.timeseries().iter().map(|series| inner_elements(&series)).sum::<usize>()
    }

    /// Symbols in front of the series, and behind them.
    fn caps() -> Vec<Vec<Cap<Self>>> {
        let of = |text: &str, late: bool| {
            let one = Bytes::new().len(5, refs(&[0, 0]).len(2, sample(1.0, 1)));
            let mut caps = vec![
                Cap { record: symbols(&[text]).build(), with_max: DecodeOptions::with_max_symbols },
                Cap { record: one.build(), with_max: DecodeOptions::with_max_timeseries },
            ];
            caps.rotate_left(usize::from(late));
            caps
        };
        let long = "v".repeat(200);
        ["", "abc", "ü", &long].iter().flat_map(|text| [of(text, false), of(text, true)]).collect()
    }

    fn bad_record() -> Cap<Self> {
        let record = Bytes::new().len(5, refs(&[0])).build();
        Cap { record, with_max: DecodeOptions::with_max_timeseries }
    }

    /// Symbols that were to come behind the series are missing then.
    fn is_cut(kind: DecodeErrorKind) -> bool {
        matches!(kind, DecodeErrorKind::Truncated | DecodeErrorKind::RefOutOfRange)
    }

    fn validate(request: &Request<'_>) {
        request.validate(&Rules::strict(), |_| {});
    }

    fn to_json(request: &Request<'_>) -> String {
        let mut json = String::new();
        json::remote_write_v2::request(&mut json, request);
        json
    }

    fn counts(request: &Request<'_>) -> Vec<(&'static str, usize)> {
        let metadata = request.timeseries().iter().filter(|series| series.metadata().is_some());
        vec![
            ("symbols", request.symbols().len()),
            ("timeseries", request.timeseries().len()),
            ("label_refs", 2 * request.labels_len()),
            ("samples", request.samples_len()),
            ("exemplars", request.exemplars_len()),
            ("histograms", request.histograms_len()),
            ("with_metadata", metadata.count()),
        ]
    }

    /// Clients send each symbol once, and none that nothing refers to.
    fn is_same_encoding(written: &[u8], sent: &[u8]) -> bool {
        let symbols = |body| Request::decode(body).unwrap().symbols().len();
        written.len() <= sent.len() && symbols(written) == symbols(sent)
    }

    fn head(request: &Request<'_>) -> Vec<u8> {
        let texts: Vec<&str> = request.symbols().iter().map(Option::unwrap_or_default).collect();
        symbols(&texts).build()
    }
}
