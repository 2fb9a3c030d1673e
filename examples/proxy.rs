//! A proxy in front of a receiver that only knows remote write 1.0: it takes 2.0, converts it
//! without a copy of the series, and posts it on.
//!
//! ```text
//! cargo run --example proxy -- http://127.0.0.1:9009/api/v1/write    # listens on port 9010
//! ```

use std::time::Duration;
use std::{io, sync::Arc};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Response, Uri};
use axum::{Router, routing::post};
use borrowire::body::negotiate::{self, Message, RequestHead};
use borrowire::body::{BodyLimits, BufferPool, Encoding};
use borrowire::convert::remote_write::ToV1;
use borrowire::receive::{ReceiveError, answer};
use borrowire::remote_write::v2::{Request, Written};
use borrowire::reuse::Pool;
use tokio::task::spawn_blocking;

struct Proxy {
    upstream: String,
    buffers: BufferPool,
    requests: Pool<Request<'static>>,
}

impl Proxy {
    /// Converts a body and posts it on. Returns what was written.
    fn forward(
        &self,
        uri: &Uri,
        headers: &HeaderMap,
        sent: &[u8],
    ) -> Result<Written, ReceiveError> {
        let head = RequestHead::try_from(headers)?.with_path(uri.path());
        let content = negotiate::by_path(&head)?.accept(&[Message::RemoteWriteV2])?;
        let body = self.buffers.decompress(sent, content.encodings, &BodyLimits::new())?;
        let request = self.requests.decode(&body)?;

        let mut to_v1 = ToV1::new();
        let converted = to_v1.convert(&request, |loss| eprintln!("lost: {loss}"));
        let body = self.buffers.compress(&converted, Encoding::Snappy);
        let body = body.map_err(|_| ReceiveError::NotStored)?;
        let post = ureq::post(&self.upstream).config().http_status_as_error(false).build();
        let post = post
            .header("content-type", Message::RemoteWriteV1.content_type())
            .header("content-encoding", Encoding::Snappy.as_str());
        let later = ReceiveError::Overloaded { retry_after: Duration::from_secs(5) };
        let status = post.send(&body[..]).map_err(|_| later)?.status();
        if status.is_success() {
            Ok(Written::from(&*request))
        } else {
            Err(ReceiveError::Upstream { status: status.as_u16() })
        }
    }
}

async fn write(
    State(proxy): State<Arc<Proxy>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<String> {
    let forward = spawn_blocking(move || proxy.forward(&uri, &headers, &body));
    answer(forward.await.expect("it does not panic"))
}

#[tokio::main]
async fn main() -> io::Result<()> {
    let upstream = std::env::args().nth(1).expect("the URL of a receiver of remote write 1.0");
    let proxy = Proxy { upstream, buffers: BufferPool::new(), requests: Pool::new() };
    let router = Router::new().route("/api/v1/write", post(write)).with_state(Arc::new(proxy));
    axum::serve(tokio::net::TcpListener::bind("127.0.0.1:9010").await?, router).await
}
