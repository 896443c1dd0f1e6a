//! Servers in a web framework.
//!
//! # An asynchronous server
//!
//! With an asynchronous user store you cannot await inside the closure of `and_then`. Use a
//! function that returns a response in both cases:
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use countersign::digest::{Ha1, HashFunction};
//! use countersign::server::{Arrival, Authenticator, Rejected};
//! use countersign::{Channel, EntityBody, Target};
//!
//! async fn answer(auth: &Authenticator, request: &Request) -> Result<Response, Response> {
//!     let refuse = |rejected: Rejected| Response::refused(auth.refuse(&rejected));
//!     let target = Target::new(&request.method, &request.target);
//!     // Cleartext, if the connection is not TLS: Basic is then neither offered nor accepted.
//!     let arrival = Arrival::now(Channel::Encrypted);
//!     let attempt = auth.begin(request.authorization.iter(), &target, arrival).map_err(refuse)?;
//!     let account = look_up(attempt.claimed_user().name(), attempt.hash_function()).await;
//!     let verified = attempt.verify(account).map_err(refuse)?;
//!     let grant = auth.admit(verified).map_err(refuse)?;
//!     Ok(Response::granted(grant.authentication_info(EntityBody::Unknown)))
//! }
//! # struct Request { method: String, target: String, authorization: Vec<String> }
//! # struct Response;
//! # impl Response {
//! #     fn refused(_: countersign::server::Refusal) -> Self { Self }
//! #     fn granted(_: Option<countersign::FieldValue>) -> Self { Self }
//! # }
//! # async fn look_up(_: Option<&str>, _: HashFunction) -> Option<Ha1> { None }
//! # let _ = answer;
//! # }
//! ```
//!
//! The `Authenticator` is shared by `Arc` or by reference, and needs no lock around it: its own
//! locks are held for short computations only, never across an await. A future that is dropped
//! before `admit` has recorded nothing. Compute a slow password hash on a blocking thread. Bound
//! the number of hashes that run at once, because anyone can cause one: see [slow password
//! hashes](super::users#slow-password-hashes).
//!
//! # The request-target of a framework
//!
//! The response covers the request-target as it is on the request line. axum's `nest` strips a
//! prefix from the `Uri`: use `OriginalUri`. hyper gives an absolute `Uri` for HTTP/2, where the
//! client hashed `:path`: use `path_and_query()`, which is right for HTTP/1 in origin form, too. A
//! proxy needs the whole `Uri`, by `to_string()`. With a wrong target Digest usually fails with
//! [`UriMismatch`](crate::server::Rejection::UriMismatch), while Basic works.
//!
//! # A response built elsewhere
//!
//! A [`Grant`](crate::server::Grant) borrows the request. Its
//! [`receipt`](crate::server::Grant::receipt) does not: keep the receipt in the extensions of the
//! request, together with the account, and build the `Authentication-Info` from the receipt once
//! the response is known. A [`Rejected`](crate::server::Rejected) borrows nothing. axum's `Request`
//! is not `Sync`: split the request with `into_parts` before an await, and hold the parts.
//!
//! # Checked once
//!
//! The same credentials, checked a second time for one request, are a
//! [replay](crate::server::Rejection::Replayed). So check at one place, and pass the account on.
