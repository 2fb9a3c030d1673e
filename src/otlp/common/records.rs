//! Walking over bytes that were checked before: reading them again cannot fail.

use crate::wire::error::DecodeError;
use crate::wire::{Reader, Tag, impossible};

/// What reading `bytes`, which were checked, again gives.
#[inline]
pub(in crate::otlp) fn read_again<'a, T: Default>(
    bytes: &'a [u8],
    read: impl FnOnce(Reader<'a>) -> Result<T, DecodeError>,
) -> T {
    Reader::new(bytes).and_then(read).unwrap_or_else(|_| impossible())
}

/// The contents of the records of one field in a message, in wire order.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::otlp) struct Records<'a> {
    rest: &'a [u8],
}

impl<'a> Records<'a> {
    pub(in crate::otlp) const fn new(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    /// The content of the next record with `tag`, a length-delimited one.
    pub(in crate::otlp) fn next(&mut self, tag: Tag) -> Option<&'a [u8]> {
        let (found, rest) = read_again(self.rest, |mut reader| {
            while let Some(next) = reader.next_tag()? {
                if next == tag {
                    return Ok((Some(reader.read_bytes()?), reader.rest()));
                }
                reader.skip_field(next)?;
            }
            Ok((None, &[][..]))
        });
        self.rest = rest;
        found
    }
}
