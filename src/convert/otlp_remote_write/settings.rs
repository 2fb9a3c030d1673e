//! How metrics are translated.

use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use super::name::{LabelNaming, TranslationStrategy};

/// How a [`Translator`](super::Translator) makes series of metrics: the settings that Prometheus and
/// Mimir have, under their names, and caps.
///
/// [`prometheus`](Self::prometheus) and [`mimir`](Self::mimir) have the defaults of either.
///
/// ```
/// use borrowire::convert::otlp_remote_write::{Promotion, Settings, TranslationStrategy};
///
/// let settings = Settings::mimir()
///     .with_translation_strategy(TranslationStrategy::NoTranslation)
///     .with_promotion(Promotion::List(vec!["k8s.pod.name".into()]));
/// assert!(settings.target_info);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// What becomes of names.
    pub translation_strategy: TranslationStrategy,
    /// What stands in front of each metric name, with a `_` between; empty for nothing.
    pub namespace: String,
    /// Labels of every series that does not have them already, by name.
    pub external_labels: Vec<(String, String)>,
    /// Which attributes of resources become labels of their series, besides `job` and `instance`.
    pub promotion: Promotion,
    /// Whether the attributes that `job` and `instance` are made of stay in `target_info`.
    pub keep_identifying_resource_attributes: bool,
    /// Whether a scope's name, version, schema URL and attributes become labels `otel_scope_...`.
    pub promote_scope_metadata: bool,
    /// Whether series have the labels `__type__` and `__unit__`.
    pub type_and_unit_labels: bool,
    /// Whether histograms with bounds become native histograms with custom buckets, instead of a
    /// series for each bucket.
    pub convert_histograms_to_nhcb: bool,
    /// Whether a label name with a single leading `_` gets `key` in front. Only where names are
    /// escaped.
    pub label_name_underscore_sanitization: bool,
    /// Whether runs of `_` in label names stay. Only where names are escaped.
    pub label_name_preserve_multiple_underscores: bool,
    /// Whether sums and histograms of delta temporality are translated; else they are refused.
    pub allow_delta_temporality: bool,
    /// Whether series carry the points' start time as `created_timestamp` (Mimir), where that is at
    /// most five minutes before the point.
    pub start_timestamps: bool,
    /// Whether each resource gets a series `target_info` of its attributes.
    pub target_info: bool,
    /// Twice the step between the samples of `target_info`; zero stands for five minutes.
    pub lookback_delta: Duration,
    /// Samples of `target_info` that one resource may have: those of the largest times are kept.
    /// A body of two points can ask for millions. Default: 1,024, two and a half minutes each.
    pub max_target_info_samples: usize,
    /// Bytes that may come out for each byte that went in, above [`min_output`](Self::min_output).
    /// Honest bodies grow up to 17 times. Default: 100.
    pub max_expansion: usize,
    /// Bytes that may come out whatever went in. Default: 16 MiB.
    pub min_output: usize,
    /// Bytes of text that one value may become: see
    /// [`AnyValue::as_string`](crate::otlp::AnyValue::as_string). Default: 1 MiB.
    pub max_value_bytes: usize,
}

/// Which attributes of a resource become labels of all its series. Attributes go by their own names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Promotion {
    /// None.
    #[default]
    None,
    /// These.
    List(Vec<String>),
    /// All but these.
    AllExcept(Vec<String>),
}

impl Promotion {
    pub(super) fn promotes(&self, name: &str) -> bool {
        match self {
            Self::None => false,
            Self::List(names) => names.iter().any(|listed| listed == name),
            Self::AllExcept(names) => !names.iter().any(|listed| listed == name),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::prometheus()
    }
}

macro_rules! setters {
    ($($with:ident, $field:ident: $kind:ty;)*) => {$(
        #[doc = concat!("Sets [`", stringify!($field), "`](Self::", stringify!($field), ").")]
        #[must_use]
        pub fn $with(mut self, $field: $kind) -> Self {
            self.$field = $field;
            self
        }
    )*};
}

impl Settings {
    /// The defaults of Prometheus: names escaped, with suffixes.
    #[must_use]
    pub const fn prometheus() -> Self {
        Self {
            translation_strategy: TranslationStrategy::UnderscoreEscapingWithSuffixes,
            namespace: String::new(),
            external_labels: Vec::new(),
            promotion: Promotion::None,
            keep_identifying_resource_attributes: false,
            promote_scope_metadata: false,
            type_and_unit_labels: false,
            convert_histograms_to_nhcb: false,
            label_name_underscore_sanitization: true,
            label_name_preserve_multiple_underscores: true,
            allow_delta_temporality: false,
            start_timestamps: false,
            target_info: true,
            lookback_delta: Duration::ZERO,
            max_target_info_samples: 1024,
            max_expansion: 100,
            min_output: 16 << 20,
            max_value_bytes: 1 << 20,
        }
    }

    /// The defaults of Mimir: as Prometheus, without suffixes.
    #[must_use]
    pub const fn mimir() -> Self {
        let mut settings = Self::prometheus();
        settings.translation_strategy = TranslationStrategy::UnderscoreEscapingWithoutSuffixes;
        settings
    }

    /// As Cortex was for long: all attributes of resources are labels, and there is no `target_info`.
    #[must_use]
    pub fn cortex() -> Self {
        Self {
            promotion: Promotion::AllExcept(Vec::new()),
            target_info: false,
            ..Self::prometheus()
        }
    }

    setters! {
        with_translation_strategy, translation_strategy: TranslationStrategy;
        with_namespace, namespace: String;
        with_external_labels, external_labels: Vec<(String, String)>;
        with_promotion, promotion: Promotion;
        with_keep_identifying_resource_attributes, keep_identifying_resource_attributes: bool;
        with_promote_scope_metadata, promote_scope_metadata: bool;
        with_type_and_unit_labels, type_and_unit_labels: bool;
        with_convert_histograms_to_nhcb, convert_histograms_to_nhcb: bool;
        with_label_name_underscore_sanitization, label_name_underscore_sanitization: bool;
        with_label_name_preserve_multiple_underscores, label_name_preserve_multiple_underscores: bool;
        with_allow_delta_temporality, allow_delta_temporality: bool;
        with_start_timestamps, start_timestamps: bool;
        with_target_info, target_info: bool;
        with_lookback_delta, lookback_delta: Duration;
        with_max_target_info_samples, max_target_info_samples: usize;
        with_max_expansion, max_expansion: usize;
        with_min_output, min_output: usize;
        with_max_value_bytes, max_value_bytes: usize;
    }

    pub(super) const fn label_naming(&self) -> LabelNaming {
        LabelNaming {
            utf8: !self.translation_strategy.escapes(),
            sanitize_underscore: self.label_name_underscore_sanitization,
            preserve_underscores: self.label_name_preserve_multiple_underscores,
        }
    }

    /// Nanoseconds between two samples of `target_info`.
    pub(super) fn target_info_step(&self) -> i64 {
        let lookback = if self.lookback_delta.is_zero() {
            Duration::from_secs(5 * 60)
        } else {
            self.lookback_delta
        };
        i64::try_from(lookback.as_nanos() / 2).unwrap_or(i64::MAX).max(1)
    }
}
