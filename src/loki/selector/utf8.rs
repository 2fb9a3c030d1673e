//! UTF-8 byte by byte, without memory for what has been read.

use crate::wire::impossible;

/// The bytes of a character that is not complete: at most three.
#[derive(Clone, Copy, Default)]
pub(super) struct Incomplete {
    bytes: [u8; 4],
    len: usize,
}

/// What a byte does to the character before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Incomplete,
    Complete(char),
    /// The byte is no part of any character.
    Invalid,
    /// The bytes before it were no character. It is not taken: it may begin another one.
    Broken,
}

impl Incomplete {
    /// Takes another byte.
    pub(super) fn push(&mut self, byte: u8) -> Step {
        let before = self.len;
        // There is room: four bytes are a character, or none.
        if let Some(slot) = self.bytes.get_mut(before) {
            *slot = byte;
        }
        self.len = before.saturating_add(1);
        let bytes = self.bytes.get(..self.len).unwrap_or_else(impossible);
        let step = match core::str::from_utf8(bytes) {
            Ok(text) => text.chars().next().map_or(Step::Invalid, Step::Complete),
            Err(error) if error.error_len().is_none() => return Step::Incomplete,
            Err(_) if before == 0 => Step::Invalid,
            Err(_) => Step::Broken,
        };
        self.len = 0;
        step
    }

    /// How many bytes there are.
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// Forgets the bytes; returns whether there were any.
    pub(super) fn take(&mut self) -> bool {
        core::mem::take(&mut self.len) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(bytes: &[u8]) -> alloc::vec::Vec<Step> {
        let mut incomplete = Incomplete::default();
        bytes.iter().map(|&byte| incomplete.push(byte)).collect()
    }

    #[test]
    fn every_kind_of_step() {
        use Step::{Broken, Complete, Incomplete, Invalid};
        assert_eq!(steps(b"a"), [Complete('a')]);
        assert_eq!(steps("é☃".as_bytes())[1..4], [Complete('é'), Incomplete, Incomplete]);
        assert_eq!(steps("😀".as_bytes())[3], Complete('😀'));
        assert_eq!(steps(b"\xff\x80\xc0"), [Invalid; 3]);
        assert_eq!(steps(b"\xc3a"), [Incomplete, Broken]);
        assert_eq!(steps(b"\xe0\x80"), [Incomplete, Broken]);
        assert_eq!(
            steps(b"\xf0\x9f\x98a\xc3\xa9"),
            [Incomplete, Incomplete, Incomplete, Broken, Incomplete, Complete('é')]
        );
    }
}
