//! A data point of whichever kind, for code that treats all kinds alike.

use super::exponential_histogram_data_point::ExponentialHistogramDataPoint;
use super::histogram_data_point::HistogramDataPoint;
use super::metric::{Metric, MetricData};
use super::number_data_point::NumberDataPoint;
use super::resource_metrics::ResourceMetrics;
use super::scope_metrics::ScopeMetrics;
use super::summary_data_point::SummaryDataPoint;
use crate::otlp::common::Attributes;

/// A data point of whichever kind.
///
/// ```
/// use borrowire::otlp::metrics::{DataPoint, NumberDataPoint};
///
/// let point = DataPoint::Number(NumberDataPoint::default());
/// assert!(point.attributes().is_empty());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DataPoint<'s, 'a> {
    /// Of a gauge or a sum.
    Number(NumberDataPoint<'s, 'a>),
    /// Of a histogram.
    Histogram(HistogramDataPoint<'s, 'a>),
    /// Of an exponential histogram.
    ExponentialHistogram(ExponentialHistogramDataPoint<'s, 'a>),
    /// Of a summary.
    Summary(SummaryDataPoint<'s, 'a>),
}

impl<'s, 'a> DataPoint<'s, 'a> {
    /// What tells the point from the others of its metric.
    #[must_use]
    pub const fn attributes(&self) -> Attributes<'s, 'a> {
        match self {
            Self::Number(point) => point.attributes,
            Self::Histogram(point) => point.attributes,
            Self::ExponentialHistogram(point) => point.attributes,
            Self::Summary(point) => point.attributes,
        }
    }

    /// Since when values are counted, in nanoseconds since the Unix epoch; 0 if that is not known.
    #[must_use]
    pub const fn start_time_unix_nano(&self) -> u64 {
        match self {
            Self::Number(point) => point.start_time_unix_nano,
            Self::Histogram(point) => point.start_time_unix_nano,
            Self::ExponentialHistogram(point) => point.start_time_unix_nano,
            Self::Summary(point) => point.start_time_unix_nano,
        }
    }

    /// When the value was, in nanoseconds since the Unix epoch.
    #[must_use]
    pub const fn time_unix_nano(&self) -> u64 {
        match self {
            Self::Number(point) => point.time_unix_nano,
            Self::Histogram(point) => point.time_unix_nano,
            Self::ExponentialHistogram(point) => point.time_unix_nano,
            Self::Summary(point) => point.time_unix_nano,
        }
    }

    /// Bit 0: there is no value.
    #[must_use]
    pub const fn flags(&self) -> u32 {
        match self {
            Self::Number(point) => point.flags,
            Self::Histogram(point) => point.flags,
            Self::ExponentialHistogram(point) => point.flags,
            Self::Summary(point) => point.flags,
        }
    }
}

/// The points of a metric, of whichever kind.
///
/// ```
/// use borrowire::otlp::metrics::{DataPoint, Gauge, MetricData, NumberDataPoint, NumberDataPoints};
///
/// let points = [NumberDataPoint::default()];
/// let data = MetricData::Gauge(Gauge::new(NumberDataPoints::new(&points)));
/// assert_eq!(data.data_points().get(0), Some(DataPoint::Number(points[0])));
/// ```
#[derive(Clone, Copy)]
pub struct DataPoints<'s, 'a>(MetricData<'s, 'a>);

impl<'s, 'a> DataPoints<'s, 'a> {
    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.data_points_len()
    }

    /// The one at `index`, in wire order.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<DataPoint<'s, 'a>> {
        match self.0 {
            MetricData::Gauge(gauge) => gauge.data_points.get(index).map(DataPoint::Number),
            MetricData::Sum(sum) => sum.data_points.get(index).map(DataPoint::Number),
            MetricData::Histogram(histogram) => {
                histogram.data_points.get(index).map(DataPoint::Histogram)
            }
            MetricData::ExponentialHistogram(histogram) => {
                histogram.data_points.get(index).map(DataPoint::ExponentialHistogram)
            }
            MetricData::Summary(summary) => summary.data_points.get(index).map(DataPoint::Summary),
        }
    }
}

crate::message::list::impl_list! {
    /// Iterates over [`DataPoints`].
    DataPoints, DataPointsIter, ['s, 'a], DataPoint<'s, 'a>
}

impl<'s, 'a> MetricData<'s, 'a> {
    /// The points, of whichever kind.
    #[must_use]
    pub const fn data_points(self) -> DataPoints<'s, 'a> {
        DataPoints(self)
    }
}

/// A data point with all that is around it.
///
/// ```
/// use borrowire::otlp::metrics::ExportMetricsServiceRequest;
///
/// let request = ExportMetricsServiceRequest::default();
/// for item in request.items() {
///     println!("{} {:?}", item.metric.name, item.data_point.attributes().value("http.route"));
/// }
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct DataPointItem<'s, 'a> {
    /// The resource.
    pub resource_metrics: ResourceMetrics<'s, 'a>,
    /// The scope.
    pub scope_metrics: ScopeMetrics<'s, 'a>,
    /// The metric.
    pub metric: Metric<'s, 'a>,
    /// The point.
    pub data_point: DataPoint<'s, 'a>,
}

impl<'s, 'a> ResourceMetrics<'s, 'a> {
    /// All points, each with all that is around it, in wire order.
    pub fn items(self) -> impl Iterator<Item = DataPointItem<'s, 'a>> {
        self.scope_metrics.iter().flat_map(move |scope_metrics| {
            scope_metrics.metrics.iter().flat_map(move |metric| {
                let points = metric.data.into_iter().flat_map(MetricData::data_points);
                points.map(move |data_point| DataPointItem {
                    resource_metrics: self,
                    scope_metrics,
                    metric,
                    data_point,
                })
            })
        })
    }
}
