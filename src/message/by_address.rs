//! What is known of long texts, found by where they lie.
//!
//! A text that many records share by reference lies in one place, and can be a megabyte long: to
//! hash or compare it for each record would be work out of all proportion to the body. So that is
//! done once, and later uses find the outcome by address.

use core::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::columns::{clear_table, same_text};

/// From how many bytes on a text is worth remembering. Shorter ones are looked at each time: that
/// is quicker, and a use of a text takes some bytes of the body itself.
const LONG: usize = 256;

/// Numbers of long texts, by their places. All texts must be borrowed until [`clear`](Self::clear),
/// so that no other comes to lie where one of them was.
#[derive(Clone, Default)]
pub(crate) struct ByAddress {
    places: HashTable<Place>,
    hasher: DefaultHashBuilder,
}

#[derive(Clone, Copy)]
struct Place {
    address: usize,
    len: usize,
    number: u32,
}

/// Whether `text` is so long that it should be looked at once only.
#[inline]
pub(crate) const fn is_long(text: &str) -> bool {
    text.len() >= LONG
}

/// Whether two texts are the same at a glance: long ones only if they lie in one place.
#[inline]
pub(crate) fn same_at_a_glance(one: &str, other: &str) -> bool {
    if is_long(one) { core::ptr::eq(one, other) } else { same_text(one, other) }
}

impl ByAddress {
    /// The number of a text that was put in.
    #[inline]
    pub(crate) fn get(&self, text: &str) -> Option<u32> {
        if !is_long(text) {
            return None;
        }
        let (address, len) = place(text);
        let hash = self.hasher.hash_one(address);
        let is_it = |place: &Place| (place.address, place.len) == (address, len);
        self.places.find(hash, is_it).map(|place| place.number)
    }

    /// Gives a text its number, if it is long and has none.
    #[inline]
    pub(crate) fn insert(&mut self, text: &str, number: u32) {
        if is_long(text) {
            self.insert_long(text, number);
        }
    }

    #[cold]
    fn insert_long(&mut self, text: &str, number: u32) {
        if self.get(text).is_some() {
            return;
        }
        let Self { places, hasher } = self;
        let (address, len) = place(text);
        let rehash = |place: &Place| hasher.hash_one(place.address);
        places.insert_unique(hasher.hash_one(address), Place { address, len, number }, rehash);
    }

    /// Forgets all texts.
    #[inline]
    pub(crate) fn clear(&mut self) {
        if !self.places.is_empty() {
            clear_table(&mut self.places);
        }
    }

    pub(crate) fn capacity_bytes(&self) -> usize {
        self.places.allocation_size()
    }
}

fn place(text: &str) -> (usize, usize) {
    (text.as_ptr().addr(), text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_known_by_its_place() {
        let text = "x".repeat(3 * LONG);
        let (one, other) = (&text[..LONG], &text[LONG..2 * LONG]);
        let mut known = ByAddress::default();
        known.insert(one, 7);
        known.insert(one, 8); // The first counts.
        assert_eq!((known.get(one), known.get(other)), (Some(7), None));
        // Another text begins at the same place.
        let longer = &text[..=LONG];
        assert_eq!(known.get(longer), None);
        known.insert(longer, 9);
        assert_eq!((known.get(one), known.get(longer)), (Some(7), Some(9)));
        // Short ones are not remembered.
        known.insert(&text[..LONG - 1], 1);
        assert_eq!(known.get(&text[..LONG - 1]), None);
        for (number, at) in (0..).zip(0..2 * LONG) {
            known.insert(&text[at..][..LONG], number);
        }
        assert_eq!(known.get(&text[300..][..LONG]), Some(300));
        assert_eq!(known.get(one), Some(7));
        known.clear();
        assert_eq!(known.get(one), None);
    }
}
