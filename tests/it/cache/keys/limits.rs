//! What memcached refuses.

use super::*;

/// Memcached takes 250 bytes. A key that is cut would be the key of something else.
#[test]
fn long_keys_are_reported() {
    let name_for = |len: usize| "n".repeat(len - format!("LV2:tenant:{BLOCK}::{M}").len());
    for len in [249, 250, 251, 255, 256, 400] {
        let name = name_for(len);
        let key = mimir::LabelValuesKey::new(scope(), &name, &[]);
        let written = key.encode_to_vec().unwrap();
        assert_eq!((written.len(), key.encoded_len()), (len, len));
        let fault = check_memcached(&written).err().map(|error| (error.kind(), error.offset()));
        assert_eq!(fault, (len > 250).then_some((Kind::TooLong, 250)));
        match key.to_buf() {
            Ok(buf) => assert_eq!((buf.len(), buf.as_bytes()), (len, &written[..])),
            Err(error) => assert_eq!((error.needed(), error.capacity()), (len, 255)),
        }
        assert_eq!(key.to_buf().is_ok(), len <= KeyBuf::CAPACITY);
    }
    // Two that are the same up to there.
    let (one, other) = (name_for(251), name_for(250) + "m");
    let keys = [one, other]
        .map(|name| mimir::LabelValuesKey::new(scope(), &name, &[]).encode_to_vec().unwrap());
    assert_ne!(keys[0], keys[1]);
}

/// A query over several tenants.
#[test]
fn many_tenants() {
    let tenants = vec!["tenant-1"; 40].join("|");
    let scope = Scope::new(&tenants, block()).unwrap();
    let key = mimir::PostingsKey::new(scope, "foo", "bar").encode_to_vec().unwrap();
    assert!(key.len() > 359 && key.ends_with(b":Zm9vOmJhcg"));
    assert_eq!(check_memcached(&key).unwrap_err().kind(), Kind::TooLong);
    // The longest tenant that Mimir has, and the longest label.
    let scope = Scope::new(&tenants[..150], block()).unwrap();
    let long = "long label ".repeat(100);
    for key in [
        distinct::PostingsKey::new(scope, &long, &long).to_buf(),
        distinct::LabelNamesKey::new(scope, &[]).to_buf(),
        distinct::LabelValuesKey::new(scope, &long, &[]).to_buf(),
        distinct::ExpandedPostingsKey::new(scope, &[], &"s".repeat(23)).to_buf(),
    ] {
        check_memcached(key.unwrap().as_bytes()).unwrap();
    }
}

#[test]
fn bytes_that_end_a_key() {
    for byte in 0..=u8::MAX {
        let fault = check_memcached(&[b'k', byte, b'y']).err();
        let expected = matches!(byte, 0..=b' ' | 0x7f).then_some((Kind::UnsafeByte, 1));
        assert_eq!(fault.map(|error| (error.kind(), error.offset())), expected);
    }
    let error = check_memcached(b"").unwrap_err();
    assert_eq!((error.kind(), error.offset()), (Kind::Empty, 0));
    let key = mimir::LabelValuesKey::new(scope(), "a label", &[]).to_buf().unwrap();
    assert_eq!(check_memcached(key.as_bytes()).unwrap_err().offset(), 39);
}
