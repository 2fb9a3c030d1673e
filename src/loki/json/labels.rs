//! The labels of a stream: an object in JSON, a label string everywhere else.

use core::cmp::Ordering;
use core::convert::Infallible;

use bumpalo::Bump;
use bumpalo::collections::{String, Vec};

use super::quote;
use crate::loki::LabelPair;
use crate::loki::selector::{self, SelectorError};

/// Sorts `pairs` by name, and returns the front of them, where of those with the same name only the last
/// is kept. Values must still be raw: pieces of the body, none of them empty.
pub(super) fn last_of_each<'p, 'a>(pairs: &'p mut [LabelPair<'a>]) -> &'p mut [LabelPair<'a>] {
    // What is further on in the body comes first. (A stable sort would tell, too, but allocates.)
    let place = |pair: &LabelPair<'_>| pair.value.as_ptr().addr();
    pairs.sort_unstable_by(|a, b| match a.name.cmp(b.name) {
        Ordering::Equal => place(b).cmp(&place(a)),
        order => order,
    });
    let mut kept = 0;
    let mut last = None;
    for at in 0..pairs.len() {
        let Some(pair) = pairs.get(at).copied() else { break };
        if last == Some(pair.name) {
            continue;
        }
        last = Some(pair.name);
        if let Some(slot) = pairs.get_mut(kept) {
            *slot = pair;
        }
        kept = kept.saturating_add(1);
    }
    pairs.get_mut(..kept).unwrap_or_default()
}

/// The label string of `pairs`, which are sorted.
pub(super) fn write<'a>(pairs: &[LabelPair<'_>], arena: &'a Bump) -> &'a str {
    // Exactly, where nothing is escaped.
    let len = pairs.iter().fold(2, |len: usize, pair| {
        len.saturating_add(pair.name.len()).saturating_add(pair.value.len()).saturating_add(5)
    });
    let mut labels = String::with_capacity_in(len, arena);
    let written: Result<(), Infallible> = selector::write_sorted(pairs, |piece| {
        labels.push_str(piece);
        Ok(())
    });
    match written {
        Ok(()) => labels.into_bump_str(),
    }
}

/// Why a label string has no JSON form.
pub(super) enum LabelsFault {
    Duplicate,
    Selector(SelectorError),
}

/// The JSON object of a label string, sorted.
pub(super) fn to_object<'a>(
    labels: &str,
    scratch: &mut alloc::vec::Vec<u8>,
    arena: &'a Bump,
) -> Result<&'a [u8], LabelsFault> {
    let mut pairs = selector::parse(labels, scratch).map_err(LabelsFault::Selector)?;
    pairs.sort();
    if pairs.duplicate().is_some() {
        return Err(LabelsFault::Duplicate);
    }
    let mut object = Vec::with_capacity_in(labels.len().saturating_mul(2), arena);
    let written: Result<(), Infallible> = write_object(pairs.as_slice(), &mut |piece| {
        object.extend_from_slice_copy(piece);
        Ok(())
    });
    match written {
        Ok(()) => Ok(object.into_bump_slice()),
    }
}

/// Gives `put` the JSON object of `pairs`, piece by piece.
pub(super) fn write_object<E>(
    pairs: &[LabelPair<'_>],
    put: &mut impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    put(b"{")?;
    let mut separator: &[u8] = b"";
    for pair in pairs {
        put(separator)?;
        separator = b",";
        quote::write(pair.name.as_bytes(), put)?;
        put(b":")?;
        quote::write(pair.value.as_bytes(), put)?;
    }
    put(b"}")
}
