//! Remote write 1.0 and 2.0, and conversions between them.

mod convert;
mod field_reports;
mod v1_differential;
mod v1_fixtures;
mod v1_hostile;
mod v2_cases;
mod v2_differential;
mod v2_fixtures;
mod v2_hostile;
mod v2_symbolizer;
