//! A receiver of Prometheus remote write, both versions, on axum.
//!
//! ```text
//! cargo run --example receiver    # and point a Prometheus at http://127.0.0.1:9009/api/v1/write
//! ```
//!
//! More of one, with limits, metrics and an orderly shutdown, is `borrowire serve`: cli/src/serve.

use std::{io, sync::Arc};

use axum::response::{AppendHeaders, IntoResponse};
use axum::{Router, extract::Request, extract::State, http::StatusCode, routing::post};
use borrowire::DecodeError;
use borrowire::body::negotiate::{self, Message, RequestHead};
use borrowire::body::{BodyError, BodyLimits, BufferPool};
use borrowire::remote_write::v2::{self, Written};
use borrowire::remote_write::{TimeSeriesList, v1};
use borrowire::reuse::Pool;
use http_body_util::BodyExt;

#[derive(Clone, Default)]
struct Pools {
    buffers: BufferPool,
    v1: Arc<Pool<v1::WriteRequest<'static>>>,
    v2: Arc<Pool<v2::Request<'static>>>,
}

/// What is done with series, whichever version they came in.
fn store(timeseries: TimeSeriesList<'_, '_>) {
    for series in timeseries {
        println!("{:?}: {} samples", series.metric_name(), series.samples().len());
    }
}

impl Pools {
    fn store(&self, message: Message, body: &[u8]) -> Result<Written, DecodeError> {
        if message == Message::RemoteWriteV2 {
            let request = self.v2.decode(body)?;
            store(request.timeseries());
            Ok(Written::from(&*request))
        } else {
            let request = self.v1.decode(body)?;
            store(request.timeseries());
            Ok(Written::from(&*request))
        }
    } // and all memory returns to the pools
}

/// An error of this crate as an answer.
fn refuse<E: ToString + Into<StatusCode>>(error: E) -> (StatusCode, String) {
    let line = error.to_string();
    (error.into(), line)
}

async fn write(
    State(pools): State<Pools>,
    request: Request,
) -> Result<impl IntoResponse, (StatusCode, String)> {
    let (head, mut body) = request.into_parts();
    let content = RequestHead::try_from(&head).and_then(|head| negotiate::by_path(&head));
    let versions = [Message::RemoteWriteV1, Message::RemoteWriteV2];
    let content = content.and_then(|content| content.accept(&versions)).map_err(refuse)?;
    let mut receiver =
        pools.buffers.receive(content.encodings, &BodyLimits::new(), None).map_err(refuse)?;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| refuse(BodyError::Read(io::Error::other(error))))?;
        receiver.push(frame.data_ref().map_or(&[], |chunk| chunk)).map_err(refuse)?;
    }
    let body = receiver.finish().map_err(refuse)?;
    let written = pools.store(content.message, &body).map_err(refuse)?;
    let headers = written.headers().map(|(name, count)| (name, count.to_string()));
    Ok((StatusCode::NO_CONTENT, AppendHeaders(headers)))
}

#[tokio::main]
async fn main() -> io::Result<()> {
    let router = Router::new().route("/api/v1/write", post(write)).with_state(Pools::default());
    axum::serve(tokio::net::TcpListener::bind("127.0.0.1:9009").await?, router).await
}
