//! What the tests share.

pub mod client;
pub mod program;

use borrowire::body::{BodyLimits, BufferPool, Encoding};
use borrowire_cli::arguments::RequestKind;
use borrowire_cli::fixtures::{self, Fixture};

/// The captured request of this name.
pub fn fixture(name: &str) -> Fixture {
    let mut all = RequestKind::ALL.into_iter().flat_map(fixtures::load);
    all.find(|fixture| fixture.name == name).unwrap_or_else(|| panic!("no fixture {name}"))
}

/// Its message.
pub fn decompressed(fixture: &Fixture) -> Vec<u8> {
    let encodings = fixture.content().encodings;
    let body = BufferPool::new().decompress(fixture.body, encodings, &BodyLimits::new());
    body.expect("a good body").to_vec()
}

/// How it is compressed, as the command line has it.
pub fn encoding(fixture: &Fixture) -> String {
    let unstated = || {
        let read = BufferPool::new().decompress(fixture.body, Encoding::Snappy, &BodyLimits::new());
        if read.is_ok() { "snappy" } else { "identity" }.to_owned()
    };
    match fixture.content().encodings.layers().next() {
        None => "identity".to_owned(),
        Some(Encoding::Unstated) => unstated(),
        Some(encoding) => encoding.to_string(),
    }
}

/// The message, compressed.
pub fn compress(message: &[u8], encoding: Encoding) -> Vec<u8> {
    BufferPool::new().compress(message, encoding).expect("compresses").to_vec()
}
