//! What a receiver says about itself.

use std::collections::HashMap;

use anyhow::{Context, Result, ensure};

use super::target::Target;

/// The sums of its metrics: over all labels.
#[derive(Clone, Debug)]
pub struct Scrape(HashMap<String, u64>);

impl Scrape {
    /// Asks for them.
    pub fn take(target: &Target) -> Result<Self> {
        let answer = target.get("/metrics")?;
        ensure!(answer.status == 200, "/metrics: {}", answer.status);
        let mut sums = HashMap::new();
        for line in answer.body.lines().filter(|line| !line.starts_with('#')) {
            let (metric, value) = line.rsplit_once(' ').unwrap_or((line, ""));
            let name = metric.split('{').next().unwrap_or(metric);
            let value: u64 = value.parse().with_context(|| format!("/metrics: {line}"))?;
            *sums.entry(name.to_owned()).or_insert(0) += value;
        }
        Ok(Self(sums))
    }

    /// 0 for what there is none of.
    pub fn get(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }

    /// How much more there is than before.
    pub fn since(&self, before: &Self, name: &str) -> u64 {
        self.get(name).saturating_sub(before.get(name))
    }
}
