//! OTLP metrics and logs.

use borrowire::otlp::logs::ExportLogsServiceRequest;
use borrowire::otlp::metrics::ExportMetricsServiceRequest;
use borrowire::otlp::{AnyValue, Attributes, DecodeOptions, ItemSplitter, Rules};
use borrowire::proto::opentelemetry::proto::collector::logs::v1 as logs;
use borrowire::proto::opentelemetry::proto::collector::metrics::v1 as metrics;
use borrowire::{DecodeError, DecodeErrorKind, Encode, Limits};
use prost::Message;

use super::prost::Kind;
use super::{Request, Subject, check_text};

pub struct OtlpMetrics;
pub struct OtlpLogs;

/// Whether field 1000 may be there, which prost does not know and this crate reads.
fn may_have_former_scopes(body: &[u8]) -> bool {
    body.windows(2).any(|tag| tag == [0xc2, 0x3e])
}

fn check_attributes(body: &[u8], attributes: Attributes<'_, '_>) {
    assert_eq!(attributes.iter().len(), attributes.len());
    for (i, attribute) in attributes.iter().enumerate() {
        assert_eq!(attributes.key(i), Some(attribute.key));
        let first = attributes.value(attribute.key);
        assert!(first.is_some() || attributes.iter().any(|it| it.value.is_none()));
        check_text(body, attribute.key);
        if let Some(value) = attribute.value {
            check_value(body, value);
        }
    }
    assert_eq!(attributes.get(attributes.len()), None);
}

fn check_value(body: &[u8], value: AnyValue<'_>) {
    match value {
        AnyValue::String(text) => check_text(body, text),
        AnyValue::Bytes(bytes) => check_text(body, bytes),
        AnyValue::Array(array) => array.iter().for_each(|value| check_value(body, value)),
        AnyValue::KvList(list) => {
            for pair in list {
                check_text(body, pair.key);
                pair.value.into_iter().for_each(|value| check_value(body, value));
            }
        }
        _ => {}
    }
}

/// The parts of a request that is split have all its items.
macro_rules! check_split {
    ($request:expr, $type:ident, $len:ident) => {
        for max_bytes in [usize::MAX, 200] {
            let mut splitter = ItemSplitter::new().with_max_bytes(max_bytes);
            let split = splitter.split_by_position($request, |at| at as u32 % 3);
            let mut items = split.oversized().len();
            for (_, part) in split.parts() {
                let bytes = part.encode_to_vec().expect("a part is not too large");
                assert_eq!(bytes.len(), part.encoded_len());
                assert!(bytes.len() <= max_bytes);
                let part_request = $type::decode(&bytes).expect("a part is a request");
                assert_eq!(part_request.$len(), part.items_len());
                items += part.items_len();
            }
            assert_eq!(items, $request.$len());
        }
    };
}

macro_rules! impl_subject {
    ($subject:ident, $type:ident, $generated:ty, $list:ident, $raw:ident, $len:ident, $rejected:ident) => {
        impl Subject for $subject {
            type Family = $type<'static>;
            type Generated = $generated;
            type Scratch = ();

            const MESSAGE: Kind = Kind::Otlp;

            fn with_limits(options: DecodeOptions, limits: Limits) -> DecodeOptions {
                options.with_limits(limits)
            }

            fn with_partial(options: DecodeOptions, partial: bool) -> DecodeOptions {
                options.with_partial(partial)
            }

            fn raws<'r>(request: &'r $type<'_>) -> Vec<Option<&'r [u8]>> {
                (0..request.$list().len()).map(|at| request.$raw(at)).collect()
            }

            fn assert_same_content(a: &$type<'_>, b: &$type<'_>) {
                assert!(a.$list() == b.$list());
                assert_eq!(a.$len(), b.$len());
            }

            fn check_views(body: &[u8], request: &$type<'_>) {
                let items = request.items().map(|item| Self::check_item(body, item)).count();
                assert_eq!(items, request.$len());
                assert!(request.$rejected() == 0 || !request.skipped().is_empty());
                request.validate(&Rules::new(), |violation| {
                    assert!(!violation.to_string().is_empty());
                });
                check_split!(request, $type, $len);
                for i in 0..request.$list().len() {
                    let raw = request.$raw(i).expect("a decoded record has its bytes");
                    let partial = DecodeOptions::new().with_partial(true);
                    let alone = $type::decode_with(raw, &partial).expect("raw bytes are a request");
                    assert!(alone.$list().get(0) == request.$list().get(i));
                }
            }

            fn is_of_content(kind: DecodeErrorKind) -> bool {
                matches!(kind, DecodeErrorKind::InvalidUtf8 | DecodeErrorKind::InvalidId)
            }

            /// What is left out can be larger than where the first fault is.
            fn check_partial(
                _: &[u8],
                strict: &DecodeError,
                partial: Result<&Request<'_, Self>, &DecodeError>,
            ) {
                match partial {
                    Ok(partial) => {
                        assert!(Self::is_of_content(strict.kind()), "{strict}");
                        assert!(!partial.skipped().is_empty());
                    }
                    Err(partial) => assert!(!Self::is_of_content(partial.kind()), "{partial}"),
                }
            }

            fn encode<T>(
                request: &$type<'_>,
                (): &mut (),
                with: impl FnOnce(&dyn Encode) -> T,
            ) -> T {
                with(request)
            }

            /// By the bytes that prost writes, which are the same for every NaN that is the same.
            fn assert_same_as_prost(ours: &$type<'_>, theirs: &$generated) {
                if !may_have_former_scopes(ours.body()) {
                    let ours = <$generated>::from(ours);
                    assert!(ours.encode_to_vec() == theirs.encode_to_vec(), "{ours:?}\n{theirs:?}");
                }
            }

            /// The buffer is given up: only tests of a few requests do this.
            fn from_prost(generated: &$generated) -> $type<'_> {
                let buffer = Box::leak(Box::new(Vec::new()));
                $type::from_prost(generated, buffer).expect("ids are right")
            }

            fn check_conversions(_: &$type<'_>, theirs: &$generated) {
                let mut buffer = Vec::new();
                match $type::from_prost(theirs, &mut buffer) {
                    Ok(converted) => Self::assert_same_as_prost(&converted, theirs),
                    Err(error) => assert_eq!(error.kind(), DecodeErrorKind::InvalidId),
                }
            }

            fn is_refused_alone(body: &[u8], ours: &DecodeError, _: &$generated) -> bool {
                may_have_former_scopes(body)
                    || ours.kind() == DecodeErrorKind::InvalidId
                    || ours.kind() == DecodeErrorKind::InvalidTag
                        && super::prost::is_long_tag(&body[ours.offset()..])
            }
        }
    };
}

impl_subject!(
    OtlpMetrics,
    ExportMetricsServiceRequest,
    metrics::ExportMetricsServiceRequest,
    resource_metrics,
    raw_resource_metrics,
    data_points_len,
    rejected_data_points
);
impl_subject!(
    OtlpLogs,
    ExportLogsServiceRequest,
    logs::ExportLogsServiceRequest,
    resource_logs,
    raw_resource_logs,
    log_records_len,
    rejected_log_records
);

impl OtlpMetrics {
    fn check_item(body: &[u8], item: borrowire::otlp::metrics::DataPointItem<'_, '_>) {
        let resource = item.resource_metrics.resource.unwrap_or_default();
        check_attributes(body, resource.attributes);
        assert!(resource.entity_refs.iter().all(|entity| entity.id_keys.iter().count() < 1 << 30));
        check_attributes(body, item.scope_metrics.scope.unwrap_or_default().attributes);
        for text in [item.metric.name, item.metric.description, item.metric.unit] {
            check_text(body, text);
        }
        check_attributes(body, item.metric.metadata);
        check_attributes(body, item.data_point.attributes());
    }
}

impl OtlpLogs {
    fn check_item(body: &[u8], item: borrowire::otlp::logs::LogRecordItem<'_, '_>) {
        check_attributes(body, item.resource_logs.resource.unwrap_or_default().attributes);
        check_attributes(body, item.scope_logs.scope.unwrap_or_default().attributes);
        let record = item.log_record;
        check_text(body, record.severity_text);
        check_text(body, record.event_name);
        record.body.into_iter().for_each(|value| check_value(body, value));
        check_attributes(body, record.attributes);
    }
}
