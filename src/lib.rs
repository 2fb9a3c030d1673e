//! A zero-copy protobuf codec for time series and log streams: request bodies in, borrowed and
//! validated views out; views in, exact bytes out, in memory that the caller already owns.
//!
//! ```
//! # #[cfg(feature = "snappy")] {
//! use borrowire::body::{BodyLimits, BufferPool, Encoding};
//! use borrowire::remote_write::v1::WriteRequest;
//!
//! # use borrowire::remote_write::{Label, Sample, TimeSeries, v1::WriteRequestEncoder};
//! # let (labels, samples) = ([Label::new("__name__", "up")], [Sample::new(1.0, 5)]);
//! # let message = WriteRequestEncoder::new([TimeSeries::new(&labels).with_samples(&samples)]);
//! # let sent = BufferPool::new().compress(&message, Encoding::Snappy)?;
//! let pool = BufferPool::new(); // once: its buffers are used again
//! let body = pool.decompress(&sent, Encoding::Snappy, &BodyLimits::new())?;
//! let request = WriteRequest::decode(&body)?;
//! for series in request.timeseries() {
//!     let name: Option<&str> = series.metric_name(); // text out of `body`, not a copy
//!     for sample in series.samples() {
//!         println!("{name:?} {} at {} ms", sample.value, sample.timestamp);
//!     }
//! }
//! # assert_eq!(request.samples_len(), 1);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A service decodes into storage that is used again, so that nothing is allocated after the first
//! requests:
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use borrowire::remote_write::{Rules, v1::WriteRequest};
//! use borrowire::reuse::Pool;
//!
//! # use borrowire::{Encode, remote_write::{Label, TimeSeries, v1::WriteRequestEncoder}};
//! # let labels = [Label::new("job", "node")];
//! # let bodies = [WriteRequestEncoder::new([TimeSeries::new(&labels)]).encode_to_vec()?];
//! let pool = Pool::<WriteRequest>::new(); // shared by all threads
//! for body in &bodies {
//!     let request = pool.decode(body)?; // gives its storage back when dropped
//!     request.validate(&Rules::new(), |violation| eprintln!("{violation}"));
//! }
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A sender encodes an iterator over its own data:
//!
//! ```
//! use borrowire::Encode;
//! use borrowire::remote_write::v1::WriteRequestEncoder;
//! use borrowire::remote_write::{Label, Sample, TimeSeries};
//!
//! let labels = [Label::new("__name__", "up"), Label::new("job", "node")];
//! let samples = [Sample::new(1.0, 1_700_000_000_000)];
//! let series = [(&labels, &samples)];
//!
//! let request = WriteRequestEncoder::new(
//!     series.iter().map(|(labels, samples)| TimeSeries::new(*labels).with_samples(*samples)),
//! );
//! let mut buffer = vec![0; 4096]; // used again for the next request
//! let len = request.encode(&mut buffer)?;
//! assert_eq!(len, request.encoded_len());
//! # Ok::<(), borrowire::EncodeError>(())
//! ```
//!
//! # Modules
//!
//! | module | what is in it |
//! |---|---|
//! | [`remote_write`] | what both versions of remote write have: series, rules, tokens |
//! | [`remote_write::v1`] | the messages of 1.0, with the fields of Cortex and Mimir; relabelling |
//! | [`remote_write::v2`] | the messages of 2.0: symbols, decoded to the same series |
//! | [`loki`] | Loki push: streams and entries, label strings, JSON |
//! | [`otlp`] | OTLP: metrics and logs as OpenTelemetry sends them |
//! | [`body`](body/index.html) | request bodies: negotiation, pooled (de)compression, limits |
//! | [`receive`](receive/index.html) | one error for all that can be wrong with a request, and the answer to it |
//! | [`reuse`] | decoding into storage that is used again, by a loop or by threads |
//! | [`shard`] | forwarding without encoding again: splitting by shard and by size, merging |
//! | [`convert`] | one protocol's requests as another's: remote write 1.0 as 2.0 and back, OTLP metrics as remote write |
//! | [`kafka`](kafka/index.html) | records of Kafka, split by size, and the partition ring |
//! | [`cache`](cache/index.html) | keys, frames, an embedded cache of bytes, memcached |
//! | [`wire`] | the protobuf wire format, for message types of your own |
//! | [`proto`](proto/index.html) | with feature `prost`: the generated types |
//!
//! Every request, of whatever protocol, has the same methods; [`DecodeRequest`] is what code over
//! all of them needs.
//!
//! # Promises
//!
//! 1. No `unsafe`: `forbid(unsafe_code)` for the whole crate. (What it depends on has some, such as
//!    `self_cell`, which ties an owned request to its body.)
//! 2. After a warm-up request, decoding, measuring, validating, encoding, converting, splitting and
//!    building keys allocate nothing, in memory that is kept for it. Only an owned request
//!    allocates, once: the cell that ties it to its body.
//! 3. Decoding checks everything once: framing, lengths, wire types, and that every `string` is
//!    UTF-8. After `Ok`, iteration cannot fail and cannot panic. Malformed is an error, never
//!    "absent".
//! 4. An error says what and where: kind, field number, absolute byte offset, and on demand which
//!    record and which limit ([`ExplainedError`]); one about a body says
//!    which of `body::BodyLimits` it is over. It never echoes input.
//! 5. Work is linear in the input. A text that a request names by number again and again is
//!    compared, checked and interned once; hashing and spelling it out are linear in what the
//!    request stands for, which has a cap, and in what is written. Storage is at most 24 bytes for each byte of input (plus under
//!    4 KiB). No input makes the crate panic, recurse without bound, or allocate from a length that
//!    it has not verified. [`Limits`] cap it further, and `body::BodyLimits` what a body may weigh
//!    before and after decompression; with their defaults a request takes under 300 MB, whatever it
//!    is.
//! 6. A view cannot outlive its bytes: the compiler refuses. Pooled storage comes back on drop,
//!    also after an error or a panic, and is emptied before it is used again.
//! 7. [`Encode::encode`] writes exactly [`Encode::encoded_len`] bytes at the front of the slice and
//!    touches nothing behind them, or fails with [`EncodeError`]. A message over 2 GiB - 1 is
//!    refused, both ways.
//! 8. Equal values give equal bytes: fields in number order, proto3 defaults left out, floats
//!    compared by bits, so that -0.0 and NaN payloads survive.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `std` | yes | `body`, pools, `SystemTime` helpers, SIMD chosen at run time |
//! | `snappy` | yes | snappy bodies, blocks and framed |
//! | `gzip` | no | gzip and deflate bodies |
//! | `lz4` | no | lz4 bodies: frames |
//! | `zstd` | no | zstd bodies |
//! | `json` | no | JSON both ways: `loki::json`, Loki's push, and `otlp::json` |
//! | `http` | no | negotiation over the headers of the crate `http` |
//! | `kafka` | no | `kafka`: records of Kafka, and the partition ring |
//! | `cache` | no | `cache`: keys of index caches, frames, an embedded cache of bytes |
//! | `memcached` | no | `cache::Memcached`: the same cache over memcached |
//! | `prost` | no | `proto`: prost types, and conversions from and to them |
//!
//! Without `std` the crate needs `core` and `alloc`. Minimum Rust version: 1.88.

#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
// What users see: documented, debuggable, nameable.
#![warn(
    missing_docs,
    missing_debug_implementations,
    unnameable_types,
    unreachable_pub,
    elided_lifetimes_in_paths,
    clippy::missing_errors_doc
)]
// One way to say things.
#![warn(
    clippy::use_self,
    clippy::manual_let_else,
    clippy::redundant_clone,
    clippy::std_instead_of_core,
    clippy::alloc_instead_of_core
)]
// Code that touches input bytes cannot panic, and cannot compute a wrong place.
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::arithmetic_side_effects,
        clippy::as_conversions,
        clippy::infinite_loop,
        clippy::dbg_macro,
        clippy::print_stdout,
        clippy::todo
    )
)]

extern crate alloc;
#[cfg(test)]
extern crate self as borrowire;
#[cfg(test)]
extern crate std;

#[cfg(feature = "std")]
pub mod body;
#[cfg(feature = "cache")]
pub mod cache;
pub mod convert;
#[cfg(feature = "kafka")]
pub mod kafka;
mod limits;
pub mod loki;
mod message;
pub mod otlp;
#[cfg(feature = "prost")]
pub mod proto;
#[cfg(feature = "std")]
pub mod receive;
pub mod remote_write;
pub mod reuse;
pub mod shard;
pub mod wire;

pub use limits::Limits;
pub use message::explain::ExplainedError;
pub use message::request::{DecodeRequest, Skipped};
pub use message::violation::{Violation, ViolationKind};
pub use wire::error::{DecodeError, DecodeErrorKind, EncodeError, EncodeErrorKind};
pub use wire::message::{Decode, Encode};

#[cfg(test)]
#[allow(clippy::as_conversions, reason = "a test")]
mod linear_work;

#[cfg(doctest)]
mod lifetimes;

/// For the fuzz target that looks for work that is out of proportion.
#[cfg(fuzzing)]
#[doc(hidden)]
pub fn bytes_gone_over(work: impl FnOnce()) -> usize {
    wire::work::measure(work)
}

/// The README's examples, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use alloc::borrow::ToOwned;
    use alloc::format;
    use alloc::string::String;
    use alloc::vec::Vec;

    const MANIFEST: &str = include_str!("../Cargo.toml");
    const README: &str = include_str!("../README.md");

    /// What a package holds, as it stands in the manifest.
    fn is_shipped(path: &str) -> bool {
        let list = MANIFEST.split_once("\ninclude = [").unwrap().1.split_once("\n]").unwrap().0;
        let mut entries =
            list.split('"').skip(1).step_by(2).map(|entry| entry.trim_start_matches('/'));
        entries.any(|entry| path == entry || path.starts_with(&format!("{entry}/")))
    }

    /// Where the package is read there is no repository: links go to what is shipped, or to docs.rs.
    #[test]
    fn links_of_the_readme() {
        let links: Vec<_> = README
            .split("](")
            .skip(1)
            .map(|rest| rest.split_once(')').unwrap().0)
            .filter(|link| !link.starts_with('#') && !link.starts_with("https://docs.rs/"))
            .collect();
        assert!(links.len() > 4);
        for link in links {
            assert!(is_shipped(link), "{link} is in no package");
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(link);
            assert!(path.exists(), "{link} is not there");
        }
    }

    /// The schemas that are compiled, with what they import, and no others.
    #[test]
    fn schemas_of_the_package() {
        let proto = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("proto");
        let build = include_str!("../build.rs");
        let mut used: Vec<String> =
            build.split('"').filter(|word| word.ends_with(".proto")).map(str::to_owned).collect();
        let mut at = 0;
        while let Some(schema) = used.get(at) {
            let text = std::fs::read_to_string(proto.join(schema)).unwrap();
            let imports = text.lines().filter_map(|line| line.strip_prefix("import \""));
            let imports = imports.map(|line| line.split_once('"').unwrap().0);
            let more = imports.filter(|import| !import.starts_with("google/")).map(str::to_owned);
            used.extend(more.collect::<Vec<_>>());
            at += 1;
        }
        for entry in std::fs::read_dir(proto).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert_eq!(is_shipped(&format!("proto/{name}")), used.contains(&name), "{name}");
        }
    }

    /// Each feature is documented where readers look for it.
    #[test]
    fn features() {
        let table = MANIFEST.split_once("[features]").unwrap().1;
        let table = table.split_once("\n[").unwrap().0;
        let lines = table.lines().filter_map(|line| line.split_once(" = "));
        let features: Vec<_> = lines.filter(|(name, _)| !name.starts_with(['#', ' '])).collect();
        let (_, default) = features.iter().find(|(name, _)| *name == "default").unwrap();
        assert!(features.len() > 5);
        for (name, _) in features.iter().filter(|(name, _)| *name != "default") {
            let is_default = default.contains(&format!("\"{name}\""));
            let row = format!("| `{name}` | {} |", if is_default { "yes" } else { "no" });
            assert!(include_str!("lib.rs").contains(&row), "{row} in lib.rs");
            assert!(README.contains(&row), "{row} in the README");
        }
    }
}
