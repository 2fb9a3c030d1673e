//! Messages in unusual forms, made by hand.

use borrowire::otlp::logs::ExportLogsServiceRequest;
use borrowire::otlp::metrics::{
    ExportMetricsServiceRequest, Metric, MetricData, NumberDataPoint, NumberValue,
};
use borrowire::otlp::{AnyValue, DecodeOptions, RecordKind};
use borrowire::{DecodeErrorKind, Encode};

use crate::support::bytes::Bytes;

fn attribute(key: &str, value: Bytes) -> Bytes {
    Bytes::new().len(1, key).len(2, value)
}

fn text(value: &str) -> Bytes {
    Bytes::new().len(1, value)
}

/// A request of one resource with one scope with `children`.
fn request(children: &[Bytes]) -> Vec<u8> {
    let scope = children.iter().fold(Bytes::new(), |scope, child| scope.len(2, child));
    Bytes::new().len(1, Bytes::new().len(2, scope)).build()
}

fn with_metric<T>(metric: Bytes, with: impl FnOnce(Metric<'_, '_>) -> T) -> T {
    let body = request(&[metric]);
    let request = ExportMetricsServiceRequest::decode(&body).unwrap();
    let written = request.encode_to_vec().unwrap();
    let again = ExportMetricsServiceRequest::decode(&written).unwrap();
    let scope = request.resource_metrics().get(0).unwrap().scope_metrics.get(0).unwrap();
    let scope_again = again.resource_metrics().get(0).unwrap().scope_metrics.get(0).unwrap();
    assert_eq!(scope, scope_again);
    with(scope.metrics.get(0).unwrap())
}

/// The points of a metric that must be a gauge.
fn gauge_points(metric: &Metric<'_, '_>) -> Vec<Option<NumberValue>> {
    let Some(MetricData::Gauge(gauge)) = metric.data else { panic!("{:?}", metric.data) };
    gauge.data_points.iter().map(|point: NumberDataPoint<'_, '_>| point.value).collect()
}

#[test]
fn the_last_kind_of_data_counts_and_one_in_parts_is_merged() {
    let double = |value: f64| Bytes::new().double(4, value);
    let gauge = |points: &[f64]| {
        points.iter().fold(Bytes::new(), |gauge, &value| gauge.len(1, double(value)))
    };
    let merged = Bytes::new().len(5, gauge(&[1.0, 2.0])).len(1, "name").len(5, gauge(&[3.0]));
    with_metric(merged, |metric| {
        assert_eq!(metric.name, "name");
        assert_eq!(gauge_points(&metric), [1.0, 2.0, 3.0].map(|value| Some(value.into())));
    });
    let replaced = Bytes::new()
        .len(5, gauge(&[1.0]))
        .len(7, gauge(&[2.0]).varint(2, 2).varint(3, 1))
        .len(5, gauge(&[3.0]));
    with_metric(replaced, |metric| {
        assert_eq!(gauge_points(&metric), [Some(NumberValue::Double(3.0))]);
    });
    let replaced = Bytes::new().len(9, gauge(&[1.0])).len(7, Bytes::new().varint(2, 1));
    with_metric(replaced, |metric| {
        let Some(MetricData::Sum(sum)) = metric.data else { panic!("{:?}", metric.data) };
        assert_eq!((sum.data_points.len(), sum.aggregation_temporality.0), (0, 1));
    });
    with_metric(Bytes::new().len(5, ""), |metric| assert!(gauge_points(&metric).is_empty()));
    with_metric(Bytes::new().len(1, "x"), |metric| assert_eq!(metric.data, None));
}

#[test]
fn the_last_value_of_a_point_counts() {
    let point = Bytes::new().double(4, 1.0).tag(6, 1).raw(7_i64.to_le_bytes());
    let both = Bytes::new().len(1, &point).len(1, point.double(4, -0.0)).len(1, "");
    with_metric(Bytes::new().len(5, both), |metric| {
        let values = [Some(NumberValue::Int(7)), Some(NumberValue::Double(-0.0)), None];
        assert_eq!(gauge_points(&metric), values);
    });
}

#[test]
fn repeated_numbers_come_packed_and_one_by_one() {
    let fixed = |values: &[u64]| -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    };
    let point = Bytes::new()
        .tag(6, 1)
        .raw(1_u64.to_le_bytes())
        .len(6, fixed(&[2, 3]))
        .double(7, 0.5)
        .len(6, "")
        .tag(6, 1)
        .raw(4_u64.to_le_bytes())
        .packed_doubles(7, &[1.5, 2.5]);
    with_metric(Bytes::new().len(9, Bytes::new().len(1, point)), |metric| {
        let Some(MetricData::Histogram(histogram)) = metric.data else { panic!() };
        let point = histogram.data_points.get(0).unwrap();
        assert_eq!(point.bucket_counts, [1, 2, 3, 4]);
        assert_eq!(point.explicit_bounds, [0.5, 1.5, 2.5]);
    });
    let positive = |counts: Bytes| Bytes::new().len(8, counts);
    let point = positive(Bytes::new().varint(2, 1).sint(1, -3).len(2, [2, 3]))
        .len(9, "")
        .raw(positive(Bytes::new().varint(2, 400)));
    with_metric(Bytes::new().len(10, Bytes::new().len(1, point)), |metric| {
        let Some(MetricData::ExponentialHistogram(histogram)) = metric.data else { panic!() };
        let point = histogram.data_points.get(0).unwrap();
        let positive = point.positive.unwrap();
        assert_eq!((positive.offset, positive.bucket_counts), (-3, &[1, 2, 3, 400][..]));
        assert!(point.negative.unwrap().bucket_counts.is_empty());
        assert_eq!((point.sum, point.min, point.max), (None, None, None));
    });
}

#[test]
fn resources_and_scopes_in_parts_are_merged() {
    let resource = |key| Bytes::new().len(1, attribute(key, text("v")));
    let scope = Bytes::new()
        .len(1, Bytes::new().len(1, "old").len(3, attribute("s", text("1"))))
        .len(2, Bytes::new().len(6, attribute("record", text("r"))))
        .len(1, Bytes::new().len(1, "name").len(3, attribute("t", text("2"))).varint(4, 9));
    let body = Bytes::new()
        .len(
            1,
            Bytes::new()
                .len(1, resource("a").varint(2, 3))
                .len(2, scope)
                .len(1, resource("b").len(3, Bytes::new().len(2, "host").len(3, "a").len(3, "b")))
                .len(3, "https://schema"),
        )
        .build();
    let request = ExportLogsServiceRequest::decode(&body).unwrap();
    let logs = request.resource_logs().get(0).unwrap();
    let resource = logs.resource.unwrap();
    let keys: Vec<_> = resource.attributes.iter().map(|attribute| attribute.key).collect();
    assert_eq!((keys, resource.dropped_attributes_count), (vec!["a", "b"], 3));
    let entity = resource.entity_refs.iter().next().unwrap();
    assert_eq!(entity.r#type, "host");
    assert!(entity.id_keys.iter().eq(["a", "b"]) && entity.description_keys.is_empty());
    assert_eq!(logs.schema_url, "https://schema");
    let scope = logs.scope_logs.get(0).unwrap().scope.unwrap();
    let keys: Vec<_> = scope.attributes.iter().map(|attribute| attribute.key).collect();
    assert_eq!((scope.name, keys, scope.dropped_attributes_count), ("name", vec!["s", "t"], 9));
    let written = request.encode_to_vec().unwrap();
    let again = ExportLogsServiceRequest::decode(&written).unwrap();
    assert_eq!(again.resource_logs(), request.resource_logs());
}

#[test]
fn values_in_parts_are_merged() {
    let array = |values: &[i64]| {
        let values = values
            .iter()
            .fold(Bytes::new(), |array, &value| array.len(1, Bytes::new().int(3, value)));
        Bytes::new().len(5, values)
    };
    let body_of = |values: &[Bytes]| {
        let record = values
            .iter()
            .fold(Bytes::new().len(12, "e"), |record, value| record.len(5, value).varint(7, 1));
        request(&[record])
    };
    let value_of = |body: &[u8]| {
        let request = ExportLogsServiceRequest::decode(body).unwrap();
        let scope = request.resource_logs().get(0).unwrap().scope_logs.get(0).unwrap();
        let value = scope.log_records.get(0).unwrap().body;
        let written = request.encode_to_vec().unwrap();
        let again = ExportLogsServiceRequest::decode(&written).unwrap();
        let scope = again.resource_logs().get(0).unwrap().scope_logs.get(0).unwrap();
        assert_eq!(scope.log_records.get(0).unwrap().body, value);
        format!("{value:?}")
    };
    let parts = [
        (vec![array(&[1]), array(&[2, 3])], "Some(Array([Int(1), Int(2), Int(3)]))"),
        (vec![array(&[1]).raw(array(&[2]))], "Some(Array([Int(1), Int(2)]))"),
        (vec![array(&[1]).raw(text("x")).raw(array(&[2]))], "Some(Array([Int(2)]))"),
        (vec![array(&[1]), text("x"), array(&[2]), array(&[4])], "Some(Array([Int(2), Int(4)]))"),
        (vec![text("a"), Bytes::new()], "Some(String(\"a\"))"),
        (vec![text("a"), text("b")], "Some(String(\"b\"))"),
        (vec![array(&[1]), Bytes::new().varint(2, 1)], "Some(Bool(true))"),
        (vec![Bytes::new()], "Some(Empty)"),
        (vec![], "None"),
    ];
    for (values, expected) in parts {
        assert_eq!(value_of(&body_of(&values)), expected);
    }
}

/// Field 1000 is what field 2 was: it counts where field 2 is empty, wherever either of them stands.
#[test]
fn the_former_name_of_scopes_is_read() {
    let scope = |name: &str| Bytes::new().len(1, Bytes::new().len(1, name)).len(2, "");
    let names = |resource: Bytes| {
        let body = Bytes::new().len(1, resource).len(1, Bytes::new().len(2, scope("next"))).build();
        let logs = ExportLogsServiceRequest::decode(&body).unwrap();
        assert_eq!(
            (logs.log_records_len(), logs.rejected_log_records()),
            (logs.scope_logs_len(), 0)
        );
        let scopes = logs.resource_logs().get(0).unwrap().scope_logs;
        let metrics = ExportMetricsServiceRequest::decode(&body).unwrap();
        assert_eq!(metrics.metrics_len(), logs.log_records_len());
        assert!(!logs.has_unknown_fields());
        let names = scopes.iter().map(|scope| scope.scope.unwrap().name.to_owned());
        names.collect::<Vec<_>>()
    };
    let (old, older) = (|| Bytes::new().len(1000, scope("old")), scope("older"));
    assert_eq!(names(old().len(1000, older)), ["old", "older"]);
    assert_eq!(names(old().len(2, scope("new"))), ["new"]);
    assert_eq!(names(Bytes::new().len(2, scope("new")).raw(old())), ["new"]);
    let bad = Bytes::new().len(1000, Bytes::new().len(1, Bytes::new().len(1, [0xff])));
    let body = Bytes::new().len(1, Bytes::new().len(2, "").raw(bad)).build();
    let error = ExportLogsServiceRequest::decode(&body).unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::InvalidUtf8);
}

#[test]
fn what_is_bad_is_left_out_alone() {
    let partial = DecodeOptions::new().with_partial(true);
    let point = |key: &[u8]| Bytes::new().double(4, 1.0).len(7, Bytes::new().len(1, key));
    let bad_id = Bytes::new().len(5, [1, 2, 3]);
    let gauge = Bytes::new()
        .len(1, point(b"a"))
        .len(1, point(b"\xff"))
        .len(1, point(b"b").len(5, &bad_id).len(5, Bytes::new().double(3, 2.0)))
        .len(1, point(b"c").varint(8, 1));
    let scope = Bytes::new()
        .len(2, Bytes::new().len(1, "good").len(5, &gauge))
        .len(2, Bytes::new().len(1, [0xff]).len(5, &gauge))
        .len(2, Bytes::new().len(1, "last").len(5, Bytes::new().len(1, point(b"d"))));
    let bad_scope = Bytes::new().len(3, [0xff]).len(2, Bytes::new().len(5, &gauge));
    let bad_resource = Bytes::new().len(2, &scope).len(3, [0xff]);
    let body = Bytes::new()
        .len(1, Bytes::new().len(2, scope).len(2, bad_scope))
        .len(1, bad_resource)
        .len(1, "")
        .build();
    assert!(ExportMetricsServiceRequest::decode(&body).is_err());
    let request = ExportMetricsServiceRequest::decode_with(&body, &partial).unwrap();
    let skipped: Vec<_> =
        request.skipped().iter().map(|skipped| (skipped.kind, skipped.index)).collect();
    let expected = [
        (RecordKind::DataPoint, 1),
        (RecordKind::Exemplar, 0),
        (RecordKind::Metric, 1),
        (RecordKind::Scope, 1),
        (RecordKind::Resource, 1),
    ];
    assert_eq!(skipped, expected);
    // Of 4 + 4 + 1, then 4, then 9 points.
    assert_eq!((request.data_points_len(), request.rejected_data_points()), (4, 18));
    let resources = request.resource_metrics();
    assert_eq!((resources.len(), request.scope_metrics_len()), (2, 1));
    let metrics = resources.get(0).unwrap().scope_metrics.get(0).unwrap().metrics;
    let Some(MetricData::Gauge(gauge)) = metrics.get(0).unwrap().data else { panic!() };
    let keys: Vec<_> = gauge.data_points.iter().map(|it| it.attributes.key(0).unwrap()).collect();
    assert_eq!(keys, ["a", "b", "c"]);
    let point = gauge.data_points.get(1).unwrap();
    assert_eq!(point.exemplars.get(0).unwrap().value, Some(NumberValue::Double(2.0)));
    assert_eq!((point.exemplars.len(), point.flags), (1, 0));
    assert_eq!(gauge.data_points.get(2).unwrap().flags, 1);
    assert_eq!(metrics.get(1).unwrap().name, "last");
}

#[test]
fn attributes_of_every_kind_and_order_are_read_alike() {
    let long = "v".repeat(200);
    let values = [
        text("x"),
        text(""),
        text(&long),
        text("naïve"),
        Bytes::new().varint(2, 1),
        Bytes::new().varint(2, 0),
        Bytes::new().int(3, 5),
        Bytes::new().int(3, 500),
        Bytes::new().int(3, -1),
        Bytes::new().double(4, 0.5),
        Bytes::new().len(7, [0, 255]),
        Bytes::new(),
        Bytes::new().len(6, Bytes::new().len(1, attribute("k", text("v")))),
        text("y"),
    ];
    let expected = [
        AnyValue::String("x"),
        AnyValue::String(""),
        AnyValue::String(&long),
        AnyValue::String("naïve"),
        AnyValue::Bool(true),
        AnyValue::Bool(false),
        AnyValue::Int(5),
        AnyValue::Int(500),
        AnyValue::Int(-1),
        AnyValue::Double(0.5),
        AnyValue::Bytes(&[0, 255]),
        AnyValue::Empty,
    ];
    for backwards in [false, true] {
        for key in ["key", "schlüssel", "", &"k".repeat(130)] {
            let record = values.iter().fold(Bytes::new(), |record, value| {
                record.len(
                    6,
                    if backwards {
                        Bytes::new().len(2, value).len(1, key)
                    } else {
                        attribute(key, value.clone())
                    },
                )
            });
            let body = request(&[record]);
            let request = ExportLogsServiceRequest::decode(&body).unwrap();
            let scope = request.resource_logs().get(0).unwrap().scope_logs.get(0).unwrap();
            let attributes = scope.log_records.get(0).unwrap().attributes;
            assert_eq!(attributes.len(), values.len());
            assert!(attributes.iter().all(|attribute| attribute.key == key));
            let found: Vec<_> =
                attributes.iter().map(|attribute| attribute.value.unwrap()).collect();
            assert_eq!(found[..expected.len()], expected);
            assert!(matches!(found[expected.len()], AnyValue::KvList(list) if !list.is_empty()));
            assert_eq!(found[expected.len() + 1], AnyValue::String("y"));
            let written = request.encode_to_vec().unwrap();
            assert_eq!(written.len(), request.encoded_len());
            let again = ExportLogsServiceRequest::decode(&written).unwrap();
            assert_eq!(again.resource_logs(), request.resource_logs());
        }
    }
}

/// Faults have their place, also where attributes are read in one go.
#[test]
fn bad_text_is_found_where_it_is() {
    for backwards in [false, true] {
        for bad in 0..4 {
            let record = (0..4).fold(Bytes::new(), |record, at| {
                let value = Bytes::new().len(1, if at == bad { &b"a\xff"[..] } else { b"ab" });
                record.len(
                    6,
                    if backwards {
                        Bytes::new().len(2, value).len(1, "k")
                    } else {
                        Bytes::new().len(1, "k").len(2, value)
                    },
                )
            });
            let body = request(&[record]);
            let error = ExportLogsServiceRequest::decode(&body).unwrap_err();
            let at = body.iter().position(|&byte| byte == 0xff).unwrap();
            assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::InvalidUtf8, at));
        }
    }
}
