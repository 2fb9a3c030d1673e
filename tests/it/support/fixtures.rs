//! The captured requests in `tests/fixtures`, with what they are known to contain.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use borrowire::body::negotiate::{self, RequestHead};
use borrowire::body::{BodyLimits, BufferPool};
use flate2::bufread::GzDecoder;
use serde_json::Value;

/// One captured request.
pub struct Fixture {
    /// The client, its version, and how it was set up: a folder of `tests/fixtures`.
    pub set: String,
    /// The client's name and version, for people.
    pub client: String,
    /// File name without extension; it begins with the set.
    pub name: String,
    /// Decompressed, as the request's own path and headers say.
    pub body: Vec<u8>,
    path: PathBuf,
}

/// What another protobuf implementation read in a body.
pub struct Golden {
    /// The whole file, for what the fields here do not tell.
    json: Value,
}

/// Every request of `message`, in the order of sets and names.
///
/// # Panics
///
/// If a file is missing or malformed: the fixtures are part of the source.
pub fn load(message: &str) -> Vec<Fixture> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let sets = read_json(&root.join("sets.json"));
    let mut fixtures = Vec::new();
    for set in sets.as_array().expect("sets.json is an array") {
        if text(set, "message") == message {
            load_set(&root, set, &mut fixtures);
        }
    }
    assert!(!fixtures.is_empty(), "no fixtures for {message}");
    fixtures
}

fn load_set(root: &Path, set: &Value, fixtures: &mut Vec<Fixture>) {
    let folder = root.join(text(set, "set"));
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut bodies: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|e| e == "body"))
        .collect();
    bodies.sort();
    let pool = BufferPool::new();
    for path in bodies {
        fixtures.push(Fixture {
            set: text(set, "set").to_owned(),
            client: text(set, "client").to_owned(),
            name: path.file_stem().expect("a name").to_string_lossy().into_owned(),
            body: decompress(&pool, &read_json(&path.with_extension("json")), &read(&path)),
            path,
        });
    }
}

/// What a body is once decompressed, as a receiver finds out.
fn decompress(pool: &BufferPool, request: &Value, sent: &[u8]) -> Vec<u8> {
    let headers = request["headers"].as_array().expect("headers");
    let header = |name| {
        let mut named = headers.iter().filter(|h| text(h, 0).eq_ignore_ascii_case(name));
        named.next().map(|header| text(header, 1))
    };
    let head = RequestHead::new()
        .with_path(text(request, "request_line").split(' ').nth(1))
        .with_content_type(header("content-type"))
        .with_content_encoding(header("content-encoding"))
        .with_remote_write_version(header("x-prometheus-remote-write-version"));
    let content = negotiate::by_path(&head).expect("a head of a real client");
    let body = pool.decompress(sent, content.encodings, &BodyLimits::new());
    body.expect("a body of a real client").to_vec()
}

impl Fixture {
    /// Reads the golden contents. They are several times larger than the body, so this is for one
    /// at a time.
    pub fn golden(&self) -> Golden {
        let path = self.path.with_extension("golden.json.gz");
        let mut json = Vec::new();
        GzDecoder::new(read(&path).as_slice())
            .read_to_end(&mut json)
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        Golden { json: parse(&path, &json) }
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

    /// The content, in the form that `support::json` writes.
    pub fn message(&self) -> String {
        self.json["message"].to_string()
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
