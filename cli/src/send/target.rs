//! A receiver, over HTTP/1.1.

use std::time::Duration;

use anyhow::{Result, ensure};
use ureq::Agent;
use ureq::http::header::RETRY_AFTER;
use ureq::http::{HeaderMap, HeaderName, HeaderValue, Uri};

use crate::arguments::RequestKind;

/// How long an answer may take: as long as Prometheus waits.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How much of an answer's text is looked at.
const MAX_TEXT_BYTES: u64 = 64 << 10;

/// Where to post, and what headers to post with.
#[derive(Clone, Debug)]
pub struct Target {
    pub url: String,
    pub headers: HeaderMap,
}

/// What a receiver answered.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
}

impl Target {
    /// The receiver at `url`. Without a path it is where the protocol's own server has it.
    ///
    /// # Errors
    ///
    /// When it is no URL.
    pub fn new(url: &str, kind: RequestKind, headers: HeaderMap) -> Result<Self> {
        let uri: Uri = url.parse()?;
        ensure!(
            matches!(uri.scheme_str(), Some("http" | "https")),
            "http:// or https:// is missing"
        );
        let path = match kind {
            RequestKind::LokiPush => "/loki/api/v1/push",
            RequestKind::RemoteWriteV1 | RequestKind::RemoteWriteV2 => "/api/v1/write",
        };
        let is_bare = matches!(uri.path(), "" | "/") && uri.query().is_none();
        let url = if is_bare { format!("{}{path}", url.trim_end_matches('/')) } else { url.into() };
        Ok(Self { url, headers })
    }

    /// A connection to it, which is kept from one request to the next.
    #[must_use]
    pub fn connect(&self) -> Connection<'_> {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // A redirect would become a GET.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_global(Some(TIMEOUT))
            .user_agent(concat!("borrowire/", env!("CARGO_PKG_VERSION")))
            .build();
        Connection { target: self, agent: config.into() }
    }
}

/// A connection to a target.
#[derive(Debug)]
pub struct Connection<'t> {
    target: &'t Target,
    agent: Agent,
}

impl Connection<'_> {
    /// Posts a body.
    ///
    /// # Errors
    ///
    /// When there is no answer.
    pub fn post(&self, body: &[u8]) -> Result<Answer, ureq::Error> {
        let mut request = self.agent.post(&self.target.url);
        for (name, value) in &self.target.headers {
            request = request.header(name, value);
        }
        let mut response = request.send(body)?;
        let text = response.body_mut().with_config().limit(MAX_TEXT_BYTES).lossy_utf8(true);
        // What is there is enough; the connection is not used again then.
        let text = text.read_to_string().unwrap_or_default();
        Ok(Answer { status: response.status().as_u16(), headers: response.headers().clone(), text })
    }
}

impl Answer {
    /// Whether the request was taken.
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether to send the same again: the receiver is in trouble, or the sender too fast.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.status == 429 || self.status >= 500
    }

    /// When to send it again, if the receiver says so in seconds.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        let seconds = self.headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
        Some(Duration::from_secs(seconds))
    }

    /// A header that is a number.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u64> {
        self.headers.get(name)?.to_str().ok()?.parse().ok()
    }
}

/// A header as it is on a command line: `NAME: VALUE`.
///
/// # Errors
///
/// When it is none.
pub fn parse_header(text: &str) -> Result<(HeaderName, HeaderValue)> {
    let (name, value) = text.split_once(':').unwrap_or((text, ""));
    Ok((name.trim().parse()?, value.trim().parse()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_without_a_path_has_the_protocol_s() {
        let url = |url, kind| Target::new(url, kind, HeaderMap::new()).map(|target| target.url);
        let (write, push) = (RequestKind::RemoteWriteV2, RequestKind::LokiPush);
        assert_eq!(url("http://a:1", write).unwrap(), "http://a:1/api/v1/write");
        assert_eq!(url("http://a:1/", push).unwrap(), "http://a:1/loki/api/v1/push");
        assert_eq!(url("http://a/b/api/v1/push?c=d", write).unwrap(), "http://a/b/api/v1/push?c=d");
        for bad in ["", "a:1", "127.0.0.1:9009", "ftp://a", "/api/v1/write"] {
            assert!(url(bad, write).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_sent_again_is_what_the_specification_says() {
        let answer = |status, after: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, after.parse().unwrap());
            Answer { status, headers, text: String::new() }
        };
        let retryable = [429, 500, 502, 503, 504, 599];
        let others = [200, 204, 301, 400, 404, 408, 409, 413, 415, 422];
        assert!(retryable.iter().all(|status| answer(*status, "1").is_retryable()));
        assert!(!others.iter().any(|status| answer(*status, "1").is_retryable()));
        assert_eq!(answer(503, "2").retry_after(), Some(Duration::from_secs(2)));
        assert_eq!(answer(503, "soon").retry_after(), None);
    }
}
