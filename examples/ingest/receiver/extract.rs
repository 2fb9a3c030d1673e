//! An extractor for axum: a remote write request, read, decompressed and decoded. It and
//! `refused.rs` use nothing else of this example: copy them.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRef, FromRequest, Request};
use axum::http::header::EXPECT;
use axum::http::request::Parts;
use borrowire::Limits;
use borrowire::body::{BodyError, BodyReceiver, BufferPool, Message, RequestHead, negotiate};
use borrowire::remote_write::v1::{DecodeOptions, OwnedWriteRequest, WriteRequestPool};
use http_body_util::BodyExt;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::refused::Refused;

/// How long a sender may take for a body. Prometheus gives up after 30 seconds itself.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// Bodies over this size are decoded on a thread where that may take its time: at 1 GB/s, what a
/// body of 1 MiB holds can already keep other requests waiting for milliseconds. For smaller ones it
/// brings nothing, and as many as come are then decoded at the same time: under load, that took
/// twice the memory.
const LARGE_BODY_BYTES: usize = 1 << 20;

/// How much of a body that is refused already is read all the same. A sender that is still writing
/// when the connection closes may never see the answer, and would try again for ever. One that
/// asked first (`Expect: 100-continue`) is not writing.
const DISCARDED_BYTES: usize = 1 << 20;

/// What the extractor takes from the application's state.
#[derive(Clone, Debug, Default)]
pub struct Pools {
    pub buffers: BufferPool,
    pub requests: Arc<WriteRequestPool>,
    pub limits: Limits,
}

impl Pools {
    pub fn new(limits: Limits) -> Self {
        let options = DecodeOptions::new().with_limits(limits);
        let requests = Arc::new(WriteRequestPool::new().with_options(options));
        Self { buffers: BufferPool::new(), requests, limits }
    }
}

/// A request of remote write 1.0, `Send + 'static`. Its buffers return to the pools on drop.
#[derive(Debug)]
pub struct RemoteWrite {
    pub request: OwnedWriteRequest,
    /// The size of the body as it was sent.
    pub received_bytes: usize,
}

impl<S> FromRequest<S> for RemoteWrite
where
    Pools: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Refused;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refused> {
        let pools = Pools::from_ref(state);
        let (head, mut body) = request.into_parts();
        let receive = async {
            let received = receive(&head, &mut body, &pools).await;
            if received.is_err() && !head.headers.contains_key(EXPECT) {
                discard(body).await;
            }
            received
        };
        let receiver = timeout(READ_TIMEOUT, receive).await.map_err(|_| Refused::TooSlow)??;
        let received_bytes = receiver.received();
        // The request owns its body, so that it may be made on another thread.
        let decode = move || -> Result<OwnedWriteRequest, Refused> {
            let body = receiver.finish()?;
            Ok(pools.requests.decode_owned(body.into_bytes())?)
        };
        let request = if received_bytes > LARGE_BODY_BYTES {
            spawn_blocking(decode).await.expect("decoding does not panic")
        } else {
            decode()
        }?;
        Ok(Self { request, received_bytes })
    }
}

/// Takes the body in as it comes.
async fn receive(head: &Parts, body: &mut Body, pools: &Pools) -> Result<BodyReceiver, Refused> {
    let content = negotiate(&RequestHead::try_from(head)?)?.accept(&[Message::RemoteWriteV1])?;
    // Hyper has checked the header, and holds the sender to it.
    let content_length = axum::body::HttpBody::size_hint(body).exact();
    let mut receiver = pools.buffers.receive(content.encodings, &pools.limits, content_length)?;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| BodyError::Read(io::Error::other(error)))?;
        if let Some(chunk) = frame.data_ref() {
            receiver.push(chunk)?;
        }
    }
    Ok(receiver)
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
