//! Metrics: `ExportMetricsServiceRequest`.
//!
//! ```text
//! ExportMetricsServiceRequest  1 resource_metrics*
//! ResourceMetrics              1 resource        2 scope_metrics*  3 schema_url
//! ScopeMetrics                 1 scope           2 metrics*        3 schema_url
//! Metric                       name, description, unit, metadata*, and one of:
//!   Gauge, Sum                 data points of numbers
//!   Histogram                  of counts between given bounds
//!   ExponentialHistogram       of counts in buckets of growing width
//!   Summary                    of quantiles
//! ```
//!
//! Source: opentelemetry-proto, `opentelemetry/proto/metrics/v1/metrics.proto`.

mod data_point;
mod exemplar;
mod exponential_histogram_data_point;
mod histogram_data_point;
mod metric;
mod number_data_point;
mod request;
mod resource_metrics;
mod scope_metrics;
mod storage;
mod summary_data_point;
mod temporality;
mod value_at_quantile;

pub use data_point::{DataPoint, DataPointItem, DataPoints, DataPointsIter};
pub use exemplar::{Exemplar, Exemplars, ExemplarsIter, NumberValue};
pub use exponential_histogram_data_point::{
    Buckets, ExponentialHistogramDataPoint, ExponentialHistogramDataPoints,
    ExponentialHistogramDataPointsIter,
};
pub use histogram_data_point::{HistogramDataPoint, HistogramDataPoints, HistogramDataPointsIter};
pub use metric::{
    ExponentialHistogram, Gauge, Histogram, Metric, MetricData, Metrics, MetricsIter, Sum, Summary,
};
pub(in crate::otlp) use metric::{is_data, is_data_point};
pub use number_data_point::{NumberDataPoint, NumberDataPoints, NumberDataPointsIter};
pub use request::{ExportMetricsServiceRequest, ExportMetricsServiceRequestEncoder};
pub use resource_metrics::{
    ResourceMetrics, ResourceMetricsList, ResourceMetricsListIter, ScopeMetricsList,
    ScopeMetricsListIter,
};
pub use scope_metrics::ScopeMetrics;
pub use summary_data_point::{SummaryDataPoint, SummaryDataPoints, SummaryDataPointsIter};
pub use temporality::AggregationTemporality;
pub use value_at_quantile::ValueAtQuantile;
