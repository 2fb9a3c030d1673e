//! `borrowire serve`: a receiver of remote write, both versions, and of Loki's push, over HTTP.
//!
//! ```text
//! borrowire serve                                # counts what comes in
//! borrowire serve --out DIR --shards 4 --fsync   # and stores it, split by series and stream
//! ```
//!
//! | file | what it is |
//! |---|---|
//! | [`receiver`] | the way of a request, from its head to the answer |
//! | [`options`] | limits, of all and of single tenants |
//! | [`admission`] | the budget of memory, and turns for work |
//! | [`connections`] | how many, and how long they may take |
//! | [`refused`] | why not, and the answer that says so |
//! | [`sink`] | records by shard |
//! | [`counts`], [`metrics`] | what was taken in, and the page that says so |
//! | `progress`, `summary` | the same for people, meanwhile and in the end |

pub mod admission;
pub mod connections;
pub mod counts;
pub mod metrics;
pub mod options;
mod progress;
pub mod receiver;
pub mod refused;
pub mod sink;
mod summary;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::{Args, value_parser};
use tokio::runtime;
use tokio::signal::ctrl_c;
use tokio::sync::oneshot;
use tokio::time::{interval, sleep};
use tracing::info;

use self::options::{RequestOptions, ServerOptions, Tenants};
use self::progress::Progress;
use self::receiver::Receiver;
use self::sink::{Sink, SinkOptions};

/// How long requests in flight may take once the receiver is told to stop.
const GRACE: Duration = Duration::from_secs(10);

/// Threads that wait for the disk, or work on large bodies. More than this have no turn.
const MAX_BLOCKING_THREADS: usize = 128;

/// Receive remote write and Loki's push over HTTP
///
/// Paths: /api/v1/write and /api/v1/push (remote write 1.0 and 2.0), /loki/api/v1/push (protobuf
/// and JSON), /metrics, /healthz. It stops on ctrl-c or SIGTERM, when requests in flight are
/// answered.
#[derive(Args, Debug)]
pub struct Serve {
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:9009")]
    listen: String,

    /// Store what comes in, in files of this directory
    #[arg(long, value_name = "DIR", requires = "shards")]
    out: Option<PathBuf>,

    /// How many files: each series and stream is in one of them
    #[arg(
        long,
        value_name = "N",
        requires = "out",
        value_parser = value_parser!(u32).range(1..=4096)
    )]
    shards: Option<u32>,

    /// Acknowledge a request only when it is on the disk
    #[arg(long, requires = "out")]
    fsync: bool,

    /// Stop after so many seconds
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=86_400))]
    seconds: Option<u64>,

    #[command(flatten, next_help_heading = "Limits on a request")]
    requests: RequestOptions,

    #[command(flatten, next_help_heading = "Limits on all")]
    server: ServerOptions,
}

impl Serve {
    /// Receives until told to stop, and prints what came in.
    ///
    /// # Errors
    ///
    /// Why it could not start, or stop in good order.
    pub fn run(self) -> Result<()> {
        let sink = match (self.out, self.shards) {
            (Some(directory), Some(shards)) => {
                let sink = Sink::open(&SinkOptions { shards, directory, fsync: self.fsync });
                Some(sink.context("cannot store")?)
            }
            _ => None,
        };
        let duration = self.seconds.map(Duration::from_secs);
        let receiver = Receiver::new(self.server, Tenants::load(&self.requests)?, sink);
        let runtime = runtime::Builder::new_multi_thread()
            .enable_all()
            .max_blocking_threads(MAX_BLOCKING_THREADS)
            .build()
            .context("cannot start")?;
        let in_order = runtime.block_on(serve(&receiver, &self.listen, duration))?;
        println!("{}", summary::of(&receiver));
        ensure!(in_order, "requests were still in flight");
        Ok(())
    }
}

/// Serves until told to stop. Returns whether all requests in flight were answered.
async fn serve(
    receiver: &Arc<Receiver>,
    address: &str,
    duration: Option<Duration>,
) -> Result<bool> {
    let cannot_listen = || format!("cannot listen on {address}");
    let listener = connections::listen(address).await.with_context(cannot_listen)?;
    let address = listener.local_addr().with_context(cannot_listen)?;
    info!("listening on http://{address}");

    let (stop, stopped) = oneshot::channel::<()>();
    let mut server = tokio::spawn(receiver.clone().serve(listener, async {
        // An error means that the sender is gone: stop as well.
        let _ = stopped.await;
    }));
    let mut progress = Progress::new();
    let mut ticks = interval(Duration::from_secs(1));
    let told = told_to_stop(duration);
    tokio::pin!(told);
    loop {
        tokio::select! {
            _ = ticks.tick() => progress.show(&receiver.counts()),
            ended = &mut server => {
                ended.context("the server ended")?.context("the server ended")?;
                return Ok(true);
            }
            () = &mut told => break,
        }
    }
    progress.end();
    info!("stopping: no new connections, requests in flight are finished");
    drop(stop);
    tokio::select! {
        _ = &mut server => {}
        () = sleep(GRACE) => {}
        () = told_to_stop(None) => {}
    }
    // Who has not even sent a head by now waits for nothing.
    Ok(receiver.in_flight() == 0)
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
