//! A receiver of Prometheus remote write, both versions, on axum.
//!
//! ```text
//! cargo run --example receiver    # and point a Prometheus at http://127.0.0.1:9009/api/v1/write
//! ```
//!
//! More of one, with limits, metrics and an orderly shutdown, is `borrowire serve`: cli/src/serve.

use std::{io, sync::Arc};

use axum::http::Response;
use axum::{Router, extract::Request, extract::State, routing::post};
use borrowire::DecodeError;
use borrowire::body::negotiate::{self, Message, RequestHead};
use borrowire::body::{BodyError, BodyLimits, BufferPool};
use borrowire::receive::{ReceiveError, answer};
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
        println!("{series:?}");
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

    async fn receive(&self, request: Request) -> Result<Written, ReceiveError> {
        let (head, mut body) = request.into_parts();
        let versions = [Message::RemoteWriteV1, Message::RemoteWriteV2];
        let content = negotiate::by_path(&RequestHead::try_from(&head)?)?.accept(&versions)?;
        let mut receiver = self.buffers.receive(content.encodings, &BodyLimits::new(), None)?;
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| BodyError::Read(io::Error::other(error)))?;
            receiver.push(frame.data_ref().map_or(&[], |chunk| chunk))?;
        }
        let body = receiver.finish()?;
        let written = self.store(content.message, &body);
        written.map_err(|error| ReceiveError::from(error).diagnosed(content.message, &body))
    }
}

async fn write(State(pools): State<Pools>, request: Request) -> Response<String> {
    answer(pools.receive(request).await)
}

#[tokio::main]
async fn main() -> io::Result<()> {
    let router = Router::new().route("/api/v1/write", post(write)).with_state(Pools::default());
    axum::serve(tokio::net::TcpListener::bind("127.0.0.1:9009").await?, router).await
}
