//! The wire format, by messages of the crate and of the tests.

mod cases;
mod scalars;
