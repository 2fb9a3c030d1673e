//! Files that say how OTLP is translated.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Error, Result};
use borrowire::convert::otlp_remote_write::{Promotion, Settings};
use serde::Deserialize;

/// The settings by the names that Prometheus and Mimir have for them; what is left out is as in
/// Mimir.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools, reason = "what the file has")]
struct Otlp {
    translation_strategy: String,
    namespace: String,
    external_labels: BTreeMap<String, String>,
    disable_target_info: bool,
    promote_resource_attributes: Vec<String>,
    promote_all_resource_attributes: bool,
    ignore_resource_attributes: Vec<String>,
    keep_identifying_resource_attributes: bool,
    convert_histograms_to_nhcb: bool,
    promote_scope_metadata: bool,
    type_and_unit_labels: bool,
    label_name_underscore_sanitization: bool,
    label_name_preserve_multiple_underscores: bool,
    allow_delta_temporality: bool,
    lookback_delta_ms: u64,
    start_time: bool,
}

impl Default for Otlp {
    fn default() -> Self {
        Self {
            translation_strategy: Settings::mimir().translation_strategy.to_string(),
            namespace: String::new(),
            external_labels: BTreeMap::new(),
            disable_target_info: false,
            promote_resource_attributes: Vec::new(),
            promote_all_resource_attributes: false,
            ignore_resource_attributes: Vec::new(),
            keep_identifying_resource_attributes: false,
            convert_histograms_to_nhcb: false,
            promote_scope_metadata: false,
            type_and_unit_labels: false,
            label_name_underscore_sanitization: true,
            label_name_preserve_multiple_underscores: true,
            allow_delta_temporality: false,
            lookback_delta_ms: 0,
            start_time: false,
        }
    }
}

/// Reads the settings in a file.
///
/// # Errors
///
/// One line with the file's name.
pub fn read(path: &Path) -> Result<Settings> {
    let read = || -> Result<Settings> {
        let otlp: Otlp = serde_json::from_slice(&fs::read(path)?)?;
        otlp.try_into()
    };
    read().with_context(|| path.display().to_string())
}

impl TryFrom<Otlp> for Settings {
    type Error = Error;

    fn try_from(otlp: Otlp) -> Result<Self> {
        let promotion = if otlp.promote_all_resource_attributes {
            Promotion::AllExcept(otlp.ignore_resource_attributes)
        } else {
            Promotion::List(otlp.promote_resource_attributes)
        };
        Ok(Self::mimir()
            .with_translation_strategy(otlp.translation_strategy.parse()?)
            .with_namespace(otlp.namespace)
            .with_external_labels(otlp.external_labels.into_iter().collect())
            .with_target_info(!otlp.disable_target_info)
            .with_promotion(promotion)
            .with_keep_identifying_resource_attributes(otlp.keep_identifying_resource_attributes)
            .with_convert_histograms_to_nhcb(otlp.convert_histograms_to_nhcb)
            .with_promote_scope_metadata(otlp.promote_scope_metadata)
            .with_type_and_unit_labels(otlp.type_and_unit_labels)
            .with_label_name_underscore_sanitization(otlp.label_name_underscore_sanitization)
            .with_label_name_preserve_multiple_underscores(
                otlp.label_name_preserve_multiple_underscores,
            )
            .with_allow_delta_temporality(otlp.allow_delta_temporality)
            .with_lookback_delta(Duration::from_millis(otlp.lookback_delta_ms))
            .with_start_timestamps(otlp.start_time))
    }
}
