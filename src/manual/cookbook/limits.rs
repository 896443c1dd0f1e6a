//! Rate limits and logs.
//!
//! # A rate limiter
//!
//! Ask the limiter between `begin` and `verify`, so that a client over its limit does not learn
//! whether a password was right. Count only the
//! [class](crate::server::RejectionClass) `WrongSecret`, and
//! [`MissingHa1`](crate::server::Rejection::MissingHa1): if a user without an HA1 of the chosen
//! hash function were not limited, and unknown users are, the limit would reveal who exists. A
//! replay, or a field that was made for another request-target, is no guess at a password. If these
//! counted, anyone who has captured a field could send it to lock its user out.
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use std::collections::HashMap;
//! use std::hash::{BuildHasher, RandomState};
//! use std::net::IpAddr;
//! use std::time::{Duration, Instant};
//!
//! use countersign::server::{Arrival, Authenticator, Rejection, RejectionClass};
//! use countersign::wire::basic_credentials;
//! use countersign::{Channel, Target};
//!
//! #[derive(Clone, Eq, Hash, PartialEq)]
//! enum Subject {
//!     /// The id of an account, which is the same for all spellings of the user name.
//!     Account(u64),
//!     /// Unknown users are limited, too. Otherwise the limit would reveal which users exist.
//!     /// The name is hashed, because it can be long.
//!     Unknown(u64),
//! }
//!
//! /// The number of wrong passwords and the time of the first, for each subject and address. With
//! /// limits by subject alone, anyone could lock a user out.
//! #[derive(Default)]
//! struct Limiter(HashMap<(Subject, IpAddr), (u32, Instant)>, RandomState);
//!
//! impl Limiter {
//!     const LIMIT: u32 = 20;
//!     const PERIOD: Duration = Duration::from_secs(300);
//!     const MAX_ENTRIES: usize = 10_000;
//!
//!     /// Returns how long to wait if the limit is reached.
//!     fn wait(&mut self, key: &(Subject, IpAddr)) -> Option<Duration> {
//!         let (wrong, since) = self.0.get(key)?;
//!         let left = Self::PERIOD.checked_sub(since.elapsed())?;
//!         (*wrong >= Self::LIMIT).then_some(left)
//!     }
//!
//!     fn count(&mut self, key: (Subject, IpAddr)) {
//!         // Clients choose the unknown names, so bound their number. Half of them go at once, so
//!         // that looking for the oldest costs little for each wrong password.
//!         if self.0.len() >= Self::MAX_ENTRIES && !self.0.contains_key(&key) {
//!             let mut times: Vec<_> = self.0.values().map(|(_, since)| *since).collect();
//!             let middle = *times.select_nth_unstable(Self::MAX_ENTRIES / 2).1;
//!             self.0.retain(|_, (_, since)| *since > middle);
//!         }
//!         let (wrong, since) = self.0.entry(key).or_insert((0, Instant::now()));
//!         if since.elapsed() >= Self::PERIOD {
//!             (*wrong, *since) = (0, Instant::now());
//!         }
//!         *wrong += 1;
//!     }
//! }
//!
//! fn answer(
//!     auth: &Authenticator,
//!     limiter: &mut Limiter,
//!     request: &http::Request<()>,
//!     peer: IpAddr,
//! ) -> http::Response<()> {
//!     let uri = request.uri().path_and_query().map_or("/", |uri| uri.as_str());
//!     let target = Target::new(request.method().as_str(), uri);
//!     // Cleartext, if the connection is not TLS: Basic is then neither offered nor accepted.
//!     let arrival = Arrival::now(Channel::Encrypted);
//!     let credentials = request.headers().get_all("authorization");
//!     let attempt = match auth.begin(credentials, &target, &arrival) {
//!         Ok(attempt) => attempt,
//!         Err(rejected) => return refused(auth.refuse(&rejected)),
//!     };
//!     let user = attempt.claimed_user();
//!     let account = find(&user);
//!     let subject = match &account {
//!         Some(account) => Subject::Account(account.id),
//!         None => Subject::Unknown(limiter.1.hash_one(&user)),
//!     };
//!     let key = (subject, peer);
//!     if let Some(wait) = limiter.wait(&key) {
//!         // A challenge would make a browser prompt the user, so send none.
//!         let response = http::Response::builder().status(429);
//!         return response.header("retry-after", wait.as_secs() + 1).body(()).unwrap();
//!     }
//!     match attempt.verify(account).and_then(|verified| auth.admit(verified)) {
//!         Ok(grant) => granted(grant),
//!         Err(rejected) => {
//!             let is_missing = rejected.rejection() == Rejection::MissingHa1;
//!             if is_missing || rejected.class() == RejectionClass::WrongSecret {
//!                 limiter.count(key);
//!             }
//!             refused(auth.refuse(&rejected))
//!         }
//!     }
//! }
//! # use countersign::digest::{Ha1, HashFunction, User};
//! # use countersign::server::{BasicOffer, Grant, Realm, Refusal};
//! # struct Account { id: u64, ha1: Ha1 }
//! # impl AsRef<Ha1> for Account {
//! #     fn as_ref(&self) -> &Ha1 { &self.ha1 }
//! # }
//! # fn find(user: &User<'_>) -> Option<Account> {
//! #     let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", "files", "Circle of Life");
//! #     (user.name() == Some("Mufasa")).then_some(Account { id: 1, ha1 })
//! # }
//! # fn granted(_: Grant<'_, Account>) -> http::Response<()> { http::Response::new(()) }
//! # fn refused(refusal: Refusal) -> http::Response<()> {
//! #     http::Response::builder().status(refusal.status).body(()).unwrap()
//! # }
//! # let realm = Realm::new("files")?.with_basic(BasicOffer::Encrypted);
//! # let auth = Authenticator::new(realm, 100, &mut getrandom::SysRng)?;
//! # let limiter = &mut Limiter::default();
//! # let mut send = |name: &str, password: &str, peer: [u8; 4]| {
//! #     let value = basic_credentials(name, password).unwrap();
//! #     let request = http::Request::builder().header("authorization", value.as_bytes());
//! #     answer(&auth, limiter, &request.body(()).unwrap(), peer.into()).status().as_u16()
//! # };
//! # for name in ["Mufasa", "nobody"] {
//! #     for wrong in 0..25 {
//! #         let status = if wrong < Limiter::LIMIT { 401 } else { 429 };
//! #         assert_eq!(send(name, "wrong", [192, 0, 2, 7]), status);
//! #     }
//! # }
//! # assert_eq!(send("Mufasa", "Circle of Life", [192, 0, 2, 7]), 429);
//! # assert_eq!(send("Mufasa", "Circle of Life", [192, 0, 2, 8]), 200);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The limit leaves room for one mistake that arrives several times: a browser with six connections
//! sends a wrong password with each. A limit of five would lock out a user who mistypes once. A
//! client of this crate sends a password that was changed [up to eight
//! times](crate::client::states#refused-secrets) for each request in flight: if many are usual,
//! allow as many. When an account gets another password, forget its counts.
//!
//! If your store takes several spellings for one account, or the realm offers `userhash`, a limit
//! that one spelling reaches for another reveals that the account exists. Fold unknown names as the
//! store does, and hash them as `userhash` does.
//!
//! RFC 6585, section 4, defines status 429 and its `Retry-After`. Also count by address alone, with
//! a higher limit, against password spraying, and because an entry that is dropped frees its user:
//! this limiter forgets the older half of its counts when it is full, after 5,000 wrong passwords
//! for other names or more. The one of `countersign-tower` first forgets those who are below the
//! limit.
//!
//! Behind a reverse proxy, all connections come from its address. Then a few wrong passwords from
//! anywhere would keep the user out, and a ban would keep out everybody. Take the address from a
//! field that this proxy sets itself, in place of what the client sent. If each of several proxies
//! in a row appends to a list such as `X-Forwarded-For`, the client's address is the one that the
//! outermost of yours has appended: with two, the last but one. If there is none, do not limit by
//! address, and do not ban.
//!
//! For IPv6, take the first 64 bits as the address, but call
//! [`to_canonical`](std::net::IpAddr::to_canonical) first: a listener for both IPv6 and IPv4 sees
//! an IPv4 client as `::ffff:192.0.2.7`, and the first 64 bits of all these are zero. The addresses
//! of NAT64 (`64:ff9b::/96`) share their first 64 bits, too, so all clients behind it have one
//! count: take the last 32 bits of these.
//!
//! Over UDP, as in SIP, the address of a request may be anybody's: see [SIP
//! servers](super::sip#a-sip-server).
//!
//! Requests that are checked at the same time can exceed a limit, each by one, unless the limiter
//! is asked again after the check, before the client is told.
//!
//! For tower services there is `server::Limiter` in the crate `countersign-tower`.
//!
//! # Old passwords
//!
//! A device that keeps the old password after a change goes on sending it, and its refusals would
//! lock out the user's other devices at its address. To repeat one wrong password is not guessing.
//! So, unless the old one has leaked, keep its HA1s for some days, apart from those that let in. If
//! the check fails with `WrongCredentials`, look whether the old ones fit, and refuse the request
//! without counting it, also in the log, which a ban may be based on. After a rename, do the same
//! with the HA1s of the old name. (Whoever sends one often can tell from the missing 429 that it
//! was right once.)
//!
//! Each old HA1 costs one check: pad them to the same number for all users, also unknown ones, if
//! the time is not to show who exists.
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use countersign::digest::Ha1;
//! use countersign::wire::basic_credentials;
//! use countersign::server::{Attempt, Rejected, Rejection, RejectionClass, Verified};
//!
//! /// What to do with a refused request: whether to count it as a guess.
//! fn verify<'a>(
//!     attempt: Attempt<'a>,
//!     current: Option<&'a Ha1>,
//!     old: &'a [Ha1],
//! ) -> Result<Verified<'a, &'a Ha1>, (Rejected<'a>, bool)> {
//!     let again = attempt.clone();
//!     attempt.verify(current).map_err(|rejected| match rejected.rejection() {
//!         // Right with an old nonce is right, too.
//!         Rejection::WrongCredentials => match again.verify_any(old) {
//!             Ok(_) => (rejected, false),
//!             Err(why) => (rejected, why.class() != RejectionClass::Stale),
//!         },
//!         why => (rejected, why == Rejection::MissingHa1),
//!     })
//! }
//! # use countersign::digest::HashFunction;
//! # use countersign::server::{Arrival, Authenticator, BasicOffer, Realm};
//! # use countersign::{Channel, Target};
//! # let realm = Realm::new("files")?.with_basic(BasicOffer::Encrypted);
//! # let auth = Authenticator::new(realm, 100, &mut getrandom::SysRng)?;
//! # let ha1 = |password: &str| Ha1::new(HashFunction::Sha256, "Mufasa", "files", password);
//! # let (current, old) = (ha1("Circle of Life"), [ha1("Hakuna Matata")]);
//! # for (password, expected) in [
//! #     ("Circle of Life", Ok(())),
//! #     ("Hakuna Matata", Err(false)),
//! #     ("a guess", Err(true)),
//! # ] {
//! #     let value = basic_credentials("Mufasa", password)?;
//! #     let (target, arrival) = (Target::new("GET", "/"), Arrival::now(Channel::Encrypted));
//! #     let attempt = auth.begin([&value], &target, &arrival).unwrap();
//! #     let outcome = verify(attempt, Some(&current), &old);
//! #     assert_eq!(outcome.map(|_| ()).map_err(|(_, is_guess)| is_guess), expected);
//! # }
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A log
//!
//! [`Rejected`](crate::server::Rejected) has the reason and the claimed user. Log the
//! [name](crate::server::Rejection::name) of the reason, which is stable, and the user with
//! `Display`, which escapes what the client wrote. (It may be a password that was typed in place of
//! the name: see the [duties](crate::manual::security::duties#as-a-server).) Limit its length, for
//! example to 200 characters: a name can be as long as a header, and escapes are longer than what
//! they stand for. Log the [class](crate::server::RejectionClass) `ServerFault` as an error, and
//! `Suspicious` as a warning.
//!
//! For a grant, log the name of the account: `User::Name(name.into())` writes it with the same
//! escapes. A 413 or 429 that your program sends is no [`Rejection`](crate::server::Rejection):
//! choose a name for it. What to log and to count for each rejection is on the page
//! [`errors`](crate::manual::errors#a-server-rejects-a-request).
