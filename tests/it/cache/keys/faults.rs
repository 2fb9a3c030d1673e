//! Keys that are refused, and what is said of them.

use super::*;

/// The key with a part replaced, what is wrong, and where: counted from the start of that part.
fn assert_fault<K: std::fmt::Debug>(
    parse: impl Fn(&[u8]) -> Result<K, KeyError>,
    (front, part, back): (&str, &str, &str),
    kind: Kind,
    at: usize,
) {
    let key = format!("{front}{part}{back}");
    let error = parse(key.as_bytes()).expect_err(&key);
    assert_eq!((error.kind(), error.offset()), (kind, front.len() + at), "{key}");
}

#[test]
fn in_mimirs_keys() {
    let parse = |key: &[u8]| mimir::Key::parse(key).map(|key| key.encoded_len());
    let (s, e2) = (format!("S:tenant:{BLOCK}:"), format!("E2:tenant:{BLOCK}:"));
    let (sp2, refs) = (format!("SP2:tenant:{BLOCK}:"), format!(":{M}"));
    let short = &M[..40];
    for (key, kind, at) in [
        (("", "", ""), Kind::UnknownPrefix, 0),
        (("", "P:tenant", ""), Kind::UnknownPrefix, 0),
        (("", "E:tenant", ""), Kind::UnknownPrefix, 0),
        (("", "bw1p:tenant", ""), Kind::UnknownPrefix, 0),
        (("S:", "tenant", ""), Kind::MissingSeparator, 6),
        (("S:tenant:", "", ""), Kind::InvalidBlock, 0),
        (("S:tenant:", &BLOCK[1..], ":7"), Kind::InvalidBlock, 25),
        (("S:tenant:", "8", &BLOCK[1..]), Kind::InvalidBlock, 0),
        (("S:tenant:0", "U", &BLOCK[2..]), Kind::InvalidBlock, 0),
        (("S:tenant:", BLOCK, ""), Kind::MissingSeparator, 26),
        (("S:tenant:", BLOCK, "0:7"), Kind::MissingSeparator, 26),
        ((&s, "", ""), Kind::InvalidNumber, 0),
        ((&s, "07", ""), Kind::InvalidNumber, 0),
        ((&s, "+7", ""), Kind::InvalidNumber, 0),
        ((&s, "-0", ""), Kind::InvalidNumber, 0),
        ((&s, "7 ", ""), Kind::InvalidNumber, 0),
        ((&s, "18446744073709551616", ""), Kind::InvalidNumber, 0),
        ((&format!("P2:tenant:{BLOCK}:"), "Zm9v", ""), Kind::InvalidLabel, 0),
        ((&e2, short, ":all"), Kind::InvalidBase64Length, 0),
        ((&e2, "Zm9v", ":all"), Kind::InvalidBase64Length, 0),
        ((&e2, M, ""), Kind::MissingSeparator, 43),
        ((&e2, M, "A:all"), Kind::InvalidBase64Length, 0),
        ((&format!("LN:tenant:{BLOCK}:"), M, ":x"), Kind::ExpectedEnd, 43),
        ((&format!("LV2:tenant:{BLOCK}:"), M, ""), Kind::MissingSeparator, 43),
        ((&format!("LV2:tenant:{BLOCK}:job:"), "", ""), Kind::InvalidBase64Length, 0),
        ((&sp2, M, ""), Kind::MissingSeparator, 43),
        ((&sp2, "", &refs), Kind::InvalidShard, 0),
        ((&sp2, "ALL", &refs), Kind::InvalidShard, 0),
        ((&sp2, "0_of_16", &refs), Kind::InvalidShard, 0),
        ((&sp2, "17_of_16", &refs), Kind::InvalidShard, 0),
        ((&sp2, "01_of_16", &refs), Kind::InvalidShard, 0),
        ((&sp2, "1_of_016", &refs), Kind::InvalidShard, 0),
        ((&sp2, "1_of_", &refs), Kind::InvalidShard, 0),
        ((&format!("{sp2}1_of_1{refs}"), ":", ""), Kind::ExpectedEnd, 0),
    ] {
        assert_fault(parse, key, kind, at);
    }
    let error = mimir::Key::parse(b"S:ten\xffant").unwrap_err();
    assert_eq!((error.kind(), error.offset()), (Kind::InvalidUtf8, 5));
    assert!(parse(format!("{s}18446744073709551615").as_bytes()).is_ok());
    assert!(parse(format!("{e2}{M}:").as_bytes()).is_ok(), "a strategy may be empty");
}

#[test]
fn in_the_other_keys() {
    let parse = |key: &[u8]| thanos::Key::parse(key).map(|key| key.encoded_len());
    let p = format!("P:{BLOCK}:");
    for (key, kind, at) in [
        (("", "P2:", ""), Kind::UnknownPrefix, 0),
        (("P:", "tenant", ""), Kind::InvalidBlock, 0),
        ((&p, M, ""), Kind::InvalidSuffix, 43),
        ((&p, M, ":dvs"), Kind::InvalidSuffix, 43),
        ((&p, M, ":dss:"), Kind::ExpectedEnd, 47),
        ((&format!("S:{BLOCK}:"), "x", ""), Kind::InvalidNumber, 0),
    ] {
        assert_fault(parse, key, kind, at);
    }
    let parse = |key: &[u8]| distinct::Key::parse(key).map(|key| key.encoded_len());
    let p = format!("bw1p:tenant:{BLOCK}:");
    for (key, kind, at) in [
        (("", "bw2p:", ""), Kind::UnknownPrefix, 0),
        ((&p, "", ""), Kind::InvalidLabel, 0),
        // A name of four bytes, of which there are three.
        ((&p, "BGZvbw", ""), Kind::InvalidLabel, 0),
        // A name that ends in a character.
        ((&p, "AcOp", ""), Kind::InvalidLabel, 0),
        // Not UTF-8.
        ((&p, "AWH_", ""), Kind::InvalidLabel, 0),
    ] {
        assert_fault(parse, key, kind, at);
    }
    assert!(parse(format!("{p}A2Zvb2Jhcg").as_bytes()).is_ok());
}

#[test]
fn in_blocks() {
    for (ulid, offset) in [
        ("", 0),
        (&BLOCK[..25], 25),
        ("000000000100000000000000000", 26),
        ("80000000000000000000000000", 0),
        ("Z0000000000000000000000000", 0),
        ("0000000001000000000000000O", 25),
        ("0000000001000000000000000i", 25),
        ("0000000001 000000000000000", 10),
        ("00000000010000000000000é0", 23),
    ] {
        let error = BlockId::new(ulid).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (Kind::InvalidBlock, offset), "{ulid}");
    }
    assert_eq!(BlockId::new("7ZZZZZZZZZZZZZZZZZZZZZZZZZ").unwrap().as_str().len(), 26);
    let alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    for char in (0..=u8::MAX).map(char::from) {
        let ulid = format!("0000000000000000000000000{char}");
        assert_eq!(BlockId::new(&ulid).is_ok(), alphabet.contains(char), "{char:?}");
    }
}

#[test]
fn say_so() {
    let error = mimir::Key::parse(b"X").unwrap_err();
    assert_eq!(error.to_string(), "unknown kind of key at byte 0");
    let error = Scope::new("a:b", block()).unwrap_err();
    assert_eq!(error.to_string(), "colon in a tenant at byte 1");
}
