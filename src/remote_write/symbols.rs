//! Symbols of remote write 2.0: the texts that series refer to.
//!
//! ```text
//! Request 4 symbols  repeated string      the first is "", each should be there once
//! ```
//!
//! In Mimir's records of version 2 the references under 64 name a table that all records share; those of a
//! record's own symbols begin at 64.

use alloc::vec::Vec;

use crate::error::{DecodeError, DecodeErrorKind};
use crate::storage::{DecodeState, push, vec_bytes};
use crate::wire::{Reader, Tag, WireType, text_region, text_run_len};

pub(super) const SYMBOLS: Tag = Tag::new(4, WireType::Len);
/// The same as it stands on the wire.
const SYMBOLS_BYTE: u8 = 0x22;

/// The symbols that Mimir's records of version 2 do not spell out, by reference. Those from here up to
/// [`COMMON_SYMBOLS_END`] are not assigned.
///
/// Source: Mimir's ingest storage, record version 2.
pub const COMMON_SYMBOLS: [&str; 36] = [
    "",
    "__name__",
    "__aggregation__",
    "<aggregated>",
    "le",
    "component",
    "cortex_request_duration_seconds_bucket",
    "storage_operation_duration_seconds_bucket",
    "grafana",
    "asserts_env",
    "asserts_request_context",
    "asserts_source",
    "asserts_entity_type",
    "asserts_request_type",
    "name",
    "image",
    "cluster",
    "namespace",
    "pod",
    "job",
    "instance",
    "container",
    "replicaset",
    "interface",
    "status_code",
    "resource",
    "operation",
    "method",
    "kube-system",
    "kube-system/cadvisor",
    "node-exporter",
    "node-exporter/node-exporter",
    "kube-system/kubelet",
    "kube-system/node-local-dns",
    "kube-state-metrics/kube-state-metrics",
    "default/kubernetes",
];

/// The first reference of a record's own symbols, where it uses the common ones.
pub const COMMON_SYMBOLS_END: u32 = 64;

/// The symbols of a request, by reference.
///
/// `None` is a reference that nothing may use: a symbol that is not UTF-8 (partial mode only), or a place
/// of the common table that is not assigned.
#[derive(Clone, Default)]
pub(super) struct SymbolTable<'a> {
    symbols: Vec<Option<&'a str>>,
    /// How many of them stand in front of the request's own.
    common: usize,
}

impl<'a> SymbolTable<'a> {
    /// Puts Mimir's common symbols in front.
    pub(super) fn push_common(&mut self) {
        self.symbols.extend(COMMON_SYMBOLS.map(Some));
        self.symbols.resize(usize::try_from(COMMON_SYMBOLS_END).unwrap_or(0), None);
        self.common = self.symbols.len();
    }

    #[inline]
    pub(super) fn get(&self, reference: u32) -> Option<&'a str> {
        *self.symbols.get(usize::try_from(reference).ok()?)?
    }

    /// The symbol of `reference`, or why there is none.
    #[inline]
    pub(super) fn resolve(&self, reference: u32) -> Result<&'a str, DecodeErrorKind> {
        self.get(reference).ok_or_else(|| {
            let at = usize::try_from(reference).unwrap_or(usize::MAX);
            if at >= self.common && at < self.symbols.len() {
                DecodeErrorKind::InvalidUtf8
            } else {
                DecodeErrorKind::RefOutOfRange
            }
        })
    }

    /// Reads a reference of a label, the next value of `reader`.
    pub(super) fn read_ref(
        &self,
        reader: &mut Reader<'a>,
        state: &mut DecodeState,
    ) -> Result<(u32, &'a str), DecodeError> {
        let before = reader.rest();
        let reference = reader.read_uint32()?;
        self.resolve_at(reference, reader, before, state)
    }

    /// The same of help and unit, where 0 is as good as left out: nothing is looked up.
    pub(super) fn read_optional_ref(
        &self,
        reader: &mut Reader<'a>,
        state: &mut DecodeState,
    ) -> Result<u32, DecodeError> {
        let before = reader.rest();
        match reader.read_uint32()? {
            0 => Ok(0),
            reference => Ok(self.resolve_at(reference, reader, before, state)?.0),
        }
    }

    /// Resolves a reference that `reader` has passed, and that `before` begins with.
    #[inline]
    fn resolve_at(
        &self,
        reference: u32,
        reader: &Reader<'a>,
        before: &'a [u8],
        state: &mut DecodeState,
    ) -> Result<(u32, &'a str), DecodeError> {
        match self.resolve(reference) {
            Ok(symbol) => Ok((reference, symbol)),
            Err(kind) => {
                state.content_fault(reader.error_at(before, kind))?;
                Ok((0, ""))
            }
        }
    }

    /// Reads the run of symbols that begins with the one whose tag has just been read.
    pub(super) fn read(
        &mut self,
        reader: &mut Reader<'a>,
        state: &mut DecodeState,
        max: usize,
    ) -> Result<(), DecodeError> {
        self.read_one(reader, state, max)?;
        let rest = reader.rest();
        let Some((run, behind)) = rest.split_at_checked(text_run_len(rest, SYMBOLS_BYTE)) else {
            return Ok(());
        };
        if self.take_run(run, state, max) {
            reader.advance_to(behind);
        }
        // A run that was not taken is read here to its end, so that no byte is looked at for each symbol
        // in front of it.
        while reader.rest().len() > behind.len() && reader.next_tag()?.is_some() {
            self.read_one(reader, state, max)?;
        }
        Ok(())
    }

    fn read_one(
        &mut self,
        reader: &mut Reader<'a>,
        state: &mut DecodeState,
        max: usize,
    ) -> Result<(), DecodeError> {
        if self.own_len() >= max {
            return Err(reader.error(DecodeErrorKind::LimitExceeded));
        }
        state.count_element_at(reader)?;
        let symbol = match reader.read_string() {
            Ok(symbol) => Some(symbol),
            // Only the series that use it are lost.
            Err(error) if state.partial() && error.kind() == DecodeErrorKind::InvalidUtf8 => None,
            Err(error) => return Err(error),
        };
        push(&mut self.symbols, symbol);
        Ok(())
    }

    /// Takes a whole run of symbols, if it is text as a whole and the limits allow as many as it may hold.
    fn take_run(&mut self, run: &'a [u8], state: &mut DecodeState, max: usize) -> bool {
        let most = run.len() >> 1;
        if !state.has_elements(most) || self.own_len().saturating_add(most) > max {
            return false;
        }
        let Some(mut rest) = text_region(run) else {
            return false;
        };
        let before = self.symbols.len();
        while let Some((symbol, tail)) = split_symbol(rest) {
            push(&mut self.symbols, Some(symbol));
            rest = tail;
        }
        state.count_elements(self.symbols.len().saturating_sub(before));
        true
    }

    /// How many symbols the request has itself.
    fn own_len(&self) -> usize {
        self.symbols.len().saturating_sub(self.common)
    }

    /// Whether Mimir's stand in front.
    pub(super) const fn has_common(&self) -> bool {
        self.common != 0
    }

    /// Appends `symbols`, which no limit is about: they are in memory already.
    #[cfg(feature = "prost")]
    pub(super) fn extend(&mut self, symbols: impl Iterator<Item = &'a str>) {
        self.symbols.extend(symbols.map(Some));
    }

    pub(super) fn clear(&mut self) {
        self.symbols.clear();
        self.common = 0;
    }

    pub(super) fn recycle<'b>(mut self) -> SymbolTable<'b> {
        self.clear();
        SymbolTable { symbols: self.symbols.into_iter().map(|_| None).collect(), common: 0 }
    }

    pub(super) fn capacity_bytes(&self) -> usize {
        vec_bytes(&self.symbols)
    }
}

/// The symbol at the front of `text`, a run of them that was checked as a whole, and the text behind it.
#[inline]
fn split_symbol(text: &str) -> Option<(&str, &str)> {
    let [_, len] = *text.as_bytes().first_chunk()?;
    let (record, rest) = text.split_at_checked(usize::from(len).wrapping_add(2))?;
    Some((record.split_at_checked(2)?.1, rest))
}

/// The symbols of a request of remote write 2.0.
///
/// ```
/// use borrowire::DecodeOptions;
/// use borrowire::remote_write::v2::Request;
///
/// let partial = DecodeOptions::new().with_partial(true);
/// let request = Request::decode_with(b"\x22\x00\x22\x02up\x22\x01\xff", &partial)?;
/// assert_eq!(request.symbols().get(1), Some("up"));
/// assert!(request.symbols().iter().eq([Some(""), Some("up"), None]));
/// # Ok::<(), borrowire::DecodeError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Symbols<'s, 'a> {
    table: &'s SymbolTable<'a>,
}

impl<'s, 'a> Symbols<'s, 'a> {
    pub(super) const fn new(table: &'s SymbolTable<'a>) -> Self {
        Self { table }
    }

    /// How many there are: the request's own, and in front of them Mimir's common ones, if the request was
    /// decoded with them.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.table.symbols.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The symbol that `reference` stands for; `None` if there is none, or it is not UTF-8 (which only
    /// partial mode lets pass, where no series uses it).
    #[must_use]
    pub fn get(&self, reference: u32) -> Option<&'a str> {
        self.table.get(reference)
    }

    /// The reference of the request's first own symbol.
    pub(super) const fn own_start(&self) -> usize {
        self.table.common
    }

    /// All of them, by reference.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<&'a str>> + use<'s, 'a> {
        self.table.symbols.iter().copied()
    }
}

impl core::fmt::Debug for Symbols<'_, '_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Symbols").field("len", &self.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DecodeOptions;
    use alloc::vec::Vec;

    /// Reads all symbols of `body`, whose first is read with the run that it begins.
    fn read<'a>(
        body: &'a [u8],
        options: &DecodeOptions,
    ) -> Result<Vec<Option<&'a str>>, DecodeError> {
        let mut table = SymbolTable::default();
        let mut reader = Reader::new(body).unwrap();
        let mut state = DecodeState::new(options);
        while let Some(tag) = reader.next_tag()? {
            assert_eq!(tag, SYMBOLS);
            table.read(&mut reader, &mut state, options.limits.max_symbols)?;
        }
        Ok(table.symbols)
    }

    #[test]
    fn runs_are_taken_whole_or_one_by_one() {
        let strict = DecodeOptions::new();
        let partial = strict.with_partial(true);
        let good = b"\x22\0\x22\x01a\x22\x02\xc3\xa9\x22\x81\0b\x22\x01c";
        let all = ["", "a", "é", "b", "c"].map(Some);
        assert_eq!(read(good, &strict).unwrap(), all);
        assert_eq!(read(good, &partial).unwrap(), all);
        // Half a character, which the next record would make whole.
        let bad = b"\x22\x01a\x22\x01\xc3\x22\x01\xa9\x22\x01b";
        assert_eq!(read(bad, &strict).unwrap_err().offset(), 5);
        assert_eq!(read(bad, &partial).unwrap(), [Some("a"), None, None, Some("b")]);
    }

    #[test]
    fn a_text_of_127_bytes_is_in_a_run_and_one_of_128_is_not() {
        for len in [126, 127, 128, 129] {
            let text = "x".repeat(len);
            let mut body = b"\x22\x01a".to_vec();
            for _ in 0..3 {
                body.push(0x22);
                if len > 127 {
                    body.push(u8::try_from(len - 128).unwrap() | 0x80);
                    body.push(1);
                } else {
                    body.push(u8::try_from(len).unwrap());
                }
                body.extend_from_slice(text.as_bytes());
            }
            let symbols = read(&body, &DecodeOptions::new()).unwrap();
            assert_eq!(symbols, [Some("a"), Some(&*text), Some(&*text), Some(&*text)]);
        }
    }

    #[test]
    fn common_symbols_end_where_the_own_begin() {
        let mut table = SymbolTable::default();
        table.push_common();
        assert_eq!(table.get(35), Some("default/kubernetes"));
        for none in [36, 63, 64, u32::MAX] {
            assert_eq!(table.resolve(none), Err(DecodeErrorKind::RefOutOfRange));
        }
        push(&mut table.symbols, None);
        assert_eq!(table.resolve(64), Err(DecodeErrorKind::InvalidUtf8));
        assert_eq!(table.own_len(), 1);
        table.clear();
        assert!(table.symbols.is_empty());
    }
}
