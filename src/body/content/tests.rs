use super::*;
use ContentErrorKind::*;
use Encoding::*;

const V2: &str = "application/x-protobuf;proto=io.prometheus.write.v2.Request";

fn layers(encodings: Encodings) -> alloc::vec::Vec<Encoding> {
    encodings.undo().collect()
}

/// The kind, after a look at the protocol.
fn refusal(result: Result<Content, ContentError>, protocol: Protocol) -> ContentErrorKind {
    let error = result.expect_err("a refusal");
    assert_eq!(error.protocol(), Some(protocol));
    error.kind()
}

#[test]
fn remote_write_content_types() {
    let read = |header| {
        remote_write(&RequestHead::new().with_content_type(header), &ContentOptions::new())
    };
    for header in [
        None,
        Some(""),
        Some(" \t"),
        Some("application/x-protobuf"),
        Some(" application/x-protobuf "),
        Some("APPLICATION/X-Protobuf; charset=utf-8"),
        Some("application/x-protobuf;proto=prometheus.WriteRequest"),
        Some("application/x-protobuf; Proto=\"prometheus.WriteRequest\""),
    ] {
        assert_eq!(read(header).expect("accepted").message, Message::RemoteWriteV1, "{header:?}");
    }
    for header in [
        V2,
        "application/x-protobuf; proto=io.prometheus.write.v2.Request",
        "application/x-protobuf ;PROTO=\"io.prometheus.write.v2.Request\";charset=utf-8",
    ] {
        assert_eq!(read(Some(header)).expect("accepted").message, Message::RemoteWriteV2);
    }
    for (header, kind) in [
        ("application/x-protobuf;proto=io.prometheus.write.v3.Request", UnsupportedMessage),
        ("application/x-protobuf;proto=IO.Prometheus.Write.V2.Request", UnsupportedMessage),
        ("application/x-protobuf;proto=\"\"", UnsupportedMessage),
        ("application/json", UnsupportedMediaType),
        ("application/protobuf", UnsupportedMediaType),
        ("text/x-protobuf", UnsupportedMediaType),
        ("x-protobuf", MalformedContentType),
        ("application/x-protobuf;charset", MalformedContentType),
        ("application/x-protobuf;proto=prometheus.WriteRequest;proto=a", MalformedContentType),
    ] {
        assert_eq!(refusal(read(Some(header)), Protocol::RemoteWrite), kind, "{header}");
        assert_eq!(read(Some(header)).unwrap_err().status(), 415);
    }
}

#[test]
fn remote_write_encodings() {
    let read = |header| {
        remote_write(&RequestHead::new().with_content_encoding(header), &ContentOptions::new())
    };
    for (header, expected) in [
        (None, &[Unstated][..]),
        (Some(""), &[Unstated]),
        (Some(" , "), &[Unstated]),
        (Some("identity"), &[]),
        (Some("snappy"), &[Snappy]),
        (Some("Snappy, identity"), &[Snappy]),
        (Some("gzip"), &[Gzip]),
        (Some("zstd"), &[Zstd]),
        (Some("gzip, snappy"), &[Snappy, Gzip]),
        (Some("snappy,,gzip"), &[Gzip, Snappy]),
    ] {
        let content = read(header).expect("accepted");
        assert_eq!(layers(content.encodings), expected, "{header:?}");
    }
    for (header, kind) in
        [("br", UnsupportedEncoding), ("gzip,gzip,gzip,gzip,gzip", TooManyEncodings)]
    {
        assert_eq!(refusal(read(Some(header)), Protocol::RemoteWrite), kind);
    }
}

#[test]
fn lines_of_content_encoding_are_one_list() {
    let head = RequestHead::new()
        .with_content_encoding("gzip, zstd")
        .with_content_encoding("")
        .with_content_encoding("snappy");
    let content = remote_write(&head, &ContentOptions::new()).unwrap();
    assert_eq!(layers(content.encodings), [Snappy, Zstd, Gzip]);
    let head = head.with_content_encoding("br").with_content_encoding("gzip");
    let result = remote_write(&head, &ContentOptions::new());
    assert_eq!(refusal(result, Protocol::RemoteWrite), UnsupportedEncoding);
}

#[test]
fn versions_count_on_demand_only() {
    for (version, content_type, contradicts) in [
        (None, None, false),
        (None, Some(V2), false),
        (Some(""), Some(V2), false),
        (Some("0.1.0"), None, false),
        (Some("1.0"), Some("application/x-protobuf"), false),
        (Some(" 2.0.0 "), Some(V2), false),
        (Some("2.0.0"), None, true),
        (Some("0.1.0"), Some(V2), true),
        (Some("20.0"), Some(V2), true),
        (Some("3.0"), Some(V2), true),
        (Some("two"), Some(V2), true),
    ] {
        let head =
            RequestHead::new().with_remote_write_version(version).with_content_type(content_type);
        assert!(remote_write(&head, &ContentOptions::new()).is_ok());
        let strict = remote_write(&head, &ContentOptions::new().with_check_version(true));
        if contradicts {
            assert_eq!(refusal(strict, Protocol::RemoteWrite), VersionMismatch, "{version:?}");
        } else {
            assert!(strict.is_ok(), "{version:?} {content_type:?}");
        }
    }
}

#[test]
fn loki_protobuf_is_in_a_snappy_block_once() {
    let read = |content_type, encoding| {
        let head = RequestHead::new().with_content_type(content_type);
        loki_push(&head.with_content_encoding(encoding))
    };
    for (header, expected) in [
        (None, &[Snappy][..]),
        (Some(""), &[Snappy]),
        (Some("identity"), &[Snappy]),
        (Some("snappy"), &[Snappy]),
        (Some("gzip"), &[Gzip, Snappy]),
        (Some("X-GZIP"), &[Gzip, Snappy]),
        (Some("deflate"), &[Deflate, Snappy]),
        (Some("snappy, gzip"), &[Gzip, Snappy]),
    ] {
        // Whatever is not JSON.
        for content_type in ["application/x-protobuf", "application/octet-stream", "a/b;c=d"] {
            let content = read(content_type, header).expect("accepted");
            assert_eq!(content.message, Message::LokiPush);
            assert_eq!(layers(content.encodings), expected, "{header:?}");
        }
    }
    for header in ["gzip, snappy", "snappy, snappy", "gzip, gzip", "zstd", "x-snappy-framed", "br"]
    {
        let result = read("application/x-protobuf", Some(header));
        assert_eq!(refusal(result, Protocol::LokiPush), UnsupportedEncoding, "{header}");
        assert_eq!(result.unwrap_err().status(), 400);
    }
}

#[test]
fn loki_json() {
    let head = RequestHead::new().with_content_type("Application/JSON; charset=utf-8");
    for (header, expected) in [
        (None, &[][..]),
        (Some("identity"), &[]),
        (Some("gzip"), &[Gzip]),
        (Some("deflate"), &[Deflate]),
        (Some("zstd"), &[Zstd]),
    ] {
        let content = loki_push(&head.with_content_encoding(header)).expect("accepted");
        assert_eq!(content.message, Message::LokiPushJson);
        assert_eq!(layers(content.encodings), expected, "{header:?}");
    }
    for header in ["snappy", "x-snappy-framed", "snappy, gzip"] {
        let result = loki_push(&head.with_content_encoding(header));
        assert_eq!(refusal(result, Protocol::LokiPush), UnsupportedEncoding, "{header}");
    }
    for (path, message) in [
        ("/push", Message::LokiPushJson),
        ("/insert/loki/api/v1/push", Message::LokiPushJson),
        ("/api/prom/push?x=/loki/api/v1/push", Message::LokiPushLegacyJson),
    ] {
        assert_eq!(loki_push(&head.with_path(path)).unwrap().message, message);
    }
}

#[test]
fn loki_needs_a_content_type() {
    for (header, kind) in [
        (None, MissingContentType),
        (Some(""), MissingContentType),
        (Some("json"), MalformedContentType),
        (Some("application/json; charset"), MalformedContentType),
    ] {
        let result = loki_push(&RequestHead::new().with_content_type(header));
        assert_eq!(refusal(result, Protocol::LokiPush), kind);
        assert_eq!(result.unwrap_err().status(), 400);
    }
}

#[test]
fn otlp_signals_and_formats() {
    for (path, protobuf, json) in [
        ("/v1/metrics", Message::OtlpMetrics, Message::OtlpMetricsJson),
        ("/api/v1/otlp/v1/metrics", Message::OtlpMetrics, Message::OtlpMetricsJson),
        ("/otlp/v1/logs?x", Message::OtlpLogs, Message::OtlpLogsJson),
        ("/insert/opentelemetry/v1/traces", Message::OtlpTraces, Message::OtlpTracesJson),
    ] {
        let head = RequestHead::new().with_path(path);
        let message = |content_type| otlp(&head.with_content_type(content_type)).map(|c| c.message);
        assert_eq!(message("application/x-protobuf"), Ok(protobuf));
        assert_eq!(message("application/json;charset=utf-8"), Ok(json));
    }
    let head = RequestHead::new().with_path("/v1/logs");
    for (header, kind) in [
        (None, MissingContentType),
        (Some("application/grpc"), UnsupportedMediaType),
        (Some("json"), MalformedContentType),
    ] {
        let result = otlp(&head.with_content_type(header));
        assert_eq!(refusal(result, Protocol::Otlp), kind);
        assert_eq!(result.unwrap_err().status(), 415);
    }
}

#[test]
fn otlp_encodings() {
    let head = RequestHead::new().with_path("/v1/logs").with_content_type("application/x-protobuf");
    for (header, expected) in [
        (None, &[][..]),
        (Some("identity"), &[]),
        (Some("gzip"), &[Gzip]),
        (Some("deflate"), &[Deflate]),
        (Some("zstd"), &[Zstd]),
        (Some("snappy"), &[Snappy]),
        (Some("x-snappy-framed"), &[SnappyFramed]),
    ] {
        let content = otlp(&head.with_content_encoding(header)).expect("accepted");
        assert_eq!(layers(content.encodings), expected, "{header:?}");
    }
    let result = otlp(&head.with_content_encoding("compress"));
    assert_eq!(refusal(result, Protocol::Otlp), UnsupportedEncoding);
    assert_eq!(result.unwrap_err().status(), 415);
}

#[test]
fn the_end_of_the_path_decides() {
    let head = RequestHead::new().with_content_type("application/x-protobuf");
    for (path, message) in [
        ("/api/v1/write", Message::RemoteWriteV1),
        ("/insert/0/prometheus/api/v1/write", Message::RemoteWriteV1),
        ("/api/v1/write?extra_label=a=b", Message::RemoteWriteV1),
        ("/api/v1/push", Message::RemoteWriteV1),
        ("/api/v1/receive", Message::RemoteWriteV1),
        ("/loki/api/v1/push", Message::LokiPush),
        ("/prefix/loki/api/v1/push", Message::LokiPush),
        ("/otlp/v1/metrics", Message::OtlpMetrics),
    ] {
        assert_eq!(negotiate(&head.with_path(path)).map(|c| c.message), Ok(message), "{path}");
    }
    for path in [
        "",
        "/",
        "/api/v1/write/",
        "/API/v1/write",
        "/myapi/v1/query",
        "/api/prom/push",
        "/v1development/profiles",
        "/x?/v1/logs",
    ] {
        let error = negotiate(&head.with_path(path)).unwrap_err();
        assert_eq!((error.kind(), error.protocol(), error.status()), (UnknownPath, None, 404));
    }
    assert_eq!(otlp(&head).unwrap_err().status(), 404);
}

#[test]
fn only_post_is_allowed() {
    let head = RequestHead::new().with_content_type("application/x-protobuf");
    for path in ["/api/v1/write", "/loki/api/v1/push", "/v1/traces"] {
        let head = head.with_path(path);
        assert!(negotiate(&head.with_method("POST")).is_ok());
        for method in ["GET", "PUT", "post", ""] {
            let error = negotiate(&head.with_method(method)).unwrap_err();
            assert_eq!((error.kind(), error.status()), (MethodNotAllowed, 405));
        }
    }
}

#[test]
fn what_negotiates_a_message_is_its_content_type() {
    for message in [
        Message::LokiPush,
        Message::LokiPushJson,
        Message::LokiPushLegacyJson,
        Message::OtlpLogs,
        Message::OtlpLogsJson,
        Message::OtlpMetrics,
        Message::OtlpMetricsJson,
        Message::OtlpTraces,
        Message::OtlpTracesJson,
        Message::RemoteWriteV1,
        Message::RemoteWriteV2,
    ] {
        let path = match message.as_str() {
            "loki-push-legacy-json" => "/api/prom/push",
            name if name.starts_with("loki-push") => "/loki/api/v1/push",
            name if name.starts_with("otlp-logs") => "/v1/logs",
            name if name.starts_with("otlp-metrics") => "/v1/metrics",
            name if name.starts_with("otlp-traces") => "/v1/traces",
            _ => "/api/v1/write",
        };
        let head = RequestHead::new().with_path(path).with_content_type(message.content_type());
        let content = match message.protocol() {
            Protocol::LokiPush => loki_push(&head),
            Protocol::Otlp => otlp(&head),
            Protocol::RemoteWrite => remote_write(&head, &ContentOptions::new()),
        };
        assert_eq!(content.unwrap().accept(&[message]).unwrap().message, message);
    }
}
