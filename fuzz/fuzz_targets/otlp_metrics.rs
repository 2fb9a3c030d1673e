#![no_main]

libfuzzer_sys::fuzz_target!(|body: &[u8]| borrowire_fuzz::request::<borrowire_fuzz::OtlpMetrics>(
    body
));
