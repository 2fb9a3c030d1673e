#![no_main]

libfuzzer_sys::fuzz_target!(|body: &[u8]| borrowire_fuzz::remote_write_v2(body));
