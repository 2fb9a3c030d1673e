//! Faults that other codecs for these messages were reported to have, each as a test of its kind.

mod references;
mod reuse;
mod sizes;
mod values;
mod wire;
