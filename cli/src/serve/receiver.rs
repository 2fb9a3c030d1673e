//! A receiver of remote write, and of Loki's push, over HTTP, that counts what it takes in.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::{FromRef, Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use axum::{Router, serve};
use borrowire::body::BodyLimits;
use borrowire::loki;
use borrowire::remote_write::Rules;
use borrowire::remote_write::v2::{self, BadRef, Written};
use borrowire::reuse::Owned;
use tokio::net::TcpListener;
use tokio::task::spawn_blocking;

use super::counts::Counts;
use super::extract::{LokiPush, OwnedRemoteWrite, Pools, RemoteWrite, loki_push};
use super::metrics;
use super::refused::Refused;
use super::sink::{ANONYMOUS, Sink};

/// The longest tenant that Mimir takes.
const MAX_TENANT_BYTES: usize = 150;

/// The state that all requests share.
pub struct Receiver {
    /// All memory.
    pub pools: Pools,
    /// Where requests are stored, if they are.
    pub sink: Option<Arc<Sink>>,
    rules: Rules,
    counts: Mutex<Counts>,
}

impl FromRef<Arc<Receiver>> for Pools {
    fn from_ref(receiver: &Arc<Receiver>) -> Self {
        receiver.pools.clone()
    }
}

impl Receiver {
    /// A receiver that has counted nothing yet.
    #[must_use]
    pub fn new(limits: BodyLimits, sink: Option<Arc<Sink>>) -> Arc<Self> {
        Arc::new(Self {
            pools: Pools::new(limits),
            sink,
            // All that there are: nothing is refused for them.
            rules: Rules::strict(),
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
    #[must_use]
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
    headers: HeaderMap,
    request: Result<RemoteWrite, Refused>,
) -> Response {
    let request = match (request, &receiver.sink) {
        (Ok(write), Some(sink)) => store(Arc::clone(sink), &headers, write).await,
        (request, _) => request,
    };
    let (mut counts, written, mut response) = match request {
        Ok(write) => {
            let counts = Counts::of(&write, &receiver.rules);
            let (written, left_out) = match &write.request {
                OwnedRemoteWrite::V1(owned) => (Written::from(owned.request()), None),
                OwnedRemoteWrite::V2(owned) => (Written::from(owned.request()), left_out(owned)),
            };
            let response = match left_out {
                None => success(&uri).into_response(),
                Some(line) => (StatusCode::BAD_REQUEST, line).into_response(),
            };
            (counts, written, response)
        }
        Err(refused) => (Counts::of_refused(&refused), Written::default(), refused.into_response()),
    };
    written.insert_into(response.headers_mut());
    counts.answers.insert(response.status().as_u16(), 1);
    receiver.lock().add(counts);
    response
}

/// Stores the series. A request can be sent to another task as it is, for it owns all that it
/// needs.
async fn store(
    sink: Arc<Sink>,
    headers: &HeaderMap,
    write: RemoteWrite,
) -> Result<RemoteWrite, Refused> {
    let tenant = tenant(headers)?;
    let store = move || -> io::Result<RemoteWrite> {
        match &write.request {
            OwnedRemoteWrite::V1(owned) => sink.store_v1(&tenant, owned.request())?,
            OwnedRemoteWrite::V2(owned) => sink.store_v2(&tenant, owned.request())?,
        }
        Ok(write)
    };
    Ok(spawn_blocking(store).await.expect("storing does not panic")?)
}

/// Whose request it is: the header of Mimir and Loki.
fn tenant(headers: &HeaderMap) -> Result<String, Refused> {
    let Some(value) = headers.get("x-scope-orgid") else { return Ok(ANONYMOUS.to_owned()) };
    match value.to_str() {
        Ok(tenant) if (1..=MAX_TENANT_BYTES).contains(&tenant.len()) => Ok(tenant.to_owned()),
        _ => Err(Refused::Tenant),
    }
}

async fn push(State(receiver): State<Arc<Receiver>>, request: Request) -> Response {
    let (mut counts, response) = match take_push(&receiver, request).await {
        Ok(counts) => (counts, StatusCode::NO_CONTENT.into_response()),
        Err(refused) => (Counts::of_refused(&refused), refused.into_response()),
    };
    counts.answers.insert(response.status().as_u16(), 1);
    receiver.lock().add(counts);
    response
}

/// Stores a push, if that is wanted, and counts it.
async fn take_push(receiver: &Receiver, request: Request) -> Result<Counts, Refused> {
    let store = match &receiver.sink {
        None => None,
        Some(sink) => Some((Arc::clone(sink), tenant(request.headers())?)),
    };
    // Storing waits for the disk.
    let may_block = store.is_some();
    // What was JSON cannot leave the thread that decoded it, so it is stored where it is looked at.
    let look = move |push: LokiPush<'_, '_>| {
        if let Some((sink, tenant)) = &store {
            sink.store_push(tenant, push.request)?;
        }
        Ok(Counts::of_push(&push, &loki::Rules::new()))
    };
    loki_push(request, receiver.pools.clone(), may_block, look).await?
}

/// What the answer says where some series, or exemplars of series, were left out: the specification
/// wants 400 then, which is not sent again, with the counts of what was written.
fn left_out(owned: &Owned<v2::Request<'static>>) -> Option<String> {
    let request = owned.request();
    let skipped = request.skipped();
    let first = skipped.first()?;
    let fault = match BadRef::find(request.body(), &first.error) {
        Some(bad) => bad.to_string(),
        None => first.error.to_string(),
    };
    let series = skipped.iter().filter(|skipped| skipped.element.is_none()).count();
    let exemplars = match skipped.len() - series {
        0 => String::new(),
        1 => " and 1 exemplar".to_owned(),
        exemplars => format!(" and {exemplars} exemplars"),
    };
    let all = series + request.timeseries().len();
    Some(format!("{series} of {all} series{exemplars} left out; the first: {fault}\n"))
}

/// Mimir and Cortex answer 200 to a push, Prometheus answers 204 to a write.
fn success(uri: &Uri) -> StatusCode {
    if uri.path().ends_with("/push") { StatusCode::OK } else { StatusCode::NO_CONTENT }
}

async fn metrics(State(receiver): State<Arc<Receiver>>) -> impl IntoResponse {
    let page = metrics::page(receiver.counts(), receiver.pools.clone());
    ([(header::CONTENT_TYPE, metrics::CONTENT_TYPE)], page)
}
