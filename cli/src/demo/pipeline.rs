//! One request through all stages, in memory that is used again for the next one.

use std::time::{Duration, Instant};

use anyhow::Result;
use borrowire::{Encode, EncodeError};

use super::allocations::count_blocks;
use super::report::Contents;
use crate::arguments::RequestKind;
use crate::fixtures::Golden;

/// What is measured, in this order.
#[derive(Clone, Copy)]
pub enum Stage {
    Decompress,
    Decode,
    Validate,
    Encode,
}

impl Stage {
    pub const ALL: [Self; 4] = [Self::Decompress, Self::Decode, Self::Validate, Self::Encode];

    pub fn name(self) -> &'static str {
        match self {
            Self::Decompress => "decompress",
            Self::Decode => "decode",
            Self::Validate => "validate",
            Self::Encode => "encode",
        }
    }
}

/// One value per stage.
#[derive(Clone, Copy, Debug, Default)]
pub struct PerStage<T>([T; 4]);

impl<T: Copy> PerStage<T> {
    pub fn get(&self, stage: Stage) -> T {
        self.0[stage as usize]
    }

    pub fn update(&mut self, stage: Stage, f: impl FnOnce(T) -> T) {
        self.0[stage as usize] = f(self.get(stage));
    }
}

/// Watches the stages of a pass. A stage may come in several parts.
pub trait Meter {
    fn measure<T>(&mut self, stage: Stage, run: impl FnOnce() -> T) -> T;
}

/// Watches nothing.
pub struct Unmetered;

impl Meter for Unmetered {
    fn measure<T>(&mut self, _: Stage, run: impl FnOnce() -> T) -> T {
        run()
    }
}

/// Takes the time.
impl Meter for PerStage<Duration> {
    fn measure<T>(&mut self, stage: Stage, run: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let value = run();
        let elapsed = start.elapsed();
        self.update(stage, |time| time + elapsed);
        value
    }
}

/// Counts heap blocks.
impl Meter for PerStage<usize> {
    fn measure<T>(&mut self, stage: Stage, run: impl FnOnce() -> T) -> T {
        let (value, blocks) = count_blocks(run);
        self.update(stage, |sum| sum + blocks);
        value
    }
}

/// A request as it leaves the decompressor.
#[derive(Clone, Copy)]
pub struct Message<'a> {
    pub bytes: &'a [u8],
    /// Whether it is the protocol's JSON form, and no protobuf.
    pub is_json: bool,
}

/// Everything that a receiver of one protocol keeps from one request to the next.
pub trait Pipeline: Default {
    const KIND: RequestKind;

    /// Takes a message through all stages but the decompressor.
    ///
    /// # Errors
    ///
    /// Which stage failed, and why.
    fn pass(&mut self, message: Message<'_>, meter: &mut impl Meter) -> Result<()>;

    /// Takes a message through the stages, compares what comes out with what should, and counts
    /// what is in it.
    ///
    /// # Errors
    ///
    /// What failed, or what differs.
    fn check(&mut self, message: Message<'_>, golden: Option<&Golden>) -> Result<Contents>;
}

/// Encodes to the front of `out`, which grows if it must, and returns the length.
pub fn encode(message: &impl Encode, out: &mut Vec<u8>) -> Result<usize, EncodeError> {
    let len = message.encoded_len();
    if out.len() < len {
        out.resize(len, 0);
    }
    message.encode(out)
}
