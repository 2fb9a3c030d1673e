//! Work grows with the input, for every function that takes a decoded request.

pub(crate) mod check;
mod tests;
