//! Futures that hold pools and requests across an `await` can be spawned.

use std::error::Error;
use std::sync::Arc;

use borrowire::body::{BodyLimits, BufferPool, Encoding};
use borrowire::remote_write::v1::WriteRequest;
use borrowire::reuse::{Decoder, Pool};
use tokio::task::yield_now;

/// What is held across an `await` must be `Send`, to whatever lifetimes the compiler reduces it.
#[test]
fn futures_that_hold_pools_and_requests_are_send() {
    fn assert_send<F: Future + Send>(_: F) {}
    let (buffers, requests) = (BufferPool::new(), Arc::new(Pool::<WriteRequest>::new()));
    assert_send(async move {
        let mut receiver = buffers.receive(Encoding::Snappy, &BodyLimits::new(), None)?;
        yield_now().await;
        receiver.push(&[0])?;
        let body = receiver.finish()?;
        yield_now().await;
        let request = requests.decode(&body)?;
        yield_now().await;
        let mut decoder = Decoder::<WriteRequest>::new();
        let decoded = decoder.decode(&body)?;
        yield_now().await;
        drop((decoded, request));
        let owned = requests.decode_owned(body.into_bytes())?;
        yield_now().await;
        drop(owned);
        Ok::<(), Box<dyn Error + Send + Sync>>(())
    });
}
