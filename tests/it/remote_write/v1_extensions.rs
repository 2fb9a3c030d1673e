//! Fields that Cortex and Mimir add to 1.0: read, and written on demand.

use borrowire::Encode;
use borrowire::proto::prometheus as proto;
use borrowire::remote_write::RequestSource;
use borrowire::remote_write::v1::{EncodeOptions, WriteRequest};
use proptest::prelude::*;
use prost::Message;

use crate::support::generate::remote_write_v1 as generate;
use crate::support::proto::{cortexpb, mimirpb};

proptest! {
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
        let request = WriteRequest::decode(&body).unwrap();

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
        let request = WriteRequest::decode(&body).unwrap();

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
