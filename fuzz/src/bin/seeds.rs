//! Fills `fuzz/corpus` from the captured requests and the small bodies of the tests.
//!
//! Long requests are cut behind the records that make the first few kilobytes: inputs of that size are
//! what a fuzzer is fast with.

#[path = "../../../tests/it/support/bytes/mod.rs"]
mod bytes;

use std::error::Error;
use std::fs;
use std::path::Path;

use borrowire::Encode;
use borrowire::loki::json::JsonScratch;
use borrowire::loki::{DecodeOptions, PushRequest};
use borrowire::otlp::logs::ExportLogsServiceRequest;
use borrowire::otlp::metrics::ExportMetricsServiceRequest;
use borrowire::remote_write::v1::WriteRequest;
use borrowire::remote_write::v2::{Request, Symbolizer};

const LONGEST: usize = 2048;
const SELECTORS: [&str; 4] = [
    r#"{cluster="läb\"q\\", filename="/var/log/app/b.log", job="json", level="débug"}"#,
    r#"up{"k8s.pod"='\x41\101\'', a=`\n`, } # all but the last"#,
    r#"{a="\a\b\f\n\r\t\v\u00e9\ufffd\U0001F600\xc3\251", "up"}"#,
    r#"{level="info",quote="a"b"}"#,
];

/// Keys of each kind, and the parts of some.
const KEYS: [&str; 16] = [
    "P2:tenant:00000000010000000000000000:Zm9vOmJhcg",
    "P2:tenant:00000000010000000000000000:lnEWc3-vlB4j3LUrfwjKtXSnP-BLSNtF1Hk5xdJ-N1U",
    "POtenant:00000000010000000000000000:bm90OmZvbyE9ImJhciI",
    "S:tenant:00000000010000000000000000:12345",
    "E2:tenant:00000000010000000000000000:YZhgZcxhevUMc3taXFZ52bBLqAIjzYENBzBrd68aVOk:all",
    "SP2:tenant:00000000010000000000000000:2_of_16:rUaXhjCvbO4nxc9U_dVxWOCVLbaKb0eYZDagiu4PCBk",
    "LN:tenant:00000000010000000000000000:YZhgZcxhevUMc3taXFZ52bBLqAIjzYENBzBrd68aVOk",
    "LV2:tenant:00000000010000000000000000:job:YZhgZcxhevUMc3taXFZ52bBLqAIjzYENBzBrd68aVOk",
    "P:00000000010000000000000000:jCXwSJJrZbhjpARCdPaLRL-cVX7MJ7mudtvSKh46I9E:dss",
    "EP:00000000010000000000000000:9-quyDNZueJcCF4B3rjJU7k6r9lvbl9Q4kqdph0zNm8:dss",
    "S:00000000010000000000000000:12345",
    "bw1p:tenant:00000000010000000000000000:A2Zvb2Jhcg",
    "bw1e:tenant:00000000010000000000000000:YZhgZcxhevUMc3taXFZ52bBLqAIjzYENBzBrd68aVOk:all",
    "bw1v:tenant:00000000010000000000000000:YZhgZcxhevUMc3taXFZ52bBLqAIjzYENBzBrd68aVOk",
    "tenant\x1fjob\x1fapi\x1fall\x1fnamespace\x1fshop\x1fpod\x1fcart-.*",
    "a|b\x1fname of over thirty bytes, hashed\x1fa:b=\"c\"\x1fx\x1fé\x1f\n",
];

type Seeds = Vec<(String, Vec<u8>)>;

fn named(bodies: impl IntoIterator<Item = (&'static str, Vec<u8>)>) -> Seeds {
    bodies.into_iter().map(|(name, body)| (name.replace(' ', "-"), body)).collect()
}

fn numbered(texts: &[&str]) -> Seeds {
    let texts = texts.iter().enumerate();
    texts.map(|(i, text)| (i.to_string(), text.as_bytes().to_vec())).collect()
}

/// What the folders of several targets hold; names are told apart by what they are of.
fn together(of: &[(&str, &Seeds)]) -> Seeds {
    let seeds = of.iter().flat_map(|(prefix, seeds)| {
        seeds.iter().map(move |(name, body)| (format!("{prefix}-{name}"), body.clone()))
    });
    seeds.collect()
}

/// Requests behind what a target takes for a limit, a key and a header: version 2 of Mimir's.
fn in_records(of: &Seeds) -> Seeds {
    let record = |body: &[u8]| [&[100, 1, 4, b't', 0, 0, 0, 2][..], body].concat();
    of.iter().map(|(name, body)| (name.clone(), record(body))).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut v1 = named(bytes::small_bodies());
    let mut v2 = named(bytes::v2::small_bodies());
    let mut push = named(bytes::loki::small_bodies());
    push.extend(named(bytes::loki::pushes_of_any_bytes()));
    let mut json = Seeds::new();
    let (mut otlp_logs, mut otlp_metrics) = (Seeds::new(), Seeds::new());
    for client in fs::read_dir(fuzz.join("../tests/fixtures"))? {
        let client = client?.path();
        if !client.is_dir() {
            continue;
        }
        for file in fs::read_dir(client)? {
            let file = file?.path();
            if file.extension().is_none_or(|extension| extension != "body") {
                continue;
            }
            let body = fs::read(&file)?;
            // Other encodings hold what the same clients send in this one, too.
            let body = snap::raw::Decoder::new().decompress_vec(&body).unwrap_or(body);
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if name.contains("otlp") || name.starts_with("otel") {
                // What is compressed is left out.
                if let Ok(request) = ExportLogsServiceRequest::decode(&body)
                    && request.log_records_len() > 0
                {
                    otlp_logs.push((name.clone(), body.clone()));
                }
                if let Ok(request) = ExportMetricsServiceRequest::decode(&body)
                    && request.data_points_len() > 0
                {
                    otlp_metrics.push((name, body));
                }
            } else if name.starts_with("prom314-rw2") {
                v2.push((name, shortened_v2(&Request::decode(&body)?)));
            } else if let Ok(request) = WriteRequest::decode(&body) {
                v1.push((name, shortened(&request)));
            } else if is_push(&body) {
                json.push((name, body));
            } else if let Ok(decoded) = PushRequest::decode(&body)
                && let Some(stream) = decoded.raw_stream(0).filter(|raw| raw.len() <= LONGEST)
            {
                push.push((name, stream.to_vec()));
            }
        }
    }
    let all = together(&[("v1", &v1), ("v2", &v2), ("push", &push)]);
    for (target, seeds) in [
        ("cache_key", &numbered(&KEYS)),
        ("convert", &together(&[("v1", &v1), ("v2", &v2)])),
        ("json", &json),
        ("kafka", &in_records(&all)),
        ("loki_push", &push),
        ("otlp_logs", &otlp_logs),
        ("otlp_metrics", &otlp_metrics),
        ("otlp_remote_write", &otlp_metrics),
        ("remote_write_v1", &v1),
        ("remote_write_v2", &v2),
        ("selector", &numbered(&SELECTORS)),
        ("split", &all),
        ("wire_reader", &all),
        ("work", &all),
    ] {
        let corpus = fuzz.join("corpus").join(target);
        fs::create_dir_all(&corpus)?;
        for (name, body) in seeds {
            fs::write(corpus.join(name), body)?;
        }
        println!("{}: {} seeds", corpus.display(), seeds.len());
    }
    Ok(())
}

/// Whether `body` is one of Loki's in JSON.
fn is_push(body: &[u8]) -> bool {
    let options = DecodeOptions::new().with_quoted_names(true);
    let mut scratch = JsonScratch::new();
    PushRequest::decode_json_with(body, &mut scratch, &options)
        .is_ok_and(|push| !push.streams().is_empty())
}

/// The first series of a request, with the symbols that they use.
fn shortened_v2(request: &Request<'_>) -> Vec<u8> {
    const SERIES: usize = 8;
    let mut symbolizer = Symbolizer::new();
    let symbolized = symbolizer.symbolize(request.timeseries().iter().take(SERIES));
    symbolized.expect("no cap").encode_to_vec().expect("a few series")
}

/// The first records of a request, series and metadata alike.
fn shortened(request: &WriteRequest<'_>) -> Vec<u8> {
    let mut body = Vec::new();
    let series = (0..).map_while(|i| request.raw_timeseries(i));
    for record in series.take_while(|record| record.len() <= LONGEST) {
        if body.len() + record.len() > LONGEST {
            break;
        }
        body.extend_from_slice(record);
    }
    let metadata = (0..).map_while(|i| request.raw_metadata(i));
    metadata.take(4).for_each(|record| body.extend_from_slice(record));
    body
}
