//! What is special in remote write 1.0 and 2.0, and conversions between them.

mod batch;
mod captured;
mod convert;
mod field_reports;
mod numbering;
mod v1_extensions;
mod v1_floods;
mod v2_cases;
mod v2_floods;
mod v2_left_out;
mod v2_records;
mod v2_references;
mod v2_symbolizer;
