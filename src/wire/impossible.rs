//! Cases that no input can bring about.

/// The default of `T`, where code must say something and can never come: a bug if it does, which
/// debug builds (tests and fuzzing among them) show, and which costs a release build nothing.
///
/// Not for what input bytes or a caller can cause: that has an error.
#[cold]
#[track_caller]
pub(crate) fn impossible<T: Default>() -> T {
    debug_assert!(false, "a case that cannot happen has happened");
    T::default()
}
