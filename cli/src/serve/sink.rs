//! Splits what comes in over shards, and appends each shard's requests to a file of its own.
//!
//! ```text
//! request -> tokens of its series -> a request for each shard -> a record in the shard's file
//! ```
//!
//! All records of a request are appended, or none: it holds the locks of all its files meanwhile,
//! and takes back what it wrote if it cannot write the rest. With `fsync` a request is acknowledged
//! when all its records are on the disk. Requests that wait for the same file share one sync.
//!
//! No file is opened on the way of a request: there may be no descriptor left for it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use borrowire::Encode;
use borrowire::cache::frame::{CacheEntry, Frame};
use borrowire::loki::{LokiTokens, PushRequest};
use borrowire::remote_write::{MimirTokens, v1::WriteRequest, v2::Request};
use borrowire::shard::{SplitRequest, Splitter};
use tracing::warn;

use crate::arguments::RequestKind;
use crate::records::{DirectoryLock, RecordFile, sync_directory};

/// Memory that a large request needed is freed, not kept.
const MAX_KEPT_BYTES: usize = 4 << 20;

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
    _lock: DirectoryLock,
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

/// What a request becomes: frames, one behind the other.
#[derive(Default)]
struct Output {
    key: String,
    frames: Vec<u8>,
    /// In the order of shards.
    written: Vec<Written>,
}

/// The frame of a shard.
#[derive(Clone, Copy)]
struct Written {
    shard: usize,
    records: u64,
    /// Where the frame ends in `frames`.
    end: usize,
    /// Where it ends in the shard's file, once it is there.
    end_in_file: u64,
}

impl Output {
    fn start(&mut self, kind: RequestKind, tenant: &str) {
        self.key.clear();
        self.key.extend([kind.as_str(), "/", tenant]);
        self.frames.clear();
        self.written.clear();
    }

    /// Encodes a part with so many records, for a shard.
    fn add(&mut self, shard: u32, part: &impl Encode, records: usize) -> io::Result<()> {
        let entry = CacheEntry::new(now(), 0, self.key.as_bytes(), part);
        Frame::new(entry).append_to_vec(&mut self.frames).map_err(io::Error::other)?;
        let (shard, records, end) = (shard as usize, records as u64, self.frames.len());
        self.written.push(Written { shard, records, end, end_in_file: 0 });
        Ok(())
    }
}

impl Sink {
    /// Opens the files, and logs what was wrong with them.
    ///
    /// # Errors
    ///
    /// Which file cannot be used, and why.
    pub fn open(options: &SinkOptions) -> Result<Self> {
        let directory = &options.directory;
        let name = |path: &Path| path.display().to_string();
        fs::create_dir_all(directory).with_context(|| name(directory))?;
        let lock = DirectoryLock::take(directory).with_context(|| name(directory))?;
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
        let (fsync, idle) = (options.fsync, Mutex::default());
        Ok(Self { shards, fsync, idle, _lock: lock })
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
            output.add(shard, &part, part.records_len())?;
        }
        self.append(output)?;
        self.finish(output)
    }

    fn count(&self) -> u32 {
        self.shards.len() as u32
    }

    /// Appends all frames to the files of their shards, or none.
    fn append(&self, output: &mut Output) -> io::Result<()> {
        // Always in this order: nobody waits for another in a circle.
        let Output { frames, written, .. } = output;
        let mut files: Vec<_> = written.iter().map(|w| lock(&self.shards[w.shard].file)).collect();
        let mut start = 0;
        for index in 0..written.len() {
            let end = written[index].end;
            match files[index].append(&frames[start..end]) {
                Ok(end_in_file) => written[index].end_in_file = end_in_file,
                Err(error) => {
                    let mut start = 0;
                    for (file, written) in files.iter_mut().zip(&written[..index]) {
                        file.take_back(written.end_in_file - (written.end - start) as u64);
                        start = written.end;
                    }
                    return Err(error);
                }
            }
            start = end;
        }
        Ok(())
    }

    /// Waits for the disk, if that is wanted, and counts.
    fn finish(&self, output: &Output) -> io::Result<()> {
        let mut start = 0;
        for written in &output.written {
            let shard = &self.shards[written.shard];
            if self.fsync {
                shard.sync(written.end_in_file)?;
            }
            shard.records.fetch_add(written.records, Ordering::Relaxed);
            shard.bytes.fetch_add((written.end - start) as u64, Ordering::Relaxed);
            start = written.end;
        }
        Ok(())
    }

    /// Whether all files take records.
    ///
    /// # Errors
    ///
    /// Which does not, and why.
    pub fn check(&self) -> io::Result<()> {
        self.shards.iter().try_for_each(|shard| lock(&shard.file).check())
    }

    /// Runs with memory that was used before, if there is some.
    fn with_scratch<T>(&self, run: impl FnOnce(&mut Scratch) -> T) -> T {
        let mut scratch = lock(&self.idle).pop().unwrap_or_default();
        let result = run(&mut scratch);
        if scratch.output.frames.capacity() + 4 * scratch.tokens.capacity() <= MAX_KEPT_BYTES {
            lock(&self.idle).push(scratch);
        }
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
        let on_disk = handle.sync_data().and_then(|()| lock(&self.file).check());
        if let Err(error) = on_disk {
            // What the system dropped it does not write later: nothing more can be promised. Who
            // waits for what is behind `synced` was told nothing yet, and will be told that it is
            // not stored.
            lock(&self.file).fail(*synced);
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
