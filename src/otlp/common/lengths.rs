//! Writing messages in messages without measuring them at each level: lengths are guessed from the
//! message of the same kind before, and put right once the content is written.

use crate::wire::message::Encode;
use crate::wire::{BufferFull, Tag, Writer, varint_len};

/// Up to here from the end of the buffer a wrong guess could make the content not fit, so that messages
/// are measured.
const NEAR_END: usize = 4 << 10;

/// How many bytes the length of a message takes, as far as that can be known in advance.
#[derive(Clone, Copy)]
pub(in crate::otlp) struct Guess {
    width: usize,
    /// Whether only guesses are allowed that are never too large.
    narrow: bool,
}

impl Guess {
    pub(in crate::otlp) const fn new(narrow: bool) -> Self {
        Self { width: 1, narrow }
    }

    /// Writes a message field whose content `write` writes, and which `measure` measures if it must be.
    #[inline]
    pub(in crate::otlp) fn write(
        self,
        writer: &mut Writer<'_>,
        tag: Tag,
        measure: impl FnOnce() -> usize,
        write: impl FnOnce(&mut Writer<'_>) -> Result<(), BufferFull>,
    ) -> Result<Self, BufferFull> {
        let mut width = if self.narrow {
            1
        } else if writer.remaining() < NEAR_END {
            varint_len(u64::try_from(measure()).unwrap_or(u64::MAX))
        } else {
            self.width
        };
        writer.write_nested(tag, &mut width, write)?;
        Ok(Self { width, ..self })
    }

    /// Writes a message without messages of unbounded size in it.
    #[inline]
    pub(in crate::otlp) fn write_message(
        &mut self,
        writer: &mut Writer<'_>,
        tag: Tag,
        message: &impl Encode,
    ) -> Result<(), BufferFull> {
        let written =
            self.write(writer, tag, || message.encoded_len(), |writer| message.write_to(writer))?;
        *self = written;
        Ok(())
    }
}

/// Writes with guesses, and where these left too little room, with none that are too large.
pub(in crate::otlp) fn write_guessing(
    writer: &mut Writer<'_>,
    write: impl Fn(&mut Writer<'_>, Guess) -> Result<(), BufferFull>,
) -> Result<(), BufferFull> {
    writer
        .attempt(|writer| write(writer, Guess::new(false)))
        .or_else(|BufferFull| write(writer, Guess::new(true)))
}
