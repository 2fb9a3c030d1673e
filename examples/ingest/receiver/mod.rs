//! A receiver of remote write, and of Loki's push, over HTTP, that counts what it takes in.

mod counts;
mod extract;
pub mod metrics;
mod refused;

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::{FromRef, Request, State};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use axum::{Router, serve};
use borrowire::Limits;
use borrowire::body::Written;
use borrowire::remote_write::v1::Rules;
use tokio::net::TcpListener;

pub use counts::Counts;
pub use extract::{LokiPush, Pools, RemoteWrite};
pub use refused::Refused;

/// The state that all requests share.
pub struct Receiver {
    pub pools: Pools,
    rules: Rules,
    counts: Mutex<Counts>,
}

impl FromRef<Arc<Receiver>> for Pools {
    fn from_ref(receiver: &Arc<Receiver>) -> Self {
        receiver.pools.clone()
    }
}

impl Receiver {
    pub fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self {
            pools: Pools::new(limits),
            rules: Rules::new().with_limits(limits),
            counts: Mutex::default(),
        })
    }

    /// Serves until `shutdown` is ready, and then until the requests in flight are answered.
    ///
    /// # Errors
    ///
    /// When the listener fails.
    pub async fn serve(
        self: Arc<Self>,
        listener: TcpListener,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        // Negotiation knows the paths of remote write, under any prefix, and refuses others.
        let router = Router::new()
            .route("/metrics", get(metrics))
            .route("/loki/api/v1/push", any(push))
            .fallback(write)
            .with_state(self);
        serve(listener, router).with_graceful_shutdown(shutdown).await
    }

    /// What was counted so far.
    pub fn counts(&self) -> Counts {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn write(
    State(receiver): State<Arc<Receiver>>,
    uri: Uri,
    request: Result<RemoteWrite, Refused>,
) -> Response {
    let (mut counts, written, mut response) = match request {
        Ok(write) => {
            let request = write.request.request();
            let counts = Counts::of(&write, &receiver.rules);
            // A service stores the request here. It could send `write.request` to another task as
            // it is, for it owns all that it needs.
            (counts, Written::from(request), success(&uri).into_response())
        }
        Err(refused) => (Counts::of_refused(&refused), Written::default(), refused.into_response()),
    };
    written.insert_into(response.headers_mut());
    counts.answers.insert(response.status().as_u16(), 1);
    receiver.lock().add(counts);
    response
}

async fn push(State(receiver): State<Arc<Receiver>>, request: Request) -> Response {
    let pools = receiver.pools.clone();
    let limits = pools.limits;
    // A service stores the push where it is looked at.
    let counts = extract::loki_push(request, pools, move |push| Counts::of_push(&push, &limits));
    let (mut counts, response) = match counts.await {
        Ok(counts) => (counts, StatusCode::NO_CONTENT.into_response()),
        Err(refused) => (Counts::of_refused(&refused), refused.into_response()),
    };
    counts.answers.insert(response.status().as_u16(), 1);
    receiver.lock().add(counts);
    response
}

/// Mimir and Cortex answer 200 to a push, Prometheus answers 204 to a write.
fn success(uri: &Uri) -> StatusCode {
    if uri.path().ends_with("/push") { StatusCode::OK } else { StatusCode::NO_CONTENT }
}

async fn metrics(State(receiver): State<Arc<Receiver>>) -> impl IntoResponse {
    let page = metrics::page(&receiver.counts(), &receiver.pools);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], page)
}
