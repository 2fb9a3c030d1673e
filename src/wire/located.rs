//! Errors that are a kind and a place.

/// Gives an error of two fields, `kind` and `offset`, what all such errors have: `new`, `kind()`,
/// texts for people, and the conversion into `std::io::Error` of the kind `$io`. Its kind has
/// `as_str`.
macro_rules! impl_located {
    ($error:ident, $kind:ident, $io:ident) => {
        impl $error {
            #[cold]
            #[inline(never)]
            pub(crate) const fn new(kind: $kind, offset: usize) -> Self {
                Self { kind, offset }
            }

            /// What is wrong.
            #[must_use]
            pub const fn kind(&self) -> $kind {
                self.kind
            }
        }

        impl core::fmt::Display for $kind {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl core::fmt::Display for $error {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, "{} at byte {}", self.kind, self.offset)
            }
        }

        impl core::error::Error for $error {}

        #[cfg(feature = "std")]
        impl From<$error> for std::io::Error {
            fn from(error: $error) -> Self {
                Self::new(std::io::ErrorKind::$io, error)
            }
        }
    };
}

pub(crate) use impl_located;
