//! The program, run as anybody runs it.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::thread;

/// What the program did.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    pub status: i32,
    pub output: String,
    pub errors: String,
}

/// Runs it to its end.
pub fn run(arguments: &[&str], input: &[u8]) -> Outcome {
    let mut child = command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    thread::scope(|scope| {
        // It need not read all, or anything.
        scope.spawn(move || stdin.write_all(input));
        let output = child.wait_with_output().expect("it ends");
        Outcome {
            status: output.status.code().expect("it ends by itself"),
            output: String::from_utf8(output.stdout).expect("output is UTF-8"),
            errors: String::from_utf8(output.stderr).expect("errors are UTF-8"),
        }
    })
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_borrowire"));
    command.args(arguments);
    command
}

/// A receiver in a process of its own, which can be killed.
pub struct Serving {
    pub child: Child,
    pub address: SocketAddr,
}

impl Serving {
    /// Runs `borrowire serve` on a free port, with more arguments.
    pub fn start(arguments: &[&str]) -> Self {
        let mut child = command(&["serve", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let log = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut lines = log.lines().map(|line| line.expect("the log is UTF-8"));
        let address = lines.by_ref().find_map(|line| {
            let (_, address) = line.split_once("listening on http://")?;
            address.parse().ok()
        });
        // Nobody else reads it, and a full pipe would stop the program.
        thread::spawn(move || lines.for_each(drop));
        Self { child, address: address.expect("it says where it listens") }
    }
}
