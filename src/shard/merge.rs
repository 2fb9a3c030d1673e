//! Merging: several encoded requests as one.

use alloc::vec::Vec;
use core::fmt;

use crate::message::columns::{recycle, vec_bytes};
use crate::wire::error::{DecodeError, MAX_MESSAGE_BYTES};
use crate::wire::message::Encode;
use crate::wire::{BufferFull, Reader, Writer, impossible};

/// How many requests are walked side by side: each waits for its next length to arrive from memory.
const LANES: usize = 8;

/// Encoded requests that are sent as one, for example to a queue: their bytes, one behind the
/// other.
///
/// Concatenating two encoded messages merges them: lists append, and fields that are no lists take
/// the last value. So of each request only the outermost framing is read: that its fields end where
/// it ends. Records are not decoded: what is wrong inside of them stays for the reader to find.
/// Unknown fields stay. Fields that are no lists (extensions, a format) are cut out, unless
/// [`with_extensions`](Self::with_extensions) hands some over.
///
/// `R` tells which requests: `WriteRequest` of remote write 1.0, or a push of log streams. Requests
/// with symbol tables, remote write 2.0 or Mimir's own form of it, are refused: each table has
/// numbers of its own.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v1::WriteRequest;
/// use borrowire::shard::Merger;
///
/// # use borrowire::remote_write::{Label, TimeSeries, v1::WriteRequestEncoder};
/// # let labels = [Label::new("job", "node")];
/// # let one = WriteRequestEncoder::new([TimeSeries::new(&labels)]).encode_to_vec()?;
/// # let two = one.clone();
/// let mut merger = Merger::<WriteRequest>::new().with_max_bytes(1 << 20);
/// merger.extend([&one[..], &two])?; // all of them, or none
/// let mut message = Vec::new(); // used again
/// merger.append_to_vec(&mut message)?;
/// assert_eq!(WriteRequest::decode(&message)?.timeseries().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Merger<'b, R: MergeRequest> {
    bodies: Vec<&'b [u8]>,
    /// What of the bodies is left out, in order.
    cuts: Vec<Cut>,
    /// Bytes of what is not.
    len: usize,
    max_bytes: usize,
    /// What the bodies have; `None` if they differ.
    own: Option<R::Fields<'b>>,
    /// What is written behind them.
    fields: R::Fields<'b>,
}

/// A field that is left out of a body: from byte to byte.
#[derive(Clone, Copy)]
struct Cut {
    body: usize,
    start: usize,
    end: usize,
}

/// A message whose encoded requests can be merged.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::shard::{MergeRequest, Merger};
///
/// /// Bytes of many bodies as one, whichever protocol's they are.
/// fn merged_len<R: MergeRequest>(bodies: &[&[u8]]) -> usize {
///     let mut merger = Merger::<R>::new();
///     merger.extend(bodies.iter().copied()).map_or(0, |()| merger.encoded_len())
/// }
///
/// assert_eq!(merged_len::<borrowire::remote_write::v1::WriteRequest>(&[b"", b""]), 0);
/// ```
pub trait MergeRequest: sealed::Merge {}

pub(crate) mod sealed {
    use super::MergeErrorKind;
    use crate::wire::{BufferFull, Reader, Tag, Writer};

    /// The part of [`MergeRequest`](super::MergeRequest) that may change.
    #[allow(unnameable_types, reason = "sealed")]
    pub trait Merge {
        /// The tag of most records.
        const RECORD: Tag;

        /// The values of fields that are no lists.
        type Fields<'b>: Default + Copy + PartialEq;

        /// Reads the field of `tag`; returns whether it is one of [`Fields`](Self::Fields).
        fn read<'b>(
            fields: &mut Self::Fields<'b>,
            reader: &mut Reader<'b>,
            tag: Tag,
        ) -> Result<bool, MergeErrorKind>;

        fn len(fields: &Self::Fields<'_>) -> usize;

        fn write(fields: &Self::Fields<'_>, writer: &mut Writer<'_>) -> Result<(), BufferFull>;
    }
}

/// Why a request cannot be merged with the others.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v1::WriteRequest;
/// use borrowire::remote_write::v2::Symbolizer;
/// use borrowire::shard::{MergeErrorKind, Merger};
///
/// let of_v2 = Symbolizer::new().symbolize([])?.encode_to_vec()?;
/// let error = Merger::<WriteRequest>::new().extend([&b""[..], &of_v2]).unwrap_err();
/// assert_eq!((error.index(), error.kind()), (1, MergeErrorKind::Symbols));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MergeErrorKind {
    /// The request is malformed.
    Decode(DecodeError),
    /// The request has a symbol table, as remote write 2.0 does.
    Symbols,
    /// All requests together would be over the limit.
    TooLarge,
}

/// Why requests were not merged, and which one is the reason.
///
/// ```
/// use borrowire::remote_write::v1::WriteRequest;
/// use borrowire::shard::Merger;
///
/// let mut merger = Merger::<WriteRequest>::new();
/// merger.push(b"")?;
/// let error = merger.push(b"no protobuf").unwrap_err();
/// assert_eq!(error.index(), 1);
/// assert_eq!(merger.requests_len(), 1); // as it was
/// # Ok::<(), borrowire::shard::MergeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MergeError {
    index: usize,
    kind: MergeErrorKind,
}

impl MergeError {
    /// What is wrong.
    #[must_use]
    pub const fn kind(&self) -> MergeErrorKind {
        self.kind
    }

    /// Which request it is, counted from the first one of the merger.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.index
    }
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "request {}: ", self.index)?;
        match self.kind {
            MergeErrorKind::Decode(error) => error.fmt(f),
            MergeErrorKind::Symbols => f.write_str("it has a symbol table of its own"),
            MergeErrorKind::TooLarge => f.write_str("too large together with those before"),
        }
    }
}

impl core::error::Error for MergeError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.kind {
            MergeErrorKind::Decode(error) => Some(error),
            _ => None,
        }
    }
}

impl<'b, R: MergeRequest> Merger<'b, R> {
    /// A merger of no requests, of at most 2 GiB - 1 together.
    #[must_use]
    pub fn new() -> Self {
        Self {
            bodies: Vec::new(),
            cuts: Vec::new(),
            len: 0,
            max_bytes: MAX_MESSAGE_BYTES,
            own: Some(Default::default()),
            fields: Default::default(),
        }
    }

    /// Sets how many bytes all requests may have together.
    #[must_use]
    pub const fn with_max_bytes(mut self, max_bytes: usize) -> Self {
        self.max_bytes = if max_bytes < MAX_MESSAGE_BYTES { max_bytes } else { MAX_MESSAGE_BYTES };
        self
    }

    /// Sets the extension fields, which are left out of all requests unless they are handed over:
    /// see [`extensions`](Self::extensions).
    #[must_use]
    pub const fn with_extensions(mut self, extensions: R::Fields<'b>) -> Self {
        self.fields = extensions;
        self
    }

    /// The extension fields of the requests, for those who may pass them on; `None` if the requests
    /// do not agree on them.
    ///
    /// ```
    /// use borrowire::Encode;
    /// use borrowire::remote_write::v1::{EncodeOptions, WriteRequest, WriteRequestEncoder};
    /// use borrowire::remote_write::{Extensions, RequestSource};
    /// use borrowire::shard::Merger;
    ///
    /// let rule = Extensions::new().with_source(RequestSource::RULE);
    /// let options = EncodeOptions::new().with_extensions(rule);
    /// let body = WriteRequestEncoder::new([]).with_options(options).encode_to_vec()?;
    ///
    /// let mut merger = Merger::<WriteRequest>::new();
    /// merger.extend([&body[..], &body])?;
    /// assert_eq!((merger.encoded_len(), merger.extensions()), (0, Some(rule)));
    /// assert_eq!(merger.with_extensions(rule).encode_to_vec()?, body);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn extensions(&self) -> Option<R::Fields<'b>> {
        self.own
    }

    /// Adds a request behind the others.
    ///
    /// # Errors
    ///
    /// If the request cannot be merged with the others; the merger is then as it was.
    pub fn push(&mut self, body: &'b [u8]) -> Result<(), MergeError> {
        self.extend([body])
    }

    /// Adds requests behind the others; faster than one by one.
    ///
    /// # Errors
    ///
    /// For the first request that cannot be merged with the others; the merger is then as it was.
    pub fn extend(&mut self, bodies: impl IntoIterator<Item = &'b [u8]>) -> Result<(), MergeError> {
        let (before, cuts) = (self.bodies.len(), self.cuts.len());
        let (len, own) = (self.len, self.own);
        self.bodies.extend(bodies);
        let result = self.check(before);
        if result.is_err() {
            self.bodies.truncate(before);
            self.cuts.truncate(cuts);
            (self.len, self.own) = (len, own);
        }
        result
    }

    /// Checks the requests from number `first` on.
    fn check(&mut self, first: usize) -> Result<(), MergeError> {
        let Self { bodies, cuts, len, max_bytes, own, fields } = self;
        let max_bytes = max_bytes.saturating_sub(R::len(fields));
        let mut index = first;
        for bodies in bodies.get(first..).unwrap_or_else(impossible).chunks(LANES) {
            let mut rests = [&[][..]; LANES];
            for (rest, body) in rests.iter_mut().zip(bodies) {
                *rest = body;
            }
            skip_usual_records::<R>(&mut rests);
            for (body, rest) in bodies.iter().zip(rests) {
                let error = |kind| MergeError { index, kind };
                let (fields, cut) = read_fields::<R>(index, body, rest, cuts).map_err(error)?;
                if index == 0 {
                    *own = Some(fields);
                } else if *own != Some(fields) {
                    *own = None;
                }
                *len = len.saturating_add(body.len()).saturating_sub(cut);
                if *len > max_bytes {
                    return Err(error(MergeErrorKind::TooLarge));
                }
                index = index.saturating_add(1);
            }
        }
        Ok(())
    }

    /// How many requests there are.
    #[must_use]
    pub const fn requests_len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there are no requests.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Heap bytes that the merger holds.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        vec_bytes(&self.bodies).saturating_add(vec_bytes(&self.cuts))
    }

    /// The merger's memory and limit, emptied, for requests of another lifetime.
    #[must_use]
    pub fn recycle<'c>(mut self) -> Merger<'c, R> {
        self.cuts.clear();
        Merger {
            bodies: recycle(self.bodies),
            cuts: self.cuts,
            max_bytes: self.max_bytes,
            ..Merger::new()
        }
    }
}

/// Passes over records in their usual shape at the front of each request: with a length of one or
/// two bytes.
fn skip_usual_records<R: MergeRequest>(rests: &mut [&[u8]; LANES]) {
    let mut moved = true;
    while moved {
        moved = false;
        for rest in rests.iter_mut() {
            if let Some(behind) = skip_usual_record::<R>(rest) {
                *rest = behind;
                moved = true;
            }
        }
    }
}

#[inline]
fn skip_usual_record<R: MergeRequest>(rest: &[u8]) -> Option<&[u8]> {
    let (&tag, rest) = rest.split_first()?;
    if tag != const { R::RECORD.byte() } {
        return None;
    }
    match *rest {
        [len @ 0..0x80, ref rest @ ..] => rest.get(usize::from(len)..),
        [low, high @ 0..0x80, ref rest @ ..] => {
            rest.get((usize::from(low & 0x7f) | usize::from(high) << 7)..)
        }
        _ => None,
    }
}

/// Reads the fields of the `body` of number `index` that are no lists, in `rest`, its end. Notes
/// where they stand, and tells how many bytes that are.
fn read_fields<'b, R: MergeRequest>(
    index: usize,
    body: &'b [u8],
    rest: &'b [u8],
    cuts: &mut Vec<Cut>,
) -> Result<(R::Fields<'b>, usize), MergeErrorKind> {
    let mut fields = Default::default();
    let mut cut = 0_usize;
    // Nothing but usual records.
    if rest.is_empty() && body.len() <= MAX_MESSAGE_BYTES {
        return Ok((fields, cut));
    }
    let mut reader = Reader::new(body)?;
    reader.advance_to(rest);
    loop {
        let start = reader.offset();
        let Some(tag) = reader.next_tag()? else { return Ok((fields, cut)) };
        if R::read(&mut fields, &mut reader, tag)? {
            let end = reader.offset();
            cuts.push(Cut { body: index, start, end });
            cut = cut.saturating_add(end.saturating_sub(start));
        }
    }
}

impl From<DecodeError> for MergeErrorKind {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}

impl<R: MergeRequest> Default for Merger<'_, R> {
    fn default() -> Self {
        Self::new()
    }
}

/// The requests, byte for byte but for their extension fields; behind them those that were handed
/// over.
impl<R: MergeRequest> Encode for Merger<'_, R> {
    fn encoded_len(&self) -> usize {
        self.len.saturating_add(R::len(&self.fields))
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        let mut cuts = self.cuts.iter().peekable();
        for (index, body) in self.bodies.iter().enumerate() {
            let mut from = 0;
            while let Some(cut) = cuts.next_if(|cut| cut.body == index) {
                writer.write_raw(body.get(from..cut.start).unwrap_or_else(impossible))?;
                from = cut.end;
            }
            writer.write_raw(body.get(from..).unwrap_or_else(impossible))?;
        }
        R::write(&self.fields, writer)
    }
}

impl<R: MergeRequest> fmt::Debug for Merger<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Merger")
            .field("requests", &self.bodies.len())
            .field("bytes", &self.len)
            .finish_non_exhaustive()
    }
}
