//! Large request bodies.
//!
//! # A large upload
//!
//! A body that is sent with a request that gets a 401 has to be sent again. So find out first
//! whether the request will carry an answer:
//! [`Client::readiness`](crate::client::Client::readiness) predicts it. If it will not, choose one:
//!
//! - Send `Expect: 100-continue` and wait for a 100 before the body. A server that supports this
//!   and refuses the request answers 401 at once. One that does not support it usually sends
//!   nothing, so wait for a limited time. After a 417, send the request again without the field
//!   (RFC 9110, section 10.1.1).
//! - Probe with a safe method (HEAD or OPTIONS) for the same request-target, in a separate
//!   exchange. Never probe with an empty PUT: a server that does not ask for credentials would
//!   store the empty body. With
//!   [`require_server_proof`](crate::client::Policy::require_server_proof), `received` returns the
//!   error [`Missing`](crate::client::ServerProofError::Missing) for a probe that is not
//!   challenged.
//!
//! Where the answer has to cover the body of the request (`auth-int`), pass the hash of the body:
//!
//! ```
//! use countersign::client::{AuthorizeError, Client, Exchange, Readiness};
//! use countersign::digest::BodyHasher;
//! use countersign::{EntityBody, FieldValue, Target};
//!
//! /// Returns the answer, and whether to send `Expect: 100-continue`.
//! fn prepare<'e>(
//!     client: &mut Client,
//!     exchange: &'e mut Exchange,
//!     uri: &str,
//!     body: &[&[u8]],
//! ) -> Result<(Option<&'e FieldValue>, bool), AuthorizeError> {
//!     let hashed = |hash| {
//!         let mut hasher = BodyHasher::new(hash);
//!         for piece in body {
//!             hasher.update(piece);
//!         }
//!         EntityBody::Hashed(hasher.finish())
//!     };
//!     let mut target = Target::new("PUT", uri);
//!     let readiness = client.readiness(uri);
//!     if let Readiness::AnswerOverBody(hash) = readiness {
//!         target = target.with_body(hashed(hash));
//!     }
//!     // A challenge to this exchange may ask for the body, too, whatever was predicted.
//!     match client.authorize(exchange, &target) {
//!         Err(AuthorizeError::BodyNeeded(hash)) => {
//!             target = target.with_body(hashed(hash));
//!             client.authorize(exchange, &target)?;
//!         }
//!         Err(why) => return Err(why),
//!         Ok(_) => {}
//!     }
//!     let answer = exchange.answer();
//!     Ok((answer, answer.is_none()))
//! }
//! # use countersign::client::{Endpoint, Next, Policy};
//! # let endpoint = Endpoint::origin("https", "example.com", None)?;
//! # let mut client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?;
//! # let mut exchange = Exchange::new();
//! # let body: &[&[u8]] = &[b"Hakuna ", b"Matata"];
//! # assert_eq!(prepare(&mut client, &mut exchange, "/a", body)?, (None, true));
//! # let challenge = r#"Digest realm="files", nonce="n", qop="auth-int", algorithm=SHA-256"#;
//! # let next = client.challenged(&mut exchange, [challenge]);
//! # let Next::Login(ask) = next else { panic!() };
//! # client.login(&ask, "Mufasa", "Circle of Life")?;
//! # let (answer, expects) = prepare(&mut client, &mut exchange, "/a", body)?;
//! # assert!(answer.unwrap().to_str()?.contains("qop=auth-int") && !expects);
//! # let mut exchange = Exchange::new();
//! # assert!(matches!(client.readiness("/b"), Readiness::AnswerOverBody(_)));
//! # let (answer, _) = prepare(&mut client, &mut exchange, "/b", body)?;
//! # assert!(answer.unwrap().to_str()?.contains("nc=00000002"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A server that refuses an upload answers before the body has come. If it then closes the
//! connection, bytes under way can make the client lose the response. So support
//! `Expect: 100-continue`, read what comes up to a limit of bytes and time, and only then close.
//! Where clients send large bodies, also let nonces live for
//! [longer](crate::server::Realm::with_nonce_lifetime) than their pauses: most clients send the
//! whole body again after `stale=true`.
//!
//! # A streaming body
//!
//! A server that offers `auth-int` learns from the attempt which hash function the body needs: see
//! the example at
//! [`Attempt::required_body_hash_function`](crate::server::Attempt::required_body_hash_function).
//!
//! 1. Before a large body is read, check
//!    [`nonce_is_fresh`](crate::server::Attempt::nonce_is_fresh). This stops old and invented
//!    nonces only: anyone gets a fresh one with a 401.
//! 2. So limit the length as well, and answer 413 beyond it; the time, and answer 408; and how many
//!    bodies are read at once, for example by a semaphore, and answer 503.
//! 3. Hash the pieces as they arrive, before a content coding such as gzip is undone.
//! 4. After the body, begin again with its hash and the time of then. A sender
//!    can keep the body open until the nonce has expired or its key is gone, so what the first
//!    attempt found may no longer hold.
//! 5. Use the body only once there is a `Grant`. Until then it may be anybody's: write it to a
//!    temporary file, for example. If you keep it in memory, copy the pieces into one buffer: a
//!    piece of one byte may keep all that the connection was read into.
//!
//! The server's proof then has to cover the body of the HTTP response: pass that body to
//! [`Grant::authentication_info`](crate::server::Grant::authentication_info). If the body is
//! streamed out, send the field as a trailer, which not every client reads.
//!
//! A client that streams a response to `auth-int` needs the hash function before the body comes:
//! set it by [`require_hash`](crate::client::Policy::require_hash), and use the body only after a
//! valid proof.
