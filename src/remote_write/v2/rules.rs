//! What a request of 2.0 must look like, beyond being well-formed protobuf: reported, never
//! changed.
//!
//! Source: the remote write specification, version 2.0-rc.4, on symbols and series. Prometheus
//! accepts tables that break the rules, Mimir refuses them.

use core::fmt;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::long_symbols::LongSymbols;
use super::request::Request;
use crate::message::columns::{clear_table, hash_text, index};
use crate::message::violation::Violation;
use crate::remote_write::model::record_kind::RecordKind;
use crate::remote_write::model::rules::{EachTime, Names, Rule, Rules, ViolationKind};
use crate::remote_write::model::time_series::TimeSeries;
use crate::wire::impossible;

/// Validates one request after the other. It remembers symbols, to find those that are there twice
/// and to look at long ones once however many series use them, in memory that is used again.
///
/// ```
/// use borrowire::remote_write::Rules;
/// use borrowire::remote_write::v2::{Request, Validator};
///
/// # use borrowire::{Encode, remote_write::v2::Symbolizer};
/// # use borrowire::remote_write::{Label, Sample, TimeSeries};
/// # let labels = [Label::new("job", "node"), Label::new("__name__", "up")];
/// # let samples = [Sample::new(1.0, 1)];
/// # let series = [TimeSeries::new(&labels).with_samples(&samples)];
/// # let body = Symbolizer::new().symbolize(series)?.encode_to_vec()?;
/// let mut validator = Validator::new(Rules::strict());
/// let request = Request::decode(&body)?; // {job="node", __name__="up"}
/// let mut violations = Vec::new();
/// validator.validate(&request, |violation| violations.push(violation));
/// assert_eq!(violations[0].to_string(), "series 0: unsorted labels (label 1)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Validator {
    rules: Rules,
    seen: HashTable<u32>,
    hasher: DefaultHashBuilder,
    long_symbols: LongSymbols,
}

impl Validator {
    /// A validator of `rules`.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self { rules, ..Self::default() }
    }

    /// Reports everything in `request` that breaks the rules: first the symbols, then series by
    /// series.
    pub fn validate(
        &mut self,
        request: &Request<'_>,
        mut report: impl FnMut(Violation<ViolationKind>),
    ) {
        let rules = self.rules;
        self.check_symbols(request, rules.filter(|kind| report(Violation::of_request(kind))));
        self.long_symbols.read(request.symbols());
        if self.long_symbols.is_empty() {
            check_all(request, &rules, &EachTime, report);
        } else {
            check_all(request, &rules, &self.long_symbols, report);
            self.long_symbols.clear();
        }
    }

    fn check_symbols(&mut self, request: &Request<'_>, mut report: impl FnMut(ViolationKind)) {
        let Self { rules, seen, hasher, .. } = self;
        let symbols = request.symbols();
        let hash = |text: &str| hash_text(hasher, text);
        let own = symbols.own_start();
        if symbols.iter().nth(own) != Some(Some("")) {
            let rule = Rule::FirstSymbolNotEmpty;
            report(ViolationKind::Symbol { rule, reference: index(own) });
        }
        if !rules.has(Rule::DuplicateSymbol) {
            return;
        }
        clear_table(seen);
        for (at, symbol) in symbols.iter().enumerate().skip(own) {
            // One that is not UTF-8 (partial mode) equals no other.
            let Some(symbol) = symbol else { continue };
            let (reference, key) = (index(at), hash(symbol));
            if seen.find(key, |&at| symbols.get(at) == Some(symbol)).is_some() {
                report(ViolationKind::Symbol { rule: Rule::DuplicateSymbol, reference });
            } else {
                seen.insert_unique(key, reference, |&at| {
                    hash(symbols.get(at).unwrap_or_else(impossible))
                });
            }
        }
    }
}

fn check_all(
    request: &Request<'_>,
    rules: &Rules,
    names: &impl Names,
    mut report: impl FnMut(Violation<ViolationKind>),
) {
    for (index, series) in request.timeseries().iter().enumerate() {
        check_series(&series, rules, names, |kind| {
            let index = request.index_in_body(RecordKind::TimeSeries, index);
            report(Violation::of_record(index, kind));
        });
    }
}

/// Reports everything in `series` that breaks `rules`, as a series of 2.0.
///
/// ```
/// use borrowire::remote_write::{Label, Rule, Rules, TimeSeries, v2};
///
/// let labels = [Label::new("__name__", "up")];
/// let (series, mut found) = (TimeSeries::new(&labels), Vec::new());
/// v2::validate_timeseries(&series, &Rules::new(), |kind| found.push(kind.rule()));
/// assert_eq!(found, [Rule::NoSamples]);
/// ```
pub fn validate_timeseries(
    series: &TimeSeries<'_, '_>,
    rules: &Rules,
    report: impl FnMut(ViolationKind),
) {
    check_series(series, rules, &EachTime, report);
}

fn check_series(
    series: &TimeSeries<'_, '_>,
    rules: &Rules,
    names: &impl Names,
    report: impl FnMut(ViolationKind),
) {
    let mut report = rules.filter(report);
    rules.check(series, names, &mut report);
    match (series.samples().is_empty(), series.histograms().is_empty()) {
        (true, true) => report(ViolationKind::Series { rule: Rule::NoSamples }),
        (false, false) => report(ViolationKind::Series { rule: Rule::SamplesAndHistograms }),
        _ => {}
    }
    for (exemplar, value) in series.exemplars().iter().enumerate() {
        if value.timestamp() == 0 {
            report(ViolationKind::Exemplar { rule: Rule::ExemplarWithoutTimestamp, exemplar });
        }
    }
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Validator").field("rules", &self.rules).finish_non_exhaustive()
    }
}

impl Request<'_> {
    /// Reports everything in the request that breaks `rules`, as [`Validator`] does, which keeps
    /// the memory that this needs.
    pub fn validate(&self, rules: &Rules, report: impl FnMut(Violation<ViolationKind>)) {
        Validator::new(*rules).validate(self, report);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote_write::v2::{DecodeOptions, Format};
    use alloc::vec::Vec;

    fn violations(body: &[u8], options: &DecodeOptions) -> Vec<Violation<ViolationKind>> {
        let request = Request::decode_with(body, options).unwrap();
        let mut all = Vec::new();
        request.validate(&Rules::strict(), |violation| all.push(violation));
        all
    }

    fn of_series(series: usize, kind: ViolationKind) -> Violation<ViolationKind> {
        Violation::of_record(series, kind)
    }

    fn kinds(body: &[u8], options: &DecodeOptions) -> Vec<ViolationKind> {
        violations(body, options).into_iter().map(|violation| violation.kind).collect()
    }

    #[test]
    fn tables() {
        let first =
            |reference| ViolationKind::Symbol { rule: Rule::FirstSymbolNotEmpty, reference };
        let twice = |reference| ViolationKind::Symbol { rule: Rule::DuplicateSymbol, reference };
        let strict = DecodeOptions::new();
        assert_eq!(kinds(b"\x22\x00\x22\x01a", &strict), []);
        assert_eq!(kinds(b"", &strict), [first(0)]);
        assert_eq!(kinds(b"\x22\x01a", &strict), [first(0)]);
        let found = kinds(b"\x22\x00\x22\x01a\x22\x00\x22\x01b\x22\x01a", &strict);
        assert_eq!(found, [twice(2), twice(4)]);
        // Symbols that are no text are not compared; the common ones are not the request's.
        let partial = DecodeOptions::new().with_partial(true);
        assert_eq!(kinds(b"\x22\x00\x22\x01\xff\x22\x01\xff", &partial), []);
        let common = DecodeOptions::new().with_format(Format::MimirRecord);
        assert_eq!(kinds(b"\x22\x00\x22\x03job\x22\x03pod", &common), []);
        assert_eq!(kinds(b"\x22\x03job", &common), [first(64)]);
    }

    #[test]
    fn names_and_lines() {
        let symbol = ViolationKind::Symbol { rule: Rule::DuplicateSymbol, reference: 7 };
        for (violation, name, line) in [
            (Violation::of_request(symbol), "duplicate symbol", "duplicate symbol (symbol 7)"),
            (
                of_series(3, ViolationKind::Series { rule: Rule::NoSamples }),
                "no samples",
                "series 3: no samples",
            ),
        ] {
            let found = (violation.kind.as_str(), violation.to_string());
            assert_eq!(found, (name, line.to_string()));
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
        assert_eq!(check(labels), [of_series(0, ViolationKind::Series { rule: Rule::NoSamples })]);
        assert_eq!(
            check(&[&labels[..], b"\x12\x00\x1a\x00"].concat()),
            [of_series(0, ViolationKind::Series { rule: Rule::SamplesAndHistograms })]
        );
        assert_eq!(
            check(&[&labels[..], b"\x12\x00\x22\x02\x18\x01\x22\x00"].concat()),
            [of_series(
                0,
                ViolationKind::Exemplar { rule: Rule::ExemplarWithoutTimestamp, exemplar: 1 }
            )]
        );
        assert_eq!(
            check(b"\x12\x00"),
            [of_series(0, ViolationKind::Series { rule: Rule::MissingMetricName })]
        );
    }
}
