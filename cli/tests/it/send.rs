//! `borrowire send`: a load, and whether it is counted to the last sample.

use std::time::Duration;

use borrowire::body::BodyLimits;
use borrowire_cli::send::send;

use crate::receiver::Running;

#[test]
fn a_load_is_counted_to_the_last_sample() {
    let running = Running::start(BodyLimits::new());
    send(running.address, 8, Duration::from_secs(1)).expect("nothing is lost");
    running.stop();
}

#[test]
fn a_load_finds_what_a_receiver_refuses() {
    let running = Running::start(BodyLimits::new().with_max_compressed_bytes(50_000));
    let problem = send(running.address, 2, Duration::from_secs(1)).expect_err("too large");
    let problem = problem.to_string();
    assert!(problem.contains("413: body over 50000 bytes"), "{problem}");
    running.stop();
}
