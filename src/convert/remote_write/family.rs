//! Which family a metric belongs to, and finding families by name.

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};

use crate::message::by_address::ByAddress;
use crate::message::columns::{clear_table, hash_text};
use crate::remote_write::{METRIC_NAME, MetricType, TimeSeries};

/// The family of a metric: its name, without the suffix that series of its type have.
///
/// | type | suffixes |
/// |---|---|
/// | summary | `_count`, `_sum` |
/// | histogram | `_bucket`, `_count`, `_sum` |
/// | gauge histogram | `_bucket`, `_gcount`, `_gsum` |
///
/// A name that is only a suffix stays as it is. A counter keeps its `_total` and an info its
/// `_info`: a family may be named with it, as in Prometheus' text format, or without, as in
/// OpenMetrics, and readers know both. Source: Mimir's receiver of remote write 2.0.
///
/// ```
/// use borrowire::remote_write::MetricType;
/// use borrowire::convert::remote_write::family_name;
///
/// assert_eq!(family_name("rpc_seconds_bucket", MetricType::HISTOGRAM), "rpc_seconds");
/// assert_eq!(family_name("rpc_seconds", MetricType::HISTOGRAM), "rpc_seconds");
/// assert_eq!(family_name("calls_count", MetricType::COUNTER), "calls_count");
/// ```
#[must_use]
pub fn family_name(metric_name: &str, metric_type: MetricType) -> &str {
    let suffixes: &[&str] = match metric_type {
        MetricType::SUMMARY => &["_count", "_sum"],
        MetricType::HISTOGRAM => &["_bucket", "_count", "_sum"],
        MetricType::GAUGEHISTOGRAM => &["_bucket", "_gcount", "_gsum"],
        _ => &[],
    };
    without_suffix(metric_name, suffixes).unwrap_or(metric_name)
}

/// Whether a metric belongs to the family `family` of type `metric_type`: Prometheus' rule.
pub(super) fn belongs_to(metric_name: &str, family: &str, metric_type: MetricType) -> bool {
    let suffix = metric_name.strip_prefix(family);
    match metric_type {
        MetricType::COUNTER => matches!(suffix, Some("" | "_total")),
        MetricType::INFO => matches!(suffix, Some("" | "_info")),
        _ => family_name(metric_name, metric_type) == family,
    }
}

/// What a metric's name may be of its family's, other than all of it.
pub(super) fn stem(metric_name: &str) -> Option<&str> {
    const SUFFIXES: &[&str] = &["_bucket", "_count", "_sum", "_gcount", "_gsum", "_total", "_info"];
    without_suffix(metric_name, SUFFIXES)
}

fn without_suffix<'a>(name: &'a str, suffixes: &[&str]) -> Option<&'a str> {
    let stem = suffixes.iter().find_map(|suffix| name.strip_suffix(suffix));
    stem.filter(|stem| !stem.is_empty())
}

/// The metric's name for records of Mimir: the value of the last `__name__`.
pub(super) fn last_metric_name<'a>(series: &TimeSeries<'_, 'a>) -> Option<&'a str> {
    let name = series.labels().iter().rfind(|label| label.name == METRIC_NAME);
    name.map(|label| label.value)
}

/// Finds the position of something by its name, which is kept elsewhere: `name_at` tells it.
#[derive(Default)]
pub(super) struct NameIndex {
    positions: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// The positions of long names, which are not hashed twice.
    long: ByAddress,
}

impl NameIndex {
    pub(super) fn find<'n>(&self, name: &str, name_at: impl Fn(u32) -> &'n str) -> Option<u32> {
        let hash = hash_text(&self.hasher, name);
        self.positions.find(hash, |&position| name_at(position) == name).copied()
    }

    /// The position that `name` has; if it has none, it gets `position`.
    pub(super) fn find_or_insert<'n>(
        &mut self,
        name: &str,
        position: u32,
        name_at: impl Fn(u32) -> &'n str,
    ) -> Option<u32> {
        if let Some(known) = self.long.get(name) {
            return Some(known);
        }
        let Self { positions, hasher, long } = self;
        let rehash = |&position: &u32| hash_text(hasher, name_at(position));
        match positions.entry(hash_text(hasher, name), |&at| name_at(at) == name, rehash) {
            Entry::Occupied(found) => {
                long.insert(name, *found.get());
                Some(*found.get())
            }
            Entry::Vacant(vacant) => {
                vacant.insert(position);
                long.insert(name, position);
                None
            }
        }
    }

    pub(super) fn clear(&mut self) {
        clear_table(&mut self.positions);
        self.long.clear();
    }

    pub(super) fn capacity_bytes(&self) -> usize {
        self.positions.allocation_size().saturating_add(self.long.capacity_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_go_by_type() {
        let suffixes = ["_bucket", "_count", "_sum", "_gcount", "_gsum", "_total", ""];
        for (metric_type, cut) in [
            (MetricType::UNKNOWN, [false; 5]),
            (MetricType::COUNTER, [false; 5]),
            (MetricType::GAUGE, [false; 5]),
            (MetricType::HISTOGRAM, [true, true, true, false, false]),
            (MetricType::GAUGEHISTOGRAM, [true, false, false, true, true]),
            (MetricType::SUMMARY, [false, true, true, false, false]),
            (MetricType::INFO, [false; 5]),
            (MetricType::STATESET, [false; 5]),
            (MetricType(-1), [false; 5]),
        ] {
            for (i, suffix) in suffixes.into_iter().enumerate() {
                let name = alloc::format!("rpc{suffix}");
                let family = if cut.get(i) == Some(&true) { "rpc" } else { &name };
                assert_eq!(family_name(&name, metric_type), family, "{name}: {metric_type:?}");
            }
        }
        // Once, and never all of it.
        assert_eq!(family_name("a_sum_count", MetricType::SUMMARY), "a_sum");
        assert_eq!(family_name("_count", MetricType::SUMMARY), "_count");
        assert_eq!(family_name("", MetricType::SUMMARY), "");
    }

    #[test]
    fn counters_and_infos_belong_to_families_of_either_name() {
        for (metric, family, metric_type, belongs) in [
            ("calls_total", "calls", MetricType::COUNTER, true),
            ("calls_total", "calls_total", MetricType::COUNTER, true),
            ("calls", "calls", MetricType::COUNTER, true),
            ("calls_total", "calls", MetricType::GAUGE, false),
            ("calls_sum", "calls", MetricType::COUNTER, false),
            ("build_info", "build", MetricType::INFO, true),
            ("build_info", "build", MetricType::COUNTER, false),
            ("rpc_sum", "rpc", MetricType::SUMMARY, true),
        ] {
            assert_eq!(belongs_to(metric, family, metric_type), belongs, "{metric} of {family}");
        }
    }

    #[test]
    fn a_stem_is_a_family_of_some_type() {
        for suffix in ["_bucket", "_count", "_sum", "_gcount", "_gsum", "_total", "_info"] {
            assert_eq!(stem(&alloc::format!("rpc{suffix}")), Some("rpc"));
        }
        assert_eq!(["rpc", "_sum", ""].map(stem), [None; 3]);
    }

    #[test]
    fn an_index_keeps_first_positions_as_it_grows() {
        let names: alloc::vec::Vec<_> = (0..1000).map(|n| alloc::format!("metric_{n}")).collect();
        let name_at = |position: u32| names[position as usize].as_str();
        let mut index = NameIndex::default();
        for (position, name) in (0..).zip(&names) {
            assert_eq!(index.find(name, name_at), None);
            assert_eq!(index.find_or_insert(name, position, name_at), None);
        }
        for (position, name) in (0..).zip(&names) {
            assert_eq!(index.find(name, name_at), Some(position));
            assert_eq!(index.find_or_insert(name, 7, name_at), Some(position));
        }
        index.clear();
        assert_eq!(index.find("metric_1", name_at), None);
    }
}
