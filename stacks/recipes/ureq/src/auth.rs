//! A middleware that logs in.
use std::io::Read;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

use countersign::client::{Account, AuthCache, Endpoint, Exchange, Next, Policy};
use countersign::{EntityBody, Target};
use ureq::http::{HeaderValue, Request, Response, Uri};
use ureq::middleware::{Middleware, MiddlewareNext};
use ureq::{Agent, SendBody};

pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// A middleware that logs in with one account at one origin.
pub struct Auth {
    /// `MiddlewareNext` sends once only.
    agent: Agent,
    cache: Mutex<AuthCache>,
    sent: AtomicUsize,
}

impl Auth {
    pub fn new(origin: &Uri, policy: Policy, account: Account) -> Result<Self, Error> {
        let mut cache = AuthCache::new(100, policy, &mut getrandom::SysRng)?;
        cache.add_account(&endpoint(origin)?, account)?;
        // The middleware sends by this agent alone, so roots of TLS, timeouts and `https_only` are
        // to be set here. ureq follows redirects below its middleware, where the answer would be wrong, and its
        // proxies by tunnels whose challenges do not come out.
        let config = Agent::config_builder().max_redirects(0).proxy(None);
        Ok(Self {
            agent: config.http_status_as_error(false).build().into(),
            cache: Mutex::new(cache),
            sent: AtomicUsize::new(0),
        })
    }

    /// How many requests it sent.
    pub fn sent(&self) -> usize {
        self.sent.load(Ordering::Relaxed)
    }

    fn send(&self, request: Request<SendBody<'_>>) -> Result<Response<ureq::Body>, Error> {
        let (head, body) = request.into_parts();
        // It may have to be sent again.
        let mut bytes = Vec::new();
        body.into_reader().read_to_end(&mut bytes)?;

        let endpoint = endpoint(&head.uri)?;
        let path = head.uri.path_and_query();
        // `to_string` adds the `/` that `http://host?query` lacks.
        let path = path.map_or("/".to_owned(), ToString::to_string);
        let target = Target::new(head.method.as_str(), &path).with_body(EntityBody::Bytes(&bytes));
        let mut exchange = Exchange::new();
        loop {
            let mut attempt = Request::from_parts(head.clone(), bytes.as_slice());
            let answer = self
                .cache()
                .client(&endpoint)
                .authorize(&mut exchange, &target)?;
            if let Some(answer) = answer.for_new_request() {
                let mut value = HeaderValue::from_bytes(answer.as_bytes())?;
                value.set_sensitive(true);
                let name = endpoint.challenger().credentials_field();
                attempt.headers_mut().insert(name, value);
            }
            self.sent.fetch_add(1, Ordering::Relaxed);
            let response = self.agent.run(attempt)?;
            let field = |name| response.headers().get_all(name).iter();
            let status = response.status().as_u16();
            let mut cache = self.cache();
            let client = cache.client(&endpoint);
            match client.received(&mut exchange, status, field, EntityBody::Unknown)? {
                Next::Retry => {}
                // Another origin asks for a login: the account is not for that.
                _ => return Ok(response),
            }
        }
    }

    fn cache(&self) -> MutexGuard<'_, AuthCache> {
        self.cache.lock().unwrap()
    }
}

fn endpoint(uri: &Uri) -> Result<Endpoint, Error> {
    let (scheme, host) = (uri.scheme_str(), uri.host());
    let (scheme, host) = scheme.zip(host).ok_or("not an absolute URI")?;
    Ok(Endpoint::origin(scheme, host, uri.port_u16())?)
}

impl Middleware for Auth {
    fn handle(
        &self,
        request: Request<SendBody<'_>>,
        _: MiddlewareNext<'_>,
    ) -> Result<Response<ureq::Body>, ureq::Error> {
        self.send(request).map_err(ureq::Error::Other)
    }
}
