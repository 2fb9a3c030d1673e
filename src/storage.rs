//! What the flat storages of all messages share: growth, ranges, list views, and what decoding carries
//! along.

use alloc::vec::Vec;
use core::hash::{BuildHasher, Hasher};

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::error::{DecodeError, DecodeErrorKind};
use crate::message::DecodeOptions;
use crate::wire::{Reader, Tag};

pub(crate) fn vec_bytes<T>(vec: &Vec<T>) -> usize {
    vec.capacity().saturating_mul(size_of::<T>())
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
    let mut hasher = hasher.build_hasher();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// Empties `table`. That takes as long as the table is large, so one that is far too large for what was in it
/// is freed: small requests do not pay for a huge one before them.
pub(crate) fn clear_table<T>(table: &mut HashTable<T>) {
    const LARGE: usize = 1 << 16;
    let capacity = table.capacity();
    if capacity > LARGE && capacity >> 6 > table.len() {
        *table = HashTable::new();
    } else {
        table.clear();
    }
}

/// A length as the 32 bits that records hold: bodies are under 2 GiB, and no element takes less
/// than a byte of them.
#[inline]
pub(crate) fn index(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// The elements of `items` from `start` to `end`, as a record tells them.
#[inline]
pub(crate) fn range<T>(items: &[T], start: u32, end: u32) -> &[T] {
    let (Ok(start), Ok(end)) = (usize::try_from(start), usize::try_from(end)) else {
        return &[];
    };
    items.get(start..end).unwrap_or_default()
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

/// What decoding carries along besides the storage.
pub(crate) struct DecodeState {
    /// How many more elements the limits allow.
    elements_left: usize,
    /// Whether invalid text only sinks the series or metadata entry that it is in.
    partial: bool,
    /// What is wrong with the content of the current series, metadata entry or stream first, in partial
    /// mode: invalid text, or a bad reference to a symbol.
    pub(crate) content_fault: Option<DecodeError>,
    /// Whether any field was skipped as unknown.
    pub(crate) unknown_fields: bool,
    /// How many bytes followed the labels in the last series: the next is probably like it.
    pub(crate) tail_len: usize,
}

impl DecodeState {
    pub(crate) const fn new(options: &DecodeOptions) -> Self {
        Self {
            elements_left: options.limits.max_elements,
            partial: options.partial,
            content_fault: None,
            unknown_fields: false,
            tail_len: 0,
        }
    }

    /// For a message that is read alone: no caps, and any fault is an error.
    pub(crate) const fn strict() -> Self {
        Self::new(&DecodeOptions::new())
    }

    #[inline]
    pub(crate) const fn partial(&self) -> bool {
        self.partial
    }

    /// Counts one more element.
    #[inline]
    pub(crate) fn count_element(&mut self) -> Result<(), DecodeErrorKind> {
        match self.elements_left.checked_sub(1) {
            Some(left) => {
                self.elements_left = left;
                Ok(())
            }
            None => Err(DecodeErrorKind::LimitExceeded),
        }
    }

    /// Whether the limits allow `count` more elements.
    #[inline]
    pub(crate) const fn has_elements(&self, count: usize) -> bool {
        self.elements_left >= count
    }

    /// Counts `count` more elements, which the limits are known to allow.
    #[inline]
    pub(crate) const fn count_elements(&mut self, count: usize) {
        self.elements_left = self.elements_left.saturating_sub(count);
    }

    /// Counts one more element, which begins where `reader` stands.
    #[inline]
    pub(crate) fn count_element_at(&mut self, reader: &Reader<'_>) -> Result<(), DecodeError> {
        self.count_element().map_err(|kind| reader.error(kind))
    }

    /// A `string`; in partial mode invalid text is noted and reads as "", because the rest of the
    /// series must still be checked.
    #[inline]
    pub(crate) fn read_string<'a>(
        &mut self,
        reader: &mut Reader<'a>,
    ) -> Result<&'a str, DecodeError> {
        match reader.read_string() {
            Err(error) if self.partial && error.kind() == DecodeErrorKind::InvalidUtf8 => {
                self.content_fault.get_or_insert(error);
                Ok("")
            }
            result => result,
        }
    }

    /// A fault in the content of a series: noted in partial mode, because the rest of the series must still
    /// be checked; an error otherwise.
    #[cold]
    pub(crate) fn content_fault(&mut self, error: DecodeError) -> Result<(), DecodeError> {
        if !self.partial {
            return Err(error);
        }
        self.content_fault.get_or_insert(error);
        Ok(())
    }

    #[inline]
    pub(crate) const fn take_content_fault(&mut self) -> Option<DecodeError> {
        self.content_fault.take()
    }

    pub(crate) const fn elements_left(&self) -> usize {
        self.elements_left
    }

    /// Forgets what reading a series did, which began with so many elements left.
    pub(crate) const fn retry(&mut self, elements_left: usize) {
        self.elements_left = elements_left;
        self.content_fault = None;
    }

    /// Passes over an unknown field, and remembers that there was one.
    #[inline]
    pub(crate) fn skip_field(
        &mut self,
        reader: &mut Reader<'_>,
        tag: Tag,
    ) -> Result<(), DecodeError> {
        self.unknown_fields = true;
        reader.skip_field(tag)
    }
}

/// Gives a `Copy` list view with `len()` and `get(index)` its iterator, and both a `Debug` that
/// shows the length only.
macro_rules! impl_list {
    ($(#[$doc:meta])* $list:ident, $iter:ident, [$($lt:lifetime),*], $item:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $iter<$($lt),*> {
            list: $list<$($lt),*>,
            next: usize,
        }

        impl<$($lt),*> $list<$($lt),*> {
            /// All of them, in wire order.
            #[inline]
            #[must_use]
            pub const fn iter(&self) -> $iter<$($lt),*> {
                $iter { list: *self, next: 0 }
            }

            /// Whether there are none.
            #[inline]
            #[must_use]
            pub const fn is_empty(&self) -> bool {
                self.len() == 0
            }
        }

        impl<$($lt),*> Iterator for $iter<$($lt),*> {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                let item = self.list.get(self.next)?;
                self.next = self.next.saturating_add(1);
                Some(item)
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                let left = self.list.len().saturating_sub(self.next);
                (left, Some(left))
            }
        }

        impl<$($lt),*> ExactSizeIterator for $iter<$($lt),*> {}
        impl<$($lt),*> core::iter::FusedIterator for $iter<$($lt),*> {}

        impl<$($lt),*> IntoIterator for $list<$($lt),*> {
            type Item = $item;
            type IntoIter = $iter<$($lt),*>;

            #[inline]
            fn into_iter(self) -> Self::IntoIter {
                self.iter()
            }
        }

        impl<$($lt),*> core::fmt::Debug for $list<$($lt),*> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($list)).field("len", &self.len()).finish()
            }
        }
    };
}

pub(crate) use impl_list;
