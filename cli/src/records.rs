//! Files of records: what came in, one request behind the other, each in a frame with lengths and
//! checksum.
//!
//! ```text
//! frame   version, checksum, time in ms since 1970, lengths   (borrowire::cache::frame)
//! key     message/tenant, as in remote-write-v1/anonymous
//! value   the request
//! ```

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;

use borrowire::cache::frame::{CacheEntry, Frame, FrameErrorKind};

/// How much is read at once.
const CHUNK: usize = 1 << 20;

/// The longest key: a message and a tenant.
const MAX_KEY_BYTES: u32 = 256;

/// The longest value: a protobuf message.
const MAX_VALUE_BYTES: u32 = 0x7fff_ffff;

/// Reads records from the front of `input`.
pub struct Records<R> {
    input: R,
    buffer: Vec<u8>,
    /// Where in the buffer the current record begins and ends.
    record: (usize, usize),
    /// Where in the input the buffer begins.
    offset: u64,
    at_end: bool,
}

/// Where records end that should go on, and why.
#[derive(Debug)]
pub struct Fault {
    /// Where in the input.
    pub offset: u64,
    /// What is wrong there.
    pub kind: FrameErrorKind,
    /// Whether a write that was cut short explains it.
    pub torn: bool,
}

impl<R: Read> Records<R> {
    /// Records from the front of `input`.
    pub fn new(input: R) -> Self {
        Self { input, buffer: Vec::new(), record: (0, 0), offset: 0, at_end: false }
    }

    /// Goes to the next record. Returns whether there is one.
    ///
    /// # Errors
    ///
    /// When reading fails. What is no record is the inner error.
    pub fn advance(&mut self) -> io::Result<Result<bool, Fault>> {
        self.record = (self.record.1, self.record.1);
        loop {
            let rest = &self.buffer[self.record.0..];
            if self.at_end && rest.is_empty() {
                return Ok(Ok(false));
            }
            let kind = match Frame::split(rest) {
                Ok((_, behind)) => {
                    self.record.1 = self.buffer.len() - behind.len();
                    return Ok(Ok(true));
                }
                Err(error) => error.kind(),
            };
            // What is no record may be a torn one, if it is the last: read on to see whether it
            // is.
            let may_be_torn = kind == FrameErrorKind::Truncated || rest.len() < 2 * CHUNK;
            if self.at_end || !may_be_torn {
                let torn = self.at_end && is_torn(rest, kind);
                return Ok(Err(Fault { offset: self.offset(), kind, torn }));
            }
            self.fill()?;
        }
    }

    /// Where in the input the current record begins.
    pub fn offset(&self) -> u64 {
        self.offset + self.record.0 as u64
    }

    /// The current record.
    pub fn record(&self) -> Option<CacheEntry<&[u8]>> {
        let (start, end) = self.record;
        Frame::decode(&self.buffer[start..end]).ok().map(Frame::entry)
    }

    fn fill(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.record.0);
        self.offset += self.record.0 as u64;
        self.record = (0, 0);
        // As much again as there is: a long record is looked at only so often.
        let wanted = self.buffer.len().max(CHUNK) as u64;
        let read = self.input.by_ref().take(wanted).read_to_end(&mut self.buffer)?;
        self.at_end = read == 0;
        Ok(())
    }
}

/// Whether the last bytes of a file look like a write that was cut short: they end too early, or
/// are one record. Some file systems leave zeros where data was to come.
fn is_torn(rest: &[u8], kind: FrameErrorKind) -> bool {
    let zeros = |bytes: &[u8]| bytes.iter().all(|&byte| byte == 0);
    match kind {
        // A length that no record has is damage, and would swallow whole records behind it.
        FrameErrorKind::Truncated => match rest.get(24..32) {
            Some(&[k0, k1, k2, k3, v0, v1, v2, v3]) => {
                let key = u32::from_le_bytes([k0, k1, k2, k3]);
                key <= MAX_KEY_BYTES && u32::from_le_bytes([v0, v1, v2, v3]) <= MAX_VALUE_BYTES
            }
            _ => true,
        },
        FrameErrorKind::Checksum => rest
            .get(8..)
            .and_then(|entry| CacheEntry::split(entry).ok())
            .is_some_and(|(_, behind)| zeros(behind)),
        _ => zeros(rest),
    }
}

/// A file that records are appended to, by nobody else.
pub struct RecordFile {
    path: PathBuf,
    file: Arc<File>,
    /// Bytes of whole records.
    len: u64,
    /// Something went wrong that leaves the file in an unknown state.
    failed: bool,
}

/// What was found in a file when it was opened.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Whole records.
    pub records: u64,
    /// Bytes of whole records.
    pub bytes: u64,
    /// Bytes of a record that was cut short. They are kept in a file of their own.
    pub torn_bytes: u64,
}

impl RecordFile {
    /// Opens the file at `path`, or makes it, and locks it. A torn tail is cut off, and kept at the
    /// end of `PATH.torn`.
    ///
    /// # Errors
    ///
    /// When the file is in use, cannot be read or written, or is damaged in a way that no torn
    /// write explains: then it is left as it is.
    pub fn open(path: &Path) -> io::Result<(Self, Recovered)> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        file.try_lock()?;
        let mut recovered = Recovered::default();
        let mut records = Records::new(&file);
        let fault = loop {
            match records.advance()? {
                Ok(true) => recovered.records += 1,
                Ok(false) => break None,
                Err(fault) => break Some(fault),
            }
        };
        let size = file.metadata()?.len();
        recovered.bytes = size;
        if let Some(fault) = fault {
            let Fault { offset, kind, torn } = fault;
            if !torn {
                let what = format!("damaged at byte {offset} of {size} ({kind})");
                return Err(io::Error::new(io::ErrorKind::InvalidData, what));
            }
            recovered.bytes = offset;
            recovered.torn_bytes = size - offset;
            file.seek(SeekFrom::Start(offset))?;
            let mut aside = path.as_os_str().to_owned();
            aside.push(".torn");
            // Behind what earlier ones left: a damaged length looks like a torn tail as well.
            let mut aside = OpenOptions::new().append(true).create(true).open(aside)?;
            io::copy(&mut file, &mut aside)?;
            aside.sync_all()?;
            file.set_len(offset)?;
        }
        file.sync_all()?;
        let (path, file) = (path.to_owned(), Arc::new(file));
        Ok((Self { path, file, len: recovered.bytes, failed: false }, recovered))
    }

    /// Appends a frame, and returns where it ends.
    ///
    /// # Errors
    ///
    /// When it could not be written, or the file is no longer there; nothing of the frame is left
    /// in the file then, or the file takes no more.
    pub fn append(&mut self, frame: &[u8]) -> io::Result<u64> {
        self.check()?;
        let end = self.len + frame.len() as u64;
        let written = (&*self.file).write_all(frame).and_then(|()| self.check_is_there(end));
        if let Err(error) = written {
            self.cut(self.len, end);
            return Err(self.in_file(error));
        }
        self.len = end;
        Ok(end)
    }

    /// Takes back what was appended behind `end`. Nobody may have been told that it is there.
    pub fn take_back(&mut self, end: u64) {
        self.cut(end, self.len);
    }

    /// Takes no more records, and takes back what is behind `end`: whether it is on the disk is not
    /// known.
    pub fn fail(&mut self, end: u64) {
        self.take_back(end);
        self.failed = true;
    }

    /// The file, for bringing what was appended to the disk without keeping others from appending.
    ///
    /// # Errors
    ///
    /// When something went wrong before: the system reports only once that it dropped what was
    /// appended, so that the next sync succeeds.
    pub fn handle(&self) -> io::Result<Arc<File>> {
        self.check()?;
        Ok(Arc::clone(&self.file))
    }

    /// Where the last whole record ends.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.len
    }

    /// Whether the file takes records.
    ///
    /// # Errors
    ///
    /// Why not.
    pub fn check(&self) -> io::Result<()> {
        if self.failed {
            return Err(self.in_file(io::Error::other("a write failed before")));
        }
        self.check_is_there(self.len).map_err(|error| self.in_file(error))
    }

    /// What is written to a file that has no name any more is lost, and what others write to it
    /// makes it no file of records. A look at the open file needs no further descriptor.
    fn check_is_there(&self, end: u64) -> io::Result<()> {
        let metadata = self.file.metadata()?;
        if is_removed(&metadata) {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the file was removed"));
        }
        if metadata.len() != end {
            return Err(io::Error::other("somebody else changed the file"));
        }
        Ok(())
    }

    /// Cuts the file off at `end`, if it holds only what this wrote: no byte behind `written`.
    fn cut(&mut self, end: u64, written: u64) {
        let is_own = |len| (end..=written).contains(&len);
        let cut = self.file.metadata().is_ok_and(|metadata| is_own(metadata.len()))
            && self.file.set_len(end).is_ok();
        self.len = end;
        self.failed |= !cut;
    }

    fn in_file(&self, error: io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", self.path.display()))
    }
}

#[cfg(unix)]
fn is_removed(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) == 0
}

/// Elsewhere the system does not remove a file that is open.
#[cfg(not(unix))]
fn is_removed(_: &fs::Metadata) -> bool {
    false
}

/// A directory that is for one process at a time, until this is dropped or the process ends.
#[derive(Debug)]
pub struct DirectoryLock {
    _file: File,
}

impl DirectoryLock {
    /// Locks the directory by a file in it, which says who has it.
    ///
    /// # Errors
    ///
    /// Who has it, or why the file cannot be used.
    pub fn take(directory: &Path) -> io::Result<Self> {
        let path = directory.join("lock");
        // What another one wrote there is kept until the lock is there, too.
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                file.take(100).read_to_string(&mut holder)?;
                let what = format!("in use by {}", holder.trim_end());
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, what));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        file.set_len(0)?;
        writeln!(file, "process {}", process::id())?;
        Ok(Self { _file: file })
    }
}

/// Brings the directory's own entries to the disk: a new file is lost otherwise.
///
/// # Errors
///
/// When that fails.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) { fs::File::open(directory)?.sync_all() } else { Ok(()) }
}
