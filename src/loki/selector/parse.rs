//! Label strings read to pairs.

use alloc::vec::Vec;

use super::error::SelectorError;
use super::grammar::visit;
use super::labels::Labels;
use super::unquote::{Arena, BadUtf8};
use crate::loki::LabelPair;

/// Reads a label string.
///
/// The pairs are in order of appearance, empty values and duplicates included: what to do about
/// those is up to the caller, see [`Labels`]. A metric name, or a string alone, is the value of
/// `__name__`; a metric name in front of the braces takes the place of any `__name__` inside, as in
/// Loki.
///
/// A name or value without escapes is a piece of `labels`. One with escapes is decoded into
/// `scratch`, which grows to the length of `labels` when first needed; what it holds before and
/// after is of no meaning. Used again, it spares the allocation.
///
/// Words that PromQL keeps for something else, such as `on` and `nan`, are no metric names, in
/// whatever case; as names and values in braces they are like any other.
///
/// # Errors
///
/// The first fault in `labels`, with its place. Among them are escapes for bytes that are not
/// UTF-8, such as `\xff`: labels are text. (Loki reads such a string, and then refuses the stream.)
/// See [`parse_lossy`].
///
/// ```
/// use borrowire::loki::{LabelPair, selector::parse};
///
/// let mut scratch = Vec::new();
/// let labels = parse("up{job=\"node\", \"le mans\"='24\\u2009h',} # and so on", &mut scratch)?;
/// let expected = [("__name__", "up"), ("job", "node"), ("le mans", "24\u{2009}h")];
/// assert!(labels.iter().map(|pair| (pair.name, pair.value)).eq(expected));
/// # Ok::<(), borrowire::loki::selector::SelectorError>(())
/// ```
pub fn parse<'a>(labels: &'a str, scratch: &'a mut Vec<u8>) -> Result<Labels<'a>, SelectorError> {
    collect(labels, Arena::new(scratch, labels.len(), BadUtf8::Refused))
}

/// Reads a label string as [`parse`] does, with U+FFFD in place of what is not UTF-8: for those who
/// rather keep a stream than refuse it.
///
/// This is about escapes for bytes, such as `\xff`; what they stand for is replaced as
/// [`String::from_utf8_lossy`](alloc::string::String::from_utf8_lossy) does. Other labels read as
/// with `parse`. Different label strings may so become the same labels, and
/// [`Canonical`](super::Canonical) writes U+FFFD as `\ufffd`, so that Loki reads it.
///
/// # Errors
///
/// The first fault in `labels`, with its place. U+FFFD that is not escaped is one here, too.
///
/// ```
/// use borrowire::loki::selector::{SelectorErrorKind, parse, parse_lossy};
///
/// let labels = r#"{path="caf\xe9", job="web"}"#; // Latin-1
/// let error = parse(labels, &mut Vec::new()).unwrap_err();
/// assert_eq!(error.kind(), SelectorErrorKind::InvalidUtf8);
///
/// let mut scratch = Vec::new();
/// let parsed = parse_lossy(labels, &mut scratch)?;
/// assert_eq!(parsed.get("path"), Some("caf\u{fffd}"));
/// # Ok::<(), borrowire::loki::selector::SelectorError>(())
/// ```
pub fn parse_lossy<'a>(
    labels: &'a str,
    scratch: &'a mut Vec<u8>,
) -> Result<Labels<'a>, SelectorError> {
    collect(labels, Arena::new(scratch, labels.len(), BadUtf8::Replaced))
}

fn collect<'a>(labels: &'a str, arena: Arena<'a>) -> Result<Labels<'a>, SelectorError> {
    let mut parsed = Labels::new();
    visit(labels, arena, |name, value| parsed.push(LabelPair::new(name, value)))?;
    Ok(parsed)
}
