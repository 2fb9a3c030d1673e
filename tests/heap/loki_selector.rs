//! Label strings are read and written without allocating, once the scratch for escapes is there.

use borrowire::Encode;
use borrowire::loki::LabelPair;
use borrowire::loki::selector::{self, Canonical};

use crate::heap;

const PLAIN: &str = r#"{cluster="eu-west-1", namespace="shop", pod="cart-5d8f7c6b9-x2x7k", container="cart", filename="/var/log/pods/cart/0.log", stream="stderr"}"#;
const ESCAPED: &str = r#"{path="C:\\log\u00e9", "k8s.pod\n"='\'', c="\xc3\xa9"}"#;

pub fn run() {
    let _profiler = heap::profiler();
    let mut scratch = Vec::new();
    let mut out = [0; 1024];
    assert_eq!(heap::blocks(|| selector::parse(PLAIN, &mut scratch).unwrap().len()), 0);
    assert_eq!(scratch.capacity(), 0, "nothing to decode");
    assert_eq!(heap::blocks(|| selector::parse(ESCAPED, &mut scratch).unwrap().len()), 1);
    assert!(scratch.capacity() <= 2 * ESCAPED.len(), "not more than twice the text");

    for text in [ESCAPED, PLAIN, r#"{a="unterminated}"#, r#"{a="b\xff"}"#] {
        let blocks = heap::blocks(|| {
            let mut labels = selector::parse(text, &mut scratch)?;
            assert_eq!(labels.duplicate(), None);
            labels.normalize();
            let canonical = Canonical::from(labels);
            let len = canonical.encode(&mut out).expect("there is room");
            assert_eq!(canonical.encoded_len(), len);
            Ok::<_, selector::SelectorError>(())
        });
        assert_eq!(blocks, 0, "{text}");
        assert_eq!(heap::blocks(|| selector::parse_lossy(text, &mut scratch).is_ok()), 0, "{text}");
    }

    // As many as Loki takes by default.
    let names: Vec<_> = (0..16).map(|i| format!("label_{i}")).collect();
    let pairs = || names.iter().map(|name| LabelPair::new(name, "x"));
    let text = Canonical::new(pairs().rev()).to_string();
    assert_eq!(heap::blocks(|| Canonical::new(pairs().rev()).encode(&mut out)), 0);
    assert_eq!(heap::blocks(|| selector::parse(&text, &mut scratch).unwrap().len()), 0);
}
