//! Errors as the status codes of the crate `http`.

use http::StatusCode;

use super::error::BodyError;
use crate::wire::error::DecodeError;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DecodeErrorKind;
    use crate::body::{Encoding, MalformedKind};

    #[test]
    fn each_status_is_the_error_s() {
        for error in [
            BodyError::CompressedTooLarge { limit: 1 },
            BodyError::DecompressedTooLarge { limit: 1 },
            BodyError::Malformed { encoding: Encoding::Gzip, kind: MalformedKind::Corrupt },
            BodyError::NotEnabled(Encoding::Gzip),
            BodyError::RatioTooHigh { limit: 1 },
            BodyError::Read(std::io::ErrorKind::BrokenPipe.into()),
        ] {
            assert_eq!(StatusCode::from(&error), error.status());
            let status = error.status();
            assert_eq!(StatusCode::from(error), status);
        }
        for kind in [DecodeErrorKind::LimitExceeded, DecodeErrorKind::Truncated] {
            let error = DecodeError::new(kind, 1, 0);
            assert_eq!(StatusCode::from(error), error.status());
        }
    }
}
