//! How pushes are used again, and what an owned one borrows from: its body, and text beside it.

use core::borrow::Borrow;
#[cfg(all(feature = "json", feature = "std"))]
use std::sync::Arc;

use bytes::Bytes;
#[cfg(feature = "json")]
use self_cell::MutBorrow;

use super::push_request::PushRequest;
#[cfg(feature = "json")]
use crate::loki::json::scratch::JsonScratch;
use crate::loki::options::DecodeOptions;
use crate::loki::record_kind::RecordKind;
#[cfg(all(feature = "json", feature = "std"))]
use crate::reuse::Pool;
use crate::reuse::{Reuse, tie};

/// What an owned push borrows from.
#[doc(hidden)]
#[allow(unnameable_types, missing_debug_implementations, reason = "not for users")]
pub struct OwnedBody {
    pub(in crate::loki) bytes: Bytes,
    #[cfg(feature = "json")]
    pub(in crate::loki) scratch: MutBorrow<OwnedScratch>,
}

/// The scratch of an owned push.
#[cfg(feature = "json")]
#[derive(Default)]
pub(in crate::loki) struct OwnedScratch {
    pub(in crate::loki) scratch: JsonScratch,
    /// Where the scratch goes in the end.
    #[cfg(feature = "std")]
    pool: Option<Arc<Pool<PushRequest<'static>>>>,
}

#[cfg(all(feature = "json", feature = "std"))]
impl OwnedBody {
    /// `bytes`, with scratch of `pool`.
    pub(in crate::loki) fn pooled(bytes: Bytes, pool: &Arc<Pool<PushRequest<'static>>>) -> Self {
        let scratch = OwnedScratch { scratch: pool.take_scratch(), pool: Some(Arc::clone(pool)) };
        Self { bytes, scratch: MutBorrow::new(scratch) }
    }
}

#[cfg(all(feature = "json", feature = "std"))]
impl Drop for OwnedScratch {
    fn drop(&mut self) {
        if let Some(pool) = &self.pool {
            pool.give_back_scratch(core::mem::take(&mut self.scratch));
        }
    }
}

impl From<Bytes> for OwnedBody {
    fn from(bytes: Bytes) -> Self {
        Self {
            bytes,
            #[cfg(feature = "json")]
            scratch: MutBorrow::new(OwnedScratch::default()),
        }
    }
}

impl Borrow<Bytes> for OwnedBody {
    fn borrow(&self) -> &Bytes {
        &self.bytes
    }
}

tie!(TiedPushRequest, PushRequest, OwnedBody);

/// What a push may borrow from besides its body: protobuf holds all text as it is wanted, JSON does
/// not.
#[cfg(feature = "json")]
type Scratch = JsonScratch;
#[cfg(not(feature = "json"))]
type Scratch = ();

impl Reuse for PushRequest<'_> {
    type Options = DecodeOptions;
    type Kind = RecordKind;
    type Request<'a> = PushRequest<'a>;
    type Tied = TiedPushRequest;
    type Scratch = Scratch;

    #[inline]
    fn recycle(request: PushRequest<'_>) -> PushRequest<'static> {
        request.recycle()
    }

    #[inline]
    fn shorten<'a>(request: PushRequest<'static>) -> PushRequest<'a> {
        request
    }
}
