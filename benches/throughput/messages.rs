//! The messages: how each is told by a file's name, and what is measured of it.

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::rc::Rc;

use borrowire::convert::otlp_remote_write::{Settings, Translator};
use borrowire::convert::remote_write::ToV2;
use borrowire::loki::{self, LokiTokens, PushRequest};
use borrowire::otlp;
use borrowire::otlp::json::JsonScratch;
use borrowire::otlp::logs::ExportLogsServiceRequest;
use borrowire::otlp::metrics::ExportMetricsServiceRequest;
use borrowire::remote_write::v1::{self, WriteRequest};
use borrowire::remote_write::v2::{self, Request, Symbolizer, Validator};
use borrowire::remote_write::{LabelEdits, MimirTokens, Rules, SeriesRequest};
use borrowire::reuse::Decoder;
use borrowire::{Encode, Limits};
use bytes::Bytes;
use opentelemetry_proto::tonic::collector as otlp_peer;

use crate::measure::Operation;
use crate::peers::remote_write_v2::payload::shared_symbols;
use crate::peers::split::{Split, TENANT, fnv1, fnv1_tenant, fnv1_tokens};
use crate::peers::{self, Content, Digest, Peer, for_every_peer};
use crate::stages::{BORROWIRE, copy, of_json_peer, of_peer, reusing, splitting, splitting_items};

pub const MESSAGES: [Message; 6] = [
    Message { prefix: "rw1", id: "remote-write-v1", name: "Remote write 1.0", prepare: v1 },
    // In front of `rw2`, with which their names begin, too.
    Message {
        prefix: "rw2_shared",
        id: "remote-write-v2",
        name: "Remote write 2.0",
        prepare: shared,
    },
    Message { prefix: "rw2", id: "remote-write-v2", name: "Remote write 2.0", prepare: v2 },
    Message { prefix: "loki_push", id: "loki-push", name: "Loki push", prepare: loki_push },
    Message { prefix: "otlp_logs", id: "otlp-logs", name: "OTLP logs", prepare: otlp_logs },
    // Behind the more special one.
    Message { prefix: "otlp_", id: "otlp-metrics", name: "OTLP metrics", prepare: otlp_metrics },
];

/// A kind of message.
#[derive(Clone, Copy)]
pub struct Message {
    /// How a file's name begins.
    pub prefix: &'static str,
    /// For scripts.
    pub id: &'static str,
    /// For people.
    pub name: &'static str,
    /// Checks that all implementations agree on a body, and returns its content and what to measure.
    pub prepare: fn(&Bytes) -> Result<Prepared<'_>, Box<dyn Error>>,
}

pub type Prepared<'a> = (Digest, Vec<Operation<'a>>);

impl Message {
    pub fn of_file(path: &Path) -> Result<Self, String> {
        let file = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        MESSAGES.into_iter().find(|message| file.starts_with(message.prefix)).ok_or_else(|| {
            let prefixes = MESSAGES.map(|message| message.prefix).join(", ");
            let path = path.display();
            format!("{path}: the file's name tells no message (it starts with one of: {prefixes})")
        })
    }
}

/// The payloads of all messages, with file names that tell the message.
pub fn payloads() -> impl Iterator<Item = (String, Bytes)> {
    let remote_write = peers::remote_write_v1::payload::all();
    let remote_write_v2 = peers::remote_write_v2::payload::all();
    let loki_push = peers::loki_push::payload::all();
    remote_write
        .map(|(name, body)| (format!("rw1_{name}.bin"), body))
        .chain(remote_write_v2.map(|(name, body)| (format!("rw2_{name}.bin"), body)))
        .chain([("rw2_shared_symbols.bin".to_owned(), shared_symbols())])
        .chain(loki_push.map(|(name, body)| (format!("loki_push_{name}.bin"), body)))
}

/// This crate's own stages of remote write 1.0.
pub fn own_stages_v1(body: &Bytes) -> Result<Vec<Operation<'_>>, Box<dyn Error>> {
    let options = Limits::unlimited().into();
    let request = Rc::new(WriteRequest::decode_with(body, &options)?);
    let records = request.timeseries().len() + request.metadata().len();
    let mut operations = Vec::from(reusing::<WriteRequest<'_>>(body));
    operations.extend(tokens(&request)?);
    operations.extend(splitting(&request, records));
    operations.push(relabel_v1(&request));
    let rules = Rules::new();
    operations.push(Operation::new("validate", BORROWIRE, move || {
        black_box(&request).validate(&rules, |violation| _ = black_box(violation));
    }));
    Ok(operations)
}

fn v1(body: &Bytes) -> Result<Prepared<'_>, Box<dyn Error>> {
    use peers::remote_write_v1::shard::{ProstSplit, check};
    use peers::remote_write_v1::{ProstString, check_all};

    let content = check_all(body)?;
    check(body)?;

    let mut operations = own_stages_v1(body)?;
    for_every_peer!(remote_write_v1, P => operations.extend(of_peer::<P>(body)?));
    let (mut split, mut prost) = (Split::<WriteRequest<'_>>::default(), ProstSplit::default());
    let total = move || split.run(black_box(body));
    operations.push(Operation::new("split16_total", BORROWIRE, total));
    let total = move || prost.run(black_box(body));
    operations.push(Operation::new("split16_total", ProstString::NAME, total));
    operations.push(copy(body));
    Ok((content, operations))
}

fn v2(body: &Bytes) -> Result<Prepared<'_>, Box<dyn Error>> {
    use peers::remote_write_v2::shard::{ProstSplit, check};
    use peers::remote_write_v2::{ProstString, check_all};

    let content = check_all(body)?;
    check(body)?;
    let request = Rc::new(Request::decode(body)?);

    let mut operations = Vec::from(reusing::<Request<'_>>(body));
    for_every_peer!(remote_write_v2, P => operations.extend(of_peer::<P>(body)?));
    let (decoded, mut validator) = (Rc::clone(&request), Validator::new(Rules::new()));
    operations.push(Operation::new("validate", BORROWIRE, move || {
        validator.validate(black_box(&decoded), |violation| _ = black_box(violation));
    }));
    operations.extend(tokens(&request)?);
    operations.extend(splitting(&request, request.timeseries().len()));
    operations.push(relabel_v2(&request));
    let (mut split, mut prost) = (Split::<Request<'_>>::default(), ProstSplit::default());
    let total = move || split.run(black_box(body));
    operations.push(Operation::new("split16_total", BORROWIRE, total));
    let total = move || prost.run(black_box(body));
    operations.push(Operation::new("split16_total", ProstString::NAME, total));
    operations.push(copy(body));
    Ok((content, operations))
}

/// Long symbols that many series share, over the default cap on what a request may stand for: what
/// goes over them symbol by symbol, and what has to go over all that they stand for.
fn shared(body: &Bytes) -> Result<Prepared<'_>, Box<dyn Error>> {
    let limits = Limits::new().with_max_expanded_bytes(u64::MAX);
    let options = v2::DecodeOptions::new().with_limits(limits);
    let request = Rc::new(Request::decode_with(body, &options)?);
    let content = Content::of::<peers::remote_write_v2::ProstString>(body)?.digest;

    let mut decoder = Decoder::<Request<'_>>::new().with_options(options);
    let mut operations = vec![Operation::new("decode_reused", BORROWIRE, move || {
        black_box(&*decoder.decode(black_box(body)).expect("checked before"));
    })];
    let (decoded, mut validator) = (Rc::clone(&request), Validator::new(Rules::strict()));
    operations.push(Operation::new("validate", BORROWIRE, move || {
        validator.validate(black_box(&decoded), |violation| _ = black_box(violation));
    }));
    operations.extend(tokens(&request)?);
    let (decoded, mut symbolizer) = (Rc::clone(&request), Symbolizer::new());
    operations.push(Operation::new("encoded_len", BORROWIRE, move || {
        black_box(&decoded).encoder(&mut symbolizer).expect("good").encoded_len()
    }));
    operations.push(copy(body));
    Ok((content, operations))
}

fn loki_push(body: &Bytes) -> Result<Prepared<'_>, Box<dyn Error>> {
    let content = peers::loki_push::check_all(body)?;
    let request = Rc::new(PushRequest::decode(body)?);

    let mut operations = Vec::from(reusing::<PushRequest<'_>>(body));
    for_every_peer!(loki_push, P => operations.extend(of_peer::<P>(body)?));
    let (decoded, rules) = (Rc::clone(&request), loki::Rules::new());
    operations.push(Operation::new("validate", BORROWIRE, move || {
        black_box(&decoded).validate(&rules, |violation| _ = black_box(violation));
    }));
    let loki = LokiTokens::new(TENANT);
    let ours = move |request: &PushRequest<'_>, tokens: &mut Vec<u32>| loki.tokens(request, tokens);
    let by_definition = |request: &PushRequest<'_>, tokens: &mut Vec<u32>| {
        let tenant = fnv1_tenant();
        tokens.clear();
        tokens.extend(request.streams().iter().map(|stream| fnv1(tenant, stream.labels())));
    };
    operations.extend(tokens_by(&request, ours, by_definition)?);
    operations.extend(splitting(&request, request.streams().len()));
    operations.push(copy(body));
    Ok((content, operations))
}

fn otlp_logs(body: &Bytes) -> Result<Prepared<'_>, Box<dyn Error>> {
    let content = peers::otlp_logs::check_all(body)?;
    let mut operations = Vec::from(reusing::<ExportLogsServiceRequest<'_>>(body));
    for_every_peer!(
        otlp_logs, P => operations.extend(of_peer::<P>(body)?), [Borrowire ProstString Buffa]
    );
    let request = Rc::new(ExportLogsServiceRequest::decode(body)?);
    let (decoded, rules) = (Rc::clone(&request), otlp::Rules::new());
    operations.push(Operation::new("validate", BORROWIRE, move || {
        black_box(&decoded).validate(&rules, |violation| _ = black_box(violation));
    }));
    operations.push(splitting_items(&request));
    let json = request.json_encoder(&mut JsonScratch::new())?.encode_to_vec()?;
    let mut decoder = Decoder::<ExportLogsServiceRequest<'_>>::new();
    if decoder.decode_json(&json)?.encode_to_vec()? != request.encode_to_vec()? {
        return Err("JSON says something else".into());
    }
    operations.extend(of_json_peer::<otlp_peer::logs::v1::ExportLogsServiceRequest>(&json));
    operations.push(Operation::new("decode_json", BORROWIRE, move || {
        black_box(&*decoder.decode_json(black_box(&json)).expect("checked before"));
    }));
    operations.push(copy(body));
    Ok((content, operations))
}

fn otlp_metrics(body: &Bytes) -> Result<Prepared<'_>, Box<dyn Error>> {
    let content = peers::otlp_metrics::check_all(body)?;
    let mut operations = Vec::from(reusing::<ExportMetricsServiceRequest<'_>>(body));
    for_every_peer!(
        otlp_metrics, P => operations.extend(of_peer::<P>(body)?), [Borrowire ProstString Buffa]
    );
    let request = Rc::new(ExportMetricsServiceRequest::decode(body)?);
    let (decoded, rules) = (Rc::clone(&request), otlp::Rules::new());
    operations.push(Operation::new("validate", BORROWIRE, move || {
        black_box(&decoded).validate(&rules, |violation| _ = black_box(violation));
    }));
    operations.push(splitting_items(&request));
    let json = request.json_encoder(&mut JsonScratch::new())?.encode_to_vec()?;
    let mut decoder = Decoder::<ExportMetricsServiceRequest<'_>>::new();
    if decoder.decode_json(&json)?.metrics_len() != request.metrics_len() {
        return Err("JSON says something else".into());
    }
    operations.extend(to_remote_write(body)?);
    operations.extend(of_json_peer::<otlp_peer::metrics::v1::ExportMetricsServiceRequest>(&json));
    operations.push(Operation::new("decode_json", BORROWIRE, move || {
        black_box(&*decoder.decode_json(black_box(&json)).expect("checked before"));
    }));
    operations.push(copy(body));
    Ok((content, operations))
}

/// From a body of metrics to one of remote write, as Mimir makes it by default: decoded, translated and
/// written, in memory that is used again.
fn to_remote_write(body: &Bytes) -> Result<[Operation<'_>; 2], Box<dyn Error>> {
    let translator = || Translator::new(Settings::mimir().with_max_expansion(usize::MAX));
    let mut len = 0;
    let request = ExportMetricsServiceRequest::decode(body)?;
    translator().translate(&request, |_| {}).encode_to_vec().map(|written| len = written.len())?;

    let limits = otlp::DecodeOptions::from(Limits::unlimited());
    let decoder = || Decoder::<ExportMetricsServiceRequest<'_>>::new().with_options(limits);
    let (mut decoder_v1, mut translator_v1, mut out) = (decoder(), translator(), vec![0; len]);
    let v1 = Operation::new("to_remote_write_v1", BORROWIRE, move || {
        let request = decoder_v1.decode(black_box(body)).expect("checked before");
        let translated = translator_v1.translate(&request, |_| {});
        let written = translated.encode(&mut out).expect("it fits");
        black_box(&mut out);
        written
    });

    let (mut decoder, mut translator, mut old) = (decoder(), translator(), vec![0; len]);
    let mut decoder_v1 = Decoder::<WriteRequest<'_>>::new()
        .with_options(v1::DecodeOptions::from(Limits::unlimited()));
    let (mut to_v2, mut symbolizer, mut out) = (ToV2::new(), Symbolizer::new(), vec![0; 2 * len]);
    let v2 = Operation::new("to_remote_write_v2", BORROWIRE, move || {
        let request = decoder.decode(black_box(body)).expect("checked before");
        let translated = translator.translate(&request, |_| {});
        let written = translated.encode(&mut old).expect("it fits");
        let request = decoder_v1.decode(&old[..written]).expect("it was just written");
        let converted = to_v2.convert(&request, |_| {});
        let encoder = converted.symbolize(&mut symbolizer).expect("no cap");
        let written = encoder.encode(&mut out).expect("it fits");
        black_box(&mut out);
        written
    });
    Ok([v1, v2])
}

/// Of each series a label removed and one set, and all of it written out.
fn relabel_v1<'a>(request: &Rc<WriteRequest<'a>>) -> Operation<'a> {
    let request = Rc::clone(request);
    let (removed, mut relabeler) = (label_to_remove(&*request), v1::Relabeler::new());
    Operation::new("relabel", BORROWIRE, move || {
        let relabeled = relabeler.relabel(black_box(&request), |_, labels| edit(labels, removed));
        black_box(relabeled.as_bytes()).len()
    })
}

fn relabel_v2<'a>(request: &Rc<Request<'a>>) -> Operation<'a> {
    let request = Rc::clone(request);
    let (removed, mut relabeler) = (label_to_remove(&*request), v2::Relabeler::new());
    Operation::new("relabel", BORROWIRE, move || {
        let relabeled = relabeler.relabel(black_box(&request), |_, labels| edit(labels, removed));
        black_box(relabeled.as_bytes()).len()
    })
}

fn edit(labels: &mut LabelEdits, removed: &str) -> bool {
    labels.remove(removed);
    labels.set("cluster", "eu-west-1");
    true
}

/// A name in the middle of what most series have.
fn label_to_remove<'a>(request: &impl SeriesRequest<'a>) -> &'a str {
    let series = request.timeseries().get(0);
    let labels = series.map_or(&[][..], |series| series.labels());
    labels.get(labels.len() / 2).map_or("pod", |label| label.name)
}

/// Mimir's tokens of a whole request.
fn tokens<'a, R: SeriesRequest<'a> + 'a>(
    request: &Rc<R>,
) -> Result<[Operation<'a>; 2], Box<dyn Error>> {
    let mimir = MimirTokens::new(TENANT);
    let ours = move |request: &R, tokens: &mut Vec<u32>| mimir.tokens(request, tokens);
    tokens_by(request, ours, |request, tokens| fnv1_tokens(request, tokens))
}

/// The tokens of a request in two ways, which must find the same.
fn tokens_by<'a, R: 'a>(
    request: &Rc<R>,
    ours: impl Fn(&R, &mut Vec<u32>) + 'a,
    by_definition: impl Fn(&R, &mut Vec<u32>) + 'a,
) -> Result<[Operation<'a>; 2], Box<dyn Error>> {
    let (mut tokens, mut expected) = (Vec::new(), Vec::new());
    ours(request, &mut tokens);
    by_definition(request, &mut expected);
    if tokens != expected {
        return Err("tokens differ".into());
    }
    let (decoded, request) = (Rc::clone(request), Rc::clone(request));
    Ok([
        Operation::new("token", BORROWIRE, move || {
            ours(black_box(&decoded), black_box(&mut tokens));
        }),
        Operation::new("token", "byte-by-byte", move || {
            by_definition(black_box(&request), black_box(&mut expected));
        }),
    ])
}
