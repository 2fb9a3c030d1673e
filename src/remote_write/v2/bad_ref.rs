//! Which series a bad reference is in, and what it is: found again from the place that the error
//! tells.

use core::fmt;

use super::time_series::TIMESERIES;
use crate::wire::Reader;
use crate::wire::error::{DecodeError, DecodeErrorKind};

/// The reference that made a request of remote write 2.0 fail, or a series be left out.
///
/// A [`DecodeError`] is small and tells the place in bytes; this tells it in the terms of the
/// message.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v2::{BadRef, Request, Symbolizer};
/// use borrowire::remote_write::{Label, TimeSeries};
///
/// let labels = [Label::new("job", "node")];
/// let series = [TimeSeries::new(&[]), TimeSeries::new(&labels)];
/// let mut body = Symbolizer::new().symbolize(series)?.encode_to_vec()?;
/// *body.last_mut().unwrap() = 99; // in place of the reference to "node"
///
/// let error = Request::decode(&body).unwrap_err();
/// let bad = BadRef::find(&body, &error).unwrap();
/// assert_eq!((bad.series, bad.reference), (1, Some(99)));
/// assert_eq!(bad.to_string(), "series 1: reference 99 names no symbol");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct BadRef {
    /// The position of the series in the body, from 0.
    pub series: usize,
    /// The reference; `None` where there should have been one more, the value of a label.
    pub reference: Option<u32>,
}

impl BadRef {
    /// The reference that `error` is about, which decoding `body` gave; `None` if it is about
    /// something else.
    #[must_use]
    pub fn find(body: &[u8], error: &DecodeError) -> Option<Self> {
        let about_refs = matches!(
            error.kind(),
            DecodeErrorKind::RefOutOfRange
                | DecodeErrorKind::OddRefs
                | DecodeErrorKind::InvalidUtf8
        );
        if !about_refs {
            return None;
        }
        let mut reader = Reader::new(body).ok()?;
        let mut series = 0_usize;
        while let Some(tag) = reader.next_tag().ok()? {
            let start = reader.offset();
            reader.skip_field(tag).ok()?;
            if tag != TIMESERIES {
                continue;
            }
            // A value that is missing is missed at the end.
            if (start..=reader.offset()).contains(&error.offset()) {
                let reference = match error.kind() {
                    DecodeErrorKind::OddRefs => None,
                    _ => Some(Reader::new(body.get(error.offset()..)?).ok()?.read_uint32().ok()?),
                };
                return Some(Self { series, reference });
            }
            series = series.saturating_add(1);
        }
        None
    }
}

impl fmt::Display for BadRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let series = self.series;
        match self.reference {
            Some(reference) => write!(f, "series {series}: reference {reference} names no symbol"),
            None => write!(f, "series {series}: a label has a name but no value"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote_write::v2::{DecodeOptions, Request};

    #[test]
    fn every_place_of_a_reference() {
        // symbols "", "a"; then series whose labels, exemplar, help or unit are bad
        for (series, expected) in [
            (&b"\x2a\x04\x0a\x02\x01\x02"[..], Some(2)),
            (b"\x2a\x04\x08\x01\x08\x05", Some(5)),
            (b"\x2a\x08\x0a\x06\x01\xff\xff\xff\xff\x0f", Some(u32::MAX)),
            (b"\x2a\x05\x0a\x03\x01\x01\x01", None),
            (b"\x2a\x06\x22\x04\x0a\x02\x01\x63", Some(99)),
            (b"\x2a\x05\x22\x03\x0a\x01\x01", None),
            (b"\x2a\x04\x2a\x02\x18\x02", Some(2)),
            (b"\x2a\x04\x2a\x02\x20\x80\x01", None),
        ] {
            let truncated = series == b"\x2a\x04\x2a\x02\x20\x80\x01";
            let body = [b"\x22\x00\x22\x01a\x2a\x00", series].concat();
            let error = Request::decode(&body).unwrap_err();
            let found = BadRef::find(&body, &error);
            if truncated {
                assert_eq!(found, None);
                continue;
            }
            assert_eq!(found, Some(BadRef { series: 1, reference: expected }), "{error}");
            // also in partial mode, where the rest stays
            let options = DecodeOptions::new().with_partial(true);
            let request = Request::decode_with(&body, &options).unwrap();
            let skipped = request.skipped()[0];
            assert_eq!((skipped.error, skipped.index), (error, 1));
            // of a bad exemplar, the series stays
            let exemplar = series.get(2) == Some(&0x22);
            assert_eq!(skipped.element, exemplar.then_some(0));
            assert_eq!(request.timeseries().len(), 1 + usize::from(exemplar));
        }
    }

    #[test]
    fn other_faults_are_not_about_references() {
        for body in [&b"\x22\x01\xff"[..], b"\x2a\x05", b"\x2a\x02\x0a\x01"] {
            let error = Request::decode(body).unwrap_err();
            assert_eq!(BadRef::find(body, &error), None, "{error}");
        }
    }

    #[test]
    fn it_reads_as_one_line() {
        let odd = BadRef { series: 3, reference: None };
        assert_eq!(odd.to_string(), "series 3: a label has a name but no value");
    }
}
