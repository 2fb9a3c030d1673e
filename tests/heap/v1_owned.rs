//! A string copied out of a large request keeps nothing of the request alive.

use std::sync::Arc;

use borrowire::remote_write::v1::WriteRequest;
use borrowire::reuse::{Owned, Pool};

use crate::{bytes, heap};

pub fn run() {
    let body = || {
        let series = bytes::series(
            &[("__name__", "up"), ("job", "node"), ("instance", "host:9100")],
            &[(1.0, 1 << 40)],
        );
        let request = bytes::request(&[series]);
        let body = request.repeat((8 << 20) / request.len());
        ::bytes::Bytes::from(body)
    };
    let _profiler = heap::profiler();
    let label = |owned: &Owned<WriteRequest<'static>>| {
        owned.request().timeseries().get(1000).unwrap().label("job").unwrap().to_owned()
    };

    let before = heap::live_bytes();
    let owned = Owned::<WriteRequest>::decode(body()).unwrap();
    assert!(heap::live_bytes() - before > 8 << 20, "the request holds its body and storage");
    let kept = label(&owned);
    drop(owned);
    assert!(heap::live_bytes() - before <= 64, "only the copy is left");
    assert_eq!(kept, "node");

    // With a pool the storage stays there, and the body does not.
    let pool = Arc::new(Pool::<WriteRequest>::new());
    drop(pool.decode_owned(body()).unwrap());
    let before = heap::live_bytes();
    let owned = pool.decode_owned(body()).unwrap();
    let kept_too = label(&owned);
    drop(owned);
    assert!(heap::live_bytes() - before <= 64, "only the copy is left");
    assert_eq!((kept_too.as_str(), pool.idle()), ("node", 1));
    // A cap on what idles is kept.
    let pool = Arc::new(Pool::<WriteRequest>::new().with_max_idle_bytes(1 << 20));
    let before = heap::live_bytes();
    drop(pool.decode_owned(body()).unwrap());
    assert!(heap::live_bytes() - before <= 64);
    assert_eq!((pool.idle(), pool.idle_bytes()), (0, 0));
}
