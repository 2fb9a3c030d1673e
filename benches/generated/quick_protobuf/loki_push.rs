// @generated from proto/loki_push.proto by benches/generated/make

use std::borrow::Cow;
use quick_protobuf::{MessageInfo, MessageRead, MessageWrite, BytesReader, Writer, WriterBackend, Result};
use quick_protobuf::sizeofs::*;

#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct PushRequest<'a> {
    pub streams: Vec<StreamAdapter<'a>>,
    pub format: Cow<'a, str>,
}

impl<'a> MessageRead<'a> for PushRequest<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.streams.push(r.read_message::<StreamAdapter>(bytes)?),
                Ok(18) => msg.format = r.read_string(bytes).map(Cow::Borrowed)?,
                Ok(t) => { r.read_unknown(bytes, t)?; }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}

impl<'a> MessageWrite for PushRequest<'a> {
    fn get_size(&self) -> usize {
        0
        + self.streams.iter().map(|s| 1 + sizeof_len((s).get_size())).sum::<usize>()
        + if self.format == "" { 0 } else { 1 + sizeof_len((&self.format).len()) }
    }

    fn write_message<W: WriterBackend>(&self, w: &mut Writer<W>) -> Result<()> {
        for s in &self.streams { w.write_with_tag(10, |w| w.write_message(s))?; }
        if self.format != "" { w.write_with_tag(18, |w| w.write_string(&**&self.format))?; }
        Ok(())
    }
}

#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct PushResponse { }

impl<'a> MessageRead<'a> for PushResponse {
    fn from_reader(r: &mut BytesReader, _: &[u8]) -> Result<Self> {
        r.read_to_end();
        Ok(Self::default())
    }
}

impl MessageWrite for PushResponse { }

#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct StreamAdapter<'a> {
    pub labels: Cow<'a, str>,
    pub entries: Vec<EntryAdapter<'a>>,
    pub hash: u64,
}

impl<'a> MessageRead<'a> for StreamAdapter<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.labels = r.read_string(bytes).map(Cow::Borrowed)?,
                Ok(18) => msg.entries.push(r.read_message::<EntryAdapter>(bytes)?),
                Ok(24) => msg.hash = r.read_uint64(bytes)?,
                Ok(t) => { r.read_unknown(bytes, t)?; }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}

impl<'a> MessageWrite for StreamAdapter<'a> {
    fn get_size(&self) -> usize {
        0
        + if self.labels == "" { 0 } else { 1 + sizeof_len((&self.labels).len()) }
        + self.entries.iter().map(|s| 1 + sizeof_len((s).get_size())).sum::<usize>()
        + if self.hash == 0u64 { 0 } else { 1 + sizeof_varint(*(&self.hash) as u64) }
    }

    fn write_message<W: WriterBackend>(&self, w: &mut Writer<W>) -> Result<()> {
        if self.labels != "" { w.write_with_tag(10, |w| w.write_string(&**&self.labels))?; }
        for s in &self.entries { w.write_with_tag(18, |w| w.write_message(s))?; }
        if self.hash != 0u64 { w.write_with_tag(24, |w| w.write_uint64(*&self.hash))?; }
        Ok(())
    }
}

#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct LabelPairAdapter<'a> {
    pub name: Cow<'a, str>,
    pub value: Cow<'a, str>,
}

impl<'a> MessageRead<'a> for LabelPairAdapter<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.name = r.read_string(bytes).map(Cow::Borrowed)?,
                Ok(18) => msg.value = r.read_string(bytes).map(Cow::Borrowed)?,
                Ok(t) => { r.read_unknown(bytes, t)?; }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}

impl<'a> MessageWrite for LabelPairAdapter<'a> {
    fn get_size(&self) -> usize {
        0
        + if self.name == "" { 0 } else { 1 + sizeof_len((&self.name).len()) }
        + if self.value == "" { 0 } else { 1 + sizeof_len((&self.value).len()) }
    }

    fn write_message<W: WriterBackend>(&self, w: &mut Writer<W>) -> Result<()> {
        if self.name != "" { w.write_with_tag(10, |w| w.write_string(&**&self.name))?; }
        if self.value != "" { w.write_with_tag(18, |w| w.write_string(&**&self.value))?; }
        Ok(())
    }
}

#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct EntryAdapter<'a> {
    pub timestamp: Option<Timestamp>,
    pub line: Cow<'a, str>,
    pub structured_metadata: Vec<LabelPairAdapter<'a>>,
    pub parsed: Vec<LabelPairAdapter<'a>>,
}

impl<'a> MessageRead<'a> for EntryAdapter<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.timestamp = Some(r.read_message::<Timestamp>(bytes)?),
                Ok(18) => msg.line = r.read_string(bytes).map(Cow::Borrowed)?,
                Ok(26) => msg.structured_metadata.push(r.read_message::<LabelPairAdapter>(bytes)?),
                Ok(34) => msg.parsed.push(r.read_message::<LabelPairAdapter>(bytes)?),
                Ok(t) => { r.read_unknown(bytes, t)?; }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}

impl<'a> MessageWrite for EntryAdapter<'a> {
    fn get_size(&self) -> usize {
        0
        + self.timestamp.as_ref().map_or(0, |m| 1 + sizeof_len((m).get_size()))
        + if self.line == "" { 0 } else { 1 + sizeof_len((&self.line).len()) }
        + self.structured_metadata.iter().map(|s| 1 + sizeof_len((s).get_size())).sum::<usize>()
        + self.parsed.iter().map(|s| 1 + sizeof_len((s).get_size())).sum::<usize>()
    }

    fn write_message<W: WriterBackend>(&self, w: &mut Writer<W>) -> Result<()> {
        if let Some(ref s) = self.timestamp { w.write_with_tag(10, |w| w.write_message(s))?; }
        if self.line != "" { w.write_with_tag(18, |w| w.write_string(&**&self.line))?; }
        for s in &self.structured_metadata { w.write_with_tag(26, |w| w.write_message(s))?; }
        for s in &self.parsed { w.write_with_tag(34, |w| w.write_message(s))?; }
        Ok(())
    }
}

#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct Timestamp {
    pub seconds: i64,
    pub nanos: i32,
}

impl<'a> MessageRead<'a> for Timestamp {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(8) => msg.seconds = r.read_int64(bytes)?,
                Ok(16) => msg.nanos = r.read_int32(bytes)?,
                Ok(t) => { r.read_unknown(bytes, t)?; }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}

impl MessageWrite for Timestamp {
    fn get_size(&self) -> usize {
        0
        + if self.seconds == 0i64 { 0 } else { 1 + sizeof_varint(*(&self.seconds) as u64) }
        + if self.nanos == 0i32 { 0 } else { 1 + sizeof_varint(*(&self.nanos) as u64) }
    }

    fn write_message<W: WriterBackend>(&self, w: &mut Writer<W>) -> Result<()> {
        if self.seconds != 0i64 { w.write_with_tag(8, |w| w.write_int64(*&self.seconds))?; }
        if self.nanos != 0i32 { w.write_with_tag(16, |w| w.write_int32(*&self.nanos))?; }
        Ok(())
    }
}


