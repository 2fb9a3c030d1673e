//! List views: `Copy`, with `len()` and `get(index)`, and their iterators.

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
