//! One protocol's requests as another's.
//!
//! | module | what becomes what |
//! |---|---|
//! | [`remote_write`] | remote write 1.0 as 2.0, and 2.0 as 1.0 |

pub mod remote_write;
