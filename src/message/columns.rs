//! Flat storage: columns that grow by a third, ranges of them, rare values, recycling.
//!
//! Everything that a message repeats lies in one `Vec` a kind, a column, in wire order; a row of a
//! parent tells where its part of a column ends. So a request of any shape allocates once a column.

use alloc::vec::Vec;
use core::hash::{BuildHasher, Hasher};

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::wire::work::count;
use crate::wire::{impossible, to_usize};

pub(crate) fn vec_bytes<T>(vec: &Vec<T>) -> usize {
    vec.capacity().saturating_mul(size_of::<T>())
}

/// Bytes of the elements.
pub(crate) const fn used_bytes<T>(items: &[T]) -> usize {
    size_of_val(items)
}

/// Appends `item`, growing by a third where `Vec` would double: that keeps the storage of the most
/// wasteful input (2-byte messages that become 32-byte elements) under 24 bytes a byte.
#[inline]
pub(crate) fn push<T>(vec: &mut Vec<T>, item: T) {
    if vec.len() == vec.capacity() {
        grow(vec);
    }
    vec.push(item);
}

#[cold]
#[inline(never)]
fn grow<T>(vec: &mut Vec<T>) {
    const FIRST: usize = 16;
    vec.reserve_exact(FIRST.max(vec.capacity() / 3));
}

/// The hash of a text that senders choose: the seed is random.
#[inline]
pub(crate) fn hash_text(hasher: &DefaultHashBuilder, text: &str) -> u64 {
    count(text.len());
    let mut hasher = hasher.build_hasher();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// Whether two texts are equal.
#[inline]
pub(crate) fn same_text(a: &str, b: &str) -> bool {
    // Callers often hold each text once: then a look at the place is enough.
    core::ptr::eq(a, b) || same_bytes(a.as_bytes(), b.as_bytes())
}

/// Whether two texts are equal: for short ones by loads of fixed size from both ends, which overlap
/// in the middle, instead of a call.
#[inline]
pub(crate) fn same_bytes(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    count(a.len());
    match a.len() {
        // Not for `memcmp`: with AVX-512 it loads through an empty mask from where an empty text is
        // said to lie, and if nothing lies there that takes the processor 90 ns.
        0 => true,
        8..=16 => same_ends::<8>(a, b),
        17..=32 => same_ends::<16>(a, b),
        4..=7 => same_ends::<4>(a, b),
        2..=3 => same_ends::<2>(a, b),
        _ => a == b,
    }
}

/// Whether the first and the last `N` bytes are the same.
#[inline]
fn same_ends<const N: usize>(a: &[u8], b: &[u8]) -> bool {
    a.first_chunk::<N>() == b.first_chunk::<N>() && a.last_chunk::<N>() == b.last_chunk::<N>()
}

/// Empties `table`. That takes as long as the table is large, so one that is far too large for what
/// was in it is freed: small requests do not pay for a huge one before them.
pub(crate) fn clear_table<T>(table: &mut HashTable<T>) {
    const LARGE: usize = 1 << 16;
    let capacity = table.capacity();
    if capacity > LARGE && capacity >> 6 > table.len() {
        *table = HashTable::new();
    } else {
        table.clear();
    }
}

/// A length as the 32 bits that rows hold: bodies are under 2 GiB, and no element takes less than a
/// byte of them. What a caller hands over for encoding can be longer: then it saturates.
#[inline]
pub(crate) fn index(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// The elements of `items` from `start` to `end`, as rows tell them.
#[inline]
pub(crate) fn range<T>(items: &[T], start: u32, end: u32) -> &[T] {
    items.get(to_usize(start)..to_usize(end)).unwrap_or_else(impossible)
}

/// The elements of `items` that a word tells: from its high 32 bits to its low ones.
#[inline]
pub(crate) fn range_of<T>(items: &[T], word: u64) -> &[T] {
    range(items, low32(word >> 32), low32(word))
}

/// Drops the elements of `items` from place `end` on.
pub(crate) fn truncate<T>(items: &mut Vec<T>, end: u32) {
    items.truncate(to_usize(end));
}

/// The allocation of `items`, emptied, for elements of the same layout with another lifetime.
///
/// An emptied `Vec` that is mapped and collected keeps its allocation where the layout stays. std
/// does not promise that, so allocation tests pin it.
#[inline]
pub(crate) fn recycle<T, U: Default>(mut items: Vec<T>) -> Vec<U> {
    items.clear();
    items.into_iter().map(|_| U::default()).collect()
}

/// The sum of the heap bytes of several columns.
pub(crate) fn sum<const N: usize>(bytes: [usize; N]) -> usize {
    bytes.into_iter().fold(0, usize::saturating_add)
}

/// What only some elements of a list have: (position, value) in ascending order.
#[derive(Clone)]
pub(crate) struct Sparse<T>(Vec<(u32, T)>);

impl<T> Default for Sparse<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Copy + Default> Sparse<T> {
    /// The value of the element at `position`. Where all have one it is found at once.
    pub(crate) fn get(&self, position: usize) -> Option<T> {
        let wanted = index(position);
        match self.0.get(position) {
            Some(&(at, value)) if at == wanted => Some(value),
            _ => {
                let found = self.0.binary_search_by_key(&wanted, |&(at, _)| at).ok()?;
                self.0.get(found).map(|&(_, value)| value)
            }
        }
    }

    /// Changes the value of the element at `position`, the last so far or a new last one.
    #[inline]
    pub(crate) fn update(&mut self, position: usize, change: impl FnOnce(&mut T)) {
        let position = index(position);
        match self.0.last_mut() {
            Some((at, value)) if *at == position => change(value),
            _ => {
                let mut value = T::default();
                change(&mut value);
                push(&mut self.0, (position, value));
            }
        }
    }

    /// Appends the value of the element at `position`, the last so far.
    #[inline]
    pub(crate) fn push(&mut self, position: usize, value: T) {
        push(&mut self.0, (index(position), value));
    }

    /// The value of the first element from `position` on that has one.
    pub(crate) fn first_from(&self, position: usize) -> Option<T> {
        let wanted = index(position);
        let found = self.0.partition_point(|&(at, _)| at < wanted);
        self.0.get(found).map(|&(_, value)| value)
    }

    /// Drops the values of all elements from `position` on.
    pub(crate) fn truncate(&mut self, position: usize) {
        let position = index(position);
        while self.0.pop_if(|&mut (at, _)| at >= position).is_some() {}
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn capacity_bytes(&self) -> usize {
        vec_bytes(&self.0)
    }
}

/// Rows that hold only the fields that are set, as 64-bit words in field order behind a mask that
/// names them. A message with many fields may have none of them set, in two bytes of input.
///
/// ```text
/// mask | word of the lowest bit | word of the next | ...
/// ```
#[derive(Clone, Default)]
pub(crate) struct Words {
    /// For each row the place of its mask in `words`.
    rows: Vec<u32>,
    words: Vec<u64>,
}

impl Words {
    /// How many rows there are.
    #[inline]
    pub(crate) const fn len(&self) -> usize {
        self.rows.len()
    }

    /// The rows from `start` to `end`.
    #[inline]
    pub(crate) fn rows(&self, start: u32, end: u32) -> &[u32] {
        range(&self.rows, start, end)
    }

    /// The row at `position`, to be given to [`fields`](Self::fields).
    #[inline]
    pub(crate) fn row(&self, position: usize) -> Option<u32> {
        self.rows.get(position).copied()
    }

    /// Appends a row; its fields follow in ascending order.
    #[inline]
    pub(crate) fn push_row(&mut self) -> NewRow<'_> {
        let mask_at = self.words.len();
        push(&mut self.rows, index(mask_at));
        push(&mut self.words, 0);
        NewRow { words: &mut self.words, mask_at, mask: 0 }
    }

    /// The fields of `row`, one of [`rows`](Self::rows).
    #[inline]
    pub(crate) fn fields(&self, row: u32) -> Fields<'_> {
        let mut words = self.words.get(to_usize(row)..).unwrap_or_else(impossible).iter();
        let mask = words.next().copied().unwrap_or_else(impossible);
        Fields { mask, words }
    }

    /// Drops the rows from `end` on. Their words stay, unused.
    pub(crate) fn truncate(&mut self, end: u32) {
        truncate(&mut self.rows, end);
    }

    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.words.clear();
    }

    pub(crate) fn capacity_bytes(&self) -> usize {
        vec_bytes(&self.rows).saturating_add(vec_bytes(&self.words))
    }

    pub(crate) fn used_bytes(&self) -> usize {
        used_bytes(&self.rows).saturating_add(used_bytes(&self.words))
    }
}

/// A row of [`Words`] that is being made.
pub(crate) struct NewRow<'w> {
    words: &'w mut Vec<u64>,
    mask_at: usize,
    mask: u64,
}

impl NewRow<'_> {
    /// Sets the field whose bit in the mask is `field`.
    #[inline]
    pub(crate) fn set(&mut self, field: u64, word: u64) {
        self.mask |= field;
        push(self.words, word);
    }

    /// Notes the field as present, without a word: what it holds is elsewhere.
    #[inline]
    pub(crate) fn note(&mut self, field: u64) {
        self.mask |= field;
    }

    /// Sets it unless `word` is 0, its default.
    #[inline]
    pub(crate) fn set_unless_zero(&mut self, field: u64, word: u64) {
        if word != 0 {
            self.set(field, word);
        }
    }

    /// Sets it, if there is a word.
    #[inline]
    pub(crate) fn set_option(&mut self, field: u64, word: Option<u64>) {
        if let Some(word) = word {
            self.set(field, word);
        }
    }

    /// Sets it to a range of a column, unless that is empty.
    #[inline]
    pub(crate) fn set_range(&mut self, field: u64, start: usize, end: usize) {
        if end > start {
            self.set(field, u64::from(index(start)) << 32 | u64::from(index(end)));
        }
    }

    /// Ends the row.
    #[inline]
    pub(crate) fn end(self) {
        if let Some(mask) = self.words.get_mut(self.mask_at) {
            *mask = self.mask;
        }
    }
}

/// The fields of a row of [`Words`], to be asked for in ascending order.
pub(crate) struct Fields<'w> {
    mask: u64,
    words: core::slice::Iter<'w, u64>,
}

impl Fields<'_> {
    /// The word of `field`, if it is set.
    #[inline]
    pub(crate) fn word(&mut self, field: u64) -> Option<u64> {
        if self.mask & field != 0 { self.words.next().copied() } else { None }
    }

    /// Whether `field` is present; for one that has no word.
    #[inline]
    pub(crate) const fn has(&self, field: u64) -> bool {
        self.mask & field != 0
    }

    /// The low 32 bits of the word; 0 if it is not set.
    #[inline]
    pub(crate) fn low32(&mut self, field: u64) -> u32 {
        low32(self.word(field).unwrap_or(0))
    }

    /// From where to where a range goes; an empty one if it is not set.
    #[inline]
    pub(crate) fn ends(&mut self, field: u64) -> (u32, u32) {
        self.word(field).map_or((0, 0), |word| (low32(word >> 32), low32(word)))
    }

    /// The part of `column` that the field names; nothing if it is not set.
    #[inline]
    pub(crate) fn range<'c, T>(&mut self, field: u64, column: &'c [T]) -> &'c [T] {
        self.word(field).map_or(&[], |word| range_of(column, word))
    }
}

#[inline]
#[allow(clippy::as_conversions)]
const fn low32(word: u64) -> u32 {
    word as u32
}
