//! Splits what comes in over shards, and appends each shard's requests to a file of its own.
//!
//! ```text
//! request -> tokens of its series -> a request for each shard -> a record in the shard's file
//! ```
//!
//! With `fsync` a request is acknowledged when all its records are on the disk. Requests that wait for the
//! same file share one sync. A request of which only some records could be written is not acknowledged; when
//! it is sent again, those are there twice.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use borrowire::Encode;
use borrowire::cache::frame::{CacheEntry, Frame};
use borrowire::loki::PushRequest;
use borrowire::remote_write::{v1::WriteRequest, v2::Request};
use borrowire::shard::token::{LokiTokens, MimirTokens};
use borrowire::shard::{SplitRequest, Splitter, v2};

use super::records::{RecordFile, sync_directory};
use super::table::{bytes, count};

/// What Mimir and Loki call the tenant when there is none.
pub const ANONYMOUS: &str = "anonymous";

/// How the sink works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SinkOptions {
    pub shards: u32,
    pub directory: PathBuf,
    pub fsync: bool,
}

/// The files of all shards, for any number of threads.
pub struct Sink {
    shards: Vec<Shard>,
    fsync: bool,
    idle: Mutex<Vec<Scratch>>,
}

struct Shard {
    file: Mutex<RecordFile>,
    /// Up to where the file is on the disk.
    synced: Mutex<u64>,
    records: AtomicU64,
    bytes: AtomicU64,
}

/// Memory that is used again.
#[derive(Default)]
struct Scratch {
    splitter: Splitter,
    splitter_v2: v2::Splitter,
    tokens: Vec<u32>,
    output: Output,
}

/// What a request becomes.
#[derive(Default)]
struct Output {
    key: String,
    frame: Vec<u8>,
    /// Shards that the request went to, and where their files then ended.
    written: Vec<(usize, u64)>,
}

impl Output {
    fn start(&mut self, message: &str, tenant: &str) {
        self.key.clear();
        self.key.extend([message, "/", tenant]);
        self.written.clear();
    }
}

impl Sink {
    /// Opens the files, and says what was found in them.
    ///
    /// # Errors
    ///
    /// One line that says which file, and what is wrong.
    pub fn open(options: &SinkOptions) -> Result<(Arc<Self>, String), String> {
        let directory = &options.directory;
        let describe = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
        fs::create_dir_all(directory).map_err(|e| describe(directory, e))?;
        let mut found = String::new();
        let mut shards = Vec::new();
        for number in 0..options.shards {
            let path = directory.join(format!("shard-{number:04}.records"));
            let (file, recovered) = RecordFile::open(&path).map_err(|e| describe(&path, e))?;
            if recovered.torn_bytes > 0 {
                found += &format!(
                    "{}: cut off {} behind {} whole records, kept in {0}.torn\n",
                    path.display(),
                    bytes(recovered.torn_bytes as usize),
                    count(recovered.records as usize),
                );
            }
            shards.push(Shard {
                file: Mutex::new(file),
                synced: Mutex::new(recovered.bytes),
                records: AtomicU64::new(0),
                bytes: AtomicU64::new(0),
            });
        }
        sync_directory(directory).map_err(|e| describe(directory, e))?;
        let sink = Self { shards, fsync: options.fsync, idle: Mutex::default() };
        Ok((Arc::new(sink), found))
    }

    /// Stores a request of remote write 1.0: series by the tokens of Mimir, metadata by family.
    ///
    /// # Errors
    ///
    /// When it could not be written: do not acknowledge it then.
    pub fn store_v1(&self, tenant: &str, request: &WriteRequest<'_>) -> io::Result<()> {
        self.with_scratch(|scratch| {
            MimirTokens::new(tenant).tokens(request, &mut scratch.tokens);
            self.store(scratch, "remote-write-v1", tenant, request)
        })
    }

    /// Stores a push of Loki: streams by the tokens of Loki.
    ///
    /// # Errors
    ///
    /// As [`store_v1`](Self::store_v1).
    pub fn store_push(&self, tenant: &str, request: &PushRequest<'_>) -> io::Result<()> {
        self.with_scratch(|scratch| {
            LokiTokens::new(tenant).tokens(request, &mut scratch.tokens);
            self.store(scratch, "loki-push", tenant, request)
        })
    }

    /// Stores a request of remote write 2.0: series by the tokens of Mimir, each part with the symbols that
    /// it uses.
    ///
    /// # Errors
    ///
    /// As [`store_v1`](Self::store_v1).
    pub fn store_v2(&self, tenant: &str, request: &Request<'_>) -> io::Result<()> {
        self.with_scratch(|scratch| {
            let Scratch { splitter_v2, tokens, output, .. } = scratch;
            output.start("remote-write-v2", tenant);
            MimirTokens::new(tenant).tokens_v2(request, tokens);
            let split = splitter_v2.split_by_position(request, |at| tokens[at] % self.count());
            // It was decoded from a body.
            for (shard, part) in split.iter().flat_map(v2::Split::parts) {
                self.append(shard, &part, part.records_len(), output)?;
            }
            self.finish(output)
        })
    }

    fn store<R: SplitRequest>(
        &self,
        scratch: &mut Scratch,
        message: &str,
        tenant: &str,
        request: &R,
    ) -> io::Result<()> {
        let Scratch { splitter, tokens, output, .. } = scratch;
        output.start(message, tenant);
        let mut split = splitter.split_by_position(request, |at| tokens[at] % self.count());
        for (shard, part) in split.parts() {
            self.append(shard, &part, part.records_len(), output)?;
        }
        self.finish(output)
    }

    fn count(&self) -> u32 {
        self.shards.len() as u32
    }

    /// Appends a part with so many records to the file of its shard.
    fn append(
        &self,
        shard: u32,
        part: &impl Encode,
        records: usize,
        output: &mut Output,
    ) -> io::Result<()> {
        let Output { key, frame, written } = output;
        frame.clear();
        let entry = CacheEntry::new(now(), 0, key.as_bytes(), part);
        Frame::new(entry).append_to_vec(frame).map_err(io::Error::other)?;
        let shard = shard as usize;
        let of = &self.shards[shard];
        written.push((shard, lock(&of.file).append(frame)?));
        of.records.fetch_add(records as u64, Ordering::Relaxed);
        of.bytes.fetch_add(frame.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Waits for the disk, if that is wanted.
    fn finish(&self, output: &Output) -> io::Result<()> {
        if self.fsync {
            for &(shard, end) in &output.written {
                self.shards[shard].sync(end)?;
            }
        }
        Ok(())
    }

    /// Runs with memory that was used before, if there is some.
    fn with_scratch<T>(&self, run: impl FnOnce(&mut Scratch) -> T) -> T {
        let mut scratch = lock(&self.idle).pop().unwrap_or_default();
        let result = run(&mut scratch);
        lock(&self.idle).push(scratch);
        result
    }

    /// The balance over the shards: what each got since the start.
    pub fn chart(&self) -> String {
        let of = |shard: &Shard| {
            (shard.records.load(Ordering::Relaxed), shard.bytes.load(Ordering::Relaxed))
        };
        let shards: Vec<_> = self.shards.iter().map(of).collect();
        chart(&shards)
    }
}

impl Shard {
    /// Returns when the file is on the disk up to `end`.
    fn sync(&self, end: u64) -> io::Result<()> {
        let mut synced = lock(&self.synced);
        if *synced >= end {
            return Ok(());
        }
        let (handle, appended) = {
            let file = lock(&self.file);
            (file.handle()?, file.len())
        };
        // Others append meanwhile, and wait above for a sync of their own.
        if let Err(error) = handle.sync_data() {
            // What the system dropped it does not write later: nothing more can be promised.
            lock(&self.file).fail();
            return Err(error);
        }
        *synced = appended;
        Ok(())
    }
}

/// What is inside is whole at every moment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// A bar for each shard, as long as its records; then how far the fullest is from the mean.
fn chart(shards: &[(u64, u64)]) -> String {
    const WIDTH: u64 = 40;
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let most = shards.iter().map(|&(records, _)| records).max().unwrap_or(0);
    let total: u64 = shards.iter().map(|&(records, _)| records).sum();
    if total == 0 {
        return "shards: nothing yet".to_owned();
    }
    let mut text = String::from("shard    series, streams and metadata");
    for (number, &(records, size)) in shards.iter().enumerate() {
        let eighths = records * WIDTH * 8 / most;
        let bar = "█".repeat((eighths / 8) as usize) + EIGHTHS[(eighths % 8) as usize];
        let (records, size) = (count(records as usize), bytes(size as usize));
        text += &format!("\n{number:>5}    {bar:<40}  {records}  {size}");
    }
    let mean = total as f64 / shards.len() as f64;
    text + &format!("\nthe fullest has {:.2} times the mean", most as f64 / mean)
}
