//! buffa's views, as all messages use them.

use std::cell::{RefCell, RefMut};
use std::error::Error;
use std::ops::Deref;

use buffa::{DecodeOptions, SizeCache, ViewEncode};

/// A view, and the memory that measures it again and again.
pub struct Viewed<V> {
    view: V,
    sizes: RefCell<SizeCache>,
}

impl<V> Deref for Viewed<V> {
    type Target = V;

    #[inline]
    fn deref(&self) -> &V {
        &self.view
    }
}

impl<V> From<V> for Viewed<V> {
    fn from(view: V) -> Self {
        Self { view, sizes: RefCell::default() }
    }
}

impl<'a, V: ViewEncode<'a>> Viewed<V> {
    #[inline]
    pub fn decode(body: &'a [u8]) -> Result<Self, Box<dyn Error>> {
        // By default a million series are too many.
        let options = DecodeOptions::new().with_element_memory_limit(usize::MAX);
        Ok(options.decode_view::<V>(body)?.into())
    }

    /// Empty, for the next use.
    #[inline]
    pub fn sizes(&self) -> RefMut<'_, SizeCache> {
        let mut sizes = self.sizes.borrow_mut();
        sizes.clear();
        sizes
    }

    #[inline]
    pub fn encoded_len(&self) -> usize {
        self.view.compute_size(&mut self.sizes()) as usize
    }

    #[inline]
    pub fn encode(&self, buffer: &mut [u8]) -> usize {
        encode(&self.view, &mut self.sizes(), buffer)
    }
}

/// Encodes a view, with sizes from an earlier one or none: into a slice, which is faster than into
/// a vector.
#[inline]
pub fn encode<'a>(
    view: &impl ViewEncode<'a>,
    sizes: &mut SizeCache,
    mut buffer: &mut [u8],
) -> usize {
    let len = buffer.len();
    view.encode_with_cache(sizes, &mut buffer);
    len - buffer.len()
}
