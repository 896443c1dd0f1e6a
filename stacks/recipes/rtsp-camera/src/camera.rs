//! One connection to a camera, and what it takes to log in there.
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use countersign::client::{Account, Client, Endpoint, Exchange, Next, Policy, Quirk};
use countersign::{EntityBody, Target};
use loopback::Error;
use rtsp_types::headers::{AUTHORIZATION, CSEQ, HeaderName};
use rtsp_types::{Message, Method, ParseError, Request, Response, Url, Version};

/// The longest header section and the longest body of a response, in bytes.
const LIMIT: usize = 1 << 16;

/// How long a response may take from its request.
const PATIENCE: Duration = Duration::from_secs(5);

pub struct Camera {
    client: Client,
    stream: BufReader<Timed>,
    /// What all responses are computed for, as by clients made with live555; normally the URL of
    /// the request.
    pub covered: Option<Url>,
    pub requests: u32,
}

impl Camera {
    /// Connects to the camera that the URL names.
    pub fn connect(url: &Url, account: Account) -> Result<Self, Error> {
        let host = url.host_str().ok_or("a URL needs a host")?;
        // A camera may name itself by another address, such as the one behind its NAT.
        let endpoint = Endpoint::origin(url.scheme(), host, url.port())?.with_any_target();
        // An endpoint has the host as the URL does, with brackets around IPv6.
        let stream = TcpStream::connect(&*url.socket_addrs(|| Some(endpoint.port()))?)?;
        let stream = Timed {
            stream,
            end: Instant::now(),
        };
        // Most cameras offer no qop.
        let policy = Policy::new().with_quirk(Quirk::Rfc2069);
        let client = Client::new(endpoint, policy, &mut getrandom::SysRng)?;
        Ok(Self {
            client: client.with_account(account)?,
            stream: BufReader::new(stream),
            covered: None,
            requests: 0,
        })
    }

    /// Sends a request, again as often as the challenges call for it.
    pub fn call(
        &mut self,
        method: Method,
        url: &Url,
        fields: &[(HeaderName, &str)],
    ) -> Result<Response<Vec<u8>>, Error> {
        // The URLs of cameras often have a login, which must not be on the request line.
        let mut url = url.clone();
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let covered = self.covered.clone().unwrap_or_else(|| url.clone());
        let target = Target::new(<&str>::from(&method), covered.as_str());
        let target = target.with_body(EntityBody::Empty);
        let mut exchange = Exchange::new();
        loop {
            self.requests += 1;
            let mut request = Request::builder(method.clone(), Version::V1_0)
                .request_uri(url.clone())
                .header(CSEQ, self.requests.to_string());
            for (name, value) in fields {
                request = request.header(name.clone(), *value);
            }
            let answer = self.client.authorize(&mut exchange, &target)?;
            if let Some(answer) = answer.for_new_request() {
                request = request.header(AUTHORIZATION, answer.to_str()?);
            }
            let response = send(&mut self.stream, &request.empty())?;
            let status = response.status().into();
            let field = |name| {
                let name = HeaderName::from_static_str(name).ok();
                let value = name.and_then(|name| response.header(&name));
                value.map(|value| value.as_str()).into_iter()
            };
            let body = EntityBody::Bytes(response.body());
            match self.client.received(&mut exchange, status, field, body)? {
                Next::Done(_) => return Ok(response),
                Next::GiveUp(why) => return Err(why.into()),
                // Send it again.
                _ => {}
            }
        }
    }
}

/// A connection that is read until a time, however slowly the bytes come.
struct Timed {
    stream: TcpStream,
    end: Instant,
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        self.stream.read(buffer)
    }
}

fn send(
    stream: &mut BufReader<Timed>,
    request: &Request<rtsp_types::Empty>,
) -> Result<Response<Vec<u8>>, Error> {
    let mut bytes = Vec::new();
    request.write(&mut bytes)?;
    stream.get_mut().stream.write_all(&bytes)?;
    stream.get_mut().end = Instant::now() + PATIENCE;
    bytes.clear();
    let mut head = stream.by_ref().take(LIMIT as u64);
    while !bytes.ends_with(b"\r\n\r\n") {
        if head.read_until(b'\n', &mut bytes)? == 0 {
            let is_cut = head.limit() == 0;
            return Err(if is_cut {
                "header section too long"
            } else {
                "connection closed"
            }
            .into());
        }
    }
    // Parsed once for the length of the body, and once with it.
    if let Err(ParseError::Incomplete(missing)) = Message::<Vec<u8>>::parse(&bytes) {
        let missing = missing.ok_or("no length")?.get();
        if missing > LIMIT {
            return Err("body too long".into());
        }
        let head = bytes.len();
        bytes.resize(head + missing, 0);
        stream.read_exact(&mut bytes[head..])?;
    }
    match Message::parse(&bytes)? {
        (Message::Response(response), _) => Ok(response),
        _ => Err("not a response".into()),
    }
}
