//! Conversions from and to those generated types that both versions have alike: samples, bucket
//! spans and histograms.
//!
//! They are types of their own in each version, so the conversions are written once here and made
//! for each. Those of 2.0 alone have a `start_timestamp`.

/// Makes the conversions for the types in `$proto`; `$start` names the start timestamp, where they
/// have one.
macro_rules! convert_values {
    ($proto:ident $(, $start:ident)?) => {
        impl From<&$proto::Sample> for $crate::remote_write::Sample {
            fn from(sample: &$proto::Sample) -> Self {
                let converted = Self::new(sample.value, sample.timestamp);
                $(let converted = converted.with_start_timestamp(sample.$start);)?
                converted
            }
        }

        impl From<$crate::remote_write::Sample> for $proto::Sample {
            fn from(sample: $crate::remote_write::Sample) -> Self {
                Self {
                    value: sample.value,
                    timestamp: sample.timestamp,
                    $($start: sample.$start,)?
                }
            }
        }

        impl From<&$proto::BucketSpan> for $crate::remote_write::BucketSpan {
            fn from(span: &$proto::BucketSpan) -> Self {
                Self::new(span.offset, span.length)
            }
        }

        impl From<$crate::remote_write::BucketSpan> for $proto::BucketSpan {
            fn from(span: $crate::remote_write::BucketSpan) -> Self {
                Self { offset: span.offset, length: span.length }
            }
        }

        impl From<$crate::remote_write::Histogram<'_>> for $proto::Histogram {
            fn from(histogram: $crate::remote_write::Histogram<'_>) -> Self {
                use $crate::remote_write::{BucketSpan, Count};
                use $proto::histogram::{Count as ProtoCount, ZeroCount};
                let spans = |spans: &[BucketSpan]| spans.iter().map(|&span| span.into()).collect();
                Self {
                    count: histogram.count.map(|count| match count {
                        Count::Int(count) => ProtoCount::CountInt(count),
                        Count::Float(count) => ProtoCount::CountFloat(count),
                    }),
                    sum: histogram.sum,
                    schema: histogram.schema,
                    zero_threshold: histogram.zero_threshold,
                    zero_count: histogram.zero_count.map(|count| match count {
                        Count::Int(count) => ZeroCount::ZeroCountInt(count),
                        Count::Float(count) => ZeroCount::ZeroCountFloat(count),
                    }),
                    negative_spans: spans(histogram.negative_spans),
                    negative_deltas: histogram.negative_deltas.into(),
                    negative_counts: histogram.negative_counts.into(),
                    positive_spans: spans(histogram.positive_spans),
                    positive_deltas: histogram.positive_deltas.into(),
                    positive_counts: histogram.positive_counts.into(),
                    reset_hint: histogram.reset_hint.0,
                    timestamp: histogram.timestamp,
                    custom_values: histogram.custom_values.into(),
                    $($start: histogram.$start,)?
                }
            }
        }

        /// Appends `histogram` to the columns. A view of it cannot be had: it would borrow spans of
        /// another type.
        fn push_histogram(
            columns: &mut $crate::remote_write::model::histogram::HistogramColumns,
            histogram: &$proto::Histogram,
        ) {
            use $crate::remote_write::{BucketSpan, Count, Histogram, ResetHint};
            use $proto::histogram::{Count as ProtoCount, ZeroCount};
            let spans = |spans: &[$proto::BucketSpan]| -> alloc::vec::Vec<_> {
                spans.iter().map(BucketSpan::from).collect()
            };
            #[allow(clippy::needless_update, reason = "not needed for one of the versions")]
            columns.push(&Histogram {
                count: histogram.count.as_ref().map(|count| match *count {
                    ProtoCount::CountInt(count) => Count::Int(count),
                    ProtoCount::CountFloat(count) => Count::Float(count),
                }),
                sum: histogram.sum,
                schema: histogram.schema,
                zero_threshold: histogram.zero_threshold,
                zero_count: histogram.zero_count.as_ref().map(|count| match *count {
                    ZeroCount::ZeroCountInt(count) => Count::Int(count),
                    ZeroCount::ZeroCountFloat(count) => Count::Float(count),
                }),
                negative_spans: &spans(&histogram.negative_spans),
                negative_deltas: &histogram.negative_deltas,
                negative_counts: &histogram.negative_counts,
                positive_spans: &spans(&histogram.positive_spans),
                positive_deltas: &histogram.positive_deltas,
                positive_counts: &histogram.positive_counts,
                reset_hint: ResetHint(histogram.reset_hint),
                timestamp: histogram.timestamp,
                custom_values: &histogram.custom_values,
                $($start: histogram.$start,)?
                ..Histogram::default()
            });
        }
    };
}

pub(in crate::remote_write) use convert_values;
