//! Symbols: the texts that series refer to.
//!
//! ```text
//! Request 4 symbols  repeated string      the first is "", each should be there once
//! ```
//!
//! In Mimir's records of version 2 the references under 64 name a table that all records share;
//! those of a record's own symbols begin at 64.

use crate::message::cursor::Cursor;
use crate::remote_write::model::symbol_table::SymbolTable;
use crate::wire::error::{DecodeError, DecodeErrorKind};
use crate::wire::{Tag, WireType, text_region, text_run_len};

pub(super) const SYMBOLS: Tag = Tag::new(4, WireType::Len);
const SYMBOLS_BYTE: u8 = SYMBOLS.byte();

/// Reads a reference of a label, the next value of `cursor`, and gives its symbol.
pub(super) fn read_ref<'a>(
    cursor: &mut Cursor<'a, '_>,
    table: &SymbolTable<'a>,
) -> Result<&'a str, DecodeError> {
    let before = cursor.rest();
    let reference = cursor.read_uint32()?;
    match table.resolve(reference) {
        Ok(symbol) => Ok(symbol),
        Err(kind) => {
            cursor.content_fault_at(before, kind)?;
            Ok("")
        }
    }
}

/// Reads a reference of help or unit, where 0 is as good as left out: nothing is looked up.
pub(super) fn read_optional_ref<'a>(
    cursor: &mut Cursor<'a, '_>,
    table: &SymbolTable<'a>,
) -> Result<u32, DecodeError> {
    let before = cursor.rest();
    let reference = cursor.read_uint32()?;
    if reference == 0 {
        return Ok(0);
    }
    match table.resolve(reference) {
        Ok(_) => Ok(reference),
        Err(kind) => {
            cursor.content_fault_at(before, kind)?;
            Ok(0)
        }
    }
}

/// Reads the run of symbols that begins with the one whose tag has just been read; the request may
/// have `max` of its own.
pub(super) fn read_symbols<'a>(
    cursor: &mut Cursor<'a, '_>,
    table: &mut SymbolTable<'a>,
    max: usize,
) -> Result<(), DecodeError> {
    read_symbol(cursor, table, max)?;
    let rest = cursor.rest();
    let Some((run, behind)) = rest.split_at_checked(text_run_len(rest, SYMBOLS_BYTE)) else {
        return Ok(());
    };
    if take_run(run, cursor, table, max) {
        cursor.advance_to(behind);
    }
    // A run that was not taken is read here to its end, so that no byte is looked at for each
    // symbol in front of it.
    while cursor.rest().len() > behind.len() && cursor.next_tag()?.is_some() {
        read_symbol(cursor, table, max)?;
    }
    Ok(())
}

fn read_symbol<'a>(
    cursor: &mut Cursor<'a, '_>,
    table: &mut SymbolTable<'a>,
    max: usize,
) -> Result<(), DecodeError> {
    if table.own_len() >= max {
        return Err(cursor.error(DecodeErrorKind::LimitExceeded));
    }
    cursor.count_element()?;
    table.push(cursor.read_shared_string()?);
    Ok(())
}

/// Takes a whole run of symbols, if it is text as a whole and the limits allow as many as it may
/// hold.
fn take_run<'a>(
    run: &'a [u8],
    cursor: &mut Cursor<'a, '_>,
    table: &mut SymbolTable<'a>,
    max: usize,
) -> bool {
    let most = run.len() >> 1;
    if !cursor.has_elements(most) || table.own_len().saturating_add(most) > max {
        return false;
    }
    let Some(mut rest) = text_region(run) else {
        return false;
    };
    let before = table.len();
    while let Some((symbol, tail)) = split_symbol(rest) {
        table.push(Some(symbol));
        rest = tail;
    }
    cursor.count_elements(table.len().saturating_sub(before));
    true
}

/// The symbol at the front of `text`, a run of them that was checked as a whole, and the text
/// behind it.
#[inline]
fn split_symbol(text: &str) -> Option<(&str, &str)> {
    let [_, len] = *text.as_bytes().first_chunk()?;
    let (record, rest) = text.split_at_checked(usize::from(len).wrapping_add(2))?;
    Some((record.split_at_checked(2)?.1, rest))
}

/// The symbols of a request of remote write 2.0.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v2::{Request, Symbolizer};
/// use borrowire::remote_write::{Label, TimeSeries};
///
/// let labels = [Label::new("__name__", "up")];
/// let body = Symbolizer::new().symbolize([TimeSeries::new(&labels)])?.encode_to_vec()?;
/// let request = Request::decode(&body)?;
/// assert_eq!(request.symbols().get(2), Some("up"));
/// assert!(request.symbols().iter().eq([Some(""), Some("__name__"), Some("up")]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Symbols<'s, 'a> {
    table: &'s SymbolTable<'a>,
}

impl<'s, 'a> Symbols<'s, 'a> {
    pub(super) const fn stored(table: &'s SymbolTable<'a>) -> Self {
        Self { table }
    }

    /// How many there are: the request's own, and in front of them Mimir's common ones, if the
    /// request is a record of Mimir.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The symbol that `reference` stands for; `None` if there is none, or it is not UTF-8 (which
    /// only partial mode lets pass, where no series uses it).
    #[must_use]
    pub fn get(&self, reference: u32) -> Option<&'a str> {
        self.table.get(reference)
    }

    /// The reference of the request's first own symbol.
    pub(super) const fn own_start(&self) -> usize {
        self.table.own_start()
    }

    /// All of them, by reference.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<&'a str>> + use<'s, 'a> {
        self.table.iter()
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
    use crate::Limits;
    use crate::message::cursor::State;
    use crate::remote_write::v2::common_symbols::{COMMON_SYMBOLS, COMMON_SYMBOLS_END};
    use crate::wire::Reader;
    use alloc::vec::Vec;

    /// Reads all symbols of `body`, whose first is read with the run that it begins.
    fn read(body: &[u8], partial: bool) -> Result<Vec<Option<&str>>, DecodeError> {
        let mut table = SymbolTable::default();
        let mut state = State::new(&Limits::new(), partial);
        let mut cursor = Cursor::over(Reader::new(body).unwrap(), &mut state);
        while let Some(tag) = cursor.next_tag()? {
            assert_eq!(tag, SYMBOLS);
            read_symbols(&mut cursor, &mut table, usize::MAX)?;
        }
        Ok(table.iter().collect())
    }

    #[test]
    fn runs_are_taken_whole_or_one_by_one() {
        let good = b"\x22\0\x22\x01a\x22\x02\xc3\xa9\x22\x81\0b\x22\x01c";
        let all = ["", "a", "é", "b", "c"].map(Some);
        assert_eq!(read(good, false).unwrap(), all);
        assert_eq!(read(good, true).unwrap(), all);
        // Half a character, which the next record would make whole.
        let bad = b"\x22\x01a\x22\x01\xc3\x22\x01\xa9\x22\x01b";
        assert_eq!(read(bad, false).unwrap_err().offset(), 5);
        assert_eq!(read(bad, true).unwrap(), [Some("a"), None, None, Some("b")]);
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
            let symbols = read(&body, false).unwrap();
            assert_eq!(symbols, [Some("a"), Some(&*text), Some(&*text), Some(&*text)]);
        }
    }

    #[test]
    fn common_symbols_end_where_the_own_begin() {
        let mut table = SymbolTable::default();
        table.push_common(&COMMON_SYMBOLS, COMMON_SYMBOLS_END);
        assert_eq!(table.get(35), Some("default/kubernetes"));
        for none in [36, 63, 64, u32::MAX] {
            assert_eq!(table.resolve(none), Err(DecodeErrorKind::RefOutOfRange));
        }
        table.push(None);
        assert_eq!(table.resolve(64), Err(DecodeErrorKind::InvalidUtf8));
        assert_eq!(table.own_len(), 1);
        table.clear();
        assert_eq!(table.len(), 0);
    }
}
