//! Connections: how many there are, how long they may take for a head, and how they end.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpSocket, TcpStream, lookup_host};
use tokio::sync::Semaphore;
use tokio::time::sleep;
use tracing::warn;

use super::options::ServerOptions;
use crate::logging::Throttle;

/// Descriptors that are left for what is opened now and then: the page of metrics looks at a file
/// for the memory of the process, and a connection over the limit is open until it is told so.
const SPARE_DESCRIPTORS: u64 = 8;

/// The largest head of a request, and with it what a connection can make hyper keep of its bytes.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// How long to wait when the system has no descriptor left: others may give some back.
const ACCEPT_AGAIN: Duration = Duration::from_millis(50);

/// What a connection over the limit is told.
const BUSY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
    Retry-After: 1\r\nConnection: close\r\nContent-Length: 21\r\n\r\n\
    too many connections\n";

/// Connections that wait to be accepted: thousands may come in one moment.
const BACKLOG: u32 = 4096;

/// Listens.
///
/// # Errors
///
/// When there is no such address, or it is in use.
pub async fn listen(address: &str) -> io::Result<TcpListener> {
    let mut failure = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in lookup_host(address).await? {
        let listen = || {
            let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() };
            let socket = socket?;
            // Not on Windows, where it has another meaning.
            #[cfg(unix)]
            socket.set_reuseaddr(true)?;
            socket.bind(address)?;
            socket.listen(BACKLOG)
        };
        match listen() {
            Ok(listener) => return Ok(listener),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// How many there are.
#[derive(Debug, Default)]
pub struct Connections {
    open: Arc<AtomicU64>,
    accepted: AtomicU64,
    refused: AtomicU64,
    not_accepted: Throttle,
}

impl Connections {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Those that are open now.
    #[must_use]
    pub fn open(&self) -> u64 {
        self.open.load(Ordering::Relaxed)
    }

    /// All that there were, without those that were refused.
    #[must_use]
    pub fn accepted(&self) -> u64 {
        self.accepted.load(Ordering::Relaxed)
    }

    /// Those over the limit.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }
}

/// Serves until `shutdown` is there and all requests in flight are answered.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    connections: &Connections,
    options: &ServerOptions,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(places(options.max_connections)?));
    let service = TowerToHyperService::new(router);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(options.head_timeout())
        .max_buf_size(MAX_HEAD_BYTES);
    let graceful = GracefulShutdown::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    connections.not_accepted.error(&format_args!("no connection: {error}"));
                    sleep(ACCEPT_AGAIN).await;
                    continue;
                }
            },
            () = &mut shutdown => break,
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            connections.refused.fetch_add(1, Ordering::Relaxed);
            tell(&stream);
            continue;
        };
        // Answers are small, and whole.
        let _ = stream.set_nodelay(true);
        connections.accepted.fetch_add(1, Ordering::Relaxed);
        let open = Gauged::new(&connections.open);
        let connection = http.serve_connection(TokioIo::new(stream), service.clone());
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // An error is the client's: it went away, or sent no HTTP.
            let _ = connection.await;
            drop((open, place));
        });
    }
    drop(listener);
    graceful.shutdown().await;
    Ok(())
}

/// How many connections there may be: as many as there are descriptors for.
fn places(wanted: u32) -> io::Result<usize> {
    let Ok(limit) = rlimit::increase_nofile_limit(u64::from(u32::MAX)) else {
        return Ok(wanted as usize);
    };
    let free = limit.saturating_sub(open_descriptors() + SPARE_DESCRIPTORS);
    if free == 0 {
        let what = format!("too few file descriptors: {limit} are allowed");
        return Err(io::Error::other(what));
    }
    if free < u64::from(wanted) {
        warn!("{free} connections at most: no more than {limit} file descriptors are allowed");
    }
    Ok(usize::try_from(free).unwrap_or(usize::MAX).min(wanted as usize))
}

/// How many descriptors the process has, where the system tells; elsewhere a guess.
fn open_descriptors() -> u64 {
    std::fs::read_dir("/dev/fd").map_or(64, |open| open.count() as u64)
}

/// Says why the connection is closed, to a client that reads it. Nobody waits for that.
fn tell(stream: &TcpStream) {
    let _ = stream.try_write(BUSY);
}

/// Counts one of those that there are now.
pub(super) struct Gauged(Arc<AtomicU64>);

impl Gauged {
    pub(super) fn new(gauge: &Arc<AtomicU64>) -> Self {
        gauge.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(gauge))
    }
}

impl Drop for Gauged {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
