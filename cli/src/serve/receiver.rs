//! The way of a request, from its head to the answer:
//!
//! ```text
//! route -> admission -> decompress -> decode -> validate -> sink
//! ```
//!
//! | step | what it does | refused with |
//! |---|---|---|
//! | route | whose it is, what it holds, what that tenant may send | 400, 404, 405, 415 |
//! | admission | takes the body in as it comes, within the tenant's size and the budget of all | 408, 413, 503 |
//! | decompress, decode | small bodies at once, large ones by turns on threads where that may take its time | 400, 413, 503 |
//! | validate | counts what is odd; nothing is refused for it | |
//! | sink | stores it, if there is one | 500 |
//!
//! Another protocol is an arm in `take_in`, and its messages in `MESSAGES`.

use std::io;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::header::{CONNECTION, HOST};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, Uri, Version, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use borrowire::DecodeErrorKind;
use borrowire::body::negotiate::{self, Content, Message, RequestHead};
use borrowire::body::{self, BodyError, BufferPool, Encodings};
use borrowire::loki::{self, PushRequest};
use borrowire::receive::ReceiveError;
use borrowire::remote_write::Rules;
use borrowire::remote_write::v1::WriteRequest;
use borrowire::remote_write::v2::{self, BadRef, Written};
use borrowire::reuse::Pool;
use http_body_util::BodyExt;
use tokio::net::TcpListener;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::admission::{Admission, Held};
use super::connections::{self, Connections, Gauged};
use super::counts::Counts;
use super::metrics;
use super::options::{Caps, ServerOptions, Tenant, Tenants};
use super::refused::Refused;
use super::sink::Sink;
use crate::logging::Throttle;

/// What is taken.
const MESSAGES: [Message; 4] =
    [Message::RemoteWriteV1, Message::RemoteWriteV2, Message::LokiPush, Message::LokiPushJson];

/// The steps in which a body may grow: what is over one waits for a turn with the next. A small
/// body, up to the first, is decoded in a millisecond or two, and keeps nobody waiting.
const STEP_BYTES: [usize; 3] = [1 << 20, 16 << 20, usize::MAX];

/// The most text that a small request may stand for.
const SMALL_EXPANDED_BYTES: u64 = 4 << 20;

/// How many small bodies are stored at a time: most of them wait for the disk.
const SMALL_TURNS: usize = 64;

/// How much of a body that is refused already is read all the same, and for how long. A sender that
/// is still writing when the connection closes may never see the answer, and would try again for
/// ever.
const DISCARDED_BYTES: usize = 1 << 20;
const DISCARDED_FOR: Duration = Duration::from_secs(2);

/// Memory that lies idle between requests, of each kind at most so much.
const IDLE_BUFFER_BYTES: usize = 64 << 20;
const IDLE_STORAGE_BYTES: usize = 16 << 20;
const LARGEST_IDLE_BUFFER_BYTES: usize = 4 << 20;

/// The memory of requests, used again.
#[derive(Debug)]
pub struct Pools {
    pub buffers: BufferPool,
    pub requests: Pool<WriteRequest<'static>>,
    pub requests_v2: Pool<v2::Request<'static>>,
    pub pushes: Pool<PushRequest<'static>>,
}

impl Pools {
    fn new() -> Self {
        Self {
            buffers: BufferPool::new()
                .with_max_idle_bytes(IDLE_BUFFER_BYTES)
                .with_max_buffer_bytes(LARGEST_IDLE_BUFFER_BYTES),
            requests: Pool::new().with_max_idle_bytes(IDLE_STORAGE_BYTES),
            requests_v2: Pool::new().with_max_idle_bytes(IDLE_STORAGE_BYTES),
            pushes: Pool::new().with_max_idle_bytes(IDLE_STORAGE_BYTES),
        }
    }

    /// How many storages lie idle, and their memory.
    #[must_use]
    pub fn idle_storages(&self) -> (usize, usize) {
        let Self { requests, requests_v2, pushes, .. } = self;
        (
            requests.idle() + requests_v2.idle() + pushes.idle(),
            requests.idle_bytes() + requests_v2.idle_bytes() + pushes.idle_bytes(),
        )
    }
}

/// The state that all requests share.
pub struct Receiver {
    pub pools: Pools,
    /// Where requests are stored, if they are.
    pub sink: Option<Sink>,
    pub connections: Connections,
    pub admission: Arc<Admission>,
    tenants: Tenants,
    options: ServerOptions,
    rules: Rules,
    counts: Mutex<Counts>,
    not_stored: Throttle,
    /// Requests whose head is there, and that have no answer yet.
    in_flight: Arc<AtomicU64>,
}

impl Receiver {
    /// A receiver that has counted nothing yet.
    #[must_use]
    pub fn new(options: ServerOptions, tenants: Tenants, sink: Option<Sink>) -> Arc<Self> {
        let budget = usize::try_from(options.max_in_flight_bytes.0).unwrap_or(usize::MAX);
        // One core is left for small ones.
        let large = thread::available_parallelism().map_or(1, |cores| (cores.get() - 1).max(1));
        Arc::new(Self {
            pools: Pools::new(),
            sink,
            connections: Connections::new(),
            admission: Arc::new(Admission::new(budget, SMALL_TURNS, large)),
            tenants,
            options,
            // All that there are: nothing is refused for them.
            rules: Rules::strict(),
            counts: Mutex::default(),
            not_stored: Throttle::new(),
            in_flight: Arc::default(),
        })
    }

    /// Serves until `shutdown` is there and all requests in flight are answered.
    ///
    /// # Errors
    ///
    /// When there are too few file descriptors to serve anybody.
    pub async fn serve(
        self: Arc<Self>,
        listener: TcpListener,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        // Negotiation knows the paths of all protocols, under any prefix, and refuses others.
        let router = Router::new()
            .route("/metrics", get(metrics))
            .route("/healthz", get(healthz))
            .fallback(receive)
            .with_state(Arc::clone(&self));
        connections::serve(listener, router, &self.connections, &self.options, shutdown).await
    }

    /// What was counted so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.lock().clone()
    }

    /// How many requests have no answer yet.
    #[must_use]
    pub fn in_flight(&self) -> u64 {
        self.in_flight.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the head of a request says.
struct Route {
    tenant: Tenant,
    content: Content,
}

/// A request whose body is there.
struct Job {
    route: Route,
    /// As it was sent.
    sent: body::Body,
    held: Held,
}

/// A request that was taken in.
struct Taken {
    counts: Counts,
    /// Of remote write.
    written: Option<Written>,
    /// What was wrong with a part of it.
    left_out: Option<String>,
}

async fn receive(State(receiver): State<Arc<Receiver>>, request: Request) -> Response {
    let _in_flight = Gauged::new(&receiver.in_flight);
    let (head, mut body) = request.into_parts();
    match take(&receiver, &head, &mut body).await {
        Ok(taken) => receiver.answer(&head.uri, taken),
        Err(refused) => receiver.refuse(&head, refused, body),
    }
}

async fn take(receiver: &Arc<Receiver>, head: &Parts, body: &mut Body) -> Result<Taken, Refused> {
    let route = receiver.route(head)?;
    let mut held = receiver.admission.hold();
    let sent = timeout(receiver.options.body_timeout(), receiver.admit(&route, body, &mut held));
    let sent = sent.await.map_err(|_| ReceiveError::TooSlow)??;
    run(receiver, Job { route, sent, held }).await
}

impl Receiver {
    fn route(&self, head: &Parts) -> Result<Route, Refused> {
        check_host(head)?;
        let content = RequestHead::try_from(head).and_then(|head| negotiate::by_path(&head));
        let content = content.and_then(|content| content.accept(&MESSAGES));
        let content = content.map_err(ReceiveError::from)?;
        Ok(Route { tenant: self.tenants.of(&head.headers)?, content })
    }

    /// Takes a body in as it comes.
    async fn admit(
        &self,
        route: &Route,
        body: &mut Body,
        held: &mut Held,
    ) -> Result<body::Body, ReceiveError> {
        // As it is sent: what it becomes is seen where that may take its time.
        let limits = route.tenant.caps.body;
        let limits = limits.with_max_decompressed_bytes(limits.max_compressed_bytes);
        let declared = body.size_hint().exact();
        let mut sent = self.pools.buffers.receive(Encodings::IDENTITY, &limits, declared)?;
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| BodyError::Read(io::Error::other(error)))?;
            if let Some(chunk) = frame.data_ref() {
                held.grow(sent.received() + chunk.len())?;
                sent.push(chunk)?;
            }
        }
        Ok(sent.finish()?)
    }

    /// decompress -> decode -> validate -> sink, for a body that becomes at most so large.
    fn work(&self, job: &Job, caps: &Caps) -> Result<Taken, Refused> {
        let Job { route, sent, .. } = job;
        let tenant = route.tenant.name.as_str();
        let encodings = route.content.encodings;
        let decompressed;
        let body: &[u8] = if encodings == Encodings::IDENTITY && sent.len() <= max_bytes(caps) {
            sent
        } else {
            let read = self.pools.buffers.decompress(sent, encodings, &caps.body);
            decompressed = read.map_err(ReceiveError::from)?;
            &decompressed
        };
        let message = route.content.message;
        let taken = self.take_in(message, body, caps, tenant);
        let mut taken = taken.map_err(|error| error.diagnosed(message, body))?;
        taken.counts.received_bytes = sent.len() as u64;
        taken.counts.decompressed_bytes = body.len() as u64;
        Ok(taken)
    }

    /// decode -> validate -> sink.
    fn take_in(
        &self,
        message: Message,
        body: &[u8],
        caps: &Caps,
        tenant: &str,
    ) -> Result<Taken, ReceiveError> {
        let pools = &self.pools;
        let empty = || Err(ReceiveError::Empty(message.protocol()));
        Ok(match message {
            Message::RemoteWriteV1 => {
                let request = pools.requests.decode_with(body, &caps.v1)?;
                if request.timeseries().is_empty() && request.metadata().is_empty() {
                    return empty();
                }
                let counts = Counts::of_v1(&request, &self.rules);
                self.store(|sink| sink.store_v1(tenant, &request))?;
                Taken { counts, written: Some(Written::from(&*request)), left_out: None }
            }
            Message::RemoteWriteV2 => {
                let request = pools.requests_v2.decode_with(body, &caps.v2)?;
                if request.timeseries().is_empty() && request.skipped().is_empty() {
                    return empty();
                }
                let counts = Counts::of_v2(&request, &self.rules);
                self.store(|sink| sink.store_v2(tenant, &request))?;
                let (written, left_out) = (Written::from(&*request), left_out(&request));
                Taken { counts, written: Some(written), left_out }
            }
            message => {
                let mut decoder = pools.pushes.decoder();
                let push = if message == Message::LokiPush {
                    decoder.decode_with(body, &caps.push)?
                } else {
                    decoder.decode_json_with(body, &caps.push)?
                };
                if push.streams().is_empty() {
                    return empty();
                }
                let counts = Counts::of_push(&push, &loki::Rules::new());
                self.store(|sink| sink.store_push(tenant, &push))?;
                Taken { counts, written: None, left_out: None }
            }
        })
    }

    fn store(&self, store: impl Fn(&Sink) -> io::Result<()>) -> Result<(), ReceiveError> {
        let Some(sink) = &self.sink else { return Ok(()) };
        store(sink).map_err(|error| {
            // What is wrong with the disk is not the sender's business.
            self.not_stored.error(&format_args!("not stored: {error}"));
            ReceiveError::NotStored
        })
    }

    fn answer(&self, uri: &Uri, taken: Taken) -> Response {
        let Taken { mut counts, written, left_out } = taken;
        let mut response = match left_out {
            None => success(uri).into_response(),
            Some(line) => (StatusCode::BAD_REQUEST, line).into_response(),
        };
        if let Some(written) = written {
            written.insert_into(response.headers_mut());
        }
        counts.answers.insert(response.status().as_u16(), 1);
        self.lock().add(counts);
        response
    }

    /// The answer does not wait for the rest of the body.
    fn refuse(&self, head: &Parts, refused: Refused, body: Body) -> Response {
        let mut counts = Counts::of_refused(&refused);
        let mut response = refused.into_response();
        if !is_loki(&head.uri) {
            Written::default().insert_into(response.headers_mut());
        }
        if !body.is_end_stream() {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            // Who asked first is not sending.
            if !head.headers.contains_key(header::EXPECT) {
                tokio::spawn(timeout(DISCARDED_FOR, discard(body)));
            }
        }
        counts.answers.insert(response.status().as_u16(), 1);
        self.lock().add(counts);
        response
    }
}

/// Works on a request, where and when that keeps nobody waiting.
async fn run(receiver: &Arc<Receiver>, mut job: Job) -> Result<Taken, Refused> {
    let limit = max_bytes(&job.route.tenant.caps);
    for step in STEP_BYTES {
        let is_small = step == STEP_BYTES[0];
        let caps = job.route.tenant.caps.up_to(step, is_small.then_some(SMALL_EXPANDED_BYTES));
        // What is sent is held already; what it becomes, only by those whose turn it is.
        let bytes = job.sent.len() + max_bytes(&caps);
        let result = if is_small && receiver.sink.is_none() {
            job.held.grow(bytes)?;
            receiver.work(&job, &caps)
        } else {
            let turn = if is_small {
                receiver.admission.small().await?
            } else {
                receiver.admission.large().await?
            };
            job.held.grow(bytes)?;
            let receiver = Arc::clone(receiver);
            // It goes on, and holds what it has, also when the sender does not wait for it.
            let work = move || {
                let result = receiver.work(&job, &caps);
                job.held.shrink(job.sent.len());
                drop(turn);
                (result, job)
            };
            let done = spawn_blocking(work).await;
            let (result, returned) = done.expect("the work does not panic");
            job = returned;
            result
        };
        match result {
            Err(refused) if is_over(&refused, is_small) && step < limit => {}
            result => return result,
        }
    }
    unreachable!("the last step has no end")
}

/// Whether a body is over the step, so that the next one may be enough for it.
fn is_over(refused: &Refused, is_small: bool) -> bool {
    match refused {
        Refused::Receive(ReceiveError::Body(error)) => {
            matches!(error, BodyError::DecompressedTooLarge { .. })
        }
        Refused::Receive(ReceiveError::Decode(error)) => {
            is_small && error.kind() == DecodeErrorKind::LimitExceeded
        }
        _ => false,
    }
}

fn max_bytes(caps: &Caps) -> usize {
    caps.body.max_decompressed_bytes
}

/// Nobody may see another host than we do, or none (RFC 9112, section 3.2).
fn check_host(head: &Parts) -> Result<(), Refused> {
    let hosts = head.headers.get_all(HOST).iter().count();
    let is_clear = hosts == 1 || hosts == 0 && head.version < Version::HTTP_11;
    is_clear.then_some(()).ok_or(Refused::Host)
}

async fn discard(mut body: Body) {
    let mut left = DISCARDED_BYTES;
    while let Some(Ok(frame)) = body.frame().await {
        match left.checked_sub(frame.data_ref().map_or(0, |chunk| chunk.len())) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}

/// What the answer says where some series, or exemplars of series, were left out: the specification
/// wants 400 then, which is not sent again, with the counts of what was written.
fn left_out(request: &v2::Request<'_>) -> Option<String> {
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

/// Mimir and Cortex answer 200 to a push, Loki answers 204, and Prometheus to a write as well.
fn success(uri: &Uri) -> StatusCode {
    if uri.path().ends_with("/push") && !is_loki(uri) {
        StatusCode::OK
    } else {
        StatusCode::NO_CONTENT
    }
}

fn is_loki(uri: &Uri) -> bool {
    uri.path().ends_with("/loki/api/v1/push")
}

async fn metrics(State(receiver): State<Arc<Receiver>>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, metrics::CONTENT_TYPE)], metrics::page(&receiver))
}

/// Whether requests can be taken: what a load balancer asks.
async fn healthz(State(receiver): State<Arc<Receiver>>) -> impl IntoResponse {
    match receiver.sink.as_ref().map_or(Ok(()), Sink::check) {
        Ok(()) => (StatusCode::OK, "ok\n".to_owned()),
        Err(error) => (StatusCode::SERVICE_UNAVAILABLE, format!("cannot store: {error}\n")),
    }
}
