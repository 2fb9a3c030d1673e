//! Buckets of OTLP histograms as spans and deltas of native histograms.

use alloc::vec::Vec;

use crate::message::columns::vec_bytes;
use crate::remote_write::BucketSpan;

/// The buckets of one histogram, as native histograms write them. Its memory is used again.
#[derive(Default)]
pub(super) struct NativeBuckets {
    pub(super) spans: Vec<BucketSpan>,
    pub(super) deltas: Vec<i64>,
    previous: u64,
}

/// Whose indexes they are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Exponential buckets: the bucket of index 0 ends at 1 in Prometheus, and begins there in OTLP.
    Exponential,
    /// Buckets with bounds of their own.
    Custom,
}

impl NativeBuckets {
    /// Has no buckets.
    pub(super) fn clear(&mut self) {
        self.spans.clear();
        self.deltas.clear();
        self.previous = 0;
    }

    /// Heap bytes that it holds.
    pub(super) fn capacity_bytes(&self) -> usize {
        vec_bytes(&self.spans).saturating_add(vec_bytes(&self.deltas))
    }

    /// Makes spans and deltas of `counts`, whose first bucket has the index `offset`, merged by 2 to
    /// the power of `scale_down`.
    ///
    /// Indexes wrap at 32 bits and counts at 64, as they do in Prometheus.
    pub(super) fn convert(
        &mut self,
        counts: impl ExactSizeIterator<Item = u64>,
        offset: i32,
        scale_down: u32,
        layout: Layout,
    ) {
        self.clear();
        if counts.len() == 0 {
            return;
        }
        let target = |index: i32| shifted(index, scale_down).wrapping_add(1);
        let mut index = target(offset);
        self.spans.push(BucketSpan::new(if layout == Layout::Custom { offset } else { index }, 0));
        let mut merged = 0_u64;
        let mut source = offset;
        for count in counts {
            let next = target(source);
            source = source.wrapping_add(1);
            if next == index {
                merged = merged.wrapping_add(count);
            } else if merged == 0 {
                // the gap grows
                merged = count;
            } else {
                self.fill(next.wrapping_sub(index).wrapping_sub(1));
                self.push(merged);
                merged = count;
                index = next;
            }
        }
        self.fill(target(source.wrapping_sub(1)).wrapping_sub(index));
        self.push(merged);
    }

    /// Bridges a gap: with empty buckets, where that is shorter than a span.
    fn fill(&mut self, gap: i32) {
        if gap > 2 {
            self.spans.push(BucketSpan::new(gap, 0));
        } else {
            for _ in 0..gap {
                self.push(0);
            }
        }
    }

    fn push(&mut self, count: u64) {
        if let Some(span) = self.spans.last_mut() {
            span.length = span.length.wrapping_add(1);
        }
        self.deltas.push(count.wrapping_sub(self.previous).cast_signed());
        self.previous = count;
    }
}

/// `index` shifted right; by 32 and more only its sign is left.
fn shifted(index: i32, by: u32) -> i32 {
    index.checked_shr(by).unwrap_or(if index < 0 { -1 } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn as_prometheus_has_them() {
        let golden = include_str!("../../../tests/golden/otlp/exponential_buckets.json");
        let golden: Value = serde_json::from_str(golden).unwrap();
        let cases = golden["cases"].as_array().unwrap();
        assert!(cases.len() > 200);
        let mut buckets = NativeBuckets::default();
        for case in cases {
            let counts =
                case["counts"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap());
            let layout = if case["adjust"] == true { Layout::Exponential } else { Layout::Custom };
            let scale_down = case["scale_down"].as_u64().unwrap().try_into().unwrap();
            let offset = case["offset"].as_i64().unwrap().try_into().unwrap();
            buckets.convert(counts.collect::<Vec<_>>().into_iter(), offset, scale_down, layout);
            let spans: Vec<_> = buckets
                .spans
                .iter()
                .map(|span| serde_json::json!([span.offset, span.length]))
                .collect();
            assert_eq!(Value::from(spans), case["spans"], "{case}");
            assert_eq!(Value::from(buckets.deltas.clone()), case["deltas"], "{case}");
        }
    }
}
