//! What a metric means.

/// The type of a metric family. An open enum: numbers without a name here are kept.
///
/// ```
/// use borrowire::remote_write::MetricType;
///
/// assert_eq!(MetricType::COUNTER, MetricType(1));
/// assert_eq!(MetricType::default(), MetricType::UNKNOWN);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MetricType(pub i32);

impl MetricType {
    /// 0: not known.
    pub const UNKNOWN: Self = Self(0);
    /// 1: only goes up.
    pub const COUNTER: Self = Self(1);
    /// 2: goes up and down.
    pub const GAUGE: Self = Self(2);
    /// 3: buckets that only go up.
    pub const HISTOGRAM: Self = Self(3);
    /// 4: buckets that go up and down.
    pub const GAUGEHISTOGRAM: Self = Self(4);
    /// 5: quantiles.
    pub const SUMMARY: Self = Self(5);
    /// 6: constant 1, with labels that inform.
    pub const INFO: Self = Self(6);
    /// 7: a set of booleans.
    pub const STATESET: Self = Self(7);
}

/// Type, help and unit of a metric, as a series of remote write 2.0 carries them.
///
/// ```
/// use borrowire::remote_write::{Metadata, MetricType};
///
/// let metadata = Metadata::new(MetricType::COUNTER).with_help("Requests.");
/// assert_eq!((metadata.help, metadata.unit), ("Requests.", ""));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Metadata<'a> {
    /// The metric's type.
    pub metric_type: MetricType,
    /// What the metric tells, for people.
    pub help: &'a str,
    /// The unit, such as `seconds`.
    pub unit: &'a str,
}

impl<'a> Metadata<'a> {
    /// Metadata of type `metric_type`, without help and unit.
    #[must_use]
    pub const fn new(metric_type: MetricType) -> Self {
        Self { metric_type, help: "", unit: "" }
    }

    /// Sets [`help`](Self::help).
    #[must_use]
    pub const fn with_help(mut self, help: &'a str) -> Self {
        self.help = help;
        self
    }

    /// Sets [`unit`](Self::unit).
    #[must_use]
    pub const fn with_unit(mut self, unit: &'a str) -> Self {
        self.unit = unit;
        self
    }
}

/// Type and references of a series' metadata, as remote write 2.0 has them on the wire.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v2::{Request, Symbolizer};
/// use borrowire::remote_write::{Metadata, MetricType, TimeSeries};
///
/// let metadata = Metadata::new(MetricType::COUNTER).with_help("Requests.");
/// let series = [TimeSeries::new(&[]).with_metadata(metadata)];
/// let body = Symbolizer::new().symbolize(series)?.encode_to_vec()?;
/// let request = Request::decode(&body)?;
/// let refs = request.refs(0).unwrap().metadata().unwrap();
/// assert_eq!((refs.metric_type, refs.unit_ref), (MetricType::COUNTER, 0));
/// assert_eq!(request.symbols().get(refs.help_ref), Some("Requests."));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct MetadataRefs {
    /// The metric's type.
    pub metric_type: MetricType,
    /// The symbol that is its help; 0 is unset.
    pub help_ref: u32,
    /// The symbol that is its unit; 0 is unset.
    pub unit_ref: u32,
}
