//! What the program is asked to do.

use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

pub const USAGE: &str = "\
usage: ingest [--all | FILE...]
       ingest --listen ADDR [--seconds N]
       ingest --send ADDR [--senders N] [--seconds N]";

#[derive(Debug, PartialEq)]
pub enum Task {
    Help,
    /// Measure the captured requests, each with a line of its own or not.
    Captured {
        each: bool,
    },
    /// Measure bodies out of files.
    Files(Vec<String>),
    /// Receive.
    Listen {
        address: SocketAddr,
        duration: Option<Duration>,
    },
    /// Put a receiver under load.
    Send {
        address: SocketAddr,
        senders: usize,
        duration: Duration,
    },
}

/// Reads the arguments.
///
/// # Errors
///
/// One line that says which is wrong.
pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Task, String> {
    let mut arguments = arguments.into_iter();
    let (mut listen, mut send, mut senders, mut seconds) = (None, None, None, None);
    let (mut all, mut files) = (false, Vec::new());
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} wants a value"));
        match argument.as_str() {
            "--help" | "-h" => return Ok(Task::Help),
            "--all" => all = true,
            "--listen" => listen = Some(address(&value()?)?),
            "--send" => send = Some(address(&value()?)?),
            "--senders" => senders = Some(number("--senders", 1..=1024, &value()?)?),
            "--seconds" => seconds = Some(number("--seconds", 1..=86_400, &value()?)?),
            option if option.starts_with('-') => return Err(format!("unknown option {option}")),
            _ => files.push(argument),
        }
    }
    let duration = seconds.map(Duration::from_secs);
    match (listen, send, all, files.is_empty()) {
        (Some(address), None, false, true) if senders.is_none() => {
            Ok(Task::Listen { address, duration })
        }
        (None, Some(address), false, true) => {
            // It is a load that would bring other machines down.
            if !address.ip().is_loopback() {
                return Err(format!(
                    "{address} is not this machine: --send wants a loopback address"
                ));
            }
            let senders = senders.unwrap_or(64) as usize;
            let duration = duration.unwrap_or(Duration::from_secs(60));
            Ok(Task::Send { address, senders, duration })
        }
        (None, None, ..) if senders.is_some() || seconds.is_some() => {
            Err("--senders and --seconds go with --send or --listen".to_owned())
        }
        (None, None, _, true) => Ok(Task::Captured { each: all }),
        (None, None, false, false) => Ok(Task::Files(files)),
        _ => Err("these do not go together".to_owned()),
    }
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let resolved = text.to_socket_addrs().ok().and_then(|mut addresses| addresses.next());
    resolved.ok_or_else(|| format!("{text} is no address: 127.0.0.1:9009 is one"))
}

fn number(option: &str, allowed: std::ops::RangeInclusive<u64>, text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| allowed.contains(number));
    number.ok_or_else(|| {
        format!("{option} wants a number from {} to {}", allowed.start(), allowed.end())
    })
}
