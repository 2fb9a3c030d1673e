//! OTLP metrics as remote write.

mod buckets;
mod labels;
mod loss;
mod name;
mod name_cache;
mod settings;
mod translated;
mod translator;

pub use loss::{Loss, LossKind};
pub use name::{TranslationStrategy, UnknownStrategy};
pub use settings::{Promotion, Settings};
pub use translated::Translated;
pub use translator::Translator;
