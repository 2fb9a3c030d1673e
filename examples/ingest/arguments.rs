//! What the program is asked to do.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::time::Duration;

use super::shards::SinkOptions;

pub const USAGE: &str = "\
usage: ingest [--all]
       ingest [--message remote-write-v1|remote-write-v2|loki-push] FILE...
       ingest --listen ADDR [--seconds N] [--shards N [--out DIR] [--fsync]]
       ingest --send ADDR [--senders N] [--seconds N]";

#[derive(Debug, PartialEq)]
pub enum Task {
    Help,
    /// Measure the captured requests, each with a line of its own or not.
    Captured {
        each: bool,
    },
    /// Measure bodies out of files.
    Files {
        message: FileMessage,
        files: Vec<String>,
    },
    /// Receive, and perhaps store what comes in.
    Listen {
        address: SocketAddr,
        duration: Option<Duration>,
        sink: Option<SinkOptions>,
    },
    /// Put a receiver under load.
    Send {
        address: SocketAddr,
        senders: usize,
        duration: Duration,
    },
}

/// What files hold: the names are those of `examples/inspect`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum FileMessage {
    #[default]
    RemoteWriteV1,
    RemoteWriteV2,
    /// Protobuf or JSON, which their first byte tells.
    LokiPush,
}

/// Reads the arguments.
///
/// # Errors
///
/// One line that says which is wrong.
pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Task, String> {
    let mut arguments = arguments.into_iter();
    let (mut listen, mut send, mut senders, mut seconds) = (None, None, None, None);
    let (mut all, mut message, mut files) = (false, None, Vec::new());
    let (mut shards, mut out, mut fsync) = (None, None, false);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} wants a value"));
        match argument.as_str() {
            "--help" | "-h" => return Ok(Task::Help),
            "--all" => all = true,
            "--message" => message = Some(file_message(&value()?)?),
            "--listen" => listen = Some(address(&value()?)?),
            "--send" => send = Some(address(&value()?)?),
            "--senders" => senders = Some(number("--senders", 1..=1024, &value()?)?),
            "--shards" => shards = Some(number("--shards", 1..=4096, &value()?)?),
            "--out" => out = Some(PathBuf::from(value()?)),
            "--fsync" => fsync = true,
            "--seconds" => seconds = Some(number("--seconds", 1..=86_400, &value()?)?),
            option if option.starts_with('-') => return Err(format!("unknown option {option}")),
            _ => files.push(argument),
        }
    }
    if message.is_some() && files.is_empty() {
        return Err("--message goes with files".to_owned());
    }
    let duration = seconds.map(Duration::from_secs);
    let sink = match shards {
        None if out.is_some() || fsync => {
            return Err("--out and --fsync go with --shards".to_owned());
        }
        None => None,
        Some(_) if listen.is_none() => return Err("--shards goes with --listen".to_owned()),
        Some(shards) => Some(SinkOptions {
            shards: shards as u32,
            directory: out.unwrap_or_else(|| PathBuf::from("ingest-shards")),
            fsync,
        }),
    };
    match (listen, send, all, files.is_empty()) {
        (Some(address), None, false, true) if senders.is_none() => {
            Ok(Task::Listen { address, duration, sink })
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
        (None, None, false, false) => {
            Ok(Task::Files { message: message.unwrap_or_default(), files })
        }
        _ => Err("these do not go together".to_owned()),
    }
}

fn file_message(name: &str) -> Result<FileMessage, String> {
    match name {
        "remote-write-v1" => Ok(FileMessage::RemoteWriteV1),
        "remote-write-v2" => Ok(FileMessage::RemoteWriteV2),
        "loki-push" => Ok(FileMessage::LokiPush),
        _ => Err(format!("unknown message {name}")),
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
