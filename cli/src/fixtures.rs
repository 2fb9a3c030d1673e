//! The captured requests of `tests/fixtures`, which this program carries along, with what they are
//! known to contain.
//!
//! They are part of the source: a file that is missing or malformed is a panic.

use borrowire::body::negotiate::{self, Content, RequestHead};
use borrowire::body::{BodyLimits, BufferPool, Encoding};
use include_dir::{Dir, File, include_dir};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::arguments::MessageKind;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../tests/fixtures");

/// One captured request.
#[derive(Debug)]
pub struct Fixture {
    /// The client, its version, and how it was set up: a folder of `tests/fixtures`.
    pub set: String,
    /// The client's name and version, for people.
    pub client: String,
    /// File name without extension; it begins with the set.
    pub name: String,
    /// The path that it was sent to, with the query, if there was one.
    pub path: String,
    /// The headers that say what the body is, names in lower case.
    pub headers: Vec<(String, String)>,
    /// As sent: compressed.
    pub body: &'static [u8],
}

/// An entry of `sets.json`.
#[derive(Deserialize)]
struct Set {
    set: String,
    client: String,
    message: String,
}

/// The file beside a body: how it was sent.
#[derive(Deserialize)]
struct Sent {
    request_line: String,
    headers: Vec<(String, String)>,
}

/// Every request of `kind`, in the order of sets and names.
#[must_use]
pub fn load(kind: impl Into<MessageKind>) -> Vec<Fixture> {
    // What OTLP has in common is told by the end of the path.
    let (message, path) = match kind.into() {
        MessageKind::LokiPush => ("loki", ""),
        MessageKind::OtlpMetrics => ("otlp", "/v1/metrics"),
        MessageKind::OtlpLogs => ("otlp", "/v1/logs"),
        kind => (kind.as_str(), ""),
    };
    let sets: Vec<Set> = parse("sets.json");
    let sets = sets.into_iter().filter(|set| set.message == message);
    let fixtures = sets.flat_map(load_set).filter(|fixture| fixture.path.ends_with(path));
    let fixtures: Vec<_> = fixtures.collect();
    assert!(!fixtures.is_empty(), "no fixtures for {message}");
    fixtures
}

fn load_set(set: Set) -> Vec<Fixture> {
    let folder = FILES.get_dir(&set.set).unwrap_or_else(|| panic!("no folder {}", set.set));
    let is_body = |file: &&File<'_>| file.path().extension().is_some_and(|end| end == "body");
    let mut bodies: Vec<_> = folder.files().filter(is_body).collect();
    bodies.sort_by_key(|file| file.path());
    bodies.into_iter().map(|body| load_one(&set, body)).collect()
}

fn load_one(set: &Set, body: &'static File<'static>) -> Fixture {
    let name = body.path().file_stem().and_then(|name| name.to_str()).expect("a plain name");
    let sent: Sent = parse(&format!("{}/{name}.json", set.set));
    let headers = sent.headers.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value));
    Fixture {
        set: set.set.clone(),
        client: set.client.clone(),
        name: name.to_owned(),
        path: sent.request_line.split(' ').nth(1).expect("a path").to_owned(),
        headers: headers
            .filter(|(name, _)| name.starts_with("content-") || name.starts_with("x-"))
            .filter(|(name, _)| name != "content-length")
            .collect(),
        body: body.contents(),
    }
}

impl Fixture {
    /// What the body is, by its path and headers.
    #[must_use]
    pub fn content(&self) -> Content {
        let header = |name: &str| {
            let mut headers = self.headers.iter();
            headers.find(|(found, _)| found == name).map(|(_, value)| value.as_str())
        };
        let head = RequestHead::new()
            .with_path(self.path.as_str())
            .with_content_type(header("content-type"))
            .with_content_encoding(header("content-encoding").unwrap_or_default())
            .with_remote_write_version(header("x-prometheus-remote-write-version"));
        negotiate::by_path(&head).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// Reads the golden contents. They are several times larger than the body, so this is for one
    /// at a time.
    #[must_use]
    pub fn golden(&self) -> Golden {
        let path = format!("{}/{}.golden.json.gz", self.set, self.name);
        let json = BufferPool::new().decompress(read(&path), Encoding::Gzip, &BodyLimits::new());
        let json = json.unwrap_or_else(|error| panic!("{path}: {error}"));
        Golden(serde_json::from_slice(&json).unwrap_or_else(|error| panic!("{path}: {error}")))
    }
}

/// What another protobuf implementation read in a body.
#[derive(Debug)]
pub struct Golden(Value);

impl Golden {
    /// How many there are of something: `timeseries`, `labels`, `samples`, `exemplars`,
    /// `histograms`, `metadata`, `streams`, `entries`.
    #[must_use]
    pub fn count(&self, what: &str) -> usize {
        // What there is none of may be left out.
        self.0["counts"].get(what).map_or(0, whole_number)
    }

    /// The content, in the form of [`json_form`](crate::json_form).
    #[must_use]
    pub fn message(&self) -> String {
        self.0["message"].to_string()
    }

    /// The content of a body that is JSON, as it was sent; null for any other.
    #[must_use]
    pub fn json(&self) -> &Value {
        &self.0["json"]
    }

    /// Whether another encoder, given the content, writes exactly the bytes that the client sent.
    #[must_use]
    pub fn is_canonical(&self) -> bool {
        self.0["reserialized_identical"] == true
    }

    /// How long the body is once decompressed.
    #[must_use]
    pub fn decoded_bytes(&self) -> usize {
        whole_number(&self.0["decoded_bytes"])
    }
}

fn whole_number(value: &Value) -> usize {
    value.as_u64().and_then(|number| number.try_into().ok()).expect("a whole number")
}

fn parse<T: DeserializeOwned>(path: &str) -> T {
    serde_json::from_slice(read(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn read(path: &str) -> &'static [u8] {
    FILES.get_file(path).unwrap_or_else(|| panic!("no file {path}")).contents()
}
