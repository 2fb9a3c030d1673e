//! A proxy in front of a receiver that only knows remote write 1.0: it takes 2.0, converts it
//! without a copy of the series, and posts it on.
//!
//! ```text
//! cargo run --example proxy -- http://127.0.0.1:9009/api/v1/write    # listens on port 9010
//! ```

use std::{io, sync::Arc};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{AppendHeaders, IntoResponse};
use axum::{Router, routing::post};
use borrowire::body::negotiate::{self, Message, RequestHead};
use borrowire::body::{BodyLimits, BufferPool, Encoding};
use borrowire::convert::remote_write::ToV1;
use borrowire::remote_write::v2::{Request, Written};
use borrowire::reuse::Pool;
use tokio::task::spawn_blocking;

struct Proxy {
    upstream: String,
    buffers: BufferPool,
    requests: Pool<Request<'static>>,
}

type Answer = (StatusCode, Written);
type Refused = (StatusCode, String);

impl Proxy {
    /// Converts a body and posts it on. Returns the upstream's answer, and what was written.
    fn forward(&self, uri: &Uri, headers: &HeaderMap, sent: &[u8]) -> Result<Answer, Refused> {
        let head = RequestHead::try_from(headers).map_err(refuse)?.with_path(uri.path());
        let content = negotiate::by_path(&head).map_err(refuse)?;
        let content = content.accept(&[Message::RemoteWriteV2]).map_err(refuse)?;
        let body = self.buffers.decompress(sent, content.encodings, &BodyLimits::new());
        let body = body.map_err(refuse)?;
        let request = self.requests.decode(&body).map_err(refuse)?;

        let mut to_v1 = ToV1::new();
        let converted = to_v1.convert(&request, |loss| eprintln!("lost: {loss}"));
        let body = self.buffers.compress(&converted, Encoding::Snappy);
        let body = body.map_err(|error| (StatusCode::BAD_REQUEST, error.to_string()))?;
        let post = ureq::post(&self.upstream).config().http_status_as_error(false).build();
        let post = post
            .header("content-type", "application/x-protobuf")
            .header("content-encoding", Encoding::Snappy.as_str());
        let answer = post.send(&body[..]);
        let answer = answer.map_err(|error| (StatusCode::BAD_GATEWAY, error.to_string()))?;
        let taken = answer.status().is_success();
        Ok((answer.status(), if taken { Written::from(&*request) } else { Written::default() }))
    }
}

fn refuse<E: ToString + Into<StatusCode>>(error: E) -> Refused {
    let line = error.to_string();
    (error.into(), line)
}

async fn write(
    State(proxy): State<Arc<Proxy>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Result<impl IntoResponse, Refused> {
    let forward = spawn_blocking(move || proxy.forward(&uri, &headers, &body));
    let (status, written) = forward.await.expect("it does not panic")?;
    let headers = written.headers().map(|(name, count)| (name, count.to_string()));
    Ok((status, AppendHeaders(headers)))
}

#[tokio::main]
async fn main() -> io::Result<()> {
    let upstream = std::env::args().nth(1).expect("the URL of a receiver of remote write 1.0");
    let proxy = Proxy { upstream, buffers: BufferPool::new(), requests: Pool::new() };
    let router = Router::new().route("/api/v1/write", post(write)).with_state(Arc::new(proxy));
    axum::serve(tokio::net::TcpListener::bind("127.0.0.1:9010").await?, router).await
}
