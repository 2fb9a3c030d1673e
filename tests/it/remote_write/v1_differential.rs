//! The same bytes read, and the same values written, by this crate and by prost.

use borrowire::proto::prometheus as proto;
use borrowire::remote_write::v1::{EncodeOptions, WriteRequest};
use borrowire::remote_write::{Extensions, RequestSource};
use borrowire::{DecodeError, Encode};
use proptest::prelude::*;
use prost::Message;

use crate::support::oracle::{self, Used};
use crate::support::proto::{cortexpb, mimirpb};
use crate::support::{bytes, generate};

/// Decodes in every way, and compares with prost.
fn check<'a>(body: &'a [u8], used: &mut Used) -> Result<WriteRequest<'a>, DecodeError> {
    let ours = oracle::decode(body, used);
    oracle::prost::check(body, ours.as_ref().map_err(|error| *error));
    if let Ok(request) = &ours {
        oracle::round_trip(request);
    }
    ours
}

/// Decoders that have seen something of everything.
fn used() -> Used {
    let mut used = Used::new();
    for (_, body) in bytes::small_bodies() {
        check(&body, &mut used).unwrap();
    }
    used
}

proptest! {
    #[test]
    fn what_prost_writes_is_read_as_it_was(generated in generate::request()) {
        let body = generated.encode_to_vec();
        check(&body, &mut used()).unwrap();
    }

    #[test]
    fn canonical_bytes_are_read_and_written_back(generated in generate::request()) {
        let body = generate::canonical(&generated);
        let request = check(&body, &mut used()).unwrap();
        oracle::prost::assert_same(&request, &generated);
        prop_assert!(!request.has_unknown_fields());
        prop_assert_eq!(request.extensions(), Extensions::new());
        prop_assert_eq!(request.encode_to_vec().unwrap(), body);
    }

    #[test]
    fn conversions_keep_every_bit(generated in generate::request()) {
        let request = WriteRequest::from_prost(&generated);
        oracle::prost::assert_same(&request, &generated);
        prop_assert_eq!(request.encode_to_vec().unwrap(), generate::canonical(&generated));
        prop_assert_eq!(request.raw_timeseries(0), None);
        let back = proto::WriteRequest::from(&request);
        oracle::prost::assert_same(&request, &back);
    }

    #[test]
    fn disordered_fields_are_read_as_prost_reads_them(body in generate::disordered()) {
        check(&body, &mut used()).unwrap();
    }

    #[test]
    fn extensions_of_cortex_are_read_and_written_on_demand(
        generated in generate::request(),
        flags in any::<[bool; 4]>(),
        source in any::<i32>(),
        times in any::<Vec<i64>>(),
    ) {
        // The same wire format: prost carries the content over.
        let mut cortex = cortexpb::WriteRequest::decode(&generated.encode_to_vec()[..]).unwrap();
        cortex.source = source;
        cortex.skip_label_name_validation = flags[0];
        cortex.discard_out_of_order = flags[1];
        cortex.r#ref = flags[2].then_some(cortexpb::MessageWithBufRef {});
        let mut times = times.into_iter().cycle();
        for series in &mut cortex.timeseries {
            for sample in &mut series.samples {
                sample.start_timestamp_ms = times.next().unwrap_or(7);
            }
            for histogram in &mut series.histograms {
                histogram.start_timestamp_ms = times.next().unwrap_or(-7);
            }
        }
        let body = cortex.encode_to_vec();
        let request = check(&body, &mut used()).unwrap();

        let extensions = request.extensions();
        let options = EncodeOptions::new().with_extensions(extensions);
        prop_assert_eq!(extensions.source, RequestSource(source));
        prop_assert_eq!(extensions.skip_label_validation, flags[0]);
        prop_assert_eq!(extensions.discard_out_of_order, flags[1]);
        prop_assert!(!extensions.skip_label_count_validation);
        for (ours, theirs) in request.timeseries().iter().zip(&cortex.timeseries) {
            let starts = ours.samples().iter().map(|sample| sample.start_timestamp);
            prop_assert!(starts.eq(theirs.samples.iter().map(|sample| sample.start_timestamp_ms)));
            let starts = ours.histograms().into_iter().map(|histogram| histogram.start_timestamp);
            prop_assert!(starts.eq(theirs.histograms.iter().map(|h| h.start_timestamp_ms)));
        }

        // Handed over, they reach Cortex again; prost drops -0.0, so bytes are compared as it writes them.
        let encoder = request.encoder().with_options(options.with_start_timestamps(true));
        let written = cortexpb::WriteRequest::decode(&encoder.encode_to_vec().unwrap()[..]).unwrap();
        cortex.r#ref = None;
        prop_assert_eq!(written.encode_to_vec(), cortex.encode_to_vec());
        // Otherwise the bytes are those of the plain request.
        prop_assert_eq!(request.encode_to_vec().unwrap(), plain(&generated));
    }

    #[test]
    fn extensions_of_mimir_are_read_and_written_on_demand(
        generated in generate::request(),
        flags in any::<[bool; 2]>(),
        source in any::<i32>(),
        times in any::<Vec<i64>>(),
    ) {
        let mut mimir = mimirpb::WriteRequest::decode(&generated.encode_to_vec()[..]).unwrap();
        mimir.source = source;
        mimir.skip_label_validation = flags[0];
        mimir.skip_label_count_validation = flags[1];
        let mut times = times.into_iter().cycle();
        for series in &mut mimir.timeseries {
            series.created_timestamp = times.next().unwrap_or(5);
        }
        let body = mimir.encode_to_vec();
        let request = check(&body, &mut used()).unwrap();

        let extensions = request.extensions();
        let options = EncodeOptions::new().with_extensions(extensions);
        prop_assert_eq!(extensions.source, RequestSource(source));
        prop_assert_eq!(extensions.skip_label_validation, flags[0]);
        prop_assert_eq!(extensions.skip_label_count_validation, flags[1]);
        let created = request.timeseries().into_iter().map(|series| series.created_timestamp());
        prop_assert!(created.eq(mimir.timeseries.iter().map(|series| series.created_timestamp)));
        prop_assert!(!request.has_unknown_fields());

        let encoder = request.encoder().with_options(options.with_start_timestamps(true));
        let written = mimirpb::WriteRequest::decode(&encoder.encode_to_vec().unwrap()[..]).unwrap();
        prop_assert_eq!(written.encode_to_vec(), mimir.encode_to_vec());
        prop_assert_eq!(request.encode_to_vec().unwrap(), plain(&generated));
        // The flags without the series' own extension.
        let encoder = request.encoder().with_options(options);
        let written = mimirpb::WriteRequest::decode(&encoder.encode_to_vec().unwrap()[..]).unwrap();
        prop_assert!(written.timeseries.iter().all(|series| series.created_timestamp == 0));
        prop_assert_eq!(written.source, source);
    }
}

/// What remains of a request after prost has written it: -0.0 is lost.
fn plain(generated: &proto::WriteRequest) -> Vec<u8> {
    generate::canonical(&proto::WriteRequest::decode(&generated.encode_to_vec()[..]).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn changed_bytes_are_refused_or_read_as_prost_does(
        body in generate::mutated(prop_oneof![
            4 => generate::small_body(),
            1 => generate::request().prop_map(|request| request.encode_to_vec()),
            2 => generate::disordered(),
        ]),
        next in generate::small_body(),
    ) {
        let mut used = Used::new();
        let _ = check(&next, &mut used).unwrap();
        let _ = check(&body, &mut used);
        // Whatever that was, the next request is read as ever.
        check(&next, &mut used).unwrap();
    }
}
