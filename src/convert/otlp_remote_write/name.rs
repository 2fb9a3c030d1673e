//! Names of metrics, units and labels as Prometheus has them.
//!
//! What becomes of a name depends on the metric's name, unit and kind, and on the
//! [`TranslationStrategy`]; nothing of it depends on data.
//!
//! | | escaped | as it is |
//! |---|---|---|
//! | with suffixes | `http.duration`, `s` → `http_duration_seconds` | `http.duration_seconds` |
//! | without | `http_duration` | `http.duration` |

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use smallvec::SmallVec;

/// What a translation does to names: `translation_strategy` in Prometheus' configuration.
///
/// ```
/// use borrowire::convert::otlp_remote_write::TranslationStrategy;
///
/// let strategy: TranslationStrategy = "NoUTF8EscapingWithSuffixes".parse()?;
/// assert!(strategy.adds_suffixes() && !strategy.escapes());
/// # Ok::<(), borrowire::convert::otlp_remote_write::UnknownStrategy>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TranslationStrategy {
    /// What the classic character set lacks becomes `_`; unit and type become suffixes.
    #[default]
    UnderscoreEscapingWithSuffixes,
    /// What the classic character set lacks becomes `_`.
    UnderscoreEscapingWithoutSuffixes,
    /// Unit and type become suffixes.
    NoUtf8EscapingWithSuffixes,
    /// All names stay as they are.
    NoTranslation,
}

impl TranslationStrategy {
    const ALL: [Self; 4] = [
        Self::UnderscoreEscapingWithSuffixes,
        Self::UnderscoreEscapingWithoutSuffixes,
        Self::NoUtf8EscapingWithSuffixes,
        Self::NoTranslation,
    ];

    /// Its name in Prometheus' configuration.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnderscoreEscapingWithSuffixes => "UnderscoreEscapingWithSuffixes",
            Self::UnderscoreEscapingWithoutSuffixes => "UnderscoreEscapingWithoutSuffixes",
            Self::NoUtf8EscapingWithSuffixes => "NoUTF8EscapingWithSuffixes",
            Self::NoTranslation => "NoTranslation",
        }
    }

    /// Whether names keep to the classic character set.
    #[must_use]
    pub const fn escapes(self) -> bool {
        matches!(
            self,
            Self::UnderscoreEscapingWithSuffixes | Self::UnderscoreEscapingWithoutSuffixes
        )
    }

    /// Whether unit and type become suffixes of metric names.
    #[must_use]
    pub const fn adds_suffixes(self) -> bool {
        matches!(self, Self::UnderscoreEscapingWithSuffixes | Self::NoUtf8EscapingWithSuffixes)
    }
}

impl fmt::Display for TranslationStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for TranslationStrategy {
    type Err = UnknownStrategy;

    fn from_str(name: &str) -> Result<Self, UnknownStrategy> {
        Self::ALL.into_iter().find(|strategy| strategy.as_str() == name).ok_or(UnknownStrategy)
    }
}

/// No strategy has this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct UnknownStrategy;

impl fmt::Display for UnknownStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no translation strategy has this name")
    }
}

impl core::error::Error for UnknownStrategy {}

/// What a metric's name depends on, besides the settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct MetricName<'a> {
    pub(super) name: &'a str,
    pub(super) unit: &'a str,
    pub(super) kind: NameKind,
}

/// The kinds of metrics that names tell apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum NameKind {
    Gauge,
    /// A monotonic sum, of whatever temporality.
    Counter,
    #[default]
    Other,
}

/// A name of which nothing is left to call a metric or label by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NothingLeft;

impl MetricName<'_> {
    /// Appends the metric's name to `out`.
    pub(super) fn write(
        &self,
        out: &mut String,
        namespace: &str,
        strategy: TranslationStrategy,
    ) -> Result<(), NothingLeft> {
        let start = out.len();
        match (strategy.escapes(), strategy.adds_suffixes()) {
            (true, true) => self.write_escaped_with_suffixes(out, namespace),
            (true, false) => self.write_escaped(out, namespace),
            (false, true) => {
                self.write_with_suffixes(out, namespace);
                return Ok(());
            }
            (false, false) => {
                write_namespace(out, namespace);
                out.push_str(self.name);
                return Ok(());
            }
        }
        let written = out.get(start..).unwrap_or_default();
        let nothing = written.bytes().all(|byte| byte == b'_') && written != self.name;
        if written.is_empty() || nothing { Err(NothingLeft) } else { Ok(()) }
    }

    fn write_escaped_with_suffixes(&self, out: &mut String, namespace: &str) {
        let (main, per) = unit_suffixes(self.unit);
        let (main, per) = (cleaned(main), per_suffix(per).map(cleaned_owned).unwrap_or_default());
        let mut tokens: SmallVec<[&str; 16]> = fields(self.name, is_token_char).collect();
        let mut main = &*main;
        if tokens.contains(&main) {
            main = "";
        }
        let mut per = if per == "per_" { "" } else { per.strip_suffix('_').unwrap_or(&per) };
        if tokens.contains(&per) {
            per = "";
        }
        if !per.is_empty() {
            main = main.strip_suffix('_').unwrap_or(main);
        }
        tokens.extend([main, per].into_iter().filter(|suffix| !suffix.is_empty()));
        let last = match self.kind {
            NameKind::Counter => Some("total"),
            NameKind::Gauge if self.unit == "1" => Some("ratio"),
            _ => None,
        };
        if let Some(last) = last {
            tokens.retain(|token| *token != last);
            tokens.push(last);
        }
        let start = out.len();
        let namespace = Some(namespace).filter(|namespace| !namespace.is_empty());
        write_joined(out, namespace.into_iter().chain(tokens));
        escape_first_digit(out, start);
    }

    fn write_escaped(&self, out: &mut String, namespace: &str) {
        let start = out.len();
        let kept = |char| is_token_char(char) || char == '_';
        if !namespace.is_empty() {
            write_joined(out, fields(namespace, kept));
            out.push('_');
        }
        write_joined(out, fields(self.name, kept));
        if namespace.is_empty() {
            escape_first_digit(out, start);
        }
    }

    fn write_with_suffixes(&self, out: &mut String, namespace: &str) {
        let start = out.len();
        write_namespace(out, namespace);
        out.push_str(self.name);
        let ratio = self.kind == NameKind::Gauge && self.unit == "1";
        let counter = self.kind == NameKind::Counter;
        if ratio {
            cut_suffix(out, start, "ratio");
        }
        if counter {
            cut_suffix(out, start, "total");
        }
        let (main, per) = unit_suffixes(self.unit);
        let per = per_suffix(per);
        if let Some(per) = &per {
            cut_suffix(out, start, per);
        }
        let ends_with_main = out.get(start..).is_some_and(|written| written.ends_with(main));
        let suffixes = [
            (!main.is_empty() && !ends_with_main).then_some(main),
            per.as_deref(),
            counter.then_some("total"),
            ratio.then_some("ratio"),
        ];
        for suffix in suffixes.into_iter().flatten() {
            out.push('_');
            out.push_str(suffix);
        }
    }
}

/// Appends a unit as metadata and the label `__unit__` have it: `By/s` is `bytes_per_second`.
pub(super) fn write_unit_name(out: &mut String, unit: &str) {
    let (main, per) = unit_suffixes(unit);
    let (main, per) = (cleaned(main), per_suffix(per).map(cleaned_owned).unwrap_or_default());
    let start = out.len();
    write_joined(out, [&*main, &*per].into_iter().filter(|part| !part.is_empty()));
    if out.ends_with('_') && out.len() > start {
        out.pop();
    }
    if out.get(start..).is_some_and(|written| written.starts_with('_')) {
        out.remove(start);
    }
}

/// How label names are made of attribute keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LabelNaming {
    /// No escaping: the key is the name.
    pub(super) utf8: bool,
    /// `key` before a single leading `_`.
    pub(super) sanitize_underscore: bool,
    /// Runs of `_` stay.
    pub(super) preserve_underscores: bool,
}

impl LabelNaming {
    /// Whether `key` is its own label name, as most are.
    pub(super) fn is_unchanged(self, key: &str) -> bool {
        let bytes = key.as_bytes();
        // Nothing is asked of names that are not escaped.
        if self.utf8 {
            return true;
        }
        bytes.first().is_some_and(u8::is_ascii_alphabetic)
            && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            && (self.preserve_underscores || !key.contains("__"))
    }

    /// Appends the label name of `key` to `out`.
    pub(super) fn write(self, out: &mut String, key: &str) -> Result<(), NothingLeft> {
        let start = out.len();
        if self.utf8 {
            out.push_str(key);
        } else {
            self.write_escaped(out, key);
        }
        let written = out.get(start..).unwrap_or_default();
        if written.bytes().all(|byte| byte == b'_') {
            return Err(NothingLeft);
        }
        Ok(())
    }

    fn write_escaped(self, out: &mut String, key: &str) {
        let reserved = key.len() >= 4 && key.starts_with("__") && key.ends_with("__");
        let first = key.bytes().next();
        if first.is_some_and(|byte| byte.is_ascii_digit()) {
            out.push_str("key_");
        }
        let start = out.len();
        if self.preserve_underscores {
            out.extend(key.chars().map(|char| if is_name_char(char) { char } else { '_' }));
        } else if reserved {
            out.push_str("__");
            write_collapsed(out, key.get(2..key.len().saturating_sub(2)).unwrap_or_default());
            out.push_str("__");
        } else {
            write_collapsed(out, key);
        }
        let written = out.get(start..).unwrap_or_default();
        if self.sanitize_underscore && written.starts_with('_') && !written.starts_with("__") {
            out.insert_str(start, "key");
        }
    }
}

/// `text` with each run of what a label name cannot have, or of `_`, as one `_`.
fn write_collapsed(out: &mut String, text: &str) {
    let mut in_run = false;
    for char in text.chars() {
        let kept = is_name_char(char);
        if kept {
            out.push(char);
        } else if !in_run {
            out.push('_');
        }
        in_run = !kept;
    }
}

/// The parts of `text` between what is not `kept`.
fn fields(text: &str, kept: impl Fn(char) -> bool) -> impl Iterator<Item = &str> {
    text.split(move |char| !kept(char)).filter(|field| !field.is_empty())
}

/// What a metric name may have, `_` aside.
fn is_token_char(char: char) -> bool {
    is_name_char(char) || char == ':'
}

/// What a label name may have, `_` aside.
fn is_name_char(char: char) -> bool {
    char.is_ascii_alphanumeric()
}

fn write_joined<'a>(out: &mut String, parts: impl Iterator<Item = &'a str>) {
    for (i, part) in parts.enumerate() {
        if i > 0 {
            out.push('_');
        }
        out.push_str(part);
    }
}

fn write_namespace(out: &mut String, namespace: &str) {
    if !namespace.is_empty() {
        out.push_str(namespace);
        out.push('_');
    }
}

/// No name begins with a digit.
fn escape_first_digit(out: &mut String, start: usize) {
    let written = out.get(start..).unwrap_or_default();
    if written.starts_with(|char: char| char.is_ascii_digit()) {
        out.insert(start, '_');
    }
}

/// Takes `suffix` and the character before it off what is written, if something is left.
fn cut_suffix(out: &mut String, start: usize, suffix: &str) {
    let written = out.get(start..).unwrap_or_default();
    if let Some(rest) = written.strip_suffix(suffix)
        && rest.len() > 1
    {
        let delimiter = rest.chars().next_back().map_or(0, char::len_utf8);
        out.truncate(start.saturating_add(rest.len()).saturating_sub(delimiter));
    }
}

/// The unit before the first `/`, in words, and the unit after it, as it is.
fn unit_suffixes(unit: &str) -> (&str, &str) {
    let (main, per) = unit.split_once('/').unwrap_or((unit, ""));
    let legible = |part: &'_ str| !part.contains(['{', '}']);
    let (main, per) = (main.trim(), per.trim());
    (if legible(main) { unit_word(main) } else { "" }, if legible(per) { per } else { "" })
}

/// `per_second` for `s`, nothing for nothing.
fn per_suffix(per: &str) -> Option<String> {
    if per.is_empty() {
        return None;
    }
    let word = per_unit_word(per);
    let mut suffix = String::with_capacity(word.len().saturating_add(4));
    suffix.push_str("per_");
    suffix.push_str(word);
    Some(suffix)
}

/// A suffix in the classic character set: `_` for whatever it lacks, none in front, no two together.
fn cleaned(suffix: &str) -> Cow<'_, str> {
    if suffix.bytes().all(|byte| is_token_char(char::from(byte))) {
        return Cow::Borrowed(suffix);
    }
    let mut clean = String::with_capacity(suffix.len());
    for char in suffix.chars() {
        if is_token_char(char) {
            clean.push(char);
        } else if !clean.ends_with('_') {
            clean.push('_');
        }
    }
    if clean.starts_with('_') {
        clean.remove(0);
    }
    Cow::Owned(clean)
}

fn cleaned_owned(suffix: String) -> String {
    cleaned(&suffix).into_owned()
}

/// The words of UCUM units, as Prometheus has them.
fn unit_word(unit: &str) -> &str {
    match unit {
        "d" => "days",
        "h" => "hours",
        "min" => "minutes",
        "s" => "seconds",
        "ms" => "milliseconds",
        "us" => "microseconds",
        "ns" => "nanoseconds",
        "By" => "bytes",
        "KiBy" => "kibibytes",
        "MiBy" => "mebibytes",
        "GiBy" => "gibibytes",
        "TiBy" => "tibibytes",
        "KBy" => "kilobytes",
        "MBy" => "megabytes",
        "GBy" => "gigabytes",
        "TBy" => "terabytes",
        "m" => "meters",
        "V" => "volts",
        "A" => "amperes",
        "J" => "joules",
        "W" => "watts",
        "g" => "grams",
        "Cel" => "celsius",
        "Hz" => "hertz",
        "1" => "",
        "%" => "percent",
        other => other,
    }
}

/// The words of units behind `per`.
fn per_unit_word(unit: &str) -> &str {
    match unit {
        "s" => "second",
        "m" => "minute",
        "h" => "hour",
        "d" => "day",
        "w" => "week",
        "mo" => "month",
        "y" => "year",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn golden() -> Value {
        serde_json::from_str(include_str!("../../../tests/golden/otlp/names.json")).unwrap()
    }

    fn written(write: impl FnOnce(&mut String) -> Result<(), NothingLeft>) -> Result<String, ()> {
        // what stands before it stays, and does not matter
        let mut out = String::from("9_");
        write(&mut out).map_err(drop)?;
        Ok(out[2..].to_owned())
    }

    #[test]
    fn metrics() {
        let golden = golden();
        let cases = golden["metrics"].as_array().unwrap();
        assert!(cases.len() > 200);
        for case in cases {
            let text = |key: &str| case[key].as_str().unwrap();
            let strategy =
                match (!case["utf8"].as_bool().unwrap(), case["suffixes"].as_bool().unwrap()) {
                    (true, true) => TranslationStrategy::UnderscoreEscapingWithSuffixes,
                    (true, false) => TranslationStrategy::UnderscoreEscapingWithoutSuffixes,
                    (false, true) => TranslationStrategy::NoUtf8EscapingWithSuffixes,
                    (false, false) => TranslationStrategy::NoTranslation,
                };
            let kind = match text("type") {
                "MetricTypeGauge" => NameKind::Gauge,
                "MetricTypeMonotonicCounter" => NameKind::Counter,
                _ => NameKind::Other,
            };
            let metric = MetricName { name: text("name"), unit: text("unit"), kind };
            let expected =
                if text("error").is_empty() { Ok(text("metric").to_owned()) } else { Err(()) };
            let got = written(|out| metric.write(out, text("namespace"), strategy));
            assert_eq!(got, expected, "{case}");
            let unit = written(|out| {
                write_unit_name(out, metric.unit);
                Ok(())
            });
            assert_eq!(unit.unwrap(), text("unit_name"), "{case}");
        }
    }

    #[test]
    fn labels() {
        let golden = golden();
        let cases = golden["labels"].as_array().unwrap();
        assert!(cases.len() > 30);
        for case in cases {
            let label = case["label"].as_str().unwrap();
            for (mode, utf8, sanitize_underscore, preserve_underscores) in [
                ("collapse", false, false, false),
                ("preserve", false, false, true),
                ("collapse_key", false, true, false),
                ("preserve_key", false, true, true),
                ("utf8", true, false, false),
            ] {
                let naming = LabelNaming { utf8, sanitize_underscore, preserve_underscores };
                let name = case[mode][0].as_str().unwrap().to_owned();
                let expected = if case[mode][1] == "" { Ok(name) } else { Err(()) };
                let got = written(|out| naming.write(out, label));
                assert_eq!(got, expected, "{mode} {case}");
                if !utf8 && naming.is_unchanged(label) {
                    assert_eq!(got.as_deref(), Ok(label), "{mode} {case}");
                }
            }
        }
    }

    /// A cut goes by whole characters, so that what is left is text.
    #[test]
    fn cuts_whole_characters() {
        let metric = MetricName { name: "température_total", unit: "", kind: NameKind::Counter };
        let strategy = TranslationStrategy::NoUtf8EscapingWithSuffixes;
        assert_eq!(written(|out| metric.write(out, "", strategy)).unwrap(), "température_total");
        let metric = MetricName { name: "mètreètotal", ..metric };
        assert_eq!(written(|out| metric.write(out, "", strategy)).unwrap(), "mètre_total");
    }
}
