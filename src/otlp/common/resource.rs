//! `Resource`: what sent the data, and `EntityRef`, which says which of its attributes name what.
//!
//! ```text
//! Resource   1 attributes                repeated KeyValue
//!            2 dropped_attributes_count  uint32
//!            3 entity_refs               repeated EntityRef
//! EntityRef  1 schema_url  2 type  3 id_keys  repeated string  4 description_keys  repeated string
//! ```

use super::attributes::Attributes;
use super::records::{Records, read_again};
use crate::message::cursor::Cursor;
use crate::message::fields::{text_len, uint32_len, write_text, write_uint32};
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Tag, WireType, Writer};

pub(super) const ATTRIBUTES: Tag = Tag::new(1, WireType::Len);
pub(super) const DROPPED_ATTRIBUTES_COUNT: Tag = Tag::new(2, WireType::Varint);
pub(super) const ENTITY_REFS: Tag = Tag::new(3, WireType::Len);

pub(super) const ATTRIBUTES_BYTE: u8 = ATTRIBUTES.byte();

const SCHEMA_URL: Tag = Tag::new(1, WireType::Len);
const TYPE: Tag = Tag::new(2, WireType::Len);
const ID_KEYS: Tag = Tag::new(3, WireType::Len);
const DESCRIPTION_KEYS: Tag = Tag::new(4, WireType::Len);

/// What sent the data: a service instance, a host.
///
/// ```
/// use borrowire::otlp::{Attributes, KeyValue, Resource};
///
/// let attributes = [KeyValue::new("service.name", "checkout")];
/// let resource = Resource::new(Attributes::new(&attributes));
/// assert_eq!(resource.attributes.value("service.name").unwrap().as_str(), Some("checkout"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resource<'s, 'a> {
    /// What it is known by.
    pub attributes: Attributes<'s, 'a>,
    /// How many attributes the sender left out.
    pub dropped_attributes_count: u32,
    /// Which attributes name what.
    pub entity_refs: EntityRefs<'s, 'a>,
}

impl<'s, 'a> Resource<'s, 'a> {
    /// A resource with `attributes`.
    #[must_use]
    pub fn new(attributes: Attributes<'s, 'a>) -> Self {
        Self { attributes, ..Self::default() }
    }
}

impl Encode for Resource<'_, '_> {
    fn encoded_len(&self) -> usize {
        let refs = self.entity_refs.iter().fold(0, |sum: usize, entity| {
            sum.saturating_add(wire::message_len(ENTITY_REFS, entity.encoded_len()))
        });
        self.attributes
            .fields_len()
            .saturating_add(uint32_len(DROPPED_ATTRIBUTES_COUNT, self.dropped_attributes_count))
            .saturating_add(refs)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.attributes.write_fields::<ATTRIBUTES_BYTE>(writer)?;
        write_uint32(writer, DROPPED_ATTRIBUTES_COUNT, self.dropped_attributes_count)?;
        self.entity_refs.iter().try_for_each(|entity| writer.write_message(ENTITY_REFS, &entity))
    }
}

/// Which of a resource's attributes name an entity, such as a host, and which describe it.
///
/// ```
/// use borrowire::otlp::{EntityRef, Texts};
///
/// let keys = ["service.name", "service.instance.id"];
/// let mut entity = EntityRef::default();
/// entity.r#type = "service";
/// entity.id_keys = Texts::new(&keys);
/// assert!(entity.id_keys.iter().eq(keys));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EntityRef<'s, 'a> {
    /// The schema of the type and the keys.
    pub schema_url: &'a str,
    /// What kind of entity it is, such as `service`.
    pub r#type: &'a str,
    /// The keys of the attributes that name it.
    pub id_keys: Texts<'s, 'a>,
    /// The keys of the attributes that describe it.
    pub description_keys: Texts<'s, 'a>,
}

impl<'a> EntityRef<'_, 'a> {
    /// Reads `message`, which was checked, again.
    fn read(message: &'a [u8]) -> Self {
        let (schema_url, r#type) = read_again(message, |mut reader| {
            let (mut schema_url, mut r#type) = ("", "");
            while let Some(tag) = reader.next_tag()? {
                match tag {
                    SCHEMA_URL => schema_url = reader.read_string()?,
                    TYPE => r#type = reader.read_string()?,
                    _ => reader.skip_field(tag)?,
                }
            }
            Ok((schema_url, r#type))
        });
        let texts = |tag| Texts(TextsPlace::Message { message, tag });
        let (id_keys, description_keys) = (texts(ID_KEYS), texts(DESCRIPTION_KEYS));
        Self { schema_url, r#type, id_keys, description_keys }
    }
}

impl Encode for EntityRef<'_, '_> {
    fn encoded_len(&self) -> usize {
        text_len(SCHEMA_URL, self.schema_url)
            .saturating_add(text_len(TYPE, self.r#type))
            .saturating_add(self.id_keys.fields_len(ID_KEYS))
            .saturating_add(self.description_keys.fields_len(DESCRIPTION_KEYS))
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_text(writer, SCHEMA_URL, self.schema_url)?;
        write_text(writer, TYPE, self.r#type)?;
        self.id_keys.iter().try_for_each(|key| writer.write_string(ID_KEYS, key))?;
        self.description_keys.iter().try_for_each(|key| writer.write_string(DESCRIPTION_KEYS, key))
    }
}

/// Checks the entity reference that takes the rest of `cursor`.
pub(super) fn check_entity_ref(cursor: &mut Cursor<'_, '_>) -> Result<(), DecodeError> {
    while let Some(tag) = cursor.next_tag()? {
        match tag {
            SCHEMA_URL | TYPE | ID_KEYS | DESCRIPTION_KEYS => drop(cursor.read_string()?),
            _ => cursor.skip_field(tag)?,
        }
    }
    Ok(())
}

/// A list that is the caller's slice, or is read from a message again.
macro_rules! lazy_list {
    (
        $(#[$doc:meta])* $list:ident, $place:ident of $item:ty,
        { $($field:ident: $type:ty),* }, $records:ident,
        $(#[$iter_doc:meta])* $iter:ident
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $list<'s, 'a>($place<'s, 'a>);

        #[derive(Clone, Copy)]
        enum $place<'s, 'a> {
            Slice(&'s [$item]),
            Message { $($field: $type),* },
        }

        impl<'s, 'a> $list<'s, 'a> {
            /// A list of the caller's own.
            #[must_use]
            pub const fn new(items: &'s [$item]) -> Self {
                Self($place::Slice(items))
            }

            /// All of them, in wire order. They are read one after the other: to count them is to read
            /// them.
            #[must_use]
            pub fn iter(&self) -> $iter<'s, 'a> {
                match self.0 {
                    $place::Slice(items) => $iter { slice: items.iter(), records: None },
                    $place::Message { $($field),* } => {
                        $iter { slice: [].iter(), records: Some($records::new($($field),*)) }
                    }
                }
            }

            /// Whether there are none.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.iter().next().is_none()
            }
        }

        impl Default for $list<'_, '_> {
            fn default() -> Self {
                Self::new(&[])
            }
        }

        impl PartialEq for $list<'_, '_> {
            fn eq(&self, other: &Self) -> bool {
                self.iter().eq(other.iter())
            }
        }

        impl Eq for $list<'_, '_> {}

        impl core::fmt::Debug for $list<'_, '_> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_list().entries(self.iter()).finish()
            }
        }

        impl<'s, 'a> IntoIterator for $list<'s, 'a> {
            type Item = $item;
            type IntoIter = $iter<'s, 'a>;

            fn into_iter(self) -> $iter<'s, 'a> {
                self.iter()
            }
        }

        $(#[$iter_doc])*
        #[derive(Clone, Debug)]
        pub struct $iter<'s, 'a> {
            slice: core::slice::Iter<'s, $item>,
            records: Option<$records<'a>>,
        }

        impl<'s, 'a> Iterator for $iter<'s, 'a> {
            type Item = $item;

            fn next(&mut self) -> Option<$item> {
                match &mut self.records {
                    None => self.slice.next().copied(),
                    Some(records) => records.next(),
                }
            }
        }

        impl core::iter::FusedIterator for $iter<'_, '_> {}
    };
}

lazy_list! {
    /// Texts: the caller's slice, or those of an entity reference that was decoded.
    ///
    /// ```
    /// use borrowire::otlp::Texts;
    ///
    /// assert!(Texts::new(&["a", "b"]).iter().eq(["a", "b"]));
    /// ```
    Texts, TextsPlace of &'a str, { message: &'a [u8], tag: Tag }, TextRecords,
    /// Iterates over [`Texts`].
    TextsIter
}

impl Texts<'_, '_> {
    fn fields_len(&self, tag: Tag) -> usize {
        self.iter().fold(0, |sum, text| sum.saturating_add(wire::string_len(tag, text)))
    }
}

/// The texts of a field of a message.
#[derive(Clone, Copy, Debug)]
struct TextRecords<'a> {
    records: Records<'a>,
    tag: Tag,
}

impl<'a> TextRecords<'a> {
    const fn new(message: &'a [u8], tag: Tag) -> Self {
        Self { records: Records::new(message), tag }
    }

    fn next(&mut self) -> Option<&'a str> {
        let bytes = self.records.next(self.tag)?;
        Some(wire::text_region(bytes).unwrap_or_else(crate::wire::impossible))
    }
}

lazy_list! {
    /// References to entities: the caller's slice, or those of a resource that was decoded.
    ///
    /// ```
    /// use borrowire::otlp::{EntityRef, EntityRefs};
    ///
    /// let refs = [EntityRef::default()];
    /// assert!(EntityRefs::new(&refs).iter().eq(refs));
    /// ```
    EntityRefs, EntityRefsPlace of EntityRef<'s, 'a>, { around: &'a [u8], resource: Tag },
    EntityRefRecords,
    /// Iterates over [`EntityRefs`].
    EntityRefsIter
}

impl<'a> EntityRefs<'_, 'a> {
    /// Those of the resource in the records `resource` of `around`, which were checked.
    pub(super) const fn of_message(around: &'a [u8], resource: Tag) -> Self {
        Self(EntityRefsPlace::Message { around, resource })
    }
}

/// The references in a resource, which can lie in several pieces.
#[derive(Clone, Copy, Debug)]
struct EntityRefRecords<'a> {
    around: Records<'a>,
    tag: Tag,
    resource: Records<'a>,
}

impl<'a> EntityRefRecords<'a> {
    const fn new(around: &'a [u8], tag: Tag) -> Self {
        Self { around: Records::new(around), tag, resource: Records::new(&[]) }
    }

    fn next<'s>(&mut self) -> Option<EntityRef<'s, 'a>> {
        loop {
            if let Some(entity) = self.resource.next(ENTITY_REFS) {
                return Some(EntityRef::read(entity));
            }
            self.resource = Records::new(self.around.next(self.tag)?);
        }
    }
}
