//! A client, and the exchange of one request.
#![forbid(unsafe_code)]

use std::sync::{Mutex, MutexGuard, PoisonError};

use countersign::client::{Account, Ask, Client, Endpoint, Exchange, GiveUp, Next, Policy, Quirk};
use countersign::{EntityBody, Scheme, Target};

use crate::flags::{CS_AUTH_INT, CS_BASIC, CS_CLEARTEXT_BASIC, CS_PROXY, CS_RFC2069, Flags};

/// A client of one origin or proxy. Threads may share it.
pub struct SharedClient(Mutex<State>);

struct State {
    endpoint: Endpoint,
    policy: Policy,
    accounts: Vec<Account>,
    client: Client,
}

/// One request and the answers that it takes. One thread at a time.
#[derive(Default)]
pub struct Request {
    exchange: Exchange,
    pub(crate) ask: Option<Question>,
}

/// A login that the server asks for.
pub(crate) struct Question {
    ask: Ask,
    pub(crate) realm: String,
    pub(crate) is_again: bool,
    pub(crate) is_basic: bool,
}

/// What follows a response.
pub(crate) enum Step {
    Done,
    Retry,
    Login,
    GiveUp(String),
}

impl SharedClient {
    pub(crate) fn new(scheme: &str, host: &str, port: u16, flags: u32) -> Result<Self, String> {
        let flags = Flags::new(
            flags,
            CS_CLEARTEXT_BASIC | CS_RFC2069 | CS_PROXY | CS_AUTH_INT,
        )?;
        let endpoint = match flags.has(CS_PROXY) {
            false => Endpoint::origin(scheme, host, (port != 0).then_some(port))
                .map_err(|why| why.to_string())?,
            true if port == 0 => return Err("port is 0, and a proxy has no default one".into()),
            true => Endpoint::proxy(scheme, host, port),
        };
        let mut policy = Policy::new();
        if flags.has(CS_CLEARTEXT_BASIC) {
            policy = policy.with_cleartext_basic();
        }
        if flags.has(CS_RFC2069) {
            policy = policy.with_quirk(Quirk::Rfc2069);
        }
        if flags.has(CS_AUTH_INT) {
            policy = policy.prefer_auth_int();
        }
        let client = client(&endpoint, policy, &[])?;
        Ok(Self(Mutex::new(State {
            endpoint,
            policy,
            accounts: Vec::new(),
            client,
        })))
    }

    /// The accounts are given to a new client, which has learnt nothing.
    pub(crate) fn add_account(
        &self, user: &str, password: &str, realm: Option<&str>, flags: u32,
    ) -> Result<(), String> {
        let account = account(user, password, realm, flags)?;
        let mut state = self.lock();
        let accounts: Vec<_> = state.accounts.iter().cloned().chain([account]).collect();
        state.client = client(&state.endpoint, state.policy, &accounts)?;
        state.accounts = accounts;
        Ok(())
    }

    pub(crate) fn authorize<'r>(
        &self, request: &'r mut Request, target: &Target<'_>,
    ) -> Result<Option<&'r [u8]>, String> {
        let field = self.lock().client.authorize(&mut request.exchange, target);
        let field = field.map_err(|why| why.to_string())?;
        Ok(field.for_new_request().map(AsRef::as_ref))
    }

    pub(crate) fn received(
        &self, request: &mut Request, status: u16, fields: &[(&[u8], &[u8])], body: EntityBody<'_>,
    ) -> Result<Step, String> {
        let named = |name: &'static str| {
            let is_named = |field: &&(&[u8], &[u8])| field.0.eq_ignore_ascii_case(name.as_bytes());
            fields.iter().filter(is_named).map(|field| field.1)
        };
        let next = self
            .lock()
            .client
            .received(&mut request.exchange, status, named, body);
        request.ask = None;
        Ok(match next.map_err(|why| why.to_string())? {
            Next::Done(_) => Step::Done,
            Next::Retry => Step::Retry,
            Next::Login(ask) => {
                request.ask = Some(Question::new(ask));
                Step::Login
            }
            Next::GiveUp(why) => {
                let text = why.to_string();
                if let GiveUp::WrongCredentials(ask) = why {
                    request.ask = Some(Question::new(ask));
                }
                Step::GiveUp(text)
            }
        })
    }

    pub(crate) fn log_in(
        &self, request: &mut Request, user: &str, password: &str, flags: u32,
    ) -> Result<(), String> {
        let account = account(user, password, None, flags)?;
        let question = request
            .ask
            .as_ref()
            .ok_or("the exchange asks for no login")?;
        let done = self.lock().client.login(&question.ask, &account);
        done.map_err(|why| why.to_string())?;
        request.ask = None;
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Question {
    fn new(ask: Ask) -> Self {
        Self {
            realm: ask.realm_text().into_owned(),
            is_again: ask.is_again(),
            is_basic: ask.scheme() == Scheme::Basic,
            ask,
        }
    }
}

fn client(endpoint: &Endpoint, policy: Policy, accounts: &[Account]) -> Result<Client, String> {
    let client = Client::new(endpoint.clone(), policy, &mut getrandom::SysRng);
    let client = client.map_err(|why| format!("no random numbers: {why}"))?;
    let mut accounts = accounts.iter().cloned();
    let client = accounts.try_fold(client, Client::with_account);
    client.map_err(|why| why.to_string())
}

fn account(user: &str, password: &str, realm: Option<&str>, flags: u32) -> Result<Account, String> {
    let flags = Flags::new(flags, CS_BASIC)?;
    let mut account = Account::new(user, password);
    if let Some(realm) = realm {
        account = account.for_realm(realm);
    }
    Ok(match flags.has(CS_BASIC) {
        true => account.with_basic(),
        false => account,
    })
}
