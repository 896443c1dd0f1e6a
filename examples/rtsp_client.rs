//! An RTSP client that asks for the description of a stream, and logs in if necessary.
//!
//! ```text
//! cargo run --example rtsp_client -- --user Mufasa:secret rtsp://127.0.0.1:PORT/stream
//! ```
//!
//! It sends OPTIONS and then DESCRIBE on one connection, prints a line for each response, then the
//! description, and fails unless it got one. Every realm of the server gets the login of `--user`.
//! `--repeat N` sends DESCRIBE N times. It answers challenges without a qop, which most cameras and
//! gst-rtsp-server send; `--no-rfc2069` refuses them.

use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::num::NonZero;
use std::process::ExitCode;
use std::time::Duration;

use countersign::client::{Account, Client, Endpoint, Exchange, Field, Next, Policy, Quirk};
use countersign::{EntityBody, Target};
use lexopt::prelude::*;

/// The longest header section and the longest body of a response, in bytes: more would let the
/// server fill the memory.
const LIMIT: u64 = 1 << 16;

struct Response {
    status: u16,
    fields: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Response {
    fn read(stream: &mut impl BufRead) -> Result<Self, Box<dyn Error>> {
        let mut head = stream.take(LIMIT);
        let mut line = || -> Result<String, Box<dyn Error>> {
            let mut line = String::new();
            head.read_line(&mut line)?;
            match line.strip_suffix('\n') {
                Some(line) => Ok(line.trim_end().to_owned()),
                None if head.limit() == 0 => Err("header section too long".into()),
                None => Err("connection closed".into()),
            }
        };
        let status = line()?.split(' ').nth(1).ok_or("no status")?.parse()?;
        let mut fields = Vec::new();
        loop {
            let line = line()?;
            match line.split_once(':') {
                Some((name, value)) => fields.push((name.to_owned(), value.trim().to_owned())),
                None if line.is_empty() => break,
                None => return Err("no field".into()),
            }
        }
        let mut response = Self {
            status,
            fields,
            body: Vec::new(),
        };
        let length = response
            .all("content-length")
            .next()
            .map_or(Ok(0), str::parse)?;
        if length > LIMIT {
            return Err("body too long".into());
        }
        stream.take(length).read_to_end(&mut response.body)?;
        Ok(response)
    }

    fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let fields = self.fields.iter();
        let found = fields.filter(move |(found, _)| found.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// A connection to a server, and its client.
struct Session {
    stream: TcpStream,
    reader: BufReader<TcpStream>,
    client: Client,
    login: Option<String>,
    sequence: u32,
}

impl Session {
    /// Sends a request, and repeats it as the server's challenges require.
    fn send(&mut self, method: &str, uri: &str) -> Result<Response, Box<dyn Error>> {
        let target = Target::new(method, uri).with_body(EntityBody::Bytes(b""));
        let mut exchange = Exchange::new();
        loop {
            self.sequence += 1;
            let mut request = format!("{method} {uri} RTSP/1.0\r\nCSeq: {}\r\n", self.sequence);
            if let Some(answer) = self
                .client
                .authorize(&mut exchange, &target)
                .map(Field::for_new_request)?
            {
                request.push_str(&format!("Authorization: {}\r\n", answer.to_str()?));
            }
            self.stream.write_all((request + "\r\n").as_bytes())?;
            let response = Response::read(&mut self.reader)?;
            println!("{method} {uri} {}", response.status);
            let field = |name| response.all(name);
            let body = EntityBody::Bytes(&response.body);
            match self
                .client
                .received(&mut exchange, response.status, field, body)?
            {
                Next::Done(_) => return Ok(response),
                Next::Retry => {}
                Next::Login(ask) => {
                    let login = self.login.as_ref().and_then(|login| login.split_once(':'));
                    let (name, password) = login.ok_or("--user NAME:PASSWORD")?;
                    self.client
                        .login(&ask, &Account::new(name, password).with_basic())?;
                }
                Next::GiveUp(why) => return Err(why.into()),
            }
        }
    }
}

fn run() -> Result<Response, Box<dyn Error>> {
    let (mut login, mut uri, mut policy) = (None, None, Policy::new().with_quirk(Quirk::Rfc2069));
    let mut repeat = NonZero::<u32>::MIN;
    let mut parser = lexopt::Parser::from_env();
    while let Some(arg) = parser.next()? {
        match arg {
            Long("user") => login = Some(parser.value()?.string()?),
            Long("repeat") => repeat = parser.value()?.parse()?,
            Long("no-rfc2069") => policy = Policy::new(),
            Value(value) if uri.is_none() => uri = Some(value.string()?),
            _ => return Err(arg.unexpected().into()),
        }
    }
    let uri = uri.ok_or("which URL?")?;
    if !uri.starts_with("rtsp://") {
        return Err("only rtsp: URLs".into());
    }
    let uri_parts: http::Uri = uri.parse()?;
    // On the request line, it would show the password to everybody on the way.
    if uri_parts
        .authority()
        .is_some_and(|it| it.as_str().contains('@'))
    {
        return Err("not with a login in the URL: pass it by --user".into());
    }
    let host = uri_parts.host().ok_or("a URL needs a host")?;
    let endpoint = Endpoint::origin("rtsp", host, uri_parts.port_u16())?;
    let stream = TcpStream::connect((endpoint.host(), endpoint.port()))?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut session = Session {
        reader: BufReader::new(stream.try_clone()?),
        stream,
        client: Client::new(endpoint, policy, &mut getrandom::SysRng)?,
        login,
        sequence: 0,
    };
    session.send("OPTIONS", &uri)?;
    for _ in 1..repeat.get() {
        session.send("DESCRIBE", &uri)?;
    }
    session.send("DESCRIBE", &uri)
}

fn main() -> ExitCode {
    match run() {
        Ok(response) if response.status == 200 => {
            print!("{}", String::from_utf8_lossy(&response.body));
            ExitCode::SUCCESS
        }
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("rtsp_client: {error}");
            ExitCode::FAILURE
        }
    }
}
