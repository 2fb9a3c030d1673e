//! The text of a value, as the OpenTelemetry Collector writes it: for labels, metadata and log lines.
//!
//! ```text
//! none          nothing
//! string        itself
//! bool          true, false
//! int           decimal
//! double        shortest digits; from 1e21 and below 1e-6 with an exponent: 1e+21, 1e-7; NaN,
//!               Infinity, -Infinity
//! bytes         standard base64, padded
//! map           {"a":1,"b":[true,null,"x"]}: sorted by the keys' bytes, of equal keys the last one
//! array         [..]: bytes in base64, null if there are none; a NaN or an infinity in it: nothing
//! ```
//!
//! Source: `Value.AsString` of `go.opentelemetry.io/collector/pdata/pcommon`, over Go's `encoding/json`.

use alloc::vec::Vec;
use core::fmt::{self, Write};
use core::mem;

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;

use super::any_value::{AnyValue, ArrayValue, KeyValueList};
use crate::message::columns::{push, recycle, vec_bytes};
use crate::wire::retention::Retention;
use crate::wire::{impossible, json, text_region};

/// Whose text of a value: the Collector's library changed it.
///
/// ```
/// use borrowire::otlp::{AnyValue, AsStringOptions, AsStringScratch, KeyValue, KeyValueList};
/// use borrowire::otlp::PdataVersion;
///
/// let tags = [KeyValue::new("path", "<root>")];
/// let value = AnyValue::KvList(KeyValueList::new(&tags));
/// let mut scratch = AsStringScratch::new();
/// let options = AsStringOptions::new();
/// assert_eq!(value.as_string(&mut scratch, &options)?, r#"{"path":"<root>"}"#);
/// let options = options.with_version(PdataVersion::V1_51);
/// assert_eq!(value.as_string(&mut scratch, &options)?, r#"{"path":"\u003croot\u003e"}"#);
/// # Ok::<(), borrowire::otlp::AsStringError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PdataVersion {
    /// 1.51.0, of 2026, which Mimir has: `<`, `>` and `&` in maps and arrays are `\u003c`, `\u003e` and
    /// `\u0026`, and a NaN or an infinity that is the value itself is Go's error about it, `json:
    /// unsupported value: NaN`.
    V1_51,
    /// 1.65.0, of 2026.
    #[default]
    V1_65,
}

/// What the text of a value looks like, and how long it may be.
///
/// ```
/// use borrowire::otlp::{AnyValue, AsStringOptions, AsStringScratch};
///
/// let options = AsStringOptions::new().with_max_bytes(8);
/// let mut scratch = AsStringScratch::new();
/// let error = AnyValue::Int(1_700_000_000).as_string(&mut scratch, &options).unwrap_err();
/// assert_eq!(error.to_string(), "text of a value over 8 bytes");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AsStringOptions {
    /// Whose text it is. Default: the newest's.
    pub version: PdataVersion,
    /// The most bytes of a text. Default: 16 MiB; a text can take six times the bytes of its value.
    pub max_bytes: usize,
}

impl Default for AsStringOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl AsStringOptions {
    /// The defaults.
    #[must_use]
    pub const fn new() -> Self {
        Self { version: PdataVersion::V1_65, max_bytes: 16 << 20 }
    }

    /// Sets [`version`](Self::version).
    #[must_use]
    pub const fn with_version(mut self, version: PdataVersion) -> Self {
        self.version = version;
        self
    }

    /// Sets [`max_bytes`](Self::max_bytes).
    #[must_use]
    pub const fn with_max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }
}

/// A text of a value that is longer than [`AsStringOptions`] allow.
///
/// ```
/// use borrowire::otlp::{AnyValue, AsStringOptions, AsStringScratch};
///
/// let options = AsStringOptions::new().with_max_bytes(3);
/// let mut scratch = AsStringScratch::new();
/// let error = AnyValue::Bool(false).as_string(&mut scratch, &options).unwrap_err();
/// assert_eq!(error.max_bytes(), 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AsStringError {
    max_bytes: usize,
}

impl AsStringError {
    /// How many bytes there may be.
    #[must_use]
    pub const fn max_bytes(&self) -> usize {
        self.max_bytes
    }
}

impl fmt::Display for AsStringError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "text of a value over {} bytes", self.max_bytes)
    }
}

impl core::error::Error for AsStringError {}

/// Memory for the texts of values, one after the other: nothing is allocated once it has grown to
/// their size.
///
/// ```
/// use borrowire::otlp::{AnyValue, AsStringOptions, AsStringScratch};
///
/// let mut scratch = AsStringScratch::new();
/// assert_eq!(AnyValue::Double(1e21).as_string(&mut scratch, &AsStringOptions::new())?, "1e+21");
/// assert!(scratch.capacity_bytes() > 0);
/// # Ok::<(), borrowire::otlp::AsStringError>(())
/// ```
#[derive(Default)]
pub struct AsStringScratch {
    text: Vec<u8>,
    /// The entries of the maps that are being written, those of a map within one behind its own.
    entries: Vec<Entry<'static>>,
    retention: Retention,
}

/// An entry of a map, and its position there.
#[derive(Clone, Copy, Default)]
struct Entry<'a> {
    key: &'a str,
    position: usize,
    value: AnyValue<'a>,
}

impl AsStringScratch {
    /// Memory for texts, none of it allocated yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Heap bytes that are kept for the next value.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        self.text.capacity().saturating_add(vec_bytes(&self.entries))
    }

    /// Forgets the last text, and its memory if that was of little use for long.
    fn clear(&mut self) {
        let capacity = self.text.capacity();
        if self.retention.is_wasted(self.text.len(), || capacity) {
            *self = Self::default();
        }
        self.text.clear();
    }
}

impl fmt::Debug for AsStringScratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsStringScratch").field("capacity_bytes", &self.capacity_bytes()).finish()
    }
}

impl<'a> AnyValue<'a> {
    /// The value as text, as `Value.AsString` of the OpenTelemetry Collector has it, and with it the
    /// labels, metadata and log lines that receivers make of values.
    ///
    /// Text is the value's own; anything else is written to `scratch`.
    ///
    /// | value | text |
    /// |---|---|
    /// | none | empty |
    /// | bool, int | `true`, `-7` |
    /// | double | shortest digits: `0.1`, `1e+21`, `1e-7`, `NaN`, `-Infinity` |
    /// | bytes | standard base64 with padding |
    /// | map | JSON, sorted by key; of equal keys the last one |
    /// | array | JSON |
    ///
    /// A NaN or an infinity within a map or an array makes the whole text empty.
    ///
    /// ```
    /// use borrowire::otlp::{AnyValue, ArrayValue, AsStringOptions, AsStringScratch};
    ///
    /// let values = [AnyValue::Int(1), AnyValue::Double(-0.5), AnyValue::Bytes(b"\xff")];
    /// let value = AnyValue::Array(ArrayValue::new(&values));
    /// let mut scratch = AsStringScratch::new(); // used again for the next value
    /// let text = value.as_string(&mut scratch, &AsStringOptions::new())?;
    /// assert_eq!(text, r#"[1,-0.5,"/w=="]"#);
    /// # Ok::<(), borrowire::otlp::AsStringError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the text is longer than the options allow.
    pub fn as_string<'t>(
        &self,
        scratch: &'t mut AsStringScratch,
        options: &AsStringOptions,
    ) -> Result<&'t str, AsStringError>
    where
        'a: 't,
    {
        if let Self::String(text) = self {
            return match text.len() {
                len if len > options.max_bytes => Err(options.too_long()),
                _ => Ok(text),
            };
        }
        scratch.clear();
        // A value before may have failed in the middle of its maps: recycling empties.
        let entries = recycle(mem::take(&mut scratch.entries));
        let mut writer = TextWriter { text: &mut scratch.text, entries, options };
        let result = writer.write_text(*self);
        scratch.entries = recycle(writer.entries);
        match result {
            Ok(()) => Ok(text_region(&scratch.text).unwrap_or_else(impossible)),
            Err(Stop::NoText) => Ok(""),
            Err(Stop::TooLong) => Err(options.too_long()),
        }
    }
}

impl AsStringOptions {
    #[cold]
    const fn too_long(&self) -> AsStringError {
        AsStringError { max_bytes: self.max_bytes }
    }
}

/// Why a text is not written to its end.
enum Stop {
    TooLong,
    /// A number that JSON does not have.
    NoText,
}

impl From<fmt::Error> for Stop {
    fn from(_: fmt::Error) -> Self {
        Self::TooLong
    }
}

/// Writes the text of a value.
struct TextWriter<'t, 'a> {
    text: &'t mut Vec<u8>,
    entries: Vec<Entry<'a>>,
    options: &'t AsStringOptions,
}

impl Write for TextWriter<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.put(text.as_bytes())
    }
}

impl<'a> TextWriter<'_, 'a> {
    fn put(&mut self, text: &[u8]) -> fmt::Result {
        if text.len() > self.options.max_bytes.saturating_sub(self.text.len()) {
            return Err(fmt::Error);
        }
        self.text.extend_from_slice(text);
        Ok(())
    }

    fn write_text(&mut self, value: AnyValue<'a>) -> Result<(), Stop> {
        match value {
            AnyValue::Empty | AnyValue::StringStrindex(_) => Ok(()),
            AnyValue::String(text) => Ok(self.write_str(text)?),
            AnyValue::Bytes(bytes) => self.write_base64(bytes),
            AnyValue::Double(value) if !value.is_finite() => {
                let is_infinite = value.is_infinite();
                Ok(self.write_str(match (self.options.version, is_infinite, value > 0.0) {
                    (PdataVersion::V1_51, false, _) => "json: unsupported value: NaN",
                    (PdataVersion::V1_51, true, true) => "json: unsupported value: +Inf",
                    (PdataVersion::V1_51, true, false) => "json: unsupported value: -Inf",
                    (PdataVersion::V1_65, false, _) => "NaN",
                    (PdataVersion::V1_65, true, true) => "Infinity",
                    (PdataVersion::V1_65, true, false) => "-Infinity",
                })?)
            }
            value => self.write_json(value),
        }
    }

    fn write_json(&mut self, value: AnyValue<'a>) -> Result<(), Stop> {
        match value {
            AnyValue::Empty | AnyValue::StringStrindex(_) | AnyValue::Bytes([]) => {
                Ok(self.write_str("null")?)
            }
            AnyValue::String(text) => self.write_json_string(text),
            AnyValue::Bool(value) => Ok(write!(self, "{value}")?),
            AnyValue::Int(value) => Ok(write!(self, "{value}")?),
            AnyValue::Double(value) => self.write_double(value),
            AnyValue::Array(array) => self.write_array(array),
            AnyValue::KvList(list) => self.write_map(list),
            AnyValue::Bytes(bytes) => {
                self.write_str("\"")?;
                self.write_base64(bytes)?;
                Ok(self.write_str("\"")?)
            }
        }
    }

    fn write_base64(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        Ok(write!(self, "{}", Base64Display::new(bytes, &STANDARD))?)
    }

    /// The shortest digits that are read as `value` again, which must be finite.
    fn write_double(&mut self, value: f64) -> Result<(), Stop> {
        if !value.is_finite() {
            return Err(Stop::NoText);
        }
        if value == 0.0 || (1e-6..1e21).contains(&value.abs()) {
            return Ok(write!(self, "{value}")?);
        }
        write!(self, "{value:e}")?;
        if value.abs() > 1.0
            && let Some(exponent) = self.text.iter().rposition(|&byte| byte == b'e')
        {
            // Go writes the sign of a positive exponent, too: `e+21`.
            self.put(b"+")?;
            self.text.get_mut(exponent.saturating_add(1)..).unwrap_or_default().rotate_right(1);
        }
        Ok(())
    }

    fn write_array(&mut self, array: ArrayValue<'a>) -> Result<(), Stop> {
        let mut separator = "[";
        for value in array {
            self.write_str(separator)?;
            separator = ",";
            self.write_json(value)?;
        }
        self.write_str(if separator == "[" { "[]" } else { "]" })?;
        Ok(())
    }

    fn write_map(&mut self, list: KeyValueList<'a>) -> Result<(), Stop> {
        let start = self.entries.len();
        for (position, pair) in list.into_iter().enumerate() {
            let value = pair.value.unwrap_or_default();
            push(&mut self.entries, Entry { key: pair.key, position, value });
        }
        // Of equal keys the last one first.
        let entries = self.entries.get_mut(start..).unwrap_or_else(impossible);
        entries.sort_unstable_by(|one, other| {
            one.key.cmp(other.key).then(other.position.cmp(&one.position))
        });
        let mut separator = "{";
        let mut last = None;
        let mut at = start;
        while let Some(&Entry { key, value, .. }) = self.entries.get(at) {
            at = at.saturating_add(1);
            if last == Some(key) {
                continue;
            }
            last = Some(key);
            self.write_str(separator)?;
            separator = ",";
            self.write_json_string(key)?;
            self.write_str(":")?;
            self.write_json(value)?;
        }
        self.entries.truncate(start);
        self.write_str(if separator == "{" { "{}" } else { "}" })?;
        Ok(())
    }

    /// A string as Go writes it: with escapes also for what separates lines in JavaScript, and for
    /// what HTML could take for its own.
    fn write_json_string(&mut self, text: &str) -> Result<(), Stop> {
        let for_html = self.options.version == PdataVersion::V1_51;
        let is_special = |char| match char {
            '\u{2028}' | '\u{2029}' => true,
            '<' | '>' | '&' => for_html,
            _ => false,
        };
        self.write_str("\"")?;
        let mut rest = text;
        while let Some(at) = rest.find(is_special) {
            let (plain, special) = rest.split_at_checked(at).unwrap_or_else(impossible);
            json::write_escaped(plain.as_bytes(), &mut |piece: &[u8]| self.put(piece))?;
            let mut chars = special.chars();
            if let Some(char) = chars.next() {
                write!(self, "\\u{:04x}", u32::from(char))?;
            }
            rest = chars.as_str();
        }
        json::write_escaped(rest.as_bytes(), &mut |piece: &[u8]| self.put(piece))?;
        self.write_str("\"")?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;
    use crate::otlp::KeyValue;

    fn text(value: AnyValue<'_>, options: &AsStringOptions) -> Result<String, AsStringError> {
        Ok(value.as_string(&mut AsStringScratch::new(), options)?.into())
    }

    #[test]
    fn the_longest_text_that_is_allowed_is_written() {
        let bytes = [0xff; 100];
        let array = [AnyValue::Int(1), AnyValue::Double(1e21), AnyValue::Bytes(&bytes)];
        let map = [KeyValue::new("k", "\n"), KeyValue::new("a", true)];
        for value in [
            AnyValue::String("text"),
            AnyValue::Bool(false),
            AnyValue::Int(i64::MIN),
            AnyValue::Double(-1e-7),
            AnyValue::Double(f64::NAN),
            AnyValue::Bytes(&bytes),
            AnyValue::Array(ArrayValue::new(&array)),
            AnyValue::Array(ArrayValue::new(&[])),
            AnyValue::KvList(KeyValueList::new(&map)),
        ] {
            let whole = text(value, &AsStringOptions::new()).unwrap();
            for max in 0..whole.len() {
                let error = text(value, &AsStringOptions::new().with_max_bytes(max)).unwrap_err();
                assert_eq!(error.max_bytes(), max, "{value:?}");
            }
            let options = AsStringOptions::new().with_max_bytes(whole.len());
            assert_eq!(text(value, &options), Ok(whole));
        }
    }

    /// What one value leaves in the memory is not seen by the next.
    #[test]
    fn a_text_that_fails_leaves_nothing() {
        let mut scratch = AsStringScratch::new();
        let nan = [KeyValue::new("a", f64::NAN)];
        let deep = [
            KeyValue::new("z", "long"),
            KeyValue::new("m", AnyValue::KvList(KeyValueList::new(&nan))),
        ];
        let good = [KeyValue::new("b", 1_i64), KeyValue::new("a", 2_i64)];
        for _ in 0..3 {
            let value = AnyValue::KvList(KeyValueList::new(&deep));
            assert_eq!(value.as_string(&mut scratch, &AsStringOptions::new()), Ok(""));
            let value = AnyValue::KvList(KeyValueList::new(&good));
            let text = value.as_string(&mut scratch, &AsStringOptions::new());
            assert_eq!(text, Ok(r#"{"a":2,"b":1}"#));
            assert!(
                value.as_string(&mut scratch, &AsStringOptions::new().with_max_bytes(9)).is_err()
            );
        }
    }
}
