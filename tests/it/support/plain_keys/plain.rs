//! The keys of index caches as one writes them without thinking of speed: strings that are joined, with
//! another implementation of the hash. It shares no code with the crate.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use blake2::digest::consts::U32;
use blake2::{Blake2b, Digest};

/// Name, operator and value.
pub type Matcher<'a> = (&'a str, &'static str, &'a str);

pub fn hash(bytes: &[u8]) -> Vec<u8> {
    Blake2b::<U32>::digest(bytes).to_vec()
}

pub fn base64(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn short_or_hash(bytes: &[u8]) -> String {
    if bytes.len() <= 32 { base64(bytes) } else { base64(&hash(bytes)) }
}

/// Mimir's, as its documents describe them.
pub mod mimir {
    use super::*;

    pub fn postings(tenant: &str, block: &str, name: &str, value: &str) -> String {
        let label = format!("{name}:{value}");
        format!("P2:{tenant}:{block}:{}", short_or_hash(label.as_bytes()))
    }

    pub fn postings_offset(tenant: &str, block: &str, text: &str) -> String {
        format!("PO{tenant}:{block}:{}", short_or_hash(text.as_bytes()))
    }

    pub fn series(tenant: &str, block: &str, series_ref: u64) -> String {
        format!("S:{tenant}:{block}:{series_ref}")
    }

    pub fn matchers(matchers: &[Matcher<'_>]) -> String {
        const NUMBERS: [&str; 4] = ["=", "!=", "=~", "!~"];
        let mut sorted = matchers.to_vec();
        sorted.sort_by_key(|&(name, op, value)| {
            (name, NUMBERS.iter().position(|known| *known == op), value)
        });
        sorted.iter().map(|(name, op, value)| format!("{name}{op}{value}\0")).collect()
    }

    pub fn expanded_postings(
        tenant: &str,
        block: &str,
        matchers: &[Matcher<'_>],
        strategy: &str,
    ) -> String {
        let hash = base64(&hash(self::matchers(matchers).as_bytes()));
        format!("E2:{tenant}:{block}:{hash}:{strategy}")
    }

    pub fn series_for_postings(tenant: &str, block: &str, shard: &str, refs: &[u64]) -> String {
        let refs: Vec<u8> = refs.iter().flat_map(|value| value.to_le_bytes()).collect();
        format!("SP2:{tenant}:{block}:{shard}:{}", base64(&hash(&refs)))
    }

    pub fn label_names(tenant: &str, block: &str, matchers: &[Matcher<'_>]) -> String {
        let hash = base64(&hash(self::matchers(matchers).as_bytes()));
        format!("LN:{tenant}:{block}:{hash}")
    }

    pub fn label_values(tenant: &str, block: &str, name: &str, matchers: &[Matcher<'_>]) -> String {
        let hash = base64(&hash(self::matchers(matchers).as_bytes()));
        format!("LV2:{tenant}:{block}:{name}:{hash}")
    }
}

/// Thanos'.
pub mod thanos {
    use super::*;

    pub fn postings(block: &str, name: &str, value: &str) -> String {
        let label = format!("{name}:{value}");
        format!("P:{block}:{}:dss", base64(&hash(label.as_bytes())))
    }

    /// `texts`: Prometheus' text of each matcher.
    pub fn expanded_postings(block: &str, texts: &[String]) -> String {
        format!("EP:{block}:{}:dss", base64(&hash(texts.join(";").as_bytes())))
    }

    pub fn series(block: &str, series_ref: u64) -> String {
        format!("S:{block}:{series_ref}")
    }
}

/// The crate's own.
pub mod distinct {
    use super::*;

    fn text(text: &str) -> Vec<u8> {
        [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat()
    }

    fn matchers(matchers: &[Matcher<'_>]) -> Vec<u8> {
        const NUMBERS: [&str; 4] = ["=", "!=", "=~", "!~"];
        let number = |op| NUMBERS.iter().position(|known| *known == op).expect("an operator") as u8;
        let mut sorted = matchers.to_vec();
        sorted.sort_by_key(|&(name, op, value)| (name, number(op), value));
        sorted
            .iter()
            .flat_map(|&(name, op, value)| [vec![number(op)], text(name), text(value)].concat())
            .collect()
    }

    pub fn postings(tenant: &str, block: &str, name: &str, value: &str) -> String {
        let id = if name.len() + value.len() <= 30 {
            [&[name.len() as u8], name.as_bytes(), value.as_bytes()].concat()
        } else {
            hash(&[&text(name), value.as_bytes()].concat())
        };
        format!("bw1p:{tenant}:{block}:{}", base64(&id))
    }

    pub fn expanded_postings(
        tenant: &str,
        block: &str,
        matchers: &[Matcher<'_>],
        strategy: &str,
    ) -> String {
        format!("bw1e:{tenant}:{block}:{}:{strategy}", base64(&hash(&self::matchers(matchers))))
    }

    pub fn label_names(tenant: &str, block: &str, matchers: &[Matcher<'_>]) -> String {
        format!("bw1n:{tenant}:{block}:{}", base64(&hash(&self::matchers(matchers))))
    }

    pub fn label_values(tenant: &str, block: &str, name: &str, matchers: &[Matcher<'_>]) -> String {
        let bytes = [text(name), self::matchers(matchers)].concat();
        format!("bw1v:{tenant}:{block}:{}", base64(&hash(&bytes)))
    }
}
