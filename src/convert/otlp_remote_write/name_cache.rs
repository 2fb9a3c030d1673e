//! Names of metrics that were made before.

use alloc::string::String;
use core::hash::{BuildHasher, Hasher};

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};

use super::name::{MetricName, NameKind, NothingLeft, write_unit_name};
use super::settings::Settings;
use crate::wire::impossible;

/// Keeps the names that metrics got: they depend on name, unit and kind alone, and senders send the
/// same metrics again and again. Bounded: when it is full it begins anew.
#[derive(Default)]
pub(super) struct NameCache {
    texts: String,
    table: HashTable<Cached>,
    hasher: DefaultHashBuilder,
}

/// Bytes of texts that are kept.
const MAX_BYTES: usize = 1 << 20;

/// One behind the other in the column of texts: name, unit, the metric's name, the unit's name.
#[derive(Clone, Copy)]
struct Cached {
    hash: u64,
    kind: NameKind,
    start: usize,
    name_end: usize,
    unit_end: usize,
    /// Where the unit's name begins, or that nothing was left of the metric's.
    made: Result<usize, NothingLeft>,
    end: usize,
}

/// Where the names of a metric are, until the next is looked for.
#[derive(Clone, Copy)]
pub(super) struct Names {
    metric: usize,
    unit: usize,
    end: usize,
}

impl NameCache {
    /// Heap bytes that it holds.
    pub(super) fn capacity_bytes(&self) -> usize {
        self.texts.capacity().saturating_add(self.table.allocation_size())
    }

    /// The metric's name.
    pub(super) fn metric(&self, names: Names) -> &str {
        self.texts.get(names.metric..names.unit).unwrap_or_else(impossible)
    }

    /// The unit's name, as metadata have it.
    pub(super) fn unit(&self, names: Names) -> &str {
        self.texts.get(names.unit..names.end).unwrap_or_else(impossible)
    }

    pub(super) fn find(
        &mut self,
        metric: &MetricName<'_>,
        settings: &Settings,
    ) -> Result<Names, NothingLeft> {
        if self.texts.len() > MAX_BYTES {
            self.texts.clear();
            self.table.clear();
        }
        let Self { texts, table, hasher } = self;
        let mut hasher = hasher.build_hasher();
        hasher.write(metric.name.as_bytes());
        hasher.write_u8(b'/');
        hasher.write(metric.unit.as_bytes());
        let hash = hasher.finish();
        let is_same = |cached: &Cached| {
            cached.hash == hash
                && cached.kind == metric.kind
                && texts.get(cached.start..cached.name_end) == Some(metric.name)
                && texts.get(cached.name_end..cached.unit_end) == Some(metric.unit)
        };
        let cached = match table.entry(hash, is_same, |cached| cached.hash) {
            Entry::Occupied(found) => *found.get(),
            Entry::Vacant(free) => {
                let cached = Cached::make(texts, metric, settings, hash);
                free.insert(cached);
                cached
            }
        };
        Ok(Names { metric: cached.unit_end, unit: cached.made?, end: cached.end })
    }
}

impl Cached {
    fn make(texts: &mut String, metric: &MetricName<'_>, settings: &Settings, hash: u64) -> Self {
        let start = texts.len();
        texts.push_str(metric.name);
        let name_end = texts.len();
        texts.push_str(metric.unit);
        let unit_end = texts.len();
        let made = metric
            .write(texts, &settings.namespace, settings.translation_strategy)
            .map(|()| texts.len());
        write_unit_name(texts, metric.unit);
        Self { hash, kind: metric.kind, start, name_end, unit_end, made, end: texts.len() }
    }
}
