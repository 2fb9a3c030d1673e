//! `borrowire send`: posts bodies to a receiver of remote write or of Loki's push, whoever wrote it.
//!
//! ```text
//! borrowire send http://127.0.0.1:9090 --seconds 60 --rate 10   # made-up series, to a Prometheus
//! borrowire send http://127.0.0.1:3100 --protocol loki-push     # log lines, to a Loki
//! borrowire send http://127.0.0.1:9009 BODY                     # a file, encoded by this crate
//! ```
//!
//! | file | what it is |
//! |---|---|
//! | `bodies` | what is posted |
//! | `target` | the receiver, and what it answers |
//! | `report` | what became of it |

mod bodies;
mod report;
mod target;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use borrowire::body::BufferPool;
use clap::{Args, value_parser};
use indicatif::{ProgressBar, ProgressStyle};
use tracing::info;
use ureq::http::{HeaderMap, HeaderName, HeaderValue};

use self::bodies::{Form, Generator, Outgoing};
use self::report::Report;
use self::target::{Connection, Target, parse_header};
use crate::arguments::{ContentEncoding, RequestKind};
use crate::logging::BARS;

/// The first wait before a request is sent again, and the longest: as Prometheus waits.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(30), Duration::from_secs(5));

/// How long a receiver may make a sender wait.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// How often progress is shown; where there is no terminal, how often it is logged.
const TICK: Duration = Duration::from_millis(100);
const LOG_EVERY: Duration = Duration::from_secs(10);

/// Post bodies to a receiver of remote write or of Loki's push
///
/// Without FILE and --captured it makes requests up: counters that grow, or log lines. What it
/// posts is encoded anew. A request that is answered with 429 or 5xx, or not at all, is sent again;
/// after any other answer but a 2xx it is given up.
#[derive(Args, Debug)]
pub struct Send {
    /// The receiver; without a path it is /api/v1/write or /loki/api/v1/push
    #[arg(value_name = "URL")]
    url: String,

    /// Bodies to post, compressed or not
    #[arg(value_name = "FILE", conflicts_with = "captured")]
    files: Vec<PathBuf>,

    /// Post the requests of real clients that this program carries along
    #[arg(long)]
    captured: bool,

    /// What to send
    #[arg(long, value_enum, default_value = "remote-write-v1")]
    protocol: RequestKind,

    /// What the files hold, or which captured requests to take, if it is to be converted
    #[arg(long, value_enum, value_name = "PROTOCOL")]
    from: Option<RequestKind>,

    /// How to compress it [default: snappy; JSON not at all]
    #[arg(long, value_enum)]
    encoding: Option<ContentEncoding>,

    /// Send the protocol's JSON form, which of these loki-push has
    #[arg(long)]
    json: bool,

    /// Series of each request that is made up, or log lines
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = value_parser!(u32).range(1..=1_000_000))]
    series: u32,

    /// How many connections send at the same time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = value_parser!(u16).range(1..=1024))]
    senders: u16,

    /// Requests a second, of all connections together [default: as many as are answered]
    #[arg(long, value_name = "N", value_parser = positive)]
    rate: Option<f64>,

    /// For how long; bodies are posted again and again then [default: each body once, or 10 s of
    /// made-up ones]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=86_400))]
    seconds: Option<u64>,

    /// How often to send a request again before it is given up
    #[arg(long, value_name = "N", default_value_t = 10)]
    retries: u32,

    /// Whose it is: X-Scope-OrgID, as Mimir and Loki have it
    #[arg(long, value_name = "NAME")]
    tenant: Option<String>,

    /// Another header
    #[arg(long = "header", value_name = "NAME: VALUE", value_parser = parse_header)]
    headers: Vec<(HeaderName, HeaderValue)>,
}

fn positive(text: &str) -> Result<f64> {
    let rate: f64 = text.parse()?;
    ensure!(rate.is_finite() && rate > 0.0, "not above 0");
    Ok(rate)
}

impl Send {
    /// Sends, and prints what the answers were.
    ///
    /// # Errors
    ///
    /// What cannot be sent; and in the end, when something was not taken.
    pub fn run(self) -> Result<()> {
        let report = self.send()?;
        println!("{report}");
        ensure!(report.lost == 0, "{} requests were not taken", report.lost);
        Ok(())
    }

    fn send(&self) -> Result<Report> {
        let usual = if self.json { ContentEncoding::Identity } else { ContentEncoding::Snappy };
        let encodings = self.encoding.unwrap_or(usual).into();
        let form = Form { kind: self.protocol, json: self.json, encodings };
        bodies::check(form)?;
        let target = self.target(form).with_context(|| self.url.clone())?;
        let pool = BufferPool::new();
        let from = self.from.unwrap_or(self.protocol);
        let bodies = match (self.captured, &self.files[..]) {
            (true, _) => Some(bodies::captured(form, from, &pool)?),
            (false, []) => None,
            (false, files) => Some(bodies::files(form, from, &pool, files)?),
        };
        ensure!(bodies.as_ref().is_none_or(|bodies| !bodies.is_empty()), "nothing to send");
        if bodies.is_none() {
            // What cannot be made is known before anything is sent.
            Generator::new(form, 0, 1).next(&pool)?;
        }
        let senders = usize::from(self.senders);
        info!("sending {} to {} from {senders} connections", self.protocol.as_str(), target.url);
        let seconds = self.seconds.or(bodies.is_none().then_some(10)).map(Duration::from_secs);
        let start = Instant::now();
        let load = Load {
            protocol: self.protocol,
            target,
            pool,
            bodies,
            start,
            end: seconds.map(|seconds| start + seconds),
            rate: self.rate,
            retries: self.retries,
            next: AtomicU64::new(0),
            report: Mutex::new(Report::new()),
        };
        thread::scope(|scope| {
            let send = |sender| {
                let generator = Generator::new(form, sender, self.series as usize);
                let load = &load;
                move || load.send(generator)
            };
            let threads: Vec<_> = (0..senders).map(|sender| scope.spawn(send(sender))).collect();
            load.watch(seconds, || threads.iter().all(thread::ScopedJoinHandle::is_finished));
            threads.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
        })?;
        let mut report = load.report.into_inner().unwrap_or_else(PoisonError::into_inner);
        report.elapsed = start.elapsed();
        Ok(report)
    }

    fn target(&self, form: Form) -> Result<Target> {
        let mut headers = HeaderMap::new();
        for (name, value) in form.headers() {
            headers.insert(name, value.parse()?);
        }
        if let Some(tenant) = &self.tenant {
            headers.insert("x-scope-orgid", tenant.parse().context("tenant")?);
        }
        for (name, value) in &self.headers {
            headers.insert(name, value.clone());
        }
        Target::new(&self.url, self.protocol, headers)
    }
}

/// What all connections share.
struct Load {
    protocol: RequestKind,
    target: Target,
    pool: BufferPool,
    /// `None`: each sender makes them up.
    bodies: Option<Vec<Outgoing>>,
    start: Instant,
    end: Option<Instant>,
    rate: Option<f64>,
    retries: u32,
    /// The number of the next request.
    next: AtomicU64,
    report: Mutex<Report>,
}

impl Load {
    /// One connection, from its first request to its last.
    fn send(&self, mut generator: Generator) -> Result<()> {
        let connection = self.target.connect();
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if let Some(rate) = self.rate {
                let due = self.start + Duration::from_secs_f64(number as f64 / rate);
                let until = self.end.map_or(due, |end| due.min(end));
                thread::sleep(until.saturating_duration_since(Instant::now()));
            }
            if self.is_over() {
                return Ok(());
            }
            match &self.bodies {
                None => self.deliver(&connection, &generator.next(&self.pool)?),
                Some(bodies) => {
                    let len = bodies.len() as u64;
                    if self.end.is_none() && number >= len {
                        return Ok(());
                    }
                    self.deliver(&connection, &bodies[(number % len) as usize]);
                }
            }
        }
    }

    /// Posts a body until it is taken, or given up.
    fn deliver(&self, connection: &Connection<'_>, outgoing: &Outgoing) {
        let (mut backoff, longest) = BACKOFF;
        for attempt in 0.. {
            let sent = Instant::now();
            let answer = connection.post(&outgoing.body);
            let is_last = attempt >= self.retries || self.is_over();
            let mut report = self.report();
            report.answered(&answer, sent.elapsed());
            let wait = match &answer {
                Ok(answer) if answer.is_success() => {
                    return report.taken(outgoing, answer, self.protocol);
                }
                Ok(answer) if !answer.is_retryable() => return report.lost += 1,
                Ok(answer) => answer.retry_after(),
                Err(_) => None,
            };
            if is_last {
                return report.lost += 1;
            }
            report.retries += 1;
            drop(report);
            let wait = wait.unwrap_or(backoff).min(LONGEST_WAIT);
            let left = self.end.map(|end| end.saturating_duration_since(Instant::now()));
            thread::sleep(left.map_or(wait, |left| wait.min(left)));
            backoff = (2 * backoff).min(longest);
        }
    }

    fn is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }

    fn report(&self) -> MutexGuard<'_, Report> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows how far it is, until it is done.
    fn watch(&self, seconds: Option<Duration>, is_done: impl Fn() -> bool) {
        let total = seconds.map(|seconds| seconds.as_millis() as u64);
        let total = total.or(self.bodies.as_ref().map(|bodies| bodies.len() as u64));
        let style = ProgressStyle::with_template("{elapsed} {wide_bar} {msg}").expect("a template");
        let bar = BARS.add(ProgressBar::new(total.unwrap_or(0)).with_style(style));
        let mut logged = Instant::now();
        while !is_done() {
            thread::sleep(TICK);
            let report = self.report();
            let line = report.line(self.start.elapsed());
            let done = seconds.map(|_| self.start.elapsed().as_millis() as u64);
            bar.set_position(done.unwrap_or(report.taken + report.lost));
            drop(report);
            if bar.is_hidden() && logged.elapsed() >= LOG_EVERY {
                info!("{line}");
                logged = Instant::now();
            }
            bar.set_message(line);
        }
        bar.finish_and_clear();
    }
}
