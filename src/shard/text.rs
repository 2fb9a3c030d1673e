//! Gathering the texts of labels, so that a hash goes over all of them at once.

use crate::message::regions::copy_short;
use crate::wire::impossible;
use crate::wire::work::count;

/// A text of at most `N` bytes, put together piece by piece.
pub(crate) struct Text<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

/// How many bytes are copied for a piece of at most as many.
const BLOCK: usize = 32;

impl<const N: usize> Text<N> {
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; N], len: 0 }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_else(impossible)
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Makes it end at `end`, which is where a piece that was put ended.
    pub(crate) fn set_len(&mut self, end: usize) {
        self.len = end.min(N);
    }

    /// Puts `piece`, which may lie in `body`, at `at`, and returns where it ends; `None` if it does
    /// not fit. The place is the caller's to keep: in a register, pieces do not wait for each
    /// other.
    #[inline]
    pub(crate) fn put(&mut self, at: usize, piece: &[u8], body: &[u8]) -> Option<usize> {
        let slot = self.bytes.get_mut(at..)?;
        count(piece.len());
        if let Some(block) = block(piece, body)
            && let Some(slot) = slot.first_chunk_mut()
        {
            *slot = *block;
        } else {
            copy_short(slot.get_mut(..piece.len())?, piece);
        }
        Some(at.wrapping_add(piece.len()))
    }

    /// Puts `piece` and `separator` behind it.
    #[inline]
    pub(crate) fn put_with(
        &mut self,
        at: usize,
        piece: &[u8],
        body: &[u8],
        separator: u8,
    ) -> Option<usize> {
        let at = self.put(at, piece, body)?;
        *self.bytes.get_mut(at)? = separator;
        Some(at.wrapping_add(1))
    }
}

/// A short piece with what is behind it in the body, if that is where it lies.
///
/// Copying a block whose length is known is much faster than copying a piece whose length the
/// processor cannot guess.
#[inline]
fn block<'b>(piece: &[u8], body: &'b [u8]) -> Option<&'b [u8; BLOCK]> {
    // A place that is in the body by its address is there: no two things share an address.
    let at = piece.as_ptr().addr().wrapping_sub(body.as_ptr().addr());
    if piece.len() <= BLOCK { body.get(at..)?.first_chunk() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn pieces_of_any_length_from_anywhere() {
        let body: Vec<u8> = (0..=255).collect();
        let elsewhere = body.clone();
        for len in 0..80 {
            for at in [0, 1, 31, 100, 170, 224, 225, 240, 256] {
                let Some(piece) = body.get(at..at + len) else { continue };
                for body in [&body, &elsewhere, &Vec::new(), &body[..at].to_vec()] {
                    let mut text = Text::<100>::new();
                    let end = text.put(0, b"ab", body).unwrap();
                    let end = text.put_with(end, piece, body, 0xff);
                    assert_eq!(end, (len <= 97).then_some(len + 3));
                    let Some(end) = end else { continue };
                    text.set_len(end);
                    assert_eq!(text.as_bytes(), [b"ab", piece, &[0xff]].concat());
                }
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let body = [7; 64];
        let mut text = Text::<10>::new();
        assert_eq!(text.put(0, &body[..10], &body), Some(10));
        assert_eq!(text.put(10, &body[..1], &body), None);
        assert_eq!(text.put(10, &[], &body), Some(10));
        assert_eq!(text.put(11, &[], &body), None);
        assert_eq!(text.put_with(9, &body[..1], &body, 0xff), None);
        assert_eq!(text.put_with(9, &[], &[], 0xff), Some(10));
        text.set_len(11);
        assert_eq!(text.as_bytes().len(), 10);
    }
}
