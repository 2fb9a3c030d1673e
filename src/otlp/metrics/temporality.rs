//! `AggregationTemporality`: what time the values of points stand for.

/// Whether values count from the last report, or from a fixed start. Any number is kept.
///
/// ```
/// use borrowire::otlp::metrics::AggregationTemporality;
///
/// let cumulative = AggregationTemporality::CUMULATIVE;
/// assert_eq!(cumulative.name(), Some("AGGREGATION_TEMPORALITY_CUMULATIVE"));
/// assert_eq!(AggregationTemporality(77).name(), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AggregationTemporality(pub i32);

/// Names of the schema, by number.
const NAMES: [&str; 3] = [
    "AGGREGATION_TEMPORALITY_UNSPECIFIED",
    "AGGREGATION_TEMPORALITY_DELTA",
    "AGGREGATION_TEMPORALITY_CUMULATIVE",
];

impl AggregationTemporality {
    /// Not said, which must not be.
    pub const UNSPECIFIED: Self = Self(0);
    /// Since the last report.
    pub const DELTA: Self = Self(1);
    /// Since a fixed start.
    pub const CUMULATIVE: Self = Self(2);

    /// The name in the schema; `None` for a number that has none.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        NAMES.get(usize::try_from(self.0).ok()?).copied()
    }

    /// The number of a name in the schema.
    ///
    /// ```
    /// use borrowire::otlp::metrics::AggregationTemporality;
    ///
    /// let delta = AggregationTemporality::from_name("AGGREGATION_TEMPORALITY_DELTA");
    /// assert_eq!(delta, Some(AggregationTemporality::DELTA));
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let position = NAMES.iter().position(|&known| known == name)?;
        i32::try_from(position).ok().map(Self)
    }
}
