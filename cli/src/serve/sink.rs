//! Splits what comes in over shards, and appends each shard's requests to a file of its own.
//!
//! ```text
//! request -> tokens of its series -> a request for each shard -> a record in the shard's file
//! ```
//!
//! With `fsync` a request is acknowledged when all its records are on the disk. Requests that wait
//! for the same file share one sync. A request of which only some records could be written is not
//! acknowledged; when it is sent again, those are there twice.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use borrowire::Encode;
use borrowire::cache::frame::{CacheEntry, Frame};
use borrowire::loki::{LokiTokens, PushRequest};
use borrowire::remote_write::{MimirTokens, v1::WriteRequest, v2::Request};
use borrowire::shard::{SplitRequest, Splitter};
use tracing::warn;

use crate::arguments::RequestKind;
use crate::records::{RecordFile, sync_directory};

/// What Mimir and Loki call the tenant when there is none.
pub const ANONYMOUS: &str = "anonymous";

/// How the sink works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SinkOptions {
    /// How many files there are.
    pub shards: u32,
    /// Where they are.
    pub directory: PathBuf,
    /// Whether what is acknowledged is on the disk.
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

/// What a shard got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Series, streams and metadata entries.
    pub records: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

/// Memory that is used again.
#[derive(Default)]
struct Scratch {
    splitter: Splitter,
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
    fn start(&mut self, kind: RequestKind, tenant: &str) {
        self.key.clear();
        self.key.extend([kind.as_str(), "/", tenant]);
        self.written.clear();
    }
}

impl Sink {
    /// Opens the files, and logs what was wrong with them.
    ///
    /// # Errors
    ///
    /// Which file cannot be used, and why.
    pub fn open(options: &SinkOptions) -> Result<Arc<Self>> {
        let directory = &options.directory;
        let name = |path: &Path| path.display().to_string();
        fs::create_dir_all(directory).with_context(|| name(directory))?;
        let mut shards = Vec::new();
        for number in 0..options.shards {
            let path = directory.join(format!("shard-{number:04}.records"));
            let (file, recovered) = RecordFile::open(&path).with_context(|| name(&path))?;
            if recovered.torn_bytes > 0 {
                let (records, torn) = (recovered.records, recovered.torn_bytes);
                let path = path.display();
                warn!("{path}: cut off {torn} bytes behind {records} records, kept in {path}.torn");
            }
            shards.push(Shard {
                file: Mutex::new(file),
                synced: Mutex::new(recovered.bytes),
                records: AtomicU64::new(0),
                bytes: AtomicU64::new(0),
            });
        }
        sync_directory(directory).with_context(|| name(directory))?;
        Ok(Arc::new(Self { shards, fsync: options.fsync, idle: Mutex::default() }))
    }

    /// Stores a request of remote write 1.0: series by the tokens of Mimir, metadata by family.
    ///
    /// # Errors
    ///
    /// When it could not be written: do not acknowledge it then.
    pub fn store_v1(&self, tenant: &str, request: &WriteRequest<'_>) -> io::Result<()> {
        self.with_scratch(|scratch| {
            MimirTokens::new(tenant).tokens(request, &mut scratch.tokens);
            self.store(scratch, RequestKind::RemoteWriteV1, tenant, request)
        })
    }

    /// Stores a request of remote write 2.0: series by the tokens of Mimir, each part with the
    /// symbols that it uses.
    ///
    /// # Errors
    ///
    /// When it could not be written: do not acknowledge it then.
    pub fn store_v2(&self, tenant: &str, request: &Request<'_>) -> io::Result<()> {
        self.with_scratch(|scratch| {
            MimirTokens::new(tenant).tokens(request, &mut scratch.tokens);
            self.store(scratch, RequestKind::RemoteWriteV2, tenant, request)
        })
    }

    /// Stores a push of Loki: streams by the tokens of Loki.
    ///
    /// # Errors
    ///
    /// When it could not be written: do not acknowledge it then.
    pub fn store_push(&self, tenant: &str, request: &PushRequest<'_>) -> io::Result<()> {
        self.with_scratch(|scratch| {
            LokiTokens::new(tenant).tokens(request, &mut scratch.tokens);
            self.store(scratch, RequestKind::LokiPush, tenant, request)
        })
    }

    /// Stores a request whose tokens are in `scratch`.
    fn store<R: SplitRequest>(
        &self,
        scratch: &mut Scratch,
        kind: RequestKind,
        tenant: &str,
        request: &R,
    ) -> io::Result<()> {
        let Scratch { splitter, tokens, output } = scratch;
        output.start(kind, tenant);
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

    /// What each shard got since the start.
    #[must_use]
    pub fn balance(&self) -> Vec<Stored> {
        let of = |shard: &Shard| Stored {
            records: shard.records.load(Ordering::Relaxed),
            bytes: shard.bytes.load(Ordering::Relaxed),
        };
        self.shards.iter().map(of).collect()
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
            (file.handle()?, file.end())
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
