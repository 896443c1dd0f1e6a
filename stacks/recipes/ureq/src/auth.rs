//! A middleware that logs in.
use std::io::Read;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use countersign::client::{Account, Client, Endpoint, Policy, run_blocking};
use ureq::http::{Request, Response, Uri};
use ureq::middleware::{Middleware, MiddlewareNext};
use ureq::{Agent, SendBody};

pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// A middleware that logs in with one account at one origin.
pub struct Auth {
    /// `MiddlewareNext` sends once only.
    agent: Agent,
    client: Mutex<Client>,
    sent: AtomicUsize,
}

impl Auth {
    pub fn new(origin: &Uri, policy: Policy, account: Account) -> Result<Self, Error> {
        let client = Client::new(Endpoint::try_from(origin)?, policy, &mut getrandom::SysRng)?;
        // The middleware sends by this agent alone, so roots of TLS, timeouts and `https_only` are
        // to be set here. ureq follows redirects below its middleware, where the answer would be wrong, and its
        // proxies by tunnels whose challenges do not come out.
        let config = Agent::config_builder().max_redirects(0).proxy(None);
        Ok(Self {
            agent: config.http_status_as_error(false).build().into(),
            client: Mutex::new(client.with_account(account)?),
            sent: AtomicUsize::new(0),
        })
    }

    /// How many requests it sent.
    pub fn sent(&self) -> usize {
        self.sent.load(Ordering::Relaxed)
    }

    /// Requests for another origin are an error: the account is not for that.
    fn send(&self, request: Request<SendBody<'_>>) -> Result<Response<ureq::Body>, Error> {
        let (head, body) = request.into_parts();
        // It may have to be sent again.
        let mut bytes = Vec::new();
        body.into_reader().read_to_end(&mut bytes)?;
        run_blocking(&self.client, Request::from_parts(head, bytes), |request| {
            self.sent.fetch_add(1, Ordering::Relaxed);
            Ok(self.agent.run(request)?)
        })
    }
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
