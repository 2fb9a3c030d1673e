//! The primitives that the pool is made of: those of std, or, to check every interleaving, loom's.

#[cfg(not(borrowire_loom))]
pub(super) use core::sync::atomic::{AtomicU64, Ordering};
#[cfg(borrowire_loom)]
pub(super) use loom::sync::atomic::{AtomicU64, Ordering};
#[cfg(borrowire_loom)]
pub(super) use loom::sync::{Arc, Mutex, MutexGuard};
pub(super) use std::sync::PoisonError;
#[cfg(not(borrowire_loom))]
pub(super) use std::sync::{Arc, Mutex, MutexGuard};
