//! Limits: of all, and of single tenants.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use axum::http::HeaderMap;
use borrowire::body::BodyLimits;
use borrowire::receive::ReceiveError;
use borrowire::remote_write::{v1, v2};
use borrowire::{Limits, loki};
use bytesize::ByteSize;
use clap::{Args, value_parser};
use serde::Deserialize;

/// What Mimir and Loki call the tenant when there is none.
pub const ANONYMOUS: &str = "anonymous";

/// The header of Mimir and Loki that says whose request it is.
const TENANT: &str = "x-scope-orgid";

/// The longest tenant that Mimir takes.
const MAX_TENANT_BYTES: usize = 150;

/// What the receiver as a whole may need.
#[derive(Args, Clone, Debug)]
pub struct ServerOptions {
    /// How many connections may be open; one more is answered with 503. Where the system allows
    /// fewer open files, it is as many as it allows
    #[arg(
        long,
        value_name = "N",
        default_value_t = 8192,
        value_parser = value_parser!(u32).range(1..)
    )]
    pub max_connections: u32,

    /// Memory for the bodies of all requests in flight; what is over it is answered with 503
    #[arg(long, value_name = "BYTES", default_value = "512MiB")]
    pub max_in_flight_bytes: ByteSize,

    /// Seconds in which a connection must send the head of a request: its first, or its next one
    #[arg(
        long,
        value_name = "N",
        default_value_t = 90,
        value_parser = value_parser!(u64).range(1..=86_400)
    )]
    pub head_timeout: u64,

    /// Seconds in which a request must send its body
    #[arg(
        long,
        value_name = "N",
        default_value_t = 60,
        value_parser = value_parser!(u64).range(1..=86_400)
    )]
    pub body_timeout: u64,
}

impl ServerOptions {
    /// `head_timeout`.
    #[must_use]
    pub fn head_timeout(&self) -> Duration {
        Duration::from_secs(self.head_timeout)
    }

    /// `body_timeout`.
    #[must_use]
    pub fn body_timeout(&self) -> Duration {
        Duration::from_secs(self.body_timeout)
    }
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            max_connections: 8192,
            max_in_flight_bytes: ByteSize::mib(512),
            head_timeout: 90,
            body_timeout: 60,
        }
    }
}

/// What one request may need.
#[derive(Args, Clone, Debug, Default)]
pub struct RequestOptions {
    #[command(flatten)]
    limits: RequestLimits,

    /// Limits of single tenants, in place of those above: {"TENANT": {"max-series": 1000, ..}, ..}
    #[arg(long, value_name = "FILE")]
    tenants: Option<PathBuf>,
}

/// The limits on one request, as a user states them. What is not stated has a default.
#[derive(Args, Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct RequestLimits {
    /// Size of a body as it is sent [default: 117MiB]
    #[arg(long, value_name = "BYTES")]
    pub max_body_bytes: Option<ByteSize>,

    /// Size of a body once decompressed [default: 100MiB]
    #[arg(long, value_name = "BYTES")]
    pub max_decompressed_bytes: Option<ByteSize>,

    /// Text that a request of remote write 2.0 stands for, each use of a symbol counted
    /// [default: 64MiB]
    #[arg(long, value_name = "BYTES")]
    pub max_expanded_bytes: Option<ByteSize>,

    /// Series, or streams, of a request [default: 500000]
    #[arg(long, value_name = "N")]
    pub max_series: Option<usize>,

    /// All that a request holds: series, labels, samples, log lines and so on [default: 4000000]
    #[arg(long, value_name = "N")]
    pub max_elements: Option<usize>,
}

impl RequestLimits {
    /// These, and what they do not state as `others` have it.
    fn or(self, others: Self) -> Self {
        Self {
            max_body_bytes: self.max_body_bytes.or(others.max_body_bytes),
            max_decompressed_bytes: self.max_decompressed_bytes.or(others.max_decompressed_bytes),
            max_expanded_bytes: self.max_expanded_bytes.or(others.max_expanded_bytes),
            max_series: self.max_series.or(others.max_series),
            max_elements: self.max_elements.or(others.max_elements),
        }
    }
}

/// The same as the library has it.
#[derive(Clone, Copy, Debug)]
pub struct Caps {
    pub body: BodyLimits,
    pub v1: v1::DecodeOptions,
    pub v2: v2::DecodeOptions,
    pub push: loki::DecodeOptions,
}

impl Caps {
    /// The same, for a body that becomes at most so large and stands for at most so much text.
    #[must_use]
    pub fn up_to(mut self, bytes: usize, expanded: Option<u64>) -> Self {
        self.body.max_decompressed_bytes = self.body.max_decompressed_bytes.min(bytes);
        if let Some(expanded) = expanded {
            let text = &mut self.v2.limits.max_expanded_bytes;
            *text = (*text).min(expanded);
        }
        self
    }
}

impl From<RequestLimits> for Caps {
    fn from(limits: RequestLimits) -> Self {
        let bytes = |stated: Option<ByteSize>, default: usize| {
            stated.map_or(default, |ByteSize(bytes)| usize::try_from(bytes).unwrap_or(usize::MAX))
        };
        let body = BodyLimits::new();
        let body = body
            .with_max_compressed_bytes(bytes(limits.max_body_bytes, body.max_compressed_bytes))
            .with_max_decompressed_bytes(bytes(
                limits.max_decompressed_bytes,
                body.max_decompressed_bytes,
            ));
        let series = limits.max_series.unwrap_or(500_000);
        // An element takes up to 32 bytes.
        let elements = limits.max_elements.unwrap_or(4_000_000);
        let expanded = limits.max_expanded_bytes.map(|ByteSize(bytes)| bytes);
        let shared = Limits::new().with_max_elements(elements);
        let shared = shared.with_max_expanded_bytes(expanded.unwrap_or(shared.max_expanded_bytes));
        Self {
            body,
            v1: v1::DecodeOptions::new()
                .with_limits(shared)
                .with_max_timeseries(series)
                .with_max_metadata(series),
            // In 2.0 bad references are the fault of a series: the others are taken.
            v2: v2::DecodeOptions::new()
                .with_partial(true)
                .with_limits(shared)
                .with_max_timeseries(series),
            push: loki::DecodeOptions::new().with_limits(shared).with_max_streams(series),
        }
    }
}

/// Whose request it is, and what that one may.
#[derive(Clone, Debug)]
pub struct Tenant {
    pub name: String,
    pub caps: Caps,
}

/// The caps of all tenants.
#[derive(Clone, Debug)]
pub struct Tenants {
    default: Caps,
    own: HashMap<String, Caps>,
}

impl Default for Tenants {
    fn default() -> Self {
        Self::new(RequestLimits::default())
    }
}

impl Tenants {
    /// The same limits for all.
    #[must_use]
    pub fn new(limits: RequestLimits) -> Self {
        Self { default: limits.into(), own: HashMap::new() }
    }

    /// As the command line says.
    ///
    /// # Errors
    ///
    /// What is wrong with the file of tenants.
    pub fn load(options: &RequestOptions) -> Result<Self> {
        let mut tenants = Self::new(options.limits);
        if let Some(path) = &options.tenants {
            let own = read(path).with_context(|| path.display().to_string())?;
            for (name, limits) in own {
                ensure!(is_tenant(&name), "{}: no tenant: {name:?}", path.display());
                tenants.own.insert(name, limits.or(options.limits).into());
            }
        }
        Ok(tenants)
    }

    /// Whose request it is.
    ///
    /// # Errors
    ///
    /// [`InvalidTenant`](ReceiveError::InvalidTenant) for a name that Mimir would refuse, too, and
    /// for several.
    pub fn of(&self, headers: &HeaderMap) -> Result<Tenant, ReceiveError> {
        let mut lines = headers.get_all(TENANT).iter();
        let name = match (lines.next(), lines.next()) {
            (None, _) => ANONYMOUS,
            (Some(line), None) => line.to_str().map_err(|_| ReceiveError::InvalidTenant)?,
            (Some(_), Some(_)) => return Err(ReceiveError::InvalidTenant),
        };
        if !is_tenant(name) {
            return Err(ReceiveError::InvalidTenant);
        }
        let caps = *self.own.get(name).unwrap_or(&self.default);
        Ok(Tenant { name: name.to_owned(), caps })
    }
}

fn read(path: &Path) -> Result<HashMap<String, RequestLimits>> {
    Ok(serde_json::from_reader(BufReader::new(File::open(path)?))?)
}

/// What Mimir takes: it may end up in a path, or in the key of an object.
fn is_tenant(name: &str) -> bool {
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || b"!-_.*'()".contains(&byte);
    (1..=MAX_TENANT_BYTES).contains(&name.len())
        && name.bytes().all(is_safe)
        && !matches!(name, "." | ".." | "__mimir_cluster")
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn tenants_are_plain_names() {
        let tenants = Tenants::default();
        let of = |lines: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(TENANT, HeaderValue::from_static(line));
            }
            tenants.of(&headers).map(|tenant| tenant.name).ok()
        };
        assert_eq!(of(&[]).as_deref(), Some(ANONYMOUS));
        for name in ["a", "team-a_1", "o'neill(!)*", "..."] {
            assert_eq!(of(&[name]).as_deref(), Some(name));
        }
        for lines in [
            &[""][..],
            &["."],
            &[".."],
            &["../../etc"],
            &["a/b"],
            &["a\\b"],
            &["a|b"],
            &["a b"],
            &["a:b"],
            &["a\tb"],
            &["a", "b"],
            &["a", "a"],
        ] {
            assert_eq!(of(lines), None, "{lines:?}");
        }
        let mut headers = HeaderMap::new();
        headers.insert(TENANT, HeaderValue::from_bytes(b"caf\xc3\xa9").unwrap());
        assert!(tenants.of(&headers).is_err());
        headers.insert(TENANT, HeaderValue::from_str(&"a".repeat(150)).unwrap());
        assert!(tenants.of(&headers).is_ok());
        headers.insert(TENANT, HeaderValue::from_str(&"a".repeat(151)).unwrap());
        assert!(tenants.of(&headers).is_err());
    }

    #[test]
    fn a_tenant_has_limits_of_its_own_and_for_the_rest_those_of_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tenants.json");
        let load = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let limits = RequestLimits { max_elements: Some(7), ..RequestLimits::default() };
            Tenants::load(&RequestOptions { limits, tenants: Some(path.clone()) })
        };
        let tenants = load(r#"{"a": {"max-series": 3, "max-body-bytes": "2MiB"}}"#).unwrap();
        let mut headers = HeaderMap::new();
        headers.insert(TENANT, HeaderValue::from_static("a"));
        let own = tenants.of(&headers).unwrap().caps;
        assert_eq!((own.v1.max_timeseries, own.v1.limits.max_elements), (3, 7));
        assert_eq!(own.body.max_compressed_bytes, 2 << 20);
        let other = tenants.of(&HeaderMap::new()).unwrap().caps;
        assert_eq!((other.v2.max_timeseries, other.v2.limits.max_elements), (500_000, 7));

        for bad in ["{", r#"{"a/b": {}}"#, r#"{"a": {"max-serieses": 3}}"#] {
            let error = load(bad).unwrap_err();
            assert!(format!("{error:#}").contains("tenants.json: "), "{error:#}");
        }
    }
}
