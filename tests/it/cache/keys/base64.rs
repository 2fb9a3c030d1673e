//! Base64 in keys: one text for the same bytes, in the alphabet of URLs, whatever pieces it is made of.

use super::*;

/// The kind and place of the fault in a key that ends with `text`, the place counted from there.
fn fault(text: &str) -> Option<(Kind, usize)> {
    let start = format!("POtenant:{BLOCK}:");
    let key = format!("{start}{text}");
    let error = mimir::Key::parse(key.as_bytes()).err()?;
    Some((error.kind(), error.offset() - start.len()))
}

/// Two texts must not stand for the same bytes, or one entry would have two names.
#[test]
fn is_canonical() {
    assert_eq!(fault("YQ"), None);
    assert_eq!(fault("YWJjZGVmZw"), None);
    for (text, kind, offset) in [
        ("YR", Kind::NonCanonicalBase64, 1),
        ("YWJjZGVmZx", Kind::NonCanonicalBase64, 9),
        ("YQ==", Kind::InvalidBase64, 2),
        ("YQ=", Kind::InvalidBase64, 2),
        ("=", Kind::InvalidBase64, 0),
        ("Y", Kind::InvalidBase64Length, 0),
        ("YWJjZ", Kind::InvalidBase64Length, 0),
        ("YQ\n", Kind::InvalidBase64, 2),
        (" YQ", Kind::InvalidBase64, 0),
        ("+/", Kind::InvalidBase64, 0),
        ("-_+/", Kind::InvalidBase64, 2),
        ("YQ:YQ", Kind::InvalidBase64, 2),
        (&"A".repeat(44), Kind::InvalidBase64Length, 0),
    ] {
        assert_eq!(fault(text), Some((kind, offset)), "{text:?}");
    }
    let end = format!("POtenant:{BLOCK}:");
    assert!(matches!(
        mimir::Key::parse(end.as_bytes()), Ok(mimir::Key::PostingsOffset(key)) if key.id().is_empty()
    ));
}

#[test]
fn is_that_of_urls() {
    for (text, bytes) in [("-__-", &[0xfb, 0xff, 0xfe][..]), ("-w", &[0xfb])] {
        let key = format!("POtenant:{BLOCK}:{text}");
        let Ok(mimir::Key::PostingsOffset(parsed)) = mimir::Key::parse(key.as_bytes()) else {
            panic!("{text}");
        };
        assert_eq!(parsed.id(), bytes);
        assert_eq!(parsed.to_buf().unwrap(), key.as_str());
    }
    for first in (0..=u8::MAX).step_by(32) {
        let matchers = Digest::new(std::array::from_fn(|i| first + i as u8));
        let key = text(mimir::LabelNamesKey { scope: scope(), matchers });
        let hash = &key[key.len() - 43..];
        assert!(hash.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
    }
}

/// However a text is cut into name and value, into short or hashed labels: its pieces are joined before
/// they are written in base64, and while they are hashed.
#[test]
fn is_that_of_the_whole() {
    for len in [7, 31, 32, 33, 64, 127, 128, 129, 255, 256, 257, 1101] {
        let whole: String = ('a'..='z').cycle().take(len).collect();
        for cut in 0..=len {
            let (name, value) = whole.split_at(cut);
            let plain = plain_keys::plain::mimir::postings("tenant", BLOCK, name, value);
            assert_eq!(text_of(&mimir::PostingsKey::new(scope(), name, value)), plain);
            let plain = plain_keys::plain::distinct::postings("tenant", BLOCK, name, value);
            assert_eq!(text_of(&distinct::PostingsKey::new(scope(), name, value)), plain);
        }
    }
    // "abcdefg" in pieces of every length: quoting gives the text to the hash in pieces too.
    for cuts in 0..64_u32 {
        let value: String = (0..7)
            .flat_map(|i| {
                let quote = (cuts >> i & 1 == 1).then_some('"');
                [Some(char::from(b'a' + i)), quote].into_iter().flatten()
            })
            .collect();
        for name in ["a", &"a".repeat(30)] {
            let matcher = Matcher::new(name, MatchOp::Equal, &value);
            let key = mimir::PostingsOffsetKey::for_matcher(scope(), &matcher);
            let whole = format!("{name}=\"{}\"", value.replace('"', "\\\""));
            let plain = plain_keys::plain::mimir::postings_offset("tenant", BLOCK, &whole);
            assert_eq!(text_of(&key), plain);
        }
    }
}

fn text_of(key: &impl CacheKey) -> String {
    key.to_buf().unwrap().to_string()
}
