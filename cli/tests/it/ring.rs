//! `borrowire ring`: what dskit's ring answers to the same keys.

use crate::support::program::run;

fn ring(line: &str) -> String {
    let arguments: Vec<_> = ["ring"].into_iter().chain(line.split(' ')).collect();
    let outcome = run(&arguments, b"");
    assert_eq!((outcome.status, outcome.errors.as_str()), (0, ""), "{line}");
    outcome.output
}

#[test]
fn keys_of_ten_partitions() {
    let keys = "0 8388607 8388608 1345192342 1481338450 3956040770 4294967295";
    assert_eq!(ring(&format!("--partitions 10 {keys}")), "4\n0\n4\n6\n7\n7\n0\n");
    let user = "--partitions 10 --tenant user-1";
    assert_eq!(ring(&format!("{user} --size 3 1345192342 1481338450 3956040770")), "3\n3\n2\n");
    for all in ["", " --size 0", " --size -1", " --size 10", " --size 11"] {
        assert_eq!(ring(&format!("{user}{all} {keys}")), "4\n0\n4\n6\n7\n7\n0\n", "{all}");
    }
}

#[test]
fn one_partition_takes_all() {
    assert_eq!(ring("--partitions 1 0 4294967295"), "0\n0\n");
}

#[test]
fn what_is_no_ring_and_no_key() {
    for line in [
        "--partitions 0 1",
        "--partitions 65537 1",
        "--partitions 3",
        "--partitions 3 4294967296",
        "--partitions 3 -1",
        "--partitions 3 key",
        "--partitions 3 --size 2 1",
        "1",
    ] {
        let arguments: Vec<_> = ["ring"].into_iter().chain(line.split(' ')).collect();
        let outcome = run(&arguments, b"");
        assert_eq!((outcome.status, outcome.output.as_str()), (2, ""), "{line}");
    }
}
