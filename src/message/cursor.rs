//! Reading a message: the wire's reader and what decoding notes on its way, in one.
//!
//! Messages of this crate are read through a [`Cursor`] alone, so that none of its verbs can lose
//! partial mode, a cap, or the note that there was an unknown field.

use alloc::vec::Vec;

use super::columns::push;
use crate::limits::Limits;
use crate::wire::error::{DecodeError, DecodeErrorKind};
use crate::wire::{Reader, Scalar, Tag};

/// What decoding carries along besides the storage: one a request.
pub(crate) struct State {
    /// How many more elements the limits allow.
    elements_left: usize,
    /// Whether bad content sinks only the record that it is in.
    partial: bool,
    /// What is wrong first with the content of the current record, in partial mode: invalid text,
    /// or a reference to a text that is not there.
    content_fault: Option<DecodeError>,
    /// The elements of the current record that alone are left out.
    element_faults: Vec<ElementFault>,
    /// Whether any field was skipped as unknown.
    unknown_fields: bool,
    /// Whether an unknown field is an error.
    deny_unknown_fields: bool,
}

/// What is wrong with an element of a record, and its position among those of its kind.
pub(crate) type ElementFault = (usize, DecodeError);

impl State {
    pub(crate) const fn new(limits: &Limits, partial: bool) -> Self {
        Self {
            elements_left: limits.max_elements,
            partial,
            content_fault: None,
            element_faults: Vec::new(),
            unknown_fields: false,
            deny_unknown_fields: false,
        }
    }

    /// This state, for which an unknown field may be an error.
    #[inline]
    pub(crate) const fn with_deny_unknown_fields(mut self, deny: bool) -> Self {
        self.deny_unknown_fields = deny;
        self
    }

    /// This state, with memory for faults of elements that was used before.
    #[inline]
    pub(crate) fn with_memory(mut self, memory: Vec<ElementFault>) -> Self {
        self.element_faults = memory;
        self
    }

    /// Gives back the memory for faults of elements, emptied.
    #[inline]
    pub(crate) fn into_memory(mut self) -> Vec<ElementFault> {
        self.element_faults.clear();
        self.element_faults
    }

    /// For a message that is read alone: no caps, and any fault is an error.
    pub(crate) const fn strict() -> Self {
        Self::new(&Limits::new(), false)
    }

    /// Whether any field was skipped as unknown.
    pub(crate) const fn unknown_fields(&self) -> bool {
        self.unknown_fields
    }

    /// Whether an unknown field is an error.
    pub(crate) const fn denies_unknown_fields(&self) -> bool {
        self.deny_unknown_fields
    }

    /// What is left behind an unknown field, whose tag `reader` has just read; an error if there must
    /// be none.
    // Apart from the loops over fields, whose code is as if there were no choice.
    #[inline(never)]
    fn after_unknown<'a>(&mut self, reader: Reader<'a>, tag: Tag) -> Result<&'a [u8], DecodeError> {
        if self.deny_unknown_fields {
            return Err(reader.unknown_field(tag));
        }
        self.unknown_fields = true;
        reader.after_field(tag)
    }

    /// Remembers that there was an unknown field, if there was.
    pub(crate) const fn note_unknown(&mut self, unknown: bool) {
        self.unknown_fields |= unknown;
    }
}

/// Reads the fields of one message.
///
/// A method with `read` in its name reads the value whose tag has just been read.
pub(crate) struct Cursor<'a, 's> {
    reader: Reader<'a>,
    state: &'s mut State,
}

/// A message that is one value, read field by field into itself.
pub(crate) trait Merge<'a> {
    /// Reads all fields up to the end of `cursor` into `self`.
    fn merge_fields(&mut self, cursor: &mut Cursor<'a, '_>) -> Result<(), DecodeError>;

    /// Reads all fields up to the end of `reader`, which no request is around.
    fn merge_alone(&mut self, reader: &mut Reader<'a>) -> Result<(), DecodeError> {
        read_alone(reader, |cursor| self.merge_fields(cursor))
    }
}

/// Reads from `reader`, which no request is around: no caps, and any fault is an error.
pub(crate) fn read_alone<'a>(
    reader: &mut Reader<'a>,
    read: impl FnOnce(&mut Cursor<'a, '_>) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    let mut state = State::strict();
    let mut cursor = Cursor::over(reader.clone(), &mut state);
    let result = read(&mut cursor);
    *reader = cursor.reader;
    result
}

/// A verb of the reader that needs no state.
macro_rules! forward {
    ($($method:ident: $value:ty;)*) => {$(
        #[inline]
        pub(crate) fn $method(&mut self) -> Result<$value, DecodeError> {
            self.reader.$method()
        }
    )*};
}

impl<'a, 's> Cursor<'a, 's> {
    pub(crate) const fn over(reader: Reader<'a>, state: &'s mut State) -> Self {
        Self { reader, state }
    }

    forward! {
        next_tag: Option<Tag>;
        read_bool: bool;
        read_bytes: &'a [u8];
        read_double: f64;
        read_enum: i32;
        read_fixed32: u32;
        read_fixed64: u64;
        read_int32: i32;
        read_int64: i64;
        read_sfixed64: i64;
        read_sint32: i32;
        read_uint32: u32;
        read_uint64: u64;
    }

    /// Where the cursor stands, in bytes from the start of the body.
    #[inline]
    pub(crate) fn offset(&self) -> u32 {
        self.reader.offset32()
    }

    /// Where the message ends, in bytes from the start of the body.
    #[inline]
    pub(crate) const fn end(&self) -> u32 {
        self.reader.end32()
    }

    /// The bytes of this message that are still to be read.
    #[inline]
    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.reader.rest()
    }

    /// Moves to `rest`, a tail of what is still to be read.
    #[inline]
    pub(crate) fn advance_to(&mut self, rest: &'a [u8]) {
        self.reader.advance_to(rest);
    }

    /// A message, as a cursor over it.
    #[inline]
    pub(crate) fn read_message(&mut self) -> Result<Cursor<'a, '_>, DecodeError> {
        Ok(Cursor { reader: self.reader.read_message()?, state: self.state })
    }

    /// A message, merged into `message`.
    #[inline]
    pub(crate) fn merge_message(
        &mut self,
        message: &mut impl Merge<'a>,
    ) -> Result<(), DecodeError> {
        message.merge_fields(&mut self.read_message()?)
    }

    /// A packed block of scalars, as a cursor over it; the field stays the same.
    #[inline]
    pub(crate) fn read_block(&mut self) -> Result<Cursor<'a, '_>, DecodeError> {
        Ok(Cursor { reader: self.reader.read_block()?, state: self.state })
    }

    /// The message again, from where the cursor stands.
    #[inline]
    pub(crate) fn again(&mut self) -> Cursor<'a, '_> {
        Cursor { reader: self.reader.clone(), state: self.state }
    }

    /// A reader from where the cursor stands: for [`elsewhere`](Self::elsewhere).
    #[inline]
    pub(crate) fn reader(&self) -> Reader<'a> {
        self.reader.clone()
    }

    /// Another part of the body.
    pub(crate) fn elsewhere(&mut self, reader: Reader<'a>) -> Cursor<'a, '_> {
        Cursor { reader, state: self.state }
    }

    /// The values of a repeated scalar field at `tag`, each counted as an element and given to
    /// `push`.
    pub(crate) fn read_repeated<S: Scalar>(
        &mut self,
        tag: Tag,
        mut push: impl FnMut(S::Value),
    ) -> Result<(), DecodeError> {
        let Self { reader, state } = self;
        // No value takes less than a byte: mostly there is no need to count them one by one.
        if state.elements_left >= reader.rest().len() {
            let mut count = 0;
            reader.read_repeated::<S>(tag, |value| {
                count = usize::wrapping_add(count, 1);
                push(value);
                Ok(())
            })?;
            self.count_elements(count);
            return Ok(());
        }
        reader.read_repeated::<S>(tag, |value| {
            state.elements_left =
                state.elements_left.checked_sub(1).ok_or(DecodeErrorKind::LimitExceeded)?;
            push(value);
            Ok(())
        })
    }

    /// A `string`; in partial mode invalid text is noted and reads as "", because the rest of the
    /// record must still be checked.
    #[inline(always)]
    pub(crate) fn read_string(&mut self) -> Result<&'a str, DecodeError> {
        match self.reader.read_string() {
            Err(error) if self.state.partial && error.kind() == DecodeErrorKind::InvalidUtf8 => {
                self.state.content_fault.get_or_insert(error);
                Ok("")
            }
            result => result,
        }
    }

    /// A `string` that is no record's content; `None` in partial mode if it is not UTF-8, with
    /// nothing noted: it counts where it is used.
    #[inline]
    pub(crate) fn read_shared_string(&mut self) -> Result<Option<&'a str>, DecodeError> {
        match self.reader.read_string() {
            Err(error) if self.state.partial && error.kind() == DecodeErrorKind::InvalidUtf8 => {
                Ok(None)
            }
            result => result.map(Some),
        }
    }

    /// A `string` whose fault sinks the request, also in partial mode.
    #[inline]
    pub(crate) fn read_strict_string(&mut self) -> Result<&'a str, DecodeError> {
        self.reader.read_string()
    }

    /// Passes over an unknown field, and remembers that there was one, if it is no error.
    #[inline]
    pub(crate) fn skip_field(&mut self, tag: Tag) -> Result<(), DecodeError> {
        // A copy goes out: a reference would keep the reader out of registers.
        let rest = self.state.after_unknown(self.reader.clone(), tag)?;
        self.reader.advance_to(rest);
        Ok(())
    }

    /// Passes over a field that was read before.
    pub(crate) fn pass_field(&mut self, tag: Tag) -> Result<(), DecodeError> {
        self.reader.skip_field(tag)
    }

    /// What decoding carries along, for code that reads text which was checked as a whole.
    #[inline]
    pub(crate) const fn state(&mut self) -> &mut State {
        self.state
    }

    /// An error of `kind` at the current place.
    #[inline(always)]
    pub(crate) fn error(&self, kind: DecodeErrorKind) -> DecodeError {
        self.reader.error(kind)
    }

    /// Counts one more element, which begins where the cursor stands.
    #[inline]
    pub(crate) fn count_element(&mut self) -> Result<(), DecodeError> {
        match self.state.elements_left.checked_sub(1) {
            Some(left) => {
                self.state.elements_left = left;
                Ok(())
            }
            None => Err(self.error(DecodeErrorKind::LimitExceeded)),
        }
    }

    /// Whether the limits allow `count` more elements.
    #[inline]
    pub(crate) const fn has_elements(&self, count: usize) -> bool {
        self.state.elements_left >= count
    }

    /// Counts `count` more elements, which the limits are known to allow.
    #[inline]
    pub(crate) const fn count_elements(&mut self, count: usize) {
        self.state.elements_left = self.state.elements_left.saturating_sub(count);
    }

    /// A fault in the content of a record, where the cursor stood when `before` was still to be
    /// read: noted in partial mode, because the rest of the record must still be checked; an error
    /// otherwise.
    #[inline]
    pub(crate) fn content_fault_at(
        &mut self,
        before: &[u8],
        kind: DecodeErrorKind,
    ) -> Result<(), DecodeError> {
        self.content_fault(self.reader.error_at(before, kind))
    }

    /// Notes a fault in content at the current place, in field `tag`.
    #[cold]
    pub(crate) fn content_fault_in(
        &mut self,
        tag: Tag,
        kind: DecodeErrorKind,
    ) -> Result<(), DecodeError> {
        self.content_fault(self.reader.error_in(tag, kind))
    }

    #[cold]
    fn content_fault(&mut self, error: DecodeError) -> Result<(), DecodeError> {
        if !self.state.partial {
            return Err(error);
        }
        self.state.content_fault.get_or_insert(error);
        Ok(())
    }

    /// Whether anything is noted of the record that was read last.
    #[inline]
    pub(crate) const fn has_noted_faults(&self) -> bool {
        self.state.content_fault.is_some() || !self.state.element_faults.is_empty()
    }

    /// Whether nothing is wrong so far with the content of the record that is being read.
    #[inline]
    pub(crate) const fn content_is_good(&self) -> bool {
        self.state.content_fault.is_none()
    }

    /// What is wrong with the record that was read last, if it must be left out, and no longer
    /// noted.
    pub(crate) const fn take_content_fault(&mut self) -> Option<DecodeError> {
        self.state.content_fault.take()
    }

    /// What is wrong with elements of the record that was read last, and no longer noted.
    pub(crate) fn take_element_faults(&mut self) -> impl Iterator<Item = ElementFault> {
        self.state.element_faults.drain(..)
    }

    /// Reads an element of a record, the `position`th of its kind, which can be left out alone.
    /// Returns whether it must be.
    #[inline]
    pub(crate) fn read_element(
        &mut self,
        position: usize,
        read: impl FnOnce(&mut Self) -> Result<(), DecodeError>,
    ) -> Result<bool, DecodeError> {
        let before = self.state.content_fault;
        read(self)?;
        if before.is_some() || self.state.content_fault.is_none() {
            return Ok(false);
        }
        if let Some(error) = self.state.content_fault.take() {
            push(&mut self.state.element_faults, (position, error));
        }
        Ok(true)
    }

    /// Reads an element that can be left out alone. Returns what is wrong with it, if it must be; that
    /// is then no fault of what is around it.
    #[inline]
    pub(crate) fn read_apart(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<(), DecodeError>,
    ) -> Result<Option<DecodeError>, DecodeError> {
        let before = self.state.content_fault.is_some();
        read(self)?;
        Ok(if before { None } else { self.state.content_fault.take() })
    }

    /// Whether any fault that is noted of the record is of `kind`.
    pub(crate) fn has_noted(&self, kind: DecodeErrorKind) -> bool {
        let elements = self.state.element_faults.iter().map(|(_, error)| error);
        self.state.content_fault.iter().chain(elements).any(|error| error.kind() == kind)
    }

    /// How many more elements the limits allow.
    pub(crate) const fn elements_left(&self) -> usize {
        self.state.elements_left
    }

    /// Forgets what reading a record did, which began with so many elements left.
    pub(crate) fn retry(&mut self, elements_left: usize) {
        self.state.elements_left = elements_left;
        self.state.content_fault = None;
        self.state.element_faults.clear();
    }
}
