//! Lists of messages: the caller's slice, or a range of decoded storage.

/// Where the elements of a list are.
pub(in crate::otlp) enum Place<'s, T, S> {
    Slice(&'s [T]),
    Stored { storage: &'s S, start: u32, end: u32 },
}

impl<T, S> Clone for Place<'_, T, S> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, S> Copy for Place<'_, T, S> {}

/// A list view, with its iterator. `$get` is the storage's method that makes an element of its position.
macro_rules! stored_list {
    (
        $(#[$doc:meta])* $list:ident of $item:ident in $storage:ident, $get:ident;
        $(#[$iter_doc:meta])* $iter:ident
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $list<'s, 'a>($crate::otlp::common::Place<'s, $item<'s, 'a>, $storage<'a>>);

        impl<'s, 'a> $list<'s, 'a> {
            /// A list of the caller's own.
            #[must_use]
            pub const fn new(items: &'s [$item<'s, 'a>]) -> Self {
                Self($crate::otlp::common::Place::Slice(items))
            }

            pub(in crate::otlp) const fn stored(
                storage: &'s $storage<'a>,
                (start, end): (u32, u32),
            ) -> Self {
                Self($crate::otlp::common::Place::Stored { storage, start, end })
            }

            /// How many there are.
            #[inline]
            #[must_use]
            pub const fn len(&self) -> usize {
                match self.0 {
                    $crate::otlp::common::Place::Slice(items) => items.len(),
                    $crate::otlp::common::Place::Stored { start, end, .. } => {
                        $crate::wire::to_usize(end.saturating_sub(start))
                    }
                }
            }

            /// The one at `index`, in wire order.
            #[inline]
            #[must_use]
            pub fn get(&self, index: usize) -> Option<$item<'s, 'a>> {
                match self.0 {
                    $crate::otlp::common::Place::Slice(items) => items.get(index).copied(),
                    $crate::otlp::common::Place::Stored { storage, start, .. } => {
                        if index >= self.len() {
                            return None;
                        }
                        storage.$get($crate::wire::to_usize(start).saturating_add(index))
                    }
                }
            }
        }

        impl Default for $list<'_, '_> {
            fn default() -> Self {
                Self::new(&[])
            }
        }

        impl<'s, 'a> From<&'s [$item<'s, 'a>]> for $list<'s, 'a> {
            fn from(items: &'s [$item<'s, 'a>]) -> Self {
                Self::new(items)
            }
        }

        impl PartialEq for $list<'_, '_> {
            fn eq(&self, other: &Self) -> bool {
                self.iter().eq(other.iter())
            }
        }

        impl Eq for $list<'_, '_> {}

        $crate::message::list::impl_list! {
            $(#[$iter_doc])*
            $list, $iter, ['s, 'a], $item<'s, 'a>
        }
    };
}

pub(in crate::otlp) use stored_list;
