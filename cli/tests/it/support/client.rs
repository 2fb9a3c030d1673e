//! HTTP clients: one that behaves, and one that does not.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use ureq::http::{HeaderMap, Response};
use ureq::{Agent, Error, SendBody};

pub const SNAPPY: (&str, &str) = ("content-encoding", "snappy");
pub const PROTOBUF: (&str, &str) = ("content-type", "application/x-protobuf");

/// A client whose connection is kept alive from one request to the next.
pub struct Client {
    agent: Agent,
    address: SocketAddr,
}

/// What a server answered.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("plain text"))
    }
}

impl Client {
    pub fn new(address: SocketAddr) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(60)))
            .build();
        Self { agent: config.into(), address }
    }

    pub fn get(&self, path: &str) -> Answer {
        answer(self.agent.get(self.url(path)).call().expect("an answer"))
    }

    /// Posts a body in one piece, with its length in front.
    pub fn post(&self, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        self.try_post(path, headers, body).expect("an answer")
    }

    /// Posts a body in one piece, to a server that may go away.
    pub fn try_post(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Answer, Error> {
        self.request(path, headers).send(body).map(answer)
    }

    /// Posts a body whose length is not known in advance, in pieces of `size` bytes.
    pub fn post_chunked(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
        size: usize,
    ) -> Answer {
        let mut pieces = Pieces { body, size };
        let sent = self.request(path, headers).send(SendBody::from_reader(&mut pieces));
        answer(sent.expect("an answer"))
    }

    fn request(
        &self,
        path: &str,
        headers: &[(&str, &str)],
    ) -> ureq::RequestBuilder<ureq::typestate::WithBody> {
        let request = self.agent.post(self.url(path));
        headers.iter().fold(request, |request, (name, value)| request.header(*name, *value))
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

fn answer(mut response: Response<ureq::Body>) -> Answer {
    let body = response.body_mut().read_to_string().expect("text");
    Answer { status: response.status().as_u16(), headers: response.headers().clone(), body }
}

/// Reads so many bytes at a time.
struct Pieces<'b> {
    body: &'b [u8],
    size: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let len = self.size.min(out.len());
        self.body.read(&mut out[..len])
    }
}

/// A connection on which no more is sent than the test says.
pub struct Raw(BufReader<TcpStream>);

impl From<TcpStream> for Raw {
    fn from(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
        Self(BufReader::new(stream))
    }
}

impl Raw {
    pub fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("it listens");
        Self::from(stream)
    }

    /// Sends the head of a post, which asks whether the body may come.
    pub fn ask_to_post(&mut self, path: &str, length: usize) {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\n\
             content-length: {length}\r\ncontent-type: application/x-protobuf\r\n\
             content-encoding: snappy\r\n\r\n"
        );
        self.send(head.as_bytes());
    }

    /// Sends the head of a post, and nothing else.
    pub fn start_to_post(&mut self, path: &str, length: usize) {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n\
             content-type: application/x-protobuf\r\ncontent-encoding: snappy\r\n\r\n"
        );
        self.send(head.as_bytes());
    }

    /// Waits until the other side closes.
    pub fn wait_for_end(&mut self) {
        let mut rest = Vec::new();
        match self.0.read_to_end(&mut rest) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), io::ErrorKind::ConnectionReset),
        }
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).expect("it reads");
    }

    /// Reads the head of the next answer. Returns its lines.
    pub fn answer(&mut self) -> Vec<String> {
        let lines = self.0.by_ref().lines().map(|line| line.expect("an answer"));
        lines.take_while(|line| !line.is_empty()).collect()
    }
}
