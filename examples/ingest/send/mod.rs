//! A load for a receiver on this machine, and a check that it counted everything.

mod bodies;
mod scrape;

use std::io::{self, IsTerminal, Write, stdout};
use std::net::SocketAddr;
use std::ops::AddAssign;
use std::thread;
use std::time::{Duration, Instant};

use super::http_client::Client;
use super::table::{bytes, count, rate};
use bodies::{Bodies, Content, Values};
use scrape::Scrape;

/// When the receiver has seen each body often enough to have all the memory that it needs.
const WARM_UP: Duration = Duration::from_secs(10);

/// Posts at full speed from `senders` connections, and compares what the receiver counted with what
/// was sent.
///
/// # Errors
///
/// One line for the first thing that went wrong.
pub fn send(address: SocketAddr, senders: usize, duration: Duration) -> Result<(), String> {
    let failed = |e: io::Error| format!("{address}: {e}");
    let values = Values::new();
    let bodies = Bodies::load(&values);
    let mut connection = Client::connect(address).map_err(failed)?;
    let before = Scrape::take(&mut connection).map_err(failed)?;
    println!(
        "sending to {address} from {senders} connections for {} s: {bodies}",
        duration.as_secs()
    );

    let start = Instant::now();
    let (sent, memory) = thread::scope(|scope| {
        let threads: Vec<_> = (0..senders)
            .map(|sender| {
                scope.spawn({
                    let bodies = &bodies;
                    move || post_until(address, bodies, sender, start + duration)
                })
            })
            .collect();
        let memory = watch(&mut connection, start, duration, &before);
        let mut sent = Sent::default();
        for thread in threads {
            sent += thread.join().expect("a sender does not panic");
        }
        (sent, memory)
    });
    let elapsed = start.elapsed();
    let memory = memory.map_err(failed)?;
    let after = Scrape::take(&mut connection).map_err(failed)?;

    println!("{}", summary(&sent, elapsed));
    println!("{}", memory_over_time(&memory));
    if let Some(problem) = &sent.problem {
        return Err(format!("{} of the requests failed, the first so: {problem}", sent.failed));
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

fn post_until(address: SocketAddr, bodies: &Bodies<'_>, sender: usize, end: Instant) -> Sent {
    let mut sent = Sent::default();
    if let Err(error) = try_post_until(address, bodies, sender, end, &mut sent) {
        sent.failed += 1;
        sent.problem.get_or_insert(error.to_string());
    }
    sent
}

fn try_post_until(
    address: SocketAddr,
    bodies: &Bodies<'_>,
    sender: usize,
    end: Instant,
    sent: &mut Sent,
) -> io::Result<()> {
    let mut connection = Client::connect(address)?;
    // Each sender begins elsewhere, so that all kinds of bodies come at the same time.
    for index in (0..bodies.len()).cycle().skip(sender * 37 % bodies.len()) {
        if Instant::now() >= end {
            break;
        }
        let (answer, content) = bodies.post(index, &mut connection)?;
        if matches!(answer.status, 200 | 204) {
            sent.requests += 1;
            sent.content += content;
        } else {
            sent.failed += 1;
            sent.problem.get_or_insert(format!("{}: {}", answer.status, answer.body.trim_end()));
        }
    }
    Ok(())
}

/// Shows once a second what the receiver counts, and collects how much memory it has.
fn watch(
    connection: &mut Client,
    start: Instant,
    duration: Duration,
    before: &Scrape,
) -> io::Result<Vec<(Duration, u64)>> {
    let on_terminal = stdout().is_terminal();
    let mut memory = Vec::new();
    let (mut last, mut last_at) = (before.clone(), start);
    for second in 1..=duration.as_secs() {
        thread::sleep(
            (start + Duration::from_secs(second)).saturating_duration_since(Instant::now()),
        );
        let (now, now_at) = (Scrape::take(connection)?, Instant::now());
        let resident = now.get("process_resident_memory_bytes");
        memory.push((now_at - start, resident));
        if !on_terminal && second % 10 != 0 {
            continue;
        }
        let elapsed = now_at - last_at;
        let per_second = |what: &str| {
            count(((now.get(what) - last.get(what)) as f64 / elapsed.as_secs_f64()) as usize)
        };
        let line = format!(
            "{second:>4} s  {} samples/s  {} in, {} decompressed  {} of memory",
            per_second("ingest_samples_total"),
            rate(now.since(&last, "ingest_received_bytes_total") as usize, elapsed),
            rate(now.since(&last, "ingest_decompressed_bytes_total") as usize, elapsed),
            bytes(resident as usize),
        );
        if on_terminal {
            print!("\r\x1b[K{line}");
            stdout().flush()?;
        } else {
            println!("{line}");
        }
        (last, last_at) = (now, now_at);
    }
    if on_terminal {
        println!();
    }
    Ok(memory)
}

fn summary(sent: &Sent, elapsed: Duration) -> String {
    let Content { samples, series, sent_bytes, decompressed_bytes, .. } = sent.content;
    let per_second = |total: u64| count((total as f64 / elapsed.as_secs_f64()) as usize);
    format!(
        "answered: {} requests ({}/s), {} series, {} samples ({}/s), {} ({}), {} decompressed ({})",
        count(sent.requests as usize),
        per_second(sent.requests),
        count(series as usize),
        count(samples as usize),
        per_second(samples),
        bytes(sent_bytes as usize),
        rate(sent_bytes as usize, elapsed),
        bytes(decompressed_bytes as usize),
        rate(decompressed_bytes as usize, elapsed),
    )
}

fn memory_over_time(memory: &[(Duration, u64)]) -> String {
    let every = memory.len().div_ceil(12).max(1);
    let points = memory.iter().skip(every - 1).step_by(every);
    let points: Vec<String> = points
        .map(|(at, resident)| format!("{} s {}", at.as_secs(), bytes(*resident as usize)))
        .collect();
    let warm = memory.iter().filter(|(at, _)| *at >= WARM_UP).map(|(_, resident)| *resident);
    let mut text = format!("memory of the receiver: {}", points.join(", "));
    if let (Some(least), Some(most)) = (warm.clone().min(), warm.max()) {
        text += &format!(
            "\nafter {} s: from {} to {}",
            WARM_UP.as_secs(),
            bytes(least as usize),
            bytes(most as usize)
        );
    }
    text
}

/// Whether the receiver counted exactly what was sent.
fn compare(sent: &Sent, before: &Scrape, after: &Scrape) -> Result<(), String> {
    let Content {
        sent_bytes,
        decompressed_bytes,
        series,
        samples,
        exemplars,
        histograms,
        metadata,
    } = sent.content;
    for (name, sent) in [
        ("ingest_requests_total", sent.requests),
        ("ingest_refused_total", 0),
        ("ingest_received_bytes_total", sent_bytes),
        ("ingest_decompressed_bytes_total", decompressed_bytes),
        ("ingest_series_total", series),
        ("ingest_samples_total", samples),
        ("ingest_exemplars_total", exemplars),
        ("ingest_histograms_total", histograms),
        ("ingest_metadata_total", metadata),
    ] {
        let counted = after.since(before, name);
        if counted != sent {
            return Err(format!("{name}: the receiver counted {counted}, sent were {sent}"));
        }
    }
    match after.get("ingest_buffers_outstanding") {
        0 => {}
        outstanding => return Err(format!("{outstanding} buffers did not return to the pool")),
    }
    println!("the receiver counted the same: nothing lost, nothing twice, all buffers returned");
    Ok(())
}
