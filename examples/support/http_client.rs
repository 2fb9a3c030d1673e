//! As much of an HTTP/1.1 client as posting to a receiver takes.

#![allow(dead_code, reason = "each test and example uses its part")]

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A connection, kept alive from one request to the next.
pub struct Client {
    stream: BufReader<TcpStream>,
    /// The head of a request, used again.
    head: Vec<u8>,
}

/// What a server answered.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers.find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }
}

impl Client {
    /// Connects. An answer that takes over a minute is an error then.
    pub fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(Self { stream: BufReader::new(stream), head: Vec::new() })
    }

    pub fn get(&mut self, path: &str) -> io::Result<Answer> {
        self.send_head("GET", path, &[])?;
        self.answer()
    }

    /// Posts a body in one piece, with its length in front.
    pub fn post(
        &mut self,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> io::Result<Answer> {
        let length = body.len().to_string();
        self.send_head("POST", path, &[headers, &[("content-length", &length)]].concat())?;
        self.send(body)?;
        self.answer()
    }

    /// Posts a body whose length is not known in advance.
    pub fn post_chunked<'c>(
        &mut self,
        path: &str,
        headers: &[(&str, &str)],
        chunks: impl IntoIterator<Item = &'c [u8]>,
    ) -> io::Result<Answer> {
        self.send_head("POST", path, &[headers, &[("transfer-encoding", "chunked")]].concat())?;
        for chunk in chunks {
            let size = format!("{:x}\r\n", chunk.len());
            self.send(&[size.as_bytes(), chunk, b"\r\n"].concat())?;
        }
        self.send(b"0\r\n\r\n")?;
        self.answer()
    }

    /// Sends the head of a request only.
    pub fn send_head(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
    ) -> io::Result<()> {
        self.head.clear();
        write!(self.head, "{method} {path} HTTP/1.1\r\nhost: localhost\r\n")?;
        for (name, value) in headers {
            write!(self.head, "{name}: {value}\r\n")?;
        }
        self.head.extend_from_slice(b"\r\n");
        self.stream.get_mut().write_all(&self.head)
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    /// Reads the next answer.
    pub fn answer(&mut self) -> io::Result<Answer> {
        let status_line = self.line()?;
        let status = status_line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| invalid(&status_line))?;
        let mut headers = Vec::new();
        let mut line = self.line()?;
        while !line.is_empty() {
            let (name, value) = line.split_once(':').ok_or_else(|| invalid(&line))?;
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
            line = self.line()?;
        }
        let mut answer = Answer { status, headers, body: String::new() };
        let length = answer.header("content-length").map_or(Ok(0), str::parse);
        let length = length.map_err(|_| invalid("content-length"))?;
        self.stream.by_ref().take(length).read_to_string(&mut answer.body)?;
        Ok(answer)
    }

    /// A line without its end.
    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        match line.strip_suffix("\r\n") {
            Some(text) => Ok(text.to_owned()),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("no HTTP: {what}"))
}
