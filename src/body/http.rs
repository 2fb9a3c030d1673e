//! Errors as the status codes of the crate `http`.

use http::StatusCode;

use super::error::BodyError;
use crate::DecodeError;

/// The [`status`](BodyError::status).
impl From<&BodyError> for StatusCode {
    fn from(error: &BodyError) -> Self {
        // All statuses are valid: tests go over them.
        Self::from_u16(error.status()).unwrap_or(Self::BAD_REQUEST)
    }
}

/// The [`status`](BodyError::status).
impl From<BodyError> for StatusCode {
    fn from(error: BodyError) -> Self {
        Self::from(&error)
    }
}

/// The [`status`](DecodeError::status).
impl From<DecodeError> for StatusCode {
    fn from(error: DecodeError) -> Self {
        Self::from_u16(error.status()).unwrap_or(Self::BAD_REQUEST)
    }
}
