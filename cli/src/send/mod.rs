//! `borrowire send`: a load for a receiver on this machine, and a check that it counted everything.

mod bodies;
mod scrape;
mod target;

use std::net::{SocketAddr, ToSocketAddrs};
use std::ops::AddAssign;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, value_parser};
use indicatif::{DecimalBytes, HumanCount, ProgressBar, ProgressStyle};
use tracing::info;

use self::bodies::{Bodies, Content, Values};
use self::scrape::Scrape;
use self::target::Target;
use crate::logging::BARS;

/// When the receiver has seen each body often enough to have all the memory that it needs.
const WARM_UP: Duration = Duration::from_secs(10);

/// Put a receiver of this program under load, and check that it counts everything
///
/// It posts the captured requests and generated ones at full speed. The receiver is one that
/// `borrowire serve` started on this machine: the load would bring others down.
#[derive(Args, Debug)]
pub struct Send {
    /// Where the receiver listens
    #[arg(value_name = "ADDR", default_value = "127.0.0.1:9009", value_parser = loopback)]
    address: SocketAddr,

    /// How many connections send at the same time
    #[arg(
        long,
        value_name = "N",
        default_value_t = 64,
        value_parser = value_parser!(u16).range(1..=1024)
    )]
    senders: u16,

    /// For how long
    #[arg(
        long,
        value_name = "N",
        default_value_t = 60,
        value_parser = value_parser!(u64).range(1..=86_400)
    )]
    seconds: u64,
}

fn loopback(text: &str) -> Result<SocketAddr> {
    let address = text.to_socket_addrs()?.next().context("no address")?;
    ensure!(address.ip().is_loopback(), "it is not this machine");
    Ok(address)
}

impl Send {
    /// Sends, and prints how fast that went.
    ///
    /// # Errors
    ///
    /// The first thing that went wrong.
    pub fn run(self) -> Result<()> {
        send(self.address, self.senders.into(), Duration::from_secs(self.seconds))
    }
}

/// Posts at full speed from `senders` connections, and compares what the receiver counted with what
/// was sent.
///
/// # Errors
///
/// The first thing that went wrong.
pub fn send(address: SocketAddr, senders: usize, duration: Duration) -> Result<()> {
    let values = Values::new();
    let bodies = Bodies::load(&values);
    let target = Target::new(address);
    let before = Scrape::take(&target).with_context(|| address.to_string())?;
    let seconds = duration.as_secs();
    info!("sending to {address} from {senders} connections for {seconds} s: {bodies}");

    let start = Instant::now();
    let (sent, memory) = thread::scope(|scope| {
        let bodies = &bodies;
        let post = |sender| move || post_until(address, bodies, sender, start + duration);
        let threads: Vec<_> = (0..senders).map(|sender| scope.spawn(post(sender))).collect();
        let memory = watch(&target, start, duration, &before);
        let mut sent = Sent::default();
        for thread in threads {
            sent += thread.join().expect("a sender does not panic");
        }
        (sent, memory)
    });
    let elapsed = start.elapsed();
    let memory = memory.with_context(|| address.to_string())?;
    let after = Scrape::take(&target).with_context(|| address.to_string())?;

    println!("{}", summary(&sent, elapsed));
    println!("{}", memory_over_time(&memory));
    if let Some(problem) = &sent.problem {
        bail!("{} of the requests failed, the first so: {problem}", sent.failed);
    }
    compare(&sent, &before, &after)
}

/// What was sent and answered with success.
#[derive(Debug, Default)]
struct Sent {
    requests: u64,
    content: Content,
    failed: u64,
    problem: Option<String>,
}

impl AddAssign for Sent {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.content += other.content;
        self.failed += other.failed;
        self.problem = self.problem.take().or(other.problem);
    }
}

impl Sent {
    fn fail(&mut self, problem: String) {
        self.failed += 1;
        self.problem.get_or_insert(problem);
    }
}

/// Posts one body after the other. A connection that fails ends it.
fn post_until(address: SocketAddr, bodies: &Bodies<'_>, sender: usize, end: Instant) -> Sent {
    let mut sent = Sent::default();
    let target = Target::new(address);
    // Each sender begins elsewhere, so that all kinds of bodies come at the same time.
    for index in (0..bodies.len()).cycle().skip(sender * 37 % bodies.len()) {
        if Instant::now() >= end {
            break;
        }
        match bodies.post(index, &target) {
            Ok((answer, content)) if matches!(answer.status, 200 | 204) => {
                sent.requests += 1;
                sent.content += content;
            }
            Ok((answer, _)) => sent.fail(format!("{}: {}", answer.status, answer.body.trim_end())),
            Err(error) => {
                sent.fail(format!("{error:#}"));
                break;
            }
        }
    }
    sent
}

/// Shows once a second what the receiver counts, and collects how much memory it has.
fn watch(
    target: &Target,
    start: Instant,
    duration: Duration,
    before: &Scrape,
) -> Result<Vec<(Duration, u64)>> {
    let style = ProgressStyle::with_template("{elapsed} {wide_bar} {msg}").expect("a template");
    let bar = BARS.add(ProgressBar::new(duration.as_secs()).with_style(style));
    let mut memory = Vec::new();
    let (mut last, mut last_at) = (before.clone(), start);
    for second in 1..=duration.as_secs() {
        let tick = start + Duration::from_secs(second);
        thread::sleep(tick.saturating_duration_since(Instant::now()));
        let (now, now_at) = (Scrape::take(target)?, Instant::now());
        let resident = now.get("process_resident_memory_bytes");
        memory.push((now_at - start, resident));
        let elapsed = (now_at - last_at).as_secs_f64();
        let rate = |what| (now.since(&last, what) as f64 / elapsed) as u64;
        let line = format!(
            "{} samples/s  {}/s in, {}/s decompressed  {} of memory",
            HumanCount(rate("borrowire_samples_total")),
            DecimalBytes(rate("borrowire_received_bytes_total")),
            DecimalBytes(rate("borrowire_decompressed_bytes_total")),
            DecimalBytes(resident),
        );
        if bar.is_hidden() && second % 10 == 0 {
            info!("{line}");
        }
        bar.set_message(line);
        bar.set_position(second);
        (last, last_at) = (now, now_at);
    }
    bar.finish_and_clear();
    Ok(memory)
}

fn summary(sent: &Sent, elapsed: Duration) -> String {
    let Content { samples, series, sent_bytes, decompressed_bytes, .. } = sent.content;
    let per_second = |total: u64| (total as f64 / elapsed.as_secs_f64()) as u64;
    format!(
        "answered: {} requests ({}/s), {} series, {} samples ({}/s), {} ({}/s), \
         {} decompressed ({}/s)",
        HumanCount(sent.requests),
        HumanCount(per_second(sent.requests)),
        HumanCount(series),
        HumanCount(samples),
        HumanCount(per_second(samples)),
        DecimalBytes(sent_bytes),
        DecimalBytes(per_second(sent_bytes)),
        DecimalBytes(decompressed_bytes),
        DecimalBytes(per_second(decompressed_bytes)),
    )
}

fn memory_over_time(memory: &[(Duration, u64)]) -> String {
    let every = memory.len().div_ceil(12).max(1);
    let points = memory.iter().skip(every - 1).step_by(every);
    let points: Vec<String> = points
        .map(|(at, resident)| format!("{} s {}", at.as_secs(), DecimalBytes(*resident)))
        .collect();
    let warm = memory.iter().filter(|(at, _)| *at >= WARM_UP).map(|(_, resident)| *resident);
    let mut text = format!("memory of the receiver: {}", points.join(", "));
    if let (Some(least), Some(most)) = (warm.clone().min(), warm.max()) {
        let (least, most) = (DecimalBytes(least), DecimalBytes(most));
        text += &format!("\nafter {} s: from {least} to {most}", WARM_UP.as_secs());
    }
    text
}

/// Whether the receiver counted exactly what was sent.
fn compare(sent: &Sent, before: &Scrape, after: &Scrape) -> Result<()> {
    let content = &sent.content;
    for (name, sent) in [
        ("requests", sent.requests),
        ("refused", 0),
        ("received_bytes", content.sent_bytes),
        ("decompressed_bytes", content.decompressed_bytes),
        ("series", content.series),
        ("samples", content.samples),
        ("exemplars", content.exemplars),
        ("histograms", content.histograms),
        ("metadata", content.metadata),
    ] {
        let counted = after.since(before, &format!("borrowire_{name}_total"));
        ensure!(counted == sent, "{name}: the receiver counted {counted}, sent were {sent}");
    }
    let outstanding = after.get("borrowire_buffers_outstanding");
    ensure!(outstanding == 0, "{outstanding} buffers did not return to the pool");
    println!("the receiver counted the same: nothing lost, nothing twice, all buffers returned");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_is_only_for_this_machine() {
        for address in ["127.0.0.1:9009", "[::1]:1"] {
            assert_eq!(loopback(address).unwrap(), address.parse().unwrap());
        }
        for address in ["192.0.2.1:9009", "0.0.0.0:9009", "[2001:db8::1]:9009", "127.0.0.1"] {
            assert!(loopback(address).is_err(), "{address}");
        }
    }
}
