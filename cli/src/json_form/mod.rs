//! Decoded content as JSON, in the form that the golden files of `tests/fixtures` have.
//!
//! A message is an object of the fields that are set, under their `.proto` names and in the order
//! of their numbers. Whole numbers are JSON numbers with all 64 bits. A `double` is the hexadecimal
//! of its bits, because a decimal would lose the NaN payload that marks a series as stale. Small
//! messages have a short form that always holds every member, such as `[name, value]` for a label.
//!
//! There is a module for each protocol; what they share is here.

mod histogram;
mod loki_push;
mod otlp;
mod remote_write_v1;
mod remote_write_v2;

use std::cell::Cell;

use serde::ser::{Serialize, SerializeMap, Serializer};

pub use loki_push::PushRequestForm;
pub use otlp::{LogsRequestForm, MetricsRequestForm};
pub use remote_write_v1::WriteRequestForm;
pub use remote_write_v2::RequestForm;

/// An object that is being written. Fields come in the order of their numbers.
struct Object<S: Serializer>(S::SerializeMap);

impl<S: Serializer> Object<S> {
    fn begin(serializer: S) -> Result<Self, S::Error> {
        serializer.serialize_map(None).map(Self)
    }

    /// A member that is written whatever its value is: one whose presence the schema tracks.
    fn member(&mut self, name: &str, value: &(impl Serialize + ?Sized)) -> Result<(), S::Error> {
        self.0.serialize_entry(name, value)
    }

    /// A field whose presence the schema tracks, left out when it is absent.
    fn present(&mut self, name: &str, value: Option<impl Serialize>) -> Result<(), S::Error> {
        value.map_or(Ok(()), |value| self.member(name, &value))
    }

    /// A field with the default 0, left out when it has that.
    fn integer<T: Serialize + Default + PartialEq>(
        &mut self,
        name: &str,
        value: T,
    ) -> Result<(), S::Error> {
        if value == T::default() { Ok(()) } else { self.member(name, &value) }
    }

    /// A field with the default +0.0. A negative zero is another value, and written.
    fn double(&mut self, name: &str, value: f64) -> Result<(), S::Error> {
        if value.to_bits() == 0 { Ok(()) } else { self.member(name, &Double(value)) }
    }

    /// A field with the default "".
    fn string(&mut self, name: &str, value: &str) -> Result<(), S::Error> {
        if value.is_empty() { Ok(()) } else { self.member(name, value) }
    }

    /// A repeated field, left out when it has no items.
    fn list<T: Serialize>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
    ) -> Result<(), S::Error> {
        let mut items = items.into_iter().peekable();
        if items.peek().is_none() {
            Ok(())
        } else {
            self.member(name, &List(Cell::new(Some(items))))
        }
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        self.0.end()
    }
}

/// An array of what an iterator yields, which can be written once.
struct List<I>(Cell<Option<I>>);

impl<T: Serialize, I: Iterator<Item = T>> Serialize for List<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.take().into_iter().flatten())
    }
}

/// The bits of a number, in hexadecimal.
struct Double(f64);

impl Serialize for Double {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:016x}", self.0.to_bits()))
    }
}
