//! Schemes that this crate does not implement, beside Digest: Negotiate and Bearer.
//!
//! ```text
//! schemes [LISTEN]
//! curl --oauth2-bearer reader-7 http://LISTEN/x
//! ```
//!
//! The crate reads and writes the fields; who a token stands for is up to the program. Here a table
//! of tokens does it, and a hash of what the server sent stands in for Kerberos. Without arguments
//! it checks itself. Tokens are as good as passwords: send them over TLS only.
mod client;
mod other;

use std::net::SocketAddr;
use std::sync::Arc;

use countersign::server::{Arrival, Authenticator, Realm};
use countersign::{Challenger, Channel, FieldValue, InvalidText, Target, raw_challenges};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use hyper::{Method, Request, Response};
use loopback::{Area, Curl, Error, Site, USER, Users, granted, refused, send};

use client::{Tokens, fetch};
use other::{
    FIRST_TOKEN, MAX_PENDING, Negotiations, Verdict, answer_to, bearer, bearer_challenge,
    negotiate_challenge,
};

type Answer = Response<String>;

struct Server {
    auth: Authenticator,
    users: Users,
    negotiations: Negotiations,
}

impl Site for Server {
    type Body = String;

    async fn answer(&self, _: SocketAddr, request: Request<Incoming>) -> Result<Answer, Answer> {
        match self.other_schemes(&request).map_err(|_| status(500))? {
            Verdict::NotMine => {}
            Verdict::Granted(name, last) => {
                let mut response = Response::new(format!("hello {name}\n"));
                append(response.headers_mut(), last);
                return Ok(response);
            }
            Verdict::Refused(code, challenge) => {
                let mut response = status(code);
                append(response.headers_mut(), Some(challenge));
                return Err(response);
            }
        }
        let uri = request.uri().to_string();
        let target = Target::new(request.method().as_str(), &uri);
        let arrival = Arrival::now(Channel::Cleartext);
        let credentials = request.headers().get_all(AUTHORIZATION);
        let auth = &self.auth;
        let refuse = |refusal| {
            let mut response = refused(&refusal);
            // A 400 has no challenges.
            if response.status() == 401 {
                append(response.headers_mut(), negotiate_challenge().ok());
                append(response.headers_mut(), bearer_challenge(None).ok());
            }
            response
        };
        let attempt = auth
            .begin(credentials.iter(), &target, arrival)
            .map_err(refuse)?;
        let account = self.users.find(&attempt.claimed_user());
        let verified = attempt.verify_by(account, |account, hash| account.ha1(hash));
        let grant = auth.admit(verified.map_err(refuse)?).map_err(refuse)?;
        let text = format!("hello {}\n", grant.account().name);
        Ok(granted(&grant, request.method(), Response::new(text)))
    }
}

impl Server {
    fn new() -> Result<Arc<Self>, Error> {
        let realm = Realm::new("files")?;
        Ok(Arc::new(Self {
            auth: Authenticator::new(realm, 1000, &mut getrandom::SysRng)?,
            users: Users::one("files", USER),
            negotiations: Negotiations::default(),
        }))
    }

    /// What comes before Digest.
    fn other_schemes(&self, request: &Request<Incoming>) -> Result<Verdict, InvalidText> {
        let mut values = request.headers().get_all(AUTHORIZATION).iter();
        // Several are for `begin` to refuse.
        let (Some(value), None) = (values.next(), values.next()) else {
            return Ok(Verdict::NotMine);
        };
        match bearer(value, request.method() == Method::GET)? {
            Verdict::NotMine => self.negotiations.answer(value),
            verdict => Ok(verdict),
        }
    }
}

/// A server of somebody else, with one challenge for all.
struct Other(&'static str);

impl Site for Other {
    type Body = String;

    async fn answer(&self, _: SocketAddr, _: Request<Incoming>) -> Result<Answer, Answer> {
        let mut response = status(401);
        let challenge = HeaderValue::from_static(self.0);
        response.headers_mut().append(WWW_AUTHENTICATE, challenge);
        Err(response)
    }
}

fn append(headers: &mut HeaderMap, value: Option<FieldValue>) {
    if let Some(value) = value {
        let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
        headers.append(WWW_AUTHENTICATE, value);
    }
}

fn status(code: u16) -> Answer {
    Response::builder()
        .status(code)
        .body(String::new())
        .unwrap()
}

async fn check(address: SocketAddr) -> Result<(), Error> {
    loopback::check(Challenger::Origin, address, "/x", USER).await?;
    let first = send(address, "GET", "/x", None, "").await?;
    for challenge in first.headers().get_all(WWW_AUTHENTICATE) {
        println!("  {}", challenge.to_str()?);
    }
    let tokens = |bearer: Option<&str>, ticket: Option<&str>| Tokens {
        bearer: bearer.map(str::to_owned),
        ticket: ticket.map(str::to_owned),
    };
    for (what, tokens, method, expected) in [
        (
            "Bearer",
            tokens(Some("reader-7"), None),
            "GET",
            &[401, 200][..],
        ),
        // The server names the error and the scope, and the client has no other token.
        (
            "Bearer, revoked",
            tokens(Some("revoked"), None),
            "GET",
            &[401, 401],
        ),
        (
            "Bearer, too little",
            tokens(Some("reader-7"), None),
            "PUT",
            &[401, 403],
        ),
        (
            "Bearer, enough",
            tokens(Some("writer-9"), None),
            "PUT",
            &[401, 200],
        ),
        (
            "Negotiate, two steps",
            tokens(None, Some("ticket")),
            "GET",
            &[401, 401, 200],
        ),
        (
            "Negotiate, wrong",
            tokens(None, Some("stolen")),
            "GET",
            &[401, 401, 401],
        ),
        (
            "no token, so Digest",
            tokens(None, None),
            "GET",
            &[401, 200],
        ),
    ] {
        let statuses = fetch(address, method, &tokens).await?;
        println!("{what}: {statuses:?}");
        assert_eq!(statuses, expected, "{what}");
    }
    others_begin(address).await?;
    // The password and the token are for one realm, and the password is for Digest.
    let other = loopback::Server::start(vec![Area::new("/", Realm::new("x")?)], "");
    let statuses = fetch(other.address(), "GET", &tokens(None, None)).await?;
    println!("another realm: {statuses:?}");
    assert_eq!(statuses, [401]);
    for (challenge, expected) in [
        (r#"Bearer realm="x""#, &[401][..]),
        ("Bearer", &[401]),
        (r#"Basic realm="files""#, &[401]),
        // It names no error, so the token is sent twice.
        (r#"Bearer realm="files""#, &[401, 401, 401]),
    ] {
        let other = loopback::start(Arc::new(Other(challenge))).await?;
        let statuses = fetch(other, "GET", &tokens(Some("reader-7"), None)).await?;
        println!("{challenge}: {statuses:?}");
        assert_eq!(statuses, expected, "{challenge}");
    }
    curl(address)
}

/// Others who begin and do not go on: only the oldest step is given up.
async fn others_begin(address: SocketAddr) -> Result<(), Error> {
    let begin = async || -> Result<String, Error> {
        let value = FieldValue::with_token68("Negotiate", FIRST_TOKEN)?;
        let field = Some(("authorization", &value));
        let response = send(address, "GET", "/x", field, "").await?;
        let mut raw = raw_challenges(response.headers().get_all(WWW_AUTHENTICATE));
        let challenge = raw.next().ok_or("no challenge")??;
        Ok(answer_to(challenge.token68().ok_or("no token")?, "ticket"))
    };
    let oldest = begin().await?;
    let ours = begin().await?;
    // With these two, one more than fit.
    for _ in 0..MAX_PENDING.get() - 1 {
        begin().await?;
    }
    for (what, answer, expected) in [("the oldest", oldest, 401), ("the next", ours, 200)] {
        let value = FieldValue::with_token68("Negotiate", &answer)?;
        let response = send(address, "GET", "/x", Some(("authorization", &value)), "").await?;
        println!(
            "Negotiate after others began, {what}: {}",
            response.status()
        );
        assert_eq!(response.status(), expected, "{what}");
    }
    Ok(())
}

fn curl(address: SocketAddr) -> Result<(), Error> {
    let url = format!("http://{address}/x");
    let user = format!("{}:{}", USER.0, USER.1);
    let bearer = |token| ["--oauth2-bearer", token, &url].map(str::to_owned);
    let run = |what: &str, args: &[String], statuses: &[u16]| {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        Curl::expect(what, &args, statuses)
    };
    run("Bearer", &bearer("reader-7"), &[200])?;
    if let Some(run) = run("Bearer, revoked", &bearer("revoked"), &[401])? {
        let challenge = r#"www-authenticate: Bearer realm="files", error="invalid_token""#;
        assert!(run.has(challenge), "{}", run.text);
    }
    let put = [
        &bearer("reader-7")[..],
        &["-X".to_owned(), "PUT".to_owned()],
    ]
    .concat();
    if let Some(run) = run("Bearer, too little", &put, &[403])? {
        let challenge =
            r#"www-authenticate: Bearer realm="files", error="insufficient_scope", scope="write""#;
        assert!(run.has(challenge), "{}", run.text);
    }
    // What stands beside Digest does not keep anybody from it.
    Curl::expect("Digest", &["--digest", "-u", &user, &url], &[401, 200])?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let server = Server::new()?;
    match std::env::args().nth(1) {
        Some(listen) => loopback::serve(server, &listen).await,
        None => check(loopback::start(server).await?).await,
    }
}
