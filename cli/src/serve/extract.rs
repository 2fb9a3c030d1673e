//! For axum: a remote write request, or a push of Loki, read, decompressed and decoded. This and
//! `refused.rs` use nothing else of this program: copy them.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRef, FromRequest, Request};
use axum::http::header::EXPECT;
use axum::http::request::Parts;
use borrowire::body::negotiate::{self, Message, RequestHead};
use borrowire::body::{BodyError, BodyLimits, BodyReceiver, BufferPool};
use borrowire::loki::PushRequest;
use borrowire::remote_write::v1::WriteRequest;
use borrowire::remote_write::v2;
use borrowire::reuse::{Owned, Pool};
use http_body_util::BodyExt;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::refused::Refused;

/// How long a sender may take for a body. Prometheus gives up after 30 seconds itself.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// Bodies over this size are decoded on a thread where that may take its time: at 1 GB/s, what a
/// body of 1 MiB holds can already keep other requests waiting for milliseconds. For smaller ones
/// it brings nothing, and as many as come are then decoded at the same time: under load, that took
/// twice the memory.
const LARGE_BODY_BYTES: usize = 1 << 20;

/// How much of a body that is refused already is read all the same. A sender that is still writing
/// when the connection closes may never see the answer, and would try again for ever. One that
/// asked first (`Expect: 100-continue`) is not writing.
const DISCARDED_BYTES: usize = 1 << 20;

/// What is taken from the application's state.
#[derive(Clone, Debug, Default)]
pub struct Pools {
    pub buffers: BufferPool,
    pub requests: Arc<Pool<WriteRequest<'static>>>,
    pub requests_v2: Arc<Pool<v2::Request<'static>>>,
    pub pushes: Arc<Pool<PushRequest<'static>>>,
    pub limits: BodyLimits,
}

impl Pools {
    /// Empty pools.
    #[must_use]
    pub fn new(limits: BodyLimits) -> Self {
        // In 2.0 bad references are the fault of a series: the others are taken.
        let partial = v2::DecodeOptions::new().with_partial(true);
        Self { requests_v2: Arc::new(Pool::new().with_options(partial)), limits, ..Self::default() }
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

/// A request of remote write, `Send + 'static`. Its buffers return to the pools on drop.
#[derive(Debug)]
pub struct RemoteWrite {
    pub request: OwnedRemoteWrite,
    /// The size of the body as it was sent.
    pub received_bytes: usize,
}

/// A request of either version.
#[derive(Debug)]
pub enum OwnedRemoteWrite {
    V1(Owned<WriteRequest<'static>>),
    V2(Owned<v2::Request<'static>>),
}

impl<S> FromRequest<S> for RemoteWrite
where
    Pools: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Refused;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refused> {
        let pools = Pools::from_ref(state);
        let messages = [Message::RemoteWriteV1, Message::RemoteWriteV2];
        let (message, receiver) = receive(request, &pools, &messages).await?;
        let received_bytes = receiver.received();
        // The request owns its body, so that it may be made on another thread.
        let decode = move || -> Result<OwnedRemoteWrite, Refused> {
            let body = receiver.finish()?.into_bytes();
            Ok(if message == Message::RemoteWriteV2 {
                OwnedRemoteWrite::V2(pools.requests_v2.decode_owned(body)?)
            } else {
                OwnedRemoteWrite::V1(pools.requests.decode_owned(body)?)
            })
        };
        let request = run(received_bytes, decode).await?;
        Ok(Self { request, received_bytes })
    }
}

/// A push of Loki, while it is looked at.
pub struct LokiPush<'p, 'a> {
    pub request: &'p PushRequest<'a>,
    /// The size of the body as it was sent.
    pub received_bytes: usize,
    /// The size of the body once decompressed.
    pub decompressed_bytes: usize,
}

/// Takes a push of Loki, protobuf or JSON, and shows it to `look`.
///
/// What was JSON borrows from memory of the decoder, so it is looked at where it was decoded, and
/// is no extractor's value. If that `may_block`, it happens where it keeps nobody waiting.
pub async fn loki_push<T: Send + 'static>(
    request: Request,
    pools: Pools,
    may_block: bool,
    look: impl FnOnce(LokiPush<'_, '_>) -> T + Send + 'static,
) -> Result<T, Refused> {
    let messages = [Message::LokiPush, Message::LokiPushJson];
    let (message, receiver) = receive(request, &pools, &messages).await?;
    let received_bytes = receiver.received();
    let decode = move || -> Result<T, Refused> {
        let body = receiver.finish()?;
        let decompressed_bytes = body.len();
        let look = |request: &PushRequest<'_>| {
            if request.streams().is_empty() {
                return Err(Refused::NoStreams);
            }
            Ok(look(LokiPush { request, received_bytes, decompressed_bytes }))
        };
        if message == Message::LokiPush {
            return look(&*pools.pushes.decode(&body)?);
        }
        let mut decoder = pools.pushes.decoder();
        look(&*decoder.decode_json(&body)?)
    };
    run(if may_block { usize::MAX } else { received_bytes }, decode).await
}

/// Runs what decodes a body of so many bytes, where it does not keep others waiting.
async fn run<T: Send + 'static>(
    received_bytes: usize,
    decode: impl FnOnce() -> Result<T, Refused> + Send + 'static,
) -> Result<T, Refused> {
    if received_bytes > LARGE_BODY_BYTES {
        spawn_blocking(decode).await.expect("decoding does not panic")
    } else {
        decode()
    }
}

/// Takes a body in, if it holds one of `messages`. Returns which.
async fn receive(
    request: Request,
    pools: &Pools,
    messages: &[Message],
) -> Result<(Message, BodyReceiver), Refused> {
    let (head, mut body) = request.into_parts();
    let receive = async {
        let received = receive_body(&head, &mut body, pools, messages).await;
        if received.is_err() && !head.headers.contains_key(EXPECT) {
            discard(body).await;
        }
        received
    };
    timeout(READ_TIMEOUT, receive).await.map_err(|_| Refused::TooSlow)?
}

/// Takes the body in as it comes.
async fn receive_body(
    head: &Parts,
    body: &mut Body,
    pools: &Pools,
    messages: &[Message],
) -> Result<(Message, BodyReceiver), Refused> {
    let content = negotiate::by_path(&RequestHead::try_from(head)?)?.accept(messages)?;
    // Hyper has checked the header, and holds the sender to it.
    let content_length = axum::body::HttpBody::size_hint(body).exact();
    let mut receiver = pools.buffers.receive(content.encodings, &pools.limits, content_length)?;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| BodyError::Read(io::Error::other(error)))?;
        if let Some(chunk) = frame.data_ref() {
            receiver.push(chunk)?;
        }
    }
    Ok((content.message, receiver))
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
