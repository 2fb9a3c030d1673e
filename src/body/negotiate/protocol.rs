//! The protocols, and the messages that a body can hold.

use core::fmt;

/// A protocol, by whose rules the head of a request is read.
///
/// ```
/// use borrowire::body::negotiate::{Message, Protocol};
///
/// assert_eq!(Message::RemoteWriteV2.protocol(), Protocol::RemoteWrite);
/// assert_eq!(Protocol::RemoteWrite.as_str(), "remote write");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Protocol {
    /// Loki's push endpoint.
    LokiPush,
    /// OTLP over HTTP.
    Otlp,
    /// Prometheus remote write.
    RemoteWrite,
}

impl Protocol {
    /// The protocol whose endpoints have such a path.
    pub(super) fn from_path(path: &str) -> Option<Self> {
        // Loki's path ends in Mimir's, so the order matters.
        const SUFFIXES: [(&str, Protocol); 7] = [
            ("/loki/api/v1/push", Protocol::LokiPush),
            ("/api/v1/push", Protocol::RemoteWrite),
            ("/api/v1/receive", Protocol::RemoteWrite),
            ("/api/v1/write", Protocol::RemoteWrite),
            ("/v1/logs", Protocol::Otlp),
            ("/v1/metrics", Protocol::Otlp),
            ("/v1/traces", Protocol::Otlp),
        ];
        let (_, protocol) = SUFFIXES.iter().find(|(suffix, _)| path.ends_with(suffix))?;
        Some(*protocol)
    }

    /// Its name, for logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LokiPush => "Loki push",
            Self::Otlp => "OTLP",
            Self::RemoteWrite => "remote write",
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A message, and the format in which it is written.
///
/// ```
/// use borrowire::body::negotiate::Message;
///
/// let header = ("Content-Type", Message::OtlpLogsJson.content_type());
/// assert_eq!(header.1, "application/json");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Message {
    /// `logproto.PushRequest`, protobuf.
    LokiPush,
    /// Loki's JSON: `streams` of `stream` and `values`.
    LokiPushJson,
    /// Loki's JSON before 1.0: `streams` of `labels` and `entries`. Some clients send it to the new
    /// path too, where only the body tells.
    LokiPushLegacyJson,
    /// `ExportLogsServiceRequest`, protobuf.
    OtlpLogs,
    /// `ExportLogsServiceRequest`, JSON.
    OtlpLogsJson,
    /// `ExportMetricsServiceRequest`, protobuf.
    OtlpMetrics,
    /// `ExportMetricsServiceRequest`, JSON.
    OtlpMetricsJson,
    /// `ExportTraceServiceRequest`, protobuf.
    OtlpTraces,
    /// `ExportTraceServiceRequest`, JSON.
    OtlpTracesJson,
    /// `prometheus.WriteRequest`: remote write 1.0.
    RemoteWriteV1,
    /// `io.prometheus.write.v2.Request`: remote write 2.0.
    RemoteWriteV2,
}

impl Message {
    /// A fixed name in lower case, for logs and metric labels.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LokiPush => "loki-push",
            Self::LokiPushJson => "loki-push-json",
            Self::LokiPushLegacyJson => "loki-push-legacy-json",
            Self::OtlpLogs => "otlp-logs",
            Self::OtlpLogsJson => "otlp-logs-json",
            Self::OtlpMetrics => "otlp-metrics",
            Self::OtlpMetricsJson => "otlp-metrics-json",
            Self::OtlpTraces => "otlp-traces",
            Self::OtlpTracesJson => "otlp-traces-json",
            Self::RemoteWriteV1 => "remote-write-v1",
            Self::RemoteWriteV2 => "remote-write-v2",
        }
    }

    /// The `Content-Type` to send it with. An answer to OTLP has that of its request, too.
    #[must_use]
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::LokiPushJson
            | Self::LokiPushLegacyJson
            | Self::OtlpLogsJson
            | Self::OtlpMetricsJson
            | Self::OtlpTracesJson => "application/json",
            Self::LokiPush
            | Self::OtlpLogs
            | Self::OtlpMetrics
            | Self::OtlpTraces
            // Receivers of 1.0 only know the type without a parameter.
            | Self::RemoteWriteV1 => "application/x-protobuf",
            // Without a space: Prometheus' parser would not see the parameter.
            Self::RemoteWriteV2 => "application/x-protobuf;proto=io.prometheus.write.v2.Request",
        }
    }

    /// The protocol that it belongs to.
    #[must_use]
    pub const fn protocol(self) -> Protocol {
        match self {
            Self::LokiPush | Self::LokiPushJson | Self::LokiPushLegacyJson => Protocol::LokiPush,
            Self::OtlpLogs
            | Self::OtlpLogsJson
            | Self::OtlpMetrics
            | Self::OtlpMetricsJson
            | Self::OtlpTraces
            | Self::OtlpTracesJson => Protocol::Otlp,
            Self::RemoteWriteV1 | Self::RemoteWriteV2 => Protocol::RemoteWrite,
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
