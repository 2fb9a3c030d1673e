//! A receiver of Prometheus remote write: `cargo run --example receiver`. More of one, with an
//! extractor, metrics and an orderly shutdown, is in `examples/ingest`.

use std::{io, sync::Arc};

use axum::{Router, extract::Request, extract::State, http::StatusCode, routing::post};
use borrowire::body::{BodyError, BufferPool, Message, RequestHead, negotiate};
use borrowire::{Limits, remote_write::v1::WriteRequestPool};
use http_body_util::BodyExt;

#[derive(Clone, Default)]
struct Pools {
    buffers: BufferPool,
    requests: Arc<WriteRequestPool>,
}

type Answer = Result<StatusCode, (StatusCode, String)>;

fn refuse(status: u16, error: impl ToString) -> (StatusCode, String) {
    (StatusCode::from_u16(status).unwrap_or_default(), error.to_string())
}

async fn write(State(pools): State<Pools>, request: Request) -> Answer {
    let refuse_body = |error: BodyError| refuse(error.status(), error);
    let (head, mut body) = request.into_parts();
    let content = RequestHead::try_from(&head).and_then(|head| negotiate(&head));
    let content = content.and_then(|content| content.accept(&[Message::RemoteWriteV1]));
    let encodings = content.map_err(|error| refuse(error.status(), error))?.encodings;
    let mut receiver =
        pools.buffers.receive(encodings, &Limits::new(), None).map_err(refuse_body)?;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| refuse(400, error))?;
        receiver.push(frame.data_ref().map_or(&[], |chunk| chunk)).map_err(refuse_body)?;
    }
    let body = receiver.finish().map_err(refuse_body)?;
    let request = pools.requests.decode(&body).map_err(|error| refuse(400, error))?;
    for series in request.timeseries() {
        println!("{:?}: {} samples", series.metric_name(), series.samples().len());
    }
    Ok(StatusCode::NO_CONTENT) // and all memory returns to the pools
}

#[tokio::main]
async fn main() -> io::Result<()> {
    let router = Router::new().route("/api/v1/write", post(write)).with_state(Pools::default());
    axum::serve(tokio::net::TcpListener::bind("127.0.0.1:9009").await?, router).await
}
