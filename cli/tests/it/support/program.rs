//! The program, run as anybody runs it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use super::client::Client;

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

/// A receiver in a process of its own, which can be killed, and is in the end.
pub struct Serving {
    pub child: Child,
    pub address: SocketAddr,
    log: Arc<Mutex<Vec<String>>>,
}

impl Serving {
    /// Runs `borrowire serve` on a free port, with more arguments.
    pub fn start(arguments: &[&str]) -> Self {
        Self::spawn(command(&["serve", "--listen", "127.0.0.1:0"]).args(arguments))
    }

    /// The same, with at most so many files open.
    #[cfg(unix)]
    pub fn start_with_descriptors(limit: u32, arguments: &[&str]) -> Self {
        let script = format!("ulimit -n {limit} && exec \"$0\" serve --listen 127.0.0.1:0 \"$@\"");
        let program = env!("CARGO_BIN_EXE_borrowire");
        Self::spawn(Command::new("sh").args(["-c", &script, program]).args(arguments))
    }

    fn spawn(command: &mut Command) -> Self {
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut lines = stderr.lines().map(|line| line.expect("the log is UTF-8"));
        let mut first = Vec::new();
        let address = lines.by_ref().find_map(|line| {
            let address = line.split_once("listening on http://").and_then(|(_, a)| a.parse().ok());
            first.push(line);
            address
        });
        let address = address.unwrap_or_else(|| panic!("it says where it listens: {first:?}"));
        let log = Arc::new(Mutex::new(first));
        let more = Arc::clone(&log);
        // A full pipe would stop the program.
        thread::spawn(move || lines.for_each(|line| more.lock().unwrap().push(line)));
        Self { child, address, log }
    }

    /// What it logged so far.
    pub fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    pub fn connect(&self) -> Client {
        Client::new(self.address)
    }

    /// A number of its page of metrics: 0 for what is not there.
    pub fn metric(&self, name: &str) -> u64 {
        let page = self.connect().get("/metrics").body;
        let value = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.map_or(0, |value| value.parse().expect("a whole number"))
    }

    /// Kilobytes of its memory, as the system counts them: `VmRSS` now, `VmHWM` at the most.
    #[cfg(target_os = "linux")]
    pub fn memory_kb(&self, what: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(what)?.strip_prefix(':'));
        line.unwrap().trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// Ends it at once.
    pub fn kill(&mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ends");
    }

    /// Tells it to stop, and waits until it has. Returns what it printed.
    #[cfg(unix)]
    pub fn stop(mut self) -> String {
        let kill = Command::new("kill").arg(self.child.id().to_string()).status();
        assert!(kill.unwrap().success());
        let mut output = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut output).expect("UTF-8");
        assert!(self.child.wait().unwrap().success(), "{output}");
        output
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
