//! Why a request was refused, and the answer that says so.

use std::io;

use axum::http::header::ALLOW;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use borrowire::DecodeError;
use borrowire::body::BodyError;
use borrowire::body::negotiate::ContentError;
use borrowire::loki::json::JsonError;
use thiserror::Error;
use tracing::error;

/// A fault at each stage of taking a request in.
#[derive(Debug, Error)]
pub enum Refused {
    #[error(transparent)]
    Content(#[from] ContentError),
    #[error(transparent)]
    Body(#[from] BodyError),
    #[error(transparent)]
    Decode(#[from] DecodeError),
    #[error(transparent)]
    Json(#[from] JsonError),
    #[error("push without streams")]
    NoStreams,
    /// The sender should try again. What is wrong with the disk is not its business.
    #[error("not stored")]
    NotStored,
    /// A tenant that is no text, empty or too long.
    #[error("invalid tenant")]
    Tenant,
    #[error("sender too slow")]
    TooSlow,
}

impl Refused {
    /// The status of the answer.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Content(error) => (*error).into(),
            Self::Body(error) => error.into(),
            Self::Decode(error) => (*error).into(),
            Self::Json(error) => (*error).into(),
            // As Loki answers it: nothing is malformed, but there is nothing to store.
            Self::NoStreams => StatusCode::UNPROCESSABLE_ENTITY,
            Self::NotStored => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Tenant => StatusCode::BAD_REQUEST,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
        }
    }

    /// A fixed name, as a label of metrics.
    #[must_use]
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

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let mut response = (self.status(), format!("{self}\n")).into_response();
        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
        }
        response
    }
}

/// What went wrong while storing.
impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        error!("not stored: {error}");
        Self::NotStored
    }
}
