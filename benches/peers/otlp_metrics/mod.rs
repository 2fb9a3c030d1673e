//! OTLP metrics.

mod borrowire;
mod buffa;
mod prost;

pub use self::borrowire::Borrowire;
pub use self::buffa::Buffa;
pub use self::prost::ProstString;

use std::error::Error;

use bytes::Bytes;

use super::{Content, Digest, check, for_every_peer};

/// Checks that all implementations read and write the same content; returns it.
pub fn check_all(body: &Bytes) -> Result<Digest, Box<dyn Error>> {
    let expected = Content::of::<ProstString>(body)?;
    for_every_peer!(
        otlp_metrics, Peer => check::<Peer, ProstString>(body, &expected)?,
        [Borrowire ProstString Buffa]
    );
    Ok(expected.digest)
}

/// `Peer::digest` and `Peer::touch` of generated types, by how a message field is an option.
macro_rules! impl_reading {
    (|$message:ident| $option:expr) => {
        fn digest(request: &Self::Request<'_>) -> Digest {
            let mut digest = Digest::default();
            let to = &mut digest;
            for metrics in request.resource_metrics.iter() {
                to.resource();
                let $message = &metrics.resource;
                add_resource!(to, $option);
                to.text(metrics.schema_url.as_bytes());
                for metrics in metrics.scope_metrics.iter() {
                    let $message = &metrics.scope;
                    add_scope!(to, $option);
                    to.text(metrics.schema_url.as_bytes());
                    for metric in metrics.metrics.iter() {
                        to.metric(metric.name.as_bytes());
                        to.text(metric.description.as_bytes());
                        to.text(metric.unit.as_bytes());
                        metric.metadata.iter().for_each(|it| add_key_value(to, it));
                        match &metric.data {
                            None => to.word(300),
                            Some(Data::Gauge(gauge)) => {
                                to.word(301);
                                gauge.data_points.iter().for_each(|it| add_number(to, it));
                            }
                            Some(Data::Sum(sum)) => {
                                to.word(302);
                                to.int(sum.aggregation_temporality.number().into());
                                to.word(sum.is_monotonic.into());
                                sum.data_points.iter().for_each(|it| add_number(to, it));
                            }
                            Some(Data::Histogram(histogram)) => {
                                to.word(303);
                                to.int(histogram.aggregation_temporality.number().into());
                                for point in histogram.data_points.iter() {
                                    to.data_point(point.start_time_unix_nano, point.time_unix_nano);
                                    point.attributes.iter().for_each(|it| add_key_value(to, it));
                                    to.word(point.count);
                                    to.optional(point.sum);
                                    to.words(&point.bucket_counts);
                                    to.floats(&point.explicit_bounds);
                                    point.exemplars.iter().for_each(|it| add_exemplar(to, it));
                                    to.word(point.flags.into());
                                    to.optional(point.min);
                                    to.optional(point.max);
                                }
                            }
                            Some(Data::ExponentialHistogram(histogram)) => {
                                to.word(304);
                                to.int(histogram.aggregation_temporality.number().into());
                                for point in histogram.data_points.iter() {
                                    to.data_point(point.start_time_unix_nano, point.time_unix_nano);
                                    point.attributes.iter().for_each(|it| add_key_value(to, it));
                                    to.word(point.count);
                                    to.optional(point.sum);
                                    to.int(point.scale.into());
                                    to.word(point.zero_count);
                                    for $message in [&point.positive, &point.negative] {
                                        match $option {
                                            None => to.word(400),
                                            Some(buckets) => {
                                                to.int(buckets.offset.into());
                                                to.words(&buckets.bucket_counts);
                                            }
                                        }
                                    }
                                    point.exemplars.iter().for_each(|it| add_exemplar(to, it));
                                    to.word(point.flags.into());
                                    to.optional(point.min);
                                    to.optional(point.max);
                                    to.float(point.zero_threshold);
                                }
                            }
                            Some(Data::Summary(summary)) => {
                                to.word(305);
                                for point in summary.data_points.iter() {
                                    to.data_point(point.start_time_unix_nano, point.time_unix_nano);
                                    point.attributes.iter().for_each(|it| add_key_value(to, it));
                                    to.word(point.count);
                                    to.float(point.sum);
                                    for value in point.quantile_values.iter() {
                                        to.float(value.quantile);
                                        to.float(value.value);
                                    }
                                    to.word(point.flags.into());
                                }
                            }
                        }
                    }
                }
            }
            digest
        }

        #[inline]
        fn touch(request: &Self::Request<'_>) -> Touch {
            let mut touch = Touch::default();
            let to = &mut touch;
            for metrics in request.resource_metrics.iter() {
                for metrics in metrics.scope_metrics.iter() {
                    for metric in metrics.metrics.iter() {
                        to.text(metric.name.as_bytes());
                        match &metric.data {
                            None => {}
                            Some(Data::Gauge(gauge)) => {
                                gauge.data_points.iter().for_each(|it| touch_number(to, it));
                            }
                            Some(Data::Sum(sum)) => {
                                sum.data_points.iter().for_each(|it| touch_number(to, it));
                            }
                            Some(Data::Histogram(histogram)) => {
                                for point in histogram.data_points.iter() {
                                    to.time(point.time_unix_nano.cast_signed(), 0);
                                    for count in point.bucket_counts.iter() {
                                        to.time(count.cast_signed(), 0);
                                    }
                                    point.attributes.iter().for_each(|it| touch_key_value(to, it));
                                }
                            }
                            Some(Data::ExponentialHistogram(histogram)) => {
                                for point in histogram.data_points.iter() {
                                    to.time(point.time_unix_nano.cast_signed(), 0);
                                    point.attributes.iter().for_each(|it| touch_key_value(to, it));
                                }
                            }
                            Some(Data::Summary(summary)) => {
                                for point in summary.data_points.iter() {
                                    to.time(point.time_unix_nano.cast_signed(), 0);
                                    point.attributes.iter().for_each(|it| touch_key_value(to, it));
                                }
                            }
                        }
                    }
                }
            }
            touch
        }
    };
}
use impl_reading;

/// Functions for points of numbers and exemplars, by the types of a generator.
macro_rules! impl_numbers {
    ($point:ty, $point_value:path, $exemplar:ty, $exemplar_value:path) => {
        fn add_number(to: &mut Digest, point: &$point) {
            use $point_value as Value;
            to.data_point(point.start_time_unix_nano, point.time_unix_nano);
            match &point.value {
                None => to.word(0),
                Some(Value::AsDouble(value)) => to.float(*value),
                Some(Value::AsInt(value)) => to.int(*value),
            }
            point.attributes.iter().for_each(|it| add_key_value(to, it));
            point.exemplars.iter().for_each(|it| add_exemplar(to, it));
            to.word(point.flags.into());
        }

        fn add_exemplar(to: &mut Digest, exemplar: &$exemplar) {
            use $exemplar_value as Value;
            to.word(exemplar.time_unix_nano);
            match &exemplar.value {
                None => to.word(0),
                Some(Value::AsDouble(value)) => to.float(*value),
                Some(Value::AsInt(value)) => to.int(*value),
            }
            to.text(&exemplar.span_id);
            to.text(&exemplar.trace_id);
            exemplar.filtered_attributes.iter().for_each(|it| add_key_value(to, it));
        }

        #[inline]
        fn touch_number(to: &mut Touch, point: &$point) {
            use $point_value as Value;
            match &point.value {
                None => {}
                Some(Value::AsDouble(value)) => {
                    to.sample(*value, point.time_unix_nano.cast_signed())
                }
                Some(Value::AsInt(value)) => to.time(*value, 0),
            }
            point.attributes.iter().for_each(|it| touch_key_value(to, it));
            for exemplar in point.exemplars.iter() {
                exemplar.filtered_attributes.iter().for_each(|it| touch_key_value(to, it));
            }
        }
    };
}
use impl_numbers;
