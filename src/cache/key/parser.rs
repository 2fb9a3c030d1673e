//! Reading keys from front to back.

use core::str;

use super::error::{KeyError, KeyErrorKind};
use super::part::{BlockId, Digest, LabelId, QueryShard, Scope, base64, decimal};
use crate::wire::impossible;

/// What is left of a key, and where it begins.
#[derive(Clone, Copy)]
pub(super) struct Parser<'a> {
    rest: &'a str,
    offset: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(key: &'a [u8]) -> Result<Self, KeyError> {
        match str::from_utf8(key) {
            Ok(rest) => Ok(Self { rest, offset: 0 }),
            Err(error) => Err(KeyError::new(KeyErrorKind::InvalidUtf8, error.valid_up_to())),
        }
    }

    /// An error at what comes next.
    pub(super) const fn error(&self, kind: KeyErrorKind) -> KeyError {
        KeyError::new(kind, self.offset)
    }

    /// Steps over `text` if that comes next.
    pub(super) fn skip(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        if let Some(rest) = rest {
            self.advance(rest);
        }
        rest.is_some()
    }

    /// The text up to the next colon, which is stepped over.
    pub(super) fn until_colon(&mut self) -> Result<&'a str, KeyError> {
        let Some((text, rest)) = self.rest.split_once(':') else {
            return Err(KeyError::new(KeyErrorKind::MissingSeparator, self.end_offset()));
        };
        self.advance(rest);
        Ok(text)
    }

    pub(super) fn block(&mut self) -> Result<BlockId, KeyError> {
        let text = self.rest.get(..BlockId::LEN).unwrap_or(self.rest);
        let block = BlockId::new(text).map_err(|error| {
            KeyError::new(error.kind(), self.offset.saturating_add(error.offset()))
        })?;
        self.advance(self.rest.get(BlockId::LEN..).unwrap_or_else(impossible));
        self.colon()?;
        Ok(block)
    }

    pub(super) fn scope(&mut self) -> Result<Scope<'a>, KeyError> {
        let tenant = self.until_colon()?;
        Scope::new(tenant, self.block()?)
    }

    /// A hash, up to the next colon or the end.
    pub(super) fn digest(&mut self) -> Result<Digest, KeyError> {
        let len = self.rest.find(':').unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at_checked(len).unwrap_or((self.rest, ""));
        let (bytes, len) = base64::read(text, self.offset)?;
        if len != Digest::LEN {
            return Err(self.error(KeyErrorKind::InvalidBase64Length));
        }
        self.advance(rest);
        Ok(Digest::new(bytes))
    }

    /// The text up to the last colon, which is stepped over.
    pub(super) fn until_last_colon(&mut self) -> Result<&'a str, KeyError> {
        let Some((text, rest)) = self.rest.rsplit_once(':') else {
            return Err(KeyError::new(KeyErrorKind::MissingSeparator, self.end_offset()));
        };
        self.advance(rest);
        Ok(text)
    }

    pub(super) fn shard(&mut self) -> Result<QueryShard, KeyError> {
        let start = *self;
        QueryShard::read(self.until_colon()?).ok_or(start.error(KeyErrorKind::InvalidShard))
    }

    /// A label or its hash, with which the key ends.
    pub(super) fn label_id(self) -> Result<LabelId, KeyError> {
        LabelId::read(self.rest, self.offset)
    }

    /// A number, with which the key ends.
    pub(super) fn number(self) -> Result<u64, KeyError> {
        decimal::read(self.rest).ok_or(self.error(KeyErrorKind::InvalidNumber))
    }

    /// A text, with which the key ends.
    pub(super) const fn text(self) -> &'a str {
        self.rest
    }

    /// `key`, if this is its end.
    pub(super) fn end<T>(self, key: T) -> Result<T, KeyError> {
        if self.rest.is_empty() { Ok(key) } else { Err(self.error(KeyErrorKind::ExpectedEnd)) }
    }

    /// Steps over a colon.
    pub(super) fn colon(&mut self) -> Result<(), KeyError> {
        if self.skip(":") { Ok(()) } else { Err(self.error(KeyErrorKind::MissingSeparator)) }
    }

    const fn end_offset(&self) -> usize {
        self.offset.saturating_add(self.rest.len())
    }

    /// Goes on at `rest`, with which the rest so far ends.
    fn advance(&mut self, rest: &'a str) {
        self.offset = self.end_offset().saturating_sub(rest.len());
        self.rest = rest;
    }
}
