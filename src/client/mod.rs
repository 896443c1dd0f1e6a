//! The client's side of one protection space.
//!
//! A [`Client`] never sends anything. It is told what arrived and says what to do next:
//!
//! ```
//! use countersign::client::{Client, Exchange, Next, Policy};
//! use countersign::digest::Cnonce;
//! use countersign::rand_core::UnwrapErr;
//! use countersign::{Body, Channel, Issuer, Target};
//!
//! fn fetch(client: &mut Client, uri: &str) -> Result<Response, Box<dyn std::error::Error>> {
//!     let target = Target::new("GET", uri).with_body(Body::Bytes(b""));
//!     let mut exchange = Exchange::new();
//!     loop {
//!         let cnonce = Cnonce::generate(&mut UnwrapErr(getrandom::SysRng));
//!         let answer = client.authorize(&mut exchange, &target, &cnonce)?;
//!         let response = send("GET", uri, answer.map(|answer| answer.as_bytes()));
//!         if response.status != Issuer::Origin.status() {
//!             let info = response.all(Issuer::Origin.info_field());
//!             client.accepted(&mut exchange, info, Body::Bytes(&response.body))?;
//!             return Ok(response);
//!         }
//!         let challenges = response.all(Issuer::Origin.challenge_field());
//!         match client.challenged(&mut exchange, challenges) {
//!             Next::Login => client.login("Mufasa", "Circle of Life")?,
//!             Next::Retry => {}
//!             Next::Refused(why) => return Err(why.into()),
//!         }
//!     }
//! }
//!
//! # // What the HTTP library would bring.
//! # struct Response { status: u16, body: Vec<u8> }
//! # impl Response {
//! #     fn all(&self, name: &str) -> &[&str] {
//! #         match name {
//! #             "www-authenticate" => {
//! #                 &[r#"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#]
//! #             }
//! #             _ => &[],
//! #         }
//! #     }
//! # }
//! # fn send(_: &str, _: &str, authorization: Option<&[u8]>) -> Response {
//! #     let status = if authorization.is_some() { 200 } else { 401 };
//! #     Response { status, body: Vec::new() }
//! # }
//! let mut client = Client::new(Channel::Encrypted, Policy::new().without_basic());
//! let response = fetch(&mut client, "/dir/index.html")?;
//! assert_eq!(response.status, 200);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # States
//!
//! | in state | [`challenged`]: its own credentials fit | [`challenged`]: they do not | [`login`] | [`authorize`] | [`accepted`] |
//! |---|---|---|---|---|---|
//! | `Idle`   | –   | `Chosen`, [`Next::Login`] | error | `None` | nothing to check |
//! | `Chosen` | –   | `Chosen`, [`Next::Login`] | `Ready` | `None` | nothing to check |
//! | `Ready`  | below | `Chosen`, [`Next::Login`] | `Ready`, without a nonce | an [`Answer`], count + 1; `None` without a nonce, outside of the protection space, below the pin, and unasked with a nonce that cannot be answered | checks the proof; a next nonce: with a count of its own |
//!
//! In `Ready`, credentials fit a challenge of the same scheme and realm, and for Digest the same
//! hash; and of the same charset, where the policy knows two and the user's name or password is not
//! ASCII. What follows then depends on what the refused request carried:
//!
//! | the request carried | the challenge has | then |
//! |---|---|---|
//! | no answer, or that of another login | | [`Next::Retry`] with this challenge: the newest wins, whatever could be done with the nonce at hand |
//! | a nonce that is not the present one | | [`Next::Retry`] with the present one: the refusal is late |
//! | the present nonce, the first of the exchange | another algorithm or qop than the answer, or no `userhash` where that hashed the name | [`Next::Retry`] with this challenge: the form was refused, and not the secret |
//! | the present nonce | the same nonce | `Chosen`, [`Refusal::WrongCredentials`] |
//! | the present nonce, accepted before | another nonce | [`Next::Retry`] with that: the secret is right, whatever the server forgot to say |
//! | the present nonce, the first of the exchange, its secret accepted with a nonce before | another nonce | [`Next::Retry`] with that, as above |
//! | the present nonce | another nonce and `stale` | [`Next::Retry`] with that |
//! | the present nonce, the second of the exchange | another nonce and `stale` | [`Refusal::StaleAgain`]; the nonce is kept for the next exchange |
//! | the present nonce, otherwise | another nonce, not `stale` | `Chosen`, [`Refusal::WrongCredentials`] |
//! | Basic credentials | | `Chosen`, [`Refusal::WrongCredentials`] |
//!
//! The first row that applies counts. What is known of the secret and which counts were sent
//! outlast the nonce, so no count is given twice when a nonce comes back.
//!
//! A secret that was accepted is right, until an answer is refused that was not called `stale`: then
//! it counts as never accepted, until it is again.
//!
//! In `Chosen` after a refusal, [`login`] with another password, and a new [`Exchange`], go on with
//! the last challenge. When as many answers of an exchange were refused as the policy allows, it is
//! [`Refusal::TooManyAnswers`]. A refused exchange is given no more answers. So every loop ends,
//! after at most one request more than the policy allows answers.
//!
//! If none of the challenges can be used, it is [`Refusal::NoUsableChallenge`], which changes
//! nothing and leaves the exchange as it was.
//!
//! [`challenged`]: Client::challenged
//! [`login`]: Client::login
//! [`authorize`]: Client::authorize
//! [`accepted`]: Client::accepted

mod answer;
mod answering;
mod choice;
mod counts;
mod exchange;
mod forecast;
mod keyring;
mod login;
mod next;
mod origin;
mod pin;
mod policy;
mod proof;
mod session;
mod skipped;
mod space;
mod state;

pub use answer::Answer;
pub use answering::AuthorizeError;
pub use exchange::Exchange;
pub use forecast::Forecast;
pub use keyring::Keyring;
pub use login::LoginError;
pub use next::{Next, Refusal};
pub use origin::Origin;
pub use pin::{Pin, PinError};
pub use policy::Policy;
pub use proof::{ServerProof, ServerProofError};
pub use skipped::Skipped;

use crate::channel::Channel;
use crate::client::answering::{basic_answer, check_request, digest_answer};
use crate::client::choice::{Choice, Judge};
use crate::client::counts::Counts;
use crate::client::exchange::Asked;
use crate::client::login::{Login, Secret, UserPass};
use crate::client::origin::OwnedOrigin;
use crate::client::policy::AuthInt;
use crate::client::session::{Accepted, Session};
use crate::client::space::Space;
use crate::client::state::{Chosen, Ready, State, space_of};
use crate::digest::{Cnonce, Ha1, Hash, Qop, QopSet};
use crate::info::AuthenticationInfo;
use crate::target::{Body, Target};

/// The credentials of one protection space of one origin or proxy, and what became of them.
///
/// A challenge that they do not fit takes their place, even before the user has logged in to it. So
/// an origin with several realms wants a client for each, of which each is given the requests of
/// its own.
///
/// `Debug` shows no header text and no secret. Secrets are wiped when dropped.
#[derive(Clone, Debug)]
pub struct Client {
    channel: Channel,
    policy: Policy,
    pin: Pin,
    origin: Option<OwnedOrigin>,
    is_proxy: bool,
    state: State,
    counts: Counts,
}

impl Client {
    /// A client that has not been challenged yet.
    ///
    /// Give it the requests of one origin only, or tell it which that is: see
    /// [`for_origin`](Self::for_origin) and [`Keyring`].
    pub const fn new(channel: Channel, policy: Policy) -> Self {
        Self {
            channel,
            policy,
            pin: Pin::Nothing,
            origin: None,
            is_proxy: false,
            state: State::Idle,
            counts: Counts::new(),
        }
    }

    /// A client that sends Basic credentials with its first request, wherever on its origin.
    ///
    /// # Errors
    ///
    /// [`LoginError::BasicNotAllowed`] if the policy does not allow Basic on this channel; [`LoginError::Text`]
    /// if Basic cannot carry the name or the password.
    pub fn preemptive_basic(
        channel: Channel,
        policy: Policy,
        username: &str,
        password: &str,
    ) -> Result<Self, LoginError> {
        let unprotected = policy.allows_unproven() && policy.allows_qop(QopSet::LEGACY);
        if !policy.basic || !policy.allows_basic(channel) || !unprotected {
            return Err(LoginError::BasicNotAllowed);
        }
        let mut client = Self::new(channel, policy);
        client.state = State::Ready(Ready::Basic {
            realm: None,
            utf8: false,
            login: UserPass::new(policy.latin1, username, Secret::Password(password))?,
            space: Some(Space::Whole),
        });
        Ok(client)
    }

    /// Tells the client whose credentials it holds. [`Keyring`] does that itself.
    ///
    /// A client that knows its origin gives nothing for a request-target in absolute form that is
    /// another's, and understands absolute URIs in `domain`.
    #[must_use]
    pub fn for_origin(mut self, origin: &Origin<'_>) -> Self {
        let origin = OwnedOrigin::from(origin);
        if origin.is_proxy() {
            self.is_proxy = true;
        } else {
            self.origin = Some(origin);
        }
        self
    }

    /// Tells the client that its credentials are for a proxy: its space is all requests sent
    /// through that, and `domain` means nothing (RFC 7616, section 3.3).
    #[must_use]
    pub const fn for_proxy(mut self) -> Self {
        self.is_proxy = true;
        self
    }

    /// Refuses challenges weaker than what is known of the origin.
    #[must_use]
    pub const fn with_pin(mut self, pin: Pin) -> Self {
        self.pin = pin;
        self
    }

    /// How strong the credentials were that the server took, for the next client of this origin.
    pub const fn pin(&self) -> Pin {
        self.pin
    }

    /// The realm of the challenge chosen, to show the user: bytes, most likely UTF-8. `None`
    /// before any challenge.
    pub fn realm(&self) -> Option<&[u8]> {
        match &self.state {
            State::Idle => None,
            State::Ready(Ready::Basic { realm, .. }) => realm.as_deref(),
            State::Chosen(Chosen::Basic { realm, .. })
            | State::Ready(Ready::Digest { realm, .. }) => Some(realm),
            State::Chosen(Chosen::Digest { session, .. }) => Some(&session.realm),
        }
    }

    /// The hash of the Digest challenge chosen, which an HA1 to [log in
    /// with](Self::login_with_ha1) must be of. `None` for Basic, and before any challenge.
    pub const fn hash(&self) -> Option<Hash> {
        match &self.state {
            State::Chosen(Chosen::Digest { session, .. }) => Some(session.algorithm.hash()),
            State::Ready(Ready::Digest { hash, .. }) => Some(*hash),
            _ => None,
        }
    }

    /// Takes the challenges of a 401 or 407: all values of the field.
    pub fn challenged<'a, I, V>(&mut self, exchange: &mut Exchange, values: I) -> Next
    where
        I: IntoIterator<Item = &'a V>,
        V: AsRef<[u8]> + ?Sized + 'a,
    {
        let judge = Judge {
            policy: self.policy,
            channel: self.channel,
            pin: self.pin,
        };
        let choice = match judge.choose(values) {
            Ok(choice) => choice,
            // The caller may know of other challenges, in another field.
            Err(skipped) => return Next::Refused(Refusal::NoUsableChallenge(skipped)),
        };
        exchange.challenges = exchange.challenges.saturating_add(1);
        if exchange.answer.is_some() {
            exchange.refused = exchange.refused.saturating_add(1);
        }
        exchange.asked = Some(Asked {
            realm: choice.realm().to_bytes().into(),
            is_proxy: self.is_proxy,
        });
        let next = self.weigh(&choice, exchange);
        let exhausted = exchange.closed
            || exchange.refused >= self.policy.max_answers
            || exchange.challenges > self.policy.max_answers.into();
        let next = match next {
            Next::Login | Next::Retry if exhausted => Next::Refused(Refusal::TooManyAnswers),
            next => next,
        };
        exchange.closed |= matches!(next, Next::Refused(_));
        next
    }

    /// What a challenge means in the present state.
    fn weigh(&mut self, choice: &Choice<'_>, exchange: &mut Exchange) -> Next {
        let answer = exchange.answer.as_ref();
        // Where a charset makes a difference, credentials are good for the one they were made for.
        let latin1 = self.policy.latin1;
        let next = match (&mut self.state, choice) {
            (
                State::Ready(Ready::Digest {
                    realm,
                    utf8,
                    hash,
                    login,
                    session,
                    space,
                }),
                Choice::Digest(challenge),
            ) if challenge.realm() == **realm
                && challenge.algorithm().hash() == *hash
                && (!latin1 || login.is_ascii || challenge.is_utf8() == *utf8) =>
            {
                *utf8 = challenge.is_utf8();
                space.extend(space_of(challenge, self.origin.as_ref(), self.is_proxy));
                // The refusal of another user's answer says nothing of this one.
                let answer = answer.filter(|answer| answer.ha1.as_ref() == Some(&login.ha1));
                Session::weigh(session, challenge, answer, &mut exchange.replaced)
            }
            (
                State::Ready(Ready::Basic {
                    realm, utf8, login, ..
                }),
                Choice::Basic(challenge),
            ) if realm
                .as_ref()
                .is_none_or(|realm| challenge.realm() == **realm)
                && (!latin1 || login.is_ascii || challenge.is_utf8() == *utf8) =>
            {
                *utf8 = challenge.is_utf8();
                match answer {
                    Some(answer) if answer.value.as_bytes() == login.value.as_bytes() => {
                        Next::Refused(Refusal::WrongCredentials)
                    }
                    _ => Next::Retry,
                }
            }
            _ => Next::Login,
        };
        if matches!(next, Next::Login | Next::Refused(Refusal::WrongCredentials)) {
            let chosen = Chosen::of(choice, self.origin.as_ref(), self.is_proxy);
            self.state = State::Chosen(chosen.after(&self.state));
        }
        next
    }

    /// Takes the user's name and password for [`realm`](Self::realm).
    ///
    /// For Digest the password is hashed and not kept. Credentials that replace others drop the
    /// nonce with them.
    ///
    /// # Errors
    ///
    /// [`LoginError::NotChallenged`] if no challenge has been chosen; [`LoginError::Text`] if the
    /// name or the password cannot be sent.
    pub fn login(&mut self, username: &str, password: &str) -> Result<(), LoginError> {
        self.log_in(username, Secret::Password(password))
    }

    /// [`login`](Self::login) for those who keep the HA1 and not the password: that of this user,
    /// this [`realm`](Self::realm) and this [`hash`](Self::hash). Its password may be any bytes.
    ///
    /// The policy should be [`without_basic`](Policy::without_basic), and
    /// [`require_hash`](Policy::require_hash) if there are HA1s of one hash only: otherwise the
    /// client chooses, and may choose a challenge that they do not serve.
    ///
    /// ```
    /// use countersign::Channel;
    /// use countersign::client::{Client, Exchange, Next, Policy};
    /// use countersign::digest::{Ha1, Hash};
    ///
    /// let ha1 = Ha1::new(Hash::Sha256, "Mufasa", "files", "Circle of Life");
    /// let policy = Policy::new().without_basic().require_hash(ha1.hash());
    /// let mut client = Client::new(Channel::Encrypted, policy);
    /// let challenges = [
    ///     r#"Digest realm="files", nonce="n", qop="auth", algorithm=SHA-512-256"#,
    ///     r#"Digest realm="files", nonce="n", qop="auth", algorithm=SHA-256"#,
    /// ];
    /// assert_eq!(client.challenged(&mut Exchange::new(), challenges), Next::Login);
    /// assert_eq!(client.realm(), Some(&b"files"[..]));
    /// client.login_with_ha1("Mufasa", &ha1)?;
    /// # Ok::<(), countersign::client::LoginError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`LoginError::NotChallenged`] if no challenge has been chosen,
    /// [`LoginError::PasswordNeeded`] if it is one of Basic, [`LoginError::OtherHash`] if the HA1
    /// is of another hash, [`LoginError::Text`] if the name cannot be sent.
    pub fn login_with_ha1(&mut self, username: &str, ha1: &Ha1) -> Result<(), LoginError> {
        self.log_in(username, Secret::Ha1(ha1))
    }

    fn log_in(&mut self, username: &str, secret: Secret<'_>) -> Result<(), LoginError> {
        let policy = &self.policy;
        let ready = match &self.state {
            State::Idle => return Err(LoginError::NotChallenged),
            State::Chosen(Chosen::Basic { realm, utf8, space }) => Ready::Basic {
                realm: Some(realm.clone()),
                utf8: *utf8,
                login: UserPass::new(policy.latin1 && !utf8, username, secret)?,
                space: space.clone(),
            },
            State::Ready(Ready::Basic {
                realm, utf8, space, ..
            }) => Ready::Basic {
                realm: realm.clone(),
                utf8: *utf8,
                login: UserPass::new(policy.latin1 && !utf8, username, secret)?,
                space: space.clone(),
            },
            State::Chosen(Chosen::Digest { session, space }) => {
                let (realm, utf8) = (session.realm.clone(), session.utf8);
                let hash = session.algorithm.hash();
                let latin1 = policy.latin1 && !utf8;
                Ready::Digest {
                    login: Login::new(hash, &realm, latin1, username, secret)?,
                    realm,
                    utf8,
                    hash,
                    space: space.clone(),
                    session: Some(session.clone()),
                }
            }
            State::Ready(Ready::Digest {
                realm,
                utf8,
                hash,
                space,
                ..
            }) => Ready::Digest {
                login: Login::new(*hash, realm, policy.latin1 && !utf8, username, secret)?,
                realm: realm.clone(),
                utf8: *utf8,
                hash: *hash,
                space: space.clone(),
                // It was another user's.
                session: None,
            },
        };
        self.state = State::Ready(ready);
        Ok(())
    }

    /// Forgets the credentials and the nonce. The pin stays, and so does what counts were sent.
    pub fn logout(&mut self) {
        self.state = State::Idle;
    }

    /// Gives the header value for the next request of an exchange; `None` if there is nothing to
    /// send (yet): before a login, outside of the protection space unless the server asked there,
    /// while the credentials are weaker than the [`pin`](Self::pin), and where the nonce at hand
    /// cannot be used for a request that the server has not challenged.
    ///
    /// Counts: call it once for each request sent. Whoever logs in and whatever nonces come
    /// between, no count of a nonce is given twice, unless 17 others have been in use since.
    /// `cnonce` must be fresh each time; it is not used for Basic, for RFC 2069, and for a `-sess`
    /// algorithm from the second request on.
    ///
    /// # Errors
    ///
    /// Always, [`AuthorizeError::Method`] if the method is not a token, and
    /// [`AuthorizeError::Target`] if the request-target cannot stand in a header.
    ///
    /// The others only after a challenge of this exchange for these credentials:
    /// [`AuthorizeError::TooLong`] if the value would be over
    /// [`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES), [`AuthorizeError::BodyNeeded`] if the response
    /// must cover a body that is not known, [`AuthorizeError::NonceExhausted`] once, when the nonce
    /// has been used 2³² - 1 times. Before such a challenge the result is `None` instead: the request
    /// goes without credentials, and the challenge that comes back takes the place of the nonce that
    /// could not be used. So nothing that a server, or someone in its place, has said once keeps the
    /// client out later. To know before the first request that the body will be needed, ask
    /// [`forecast`](Self::forecast).
    pub fn authorize<'e>(
        &mut self,
        exchange: &'e mut Exchange,
        target: &Target<'_>,
        cnonce: &Cnonce,
    ) -> Result<Option<&'e Answer>, AuthorizeError> {
        exchange.answer = None;
        check_request(target)?;
        let State::Ready(ready) = &mut self.state else {
            return Ok(None);
        };
        // The pin may have risen after the challenge was chosen.
        if exchange.closed || ready.strength() < self.pin {
            return Ok(None);
        }
        let asked = exchange.asked.as_ref().is_some_and(|asked| {
            asked.is_proxy == self.is_proxy
                && ready.realm().is_none_or(|r| *r == *asked.realm)
                && is_ours(target, self.origin.as_ref())
        });
        let covered = |space: &Space| asked || space.covers(target.uri, self.origin.as_ref());
        let made = match ready {
            Ready::Basic { login, space, .. } => {
                if asked {
                    let of_target = match self.is_proxy {
                        true => Space::Whole,
                        false => Space::of_path(target.uri),
                    };
                    match space {
                        Some(space) => space.extend(of_target),
                        None => *space = Some(of_target),
                    }
                }
                if !space.as_ref().is_some_and(covered) {
                    return Ok(None);
                }
                basic_answer(login)
            }
            Ready::Digest {
                login,
                space,
                session,
                ..
            } => {
                if !covered(space) {
                    return Ok(None);
                }
                let Some(current) = session else {
                    return Ok(None);
                };
                let counts = &mut self.counts;
                let made = digest_answer(current, login, &self.policy, target, cnonce, counts);
                if asked && matches!(made, Err(AuthorizeError::NonceExhausted)) {
                    *session = None;
                }
                made
            }
        };
        match made {
            Ok(answer) => {
                exchange.asked = None;
                Ok(Some(exchange.answer.insert(answer)))
            }
            // The server has not asked this time. It may have changed its mind since it, or someone
            // in its place, said what cannot be answered.
            Err(_) if !asked => Ok(None),
            Err(why) => Err(why),
        }
    }

    /// Takes a response that does not ask for this client's credentials, whatever its status:
    /// checks the server's own proof, and keeps its next nonce. `info` is all values of
    /// `Authentication-Info` or its `Proxy-` twin, those from the head and those from the trailers
    /// together: each call is judged by itself, so a head whose proof is yet to come in the
    /// trailers is one without a proof. Without any it is `[] as [&str; 0]`. `body` is the
    /// response's, and only looked at for `qop=auth-int`.
    ///
    /// A redirect ends an exchange, too: the request that follows it is another.
    ///
    /// For an origin's client that is any status but 401, and 407, which never reached the origin;
    /// for a proxy's client any but 407.
    ///
    /// # Errors
    ///
    /// [`ServerProofError`]: whoever sent this response is not known to know the secret. Do not
    /// trust it.
    pub fn accepted<'a, I, V>(
        &mut self,
        exchange: &mut Exchange,
        info: I,
        body: Body<'_>,
    ) -> Result<ServerProof, ServerProofError>
    where
        I: IntoIterator<Item = &'a V>,
        V: AsRef<[u8]> + ?Sized + 'a,
    {
        let Some(answer) = &exchange.answer else {
            return match self.policy.server_proof {
                true => Err(ServerProofError::Missing),
                false => Ok(ServerProof::Absent),
            };
        };
        let credentials = answer.digest();
        let (info, proof) = match &credentials {
            Some(credentials) => {
                let info = AuthenticationInfo::parse(info)?;
                (info, answer.check(credentials, &info, body)?)
            }
            // For Basic the field means nothing (RFC 7615, section 3).
            None => (AuthenticationInfo::new(), ServerProof::Absent),
        };
        if self.policy.server_proof && proof != ServerProof::Valid {
            return Err(ServerProofError::Missing);
        }
        exchange.refused = 0;
        exchange.challenges = 0;
        exchange.replaced = false;
        exchange.closed = false;
        // Whatever was chosen or forgotten since.
        self.pin = self.pin.max(match &credentials {
            Some(credentials) => Pin::of(credentials.algorithm().hash()),
            None => Pin::Basic,
        });
        // The answer of another login says nothing of this one.
        if let Some(credentials) = credentials
            && let State::Ready(Ready::Digest { login, session, .. }) = &mut self.state
            && let Some(session) = session
            && answer.ha1.as_ref() == Some(&login.ha1)
        {
            if credentials.nonce() != *session.nonce {
                // A session that has moved on has no use for the next nonce of an old one.
                session.accepted = session.accepted.max(Accepted::Before);
            } else {
                session.accepted = Accepted::Now;
                if let Some(next) = info.nextnonce().filter(|next| !next.is_empty()) {
                    session.renew(next);
                }
            }
        }
        Ok(proof)
    }

    /// Whether these credentials are meant for a request-target: by the `domain` of the challenge,
    /// or for Basic by its path (RFC 7617, section 2.2). Elsewhere nothing is sent unasked.
    ///
    /// Paths cover what is below them, whatever its query; a URI of `domain` that has a query itself
    /// covers nothing.
    pub fn covers<U: AsRef<[u8]> + ?Sized>(&self, uri: &U) -> bool {
        match &self.state {
            State::Ready(Ready::Basic {
                space: Some(space), ..
            })
            | State::Ready(Ready::Digest { space, .. })
            | State::Chosen(Chosen::Digest { space, .. }) => {
                space.covers(uri.as_ref(), self.origin.as_ref())
            }
            _ => false,
        }
    }

    /// What the first request of an exchange for this request-target will be like, so that a caller
    /// with a large body need not send it twice: it may probe with an empty request, or
    /// `Expect: 100-continue`.
    pub fn forecast<U: AsRef<[u8]> + ?Sized>(&self, uri: &U) -> Forecast {
        match &self.state {
            State::Ready(ready) if ready.strength() < self.pin => Forecast::Challenge,
            State::Ready(Ready::Digest {
                session: Some(session),
                ..
            }) if self.covers(uri) => {
                let wants_body = match self.policy.auth_int {
                    AuthInt::LastResort => !session.qop.contains(Qop::Auth),
                    AuthInt::Preferred | AuthInt::Required => true,
                };
                if wants_body && session.qop.contains(Qop::AuthInt) {
                    Forecast::AnswerOverBody(session.algorithm.hash())
                } else {
                    Forecast::Answer
                }
            }
            State::Ready(Ready::Basic { .. }) if self.covers(uri) => Forecast::Answer,
            _ => Forecast::Challenge,
        }
    }
}

/// Whether a request-target may be answered at all: not if it names another origin.
fn is_ours(target: &Target<'_>, origin: Option<&OwnedOrigin>) -> bool {
    Space::Whole.covers(target.uri, origin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::counts::NonceHash;

    const CHALLENGE: [&str; 1] = [r#"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#];

    #[test]
    fn a_nonce_is_never_counted_past_its_end() {
        let mut client = Client::new(Channel::Encrypted, Policy::new());
        let mut exchange = Exchange::new();
        let target = Target::new("GET", "/");
        let cnonce = Cnonce::new("c").unwrap();
        assert_eq!(client.challenged(&mut exchange, CHALLENGE), Next::Login);
        client.login("Mufasa", "Circle of Life").unwrap();
        client.counts.of(&NonceHash::of(b"n")).count = u32::MAX - 1;

        let answer = client.authorize(&mut exchange, &target, &cnonce).unwrap();
        let value = answer.unwrap().to_str().unwrap();
        assert!(value.contains("nc=ffffffff"), "{value}");
        // Unasked, the next request goes without.
        let mut exchange = Exchange::new();
        let unasked = client.authorize(&mut exchange, &target, &cnonce);
        assert!(matches!(unasked, Ok(None)), "{unasked:?}");
        // A server that insists on this nonce is an error, once.
        assert_eq!(client.challenged(&mut exchange, CHALLENGE), Next::Retry);
        assert_eq!(
            client.authorize(&mut exchange, &target, &cnonce).err(),
            Some(AuthorizeError::NonceExhausted)
        );
        let again = client.authorize(&mut exchange, &target, &cnonce);
        assert!(matches!(again, Ok(None)), "{again:?}");
        // Another nonce needs no login.
        let mut exchange = Exchange::new();
        let other = CHALLENGE.map(|value| value.replace(r#""n""#, r#""m""#));
        assert_eq!(client.challenged(&mut exchange, &other), Next::Retry);
        let answer = client.authorize(&mut exchange, &target, &cnonce).unwrap();
        assert!(answer.unwrap().to_str().unwrap().contains("nc=00000001"));
        // A server that has no other gets no answer, rather than the first count again.
        client.login("Mufasa", "Circle of Life").unwrap();
        let mut exchange = Exchange::new();
        assert_eq!(client.challenged(&mut exchange, CHALLENGE), Next::Retry);
        assert_eq!(
            client.authorize(&mut exchange, &target, &cnonce).err(),
            Some(AuthorizeError::NonceExhausted)
        );
    }
}
