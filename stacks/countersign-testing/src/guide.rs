//! Two programs with a fault each, and how it is found.
//!
//! # A server that grants a request twice
//!
//! This server keeps its nonces and the counts that were used, and compares everything that RFC
//! 7616 tells it to. The fault is planted in one line: it may forget to look whether a count is
//! new.
//!
//! ```
//! use std::collections::HashSet;
//!
//! use countersign::digest::{Algorithm, Ha1, HashFunction};
//! use countersign::wire::DigestChallenge;
//! use countersign::{Authorization, Target};
//! use countersign_testing::server::{Scenario, ServerCheck};
//! use http::{Request, Response, StatusCode};
//!
//! struct Server {
//!     nonces: HashSet<String>,
//!     used: HashSet<(String, u32)>,
//!     checks_counts: bool,
//! }
//!
//! impl Server {
//!     fn new(checks_counts: bool) -> Self {
//!         Self { nonces: HashSet::new(), used: HashSet::new(), checks_counts }
//!     }
//!
//!     fn serve(&mut self, request: &Request<Vec<u8>>) -> Response<&'static str> {
//!         if self.admit(request).is_some() {
//!             return Response::new("hello");
//!         }
//!         let nonce = format!("{}", self.nonces.len()); // a real one is not to be guessed
//!         let challenge = DigestChallenge::new("files", &nonce, Algorithm::SHA_256).unwrap();
//!         let challenge = challenge.to_field_value();
//!         self.nonces.insert(nonce);
//!         let response = Response::builder().status(StatusCode::UNAUTHORIZED);
//!         response.header("www-authenticate", challenge.as_ref()).body("").unwrap()
//!     }
//!
//!     fn admit(&mut self, request: &Request<Vec<u8>>) -> Option<()> {
//!         let mut fields = request.headers().get_all("authorization").iter();
//!         let (value, None) = (fields.next()?, fields.next()) else { return None };
//!         let Ok(Authorization::Digest(answer)) = Authorization::parse(value) else { return None };
//!
//!         let uri = request.uri().to_string();
//!         let target = Target::new(request.method().as_str(), &uri);
//!         let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", "files", "Circle of Life");
//!         let right = answer.algorithm() == Algorithm::SHA_256
//!             && answer.realm == "files"
//!             && answer.user().name() == Some("Mufasa")
//!             && answer.uri == uri.as_str()
//!             && answer.expected_response(&ha1, &target) == Some(answer.response);
//!
//!         let nonce = answer.nonce.to_str().ok()?.into_owned();
//!         let known = self.nonces.contains(&nonce);
//!         // Only a right answer uses its count up. (These sets grow without bound.)
//!         let is_new = right && known && self.used.insert((nonce, answer.qop_params?.nc()));
//!         (right && known && (is_new || !self.checks_counts)).then_some(())
//!     }
//! }
//!
//! let check = ServerCheck::new("Mufasa", "Circle of Life");
//!
//! let mut server = Server::new(false);
//! let report = check.run(|request| server.serve(&request));
//! assert_eq!(
//!     report.failed(),
//!     [
//!         Scenario::Replay,
//!         Scenario::ReplayRespelled,
//!         Scenario::CountRepeated,
//!         Scenario::OldCounts,
//!     ],
//! );
//!
//! let mut server = Server::new(true);
//! check.run(|request| server.serve(&request)).assert_clean();
//! ```
//!
//! The server never lets a nonce grow old. [`Scenario::StaleNonce`](crate::server::Scenario) is
//! skipped until it does, and reads a [`Clock`](crate::Clock).
//!
//! # A client that answers the weaker challenge
//!
//! This client asks for a challenge before each request. It takes the strongest, unless the fault
//! is there: then it takes the last.
//!
//! ```
//! # #[cfg(feature = "md5")] {
//! use countersign::digest::{Ha1, HashFunction, Qop, User};
//! use countersign::wire::{AuthenticationInfo, DigestCredentials, QopParams, ha2, response};
//! use countersign::{Challenge, Text, challenges};
//! use countersign_testing::client::{ClientCheck, Network, Scenario};
//! use http::{Request, Response};
//!
//! struct Client {
//!     network: Network, // where a real one has its connections
//!     takes_strongest: bool,
//!     answers: u32,
//! }
//!
//! impl Client {
//!     fn fetch(&mut self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, &'static str> {
//!         let refused = self.network.send(request.clone());
//!         if refused.status() != 401 {
//!             return Ok(refused);
//!         }
//!         let mut offered = Vec::new();
//!         for challenge in challenges(refused.headers().get_all("www-authenticate")) {
//!             match challenge {
//!                 Ok(Challenge::Digest(it))
//!                     if it.qop.contains(Qop::Auth) && !it.algorithm().is_sess() =>
//!                 {
//!                     offered.push(it);
//!                 }
//!                 _ => {}
//!             }
//!         }
//!         if self.takes_strongest {
//!             offered.sort_by_key(|it| it.algorithm().hash_function() != HashFunction::Md5);
//!         }
//!         let Some(challenge) = offered.last() else { return Ok(refused) };
//!
//!         self.answers += 1;
//!         let cnonce = self.answers.to_string(); // a real one is not to be guessed
//!         let qop = QopParams::new("auth", "00000001", &cnonce).unwrap();
//!         let uri = request.uri().path_and_query().unwrap().to_string();
//!         let hash = challenge.algorithm().hash_function();
//!         let ha1 = Ha1::new(hash, "Mufasa", challenge.realm, "Circle of Life");
//!         let of_server = ha2(hash, "", &*uri, None);
//!         let proof = response(&ha1, challenge.nonce, Some(&qop), &of_server);
//!         let ha2 = ha2(hash, request.method().as_str(), &*uri, None);
//!         let response = response(&ha1, challenge.nonce, Some(&qop), &ha2);
//!         let (user, text) = (User::from("Mufasa"), Text::new(&uri).unwrap());
//!         let answer = DigestCredentials::new(challenge, &user, text, Some(qop), response).unwrap();
//!
//!         let mut request = request;
//!         let value = answer.to_field_value().as_bytes().try_into().unwrap();
//!         request.headers_mut().insert("authorization", value);
//!         let granted = self.network.send(request);
//!         match AuthenticationInfo::parse(granted.headers().get_all("authentication-info")) {
//!             Ok(info) if info.rspauth.is_some() && !info.has_proof(&proof) => {
//!                 Err("the server does not know the password")
//!             }
//!             _ => Ok(granted),
//!         }
//!     }
//! }
//!
//! let run = |takes_strongest| {
//!     ClientCheck::new("Mufasa", "Circle of Life").run(|network| {
//!         let mut client = Client { network, takes_strongest, answers: 0 };
//!         move |request| client.fetch(request)
//!     })
//! };
//! assert_eq!(run(false).failed(), [Scenario::StrongestFirst]);
//! run(true).assert_clean();
//! # }
//! ```
//!
//! # What a clean report means
//!
//! That none of these scenarios found a fault. They can not see what no message shows: whether
//! nonces can be guessed, whether passwords are compared in constant time, or what happens when
//! requests arrive at once.
#![doc = include_str!("programs.md")]
