//! What the decoded requests of both versions have in common.

use crate::error::DecodeError;

/// What kind of element partial mode left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SkippedKind {
    /// An entry of `timeseries`.
    TimeSeries,
    /// An entry of `metadata` (1.0).
    Metadata,
}

/// An element that partial mode left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct SkippedItem {
    /// Series or metadata.
    pub kind: SkippedKind,
    /// Its position among all elements of its kind as they stood in the body, from 0.
    pub index: usize,
    /// What is wrong with it, and where.
    pub error: DecodeError,
}

/// Gives a request of either version, which keeps its series in a field `storage`, the methods about
/// them.
macro_rules! impl_series_access {
    ($request:ident) => {
        impl<'a> $request<'a> {
            /// The series, in wire order.
            #[inline]
            #[must_use]
            pub const fn timeseries(&self) -> $crate::remote_write::TimeSeriesList<'_, 'a> {
                $crate::remote_write::TimeSeriesList::stored(&self.storage)
            }

            /// How many labels all series have together.
            #[must_use]
            pub const fn labels_len(&self) -> usize {
                self.storage.labels.len()
            }

            /// How many samples all series have together.
            #[must_use]
            pub const fn samples_len(&self) -> usize {
                self.storage.samples.len()
            }

            /// How many exemplars all series have together.
            #[must_use]
            pub const fn exemplars_len(&self) -> usize {
                self.storage.exemplars.len()
            }

            /// How many native histograms all series have together.
            #[must_use]
            pub const fn histograms_len(&self) -> usize {
                self.storage.histograms.len()
            }

            /// The bytes that the series at `index` was decoded from: the whole record, tag and length
            /// included, unknown fields and all.
            ///
            /// `None` if there is no such series, or the request was not decoded from a body.
            #[must_use]
            pub fn raw_timeseries(&self, index: usize) -> Option<&'a [u8]> {
                let record = self.storage.timeseries.get(index)?;
                self.storage.raw(record.raw_start, record.raw_end)
            }

            /// The body that the request was decoded from; empty if it was not.
            #[must_use]
            pub const fn body(&self) -> &'a [u8] {
                self.storage.body
            }

            /// What partial mode left out, in wire order.
            #[must_use]
            pub fn skipped(&self) -> &[$crate::remote_write::SkippedItem] {
                &self.storage.skipped
            }

            /// Whether the body held fields that this crate does not know, at any level. They are only in
            /// the raw bytes; encoding the request again does not write them.
            #[must_use]
            pub const fn has_unknown_fields(&self) -> bool {
                self.storage.unknown_fields
            }

            /// The request's extension fields. Encoding the request does not write them, so that a client
            /// cannot set internal flags through a proxy: hand them over if they may pass.
            ///
            /// What of them is only about writing is `false` here.
            #[must_use]
            pub const fn extensions(&self) -> $crate::remote_write::Extensions {
                self.storage.extensions
            }
        }
    };
}

pub(super) use impl_series_access;
