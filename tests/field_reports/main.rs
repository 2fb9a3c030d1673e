//! Faults that other codecs for these messages were reported to have, each as a test of its kind.

#[path = "../bytes/mod.rs"]
mod bytes;
#[path = "../oracle/mod.rs"]
mod oracle;

mod references;
mod reuse;
mod sizes;
mod values;
mod wire;
