//! Fields of generated types, by whatever generator: they have the same names, but not the same
//! types.

use std::borrow::Cow;

use bytes::Bytes;

use super::digest::Count;

/// Text, as bytes.
pub trait Text {
    fn text(&self) -> &[u8];
}

impl Text for &str {
    #[inline]
    fn text(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl Text for String {
    #[inline]
    fn text(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl Text for Bytes {
    #[inline]
    fn text(&self) -> &[u8] {
        self
    }
}

impl Text for Cow<'_, str> {
    #[inline]
    fn text(&self) -> &[u8] {
        self.as_bytes()
    }
}

/// The number of an enum's value.
pub trait Number {
    fn number(&self) -> i32;
}

impl Number for i32 {
    fn number(&self) -> i32 {
        *self
    }
}

impl<E: buffa::Enumeration> Number for buffa::EnumValue<E> {
    fn number(&self) -> i32 {
        self.to_i32()
    }
}

/// `impl_number!(Type: |value| expression; ..)`.
macro_rules! impl_number {
    ($($type:ty: |$value:ident| $number:expr;)*) => {$(
        impl $crate::peers::fields::Number for $type {
            fn number(&self) -> i32 {
                let $value = *self;
                $number
            }
        }
    )*};
}
pub(crate) use impl_number;

/// A histogram's count, which is of one of two types.
pub trait ToCount {
    fn to_count(&self) -> Option<Count>;
}

impl<T: ToCount> ToCount for Option<T> {
    fn to_count(&self) -> Option<Count> {
        self.as_ref().and_then(T::to_count)
    }
}

/// `impl_to_count!(Type: VariantOfInt | VariantOfFloat; ..)`.
macro_rules! impl_to_count {
    ($($type:ty: $int:ident | $float:ident;)*) => {$(
        impl $crate::peers::fields::ToCount for $type {
            #[allow(unreachable_patterns, reason = "some types have a variant for no count")]
            fn to_count(&self) -> Option<$crate::peers::digest::Count> {
                match *self {
                    Self::$int(count) => Some($crate::peers::digest::Count::Int(count)),
                    Self::$float(count) => Some($crate::peers::digest::Count::Float(count)),
                    _ => None,
                }
            }
        }
    )*};
}
pub(crate) use impl_to_count;

/// Adds a histogram of generated types, of either version, to a digest.
macro_rules! add_histogram {
    ($digest:expr, $histogram:expr) => {{
        use $crate::peers::fields::{Number as _, ToCount as _};

        let (digest, histogram) = (&mut $digest, $histogram);
        digest.histogram(
            histogram.sum,
            histogram.schema,
            histogram.zero_threshold,
            histogram.reset_hint.number(),
            histogram.timestamp,
        );
        digest.count(histogram.count.to_count());
        digest.count(histogram.zero_count.to_count());
        digest.spans(histogram.negative_spans.iter().map(|span| (span.offset, span.length)));
        digest.deltas(&histogram.negative_deltas);
        digest.floats(&histogram.negative_counts);
        digest.spans(histogram.positive_spans.iter().map(|span| (span.offset, span.length)));
        digest.deltas(&histogram.positive_deltas);
        digest.floats(&histogram.positive_counts);
        digest.floats(&histogram.custom_values);
    }};
}
pub(crate) use add_histogram;
