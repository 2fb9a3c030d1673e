//! Why a request was refused, and the answer that says so.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use borrowire::receive::ReceiveError;
use thiserror::Error;

/// What the library has an error for, and what is HTTP's alone.
#[derive(Debug, Error)]
pub enum Refused {
    #[error(transparent)]
    Receive(#[from] ReceiveError),
    /// HTTP/1.1 without `Host`, or with several: whoever else looks at such a request may see
    /// another one (RFC 9112, section 3.2).
    #[error("missing or ambiguous host")]
    Host,
}

impl Refused {
    /// The status of the answer.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Receive(error) => error.into(),
            Self::Host => StatusCode::BAD_REQUEST,
        }
    }

    /// A fixed name, as a label of metrics.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Receive(error) => error.kind(),
            Self::Host => "missing or ambiguous host",
        }
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        match self {
            Self::Receive(error) => Response::<String>::from(error).map(Into::into),
            refused => (refused.status(), format!("{refused}\n")).into_response(),
        }
    }
}
