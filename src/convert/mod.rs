//! One protocol's requests as another's.
//!
//! | module | what becomes what |
//! |---|---|
//! | [`remote_write`] | remote write 1.0 as 2.0, and 2.0 as 1.0 |
//! | [`otlp_remote_write`] | OTLP metrics as remote write |
//!
//! ```
//! use borrowire::convert::remote_write::{ToV1, ToV2};
//! use borrowire::remote_write::{v1, v2};
//!
//! let (old, new) = (v1::WriteRequest::default(), v2::Request::default());
//! assert_eq!(ToV2::new().convert(&old, |_| {}).timeseries().count(), 0);
//! assert_eq!(ToV1::new().convert(&new, |_| {}).timeseries().count(), 0);
//! ```

pub mod otlp_remote_write;
pub mod remote_write;
