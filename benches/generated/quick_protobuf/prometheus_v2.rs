// @generated from proto/prometheus_v2.proto by benches/generated/make

use std::borrow::Cow;
use quick_protobuf::{MessageInfo, MessageRead, MessageWrite, BytesReader, Writer, WriterBackend, Result};
use quick_protobuf::sizeofs::*;

#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct Request<'a> {
    pub symbols: Vec<Cow<'a, str>>,
    pub timeseries: Vec<TimeSeries<'a>>,
}

impl<'a> MessageRead<'a> for Request<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(34) => msg.symbols.push(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(42) => msg.timeseries.push(r.read_message::<TimeSeries>(bytes)?),
                Ok(t) => { r.read_unknown(bytes, t)?; }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}

impl<'a> MessageWrite for Request<'a> {
    fn get_size(&self) -> usize {
        0
        + self.symbols.iter().map(|s| 1 + sizeof_len((s).len())).sum::<usize>()
        + self.timeseries.iter().map(|s| 1 + sizeof_len((s).get_size())).sum::<usize>()
    }

    fn write_message<W: WriterBackend>(&self, w: &mut Writer<W>) -> Result<()> {
        for s in &self.symbols { w.write_with_tag(34, |w| w.write_string(&**s))?; }
        for s in &self.timeseries { w.write_with_tag(42, |w| w.write_message(s))?; }
        Ok(())
    }
}

#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct TimeSeries<'a> {
    pub labels_refs: Vec<u32>,
    pub samples: Vec<Sample>,
    pub histograms: Vec<Histogram<'a>>,
    pub exemplars: Vec<Exemplar>,
    pub metadata: Option<Metadata>,
}

impl<'a> MessageRead<'a> for TimeSeries<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.labels_refs = r.read_packed(bytes, |r, bytes| Ok(r.read_uint32(bytes)?))?,
                Ok(18) => msg.samples.push(r.read_message::<Sample>(bytes)?),
                Ok(26) => msg.histograms.push(r.read_message::<Histogram>(bytes)?),
                Ok(34) => msg.exemplars.push(r.read_message::<Exemplar>(bytes)?),
                Ok(42) => msg.metadata = Some(r.read_message::<Metadata>(bytes)?),
                Ok(t) => { r.read_unknown(bytes, t)?; }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}

impl<'a> MessageWrite for TimeSeries<'a> {
    fn get_size(&self) -> usize {
        0
        + if self.labels_refs.is_empty() { 0 } else { 1 + sizeof_len(self.labels_refs.iter().map(|s| sizeof_varint(*(s) as u64)).sum::<usize>()) }
        + self.samples.iter().map(|s| 1 + sizeof_len((s).get_size())).sum::<usize>()
        + self.histograms.iter().map(|s| 1 + sizeof_len((s).get_size())).sum::<usize>()
        + self.exemplars.iter().map(|s| 1 + sizeof_len((s).get_size())).sum::<usize>()
        + self.metadata.as_ref().map_or(0, |m| 1 + sizeof_len((m).get_size()))
    }

    fn write_message<W: WriterBackend>(&self, w: &mut Writer<W>) -> Result<()> {
        w.write_packed_with_tag(10, &self.labels_refs, |w, m| w.write_uint32(*m), &|m| sizeof_varint(*(m) as u64))?;
        for s in &self.samples { w.write_with_tag(18, |w| w.write_message(s))?; }
        for s in &self.histograms { w.write_with_tag(26, |w| w.write_message(s))?; }
        for s in &self.exemplars { w.write_with_tag(34, |w| w.write_message(s))?; }
        if let Some(ref s) = self.metadata { w.write_with_tag(42, |w| w.write_message(s))?; }
        Ok(())
    }
}

#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct Exemplar {
    pub labels_refs: Vec<u32>,
    pub value: f64,
    pub timestamp: i64,
}

impl<'a> MessageRead<'a> for Exemplar {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.labels_refs = r.read_packed(bytes, |r, bytes| Ok(r.read_uint32(bytes)?))?,
                Ok(17) => msg.value = r.read_double(bytes)?,
                Ok(24) => msg.timestamp = r.read_int64(bytes)?,
                Ok(t) => { r.read_unknown(bytes, t)?; }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}

impl MessageWrite for Exemplar {
    fn get_size(&self) -> usize {
        0
        + if self.labels_refs.is_empty() { 0 } else { 1 + sizeof_len(self.labels_refs.iter().map(|s| sizeof_varint(*(s) as u64)).sum::<usize>()) }
        + if self.value == 0f64 { 0 } else { 1 + 8 }
        + if self.timestamp == 0i64 { 0 } else { 1 + sizeof_varint(*(&self.timestamp) as u64) }
    }

    fn write_message<W: WriterBackend>(&self, w: &mut Writer<W>) -> Result<()> {
        w.write_packed_with_tag(10, &self.labels_refs, |w, m| w.write_uint32(*m), &|m| sizeof_varint(*(m) as u64))?;
        if self.value != 0f64 { w.write_with_tag(17, |w| w.write_double(*&self.value))?; }
        if self.timestamp != 0i64 { w.write_with_tag(24, |w| w.write_int64(*&self.timestamp))?; }
        Ok(())
    }
}

#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct Sample {
    pub value: f64,
    pub timestamp: i64,
    pub start_timestamp: i64,
}

impl<'a> MessageRead<'a> for Sample {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(9) => msg.value = r.read_double(bytes)?,
                Ok(16) => msg.timestamp = r.read_int64(bytes)?,
                Ok(24) => msg.start_timestamp = r.read_int64(bytes)?,
                Ok(t) => { r.read_unknown(bytes, t)?; }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}

impl MessageWrite for Sample {
    fn get_size(&self) -> usize {
        0
        + if self.value == 0f64 { 0 } else { 1 + 8 }
        + if self.timestamp == 0i64 { 0 } else { 1 + sizeof_varint(*(&self.timestamp) as u64) }
        + if self.start_timestamp == 0i64 { 0 } else { 1 + sizeof_varint(*(&self.start_timestamp) as u64) }
    }

    fn write_message<W: WriterBackend>(&self, w: &mut Writer<W>) -> Result<()> {
        if self.value != 0f64 { w.write_with_tag(9, |w| w.write_double(*&self.value))?; }
        if self.timestamp != 0i64 { w.write_with_tag(16, |w| w.write_int64(*&self.timestamp))?; }
        if self.start_timestamp != 0i64 { w.write_with_tag(24, |w| w.write_int64(*&self.start_timestamp))?; }
        Ok(())
    }
}

#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct Metadata {
    pub type_pb: mod_Metadata::MetricType,
    pub help_ref: u32,
    pub unit_ref: u32,
}

impl<'a> MessageRead<'a> for Metadata {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(8) => msg.type_pb = r.read_enum(bytes)?,
                Ok(24) => msg.help_ref = r.read_uint32(bytes)?,
                Ok(32) => msg.unit_ref = r.read_uint32(bytes)?,
                Ok(t) => { r.read_unknown(bytes, t)?; }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}

impl MessageWrite for Metadata {
    fn get_size(&self) -> usize {
        0
        + if self.type_pb == mod_Metadata::MetricType::METRIC_TYPE_UNSPECIFIED { 0 } else { 1 + sizeof_varint(*(&self.type_pb) as u64) }
        + if self.help_ref == 0u32 { 0 } else { 1 + sizeof_varint(*(&self.help_ref) as u64) }
        + if self.unit_ref == 0u32 { 0 } else { 1 + sizeof_varint(*(&self.unit_ref) as u64) }
    }

    fn write_message<W: WriterBackend>(&self, w: &mut Writer<W>) -> Result<()> {
        if self.type_pb != mod_Metadata::MetricType::METRIC_TYPE_UNSPECIFIED { w.write_with_tag(8, |w| w.write_enum(*&self.type_pb as i32))?; }
        if self.help_ref != 0u32 { w.write_with_tag(24, |w| w.write_uint32(*&self.help_ref))?; }
        if self.unit_ref != 0u32 { w.write_with_tag(32, |w| w.write_uint32(*&self.unit_ref))?; }
        Ok(())
    }
}

pub mod mod_Metadata {


#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum MetricType {
    METRIC_TYPE_UNSPECIFIED = 0,
    METRIC_TYPE_COUNTER = 1,
    METRIC_TYPE_GAUGE = 2,
    METRIC_TYPE_HISTOGRAM = 3,
    METRIC_TYPE_GAUGEHISTOGRAM = 4,
    METRIC_TYPE_SUMMARY = 5,
    METRIC_TYPE_INFO = 6,
    METRIC_TYPE_STATESET = 7,
}

impl Default for MetricType {
    fn default() -> Self {
        MetricType::METRIC_TYPE_UNSPECIFIED
    }
}

impl From<i32> for MetricType {
    fn from(i: i32) -> Self {
        match i {
            0 => MetricType::METRIC_TYPE_UNSPECIFIED,
            1 => MetricType::METRIC_TYPE_COUNTER,
            2 => MetricType::METRIC_TYPE_GAUGE,
            3 => MetricType::METRIC_TYPE_HISTOGRAM,
            4 => MetricType::METRIC_TYPE_GAUGEHISTOGRAM,
            5 => MetricType::METRIC_TYPE_SUMMARY,
            6 => MetricType::METRIC_TYPE_INFO,
            7 => MetricType::METRIC_TYPE_STATESET,
            _ => Self::default(),
        }
    }
}

impl<'a> From<&'a str> for MetricType {
    fn from(s: &'a str) -> Self {
        match s {
            "METRIC_TYPE_UNSPECIFIED" => MetricType::METRIC_TYPE_UNSPECIFIED,
            "METRIC_TYPE_COUNTER" => MetricType::METRIC_TYPE_COUNTER,
            "METRIC_TYPE_GAUGE" => MetricType::METRIC_TYPE_GAUGE,
            "METRIC_TYPE_HISTOGRAM" => MetricType::METRIC_TYPE_HISTOGRAM,
            "METRIC_TYPE_GAUGEHISTOGRAM" => MetricType::METRIC_TYPE_GAUGEHISTOGRAM,
            "METRIC_TYPE_SUMMARY" => MetricType::METRIC_TYPE_SUMMARY,
            "METRIC_TYPE_INFO" => MetricType::METRIC_TYPE_INFO,
            "METRIC_TYPE_STATESET" => MetricType::METRIC_TYPE_STATESET,
            _ => Self::default(),
        }
    }
}

}

#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct BucketSpan {
    pub offset: i32,
    pub length: u32,
}

impl<'a> MessageRead<'a> for BucketSpan {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(8) => msg.offset = r.read_sint32(bytes)?,
                Ok(16) => msg.length = r.read_uint32(bytes)?,
                Ok(t) => { r.read_unknown(bytes, t)?; }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}

impl MessageWrite for BucketSpan {
    fn get_size(&self) -> usize {
        0
        + if self.offset == 0i32 { 0 } else { 1 + sizeof_sint32(*(&self.offset)) }
        + if self.length == 0u32 { 0 } else { 1 + sizeof_varint(*(&self.length) as u64) }
    }

    fn write_message<W: WriterBackend>(&self, w: &mut Writer<W>) -> Result<()> {
        if self.offset != 0i32 { w.write_with_tag(8, |w| w.write_sint32(*&self.offset))?; }
        if self.length != 0u32 { w.write_with_tag(16, |w| w.write_uint32(*&self.length))?; }
        Ok(())
    }
}

#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct Histogram<'a> {
    pub sum: f64,
    pub schema: i32,
    pub zero_threshold: f64,
    pub negative_spans: Vec<BucketSpan>,
    pub negative_deltas: Vec<i64>,
    pub negative_counts: Cow<'a, [f64]>,
    pub positive_spans: Vec<BucketSpan>,
    pub positive_deltas: Vec<i64>,
    pub positive_counts: Cow<'a, [f64]>,
    pub reset_hint: mod_Histogram::ResetHint,
    pub timestamp: i64,
    pub custom_values: Cow<'a, [f64]>,
    pub start_timestamp: i64,
    pub count: mod_Histogram::OneOfcount,
    pub zero_count: mod_Histogram::OneOfzero_count,
}

impl<'a> MessageRead<'a> for Histogram<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(25) => msg.sum = r.read_double(bytes)?,
                Ok(32) => msg.schema = r.read_sint32(bytes)?,
                Ok(41) => msg.zero_threshold = r.read_double(bytes)?,
                Ok(66) => msg.negative_spans.push(r.read_message::<BucketSpan>(bytes)?),
                Ok(74) => msg.negative_deltas = r.read_packed(bytes, |r, bytes| Ok(r.read_sint64(bytes)?))?,
                Ok(82) => msg.negative_counts = r.read_packed(bytes, |r, bytes| r.read_double(bytes))?.into(),
                Ok(90) => msg.positive_spans.push(r.read_message::<BucketSpan>(bytes)?),
                Ok(98) => msg.positive_deltas = r.read_packed(bytes, |r, bytes| Ok(r.read_sint64(bytes)?))?,
                Ok(106) => msg.positive_counts = r.read_packed(bytes, |r, bytes| r.read_double(bytes))?.into(),
                Ok(112) => msg.reset_hint = r.read_enum(bytes)?,
                Ok(120) => msg.timestamp = r.read_int64(bytes)?,
                Ok(130) => msg.custom_values = r.read_packed(bytes, |r, bytes| r.read_double(bytes))?.into(),
                Ok(136) => msg.start_timestamp = r.read_int64(bytes)?,
                Ok(8) => msg.count = mod_Histogram::OneOfcount::count_int(r.read_uint64(bytes)?),
                Ok(17) => msg.count = mod_Histogram::OneOfcount::count_float(r.read_double(bytes)?),
                Ok(48) => msg.zero_count = mod_Histogram::OneOfzero_count::zero_count_int(r.read_uint64(bytes)?),
                Ok(57) => msg.zero_count = mod_Histogram::OneOfzero_count::zero_count_float(r.read_double(bytes)?),
                Ok(t) => { r.read_unknown(bytes, t)?; }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}

impl<'a> MessageWrite for Histogram<'a> {
    fn get_size(&self) -> usize {
        0
        + if self.sum == 0f64 { 0 } else { 1 + 8 }
        + if self.schema == 0i32 { 0 } else { 1 + sizeof_sint32(*(&self.schema)) }
        + if self.zero_threshold == 0f64 { 0 } else { 1 + 8 }
        + self.negative_spans.iter().map(|s| 1 + sizeof_len((s).get_size())).sum::<usize>()
        + if self.negative_deltas.is_empty() { 0 } else { 1 + sizeof_len(self.negative_deltas.iter().map(|s| sizeof_sint64(*(s))).sum::<usize>()) }
        + if self.negative_counts.is_empty() { 0 } else { 1 + sizeof_len(self.negative_counts.len() * 8) }
        + self.positive_spans.iter().map(|s| 1 + sizeof_len((s).get_size())).sum::<usize>()
        + if self.positive_deltas.is_empty() { 0 } else { 1 + sizeof_len(self.positive_deltas.iter().map(|s| sizeof_sint64(*(s))).sum::<usize>()) }
        + if self.positive_counts.is_empty() { 0 } else { 1 + sizeof_len(self.positive_counts.len() * 8) }
        + if self.reset_hint == mod_Histogram::ResetHint::RESET_HINT_UNSPECIFIED { 0 } else { 1 + sizeof_varint(*(&self.reset_hint) as u64) }
        + if self.timestamp == 0i64 { 0 } else { 1 + sizeof_varint(*(&self.timestamp) as u64) }
        + if self.custom_values.is_empty() { 0 } else { 2 + sizeof_len(self.custom_values.len() * 8) }
        + if self.start_timestamp == 0i64 { 0 } else { 2 + sizeof_varint(*(&self.start_timestamp) as u64) }
        + match self.count {
            mod_Histogram::OneOfcount::count_int(ref m) => 1 + sizeof_varint(*(m) as u64),
            mod_Histogram::OneOfcount::count_float(_) => 1 + 8,
            mod_Histogram::OneOfcount::None => 0,
    }        + match self.zero_count {
            mod_Histogram::OneOfzero_count::zero_count_int(ref m) => 1 + sizeof_varint(*(m) as u64),
            mod_Histogram::OneOfzero_count::zero_count_float(_) => 1 + 8,
            mod_Histogram::OneOfzero_count::None => 0,
    }    }

    fn write_message<W: WriterBackend>(&self, w: &mut Writer<W>) -> Result<()> {
        if self.sum != 0f64 { w.write_with_tag(25, |w| w.write_double(*&self.sum))?; }
        if self.schema != 0i32 { w.write_with_tag(32, |w| w.write_sint32(*&self.schema))?; }
        if self.zero_threshold != 0f64 { w.write_with_tag(41, |w| w.write_double(*&self.zero_threshold))?; }
        for s in &self.negative_spans { w.write_with_tag(66, |w| w.write_message(s))?; }
        w.write_packed_with_tag(74, &self.negative_deltas, |w, m| w.write_sint64(*m), &|m| sizeof_sint64(*(m)))?;
        w.write_packed_fixed_with_tag(82, &self.negative_counts)?;
        for s in &self.positive_spans { w.write_with_tag(90, |w| w.write_message(s))?; }
        w.write_packed_with_tag(98, &self.positive_deltas, |w, m| w.write_sint64(*m), &|m| sizeof_sint64(*(m)))?;
        w.write_packed_fixed_with_tag(106, &self.positive_counts)?;
        if self.reset_hint != mod_Histogram::ResetHint::RESET_HINT_UNSPECIFIED { w.write_with_tag(112, |w| w.write_enum(*&self.reset_hint as i32))?; }
        if self.timestamp != 0i64 { w.write_with_tag(120, |w| w.write_int64(*&self.timestamp))?; }
        w.write_packed_fixed_with_tag(130, &self.custom_values)?;
        if self.start_timestamp != 0i64 { w.write_with_tag(136, |w| w.write_int64(*&self.start_timestamp))?; }
        match self.count {            mod_Histogram::OneOfcount::count_int(ref m) => { w.write_with_tag(8, |w| w.write_uint64(*m))? },
            mod_Histogram::OneOfcount::count_float(ref m) => { w.write_with_tag(17, |w| w.write_double(*m))? },
            mod_Histogram::OneOfcount::None => {},
    }        match self.zero_count {            mod_Histogram::OneOfzero_count::zero_count_int(ref m) => { w.write_with_tag(48, |w| w.write_uint64(*m))? },
            mod_Histogram::OneOfzero_count::zero_count_float(ref m) => { w.write_with_tag(57, |w| w.write_double(*m))? },
            mod_Histogram::OneOfzero_count::None => {},
    }        Ok(())
    }
}

pub mod mod_Histogram {

use super::*;

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum ResetHint {
    RESET_HINT_UNSPECIFIED = 0,
    RESET_HINT_YES = 1,
    RESET_HINT_NO = 2,
    RESET_HINT_GAUGE = 3,
}

impl Default for ResetHint {
    fn default() -> Self {
        ResetHint::RESET_HINT_UNSPECIFIED
    }
}

impl From<i32> for ResetHint {
    fn from(i: i32) -> Self {
        match i {
            0 => ResetHint::RESET_HINT_UNSPECIFIED,
            1 => ResetHint::RESET_HINT_YES,
            2 => ResetHint::RESET_HINT_NO,
            3 => ResetHint::RESET_HINT_GAUGE,
            _ => Self::default(),
        }
    }
}

impl<'a> From<&'a str> for ResetHint {
    fn from(s: &'a str) -> Self {
        match s {
            "RESET_HINT_UNSPECIFIED" => ResetHint::RESET_HINT_UNSPECIFIED,
            "RESET_HINT_YES" => ResetHint::RESET_HINT_YES,
            "RESET_HINT_NO" => ResetHint::RESET_HINT_NO,
            "RESET_HINT_GAUGE" => ResetHint::RESET_HINT_GAUGE,
            _ => Self::default(),
        }
    }
}

#[derive(Debug, PartialEq, Clone)]
pub enum OneOfcount {
    count_int(u64),
    count_float(f64),
    None,
}

impl Default for OneOfcount {
    fn default() -> Self {
        OneOfcount::None
    }
}

#[derive(Debug, PartialEq, Clone)]
pub enum OneOfzero_count {
    zero_count_int(u64),
    zero_count_float(f64),
    None,
}

impl Default for OneOfzero_count {
    fn default() -> Self {
        OneOfzero_count::None
    }
}

}

