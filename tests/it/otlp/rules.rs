//! What `validate` finds, one thing at a time.

use borrowire::otlp::logs::ExportLogsServiceRequest;
use borrowire::otlp::metrics::ExportMetricsServiceRequest;
use borrowire::otlp::{Rule, Rules};

use crate::support::bytes::Bytes;
use crate::support::fixtures;

fn request(resource: Bytes, children: &[Bytes]) -> Vec<u8> {
    let scope = children.iter().fold(Bytes::new(), |scope, child| scope.len(2, child));
    Bytes::new().len(1, Bytes::new().len(1, resource).len(2, scope)).build()
}

fn key(key: &str) -> Bytes {
    Bytes::new().len(1, key).len(2, Bytes::new().len(1, "v"))
}

fn fixed(field: u32, value: u64) -> Bytes {
    Bytes::new().tag(field, 1).raw(value.to_le_bytes())
}

fn in_metrics(body: &[u8], rules: &Rules) -> Vec<(Rule, String)> {
    let request = ExportMetricsServiceRequest::decode(body).unwrap();
    let mut found = Vec::new();
    request.validate(rules, |violation| found.push((violation.kind.rule, violation.to_string())));
    found
}

fn in_logs(body: &[u8], rules: &Rules) -> Vec<(Rule, String)> {
    let request = ExportLogsServiceRequest::decode(body).unwrap();
    let mut found = Vec::new();
    request.validate(rules, |violation| found.push((violation.kind.rule, violation.to_string())));
    found
}

#[test]
fn log_records() {
    let good = fixed(1, 1_700_000_000_000_000_000).varint(2, 9).len(6, key("a")).len(6, key("b"));
    let resource = Bytes::new().len(1, key("a"));
    assert_eq!(in_logs(&request(resource, std::slice::from_ref(&good)), &Rules::new()), []);
    let resource = Bytes::new().len(1, key("a")).len(1, key("b")).len(1, key("a"));
    let bad = [
        good.clone().len(6, key("a")),
        good.clone().len(6, key("")),
        good.clone().len(9, [0; 16]),
        good.clone().len(10, [0; 8]),
        good.clone().varint(2, 25),
        Bytes::new(),
        fixed(11, 5),
        good,
    ];
    let found = in_logs(&request(resource, &bad), &Rules::new());
    let texts: Vec<&str> = found.iter().map(|(_, text)| &**text).collect();
    assert_eq!(
        texts,
        [
            "resource 0: duplicate attribute key (attribute 2)",
            "resource 0: duplicate attribute key (scope 0, log record 0, attribute 2)",
            "resource 0: empty attribute key (scope 0, log record 1, attribute 2)",
            "resource 0: id of zeros (scope 0, log record 2)",
            "resource 0: id of zeros (scope 0, log record 3)",
            "resource 0: unknown severity (scope 0, log record 4)",
            "resource 0: missing time (scope 0, log record 5)",
        ]
    );
}

/// The rules that a metric with one point breaks.
fn broken(metric: Bytes) -> Vec<Rule> {
    let found = in_metrics(&request(Bytes::new(), &[metric]), &Rules::new());
    found.into_iter().map(|(rule, _)| rule).collect()
}

#[test]
fn metrics() {
    let name = || Bytes::new().len(1, "name");
    let times = || fixed(2, 5).raw(fixed(3, 7));
    let cumulative = || Bytes::new().varint(2, 2);
    let point = |point: Bytes| Bytes::new().len(1, point);
    assert_eq!(broken(name()), [Rule::MissingData]);
    assert_eq!(broken(Bytes::new().len(5, "")), [Rule::EmptyMetricName]);
    assert_eq!(broken(name().len(7, "")), [Rule::UnspecifiedTemporality]);
    assert_eq!(broken(name().len(9, Bytes::new().varint(2, 3))), [Rule::UnspecifiedTemporality]);
    assert_eq!(broken(name().len(5, point(times().double(4, 0.0)))), []);
    assert_eq!(broken(name().len(5, point(times()))), [Rule::MissingValue]);
    assert_eq!(broken(name().len(5, point(times().varint(8, 1)))), []);
    assert_eq!(broken(name().len(5, point(Bytes::new().double(4, 1.0)))), [Rule::MissingTime]);
    let late = fixed(2, 8).raw(fixed(3, 7)).double(4, 1.0);
    assert_eq!(broken(name().len(5, point(late))), [Rule::StartAfterTime]);
    let exemplar = Bytes::new().len(5, [0; 16]).len(7, key(""));
    let with_exemplar = times().double(4, 1.0).len(5, exemplar);
    assert_eq!(
        broken(name().len(5, point(with_exemplar))),
        [Rule::ExemplarWithoutValue, Rule::ZeroId, Rule::EmptyKey]
    );
    let histogram = |count, counts: &[u64], bounds: &[f64]| {
        let packed: Vec<u8> = counts.iter().flat_map(|count| count.to_le_bytes()).collect();
        let content = times().raw(fixed(4, count)).len(6, packed).packed_doubles(7, bounds);
        broken(name().len(9, point(content).raw(cumulative())))
    };
    assert_eq!(histogram(3, &[1, 2], &[0.5]), []);
    assert_eq!(histogram(3, &[], &[]), []);
    assert_eq!(histogram(3, &[3], &[]), []);
    assert_eq!(histogram(3, &[1, 2], &[]), [Rule::BucketsAndBounds]);
    assert_eq!(histogram(4, &[1, 2], &[0.5]), [Rule::CountAndBuckets]);
    assert_eq!(histogram(3, &[1, 2, 0], &[0.5, 0.5]), [Rule::NotAscending]);
    assert_eq!(histogram(3, &[1, 2], &[f64::NAN]), [Rule::NotAscending]);
    let exponential = |count| {
        let buckets = Bytes::new().len(2, [1, 2]);
        let content = times().raw(fixed(4, count)).raw(fixed(7, 1)).len(8, buckets);
        broken(name().len(10, point(content).raw(cumulative())))
    };
    assert_eq!(exponential(4), []);
    assert_eq!(exponential(5), [Rule::CountAndBuckets]);
    let summary = |quantiles: &[f64]| {
        let content = quantiles
            .iter()
            .fold(times(), |content, &quantile| content.len(6, Bytes::new().double(1, quantile)));
        broken(name().len(11, point(content)))
    };
    assert_eq!(summary(&[0.0, 0.5, 1.0]), []);
    assert_eq!(summary(&[0.5, 0.5]), [Rule::NotAscending]);
    assert_eq!(summary(&[1.5]), [Rule::NotAscending]);
    assert_eq!(summary(&[f64::NAN]), [Rule::NotAscending]);
}

#[test]
fn rules_are_chosen() {
    let body = request(Bytes::new().len(1, key("")), &[fixed(1, 50)]);
    let rules = |rules: Rules| -> Vec<Rule> {
        in_logs(&body, &rules).into_iter().map(|(rule, _)| rule).collect()
    };
    assert_eq!(rules(Rules::new()), [Rule::EmptyKey]);
    assert_eq!(rules(Rules::new().without(Rule::EmptyKey)), []);
    assert_eq!(rules(Rules::new().with_times(51, 60)), [Rule::EmptyKey, Rule::TimeOutOfRange]);
    assert_eq!(
        rules(Rules::only(&[Rule::TimeOutOfRange]).with_times(40, 49)),
        [Rule::TimeOutOfRange]
    );
    for rule in Rule::ALL {
        assert!(Rules::only(&[*rule]).has(*rule) && !Rules::new().without(*rule).has(*rule));
    }
}

/// Real exporters break few rules, but some do: Fluent Bit's histograms do not say what time they stand
/// for, and their counts add up from bucket to bucket.
#[test]
fn what_clients_sent() {
    let mut found = Vec::new();
    for fixture in fixtures::of("otlp-logs") {
        found.extend(in_logs(&fixture.body, &Rules::new()).into_iter().map(|it| it.0));
    }
    for fixture in fixtures::of("otlp-metrics") {
        let broken = in_metrics(&fixture.body, &Rules::new()).into_iter().map(|it| it.0);
        let broken: Vec<Rule> = broken.collect();
        let is_odd = broken.contains(&Rule::UnspecifiedTemporality);
        assert!(!is_odd || fixture.client.starts_with("Fluent Bit"), "{}", fixture.name);
        found.extend(broken);
    }
    found.sort_unstable();
    found.dedup();
    let known = [Rule::MissingTime, Rule::UnspecifiedTemporality, Rule::CountAndBuckets];
    assert_eq!(found, known);
}
