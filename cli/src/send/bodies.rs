//! What to post: captured requests, files, or what is made up, each encoded by the library.

use std::array;
use std::borrow::Cow;
use std::fs;
use std::ops::AddAssign;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Error, Result, ensure};
use borrowire::Encode;
use borrowire::body::negotiate::Message;
use borrowire::body::{Body, BufferPool, Encoding, Encodings};
use borrowire::loki::json::{JsonEncoder, JsonScratch};
use borrowire::loki::{Entry, PushRequest, PushRequestEncoder, Stream, Timestamp};
use borrowire::remote_write::v1::{WriteRequest, WriteRequestEncoder};
use borrowire::remote_write::v2::{Request, Symbolizer};
use borrowire::remote_write::{Label, Sample, TimeSeries};

use tracing::warn;

use crate::arguments::RequestKind;
use crate::convert::encode_as;
use crate::fixtures;
use crate::input::{LIMITS, detect};
use crate::inspect::describe;

/// As what a body is sent.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    pub kind: RequestKind,
    /// Loki's JSON.
    pub json: bool,
    pub encodings: Encodings,
}

impl Form {
    /// The media type of its message, and its version.
    #[must_use]
    pub fn headers(self) -> Vec<(&'static str, String)> {
        let message = match self.kind {
            RequestKind::RemoteWriteV1 => Message::RemoteWriteV1,
            RequestKind::RemoteWriteV2 => Message::RemoteWriteV2,
            RequestKind::LokiPush if self.json => Message::LokiPushJson,
            RequestKind::LokiPush => Message::LokiPush,
        };
        let version = match self.kind {
            RequestKind::RemoteWriteV1 => Some("0.1.0"),
            RequestKind::RemoteWriteV2 => Some("2.0.0"),
            RequestKind::LokiPush => None,
        };
        let encoding = self.encodings.outermost_first().next();
        [
            Some(("content-type", message.content_type().to_owned())),
            encoding.map(|encoding| ("content-encoding", encoding.to_string())),
            version.map(|version| ("x-prometheus-remote-write-version", version.to_owned())),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    fn compress(
        self,
        pool: &BufferPool,
        message: &(impl Encode + ?Sized),
        mut content: Content,
    ) -> Result<Outgoing> {
        content.message_bytes = message.encoded_len() as u64;
        Ok(Outgoing { body: pool.compress(message, self.encodings)?, content })
    }

    /// A message of this kind in protobuf, as it is sent.
    fn pack(self, pool: &BufferPool, message: &[u8]) -> Result<Outgoing> {
        let content = Content::of(self.kind, message)?;
        if !self.json {
            return self.compress(pool, message, content);
        }
        let push = PushRequest::decode(message).map_err(describe)?;
        let mut scratch = JsonScratch::new();
        let json = JsonEncoder::new(push.streams(), &mut scratch)?;
        self.compress(pool, &json, content)
    }
}

/// What a request holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// Series, streams and metadata entries.
    pub records: u64,
    pub samples: u64,
    pub histograms: u64,
    pub entries: u64,
    pub message_bytes: u64,
}

impl Content {
    fn of(kind: RequestKind, message: &[u8]) -> Result<Self> {
        let mut content = Self::default();
        match kind {
            RequestKind::RemoteWriteV1 => {
                let request = WriteRequest::decode(message).map_err(describe)?;
                let records = request.timeseries().len() + request.metadata().len();
                content.records = records as u64;
                content.samples = request.samples_len() as u64;
                content.histograms = request.histograms_len() as u64;
            }
            RequestKind::RemoteWriteV2 => {
                let request = Request::decode(message).map_err(describe)?;
                content.records = request.timeseries().len() as u64;
                content.samples = request.samples_len() as u64;
                content.histograms = request.histograms_len() as u64;
            }
            RequestKind::LokiPush => {
                let push = PushRequest::decode(message).map_err(describe)?;
                content.records = push.streams().len() as u64;
                content.entries = push.entries_len() as u64;
            }
        }
        Ok(content)
    }
}

impl AddAssign for Content {
    fn add_assign(&mut self, other: Self) {
        self.records += other.records;
        self.samples += other.samples;
        self.histograms += other.histograms;
        self.entries += other.entries;
        self.message_bytes += other.message_bytes;
    }
}

/// A body as it is sent.
#[derive(Debug)]
pub struct Outgoing {
    pub body: Body,
    pub content: Content,
}

/// The captured requests of a kind.
///
/// # Errors
///
/// When they cannot be sent in this form.
pub fn captured(form: Form, from: RequestKind, pool: &BufferPool) -> Result<Vec<Outgoing>> {
    let fixtures = fixtures::load(from).into_iter();
    let fixtures = fixtures.map(|fixture| (fixture.content(), fixture));
    let protobuf = fixtures.filter(|(content, _)| content.message != Message::LokiPushJson);
    all(form, from, pool, protobuf, |(content, fixture)| {
        (fixture.name.clone(), Ok((fixture.body.into(), content.encodings)))
    })
}

/// Bodies of a kind out of files. How they are compressed is seen.
///
/// # Errors
///
/// Which file is no such body.
pub fn files(
    form: Form,
    from: RequestKind,
    pool: &BufferPool,
    files: &[PathBuf],
) -> Result<Vec<Outgoing>> {
    all(form, from, pool, files, |file| {
        let read = fs::read(file).map_err(Error::from);
        let read = read.map(|sent| {
            let encoding = detect(&sent).unwrap_or(Encoding::Unstated);
            (sent.into(), encoding.into())
        });
        (file.display().to_string(), read)
    })
}

/// A body, and how it is compressed.
type Sent = (Cow<'static, [u8]>, Encodings);

/// Encodes bodies anew. One in which nothing is left then is not sent: receivers refuse it.
fn all<T>(
    form: Form,
    from: RequestKind,
    pool: &BufferPool,
    bodies: impl IntoIterator<Item = T>,
    read: impl Fn(T) -> (String, Result<Sent>),
) -> Result<Vec<Outgoing>> {
    let mut outgoing = Vec::new();
    let mut empty = 0;
    for body in bodies {
        let (name, sent) = read(body);
        let encode = || {
            let (sent, encodings) = sent?;
            let body = pool.decompress(&sent, encodings, &LIMITS)?;
            let mut message = Vec::new();
            // What the other version has no place for is not there for its receivers.
            encode_as(from, form.kind, &body, &mut message, |_| {})?;
            form.pack(pool, &message)
        };
        let encoded = encode().context(name)?;
        if encoded.content.records > 0 {
            outgoing.push(encoded);
        } else {
            empty += 1;
        }
    }
    if empty > 0 {
        warn!("{empty} bodies hold nothing to send as {}", form.kind.as_str());
    }
    Ok(outgoing)
}

/// How many log lines go to a stream.
const LINES_PER_STREAM: usize = 100;

const NAMES: [&str; 8] =
    ["__name__", "cluster", "handler", "instance", "job", "method", "sender", "series"];

/// Makes requests up: counters that grow, and log lines, from one sender. Times never stand still,
/// so that a receiver which wants them in order takes all.
pub struct Generator {
    form: Form,
    sender: usize,
    values: Vec<[String; NAMES.len()]>,
    lines: Vec<String>,
    symbolizer: Symbolizer,
    scratch: JsonScratch,
    /// In ms since 1970.
    last: i64,
    round: u64,
}

impl Generator {
    /// Makes requests of so many series, or lines.
    #[must_use]
    pub fn new(form: Form, sender: usize, series: usize) -> Self {
        const METHODS: [&str; 4] = ["GET", "POST", "PUT", "DELETE"];
        let values = |series: usize| {
            array::from_fn(|label| match NAMES[label] {
                "__name__" => "borrowire_generated_total".to_owned(),
                "cluster" => "cluster-1".to_owned(),
                "handler" => format!("/api/v1/resource-{}", series % 17),
                "instance" => format!("10.0.{}.{}:9090", series / 250 % 250, series % 250),
                "job" => "borrowire-send".to_owned(),
                "method" => METHODS[series % METHODS.len()].to_owned(),
                "sender" => sender.to_string(),
                _ => series.to_string(),
            })
        };
        Self {
            form,
            sender,
            values: (0..series).map(values).collect(),
            lines: vec![String::new(); series],
            symbolizer: Symbolizer::new(),
            scratch: JsonScratch::new(),
            last: 0,
            round: 0,
        }
    }

    /// The next request.
    ///
    /// # Errors
    ///
    /// When it cannot be sent in this form.
    pub fn next(&mut self, pool: &BufferPool) -> Result<Outgoing> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis());
        self.last = i64::try_from(now).unwrap_or(i64::MAX).max(self.last + 1);
        self.round += 1;
        if self.form.kind == RequestKind::LokiPush { self.push(pool) } else { self.write(pool) }
    }

    fn write(&mut self, pool: &BufferPool) -> Result<Outgoing> {
        let labels = self.values.iter();
        let labels: Vec<[Label<'_>; NAMES.len()]> = labels
            .map(|values| array::from_fn(|label| Label::new(NAMES[label], &values[label])))
            .collect();
        let samples = [Sample::new(self.round as f64, self.last)];
        let series = labels.iter().map(|labels| TimeSeries::new(labels).with_samples(&samples));
        let content = Content { samples: labels.len() as u64, ..Content::default() };
        if self.form.kind == RequestKind::RemoteWriteV1 {
            self.form.compress(pool, &WriteRequestEncoder::new(series), content)
        } else {
            self.form.compress(pool, &self.symbolizer.symbolize(series)?, content)
        }
    }

    fn push(&mut self, pool: &BufferPool) -> Result<Outgoing> {
        use std::fmt::Write;
        for (number, line) in self.lines.iter_mut().enumerate() {
            line.clear();
            let round = self.round;
            write!(line, "level=info component=generator round={round} line={number} took=3ms")?;
        }
        let nanos = i32::try_from(self.last % 1000 * 1_000_000)?;
        let time = Timestamp::new(self.last / 1000, nanos);
        let entries: Vec<_> =
            self.lines.iter().map(|line| Entry::new(time, line.as_bytes())).collect();
        let streams = entries.len().div_ceil(LINES_PER_STREAM);
        let sender = self.sender;
        let labels: Vec<_> = (0..streams)
            .map(|stream| {
                format!("{{job=\"borrowire-send\", sender=\"{sender}\", stream=\"{stream}\"}}")
            })
            .collect();
        let streams = labels.iter().zip(entries.chunks(LINES_PER_STREAM));
        let streams = streams.map(|(labels, entries)| Stream::new(labels).with_entries(entries));
        let content = Content { entries: entries.len() as u64, ..Content::default() };
        if self.form.json {
            let message = JsonEncoder::new(streams, &mut self.scratch)?;
            self.form.compress(pool, &message, content)
        } else {
            self.form.compress(pool, &PushRequestEncoder::new(streams), content)
        }
    }
}

/// Loki alone has JSON.
///
/// # Errors
///
/// When the form is not one of its protocol.
pub fn check(form: Form) -> Result<()> {
    let is_loki = form.kind == RequestKind::LokiPush;
    ensure!(is_loki || !form.json, "{} has no JSON form", form.kind.as_str());
    Ok(())
}
