//! Cases that Grafana's own writers answered.

use std::fs;

use borrowire::kafka::Records;
use serde_json::Value;
use sha2::{Digest, Sha256};

const FOLDER: &str = "tests/golden/kafka";

/// A request or stream, a limit, and the records that came of it.
pub struct Case {
    pub name: String,
    pub body: Vec<u8>,
    /// What else the case says.
    pub says: Value,
    pub max: usize,
    pub key: String,
}

pub fn cases(file: &str) -> Vec<Case> {
    let read = |name: &str| fs::read(format!("{FOLDER}/{name}")).unwrap();
    let index: Value = serde_json::from_slice(&read(file)).unwrap();
    let case = |says: &Value| {
        let text = |name: &str| says[name].as_str().unwrap().to_owned();
        Case {
            name: format!("{} {} {}", says["name"], says["version"], says["max"]),
            body: read(&text("body")),
            max: usize::try_from(says["max"].as_u64().unwrap()).unwrap(),
            key: text("key"),
            says: says.clone(),
        }
    };
    index["cases"].as_array().unwrap().iter().map(case).collect()
}

impl Case {
    /// The lengths of the values; `None` if there are no records.
    pub fn lengths(&self) -> Option<Vec<usize>> {
        let lengths = self.says.get("lengths")?.as_array().unwrap().iter();
        Some(lengths.map(|len| usize::try_from(len.as_u64().unwrap()).unwrap()).collect())
    }

    /// Compares keys, lengths and values.
    pub fn check(&self, records: &Records<'_>) {
        let lengths: Vec<_> = records.iter().map(|record| record.value.len()).collect();
        assert_eq!(Some(lengths), self.lengths(), "{}", self.name);
        assert!(records.iter().all(|record| record.key == self.key.as_bytes()));
        let values: Vec<_> = records.iter().flat_map(|record| record.value).copied().collect();
        assert_eq!(records.values(), values);
        let digest = Sha256::digest(&values);
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest, self.says["sha256"].as_str().unwrap(), "{}", self.name);
    }
}
