//! Every captured request negotiates, by its own head, to the message that it holds and to the
//! compression that its client used.

use std::fs;
use std::path::{Path, PathBuf};

use borrowire::body::Encoding;
use borrowire::body::negotiate::{self, Content, Message, RequestHead};
use serde_json::Value;

/// A captured request's head.
struct Head {
    name: String,
    /// What `sets.json` says of its set: the message, or the beginning that all messages share.
    message: String,
    method: String,
    path: String,
    headers: Vec<(String, String)>,
}

impl Head {
    fn read(path: &Path, message: &str) -> Self {
        let json = read_json(path);
        let mut request_line = text(&json["request_line"]).split(' ').map(str::to_owned);
        let headers = json["headers"].as_array().expect("headers").iter();
        Self {
            name: path.display().to_string(),
            message: message.to_owned(),
            method: request_line.next().expect("a method"),
            path: request_line.next().expect("a path"),
            headers: headers.map(|h| (text(&h[0]).to_owned(), text(&h[1]).to_owned())).collect(),
        }
    }

    fn header(&self, wanted: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        found.map(|(_, value)| value.as_str())
    }

    fn negotiate(&self) -> Content {
        let head = RequestHead::new()
            .with_method(self.method.as_str())
            .with_path(self.path.as_str())
            .with_content_type(self.header("content-type"))
            .with_content_encoding(self.header("content-encoding"))
            .with_remote_write_version(self.header("x-prometheus-remote-write-version"));
        negotiate::by_path(&head).unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }
}

fn heads() -> Vec<Head> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut heads = Vec::new();
    for set in read_json(&root.join("sets.json")).as_array().expect("an array") {
        let folder = fs::read_dir(root.join(text(&set["set"]))).expect("a folder");
        let mut paths: Vec<PathBuf> =
            folder.map(|entry| entry.expect("a readable folder").path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "body"));
        paths.sort();
        assert!(!paths.is_empty(), "{set}");
        let message = text(&set["message"]);
        heads.extend(paths.iter().map(|path| Head::read(&path.with_extension("json"), message)));
    }
    heads
}

#[test]
fn heads_say_what_the_message_is() {
    for head in heads() {
        let message = head.negotiate().message;
        assert!(message.as_str().starts_with(&head.message), "{}: {message}", head.name);
        let json = head.header("content-type").is_some_and(|value| value.contains("json"));
        assert_eq!(message.as_str().ends_with("-json"), json, "{}", head.name);
    }
}

#[test]
fn heads_say_how_the_body_is_compressed() {
    for head in heads() {
        let content = head.negotiate();
        let expected = match (content.message, head.header("content-encoding")) {
            (Message::RemoteWriteV1 | Message::RemoteWriteV2, None) => Some(Encoding::Unstated),
            (Message::LokiPush, None) => Some(Encoding::Snappy),
            (_, None) => None,
            (_, Some("deflate")) => Some(Encoding::Deflate),
            (_, Some("gzip")) => Some(Encoding::Gzip),
            (_, Some("snappy")) => Some(Encoding::Snappy),
            (_, Some("x-snappy-framed")) => Some(Encoding::SnappyFramed),
            (_, Some("zstd")) => Some(Encoding::Zstd),
            (_, Some(other)) => panic!("{}: {other}", head.name),
        };
        assert!(
            content.encodings.outermost_first().eq(expected),
            "{}: {:?}",
            head.name,
            content.encodings
        );
    }
}

#[cfg(feature = "http")]
mod http {
    use super::*;
    use ::http::{HeaderValue, Request, StatusCode};
    use borrowire::body::Encodings;
    use borrowire::body::negotiate::ContentError;
    use borrowire::remote_write::v2::Written;

    fn request(headers: &[(&str, &[u8])]) -> Result<Content, ContentError> {
        let mut request = Request::post("/api/v1/write?x=y");
        for &(name, value) in headers {
            request = request.header(name, HeaderValue::from_bytes(value).expect("a value"));
        }
        let (parts, ()) = request.body(()).expect("a request").into_parts();
        negotiate::by_path(&RequestHead::try_from(&parts)?)
    }

    #[test]
    fn captured_heads_negotiate_alike() {
        for head in heads() {
            let mut request = Request::builder().method(head.method.as_str()).uri(&head.path);
            for (name, value) in &head.headers {
                request = request.header(name, value);
            }
            let (parts, ()) = request.body(()).expect("a request").into_parts();
            let content = negotiate::by_path(&RequestHead::try_from(&parts).expect(&head.name));
            assert_eq!(content, Ok(head.negotiate()), "{}", head.name);
        }
    }

    #[test]
    fn lines_of_content_encoding_are_joined_in_order() {
        let content = request(&[
            ("content-encoding", b"gzip"),
            ("content-type", b"application/x-protobuf"),
            ("content-encoding", b""),
            ("content-encoding", b"zstd, snappy"),
        ]);
        assert_eq!(content.map(|c| c.encodings), Ok(Encodings::parse("gzip,zstd,snappy").unwrap()));
    }

    #[test]
    fn values_that_are_no_text_are_refused() {
        for name in ["content-type", "content-encoding", "x-prometheus-remote-write-version"] {
            let error = request(&[(name, b"snapp\xff")]).expect_err(name);
            assert_eq!(StatusCode::from(error), StatusCode::BAD_REQUEST, "{name}");
        }
        request(&[("user-agent", b"\xff")]).expect("a header that nobody reads");
    }

    #[test]
    fn a_second_content_type_must_say_the_same() {
        let v1: (_, &[u8]) = ("content-type", b"application/x-protobuf");
        let v2: (_, &[u8]) =
            ("content-type", b"application/x-protobuf;proto=io.prometheus.write.v2.Request");
        assert_eq!(request(&[v1, v1]).map(|c| c.message), Ok(Message::RemoteWriteV1));
        assert_eq!(request(&[v1, v2]).expect_err("a contradiction").status(), 400);
    }

    #[test]
    fn other_methods_and_paths_are_refused() {
        for (method, path, status) in [
            ("GET", "/api/v1/write", StatusCode::METHOD_NOT_ALLOWED),
            ("POST", "/api/v1/query", StatusCode::NOT_FOUND),
        ] {
            let request = Request::builder().method(method).uri(path).body(()).expect("a request");
            let (parts, ()) = request.into_parts();
            let error =
                negotiate::by_path(&RequestHead::try_from(&parts).expect("a head")).unwrap_err();
            assert_eq!(StatusCode::from(error), status);
        }
        let error = request(&[("content-encoding", b"br")]).unwrap_err();
        assert_eq!(StatusCode::from(error), StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }

    #[test]
    fn what_was_written_replaces_what_was_there() {
        let mut headers = ::http::HeaderMap::new();
        Written::new(1, 1, 1).insert_into(&mut headers);
        let written = Written::new(u64::MAX, 0, 20);
        written.insert_into(&mut headers);
        assert_eq!(headers.len(), 3);
        for (name, value) in written.headers() {
            assert_eq!(headers[name], value.to_string().as_str());
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

fn read_json(path: &Path) -> Value {
    let json = fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_slice(&json).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
