//! After the first requests, OTLP metrics become remote write without an allocation.

use borrowire::Encode;
use borrowire::convert::otlp_remote_write::{Promotion, Settings, Translator};
use borrowire::otlp::metrics::ExportMetricsServiceRequest;
use borrowire::reuse::Decoder;

use crate::heap;

pub fn run() {
    let _profiler = heap::profiler();
    let bodies = [
        &include_bytes!("../fixtures/otelcol-otlp-none/otelcol-otlp-none-002.body")[..],
        include_bytes!("../fixtures/k6-otlp/k6-otlp-002.body"),
    ];
    // All that makes labels, and names that are not in the settings' defaults.
    let everything = Settings::prometheus()
        .with_promotion(Promotion::AllExcept(vec!["host.name".into()]))
        .with_external_labels(vec![("cluster".into(), "eu".into())])
        .with_keep_identifying_resource_attributes(true)
        .with_promote_scope_metadata(true)
        .with_type_and_unit_labels(true)
        .with_convert_histograms_to_nhcb(true)
        .with_allow_delta_temporality(true)
        .with_start_timestamps(true);
    let mut out = vec![0; 1 << 20];
    for settings in [Settings::prometheus(), Settings::mimir(), everything] {
        let mut translator = Translator::new(settings);
        let mut decoder = Decoder::<ExportMetricsServiceRequest<'_>>::new();
        let mut translate_all = || {
            for body in &bodies {
                let request = decoder.decode(body).unwrap();
                let translated = translator.translate(&request, |_| {});
                assert!(translated.encode(&mut out).unwrap() > 0);
            }
        };
        translate_all();
        translate_all();
        assert_eq!(heap::blocks(translate_all), 0);
    }
}
