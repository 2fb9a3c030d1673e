//! What a receiver says about itself.

use std::collections::HashMap;
use std::io;

use crate::http_client::Client;

/// The sums of its metrics: over all labels.
#[derive(Clone, Debug)]
pub struct Scrape(HashMap<String, u64>);

impl Scrape {
    pub fn take(connection: &mut Client) -> io::Result<Self> {
        let answer = connection.get("/metrics")?;
        if answer.status != 200 {
            return Err(io::Error::other(format!("/metrics: {}", answer.status)));
        }
        let mut sums = HashMap::new();
        for line in answer.body.lines().filter(|line| !line.starts_with('#')) {
            let (metric, value) = line.rsplit_once(' ').unwrap_or((line, ""));
            let name = metric.split('{').next().unwrap_or(metric);
            let value: u64 = value.parse().map_err(|_| io::Error::other(line.to_owned()))?;
            *sums.entry(name.to_owned()).or_insert(0) += value;
        }
        Ok(Self(sums))
    }

    /// 0 for what there is none of.
    pub fn get(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }

    pub fn since(&self, before: &Self, name: &str) -> u64 {
        self.get(name).saturating_sub(before.get(name))
    }
}
