//! Fills `fuzz/corpus` from the captured requests and the small bodies of the tests.
//!
//! Long requests are cut behind the records that make the first few kilobytes: inputs of that size are
//! what a fuzzer is fast with.

#[path = "../../../tests/bytes/mod.rs"]
mod bytes;

use std::error::Error;
use std::fs;
use std::path::Path;

use borrowire::DecodeOptions;
use borrowire::loki::{PushRequest, json::JsonScratch};
use borrowire::remote_write::v1::WriteRequest;

const TARGETS: [&str; 4] = ["decode", "round_trip", "differential", "wire_reader"];
const LONGEST: usize = 2048;
const SELECTORS: [&str; 4] = [
    r#"{cluster="läb\"q\\", filename="/var/log/app/b.log", job="json", level="débug"}"#,
    r#"up{"k8s.pod"='\x41\101\'', a=`\n`, } # all but the last"#,
    r#"{a="\a\b\f\n\r\t\v\u00e9\ufffd\U0001F600\xc3\251", "up"}"#,
    r#"{level="info",quote="a"b"}"#,
];

fn main() -> Result<(), Box<dyn Error>> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seeds: Vec<(String, Vec<u8>)> = bytes::small_bodies()
        .into_iter()
        .map(|(name, body)| (name.replace(' ', "-"), body))
        .collect();
    let pushes = bytes::loki::small_bodies().into_iter().chain(bytes::loki::pushes_of_any_bytes());
    let mut push_seeds: Vec<(String, Vec<u8>)> =
        pushes.map(|(name, body)| (name.replace(' ', "-"), body)).collect();
    let mut json_seeds = Vec::new();
    for client in fs::read_dir(fuzz.join("../tests/fixtures"))? {
        let client = client?.path();
        if !client.is_dir() {
            continue;
        }
        for file in fs::read_dir(client)? {
            let file = file?.path();
            if file.extension().is_some_and(|extension| extension == "body") {
                let body = fs::read(&file)?;
                // Other encodings hold what the same clients send in this one, too.
                let body = snap::raw::Decoder::new().decompress_vec(&body).unwrap_or(body);
                let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                if let Ok(request) = WriteRequest::decode(&body) {
                    seeds.push((name, shortened(&request)));
                } else if is_push(&body) {
                    json_seeds.push((name, body));
                } else if let Ok(push) = PushRequest::decode(&body)
                    && let Some(stream) = push.raw_stream(0).filter(|raw| raw.len() <= LONGEST)
                {
                    push_seeds.push((name, stream.to_vec()));
                }
            }
        }
    }
    let selectors = SELECTORS.iter().enumerate();
    let selectors = selectors.map(|(i, text)| (i.to_string(), text.as_bytes().to_vec())).collect();
    let others = [("json", &json_seeds), ("loki_push", &push_seeds), ("selector", &selectors)];
    for (target, seeds) in TARGETS.map(|target| (target, &seeds)).into_iter().chain(others) {
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
