//! Labels in the form that Loki writes itself.

use core::fmt;

use super::labels::Labels;
use crate::loki::LabelPair;
use crate::wire::message::Encode;
use crate::wire::quote;
use crate::wire::{BufferFull, Writer};

/// Go keeps U+FFFD, and Loki then refuses to read it.
const ALSO_ESCAPED: Option<char> = Some(char::REPLACEMENT_CHARACTER);

/// Labels in the form that Loki writes: `{a="b", c="d"}`, sorted by name, so that equal labels give
/// equal strings. A label without a value is left out: to Loki it is not there.
///
/// It can be printed, and it can be encoded like a message, whose bytes are then this text: so
/// [`Writer::write_message`] writes it as a `string` field, without a string in between.
///
/// Values, and names that are not identifiers, are quoted as Go's `strconv.Quote` does: `"` and `\`
/// get a backslash, letters, marks, numbers, punctuation, symbols and the space stay as they are,
/// and all else is escaped (`\n`, `\x01`, `\u00a0`, `\U000e0001`). There are two differences:
///
/// - U+FFFD is escaped, because [`parse`](super::parse), like Loki, refuses it otherwise.
/// - Which characters are assigned depends on the version of Unicode. One that Go does not know yet
///   is kept here and escaped there.
///
/// What is written is always read back as the same [`labels`](Self::labels).
///
/// ```
/// use borrowire::Encode;
/// use borrowire::loki::LabelPair;
/// use borrowire::loki::selector::Canonical;
///
/// let pairs = [("path", "C:\\log\n"), ("k8s.pod", "web-1"), ("zone", "")];
/// let canonical = Canonical::new(pairs.map(|(name, value)| LabelPair::new(name, value)));
/// assert_eq!(canonical.to_string(), r#"{"k8s.pod"="web-1", path="C:\\log\n"}"#);
///
/// let mut out = [0; 64];
/// let written = canonical.encode(&mut out)?;
/// assert_eq!(written, canonical.encoded_len());
/// assert_eq!(&out[..written], canonical.to_string().as_bytes());
/// # Ok::<(), borrowire::EncodeError>(())
/// ```
#[derive(Clone, Debug, Default, Eq, Hash)]
pub struct Canonical<'a> {
    labels: Labels<'a>,
}

impl<'a> Canonical<'a> {
    /// The canonical form of `pairs`, in any order. Nothing is allocated for up to 16.
    pub fn new(pairs: impl IntoIterator<Item = LabelPair<'a>>) -> Self {
        Self::from(Labels::from_iter(pairs))
    }

    /// The form of `pairs` in which labels without a value stay: what Loki itself makes of an
    /// object in JSON and of OTLP's attributes, before it reads that as any other label string.
    ///
    /// ```
    /// use borrowire::loki::LabelPair;
    /// use borrowire::loki::selector::Canonical;
    ///
    /// let pairs = [LabelPair::new("zone", ""), LabelPair::new("app", "web")];
    /// assert_eq!(Canonical::new(pairs).to_string(), r#"{app="web"}"#);
    /// assert_eq!(Canonical::with_empty(pairs).to_string(), r#"{app="web", zone=""}"#);
    /// ```
    pub fn with_empty(pairs: impl IntoIterator<Item = LabelPair<'a>>) -> Self {
        let mut labels = Labels::from_iter(pairs);
        labels.sort();
        Self { labels }
    }

    /// The labels that are written, sorted.
    #[must_use]
    pub const fn labels(&self) -> &Labels<'a> {
        &self.labels
    }

    /// Gives `put` the text, piece by piece.
    fn write<E>(&self, put: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        write_sorted(self.labels.as_slice(), put)
    }
}

/// Gives `put` the canonical form of `pairs`, which are sorted, piece by piece.
pub(in crate::loki) fn write_sorted<E>(
    pairs: &[LabelPair<'_>],
    mut put: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    put("{")?;
    let mut separator = "";
    for pair in pairs {
        put(separator)?;
        separator = ", ";
        if quote::is_identifier(pair.name) {
            put(pair.name)?;
        } else {
            quote::write(pair.name, ALSO_ESCAPED, &mut put)?;
        }
        put("=")?;
        quote::write(pair.value, ALSO_ESCAPED, &mut put)?;
    }
    put("}")
}

impl<'b> PartialEq<Canonical<'b>> for Canonical<'_> {
    fn eq(&self, other: &Canonical<'b>) -> bool {
        self.labels == other.labels
    }
}

impl<'a> From<Labels<'a>> for Canonical<'a> {
    fn from(mut labels: Labels<'a>) -> Self {
        labels.normalize();
        Self { labels }
    }
}

impl<'a> FromIterator<LabelPair<'a>> for Canonical<'a> {
    fn from_iter<I: IntoIterator<Item = LabelPair<'a>>>(pairs: I) -> Self {
        Self::new(pairs)
    }
}

impl fmt::Display for Canonical<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(|text| f.write_str(text))
    }
}

impl Encode for Canonical<'_> {
    fn encoded_len(&self) -> usize {
        let mut len = 0;
        let Ok(()) = self.write(quote::count(&mut len));
        len
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.write(|text| writer.write_raw(text.as_bytes()))
    }
}
