//! A receiver, over HTTP/1.1.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Result;
use ureq::Agent;
use ureq::http::Response;

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A receiver, with a connection that is kept alive from one request to the next.
pub struct Target {
    agent: Agent,
    address: SocketAddr,
}

/// What it answered.
pub struct Answer {
    pub status: u16,
    pub body: String,
}

impl Target {
    pub fn new(address: SocketAddr) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(TIMEOUT))
            .build();
        Self { agent: config.into(), address }
    }

    pub fn get(&self, path: &str) -> Result<Answer> {
        answer(self.agent.get(self.url(path)).call()?)
    }

    pub fn post<'h>(
        &self,
        path: &str,
        headers: impl IntoIterator<Item = (&'h str, &'h str)>,
        body: &[u8],
    ) -> Result<Answer> {
        let request = self.agent.post(self.url(path));
        let add = |request: ureq::RequestBuilder<_>, (name, value)| request.header(name, value);
        answer(headers.into_iter().fold(request, add).send(body)?)
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

fn answer(mut response: Response<ureq::Body>) -> Result<Answer> {
    let body = response.body_mut().read_to_string()?;
    Ok(Answer { status: response.status().as_u16(), body })
}
