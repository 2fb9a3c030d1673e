//! Where Mimir cuts values of version 2, whose parts have tables of symbols of their own.
//!
//! Mimir does not know what a series takes with another table before it has added it. So it looks
//! at the most that it may take, and adds up what it did take.

use crate::convert::remote_write::{ConvertedToV2, RequestV1};
use crate::remote_write::v1::fields::extensions_len;
use crate::remote_write::v2::{
    COMMON_SYMBOLS_END, EncodeOptions, SeriesSize, Symbolizer, TooManySymbols,
};
use crate::wire::error::EncodeError;
use crate::wire::message::Encode;
use crate::wire::{to_usize, varint_len};

/// The most bytes that a series may add to a part.
#[derive(Clone, Copy)]
struct Bound {
    series: usize,
    symbols: usize,
}

impl Bound {
    /// `symbols` are those that the whole request has of its own.
    fn of(size: SeriesSize<'_>, symbols: &[&str]) -> Self {
        let own_start = to_usize(COMMON_SYMBOLS_END);
        let longest = len_of_varint(symbols.len().saturating_add(own_start)).saturating_add(1);
        let mut bound = Self { series: size.len, symbols: 0 };
        for reference in size.refs().map(to_usize) {
            let now = len_of_varint(reference);
            bound.series = bound.series.saturating_add(longest).saturating_sub(now);
            let symbol = match reference.checked_sub(own_start) {
                Some(own) => symbol_len(symbols.get(own).copied().unwrap_or_default()),
                // The empty symbol counts, of all that parts share.
                None if reference == 0 => symbol_len(""),
                None => 0,
            };
            bound.symbols = bound.symbols.saturating_add(symbol);
        }
        bound
    }
}

fn len_of_varint(value: usize) -> usize {
    u64::try_from(value).map_or(0, varint_len)
}

/// Bytes of a field with a tag of one byte.
fn field_len(content: usize) -> usize {
    content.saturating_add(len_of_varint(content)).saturating_add(1)
}

fn symbol_len(symbol: &str) -> usize {
    field_len(symbol.len())
}

/// A message that needs more symbols than 32 bits can count is over what protobuf allows.
fn too_large(_: TooManySymbols) -> EncodeError {
    EncodeError::new(usize::MAX, 0)
}

/// Calls `part` with requests of at most `max` bytes that have the series of `converted`, if they
/// have more together; a series that is over it alone is a part nevertheless. `whole` and `next`
/// are where symbols are made. No part has no series.
pub(super) fn split<'a, R: RequestV1<'a>>(
    converted: &ConvertedToV2<'_, 'a, R>,
    options: &EncodeOptions,
    max: usize,
    (whole, next): (&mut Symbolizer, &mut Symbolizer),
    mut part: impl FnMut(&dyn Encode) -> Result<(), EncodeError>,
) -> Result<(), EncodeError> {
    let whole = converted.symbolize(whole).map_err(too_large)?;
    if whole.is_empty() {
        return Ok(());
    }
    if whole.encoded_len() <= max {
        return part(&whole);
    }
    let extensions = options.extensions.with_skip_label_count_validation(false);
    let options = options.with_extensions(extensions);
    let mut bounds = whole.series_sizes().map(|size| Bound::of(size, whole.symbols())).peekable();
    let mut rest = converted.timeseries();
    let empty = extensions_len(&extensions);
    while bounds.peek().is_some() {
        // The first symbol of a table, the empty one, does not count in Mimir.
        let (mut size, mut symbols, mut added) = (empty, 1, 0_usize);
        let mut last: Option<Bound> = None;
        let encoder = next.symbolize_part(rest.clone(), &options, |own, len| {
            if let Some(last) = last {
                let new = own.get(symbols..).unwrap_or_default().iter();
                let grown =
                    new.fold(0, |sum: usize, symbol| sum.saturating_add(symbol_len(symbol)));
                symbols = own.len();
                // The length's own length is that of the bound in Mimir.
                let prefix = len_of_varint(last.series).saturating_add(1);
                size = size.saturating_add(len).saturating_add(prefix).saturating_add(grown);
            }
            let fits = |bound: &Bound| {
                added == 0 || size.saturating_add(bound.series).saturating_add(bound.symbols) <= max
            };
            last = bounds.next_if(fits);
            added = added.saturating_add(usize::from(last.is_some()));
            last.is_some()
        });
        let encoder = encoder.map_err(too_large)?;
        part(&encoder)?;
        drop(encoder);
        // `nth` is the one behind those that are passed over.
        if let Some(last) = added.checked_sub(1) {
            rest.nth(last);
        }
    }
    Ok(())
}
