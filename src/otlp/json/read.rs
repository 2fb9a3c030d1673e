//! Reading: a JSON text becomes protobuf, which the request's own decoder then reads.
//!
//! So there is one model, text is unescaped once, straight to where views borrow it from, and what works
//! on the bytes of a request (splitting, raw records) works on what came as JSON. Everything is checked
//! here that the decoder would refuse, but for its limits.

use alloc::vec::Vec;

use base64::Engine;
use base64::alphabet;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};

use super::error::{JsonError, JsonErrorKind};
use super::lexer::{Lexer, Quoted, split_plain};
use super::schema::{Field, KEY, KEY_VALUE, Kind, Message, Presence, STRING_VALUE, VALUE};
use super::skipped::JsonSkipped;
use super::text;
use crate::message::columns::push;
use crate::otlp::options::DecodeOptions;
use crate::otlp::record_kind::RecordKind;
use crate::wire::error::MAX_MESSAGE_BYTES;
use crate::wire::{Writer, impossible, text_region, varint_len, zigzag_encode32};

/// How deep messages may nest, as in protobuf.
const MAX_DEPTH: u8 = 250;

/// As Go reads it: padded, and whatever the last bits are.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

/// Where reading writes to, all of it empty.
pub(super) struct Target<'t> {
    pub(super) protobuf: &'t mut Vec<u8>,
    pub(super) skipped: &'t mut Vec<JsonSkipped>,
    /// For a string that is not wanted as it stands, one at a time.
    pub(super) string: &'t mut Vec<u8>,
}

/// Reads `body`, which is a `message`. Returns whether it held members that are not known.
pub(super) fn read(
    message: &'static Message,
    body: &[u8],
    target: Target<'_>,
    options: &DecodeOptions,
) -> Result<bool, JsonError> {
    if body.len() > options.limits.max_message_bytes.min(MAX_MESSAGE_BYTES) {
        return Err(JsonError::new(JsonErrorKind::MessageTooLarge, 0));
    }
    // Once for all of it, so that no piece needs a check of its own.
    if text_region(body).is_none() {
        let valid = core::str::from_utf8(body).err().map_or(0, |error| error.valid_up_to());
        return Err(JsonError::new(JsonErrorKind::InvalidUtf8, valid));
    }
    let mut reader = MessageReader::new(body, target, options);
    reader.read_body(message)?;
    if reader.target.protobuf.len() > MAX_MESSAGE_BYTES {
        return Err(JsonError::new(JsonErrorKind::MessageTooLarge, 0));
    }
    Ok(reader.unknown)
}

/// Where in `body` the message begins whose protobuf is at `offset`, or a little behind it.
#[cold]
pub(super) fn place_of(
    message: &'static Message,
    body: &[u8],
    target: Target<'_>,
    options: &DecodeOptions,
    offset: usize,
) -> usize {
    let mut reader = MessageReader::new(body, target, options);
    reader.stop_at = offset;
    reader.read_body(message).err().map_or(0, |error| error.offset())
}

struct MessageReader<'b, 't> {
    lexer: Lexer<'b>,
    target: Target<'t>,
    options: &'t DecodeOptions,
    /// How many exemplars, data points and log records there were so far.
    seen: Seen,
    unknown: bool,
    /// How long the protobuf may become.
    stop_at: usize,
}

#[derive(Default)]
struct Seen {
    exemplars: usize,
    items: usize,
}

impl<'b, 't> MessageReader<'b, 't> {
    fn new(body: &'b [u8], target: Target<'t>, options: &'t DecodeOptions) -> Self {
        Self {
            lexer: Lexer::new(body),
            target,
            options,
            seen: Seen::default(),
            unknown: false,
            stop_at: usize::MAX,
        }
    }

    fn read_body(&mut self, message: &'static Message) -> Result<(), JsonError> {
        if !self.take_null()? {
            self.read_members(message, 0)?;
        }
        match self.lexer.peek() {
            None => Ok(()),
            Some(_) => Err(self.lexer.error(JsonErrorKind::TrailingData)),
        }
    }

    /// The members of an object.
    fn read_members(&mut self, message: &'static Message, depth: u8) -> Result<(), JsonError> {
        if !self.lexer.take_if(b'{') {
            return Err(self.lexer.wrong_type());
        }
        if self.lexer.take_if(b'}') {
            return Ok(());
        }
        // Members mostly stand in the order of the fields.
        let mut expected = message.fields;
        loop {
            self.lexer.peek();
            let place = self.lexer.place();
            let found = match expected {
                [field, rest @ ..] if self.lexer.take_name(field.name) => Some((field, rest)),
                _ => {
                    let name = self.lexer.name()?;
                    self.find(message, name)
                }
            };
            match found {
                Some((field, rest)) => {
                    expected = rest;
                    self.read_field(field, depth)?;
                }
                None if self.options.deny_unknown_fields => {
                    return Err(self.lexer.error_at(place, JsonErrorKind::UnknownField));
                }
                None => {
                    self.unknown = true;
                    self.lexer.skip_value()?;
                }
            }
            if !self.lexer.take_comma_or(b'}')? {
                return Ok(());
            }
        }
    }

    /// The field that is called `name`, and those behind it.
    fn find(
        &mut self,
        message: &'static Message,
        name: Quoted<'b>,
    ) -> Option<(&'static Field, &'static [Field])> {
        let name = self.text(name);
        let is_called =
            |field: &Field| field.name.as_bytes() == name || field.snake.as_bytes() == name;
        let position = message.fields.iter().position(is_called)?;
        message.fields.get(position..)?.split_first()
    }

    /// What a string says: itself, or unescaped.
    fn text<'s>(&'s mut self, string: Quoted<'b>) -> &'s [u8]
    where
        'b: 's,
    {
        unescaped(string, self.target.string)
    }

    /// Takes a null, if that is what comes next.
    #[inline]
    fn take_null(&mut self) -> Result<bool, JsonError> {
        if self.lexer.peek() != Some(b'n') {
            return Ok(false);
        }
        self.lexer.literal(b"null")?;
        Ok(true)
    }

    #[inline]
    fn read_field(&mut self, field: &'static Field, depth: u8) -> Result<(), JsonError> {
        if field.presence == Presence::Repeated {
            return self.read_list(field, depth);
        }
        if self.take_null()? {
            // JavaScript and serde_json have it for a NaN.
            if matches!(field.kind, Kind::Double) && field.presence != Presence::Optional {
                self.put(&[field.tag()]);
                self.put(&text::GO_NAN.to_le_bytes());
            }
            return Ok(());
        }
        self.read_element(field, depth)
    }

    /// A field that is there, or an element of a list.
    fn read_element(&mut self, field: &'static Field, depth: u8) -> Result<(), JsonError> {
        if let Kind::Message(message) = field.kind {
            if core::ptr::eq(message, &KEY_VALUE) && self.read_usual_attribute(field) {
                return Ok(());
            }
            let start = self.begin(field)?;
            if depth >= MAX_DEPTH {
                return Err(self.lexer.error(JsonErrorKind::DepthLimit));
            }
            self.read_members(message, depth.saturating_add(1))?;
            self.end(start);
            return Ok(());
        }
        self.put(&[field.tag()]);
        self.read_scalar(field.kind)
    }

    /// The usual attribute, `{"key":"..","value":{"stringValue":".."}}` without white space, escapes and
    /// long texts; false, and nothing is read, if it is another.
    fn read_usual_attribute(&mut self, field: &Field) -> bool {
        let Some(key) = self.lexer.place().strip_prefix(br#"{"key":""#) else { return false };
        let Some((key, rest)) = split_plain(key) else { return false };
        let Some(value) = rest.strip_prefix(br#","value":{"stringValue":""#) else { return false };
        let Some((value, rest)) = split_plain(value) else { return false };
        let Some(rest) = rest.strip_prefix(b"}}") else { return false };
        // The lengths take a byte each.
        if key.len().saturating_add(value.len()) > 0x7f - 6 {
            return false;
        }
        let (Ok(key_len), Ok(value_len)) = (u8::try_from(key.len()), u8::try_from(value.len()))
        else {
            return false;
        };
        let len = key_len.wrapping_add(value_len).wrapping_add(6);
        self.put(&[field.tag(), len, KEY, key_len]);
        self.put(key);
        self.put(&[VALUE, value_len.wrapping_add(2), STRING_VALUE, value_len]);
        self.put(value);
        self.lexer.go_to(rest);
        true
    }

    fn read_list(&mut self, field: &'static Field, depth: u8) -> Result<(), JsonError> {
        if self.take_null()? {
            return Ok(());
        }
        if !self.lexer.take_if(b'[') {
            return Err(self.lexer.wrong_type());
        }
        if self.lexer.take_if(b']') {
            return Ok(());
        }
        match field.kind {
            Kind::Message(Message { record: Some(record), .. }) => loop {
                self.read_record(field, *record, depth)?;
                if !self.lexer.take_comma_or(b']')? {
                    return Ok(());
                }
            },
            kind if kind.is_packed() => {
                let start = self.begin(field)?;
                loop {
                    self.read_scalar_or_null(kind)?;
                    if !self.lexer.take_comma_or(b']')? {
                        break;
                    }
                }
                self.end(start);
                Ok(())
            }
            _ => loop {
                self.read_element_or_null(field, depth)?;
                if !self.lexer.take_comma_or(b']')? {
                    return Ok(());
                }
            },
        }
    }

    /// An element of a list of messages or strings; null is an empty one.
    fn read_element_or_null(&mut self, field: &'static Field, depth: u8) -> Result<(), JsonError> {
        if self.take_null()? {
            self.put(&[field.tag(), 0]);
            return Ok(());
        }
        self.read_element(field, depth)
    }

    fn read_scalar_or_null(&mut self, kind: Kind) -> Result<(), JsonError> {
        if self.lexer.peek() == Some(b'n') && matches!(kind, Kind::Double) {
            self.lexer.literal(b"null")?;
            self.put(&text::GO_NAN.to_le_bytes());
            return Ok(());
        }
        self.read_scalar(kind)
    }

    /// An element that partial mode leaves out if it is bad.
    fn read_record(
        &mut self,
        field: &'static Field,
        record: RecordKind,
        depth: u8,
    ) -> Result<(), JsonError> {
        let seen = match record {
            RecordKind::Exemplar => &mut self.seen.exemplars,
            _ => &mut self.seen.items,
        };
        let index = *seen;
        *seen = index.saturating_add(1);
        if !self.options.partial {
            return self.read_element_or_null(field, depth);
        }
        self.lexer.peek();
        let place = self.lexer.place();
        let (len, skipped) = (self.target.protobuf.len(), self.target.skipped.len());
        match self.read_element_or_null(field, depth) {
            Err(error) if error.kind().is_content() => {
                self.target.protobuf.truncate(len);
                self.target.skipped.truncate(skipped);
                push(self.target.skipped, JsonSkipped::new(record, index, error));
                self.lexer.go_to(place);
                self.lexer.skip_value()
            }
            result => result,
        }
    }

    /// A value that is no message, without its tag.
    fn read_scalar(&mut self, kind: Kind) -> Result<(), JsonError> {
        match kind {
            Kind::String => self.read_string(),
            Kind::Bytes => self.read_base64(),
            Kind::Id(len) => self.read_id(len),
            Kind::Bool => {
                let value = match self.lexer.peek() {
                    Some(b't') => self.lexer.literal(b"true").map(|()| 1),
                    Some(b'f') => self.lexer.literal(b"false").map(|()| 0),
                    _ => Err(self.lexer.wrong_type()),
                };
                self.put(&[value?]);
                Ok(())
            }
            Kind::Enum(names) => self.read_enum(names),
            Kind::Double => {
                let value = self.read_double()?;
                self.put(&value.to_le_bytes());
                Ok(())
            }
            Kind::Int64 => {
                let value = self.read_integer(i64::from_sign_and_magnitude)?;
                self.put_varint(u64::from_le_bytes(value.to_le_bytes()));
                Ok(())
            }
            Kind::Sfixed64 => {
                let value = self.read_integer(i64::from_sign_and_magnitude)?;
                self.put(&value.to_le_bytes());
                Ok(())
            }
            Kind::Uint64 => {
                let value = self.read_integer(u64::from_sign_and_magnitude)?;
                self.put_varint(value);
                Ok(())
            }
            Kind::Fixed64 => {
                let value = self.read_integer(u64::from_sign_and_magnitude)?;
                self.put(&value.to_le_bytes());
                Ok(())
            }
            Kind::Int32 => {
                let value = self.read_integer(i32::from_sign_and_magnitude)?;
                self.put_int32(value);
                Ok(())
            }
            Kind::Sint32 => {
                let value = self.read_integer(i32::from_sign_and_magnitude)?;
                self.put_varint(u64::from(zigzag_encode32(value)));
                Ok(())
            }
            Kind::Uint32 => {
                let value = self.read_integer(u32::from_sign_and_magnitude)?;
                self.put_varint(u64::from(value));
                Ok(())
            }
            Kind::Fixed32 => {
                let value = self.read_integer(u32::from_sign_and_magnitude)?;
                self.put(&value.to_le_bytes());
                Ok(())
            }
            // A message is read by its caller.
            Kind::Message(_) => Err(self.lexer.wrong_type()),
        }
    }

    /// A string, which comes next.
    #[inline]
    fn quoted(&mut self) -> Result<Quoted<'b>, JsonError> {
        if self.lexer.peek() != Some(b'"') {
            return Err(self.lexer.wrong_type());
        }
        self.lexer.string()
    }

    #[inline]
    fn read_string(&mut self) -> Result<(), JsonError> {
        let string = self.quoted()?;
        if string.has_escapes {
            self.put(&[0]);
            let start = self.target.protobuf.len();
            text::unescape(string.raw, self.target.protobuf);
            self.end(start);
        } else {
            self.put_varint(u64::try_from(string.raw.len()).unwrap_or_default());
            self.put(string.raw);
        }
        Ok(())
    }

    fn read_base64(&mut self) -> Result<(), JsonError> {
        self.lexer.peek();
        let place = self.lexer.place();
        let string = self.quoted()?;
        self.put(&[0]);
        let start = self.target.protobuf.len();
        let text = unescaped(string, self.target.string);
        let most = base64::decoded_len_estimate(text.len());
        self.target.protobuf.resize(start.saturating_add(most), 0);
        let room = self.target.protobuf.get_mut(start..).unwrap_or_default();
        let Ok(len) = BASE64.decode_slice(text, room) else {
            return Err(self.lexer.error_at(place, JsonErrorKind::InvalidBase64));
        };
        self.target.protobuf.truncate(start.saturating_add(len));
        self.end(start);
        Ok(())
    }

    fn read_id(&mut self, len: usize) -> Result<(), JsonError> {
        self.lexer.peek();
        let place = self.lexer.place();
        let string = self.quoted()?;
        let invalid = self.lexer.error_at(place, JsonErrorKind::InvalidId);
        let digits = unescaped(string, self.target.string);
        let (pairs, rest) = digits.as_chunks::<2>();
        if !rest.is_empty() || !(pairs.is_empty() || pairs.len() == len) {
            return Err(invalid);
        }
        let out = &mut *self.target.protobuf;
        out.push(u8::try_from(pairs.len()).unwrap_or_default());
        let mut wrong = 0;
        for &[high, low] in pairs {
            let (high, low) = (hex_digit(high), hex_digit(low));
            wrong |= high | low;
            out.push(high << 4 | low & 0x0f);
        }
        if wrong > 0x0f {
            return Err(invalid);
        }
        Ok(())
    }

    fn read_enum(&mut self, names: &[&str]) -> Result<(), JsonError> {
        if self.lexer.peek() != Some(b'"') {
            let value = self.read_integer(i32::from_sign_and_magnitude)?;
            self.put_int32(value);
            return Ok(());
        }
        let place = self.lexer.place();
        let string = self.lexer.string()?;
        let name = self.text(string);
        let value = names.iter().position(|known| known.as_bytes() == name);
        let value = value.and_then(|value| u64::try_from(value).ok());
        let value = value.ok_or_else(|| self.lexer.error_at(place, JsonErrorKind::InvalidEnum))?;
        self.put_varint(value);
        Ok(())
    }

    /// A whole number, as it is or in a string.
    fn read_integer<T>(&mut self, convert: fn(bool, u64) -> Option<T>) -> Result<T, JsonError> {
        let next = self.lexer.peek();
        let place = self.lexer.place();
        let value = match next {
            Some(b'"') => {
                if let Some(value) = self.lexer.take_quoted_digits() {
                    let value = convert(false, value);
                    return value
                        .ok_or_else(|| self.lexer.error_at(place, JsonErrorKind::InvalidNumber));
                }
                let string = self.lexer.string()?;
                match self.text(string) {
                    [b'+', digits @ ..] => {
                        magnitude(digits).and_then(|value| convert(false, value))
                    }
                    [b'-', digits @ ..] => magnitude(digits).and_then(|value| convert(true, value)),
                    digits => magnitude(digits).and_then(|value| convert(false, value)),
                }
            }
            Some(b'-' | b'0'..=b'9') => {
                let number = self.lexer.number()?;
                match number.text {
                    _ if !number.is_whole => None,
                    [b'-', digits @ ..] => magnitude(digits).and_then(|value| convert(true, value)),
                    digits => magnitude(digits).and_then(|value| convert(false, value)),
                }
            }
            _ => return Err(self.lexer.wrong_type()),
        };
        value.ok_or_else(|| self.lexer.error_at(place, JsonErrorKind::InvalidNumber))
    }

    /// A number, as it is or in a string.
    fn read_double(&mut self) -> Result<f64, JsonError> {
        let next = self.lexer.peek();
        let place = self.lexer.place();
        let value = match next {
            Some(b'"') => {
                let string = self.lexer.string()?;
                text::parse_float(self.text(string))
            }
            Some(b'-' | b'0'..=b'9') => {
                let number = self.lexer.number()?;
                text::parse_decimal(number.text)
            }
            _ => return Err(self.lexer.wrong_type()),
        };
        value.ok_or_else(|| self.lexer.error_at(place, JsonErrorKind::InvalidNumber))
    }

    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        self.target.protobuf.extend_from_slice(bytes);
    }

    #[inline]
    fn put_varint(&mut self, value: u64) {
        put_varint(self.target.protobuf, value);
    }

    /// An `int32` or an enum: a negative number takes ten bytes, as if it had 64 bits.
    fn put_int32(&mut self, value: i32) {
        self.put_varint(u64::from_le_bytes(i64::from(value).to_le_bytes()));
    }

    /// Begins a field with a length: its tag, and a byte for the length. Returns where its content
    /// starts.
    #[inline]
    fn begin(&mut self, field: &Field) -> Result<usize, JsonError> {
        if self.target.protobuf.len() >= self.stop_at {
            self.lexer.peek();
            return Err(self.lexer.error(JsonErrorKind::LimitExceeded));
        }
        self.put(&[field.tag(), 0]);
        Ok(self.target.protobuf.len())
    }

    /// Ends a field with a length, whose content starts at `start`.
    #[inline]
    fn end(&mut self, start: usize) {
        let out = &mut *self.target.protobuf;
        let len = out.len().saturating_sub(start);
        match u8::try_from(len) {
            Ok(short @ 0..0x80) => {
                if let Some(place) = start.checked_sub(1).and_then(|at| out.get_mut(at)) {
                    *place = short;
                }
            }
            _ => make_room(out, start, len),
        }
    }
}

/// What a string says: itself, or unescaped into `memory`.
fn unescaped<'s>(string: Quoted<'s>, memory: &'s mut Vec<u8>) -> &'s [u8] {
    if !string.has_escapes {
        return string.raw;
    }
    memory.clear();
    text::unescape(string.raw, memory);
    memory
}

/// Writes the length of the content from `start` on where it takes more than a byte.
#[inline(never)]
fn make_room(out: &mut Vec<u8>, start: usize, len: usize) {
    let behind = out.len();
    let value = u64::try_from(len).unwrap_or_default();
    let more = varint_len(value).saturating_sub(1);
    out.resize(behind.saturating_add(more), 0);
    out.copy_within(start..behind, start.saturating_add(more));
    let room = out.get_mut(start.saturating_sub(1)..).unwrap_or_default();
    let written = Writer::new(room).write_varint(value);
    debug_assert!(written.is_ok(), "the content is behind it");
}

#[inline]
fn put_varint(out: &mut Vec<u8>, value: u64) {
    let mut rest = value;
    while rest >= 0x80 {
        let [low, ..] = rest.to_le_bytes();
        out.push(low | 0x80);
        rest >>= 7;
    }
    let [low, ..] = rest.to_le_bytes();
    out.push(low);
}

/// The value of decimal digits, of which there must be one at least.
fn magnitude(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |value, &digit| {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// The value of a hexadecimal digit; 16 and above if it is none. From a table, because the digits of ids
/// are random, and a branch would be predicted wrong as often as not.
fn hex_digit(digit: u8) -> u8 {
    HEX_DIGITS.get(usize::from(digit)).copied().unwrap_or_else(impossible)
}

static HEX_DIGITS: [u8; 256] = {
    let mut digits = [0xff; 256];
    let mut rest: &mut [u8] = &mut digits;
    let mut byte = 0_u8;
    while let Some((value, tail)) = rest.split_first_mut() {
        *value = match byte {
            b'0'..=b'9' => byte.wrapping_sub(b'0'),
            b'a'..=b'f' => byte.wrapping_sub(b'a').wrapping_add(10),
            b'A'..=b'F' => byte.wrapping_sub(b'A').wrapping_add(10),
            _ => 0xff,
        };
        byte = byte.wrapping_add(1);
        rest = tail;
    }
    digits
};

/// A type of whole numbers.
trait Integer: Sized {
    /// The number, if it is one of the type's.
    fn from_sign_and_magnitude(is_negative: bool, magnitude: u64) -> Option<Self>;
}

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl Integer for $integer {
            fn from_sign_and_magnitude(is_negative: bool, magnitude: u64) -> Option<Self> {
                let value = i128::from(magnitude);
                Self::try_from(if is_negative { value.wrapping_neg() } else { value }).ok()
            }
        }
    )*};
}

integers!(i32 i64 u32 u64);
