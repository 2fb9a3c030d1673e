//! Label strings: any text, and what is read against what is written.

use borrowire::Encode;
use borrowire::loki::selector::{Canonical, parse};

/// `text` is read or refused, whatever the scratch holds; what is read is written in canonical form, and
/// read back the same.
pub fn selector(text: &str) {
    let (mut new, mut used) = (Vec::new(), vec![0xff; text.len() / 2]);
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
    assert_eq!(canonical.labels().duplicate(), labels.duplicate());
    let mut scratch = Vec::new();
    let again = parse(&written, &mut scratch).expect("what is written is well-formed");
    assert_eq!(&again, canonical.labels());
}
