//! OTLP metrics as remote write, byte for byte as Mimir's code writes them: see tests/golden/README.md.

use std::time::Duration;

use borrowire::Encode;
use borrowire::convert::otlp_remote_write::{LossKind, Promotion, Settings, Translator};
use borrowire::convert::remote_write::{Loss, ToV2};
use borrowire::otlp::json::JsonScratch;
use borrowire::otlp::metrics::{
    ExportMetricsServiceRequest, ExportMetricsServiceRequestEncoder, Gauge, Metric, MetricData,
    Metrics, NumberDataPoint, NumberDataPoints, ResourceMetrics, ScopeMetrics, ScopeMetricsList,
};
use borrowire::otlp::{Attributes, InstrumentationScope, KeyValue, Resource};
use borrowire::remote_write::TimeSeries;
use borrowire::remote_write::v1::WriteRequest;
use borrowire::remote_write::v2::{EncodeOptions, Format, Symbolizer};
use serde_json::Value;

/// Cases in which our reader decides otherwise than that of the Collector, and why.
const READ_OTHERWISE: &[(&str, &str)] = &[
    ("label-utf8", "text must be UTF-8"),
    ("data-twice", "protobuf merges a oneof's message that comes twice"),
    ("packed-twice", "a second packed block is appended"),
    ("wire-varint-10", "bits over the 64th are an error"),
    ("wire-varint-overflow", "bits over the 64th are an error"),
    ("wire-tag-alias", "a tag over 32 bits is an error"),
    ("wire-any-value-twice", "the last member of a oneof wins, and lists append"),
    ("wire-group-content", "groups are skipped"),
    ("wire-group-last", "groups are skipped"),
    ("wire-group-nested", "the numbers of a group's tags must agree"),
    ("label-duplicate-many", "Go's sort of over twelve labels is not stable"),
    ("o11-target-explosion", "a cap"),
];

fn golden() -> Value {
    let packed = include_bytes!("../../golden/otlp/metrics.json.zst");
    serde_json::from_slice(&zstd::decode_all(&packed[..]).unwrap()).unwrap()
}

fn hex(value: &Value) -> Vec<u8> {
    let digits = value.as_str().unwrap().as_bytes();
    let digit = |digit: u8| u8::try_from(char::from(digit).to_digit(16).unwrap()).unwrap();
    digits.chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

fn settings(golden: &Value) -> Settings {
    let on = |key: &str| golden[key].as_bool().unwrap();
    let texts = |key: &str| -> Vec<String> {
        let list = golden[key].as_array().unwrap();
        list.iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let external = golden["external_labels"].as_object().unwrap();
    let promotion = if on("promote_all_resource_attributes") {
        Promotion::AllExcept(texts("ignore_resource_attributes"))
    } else {
        Promotion::List(texts("promote_resource_attributes"))
    };
    Settings::prometheus()
        .with_translation_strategy(
            golden["translation_strategy"].as_str().unwrap().parse().unwrap(),
        )
        .with_namespace(golden["namespace"].as_str().unwrap().to_owned())
        .with_external_labels(
            external
                .iter()
                .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
                .collect(),
        )
        .with_promotion(promotion)
        .with_keep_identifying_resource_attributes(on("keep_identifying_resource_attributes"))
        .with_promote_scope_metadata(on("promote_scope_metadata"))
        .with_type_and_unit_labels(on("type_and_unit_labels"))
        .with_convert_histograms_to_nhcb(on("convert_histograms_to_nhcb"))
        .with_label_name_underscore_sanitization(on("label_name_underscore_sanitization"))
        .with_label_name_preserve_multiple_underscores(on(
            "label_name_preserve_multiple_underscores",
        ))
        .with_allow_delta_temporality(on("allow_delta_temporality"))
        .with_start_timestamps(on("start_time"))
        .with_target_info(!on("disable_target_info"))
        .with_lookback_delta(Duration::from_millis(golden["lookback_delta_ms"].as_u64().unwrap()))
}

#[test]
fn every_golden_case() {
    let golden = golden();
    let (mut to_v2, mut symbolizer) = (
        ToV2::new().with_format(Format::MimirRecord),
        Symbolizer::new().with_format(Format::MimirRecord),
    );
    let (mut failed, mut compared) = (Vec::new(), 0);
    let (mut scratch, mut bytes);
    for case in golden["cases"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        if READ_OTHERWISE.iter().any(|(it, _)| *it == name) {
            continue;
        }
        scratch = JsonScratch::new();
        let body = &golden["bodies"][case["body"].as_str().unwrap()];
        let request = if case["encoding"] == "json" {
            let text = body.as_str().unwrap().as_bytes();
            ExportMetricsServiceRequest::decode_json(text, &mut scratch)
                .map_err(|it| it.to_string())
        } else {
            bytes = hex(body);
            ExportMetricsServiceRequest::decode(&bytes).map_err(|error| error.to_string())
        };
        // The Collector refuses JSON with null for a number, which real senders write.
        if case["decode_error"] == true && case["encoding"] == "json" {
            if let Err(error) = request {
                failed.push(format!("{name}: {error}"));
            }
            continue;
        }
        if case["decode_error"] == true {
            if request.is_ok() {
                failed.push(format!("{name}: decoded"));
            }
            continue;
        }
        let request = match request {
            Ok(request) => request,
            Err(error) => {
                failed.push(format!("{name}: {error}"));
                continue;
            }
        };
        let settings_name = case["settings"].as_str().unwrap();
        let mut translator = Translator::new(settings(&golden["settings"][settings_name]));
        let mut losses = Vec::new();
        let translated = translator.translate(&request, |loss| losses.push(loss));
        let written = translated.encode_to_vec().unwrap();
        assert_eq!(written.len(), translated.encoded_len(), "{name} {settings_name}");
        compared += 1;
        if losses.len() != usize::try_from(case["errors"].as_u64().unwrap()).unwrap() {
            failed
                .push(format!("{name} {settings_name}: {} errors, not {losses:?}", case["errors"]));
        }
        let expected = hex(&case["rw1"]);
        if written != expected {
            let (got, wanted) = (WriteRequest::decode(&written), WriteRequest::decode(&expected));
            let (got, wanted) = (got.unwrap(), wanted.unwrap());
            let text = |request: &WriteRequest<'_>| {
                let series = request.timeseries().iter().map(dump);
                let metadata = request.metadata();
                series.chain(metadata.iter().map(|entry| format!("{entry:?}"))).collect::<Vec<_>>()
            };
            let (got, wanted) = (text(&got), text(&wanted));
            let at = got.iter().zip(&wanted).position(|(got, wanted)| got != wanted);
            failed.push(format!(
                "{name} {settings_name}: {} of {} at {at:?}\n   got {:?}\nwanted {:?}",
                got.len(),
                wanted.len(),
                at.map(|at| &got[at]),
                at.map(|at| &wanted[at]),
            ));
            continue;
        }
        // A record without series is not written.
        if written.is_empty() || translated.is_empty() {
            continue;
        }
        let request = WriteRequest::decode(&written).unwrap();
        let options = EncodeOptions::new()
            .with_extensions(request.extensions())
            .with_created_timestamps(true);
        let converted = to_v2.convert_with(&request, options, |loss| {
            assert!(
                matches!(loss, Loss::MetadataWithoutName { .. } | Loss::EmptyMetadata { .. }),
                "{name}: {loss}"
            );
        });
        let record = converted.symbolize(&mut symbolizer).unwrap().encode_to_vec().unwrap();
        if record != hex(&case["rw2"]) {
            failed.push(format!("{name} {settings_name}: another record of version 2"));
        }
    }
    assert!(failed.is_empty(), "{} of {compared}:\n{}", failed.len(), failed.join("\n"));
    assert!(compared > 350);
}

/// A series as text, for failures.
fn dump(series: TimeSeries<'_, '_>) -> String {
    format!(
        "{:?} {:?} {:?} {:?} {}",
        series.labels(),
        series.samples(),
        series
            .exemplars()
            .iter()
            .map(|it| (it.labels(), it.value(), it.timestamp()))
            .collect::<Vec<_>>(),
        series.histograms().iter().collect::<Vec<_>>(),
        series.created_timestamp(),
    )
}

/// A request of one resource with `attributes` and one scope with `metrics`.
fn request(attributes: &[KeyValue<'_>], metrics: &[Metric<'_, '_>]) -> Vec<u8> {
    let scopes = [ScopeMetrics::new(InstrumentationScope::default(), Metrics::new(metrics))];
    let resource = Resource::new(Attributes::new(attributes));
    let resources = [ResourceMetrics::new(resource, ScopeMetricsList::new(&scopes))];
    ExportMetricsServiceRequestEncoder::new(resources).encode_to_vec().unwrap()
}

fn gauge<'s>(points: &'s [NumberDataPoint<'s, 's>]) -> Metric<'s, 's> {
    Metric::new("m", MetricData::Gauge(Gauge::new(NumberDataPoints::new(points))))
}

fn point(time_unix_nano: u64) -> NumberDataPoint<'static, 'static> {
    let mut point = NumberDataPoint::default();
    point.time_unix_nano = time_unix_nano;
    point
}

const NOW: u64 = 1_700_000_000_000_000_000;

#[test]
fn target_info_of_times_far_apart_is_cut() {
    let attributes = [KeyValue::new("service.name", "a"), KeyValue::new("k", "v")];
    let points = [point(0), point(NOW)];
    let body = request(&attributes, &[gauge(&points)]);
    let decoded = ExportMetricsServiceRequest::decode(&body).unwrap();
    for cap in [0, 1, 2, 1024] {
        let settings = Settings::prometheus().with_max_target_info_samples(cap);
        let mut translator = Translator::new(settings);
        let mut losses = Vec::new();
        let translated = translator.translate(&decoded, |loss| losses.push(loss));
        let written = translated.encode_to_vec().unwrap();
        let written = WriteRequest::decode(&written).unwrap();
        let samples = written.timeseries().get(1).unwrap().samples();
        // The last ones, the very last at the latest time.
        assert_eq!(samples.len(), cap.max(1));
        assert_eq!(samples.last().unwrap().timestamp, 1_700_000_000_000);
        assert_eq!(
            losses.iter().map(|loss| loss.kind).collect::<Vec<_>>(),
            [LossKind::TargetInfoTooLong]
        );
        assert_eq!((losses[0].resource, losses[0].scope, losses[0].points), (0, None, 0));
    }
}

/// What few bytes ask for is capped, by what comes out and by the work that leaves nothing there.
#[test]
fn output_is_capped_and_what_is_lost_is_counted() {
    const POINTS: usize = 30_000;
    let long = "v".repeat(2000);
    let attributes = [KeyValue::new("service.name", "a"), KeyValue::new("k", &*long)];
    let points = vec![point(NOW); POINTS];
    let body = request(&attributes, &[gauge(&points), gauge(&points)]);
    let decoded = ExportMetricsServiceRequest::decode(&body).unwrap();
    let promoted = Settings::prometheus().with_promotion(Promotion::AllExcept(Vec::new()));

    // The same labels: one series, whatever they weigh.
    let mut translator = Translator::new(promoted.clone());
    let translated = translator.translate(&decoded, |loss| panic!("{loss}"));
    assert_eq!((translated.timeseries_len(), translated.samples_len()), (2, 2 * POINTS + 1));

    // A series each, by an attribute of their own.
    let own: Vec<_> = (0_i64..).take(POINTS).map(|n| [KeyValue::new("n", n)]).collect();
    let own: Vec<_> = own
        .iter()
        .map(|attributes| {
            let mut point = point(NOW);
            point.attributes = Attributes::new(attributes);
            point
        })
        .collect();
    let body = request(&attributes, &[gauge(&own), gauge(&own)]);
    let decoded = ExportMetricsServiceRequest::decode(&body).unwrap();
    let settings = promoted.with_max_expansion(2).with_min_output(1 << 20);
    let cap = (body.len() * 2).max(1 << 20);
    let mut translator = Translator::new(settings);
    let mut losses = Vec::new();
    let translated = translator.translate(&decoded, |loss| losses.push(loss));
    assert!(translated.encoded_len() < cap + 3 * long.len());
    let [loss] = losses[..] else { panic!("{losses:?}") };
    assert_eq!((loss.kind, loss.metric), (LossKind::OutputTooLarge, Some(0)));
    assert_eq!(loss.points + translated.samples_len(), 2 * POINTS);
    assert_eq!(loss.point, Some(translated.samples_len()));
}

#[test]
fn many_labels_and_many_scopes_are_not_their_product() {
    const MANY: usize = 10_000;
    let keys: Vec<String> = (0..MANY).map(|n| format!("k{n}")).collect();
    let mut attributes: Vec<_> = keys.iter().map(|key| KeyValue::new(key, "")).collect();
    attributes.push(KeyValue::new("service.name", "a"));
    let points = [point(NOW)];
    let metrics = [gauge(&points)];
    let scopes =
        vec![ScopeMetrics::new(InstrumentationScope::default(), Metrics::new(&metrics)); MANY];
    let resource = Resource::new(Attributes::new(&attributes));
    let resources = [ResourceMetrics::new(resource, ScopeMetricsList::new(&scopes))];
    let body = ExportMetricsServiceRequestEncoder::new(resources).encode_to_vec().unwrap();
    let decoded = ExportMetricsServiceRequest::decode(&body).unwrap();
    let settings = Settings::prometheus()
        .with_promotion(Promotion::AllExcept(Vec::new()))
        .with_max_expansion(10)
        .with_min_output(0);
    let mut translator = Translator::new(settings);
    let mut losses = Vec::new();
    let translated = translator.translate(&decoded, |loss| losses.push(loss));
    assert_eq!(losses.len(), 1);
    assert_eq!(losses[0].kind, LossKind::OutputTooLarge);
    assert_eq!(losses[0].points + translated.samples_len(), MANY);
}

#[test]
fn a_value_that_is_too_long_ends_its_metric() {
    let bytes = [7; 100];
    let attributes = [KeyValue::new("b", &bytes[..])];
    let mut with_long = point(NOW);
    with_long.attributes = Attributes::new(&attributes);
    let points = [point(NOW), with_long, point(NOW)];
    let body = request(&[], &[gauge(&points), gauge(&points[..1])]);
    let decoded = ExportMetricsServiceRequest::decode(&body).unwrap();
    let mut translator = Translator::new(Settings::prometheus().with_max_value_bytes(99));
    let mut losses = Vec::new();
    let translated = translator.translate(&decoded, |loss| losses.push(loss));
    assert_eq!(translated.samples_len(), 2);
    let [loss] = losses[..] else { panic!("{losses:?}") };
    assert_eq!((loss.kind, loss.point, loss.points), (LossKind::ValueTooLong, Some(1), 2));
    assert_eq!(
        loss.to_string(),
        "resource 0, scope 0, metric 0, point 1: text of a value too long"
    );
}

#[test]
fn memory_of_a_large_request_does_not_stay() {
    let own: Vec<_> = (0_i64..).take(20_000).map(|n| [KeyValue::new("n", n)]).collect();
    let own: Vec<_> = own
        .iter()
        .map(|attributes| {
            let mut point = point(NOW);
            point.attributes = Attributes::new(attributes);
            point
        })
        .collect();
    let (large, small) = (request(&[], &[gauge(&own)]), request(&[], &[gauge(&own[..1])]));
    let large = ExportMetricsServiceRequest::decode(&large).unwrap();
    let small = ExportMetricsServiceRequest::decode(&small).unwrap();
    let settings = Settings::mimir().with_namespace("ns".into());
    let mut translator = Translator::new(settings.clone());
    assert_eq!(translator.translate(&large, |_| {}).timeseries_len(), 20_000);
    assert!(translator.capacity_bytes() > 2 << 20);
    // The first of these finds the large one's use.
    for _ in 0..18 {
        assert_eq!(translator.translate(&small, |_| {}).timeseries_len(), 1);
    }
    assert!(translator.capacity_bytes() < 64 << 10, "{}", translator.capacity_bytes());
    assert_eq!(*translator.settings(), settings);
}

/// Nothing of one request is in the next, whatever was in it.
#[test]
fn a_translator_forgets() {
    let golden = golden();
    let settings = settings(&golden["settings"]["full"]);
    let mut used = Translator::new(settings.clone());
    let cases = golden["cases"].as_array().unwrap();
    let cases = cases.iter().filter(|case| {
        case["encoding"] == "protobuf"
            && (case["settings"] == "full" || case["settings"] == "default")
    });
    for case in cases {
        let body = hex(&golden["bodies"][case["body"].as_str().unwrap()]);
        let Ok(request) = ExportMetricsServiceRequest::decode(&body) else { continue };
        let mut fresh = Translator::new(settings.clone());
        let expected = fresh.translate(&request, |_| {}).encode_to_vec().unwrap();
        let found = used.translate(&request, |_| {}).encode_to_vec().unwrap();
        assert!(found == expected, "{}", case["name"]);
    }
}
