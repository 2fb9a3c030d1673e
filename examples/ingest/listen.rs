//! The receiver as a program: it shows what comes in, and ends when told.

use std::io::{IsTerminal, Write, stdout};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use borrowire::body::BodyLimits;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::signal::ctrl_c;
use tokio::sync::oneshot;
use tokio::time::{interval, sleep};

use super::receiver::metrics::resident_bytes;
use super::receiver::{Counts, Receiver};
use super::shards::{Sink, SinkOptions};
use super::table::{bytes, count, rate};

/// How long requests in flight may take once the receiver is told to stop.
const GRACE: Duration = Duration::from_secs(10);

/// Receives until ctrl-c or SIGTERM, or until the time is over.
///
/// # Errors
///
/// One line that says why it could not.
pub fn listen(
    address: SocketAddr,
    duration: Option<Duration>,
    sink: Option<SinkOptions>,
) -> Result<(), String> {
    let sink = match sink {
        None => None,
        Some(options) => {
            let (sink, found) = Sink::open(&options)?;
            print!("{found}");
            println!("storing: {} shards in {}", options.shards, options.directory.display());
            Some(sink)
        }
    };
    let runtime = Runtime::new().map_err(|e| format!("cannot start: {e}"))?;
    runtime.block_on(async {
        let bound = TcpListener::bind(address).await;
        let listener = bound.map_err(|e| format!("cannot listen on {address}: {e}"))?;
        let address = listener.local_addr().map_err(|e| e.to_string())?;
        println!(
            "listening: http://{address}/api/v1/write (or /api/v1/push), /loki/api/v1/push, \
             own metrics on /metrics"
        );

        let receiver = Receiver::new(BodyLimits::new(), sink);
        let (stop, stopped) = oneshot::channel::<()>();
        let mut server = tokio::spawn(receiver.clone().serve(listener, async {
            // An error means that the sender is gone: stop as well.
            let _ = stopped.await;
        }));
        let mut progress = Progress::new();
        let mut ticks = interval(Duration::from_secs(1));
        let asked = told_to_stop(duration);
        tokio::pin!(asked);
        loop {
            tokio::select! {
                _ = ticks.tick() => progress.show(&receiver.counts()),
                ended = &mut server => return Err(format!("the server ended: {ended:?}")),
                () = &mut asked => break,
            }
        }
        progress.end();
        println!("stopping: no new connections, requests in flight are finished");
        drop(stop);
        let finished = tokio::select! {
            _ = &mut server => true,
            () = sleep(GRACE) => false,
            () = told_to_stop(None) => false,
        };
        println!("{}", totals(&receiver));
        if finished { Ok(()) } else { Err("requests were still in flight".to_owned()) }
    })
}

async fn told_to_stop(duration: Option<Duration>) {
    let time_is_over = async {
        match duration {
            Some(duration) => sleep(duration).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = ctrl_c() => {}
        () = terminated() => {}
        () = time_is_over => {}
    }
}

#[cfg(unix)]
async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut signal) => {
            signal.recv().await;
        }
        Err(_) => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn terminated() {
    std::future::pending().await
}

/// One line, renewed each second, on a terminal; else a line every ten seconds.
struct Progress {
    on_terminal: bool,
    shown: Instant,
    last: Counts,
}

impl Progress {
    fn new() -> Self {
        let on_terminal = stdout().is_terminal();
        Self { on_terminal, shown: Instant::now(), last: Counts::default() }
    }

    fn show(&mut self, counts: &Counts) {
        let elapsed = self.shown.elapsed();
        let every = Duration::from_secs(if self.on_terminal { 1 } else { 10 });
        // Ticks come a little early or late.
        if elapsed + Duration::from_millis(500) < every {
            return;
        }
        let line = line(counts, &self.last, elapsed);
        if self.on_terminal {
            // To the start of the line, and clear it.
            print!("\r\x1b[K{line}");
            // What cannot be shown is no reason to stop.
            let _ = stdout().flush();
        } else {
            println!("{line}");
        }
        self.shown = Instant::now();
        self.last = counts.clone();
    }

    fn end(&self) {
        if self.on_terminal {
            println!();
        }
    }
}

fn line(now: &Counts, before: &Counts, elapsed: Duration) -> String {
    let per_second = |now: u64, before: u64| (now - before) as f64 / elapsed.as_secs_f64();
    let mut line = format!(
        "{} requests/s  {} samples/s  {} log lines/s  {} in, {} decompressed  {} errors",
        count(per_second(now.requests(), before.requests()) as usize),
        count(per_second(now.samples, before.samples) as usize),
        count(per_second(now.entries, before.entries) as usize),
        rate((now.received_bytes - before.received_bytes) as usize, elapsed),
        rate((now.decompressed_bytes - before.decompressed_bytes) as usize, elapsed),
        now.errors(),
    );
    if let Some(resident) = resident_bytes() {
        line += &format!("  {} of memory", bytes(resident as usize));
    }
    if let Some(refusal) = &now.last_refusal {
        line += &format!("  (last {refusal})");
    }
    line
}

fn totals(receiver: &Receiver) -> String {
    let counts = receiver.counts();
    let of = |name: &str, value: u64| format!("{} {name}", count(value as usize));
    let mut text = [
        of("requests", counts.requests()),
        of("series", counts.series),
        of("samples", counts.samples),
        of("exemplars", counts.exemplars),
        of("histograms", counts.histograms),
        of("metadata entries", counts.metadata),
        of("streams", counts.streams),
        of("log lines", counts.entries),
    ]
    .join(", ");
    text += &format!(
        "\n{} received, {} decompressed",
        bytes(counts.received_bytes as usize),
        bytes(counts.decompressed_bytes as usize)
    );
    for (status, times) in &counts.answers {
        text += &format!("\nanswered {status}: {}", count(*times as usize));
    }
    for (kind, times) in &counts.refused {
        text += &format!("\nrefused, {kind}: {}", count(*times as usize));
    }
    for (kind, times) in &counts.violations {
        text += &format!("\nfound, {kind}: {}", count(*times as usize));
    }
    let buffers = receiver.pools.buffers.statistics();
    text += &format!(
        "\nbuffers: {} taken, {} of them new; {} idle with {}, {} outstanding",
        count(buffers.taken as usize),
        count(buffers.created as usize),
        buffers.idle,
        bytes(buffers.idle_bytes),
        buffers.outstanding()
    );
    if let Some(sink) = &receiver.sink {
        text += &format!("\n\n{}\n", sink.chart());
    }
    let (storages, storage_bytes) = receiver.pools.idle_storages();
    text += &format!("\nstorages: {storages} idle with {}", bytes(storage_bytes));
    text
}
