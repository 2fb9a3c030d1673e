#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| borrowire_fuzz::kafka(bytes));
