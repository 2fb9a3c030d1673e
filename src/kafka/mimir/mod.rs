//! Records of Mimir's ingest storage.
//!
//! ```text
//! key       the tenant
//! headers   Version: 4 bytes, big endian (not in version 0)
//! value     0, 1   a request of remote write 1.0, with fields 2, 1000 and 1001 of Mimir
//!           2      a request in Mimir's form of remote write 2.0
//! ```
//!
//! Source: Mimir, `pkg/storage/ingest/version.go`, `pkg/storage/ingest/writer.go`,
//! `pkg/mimirpb/split.go`.

mod part_v1;
mod reader;
mod split_v2;
mod version;
mod writer;

pub use reader::{MimirReader, MimirRecord, MimirRequest};
pub use version::{MimirVersion, ReadError};
pub use writer::{MimirRequestWriter, MimirWriter};
