//! Both requests from JSON and to JSON: the same for metrics and for logs.

use core::mem;
#[cfg(feature = "std")]
use std::sync::Arc;

use bytes::Bytes;

use super::encode::{JsonEncodeError, JsonEncoder};
use super::error::{JsonError, JsonErrorKind};
use super::read;
use super::schema::{EXPORT_LOGS_REQUEST, EXPORT_METRICS_REQUEST, Message};
use super::scratch::JsonScratch;
use super::skipped::JsonSkipped;
use crate::message::request::ReadRecords;
use crate::otlp::logs::{self, ExportLogsServiceRequest, ExportLogsServiceRequestEncoder};
use crate::otlp::metrics::{self, ExportMetricsServiceRequest, ExportMetricsServiceRequestEncoder};
use crate::otlp::options::DecodeOptions;
#[cfg(feature = "std")]
use crate::reuse::Pool;
use crate::reuse::{Decoded, Decoder, Owned};
use crate::wire::error::{DecodeError, DecodeErrorKind};

/// Turns `body` into protobuf, in `scratch`. Returns whether it held members that are not known.
fn to_protobuf(
    message: &'static Message,
    body: &[u8],
    scratch: &mut JsonScratch,
    options: &DecodeOptions,
) -> Result<bool, JsonError> {
    read::read(message, body, scratch.target(), options)
}

/// What the decoder says about the protobuf that `body` became, in terms of `body`.
#[cold]
fn in_json(
    error: DecodeError,
    message: &'static Message,
    body: &[u8],
    options: &DecodeOptions,
) -> JsonError {
    let kind = match error.kind() {
        DecodeErrorKind::LimitExceeded => JsonErrorKind::LimitExceeded,
        DecodeErrorKind::MessageTooLarge => {
            return JsonError::new(JsonErrorKind::MessageTooLarge, 0);
        }
        _ => JsonErrorKind::DepthLimit,
    };
    let target = &mut JsonScratch::new();
    let place = read::place_of(message, body, target.target(), options, error.offset());
    JsonError::new(kind, place)
}

macro_rules! requests {
    ($($module:ident, $request:ident, $encoder:ident, $list:ident, $view:ident, $message:ident,
        $example:literal;)*) => {$(
        impl<'a> $request<'a> {
            /// Decodes `body`, which is JSON, into new storage, with the default options. See
            /// [`json`](crate::otlp::json) for what is accepted. The request borrows from the scratch.
            ///
            /// ```
            /// use borrowire::otlp::json::JsonScratch;
            #[doc = concat!("use borrowire::otlp::", stringify!($module), "::", stringify!($request), ";")]
            ///
            #[doc = concat!("let body = br#\"", $example, "\"#;")]
            /// let mut scratch = JsonScratch::new();
            #[doc = concat!("let request = ", stringify!($request), "::decode_json(body, &mut scratch)?;")]
            #[doc = concat!("assert_eq!(request.", stringify!($list), "().len(), 1);")]
            /// # Ok::<(), borrowire::otlp::json::JsonError>(())
            /// ```
            ///
            /// # Errors
            ///
            /// The first fault in the body, with its place.
            pub fn decode_json(body: &[u8], scratch: &'a mut JsonScratch) -> Result<Self, JsonError> {
                Self::decode_json_with(body, scratch, &DecodeOptions::new())
            }

            /// Decodes `body`, which is JSON, into new storage. The request borrows from the scratch.
            ///
            /// # Errors
            ///
            /// The first fault in the body, or what is over a limit, with its place.
            pub fn decode_json_with(
                body: &[u8],
                scratch: &'a mut JsonScratch,
                options: &DecodeOptions,
            ) -> Result<Self, JsonError> {
                let mut request = Self::default();
                request.decode_json_into(body, scratch, options)?;
                Ok(request)
            }

            /// Decodes `body`, which is JSON, into this request's storage, in place of what it held.
            ///
            /// The request borrows from the scratch. To use both again,
            /// [`recycle`](Self::recycle) the request; a [`Decoder`] does so by itself.
            ///
            /// # Errors
            ///
            /// The first fault in the body, or what is over a limit, with its place. The request is then
            /// empty.
            pub fn decode_json_into(
                &mut self,
                body: &[u8],
                scratch: &'a mut JsonScratch,
                options: &DecodeOptions,
            ) -> Result<(), JsonError> {
                let unknown = match to_protobuf(&$message, body, scratch, options) {
                    Ok(unknown) => unknown,
                    Err(error) => {
                        self.clear();
                        return Err(error);
                    }
                };
                let JsonScratch { protobuf, skipped, .. } = scratch;
                self.decode_into(protobuf, options)
                    .map_err(|error| in_json(error, &$message, body, options))?;
                self.envelope().unknown_fields |= unknown;
                self.storage.parents.note_json_skipped(skipped);
                Ok(())
            }

            /// What partial mode left out of a body in JSON, in its order. For one in protobuf see
            /// [`skipped`](Self::skipped).
            ///
            /// [`JsonSkipped`] has an example.
            #[must_use]
            pub fn json_skipped(&self) -> &[JsonSkipped] {
                &self.storage.parents.json_skipped
            }

            /// An encoder of the request as JSON. It is written as protobuf into `scratch` first, which
            /// is emptied for it: not the one that the request itself was decoded with.
            ///
            /// # Errors
            ///
            /// If the protobuf is over 2 GiB - 1.
            pub fn json_encoder<'x>(
                &self,
                scratch: &'x mut JsonScratch,
            ) -> Result<JsonEncoder<'x>, JsonEncodeError> {
                JsonEncoder::new(&$message, &self.encoder(), scratch)
            }
        }

        impl<'s, 'a: 's, I> $encoder<I>
        where
            I: Iterator<Item = $module::$view<'s, 'a>> + Clone,
        {
            /// An encoder of the request as JSON. It is written as protobuf into `scratch` first, which
            /// is emptied for it. [`JsonEncoder`] has an example.
            ///
            /// # Errors
            ///
            /// If values nest more than 250 messages deep, or the protobuf is over 2 GiB - 1.
            pub fn json_encoder<'x>(
                &self,
                scratch: &'x mut JsonScratch,
            ) -> Result<JsonEncoder<'x>, JsonEncodeError> {
                JsonEncoder::new(&$message, self, scratch)
            }
        }

        impl Decoder<$request<'static>> {
            /// Decodes `body`, which is JSON. The request that is returned gives the storage back when
            /// it is dropped; what it shows lasts as long as it does, since its bytes are the decoder's.
            ///
            /// ```
            #[doc = concat!("use borrowire::otlp::", stringify!($module), "::", stringify!($request), ";")]
            /// use borrowire::reuse::Decoder;
            ///
            #[doc = concat!("let mut decoder = Decoder::<", stringify!($request), ">::new();")]
            #[doc = concat!("let body = br#\"", $example, "\"#;")]
            /// for _ in 0..3 {
            ///     let request = decoder.decode_json(body)?; // memory of all bodies before
            #[doc = concat!("    assert_eq!(request.", stringify!($list), "().len(), 1);")]
            /// }
            /// # Ok::<(), borrowire::otlp::json::JsonError>(())
            /// ```
            ///
            /// # Errors
            ///
            /// The first fault in the body, or what is over a limit, with its place. The decoder stays
            /// usable, and nothing of the body stays in it.
            pub fn decode_json<'d>(
                &'d mut self,
                body: &[u8],
            ) -> Result<Decoded<'d, 'd, $request<'static>>, JsonError> {
                self.decode_by(|request, scratch, options| {
                    request.decode_json_into(body, scratch, options)
                })
            }
        }

        impl Owned<$request<'static>> {
            /// Decodes `body`, which is JSON, into new storage, with the default options. What the
            /// request owns is the protobuf that it stands for.
            ///
            /// # Errors
            ///
            /// The first fault in the body, with its place.
            pub fn decode_json(body: &[u8]) -> Result<Self, JsonError> {
                Self::decode_json_with(body, &DecodeOptions::new())
            }

            /// Decodes `body`, which is JSON, into new storage. What the request owns is the protobuf
            /// that it stands for.
            ///
            /// # Errors
            ///
            /// The first fault in the body, or what is over a limit, with its place.
            pub fn decode_json_with(body: &[u8], options: &DecodeOptions) -> Result<Self, JsonError> {
                let mut scratch = JsonScratch::new();
                let unknown = to_protobuf(&$message, body, &mut scratch, options)?;
                let protobuf = Bytes::from(mem::take(&mut scratch.protobuf));
                Self::decode_by(protobuf.into(), |protobuf| {
                    let mut request = $request::decode_with(protobuf, options)
                        .map_err(|error| in_json(error, &$message, body, options))?;
                    request.envelope().unknown_fields |= unknown;
                    request.storage.parents.note_json_skipped(&mut scratch.skipped);
                    Ok(request)
                })
            }
        }

        #[cfg(feature = "std")]
        impl Pool<$request<'static>> {
            /// Decodes `body`, which is JSON, into a storage of the pool, for handing to another task.
            /// The storage returns when the request is dropped; the protobuf that the body stands for is
            /// the request's own.
            ///
            /// To look at a request where it was decoded, decode it by a [`decoder`](Self::decoder) of
            /// the pool, which costs no allocation.
            ///
            /// # Errors
            ///
            /// The first fault in the body, or what is over a limit, with its place. The storage is back
            /// in the pool then.
            pub fn decode_json_owned(
                self: &Arc<Self>,
                body: &[u8],
            ) -> Result<Owned<$request<'static>>, JsonError> {
                let mut scratch = self.take_scratch();
                let result = self.decode_json_owned_by(body, &mut scratch);
                self.give_back_scratch(scratch);
                result
            }

            fn decode_json_owned_by(
                self: &Arc<Self>,
                body: &[u8],
                scratch: &mut JsonScratch,
            ) -> Result<Owned<$request<'static>>, JsonError> {
                let options = self.options();
                let unknown = to_protobuf(&$message, body, scratch, options)?;
                let protobuf = Bytes::copy_from_slice(&scratch.protobuf);
                self.decode_owned_by(protobuf.into(), |protobuf| {
                    let mut pooled = self.decode_by(|request, options| {
                        request
                            .decode_into(protobuf, options)
                            .map_err(|error| in_json(error, &$message, body, options))
                    })?;
                    let mut request = pooled.take();
                    request.envelope().unknown_fields |= unknown;
                    request.storage.parents.note_json_skipped(&mut scratch.skipped);
                    Ok(request)
                })
            }
        }
    )*};
}

requests! {
    logs, ExportLogsServiceRequest, ExportLogsServiceRequestEncoder, resource_logs, ResourceLogs, EXPORT_LOGS_REQUEST,
        r#"{"resourceLogs":[{"resource":{"attributes":[{"key":"a"}]}}]}"#;
    metrics, ExportMetricsServiceRequest, ExportMetricsServiceRequestEncoder, resource_metrics, ResourceMetrics,
        EXPORT_METRICS_REQUEST, r#"{"resourceMetrics":[{"resource":{"attributes":[{"key":"a"}]}}]}"#;
}
