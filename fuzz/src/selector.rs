//! Label strings: any text, and what is read against what is written.

use borrowire::Encode;
use borrowire::loki::selector::{Canonical, SelectorErrorKind, parse, parse_lossy};
use borrowire::loki::{Rules, Stream, ViolationKind, validate_stream};

/// `text` is read or refused, whatever the scratch holds, by all ways of reading alike; what is read is
/// written in canonical form, and read back the same.
pub fn selector(text: &str) {
    let (mut new, mut used) = (Vec::new(), vec![0xff; text.len() / 2]);
    validated(text);
    lossy(text);
    let labels = match parse(text, &mut new) {
        Ok(labels) => labels,
        Err(error) => {
            assert!(text.is_char_boundary(error.offset()), "{error}");
            return assert_eq!(parse(text, &mut used), Err(error));
        }
    };
    assert_eq!(parse(text, &mut used).as_ref(), Ok(&labels));

    let canonical = Canonical::from(labels.clone());
    let written = canonical.to_string();
    assert_eq!(canonical.encoded_len(), written.len());
    assert_eq!(canonical.encode_to_vec().expect("not too large"), written.as_bytes());
    let mut without_empty = labels;
    without_empty.drop_empty();
    assert_eq!(canonical.labels().duplicate(), without_empty.duplicate());
    let mut scratch = Vec::new();
    let again = parse(&written, &mut scratch).expect("what is written is well-formed");
    assert_eq!(&again, canonical.labels());
}

/// Validation, which keeps nothing, finds the same fault.
fn validated(text: &str) {
    let mut fault = None;
    validate_stream(&Stream::new(text), &Rules::new(), |kind| {
        if let ViolationKind::InvalidLabels(error) = kind {
            fault = Some(error);
        }
    });
    assert_eq!(parse(text, &mut Vec::new()).err(), fault);
}

/// Lossy reading only differs in what is not UTF-8.
fn lossy(text: &str) {
    let (mut one, mut other) = (Vec::new(), Vec::new());
    let lossy = parse_lossy(text, &mut one);
    match parse(text, &mut other) {
        Err(error) if error.kind() == SelectorErrorKind::InvalidUtf8 => {
            let fault = lossy.err().map(|error| error.kind());
            assert_ne!(fault, Some(SelectorErrorKind::InvalidUtf8));
        }
        strict => assert_eq!(lossy, strict),
    }
}
