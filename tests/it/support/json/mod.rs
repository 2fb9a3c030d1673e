//! Decoded content as JSON, in the form that the golden files of `tests/fixtures` have.
//!
//! A message is an object of the fields that are set, under their `.proto` names and in the order
//! of their numbers. Whole numbers are JSON numbers with all 64 bits. A `double` is the hexadecimal
//! of its bits, because a decimal would lose the NaN payload that marks a series as stale. Small
//! messages have a short form that always holds every member, such as `[name, value]` for a label.
//!
//! One module per protocol; what they share is here.

#![allow(dead_code, reason = "each test and example uses its part")]

pub mod loki_push;
pub mod otlp;
pub mod remote_write_v1;
pub mod remote_write_v2;

use std::fmt::{Display, Write};

/// An object that is being written. Fields come in the order of their numbers.
struct Object<'o> {
    json: &'o mut String,
    is_empty: bool,
}

impl<'o> Object<'o> {
    fn begin(json: &'o mut String) -> Self {
        json.push('{');
        Self { json, is_empty: true }
    }

    /// Begins a member that is written whatever its value is: one whose presence the schema tracks.
    fn member(&mut self, name: &str) -> &mut String {
        if !self.is_empty {
            self.json.push(',');
        }
        self.is_empty = false;
        string(self.json, name);
        self.json.push(':');
        self.json
    }

    /// A field with the default 0, left out when it has that.
    fn integer<T: Display + Default + PartialEq>(&mut self, name: &str, value: T) {
        if value != T::default() {
            integer(self.member(name), value);
        }
    }

    /// A field with the default +0.0. A negative zero is another value, and written.
    fn double(&mut self, name: &str, value: f64) {
        if value.to_bits() != 0 {
            double(self.member(name), value);
        }
    }

    /// A field with the default "".
    fn string(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            string(self.member(name), value);
        }
    }

    /// A repeated field, left out when it has no items.
    fn list<T>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
        write: impl FnMut(&mut String, T),
    ) {
        let mut items = items.into_iter().peekable();
        if items.peek().is_some() {
            list(self.member(name), items, write);
        }
    }

    fn end(self) {
        self.json.push('}');
    }
}

fn list<T>(
    json: &mut String,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut String, T),
) {
    json.push('[');
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            json.push(',');
        }
        write(json, item);
    }
    json.push(']');
}

fn integer(json: &mut String, value: impl Display) {
    write!(json, "{value}").expect("writing to a String cannot fail");
}

fn double(json: &mut String, value: f64) {
    write!(json, "\"{:016x}\"", value.to_bits()).expect("writing to a String cannot fail");
}

pub fn string(json: &mut String, value: &str) {
    json.push('"');
    let mut rest = value;
    while let Some(at) = rest.find(|c| matches!(c, '"' | '\\' | '\0'..='\x1f')) {
        let (plain, escaped) = rest.split_at(at);
        json.push_str(plain);
        let mut chars = escaped.chars();
        match chars.next() {
            Some('"') => json.push_str("\\\""),
            Some('\\') => json.push_str("\\\\"),
            Some('\n') => json.push_str("\\n"),
            Some('\r') => json.push_str("\\r"),
            Some('\t') => json.push_str("\\t"),
            Some('\x08') => json.push_str("\\b"),
            Some('\x0c') => json.push_str("\\f"),
            Some(control) => write!(json, "\\u{:04x}", u32::from(control))
                .expect("writing to a String cannot fail"),
            None => {}
        }
        rest = chars.as_str();
    }
    json.push_str(rest);
    json.push('"');
}
