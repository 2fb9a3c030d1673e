//! Why a request was refused, and the answer that says so.

use std::{fmt, io};

use axum::http::header::ALLOW;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use borrowire::body::BodyError;
use borrowire::body::negotiate::ContentError;
use borrowire::loki::json::JsonError;
use borrowire::{DecodeError, DecodeErrorKind};

/// A fault at each stage of taking a request in.
#[derive(Debug)]
pub enum Refused {
    Content(ContentError),
    Body(BodyError),
    Decode(DecodeError),
    Json(JsonError),
    /// A push without streams.
    NoStreams,
    /// It could not be stored; the sender should try again.
    NotStored,
    /// A tenant that is no text, empty or too long.
    Tenant,
    TooSlow,
}

impl Refused {
    pub fn status(&self) -> StatusCode {
        let status = match self {
            Self::Content(error) => error.status(),
            Self::Body(error) => error.status(),
            Self::Decode(error) => match error.kind() {
                DecodeErrorKind::LimitExceeded | DecodeErrorKind::MessageTooLarge => 413,
                _ => 400,
            },
            Self::Json(error) => error.status(),
            // As Loki answers it: nothing is malformed, but there is nothing to store.
            Self::NoStreams => 422,
            Self::NotStored => 500,
            Self::Tenant => 400,
            Self::TooSlow => 408,
        };
        StatusCode::from_u16(status).expect("a valid status")
    }

    /// A fixed name, as a label of metrics.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Content(error) => error.kind().as_str(),
            Self::Body(error) => match error {
                BodyError::CompressedTooLarge { .. } => "body too large",
                BodyError::DecompressedTooLarge { .. } => "decompressed body too large",
                BodyError::Malformed { .. } => "malformed body",
                BodyError::RatioTooHigh { .. } => "body decompresses to too much",
                BodyError::Read(_) => "body not read to its end",
                _ => "body refused",
            },
            Self::Decode(error) => error.kind().as_str(),
            Self::Json(error) => error.kind().as_str(),
            Self::NoStreams => "push without streams",
            Self::NotStored => "not stored",
            Self::Tenant => "invalid tenant",
            Self::TooSlow => "sender too slow",
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Content(error) => error.fmt(f),
            Self::Body(error) => error.fmt(f),
            Self::Decode(error) => error.fmt(f),
            Self::Json(error) => error.fmt(f),
            // What is wrong with the disk is not the sender's business.
            Self::NoStreams | Self::NotStored | Self::Tenant | Self::TooSlow => {
                f.write_str(self.kind())
            }
        }
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let mut response = (self.status(), format!("{self}\n")).into_response();
        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
        }
        response
    }
}

impl From<ContentError> for Refused {
    fn from(error: ContentError) -> Self {
        Self::Content(error)
    }
}

impl From<BodyError> for Refused {
    fn from(error: BodyError) -> Self {
        Self::Body(error)
    }
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        eprintln!("ingest: not stored: {error}");
        Self::NotStored
    }
}

impl From<DecodeError> for Refused {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}

impl From<JsonError> for Refused {
    fn from(error: JsonError) -> Self {
        Self::Json(error)
    }
}
