//! A user of the library without an operating system: a gateway that takes requests of remote write
//! 1.0 and passes on, as 2.0, what is of interest.
//!
//! It is built for targets without `std` and tested on 32 bits, so that what the library says of both
//! is tried, and not only compiled:
//!
//! ```text
//! cargo build --package borrowire-no-std --target thumbv7em-none-eabihf
//! cargo test --package borrowire-no-std --target i686-unknown-linux-musl
//! ```

#![no_std]
#![forbid(unsafe_code)]

use borrowire::remote_write::TimeSeries;
use borrowire::remote_write::v1::{DecodeOptions, WriteRequest};
use borrowire::remote_write::v2::{Symbolizer, TooManySymbols};
use borrowire::reuse::Decoder;
use borrowire::{DecodeError, Encode, EncodeError, Limits};

/// Storage that is used again for each request.
#[derive(Debug)]
pub struct Gateway {
    decoder: Decoder<WriteRequest<'static>>,
    symbolizer: Symbolizer,
}

/// Why a request was not passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatewayError {
    /// It is no request, or is over what fits here.
    Decode(DecodeError),
    /// What would be passed on does not fit into the caller's memory.
    Encode(EncodeError),
    /// It has more texts than numbers go.
    TooManySymbols,
}

impl From<DecodeError> for GatewayError {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}

impl From<EncodeError> for GatewayError {
    fn from(error: EncodeError) -> Self {
        Self::Encode(error)
    }
}

impl From<TooManySymbols> for GatewayError {
    fn from(_: TooManySymbols) -> Self {
        Self::TooManySymbols
    }
}

impl Gateway {
    /// A gateway that takes requests of up to 64 KiB and 4,096 elements: 200 KiB of storage at most.
    #[must_use]
    pub fn new() -> Self {
        let limits = Limits::new().with_max_message_bytes(64 << 10).with_max_elements(4096);
        let decoder = Decoder::new().with_options(DecodeOptions::new().with_limits(limits));
        Self { decoder, symbolizer: Symbolizer::new() }
    }

    /// Writes those series of `body` that `is_of_interest`, as a request of 2.0, to the front of
    /// `out`. Returns how many bytes that are.
    ///
    /// # Errors
    ///
    /// If `body` is no request of 1.0, or `out` is too short.
    pub fn pass_on(
        &mut self,
        body: &[u8],
        is_of_interest: impl Fn(&TimeSeries<'_, '_>) -> bool + Copy,
        out: &mut [u8],
    ) -> Result<usize, GatewayError> {
        let request = self.decoder.decode(body)?;
        let timeseries = request.timeseries().iter().filter(is_of_interest);
        Ok(self.symbolizer.symbolize(timeseries)?.encode(out)?)
    }
}

impl Default for Gateway {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use borrowire::remote_write::v1::WriteRequestEncoder;
    use borrowire::remote_write::v2::Request;
    use borrowire::remote_write::{Label, Sample};
    use borrowire::{DecodeErrorKind, EncodeErrorKind};

    #[test]
    fn what_is_of_interest_is_passed_on() {
        let names = ["up", "go_goroutines", "temperature"];
        let labels = names.map(|name| [Label::new("__name__", name), Label::new("job", "node")]);
        let samples = [Sample::new(21.5, 1_700_000_000_000), Sample::new(f64::MAX, i64::MAX)];
        let series = labels.each_ref().map(|labels| TimeSeries::new(labels).with_samples(&samples));
        let body = WriteRequestEncoder::new(series).encode_to_vec().unwrap();

        let (mut gateway, mut out) = (Gateway::new(), [0; 256]);
        for _ in 0..3 {
            let is_of_interest =
                |series: &TimeSeries<'_, '_>| series.metric_name() != Some("go_goroutines");
            let len = gateway.pass_on(&body, is_of_interest, &mut out).unwrap();
            let request = Request::decode(&out[..len]).unwrap();
            let passed_on = request.timeseries().iter().map(|series| {
                assert_eq!(series.samples(), samples);
                series.metric_name().unwrap()
            });
            assert!(passed_on.eq(["up", "temperature"]));
        }
        // What does not fit, cannot be read, or is over a limit leaves the gateway usable.
        let error = gateway.pass_on(&body, |_| true, &mut [0; 8]).unwrap_err();
        assert!(
            matches!(error, GatewayError::Encode(e) if e.kind() == EncodeErrorKind::BufferTooSmall)
        );
        let error = gateway.pass_on(&body[1..], |_| true, &mut out).unwrap_err();
        assert!(matches!(error, GatewayError::Decode(_)));
        let flood = b"\x0a\x00".repeat(5000);
        let error = gateway.pass_on(&flood, |_| true, &mut out).unwrap_err();
        assert!(
            matches!(error, GatewayError::Decode(e) if e.kind() == DecodeErrorKind::LimitExceeded)
        );
        assert!(gateway.pass_on(&body, |_| false, &mut out).is_ok());
    }
}
