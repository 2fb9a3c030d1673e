//! `borrowire send`: a load, and whether it is counted to the last sample.

use std::time::Duration;

use borrowire_cli::send::send;
use borrowire_cli::serve::options::RequestLimits;
use bytesize::ByteSize;

use crate::receiver::Running;

#[test]
fn a_load_is_counted_to_the_last_sample() {
    let running = Running::start(RequestLimits::default());
    send(running.address, 8, Duration::from_secs(1)).expect("nothing is lost");
    running.stop();
}

#[test]
fn a_load_finds_what_a_receiver_refuses() {
    let running = Running::start(RequestLimits {
        max_body_bytes: Some(ByteSize(50_000)),
        ..RequestLimits::default()
    });
    let problem = send(running.address, 2, Duration::from_secs(1)).expect_err("too large");
    let problem = problem.to_string();
    assert!(problem.contains("413: body over 50000 bytes"), "{problem}");
    running.stop();
}
