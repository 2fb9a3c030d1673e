//! What a series must look like, beyond being well-formed protobuf: reported, never changed.
//!
//! | set | what it is |
//! |---|---|
//! | [`Rules::new`] | what Prometheus refuses or leaves out, and no more |
//! | [`Rules::mimir`] | what Mimir refuses: its caps, names of metadata, exemplars |
//! | [`Rules::strict`] | all of them: what the specifications ask of senders, too |
//!
//! Prometheus and Mimir sort labels and drop empty ones themselves, so only the strict set minds.
//!
//! Source: the remote write specifications 1.0 and 2.0-rc.4; `Histogram.Validate` of Prometheus;
//! Mimir's and Cortex' limits.

mod check;
mod histogram;
mod labels;
mod names;
mod rule;
mod set;

pub(in crate::remote_write) use names::{EachTime, Names, is_classic};
pub use rule::{Rule, Side, ViolationKind};
pub use set::{NameScheme, Rules};
