#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| borrowire_fuzz::selector(text));
