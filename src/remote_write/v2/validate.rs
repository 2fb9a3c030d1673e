//! What a request of 2.0 must look like, beyond being well-formed protobuf: reported, never changed.
//!
//! Source: the remote write specification, version 2.0-rc.4, on symbols and series. Prometheus accepts
//! tables that break the rules, Mimir refuses them.

use core::fmt;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::request::Request;
use crate::remote_write::time_series::TimeSeries;
use crate::remote_write::validate::{Rules, Violation, ViolationKind};
use crate::storage::{clear_table, hash_text, index};

/// What is wrong with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RequestViolation {
    /// A symbol that stands in the table before. Only the request's own are looked at.
    DuplicateSymbol {
        /// The later one's reference.
        reference: u32,
    },
    /// The first symbol is not the empty one, or there is none: a reference that was left out would read as
    /// it.
    FirstSymbolNotEmpty,
    /// Something in a series.
    Series(Violation),
}

impl RequestViolation {
    /// A fixed, lower-case name, for logs and metric labels; of a series, that of the
    /// [kind](ViolationKind::as_str).
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DuplicateSymbol { .. } => "duplicate symbol",
            Self::FirstSymbolNotEmpty => "first symbol not empty",
            Self::Series(violation) => violation.kind.as_str(),
        }
    }
}

impl fmt::Display for RequestViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateSymbol { reference } => write!(f, "symbol {reference} is there twice"),
            Self::FirstSymbolNotEmpty => f.write_str("the first symbol is not empty"),
            Self::Series(violation) => violation.fmt(f),
        }
    }
}

impl core::error::Error for RequestViolation {}

/// Validates one request after the other. It remembers symbols to find those that are there twice, in
/// memory that is used again.
///
/// ```
/// use borrowire::remote_write::v2::{Request, RequestViolation, Rules, Validator};
///
/// let mut validator = Validator::new(Rules::new());
/// let request = Request::decode(b"\x22\x01x\x22\x01x")?;
/// let mut violations = Vec::new();
/// validator.validate(&request, |violation| violations.push(violation));
/// assert_eq!(violations[0], RequestViolation::FirstSymbolNotEmpty);
/// assert_eq!(violations[1].to_string(), "symbol 1 is there twice");
/// # Ok::<(), borrowire::DecodeError>(())
/// ```
#[derive(Clone, Default)]
pub struct Validator {
    rules: Rules,
    seen: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Validator {
    /// A validator of `rules`.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self { rules, ..Self::default() }
    }

    /// Reports everything in `request` that breaks the rules: first the symbols, then series by series.
    pub fn validate(&mut self, request: &Request<'_>, mut report: impl FnMut(RequestViolation)) {
        self.check_symbols(request, &mut report);
        for (series, view) in request.timeseries().iter().enumerate() {
            let mut report = |kind| report(RequestViolation::Series(Violation { series, kind }));
            view.violations(&self.rules, &mut report);
            check_values(&view, &mut report);
        }
    }

    fn check_symbols(&mut self, request: &Request<'_>, report: &mut impl FnMut(RequestViolation)) {
        let Self { seen, hasher, .. } = self;
        let symbols = request.symbols();
        let hash = |text: &str| hash_text(hasher, text);
        let own = symbols.own_start();
        if symbols.iter().nth(own) != Some(Some("")) {
            report(RequestViolation::FirstSymbolNotEmpty);
        }
        clear_table(seen);
        for (at, symbol) in symbols.iter().enumerate().skip(own) {
            // One that is not UTF-8 (partial mode) equals no other.
            let Some(symbol) = symbol else { continue };
            let (reference, key) = (index(at), hash(symbol));
            if seen.find(key, |&at| symbols.get(at) == Some(symbol)).is_some() {
                report(RequestViolation::DuplicateSymbol { reference });
            } else {
                seen.insert_unique(key, reference, |&at| hash(symbols.get(at).unwrap_or("")));
            }
        }
    }
}

/// The rules of 2.0 for what a series holds.
fn check_values(series: &TimeSeries<'_, '_>, report: &mut impl FnMut(ViolationKind)) {
    match (series.samples().is_empty(), series.histograms().is_empty()) {
        (true, true) => report(ViolationKind::NoSamples),
        (false, false) => report(ViolationKind::SamplesAndHistograms),
        _ => {}
    }
    for (exemplar, value) in series.exemplars().iter().enumerate() {
        if value.timestamp() == 0 {
            report(ViolationKind::ExemplarWithoutTimestamp { exemplar });
        }
    }
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Validator").field("rules", &self.rules).finish_non_exhaustive()
    }
}

impl Request<'_> {
    /// Reports everything in the request that breaks `rules`, as [`Validator`] does, which keeps the memory
    /// that this needs.
    pub fn validate(&self, rules: &Rules, report: impl FnMut(RequestViolation)) {
        Validator::new(*rules).validate(self, report);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DecodeOptions;
    use alloc::vec::Vec;

    fn violations(body: &[u8], options: &DecodeOptions) -> Vec<RequestViolation> {
        let request = Request::decode_with(body, options).unwrap();
        let mut all = Vec::new();
        request.validate(&Rules::new(), |violation| all.push(violation));
        all
    }

    fn of_series(series: usize, kind: ViolationKind) -> RequestViolation {
        RequestViolation::Series(Violation { series, kind })
    }

    #[test]
    fn tables() {
        use RequestViolation::{DuplicateSymbol, FirstSymbolNotEmpty};
        let strict = DecodeOptions::new();
        assert_eq!(violations(b"\x22\x00\x22\x01a", &strict), []);
        assert_eq!(violations(b"", &strict), [FirstSymbolNotEmpty]);
        assert_eq!(violations(b"\x22\x01a", &strict), [FirstSymbolNotEmpty]);
        let twice = violations(b"\x22\x00\x22\x01a\x22\x00\x22\x01b\x22\x01a", &strict);
        assert_eq!(twice, [DuplicateSymbol { reference: 2 }, DuplicateSymbol { reference: 4 }]);
        // Symbols that are no text are not compared; the common ones are not the request's.
        let partial = DecodeOptions::new().with_partial(true);
        assert_eq!(violations(b"\x22\x00\x22\x01\xff\x22\x01\xff", &partial), []);
        let common = DecodeOptions::new().with_common_symbols(true);
        assert_eq!(violations(b"\x22\x00\x22\x03job\x22\x03pod", &common), []);
        assert_eq!(violations(b"\x22\x03job", &common), [FirstSymbolNotEmpty]);
    }

    #[test]
    fn names_and_lines() {
        for (violation, name, line) in [
            (
                RequestViolation::DuplicateSymbol { reference: 7 },
                "duplicate symbol",
                "symbol 7 is there twice",
            ),
            (
                RequestViolation::FirstSymbolNotEmpty,
                "first symbol not empty",
                "the first symbol is not empty",
            ),
            (
                of_series(3, ViolationKind::NoSamples),
                "no samples",
                "series 3: neither samples nor histograms",
            ),
        ] {
            assert_eq!((violation.as_str(), violation.to_string().as_str()), (name, line));
        }
    }

    #[test]
    fn series() {
        let table = b"\x22\x00\x22\x08__name__\x22\x01m";
        let check = |series: &[u8]| {
            let body = [&table[..], &[0x2a, u8::try_from(series.len()).unwrap()], series].concat();
            violations(&body, &DecodeOptions::new())
        };
        let labels = b"\x0a\x02\x01\x02";
        assert_eq!(check(&[&labels[..], b"\x12\x00"].concat()), []);
        assert_eq!(check(&[&labels[..], b"\x1a\x00"].concat()), []);
        assert_eq!(check(labels), [of_series(0, ViolationKind::NoSamples)]);
        assert_eq!(
            check(&[&labels[..], b"\x12\x00\x1a\x00"].concat()),
            [of_series(0, ViolationKind::SamplesAndHistograms)]
        );
        assert_eq!(
            check(&[&labels[..], b"\x12\x00\x22\x02\x18\x01\x22\x00"].concat()),
            [of_series(0, ViolationKind::ExemplarWithoutTimestamp { exemplar: 1 })]
        );
        assert_eq!(check(b"\x12\x00"), [of_series(0, ViolationKind::MissingMetricName)]);
    }
}
