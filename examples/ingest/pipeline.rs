//! One request through all stages, in memory that is used again for the next one.

use std::time::{Duration, Instant};

use borrowire::Encode;
use borrowire::remote_write::v1::{Rules, WriteRequest, WriteRequestDecoder};

use super::allocations::count_allocations;
use super::encoding::{Decompressor, Encoding};

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

impl Meter for PerStage<Duration> {
    fn measure<T>(&mut self, stage: Stage, run: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let value = run();
        let elapsed = start.elapsed();
        self.update(stage, |time| time + elapsed);
        value
    }
}

/// Heap blocks.
impl Meter for PerStage<u64> {
    fn measure<T>(&mut self, stage: Stage, run: impl FnOnce() -> T) -> T {
        let (value, blocks, _bytes) = count_allocations(run);
        self.update(stage, |sum| sum + blocks);
        value
    }
}

/// What a pass ends with, while it lasts.
pub struct Passed<'p, 'a> {
    /// The body, decompressed.
    pub protobuf: &'a [u8],
    pub request: &'p WriteRequest<'a>,
    /// The request, encoded again.
    pub encoded: &'p [u8],
}

/// Everything a receiver keeps from one request to the next.
#[derive(Default)]
pub struct Pipeline {
    decompressor: Decompressor,
    decoder: WriteRequestDecoder,
    pub rules: Rules,
    out: Vec<u8>,
}

impl Pipeline {
    /// Takes one body through all stages, and shows the result to `look`.
    ///
    /// # Errors
    ///
    /// One line that says which stage failed, and why.
    pub fn pass<R>(
        &mut self,
        encoding: Encoding,
        body: &[u8],
        meter: &mut impl Meter,
        look: impl FnOnce(Passed<'_, '_>) -> R,
    ) -> Result<R, String> {
        let Self { decompressor, decoder, rules, out } = self;
        let protobuf = meter
            .measure(Stage::Decompress, || decompressor.decompress(encoding, body))
            .map_err(|e| format!("decompress: {e}"))?;
        let request = meter
            .measure(Stage::Decode, || decoder.decode(protobuf))
            .map_err(|e| format!("decode: {e}"))?;
        let mut violations = 0_usize;
        meter.measure(Stage::Validate, || {
            request.validate(rules, |_| violations += 1);
        });
        std::hint::black_box(violations);
        let len = meter
            .measure(Stage::Encode, || {
                let len = request.encoded_len();
                if out.len() < len {
                    out.resize(len, 0);
                }
                request.encode(out)
            })
            .map_err(|e| format!("encode: {e}"))?;
        let seen = look(Passed { protobuf, request: &request, encoded: &out[..len] });
        // Giving the storage back is a part of decoding.
        meter.measure(Stage::Decode, || drop(request));
        Ok(seen)
    }
}
