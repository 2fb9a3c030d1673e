//! OTLP metrics as remote write: nothing panics, what is measured is what is written, it can be read, and
//! it is no longer than the settings allow, but for what one point takes.
#![no_main]

use std::cell::RefCell;

use borrowire::Encode;
use borrowire::convert::otlp_remote_write::{Promotion, Settings, Translator};
use borrowire::otlp::DecodeOptions;
use borrowire::otlp::metrics::ExportMetricsServiceRequest;
use borrowire::remote_write::v1::WriteRequest;
use libfuzzer_sys::fuzz_target;

thread_local! {
    /// For the whole run: each input meets what the ones before have left.
    static TRANSLATORS: RefCell<[Translator; 3]> = RefCell::new([
        Translator::new(Settings::prometheus()),
        Translator::new(Settings::mimir().with_min_output(0).with_max_expansion(2)),
        Translator::new(everything()),
    ]);
}

fn everything() -> Settings {
    Settings::prometheus()
        .with_translation_strategy("NoTranslation".parse().expect("it is one"))
        .with_namespace("ns".into())
        .with_external_labels(vec![("job".into(), "ext".into()), ("z".into(), "z".into())])
        .with_promotion(Promotion::AllExcept(vec!["host.name".into()]))
        .with_keep_identifying_resource_attributes(true)
        .with_promote_scope_metadata(true)
        .with_type_and_unit_labels(true)
        .with_convert_histograms_to_nhcb(true)
        .with_allow_delta_temporality(true)
        .with_start_timestamps(true)
        .with_max_value_bytes(100)
}

fuzz_target!(|body: &[u8]| {
    let options = DecodeOptions::new().with_partial(true);
    let Ok(request) = ExportMetricsServiceRequest::decode_with(body, &options) else { return };
    TRANSLATORS.with_borrow_mut(|translators| {
        for translator in translators {
            let mut lost = 0;
            let settings = translator.settings();
            let max = (body.len() * settings.max_expansion).max(settings.min_output);
            let translated = translator.translate(&request, |loss| lost += loss.points);
            let written = translated.encode_to_vec().expect("far from 2 GiB");
            assert_eq!(written.len(), translated.encoded_len());
            // A point's own labels come after the last look at the cap, and metadata.
            assert!(written.len() <= max + 64 * body.len() + (64 << 10));
            let decoded = WriteRequest::decode(&written).expect("it was just written");
            assert_eq!(decoded.timeseries().len(), translated.timeseries_len());
            assert_eq!(decoded.samples_len(), translated.samples_len());
            assert!(lost <= request.data_points_len());
        }
    });
});
