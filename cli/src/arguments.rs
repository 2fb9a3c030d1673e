//! Values of arguments that several subcommands share.

use borrowire::body::{Encoding, Encodings};
use clap::ValueEnum;

/// What a body holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RequestKind {
    /// Prometheus remote write 1.0
    RemoteWriteV1,
    /// Prometheus remote write 2.0
    RemoteWriteV2,
    /// Loki's push
    LokiPush,
}

impl RequestKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::RemoteWriteV1, Self::RemoteWriteV2, Self::LokiPush];

    /// Its name on the command line, and in files of records.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RemoteWriteV1 => "remote-write-v1",
            Self::RemoteWriteV2 => "remote-write-v2",
            Self::LokiPush => "loki-push",
        }
    }

    /// The kind with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// What a body to look at holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MessageKind {
    /// Prometheus remote write 1.0
    RemoteWriteV1,
    /// Prometheus remote write 2.0
    RemoteWriteV2,
    /// Loki's push
    LokiPush,
    /// OpenTelemetry's metrics
    OtlpMetrics,
    /// OpenTelemetry's logs
    OtlpLogs,
}

impl MessageKind {
    /// Its name on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RemoteWriteV1 => "remote-write-v1",
            Self::RemoteWriteV2 => "remote-write-v2",
            Self::LokiPush => "loki-push",
            Self::OtlpMetrics => "otlp-metrics",
            Self::OtlpLogs => "otlp-logs",
        }
    }

    /// Whether its protocol has a JSON form.
    #[must_use]
    pub const fn has_json(self) -> bool {
        matches!(self, Self::LokiPush | Self::OtlpMetrics | Self::OtlpLogs)
    }
}

impl From<RequestKind> for MessageKind {
    fn from(kind: RequestKind) -> Self {
        match kind {
            RequestKind::RemoteWriteV1 => Self::RemoteWriteV1,
            RequestKind::RemoteWriteV2 => Self::RemoteWriteV2,
            RequestKind::LokiPush => Self::LokiPush,
        }
    }
}

/// How a body is compressed: the tokens of `Content-Encoding`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ContentEncoding {
    /// Not at all
    #[default]
    Identity,
    /// One snappy block, as remote write and Loki have it
    Snappy,
    /// Snappy's stream format
    XSnappyFramed,
    /// One or more gzip members
    Gzip,
    /// One or more zstd frames
    Zstd,
    /// Deflate in zlib's wrapper, or bare
    Deflate,
    /// One or more lz4 frames
    Lz4,
}

impl From<ContentEncoding> for Encodings {
    fn from(encoding: ContentEncoding) -> Self {
        match encoding {
            ContentEncoding::Identity => Self::IDENTITY,
            ContentEncoding::Snappy => Encoding::Snappy.into(),
            ContentEncoding::XSnappyFramed => Encoding::SnappyFramed.into(),
            ContentEncoding::Gzip => Encoding::Gzip.into(),
            ContentEncoding::Zstd => Encoding::Zstd.into(),
            ContentEncoding::Deflate => Encoding::Deflate.into(),
            ContentEncoding::Lz4 => Encoding::Lz4.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_command_line() {
        let names = RequestKind::value_variants().iter().map(|kind| {
            let name = kind.to_possible_value().unwrap();
            (name.get_name().to_owned(), *kind)
        });
        for (name, kind) in names {
            assert_eq!(RequestKind::from_name(&name), Some(kind));
        }
        assert_eq!(RequestKind::ALL.len(), RequestKind::value_variants().len());
    }

    #[test]
    fn messages_have_the_names_of_the_command_line() {
        for kind in MessageKind::value_variants() {
            assert_eq!(kind.to_possible_value().unwrap().get_name(), kind.as_str());
        }
        for kind in RequestKind::ALL {
            assert_eq!(MessageKind::from(kind).as_str(), kind.as_str());
        }
    }

    #[test]
    fn encodings_are_those_of_the_header() {
        for encoding in ContentEncoding::value_variants() {
            let name = encoding.to_possible_value().unwrap();
            let parsed = Encodings::parse(name.get_name());
            assert_eq!(parsed, Ok((*encoding).into()), "{encoding:?}");
        }
    }
}
