//! Sends large bodies once.
use std::error::Error;
use std::time::Duration;

use countersign::client::{self, Account, Client, Endpoint, Exchange, Next, Policy, ServerProof};
use countersign::{EntityBody, Target};
use ureq::http::header::{AUTHORIZATION, CONTENT_LENGTH, EXPECT};
use ureq::http::{HeaderValue, Request, Uri};
use ureq::{Agent, SendBody};

use crate::source::Source;

/// The longest body of a response, in bytes: a server could send one without end.
const LIMIT: u64 = 64 << 10;

/// How long it may take. Where a refusal has a longer one, another connection costs less.
const PATIENCE: Duration = Duration::from_secs(2);

/// Sends large bodies once: not before the server has taken the credentials.
pub struct Uploader {
    agent: Agent,
    client: Client,
}

/// What came of an upload.
#[derive(Debug)]
pub struct Upload {
    pub status: u16,
    pub proof: ServerProof,
    /// How often the body was made for its hash alone.
    pub hashed: u32,
    pub requests: u32,
    pub bytes_sent: u64,
}

impl Uploader {
    pub fn new(origin: &Uri, policy: Policy, account: Account) -> Result<Self, Box<dyn Error>> {
        let client = Client::new(endpoint(origin)?, policy, &mut getrandom::SysRng)?;
        let config = Agent::config_builder().max_redirects(0).proxy(None);
        Ok(Self {
            agent: config
                .http_status_as_error(false)
                .timeout_recv_body(Some(PATIENCE))
                .build()
                .into(),
            client: client.with_account(account)?,
        })
    }

    pub fn put(&mut self, uri: &Uri, size: u64) -> Result<Upload, Box<dyn Error>> {
        // The client sees the path alone, and would answer for any server.
        if endpoint(uri)? != *self.client.endpoint() {
            return Err("another server".into());
        }
        let path = uri.path_and_query();
        // `to_string` adds the `/` that `http://host?query` lacks.
        let path = path.map_or("/".to_owned(), ToString::to_string);
        let mut target = Target::new("PUT", &path).with_body(EntityBody::Deferred);
        let (mut hashed, mut requests, mut bytes_sent) = (0, 0, 0);
        let mut exchange = Exchange::new();
        loop {
            let answer = match self.client.authorize(&mut exchange, &target) {
                Err(client::Error::BodyNeeded(hash)) => {
                    target = target.with_body(EntityBody::Hashed(Source::hash(size, hash)?));
                    hashed += 1;
                    continue;
                }
                answer => answer?,
            };
            let mut request = Request::put(uri)
                .header(EXPECT, "100-continue")
                .header(CONTENT_LENGTH, size);
            if let Some(answer) = answer.for_new_request() {
                let mut value = HeaderValue::from_bytes(answer.as_bytes())?;
                value.set_sensitive(true);
                request = request.header(AUTHORIZATION, value);
            }
            let mut source = Source::new(size);
            let body = SendBody::from_reader(&mut source);
            let mut response = self.agent.run(request.body(body)?)?;
            requests += 1;
            bytes_sent += source.taken();

            let status = response.status().as_u16();
            let text = response.body_mut().with_config().limit(LIMIT).read_to_vec();
            let field = |name| response.headers().get_all(name).iter();
            let body = match &text {
                Ok(text) => EntityBody::Bytes(text),
                // It is read only so that the connection can be used again.
                Err(_) if status == 401 => EntityBody::Unknown,
                Err(error) => return Err(error.to_string().into()),
            };
            match self.client.received(&mut exchange, status, field, body)? {
                Next::Done(proof) => {
                    return Ok(Upload {
                        status,
                        proof,
                        hashed,
                        requests,
                        bytes_sent,
                    });
                }
                Next::GiveUp(why) => return Err(why.into()),
                // Send it again.
                _ => {}
            }
        }
    }
}

fn endpoint(uri: &Uri) -> Result<Endpoint, Box<dyn Error>> {
    let (scheme, host) = (uri.scheme_str(), uri.host());
    let (scheme, host) = scheme.zip(host).ok_or("not an absolute URI")?;
    Ok(Endpoint::origin(scheme, host, uri.port_u16())?)
}
