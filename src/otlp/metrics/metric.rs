//! `Metric`: a name, and points of one kind.
//!
//! ```text
//! Metric     1 name  string         5 gauge                  Gauge                |
//!            2 description  string  7 sum                    Sum                  |
//!            3 unit  string         9 histogram              Histogram            | oneof data
//!           12 metadata  repeated   10 exponential_histogram ExponentialHistogram |
//!              KeyValue             11 summary               Summary              |
//!            4, 6, 8 reserved
//! Gauge      1 data_points*
//! Sum        1 data_points*  2 aggregation_temporality  enum  3 is_monotonic  bool
//! Histogram  1 data_points*  2 aggregation_temporality  enum
//! ExponentialHistogram       the same
//! Summary    1 data_points*
//! ```
//!
//! The last member of `data` on the wire counts; the same one in several pieces is merged.

use super::exponential_histogram_data_point::ExponentialHistogramDataPoints;
use super::histogram_data_point::HistogramDataPoints;
use super::number_data_point::NumberDataPoints;
use super::storage::{
    HAS_DESCRIPTION, HAS_NAME, HAS_UNIT, IS_MONOTONIC_SUM, Kind, Mark, MetricRow, Storage,
};
use super::summary_data_point::SummaryDataPoints;
use super::temporality::AggregationTemporality;
use crate::message::columns::{index, push, range};
use crate::message::cursor::Cursor;
use crate::message::fields::{enum_len, text_len, write_enum, write_text};
use crate::otlp::common::{
    Attributes, Guess, Parents, Signal, read_attribute, stored_list, take_run, write_guessing,
};
use crate::otlp::record_kind::RecordKind;
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Tag, WireType, Writer, to_usize};

const NAME: Tag = Tag::new(1, WireType::Len);
const DESCRIPTION: Tag = Tag::new(2, WireType::Len);
const UNIT: Tag = Tag::new(3, WireType::Len);
const GAUGE: Tag = Tag::new(5, WireType::Len);
const SUM: Tag = Tag::new(7, WireType::Len);
const HISTOGRAM: Tag = Tag::new(9, WireType::Len);
const EXPONENTIAL_HISTOGRAM: Tag = Tag::new(10, WireType::Len);
const SUMMARY: Tag = Tag::new(11, WireType::Len);
const METADATA: Tag = Tag::new(12, WireType::Len);

const METADATA_BYTE: u8 = METADATA.byte();

/// Of all kinds of data.
const DATA_POINTS: Tag = Tag::new(1, WireType::Len);
const AGGREGATION_TEMPORALITY: Tag = Tag::new(2, WireType::Varint);
const IS_MONOTONIC: Tag = Tag::new(3, WireType::Varint);

/// Whether `tag` is that of a metric's data.
pub(in crate::otlp) fn is_data(tag: Tag) -> bool {
    matches!(tag, GAUGE | SUM | HISTOGRAM | EXPONENTIAL_HISTOGRAM | SUMMARY)
}

/// Whether `tag` is that of a point in data.
pub(in crate::otlp) fn is_data_point(tag: Tag) -> bool {
    tag == DATA_POINTS
}

/// A name, and points of one kind.
///
/// ```
/// use borrowire::otlp::metrics::{Gauge, Metric, MetricData, NumberDataPoint, NumberDataPoints};
///
/// let points = [NumberDataPoint::default()];
/// let gauge = Gauge::new(NumberDataPoints::new(&points));
/// let mut metric = Metric::new("process.memory.usage", MetricData::Gauge(gauge));
/// metric.unit = "By";
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metric<'s, 'a> {
    /// The name.
    pub name: &'a str,
    /// What it is about, for people.
    pub description: &'a str,
    /// The unit, as the Unified Code for Units of Measure has it.
    pub unit: &'a str,
    /// The points; `None` if the sender left them out.
    pub data: Option<MetricData<'s, 'a>>,
    /// What is known of the metric but is no part of its identity.
    pub metadata: Attributes<'s, 'a>,
}

impl<'s, 'a> Metric<'s, 'a> {
    /// The metric `name` with `data`.
    #[must_use]
    pub fn new(name: &'a str, data: MetricData<'s, 'a>) -> Self {
        Self { name, data: Some(data), ..Self::default() }
    }
}

/// The points of a metric, by kind.
///
/// ```
/// use borrowire::otlp::metrics::{MetricData, Sum};
///
/// assert_eq!(MetricData::Sum(Sum::default()).data_points_len(), 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MetricData<'s, 'a> {
    /// Values of something at some times.
    Gauge(Gauge<'s, 'a>),
    /// Sums of measurements.
    Sum(Sum<'s, 'a>),
    /// Counts between given bounds.
    Histogram(Histogram<'s, 'a>),
    /// Counts in buckets of growing width.
    ExponentialHistogram(ExponentialHistogram<'s, 'a>),
    /// Quantiles.
    Summary(Summary<'s, 'a>),
}

impl MetricData<'_, '_> {
    /// How many points there are.
    #[must_use]
    pub const fn data_points_len(&self) -> usize {
        match self {
            Self::Gauge(gauge) => gauge.data_points.len(),
            Self::Sum(sum) => sum.data_points.len(),
            Self::Histogram(histogram) => histogram.data_points.len(),
            Self::ExponentialHistogram(histogram) => histogram.data_points.len(),
            Self::Summary(summary) => summary.data_points.len(),
        }
    }

    const fn tag(&self) -> Tag {
        match self {
            Self::Gauge(_) => GAUGE,
            Self::Sum(_) => SUM,
            Self::Histogram(_) => HISTOGRAM,
            Self::ExponentialHistogram(_) => EXPONENTIAL_HISTOGRAM,
            Self::Summary(_) => SUMMARY,
        }
    }

    /// The temporality, of kinds that have one, and whether a sum only grows.
    fn properties(&self) -> (AggregationTemporality, bool) {
        match self {
            Self::Gauge(_) | Self::Summary(_) => (AggregationTemporality::UNSPECIFIED, false),
            Self::Sum(sum) => (sum.aggregation_temporality, sum.is_monotonic),
            Self::Histogram(histogram) => (histogram.aggregation_temporality, false),
            Self::ExponentialHistogram(histogram) => (histogram.aggregation_temporality, false),
        }
    }

    fn write_points(&self, writer: &mut Writer<'_>, guess: &mut Guess) -> Result<(), BufferFull> {
        /// Writes the points of a list.
        macro_rules! write_all {
            ($points:expr) => {
                $points
                    .iter()
                    .try_for_each(|point| guess.write_message(writer, DATA_POINTS, &point))
            };
        }
        match self {
            Self::Gauge(gauge) => write_all!(gauge.data_points),
            Self::Sum(sum) => write_all!(sum.data_points),
            Self::Histogram(histogram) => write_all!(histogram.data_points),
            Self::ExponentialHistogram(histogram) => write_all!(histogram.data_points),
            Self::Summary(summary) => write_all!(summary.data_points),
        }
    }

    fn write_guessing(&self, writer: &mut Writer<'_>, guess: &mut Guess) -> Result<(), BufferFull> {
        self.write_points(writer, guess)?;
        let (temporality, is_monotonic) = self.properties();
        write_enum(writer, AGGREGATION_TEMPORALITY, temporality.0)?;
        if is_monotonic {
            writer.write_bool(IS_MONOTONIC, true)?;
        }
        Ok(())
    }
}

impl Encode for MetricData<'_, '_> {
    fn encoded_len(&self) -> usize {
        /// Bytes of the points of a list.
        macro_rules! all_len {
            ($points:expr) => {
                $points.iter().fold(0, |sum: usize, point| {
                    sum.saturating_add(wire::message_len(DATA_POINTS, point.encoded_len()))
                })
            };
        }
        let points: usize = match self {
            Self::Gauge(gauge) => all_len!(gauge.data_points),
            Self::Sum(sum) => all_len!(sum.data_points),
            Self::Histogram(histogram) => all_len!(histogram.data_points),
            Self::ExponentialHistogram(histogram) => all_len!(histogram.data_points),
            Self::Summary(summary) => all_len!(summary.data_points),
        };
        let (temporality, is_monotonic) = self.properties();
        points
            .saturating_add(enum_len(AGGREGATION_TEMPORALITY, temporality.0))
            .saturating_add(if is_monotonic { wire::bool_len(IS_MONOTONIC) } else { 0 })
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_guessing(writer, |writer, guess| self.write_guessing(writer, &mut { guess }))
    }
}

/// A kind of data: its points, and perhaps more.
macro_rules! data {
    (
        $(#[$doc:meta])* $name:ident of $points:ident
        $({ $($(#[$field_doc:meta])* $field:ident: $type:ty),* })?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct $name<'s, 'a> {
            /// The points.
            pub data_points: $points<'s, 'a>,
            $($($(#[$field_doc])* pub $field: $type,)*)?
        }

        impl<'s, 'a> $name<'s, 'a> {
            /// Data with `data_points`; set what else there is.
            #[must_use]
            pub fn new(data_points: $points<'s, 'a>) -> Self {
                Self { data_points, ..Self::default() }
            }
        }
    };
}

data! {
    /// `Gauge`: values of something at some times.
    ///
    /// ```
    /// use borrowire::otlp::metrics::{Gauge, NumberDataPoint, NumberDataPoints};
    ///
    /// let points = [NumberDataPoint::default()];
    /// assert_eq!(Gauge::new(NumberDataPoints::new(&points)).data_points.len(), 1);
    /// ```
    Gauge of NumberDataPoints
}

data! {
    /// `Sum`: sums of measurements.
    ///
    /// ```
    /// use borrowire::otlp::metrics::{
    ///     AggregationTemporality, NumberDataPoint, NumberDataPoints, Sum,
    /// };
    ///
    /// let points = [NumberDataPoint::default()];
    /// let mut sum = Sum::new(NumberDataPoints::new(&points));
    /// sum.aggregation_temporality = AggregationTemporality::CUMULATIVE;
    /// sum.is_monotonic = true;
    /// ```
    Sum of NumberDataPoints {
        /// What time the sums stand for.
        aggregation_temporality: AggregationTemporality,
        /// Whether only sums that grow are possible: a counter.
        is_monotonic: bool
    }
}

data! {
    /// `Histogram`: counts between given bounds.
    ///
    /// ```
    /// use borrowire::otlp::metrics::{
    ///     AggregationTemporality, Histogram, HistogramDataPoint, HistogramDataPoints,
    /// };
    ///
    /// let points = [HistogramDataPoint::default()];
    /// let mut histogram = Histogram::new(HistogramDataPoints::new(&points));
    /// histogram.aggregation_temporality = AggregationTemporality::DELTA;
    /// ```
    Histogram of HistogramDataPoints {
        /// What time the counts stand for.
        aggregation_temporality: AggregationTemporality
    }
}

data! {
    /// `ExponentialHistogram`: counts in buckets of growing width.
    ///
    /// ```
    /// use borrowire::otlp::metrics::{
    ///     AggregationTemporality, ExponentialHistogram, ExponentialHistogramDataPoint,
    ///     ExponentialHistogramDataPoints,
    /// };
    ///
    /// let points = [ExponentialHistogramDataPoint::default()];
    /// let mut histogram = ExponentialHistogram::new(ExponentialHistogramDataPoints::new(&points));
    /// histogram.aggregation_temporality = AggregationTemporality::DELTA;
    /// ```
    ExponentialHistogram of ExponentialHistogramDataPoints {
        /// What time the counts stand for.
        aggregation_temporality: AggregationTemporality
    }
}

data! {
    /// `Summary`: quantiles, as older clients report them.
    ///
    /// ```
    /// use borrowire::otlp::metrics::{Summary, SummaryDataPoint, SummaryDataPoints};
    ///
    /// let points = [SummaryDataPoint::default()];
    /// assert_eq!(Summary::new(SummaryDataPoints::new(&points)).data_points.len(), 1);
    /// ```
    Summary of SummaryDataPoints
}

/// What the lengths of messages take that are written one after the other.
#[derive(Clone, Copy)]
pub(super) struct Guesses {
    data: Guess,
    point: Guess,
}

impl Guesses {
    pub(super) const fn new(guess: Guess) -> Self {
        Self { data: guess, point: guess }
    }
}

impl Metric<'_, '_> {
    pub(super) fn write_guessing(
        &self,
        writer: &mut Writer<'_>,
        guesses: &mut Guesses,
    ) -> Result<(), BufferFull> {
        write_text(writer, NAME, self.name)?;
        write_text(writer, DESCRIPTION, self.description)?;
        write_text(writer, UNIT, self.unit)?;
        if let Some(data) = self.data {
            guesses.data = guesses.data.write(
                writer,
                data.tag(),
                || data.encoded_len(),
                |writer| data.write_guessing(writer, &mut guesses.point),
            )?;
        }
        self.metadata.write_fields::<METADATA_BYTE>(writer)
    }
}

impl Encode for Metric<'_, '_> {
    fn encoded_len(&self) -> usize {
        let data = self.data.map_or(0, |data| wire::message_len(data.tag(), data.encoded_len()));
        [
            text_len(NAME, self.name),
            text_len(DESCRIPTION, self.description),
            text_len(UNIT, self.unit),
            data,
            self.metadata.fields_len(),
        ]
        .into_iter()
        .fold(0, usize::saturating_add)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_guessing(writer, |writer, guess| {
            self.write_guessing(writer, &mut Guesses::new(guess))
        })
    }
}

stored_list! {
    /// Metrics: the caller's slice, or those of a decoded scope.
    ///
    /// ```
    /// use borrowire::otlp::metrics::{Metric, Metrics};
    ///
    /// let metrics = [Metric::default()];
    /// assert_eq!(Metrics::new(&metrics).len(), 1);
    /// ```
    Metrics of Metric in Storage, metric;
    /// Iterates over [`Metrics`].
    MetricsIter
}

impl<'a> Signal<'a> for Storage<'a> {
    type Mark = Mark;

    #[inline]
    fn parents(&mut self) -> &mut Parents<'a> {
        &mut self.parents
    }

    fn mark(&self) -> Mark {
        self.mark()
    }

    fn truncate(&mut self, mark: Mark) {
        self.truncate(mark);
    }

    fn children_len(&self) -> usize {
        self.metrics.len()
    }

    fn read_child(&mut self, cursor: &mut Cursor<'a, '_>) -> Result<(), DecodeError> {
        cursor.count_element()?;
        let position = self.parents.seen.metrics;
        self.parents.seen.metrics = position.wrapping_add(1);
        let (mark, skipped) = (self.mark(), self.parents.skipped.len());
        let fault = cursor.read_apart(|cursor| self.read_metric(cursor.read_message()?))?;
        if let Some(error) = fault {
            self.truncate(mark);
            self.parents.skipped.truncate(skipped);
            self.parents.skip(RecordKind::Metric, position, error);
        }
        Ok(())
    }
}

impl<'a> Storage<'a> {
    /// Reads a metric from `message`, all of it.
    fn read_metric(&mut self, message: Cursor<'a, '_>) -> Result<(), DecodeError> {
        let mut cursor = message;
        let message = cursor.rest();
        let mut row = MetricRow::default();
        let (mut name, mut description, mut unit) = ("", "", "");
        let mut again = true;
        loop {
            if again {
                again = take_run::<METADATA_BYTE>(&mut cursor, message, &mut self.metadata);
            }
            let Some(tag) = cursor.next_tag()? else { break };
            let kind = match tag {
                NAME => {
                    name = cursor.read_string()?;
                    continue;
                }
                DESCRIPTION => {
                    description = cursor.read_string()?;
                    continue;
                }
                UNIT => {
                    unit = cursor.read_string()?;
                    continue;
                }
                METADATA => {
                    read_attribute(&mut cursor, &mut self.metadata)?;
                    continue;
                }
                GAUGE => Kind::Gauge,
                SUM => Kind::Sum,
                HISTOGRAM => Kind::Histogram,
                EXPONENTIAL_HISTOGRAM => Kind::ExponentialHistogram,
                SUMMARY => Kind::Summary,
                _ => {
                    cursor.skip_field(tag)?;
                    continue;
                }
            };
            self.parents.is_unusual |= row.kind != Kind::None;
            if row.kind != kind {
                self.replace_data(&mut row, kind);
            }
            self.read_data(cursor.read_message()?, &mut row)?;
        }
        row.texts_start = index(self.metric_texts.len());
        for (text, bit) in [(name, HAS_NAME), (description, HAS_DESCRIPTION), (unit, HAS_UNIT)] {
            if !text.is_empty() {
                row.has |= bit;
                push(&mut self.metric_texts, text);
            }
        }
        row.metadata_end = index(self.metadata.len());
        push(&mut self.metrics, row);
        Ok(())
    }

    /// Makes `row` one of `kind`: what it had of another kind no longer counts.
    fn replace_data(&mut self, row: &mut MetricRow, kind: Kind) {
        if row.kind != Kind::None {
            let (start, end) = row.points;
            match row.kind {
                Kind::None => {}
                Kind::Gauge | Kind::Sum => self.truncate_numbers(start),
                Kind::Histogram => self.histograms.truncate(start),
                Kind::ExponentialHistogram => self.exponential_histograms.truncate(start),
                Kind::Summary => self.summaries.truncate(start),
            }
            let dropped = to_usize(end.saturating_sub(start));
            self.parents.seen.items = self.parents.seen.items.saturating_sub(dropped);
        }
        let start = self.points_of(kind);
        *row = MetricRow { kind, points: (start, start), ..MetricRow::default() };
    }

    /// How many points of `kind` there are.
    fn points_of(&self, kind: Kind) -> u32 {
        index(match kind {
            Kind::None => 0,
            Kind::Gauge | Kind::Sum => self.numbers.len(),
            Kind::Histogram => self.histograms.len(),
            Kind::ExponentialHistogram => self.exponential_histograms.len(),
            Kind::Summary => self.summaries.len(),
        })
    }

    /// Reads data from `message`, all of it, merged into that of `row`, which is of the same kind.
    fn read_data(
        &mut self,
        message: Cursor<'a, '_>,
        row: &mut MetricRow,
    ) -> Result<(), DecodeError> {
        let mut cursor = message;
        while let Some(tag) = cursor.next_tag()? {
            match (tag, row.kind) {
                (DATA_POINTS, kind) => self.read_data_point(&mut cursor, kind)?,
                (
                    AGGREGATION_TEMPORALITY,
                    Kind::Sum | Kind::Histogram | Kind::ExponentialHistogram,
                ) => row.temporality = cursor.read_enum()?,
                (IS_MONOTONIC, Kind::Sum) => {
                    row.has &= !IS_MONOTONIC_SUM;
                    if cursor.read_bool()? {
                        row.has |= IS_MONOTONIC_SUM;
                    }
                }
                _ => cursor.skip_field(tag)?,
            }
        }
        row.points.1 = self.points_of(row.kind);
        Ok(())
    }

    /// Reads the point whose tag has just been read. In partial mode a bad one is left out alone.
    #[inline]
    fn read_data_point(
        &mut self,
        cursor: &mut Cursor<'a, '_>,
        kind: Kind,
    ) -> Result<(), DecodeError> {
        let position = self.parents.count_item(cursor)?;
        let mark = self.points_mark();
        let fault = cursor.read_apart(|cursor| {
            let message = cursor.read_message()?;
            match kind {
                Kind::Histogram => self.read_histogram_data_point(message),
                Kind::ExponentialHistogram => self.read_exponential_histogram_data_point(message),
                Kind::Summary => self.read_summary_data_point(message),
                Kind::None | Kind::Gauge | Kind::Sum => self.read_number_data_point(message),
            }
        })?;
        if let Some(error) = fault {
            self.truncate_points(mark);
            self.parents.skip(RecordKind::DataPoint, position, error);
        }
        Ok(())
    }

    /// The metric at `position`.
    pub(super) fn metric(&self, position: usize) -> Option<Metric<'_, 'a>> {
        let row = self.metrics.get(position)?;
        let mut texts = self.metric_texts.get(to_usize(row.texts_start)..).unwrap_or(&[]).iter();
        let mut text = |bit| {
            if row.has & bit != 0 { texts.next().copied().unwrap_or("") } else { "" }
        };
        let (name, description, unit) = (text(HAS_NAME), text(HAS_DESCRIPTION), text(HAS_UNIT));
        let before = position.checked_sub(1).and_then(|before| self.metrics.get(before));
        let metadata_start = before.map_or(0, |row| row.metadata_end);
        let metadata = range(&self.metadata, metadata_start, row.metadata_end);
        let aggregation_temporality = AggregationTemporality(row.temporality);
        let data = match row.kind {
            Kind::None => None,
            Kind::Gauge => {
                Some(MetricData::Gauge(Gauge::new(NumberDataPoints::stored(self, row.points))))
            }
            Kind::Sum => Some(MetricData::Sum(Sum {
                data_points: NumberDataPoints::stored(self, row.points),
                aggregation_temporality,
                is_monotonic: row.has & IS_MONOTONIC_SUM != 0,
            })),
            Kind::Histogram => Some(MetricData::Histogram(Histogram {
                data_points: HistogramDataPoints::stored(self, row.points),
                aggregation_temporality,
            })),
            Kind::ExponentialHistogram => {
                Some(MetricData::ExponentialHistogram(ExponentialHistogram {
                    data_points: ExponentialHistogramDataPoints::stored(self, row.points),
                    aggregation_temporality,
                }))
            }
            Kind::Summary => {
                Some(MetricData::Summary(Summary::new(SummaryDataPoints::stored(self, row.points))))
            }
        };
        let metadata = Attributes::stored(metadata, self.parents.body);
        Some(Metric { name, description, unit, data, metadata })
    }
}
