//! Large request bodies.
//!
//! # A large upload
//!
//! [`Client::readiness`](crate::client::Client::readiness) predicts whether the first request will
//! carry an answer. If not, send `Expect: 100-continue`, or probe first with a safe method (HEAD or
//! OPTIONS) for the same request-target, in an exchange of its own. Never probe with an empty PUT:
//! a server that does not ask for credentials would store the empty body. With
//! [`require_server_proof`](crate::client::Policy::require_server_proof), a probe that needs no
//! credentials is [`Missing`](crate::client::ServerProofError::Missing).
//!
//! # A streaming body
//!
//! Where the response covers the body (`auth-int`), the attempt tells which hash function it needs:
//! see the example at
//! [`Attempt::required_body_hash`](crate::server::Attempt::required_body_hash). Call
//! [`nonce_is_fresh`](crate::server::Attempt::nonce_is_fresh) before reading a large body.
