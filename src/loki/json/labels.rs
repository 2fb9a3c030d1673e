//! The labels of a stream: an object in JSON, a label string everywhere else.

use core::cmp::Ordering;
use core::convert::Infallible;

use bumpalo::Bump;
use bumpalo::collections::{String, Vec};

use super::error::JsonEncodeErrorKind;
use super::text::offset_in;
use crate::loki::LabelPair;
use crate::loki::selector;
use crate::wire::{impossible, json};

/// Sorts `pairs` by name, and returns the front of them, where of those with the same name only the
/// last is kept. Values must still be raw: pieces of `body`, none of them empty.
pub(super) fn last_of_each<'p, 'a>(
    pairs: &'p mut [LabelPair<'a>],
    body: &str,
) -> &'p mut [LabelPair<'a>] {
    // What is further on in the body comes first. (A stable sort would tell, too, but allocates.)
    pairs.sort_unstable_by(|a, b| match a.name.cmp(b.name) {
        Ordering::Equal => offset_in(body, b.value).cmp(&offset_in(body, a.value)),
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
    pairs.get_mut(..kept).unwrap_or_else(impossible)
}

/// The label string of `pairs`, which are sorted.
pub(super) fn write<'a>(pairs: &[LabelPair<'_>], arena: &'a Bump) -> &'a str {
    // Exactly, where nothing is escaped.
    let len = pairs.iter().fold(2, |len: usize, pair| {
        len.saturating_add(pair.name.len()).saturating_add(pair.value.len()).saturating_add(5)
    });
    let mut labels = String::with_capacity_in(len, arena);
    let Ok(()) = selector::write_sorted(pairs, |piece| {
        labels.push_str(piece);
        Ok::<_, Infallible>(())
    });
    labels.into_bump_str()
}

/// The JSON object of a label string, sorted.
pub(super) fn to_object<'a>(
    labels: &str,
    scratch: &mut alloc::vec::Vec<u8>,
    arena: &'a Bump,
) -> Result<&'a [u8], JsonEncodeErrorKind> {
    let mut pairs = selector::parse(labels, scratch).map_err(JsonEncodeErrorKind::InvalidLabels)?;
    pairs.sort();
    if pairs.duplicate().is_some() {
        return Err(JsonEncodeErrorKind::DuplicateLabel);
    }
    let mut object = Vec::with_capacity_in(labels.len().saturating_mul(2), arena);
    let Ok(()) = write_object(pairs.as_slice(), &mut |piece| {
        object.extend_from_slice_copy(piece);
        Ok::<_, Infallible>(())
    });
    Ok(object.into_bump_slice())
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
        json::write_string(pair.name.as_bytes(), put)?;
        put(b":")?;
        json::write_string(pair.value.as_bytes(), put)?;
    }
    put(b"}")
}
