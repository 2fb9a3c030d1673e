//! `borrowire demo`: request bodies through the whole path of a receiver, and what that costs.
//!
//! ```text
//! borrowire demo             # the captured requests of real clients
//! borrowire demo --all       # the same, one line for each
//! borrowire demo FILE...     # your own bodies
//! ```
//!
//! Each body is decompressed, decoded, validated and encoded again, all in memory that is used
//! again. The captured requests must decode to what Google's protobuf runtime read in them, encode
//! back to it, and allocate nothing after warm-up; otherwise the program says so and fails.

mod allocations;
mod loki_push;
mod pipeline;
mod remote_write_v1;
mod remote_write_v2;
mod report;

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use borrowire::body::{BufferPool, Encoding, Encodings, negotiate};
use clap::{Args, value_parser};
use indicatif::{ProgressBar, ProgressStyle};
use tracing::error;

use self::loki_push::LokiPush;
use self::pipeline::{Message, Meter, PerStage, Pipeline, Stage, Unmetered};
use self::remote_write_v1::RemoteWriteV1;
use self::remote_write_v2::RemoteWriteV2;
use self::report::{Line, Report};
use crate::arguments::{ContentEncoding, RequestKind};
use crate::fixtures::{self, Fixture, Golden};
use crate::input::{LIMITS, detect};
use crate::logging::BARS;

/// Take captured requests of real clients through the whole path of a receiver
///
/// Each is decompressed, decoded, validated and encoded again, and compared with what Google's
/// protobuf runtime read in it. Shown are times, and allocations, of which there are none.
#[derive(Args, Debug)]
pub struct Demo {
    /// Show each captured request on a line of its own, not each client
    #[arg(long, conflicts_with = "files")]
    all: bool,

    /// What the files hold [default: remote-write-v1]
    #[arg(long, value_enum, requires = "files")]
    message: Option<RequestKind>,

    /// How the files are compressed; by default, their first bytes tell
    #[arg(long, value_enum, requires = "files")]
    encoding: Option<ContentEncoding>,

    /// How often each body is timed: the fastest run counts, the others were disturbed
    #[arg(
        long,
        value_name = "N",
        default_value_t = 25,
        value_parser = value_parser!(u32).range(1..)
    )]
    runs: u32,

    /// Bodies of your own, in place of the captured ones
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl Demo {
    /// Measures, and prints tables.
    ///
    /// # Errors
    ///
    /// How many bodies failed; why, is logged.
    pub fn run(self) -> Result<()> {
        let failed = if self.files.is_empty() {
            let kinds = RequestKind::ALL.into_iter();
            kinds.map(|kind| self.measure(kind, &captured(kind), self.all)).sum()
        } else {
            let bodies = self.files.iter().map(|file| own(file, self.encoding));
            let bodies = bodies.collect::<Result<Vec<_>>>()?;
            let kind = self.message.unwrap_or(RequestKind::RemoteWriteV1);
            self.measure(kind, &bodies, true)
        };
        match failed {
            0 => Ok(()),
            1 => bail!("a body failed"),
            failed => bail!("{failed} bodies failed"),
        }
    }

    /// Measures bodies and prints the table. Returns how many failed.
    fn measure(&self, kind: RequestKind, bodies: &[Body], each: bool) -> usize {
        match kind {
            RequestKind::RemoteWriteV1 => Receiver::<RemoteWriteV1>::run(self, bodies, each),
            RequestKind::RemoteWriteV2 => Receiver::<RemoteWriteV2>::run(self, bodies, each),
            RequestKind::LokiPush => Receiver::<LokiPush>::run(self, bodies, each),
        }
    }
}

/// A request body, and what is known about it.
struct Body {
    /// The line it is shown in, when not every body has its own.
    group: String,
    name: String,
    encodings: Encodings,
    /// Whether it is JSON, if that is known.
    is_json: Option<bool>,
    bytes: Cow<'static, [u8]>,
    /// What should be in it: of a captured request.
    fixture: Option<Fixture>,
}

fn captured(kind: RequestKind) -> Vec<Body> {
    let fixtures = fixtures::load(kind).into_iter();
    let bodies = fixtures.map(|fixture| {
        let content = fixture.content();
        Body {
            group: fixture.client.clone(),
            name: fixture.name.clone(),
            encodings: content.encodings,
            is_json: Some(content.message == negotiate::Message::LokiPushJson),
            bytes: Cow::Borrowed(fixture.body),
            fixture: Some(fixture),
        }
    });
    bodies.collect()
}

fn own(file: &Path, encoding: Option<ContentEncoding>) -> Result<Body> {
    let name = file.display().to_string();
    let bytes = fs::read(file).with_context(|| name.clone())?;
    let detected = || detect(&bytes).unwrap_or(Encoding::Unstated).into();
    Ok(Body {
        group: name.clone(),
        name,
        encodings: encoding.map_or_else(detected, Encodings::from),
        is_json: None,
        bytes: Cow::Owned(bytes),
        fixture: None,
    })
}

/// All memory that is used again.
struct Receiver<P> {
    buffers: BufferPool,
    pipeline: P,
    runs: u32,
}

impl<P: Pipeline> Receiver<P> {
    fn run(demo: &Demo, bodies: &[Body], each: bool) -> usize {
        let mut receiver =
            Self { buffers: BufferPool::new(), pipeline: P::default(), runs: demo.runs };
        receiver.measure(bodies, each)
    }

    fn measure(&mut self, bodies: &[Body], each: bool) -> usize {
        let progress = progress(P::KIND.as_str(), bodies.len() * 2);
        let mut failed = 0;
        let mut fail = |body: &Body, problem: anyhow::Error| {
            error!("{}: {problem:#}", body.name);
            failed += 1;
        };
        // Warm-up: every buffer grows to what the largest body needs, and contents are compared.
        let mut checked = Vec::new();
        for body in bodies {
            match self.check(body) {
                Ok(report) => checked.push((body, report)),
                Err(problem) => fail(body, problem),
            }
            progress.inc(1);
        }
        let mut lines: Vec<Line> = Vec::new();
        for (body, mut report) in checked {
            if let Err(problem) = self.time(body, &mut report) {
                fail(body, problem);
            }
            let name = if each { &body.name } else { &body.group };
            let encoding = encoding_name(&body.encodings);
            let same = |line: &&mut Line| !each && line.name == *name && line.encoding == encoding;
            match lines.iter_mut().find(same) {
                Some(line) => line.report += &report,
                None => lines.push(Line { name: name.clone(), encoding, report }),
            }
            progress.inc(1);
        }
        progress.finish_and_clear();
        BARS.remove(&progress);
        if !lines.is_empty() {
            report::print(
                P::KIND.as_str(),
                if each { "body" } else { "client" },
                &lines,
                self.runs,
            );
        }
        failed
    }

    /// Takes a body through all stages, once, and compares what comes out with what should.
    fn check(&mut self, body: &Body) -> Result<Report> {
        let golden = body.fixture.as_ref().map(Fixture::golden);
        let Self { buffers, pipeline, .. } = self;
        with_message(buffers, body, &mut Unmetered, |message, _| {
            let expected = golden.as_ref().map_or(message.bytes.len(), Golden::decoded_bytes);
            let len = message.bytes.len();
            ensure!(len == expected, "{len} bytes, where its golden contents have {expected}");
            Ok(Report {
                requests: 1,
                body_bytes: body.bytes.len(),
                message_bytes: len,
                contents: pipeline.check(message, golden.as_ref())?,
                ..Report::default()
            })
        })
    }

    /// Times several passes, and counts allocations in one of its own.
    fn time(&mut self, body: &Body, report: &mut Report) -> Result<()> {
        let Self { buffers, pipeline, runs } = self;
        let mut best = PerStage::<Duration>::default();
        for run in 0..*runs {
            let mut times = PerStage::<Duration>::default();
            with_message(buffers, body, &mut times, |message, times| {
                pipeline.pass(message, times)
            })?;
            for stage in Stage::ALL {
                let time = times.get(stage);
                best.update(stage, |best| if run == 0 { time } else { best.min(time) });
            }
        }
        report.times = best;
        let blocks = &mut report.blocks;
        with_message(buffers, body, blocks, |message, blocks| pipeline.pass(message, blocks))?;
        // Of an unknown body it is only shown: to find duplicates among more than 64 unsorted
        // labels, validate does allocate.
        let blocks = report.own_blocks();
        let as_promised = blocks == 0 || body.fixture.is_none();
        ensure!(as_promised, "{blocks} allocations after warm-up, where there should be none");
        Ok(())
    }
}

/// Decompresses a body for `run`.
fn with_message<M: Meter, T>(
    buffers: &BufferPool,
    body: &Body,
    meter: &mut M,
    run: impl FnOnce(Message<'_>, &mut M) -> Result<T>,
) -> Result<T> {
    let decompress = || buffers.decompress(&body.bytes, body.encodings, &LIMITS);
    let bytes = meter.measure(Stage::Decompress, decompress).context("decompress")?;
    // No protobuf of a push begins so.
    let is_json = body.is_json.unwrap_or(bytes.starts_with(b"{"));
    let result = run(Message { bytes: &bytes, is_json }, meter);
    meter.measure(Stage::Decompress, || drop(bytes));
    result
}

fn encoding_name(encodings: &Encodings) -> String {
    if encodings.is_identity() {
        return "identity".to_owned();
    }
    encodings.layers().map(|layer| layer.to_string()).collect::<Vec<_>>().join(", ")
}

fn progress(name: &'static str, steps: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}").expect("a template");
    let bar = ProgressBar::new(steps as u64).with_style(style).with_message(name);
    BARS.add(bar)
}
