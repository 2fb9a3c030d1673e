//! The captured requests in `tests/fixtures`, with what they are known to contain.
//!
//! Each is read once, by whichever test comes first. A file that is missing or malformed is a panic: the
//! fixtures are part of the source.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, OnceLock};

use borrowire::body::negotiate::{self, Content, Message, RequestHead};
use borrowire::body::{BodyLimits, BufferPool, Encoding, Encodings};
use flate2::bufread::GzDecoder;
use serde_json::Value;

/// One captured request.
pub struct Fixture {
    /// What kind of message it is.
    pub message: String,
    /// The client, its version, and how it was set up: a folder of `tests/fixtures`.
    pub set: String,
    /// The client's name and version, for people.
    pub client: String,
    /// File name without extension; it begins with the set.
    pub name: String,
    /// As it was sent.
    pub sent: Vec<u8>,
    /// What the request's own path and headers say that it is.
    pub content: Message,
    /// As negotiated from the request's own path and headers.
    pub encodings: Encodings,
    /// Decompressed.
    pub body: Vec<u8>,
    path: PathBuf,
    golden: OnceLock<Golden>,
}

/// What another protobuf implementation read in a body.
pub struct Golden {
    /// What the fields here do not tell.
    json: Value,
    /// The content, in the form that `support::json` writes.
    pub message: String,
}

static ALL: LazyLock<Vec<Fixture>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let sets = read_json(&root.join("sets.json"));
    let pool = BufferPool::new();
    let sets = sets.as_array().expect("sets.json is an array").iter();
    sets.flat_map(|set| load_set(&root, set, &pool)).collect()
});

/// Every request, in the order of sets and names.
pub fn all() -> &'static [Fixture] {
    &ALL
}

/// Every request of `message`.
pub fn of(message: &str) -> impl Iterator<Item = &'static Fixture> {
    let mut of_message = all().iter().filter(move |fixture| fixture.message == message).peekable();
    assert!(of_message.peek().is_some(), "no fixtures for {message}");
    of_message
}

fn load_set(root: &Path, set: &Value, pool: &BufferPool) -> Vec<Fixture> {
    let folder = root.join(text(set, "set"));
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut bodies: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|e| e == "body"))
        .collect();
    bodies.sort();
    let load = |path: PathBuf| {
        let sent = read(&path);
        let Content { message: content, encodings, .. } =
            negotiated(&read_json(&path.with_extension("json")));
        let body = pool.decompress(&sent, encodings, &BodyLimits::new());
        Fixture {
            message: match content {
                // A set of OTLP holds all signals.
                Message::OtlpMetrics => "otlp-metrics",
                Message::OtlpLogs => "otlp-logs",
                _ => text(set, "message"),
            }
            .to_owned(),
            set: text(set, "set").to_owned(),
            client: text(set, "client").to_owned(),
            name: path.file_stem().expect("a name").to_string_lossy().into_owned(),
            body: body.expect("a body of a real client").to_vec(),
            sent,
            content,
            encodings,
            path,
            golden: OnceLock::new(),
        }
    };
    bodies.into_iter().map(load).collect()
}

fn negotiated(request: &Value) -> Content {
    let headers = request["headers"].as_array().expect("headers");
    let header = |name| {
        let mut named = headers.iter().filter(|h| text(h, 0).eq_ignore_ascii_case(name));
        named.next().map(|header| text(header, 1))
    };
    let mut line = text(request, "request_line").split(' ');
    let head = RequestHead::new()
        .with_method(line.next())
        .with_path(line.next())
        .with_content_type(header("content-type"))
        .with_content_encoding(header("content-encoding"))
        .with_remote_write_version(header("x-prometheus-remote-write-version"));
    negotiate::by_path(&head).expect("a head of a real client")
}

impl Fixture {
    /// The golden contents.
    pub fn golden(&self) -> &Golden {
        self.golden.get_or_init(|| {
            let path = self.path.with_extension("golden.json.gz");
            let mut json = Vec::new();
            GzDecoder::new(read(&path).as_slice())
                .read_to_end(&mut json)
                .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let mut json = parse(&path, &json);
            let message = json["message"].take().to_string();
            Golden { json, message }
        })
    }
}

impl Golden {
    /// How many there are of something: `timeseries`, `labels`, `samples`, `exemplars`,
    /// `exemplar_labels`, `histograms`, `metadata`.
    pub fn count(&self, what: &str) -> usize {
        // What there is none of may be left out.
        self.json["counts"].get(what).map_or(0, whole_number)
    }

    /// How often a scan of the wire, which shares no code with this crate, met an oddity.
    pub fn oddity(&self, name: &str) -> usize {
        self.json["wire"].get(name).map_or(0, whole_number)
    }

    /// The content of a body that is JSON, as it was sent; null for any other.
    pub fn json(&self) -> &Value {
        &self.json["json"]
    }

    /// Whether another encoder, given the content, writes exactly the bytes that the client sent.
    pub fn is_canonical(&self) -> bool {
        self.json["reserialized_identical"] == true
    }

    /// How long the body is once decompressed.
    pub fn decoded_bytes(&self) -> usize {
        whole_number(&self.json["decoded_bytes"])
    }

    /// How the body is really compressed.
    pub fn compression(&self) -> Option<Encoding> {
        // Behind a blank is a remark.
        match text(&self.json, "compression").split(' ').next().expect("a name") {
            "identity" => None,
            "deflate" => Some(Encoding::Deflate),
            "gzip" => Some(Encoding::Gzip),
            "snappy-block" => Some(Encoding::Snappy),
            "snappy-framed" => Some(Encoding::SnappyFramed),
            "zstd" => Some(Encoding::Zstd),
            other => panic!("{other}"),
        }
    }
}

fn text(value: &Value, key: impl serde_json::value::Index) -> &str {
    value[key].as_str().expect("a string")
}

fn whole_number(value: &Value) -> usize {
    let number = value.as_u64().expect("a whole number");
    number.try_into().expect("one that fits")
}

fn read_json(path: &Path) -> Value {
    parse(path, &read(path))
}

fn parse(path: &Path, json: &[u8]) -> Value {
    serde_json::from_slice(json).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
