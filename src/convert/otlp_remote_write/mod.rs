//! OTLP metrics as remote write, byte for byte as Mimir makes it of them.
//!
//! A [`Translator`] walks over a decoded request and gives the request of remote write 1.0 that it
//! is, ready to be written: labels are kept as they go on the wire. What is behind that, such as 2.0,
//! records of Kafka, splitting and tokens, takes the written bytes as it takes those of any sender.
//!
//! ```
//! use borrowire::Encode;
//! use borrowire::convert::otlp_remote_write::{Settings, Translator};
//! use borrowire::convert::remote_write::ToV2;
//! use borrowire::otlp::metrics::ExportMetricsServiceRequest;
//! use borrowire::remote_write::{v1::WriteRequest, v2::Symbolizer};
//!
//! // once; all of it is used again
//! let mut translator = Translator::new(Settings::mimir());
//! let (mut to_v2, mut symbolizer) = (ToV2::new(), Symbolizer::new());
//! let (mut old, mut new) = (vec![0; 4096], vec![0; 4096]);
//!
//! # use borrowire::otlp::{AnyValue, Attributes, InstrumentationScope, KeyValue, Resource, metrics::*};
//! # let attributes = [KeyValue::new("service.name", "shop")];
//! # let mut point = NumberDataPoint::default();
//! # (point.value, point.time_unix_nano) = (Some(NumberValue::Int(7)), 1_700_000_000_000_000_000);
//! # let points = [point];
//! # let gauge = MetricData::Gauge(Gauge::new(NumberDataPoints::new(&points)));
//! # let metrics = [Metric::new("queue.length", gauge)];
//! # let scopes = [ScopeMetrics::new(InstrumentationScope::default(), Metrics::new(&metrics))];
//! # let resource = Resource::new(Attributes::new(&attributes));
//! # let resources = [ResourceMetrics::new(resource, ScopeMetricsList::new(&scopes))];
//! # let body = ExportMetricsServiceRequestEncoder::new(resources).encode_to_vec()?;
//! let request = ExportMetricsServiceRequest::decode(&body)?;
//! let translated = translator.translate(&request, |loss| eprintln!("{loss}"));
//! let len = translated.encode(&mut old)?; // remote write 1.0
//!
//! let written = WriteRequest::decode(&old[..len])?;
//! assert_eq!(written.timeseries().get(0).unwrap().metric_name(), Some("queue_length"));
//! let converted = to_v2.convert(&written, |loss| eprintln!("{loss}"));
//! let len = converted.symbolize(&mut symbolizer)?.encode(&mut new)?; // remote write 2.0
//! # assert!(len > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What becomes of what
//!
//! | OTLP | series |
//! |---|---|
//! | gauge, sum | one sample; of sums also the exemplars |
//! | histogram | `_sum` if there is one, `_count`, `_bucket` for each bound (label `le`) and `+Inf` |
//! | histogram, [by setting][nhcb] | a native histogram with bounds of its own |
//! | exponential histogram | a native histogram, of scale 8 at most |
//! | summary | `_sum`, `_count`, and one for each quantile (label `quantile`) |
//! | resource | labels `job` and `instance`, [promoted][promotion] attributes, and `target_info` |
//! | scope | [by setting][scope] labels `otel_scope_...` |
//! | point without a recorded value | the stale marker |
//! | name, unit, kind | the series' name, by the [`TranslationStrategy`]; type, help, unit: metadata |
//!
//! Points of equal labels go to one series, in the order in which the series came up first. Times are
//! milliseconds, cut towards zero.
//!
//! # What is left out
//!
//! Each thing that does not become series is reported as a [`Loss`] with its place, and the rest goes
//! on; [`Loss::points`] add up to what a partial success reports. What can be asked for with few bytes
//! has caps in the [`Settings`]: the bytes that come out, the samples of `target_info`, the text of a
//! value.
//!
//! # Where it differs
//!
//! - Text that is not UTF-8, and what protobuf reads otherwise than the Collector, is decided when the
//!   request is decoded.
//! - Of over twelve attributes with a key several times, Go's order is by chance; here it is theirs.
//! - Suffixes are cut off names by whole characters.
//!
//! Sources: Prometheus (storage/remote/otlptranslator), Mimir (pkg/distributor/otlpappender), and
//! what they gave for the cases in tests/golden.
//!
//! [nhcb]: Settings::convert_histograms_to_nhcb
//! [promotion]: Settings::promotion
//! [scope]: Settings::promote_scope_metadata

mod append;
mod buckets;
mod labels;
mod loss;
mod name;
mod name_cache;
mod points;
mod scratch;
mod settings;
mod times;
mod translated;
mod translator;
mod walk;

pub use loss::{Loss, LossKind};
pub use name::{TranslationStrategy, UnknownStrategy};
pub use settings::{Promotion, Settings};
pub use translated::Translated;
pub use translator::Translator;
