//! The JSON form of a push, both ways.
//!
//! ```text
//! {"streams": [{"stream": {"job": "varlogs", ...},
//!               "values": [["1700000000000000000", "line"],
//!                          ["1700000000000000001", "line", {"trace_id": "0242ac120002", ...}]]}]}
//!
//! {"streams": [{"labels": "{job=\"varlogs\"}",
//!               "entries": [{"ts": "2023-11-14T22:13:20.000000001Z", "line": "line"}]}]}
//! ```
//!
//! The second shape is older; each stream may have the one or the other. What is read is a
//! [`PushRequest`] like any other: a string without escapes is a piece of the body, one with
//! escapes is resolved into memory beside the body, a [`JsonScratch`], which also takes the label
//! strings.
//!
//! As Loki does it:
//!
//! - The labels of a stream become a label string, sorted and quoted as Loki writes it. A value
//!   that is no string is taken as the text that stands there. One that is empty stays, which to
//!   Loki is as good as none. A name must be an identifier; with
//!   [`quoted_names`](super::DecodeOptions::quoted_names) any other but an empty one is quoted
//!   instead, which is not for Loki.
//! - Members may come in any order. Of several with the same name the last counts, but for
//!   structured metadata, where all are kept. Members that are not known are passed over, and so is
//!   what follows in the array of an entry.
//! - `null` stands for no streams, no values or no entries, and in place of an entry for none.
//! - A time in nanoseconds is a string, with a line behind it that is one, too.
//!
//! Where Loki is lax, this is strict: the body must be UTF-8 and JSON to its end, an entry must
//! have a time and a line, half a surrogate pair is an error. Names of structured metadata may have
//! escapes.
//!
//! # When not all is good
//!
//! With [`partial`](super::DecodeOptions::partial) a fault in an entry (its time, its line, its
//! structured metadata, something that is missing) costs that entry, and any other fault in a
//! stream (its labels above all) that stream. [`PushRequest::json_skipped`] lists them. What is not
//! JSON fails the whole request, as does what is over a limit, or a fault outside of all streams.
//!
//! # How to decode
//!
//! | | protobuf | JSON |
//! |---|---|---|
//! | once | [`PushRequest::decode`] | [`PushRequest::decode_json`] |
//! | with options | [`PushRequest::decode_with`] | [`PushRequest::decode_json_with`] |
//! | into a request's storage | [`PushRequest::decode_into`] | [`PushRequest::decode_json_into`] |
//! | in a loop | [`Decoder::decode`] | [`Decoder::decode_json`] |
//! | in many threads | `Pool::decode` | `Pool::decoder`, then `decode_json` |
//! | for another task | [`Owned::decode`] | [`Owned::decode_json`] |
//! | pooled and owned | `Pool::decode_owned` | `Pool::decode_json_owned` |
//! | to encode | [`PushRequest::encoder`] | [`PushRequest::json_encoder`] |
//! | to encode other data | [`PushRequestEncoder`](super::PushRequestEncoder) | [`JsonEncoder`] |
//!
//! Decoders and pools keep a scratch themselves. To decode without one, or to encode, lend a
//! scratch of your own: the result borrows from it.
//!
//! ```
//! use borrowire::Encode;
//! use borrowire::loki::{PushRequest, json::JsonScratch};
//! use borrowire::reuse::Decoder;
//!
//! # let bodies = [br#"{"streams":[{"stream":{"job":"varlogs"},"values":[["1","\"hi\""]]}]}"#];
//! let mut decoder = Decoder::<PushRequest>::new();
//! let (mut scratch, mut out) = (JsonScratch::new(), Vec::new()); // for the way back
//! for body in bodies {
//!     let push = decoder.decode_json(body)?; // memory of all bodies before
//!     for stream in push.streams() {
//!         for entry in stream.entries() {
//!             assert_eq!((stream.labels(), entry.line()), (r#"{job="varlogs"}"#, &b"\"hi\""[..]));
//!         }
//!     }
//!     out.clear();
//!     push.json_encoder(&mut scratch)?.append_to_vec(&mut out)?; // and as JSON again
//!     assert_eq!(out, body);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! After the first bodies nothing is allocated, with these exceptions: a body that is refused costs
//! a few small blocks inside serde_json, as do a stream or entry that is left out, and a member
//! that is passed over and nests values two deep; writing a stream of more than 16 labels costs a
//! block. The scratch takes a few times the body's size at the most.

mod decode;
mod encode;
mod error;
mod labels;
mod rfc3339;
pub(super) mod scratch;
pub(super) mod skipped;
#[cfg(test)]
mod tests;
mod text;

pub use encode::JsonEncoder;
pub use error::{JsonEncodeError, JsonEncodeErrorKind, JsonError, JsonErrorKind};
pub use scratch::JsonScratch;
pub use skipped::JsonSkipped;

#[cfg(feature = "std")]
use std::sync::Arc;

use bytes::Bytes;

#[cfg(feature = "std")]
use super::push::OwnedBody;
use super::{DecodeOptions, PushRequest, StreamsIter};
use crate::message::request::ReadRecords;
#[cfg(feature = "std")]
use crate::reuse::Pool;
use crate::reuse::{Decoded, Decoder, Owned};

impl<'a> PushRequest<'a> {
    /// Decodes `body`, which is JSON, into new storage, with the default options. See
    /// [`json`](self) for what is accepted.
    ///
    /// ```
    /// use borrowire::loki::{PushRequest, Timestamp, json::JsonScratch};
    ///
    /// let body = r#"{"streams":[
    ///     {"stream":{"job":"varlogs"}, "values":[["1700000000000000005","hi"]]}
    /// ]}"#;
    /// let mut scratch = JsonScratch::new();
    /// let push = PushRequest::decode_json(body.as_bytes(), &mut scratch)?;
    /// let stream = push.streams().get(0).unwrap();
    /// let entry = stream.entries().get(0).unwrap();
    /// assert_eq!(stream.labels(), r#"{job="varlogs"}"#);
    /// assert_eq!(entry.timestamp(), Some(Timestamp::new(1_700_000_000, 5)));
    /// # Ok::<(), borrowire::loki::json::JsonError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first fault in the body, with its place.
    pub fn decode_json(body: &'a [u8], scratch: &'a mut JsonScratch) -> Result<Self, JsonError> {
        Self::decode_json_with(body, scratch, &DecodeOptions::new())
    }

    /// Decodes `body`, which is JSON, into new storage.
    ///
    /// ```
    /// use borrowire::loki::{DecodeOptions, PushRequest, json::JsonScratch};
    ///
    /// let body = br#"{"streams":[{"stream":{"k8s.pod":"web-1"},"values":[]}]}"#;
    /// let options = DecodeOptions::new().with_quoted_names(true); // not for what goes to Loki
    /// let mut scratch = JsonScratch::new();
    /// let push = PushRequest::decode_json_with(body, &mut scratch, &options)?;
    /// assert_eq!(push.streams().get(0).unwrap().labels(), r#"{"k8s.pod"="web-1"}"#);
    /// # Ok::<(), borrowire::loki::json::JsonError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place.
    pub fn decode_json_with(
        body: &'a [u8],
        scratch: &'a mut JsonScratch,
        options: &DecodeOptions,
    ) -> Result<Self, JsonError> {
        let mut request = Self::default();
        request.decode_json_into(body, scratch, options)?;
        Ok(request)
    }

    /// Decodes `body`, which is JSON, into this request's storage, in place of what it held.
    ///
    /// The request borrows from the scratch as well as from the body. To use both again,
    /// [`recycle`](Self::recycle) the request; a [`Decoder`] does so by itself.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place. The request is then
    /// empty.
    pub fn decode_json_into(
        &mut self,
        body: &'a [u8],
        scratch: &'a mut JsonScratch,
        options: &DecodeOptions,
    ) -> Result<(), JsonError> {
        self.clear();
        let (arena, _) = scratch.parts();
        match decode::read(body, arena, &mut self.storage, options) {
            Ok(unknown_fields) => {
                self.envelope.unknown_fields = unknown_fields;
                Ok(())
            }
            Err(error) => {
                self.clear();
                Err(error)
            }
        }
    }

    /// What partial mode left out of a push in JSON, in the order of the body. For one in protobuf
    /// see [`skipped`](Self::skipped).
    ///
    /// [`JsonSkipped`] has an example.
    #[must_use]
    pub fn json_skipped(&self) -> &[JsonSkipped] {
        self.storage.skipped()
    }

    /// An encoder of the request's streams as JSON. It writes labels into `scratch`, which is
    /// emptied first: not the one that the request itself was decoded with, if it came as JSON.
    ///
    /// ```
    /// use borrowire::Encode;
    /// use borrowire::loki::json::JsonScratch;
    /// use borrowire::loki::{Entry, PushRequest, PushRequestEncoder, Stream, Timestamp};
    ///
    /// let entries = [Entry::new(Timestamp::new(0, 1), b"started")];
    /// let streams = [Stream::new(r#"{job="varlogs"}"#).with_entries(&entries)];
    /// let protobuf = PushRequestEncoder::new(streams).encode_to_vec()?;
    ///
    /// let push = PushRequest::decode(&protobuf)?;
    /// let json = push.json_encoder(&mut JsonScratch::new())?.encode_to_vec()?;
    /// let expected = br#"{"streams":[{"stream":{"job":"varlogs"},"values":[["1","started"]]}]}"#;
    /// assert_eq!(json, expected);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first stream that has no JSON form.
    pub fn json_encoder<'s, 'x>(
        &'s self,
        scratch: &'x mut JsonScratch,
    ) -> Result<JsonEncoder<'x, StreamsIter<'s, 'a>>, JsonEncodeError> {
        JsonEncoder::new(self.streams(), scratch)
    }
}

impl Decoder<PushRequest<'static>> {
    /// Decodes `body`, which is JSON. The request that is returned gives the storage back when it
    /// is dropped; what it shows lasts as long as it does, since some of the text is the decoder's.
    ///
    /// ```
    /// use borrowire::loki::PushRequest;
    /// use borrowire::reuse::Decoder;
    ///
    /// let mut decoder = Decoder::<PushRequest>::new();
    /// for job in ["varlogs", "syslog"] {
    ///     let body = format!(r#"{{"streams":[{{"stream":{{"job":"{job}"}},"values":[]}}]}}"#);
    ///     let push = decoder.decode_json(body.as_bytes())?; // memory of all bodies before
    ///     let stream = push.streams().get(0).unwrap();
    ///     assert_eq!(stream.labels(), format!(r#"{{job="{job}"}}"#));
    /// }
    /// # Ok::<(), borrowire::loki::json::JsonError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place. The decoder stays
    /// usable, and nothing of the body stays in it.
    pub fn decode_json<'d>(
        &'d mut self,
        body: &'d [u8],
    ) -> Result<Decoded<'d, 'd, PushRequest<'static>>, JsonError> {
        self.decode_by(|request, scratch, options| request.decode_json_into(body, scratch, options))
    }

    /// Decodes `body`, which is JSON, with options of its own, in place of the decoder's: a
    /// tenant's limits, say.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place.
    pub fn decode_json_with<'d>(
        &'d mut self,
        body: &'d [u8],
        options: &DecodeOptions,
    ) -> Result<Decoded<'d, 'd, PushRequest<'static>>, JsonError> {
        self.decode_by(|request, scratch, _| request.decode_json_into(body, scratch, options))
    }
}

impl Owned<PushRequest<'static>> {
    /// Decodes `body`, which is JSON, into new storage, with the default options.
    ///
    /// Label strings, and text with escapes, take memory of their own, which the request owns as
    /// well.
    ///
    /// ```
    /// use borrowire::loki::PushRequest;
    /// use borrowire::reuse::Owned;
    ///
    /// let body = r#"{"streams":[{"stream":{"job":"varlogs"},"values":[["1","\"hi\""]]}]}"#;
    /// let owned = Owned::<PushRequest>::decode_json(body)?;
    /// let line = std::thread::spawn(move || {
    ///     let stream = owned.request().streams().get(0).unwrap();
    ///     stream.entries().get(0).unwrap().line().to_vec()
    /// });
    /// assert_eq!(line.join().unwrap(), br#""hi""#);
    /// # Ok::<(), borrowire::loki::json::JsonError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first fault in the body, with its place.
    pub fn decode_json(body: impl Into<Bytes>) -> Result<Self, JsonError> {
        Self::decode_json_with(body, &DecodeOptions::new())
    }

    /// Decodes `body`, which is JSON, into new storage.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place.
    pub fn decode_json_with(
        body: impl Into<Bytes>,
        options: &DecodeOptions,
    ) -> Result<Self, JsonError> {
        Self::decode_by(body.into().into(), |body| {
            let scratch = &mut body.scratch.borrow_mut().scratch;
            PushRequest::decode_json_with(&body.bytes, scratch, options)
        })
    }
}

#[cfg(feature = "std")]
impl Pool<PushRequest<'static>> {
    /// Decodes `body`, which is JSON, into a storage of the pool, for handing to another task. The
    /// storage returns when the request is dropped, and so does the memory for label strings and
    /// for text with escapes.
    ///
    /// To look at a push where it was decoded, decode it by a [`decoder`](Self::decoder) of the
    /// pool, which costs no allocation:
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use borrowire::loki::PushRequest;
    /// use borrowire::reuse::Pool;
    ///
    /// let pool = Arc::new(Pool::<PushRequest>::new()); // shared by all threads
    /// let body = r#"{"streams":[{"stream":{"job":"varlogs"},"values":[["1","hi"]]}]}"#;
    ///
    /// let mut decoder = pool.decoder();
    /// assert_eq!(decoder.decode_json(body.as_bytes())?.entries_len(), 1);
    ///
    /// let owned = pool.decode_json_owned(body)?;
    /// let entries = std::thread::spawn(move || owned.request().entries_len());
    /// assert_eq!(entries.join().unwrap(), 1);
    /// # Ok::<(), borrowire::loki::json::JsonError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place. Storage and memory are
    /// back in the pool then.
    pub fn decode_json_owned(
        self: &Arc<Self>,
        body: impl Into<Bytes>,
    ) -> Result<Owned<PushRequest<'static>>, JsonError> {
        self.decode_json_owned_by(body.into(), None)
    }

    /// Decodes `body`, which is JSON, with options of its own, in place of the pool's, for handing to
    /// another task.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place. Storage and memory are
    /// back in the pool then.
    pub fn decode_json_owned_with(
        self: &Arc<Self>,
        body: impl Into<Bytes>,
        options: &DecodeOptions,
    ) -> Result<Owned<PushRequest<'static>>, JsonError> {
        self.decode_json_owned_by(body.into(), Some(options))
    }

    /// Decodes with `own` options, or those of the pool.
    fn decode_json_owned_by(
        self: &Arc<Self>,
        body: Bytes,
        own: Option<&DecodeOptions>,
    ) -> Result<Owned<PushRequest<'static>>, JsonError> {
        self.decode_owned_by(OwnedBody::pooled(body, self), |body| {
            let scratch = &mut body.scratch.borrow_mut().scratch;
            let mut pooled = self.decode_by(|request, options| {
                request.decode_json_into(&body.bytes, scratch, own.unwrap_or(options))
            })?;
            Ok(pooled.take())
        })
    }
}
