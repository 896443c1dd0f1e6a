//! Schemes other than Basic and Digest.
//!
//! # Other schemes
//!
//! This crate implements Basic and Digest. For all other schemes it parses challenges and
//! credentials, and writes them so that no text can inject anything. Their meaning is up to you:
//! `Client` and `Authenticator` protect neither tokens nor connections of another scheme. Refuse
//! tokens on a cleartext channel, and compare them in constant time, or look up their hash.
//!
//! A server adds its own challenges to the [`challenges`](crate::server::Refusal::challenges) of a
//! refusal. It handles credentials of these schemes before it calls `begin`, which refuses them
//! with [`SchemeNotOffered`](crate::server::Rejection::SchemeNotOffered):
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use countersign::server::{Arrival, Attempt, Authenticator, Rejected};
//! use countersign::{Authorization, Channel, FieldValue, InvalidText, Target};
//!
//! /// Returns the token if the request has exactly one `Authorization`, of the scheme `Bearer`.
//! fn bearer<'a>(credentials: &[&'a str]) -> Option<&'a str> {
//!     let [value] = credentials else { return None };
//!     match Authorization::parse(*value) {
//!         Ok(Authorization::Other(raw)) if raw.scheme_name().eq_ignore_ascii_case("Bearer") => {
//!             raw.token68()
//!         }
//!         _ => None,
//!     }
//! }
//!
//! /// Returns the status and the challenges.
//! fn answer(
//!     auth: &Authenticator,
//!     credentials: &[&str],
//! ) -> Result<(u16, Vec<String>), InvalidText> {
//!     let mut params = vec![("realm", "api")];
//!     if let Some(token) = bearer(credentials) {
//!         if is_valid(token) {
//!             return Ok((200, Vec::new()));
//!         }
//!         params.push(("error", "invalid_token"));
//!     }
//!     // Cleartext, if the connection is not TLS: Basic is then neither offered nor accepted.
//!     let (target, arrival) = (Target::new("GET", "/"), Arrival::now(Channel::Encrypted));
//!     let attempt = auth.begin(credentials.iter().copied(), &target, &arrival);
//!     let rejected = match attempt.and_then(|attempt| verify_and_admit(auth, attempt)) {
//!         Ok(status) => return Ok((status, Vec::new())),
//!         Err(rejected) => rejected,
//!     };
//!     let mut refusal = auth.refuse(&rejected);
//!     if matches!(refusal.status, 401 | 407) {
//!         refusal.challenges.push(FieldValue::with_params("Bearer", &params)?);
//!     }
//!     let text = refusal.challenges.iter().map(|value| value.to_str().unwrap().to_owned());
//!     Ok((refusal.status, text.collect()))
//! }
//! # fn is_valid(token: &str) -> bool { token == "mF_9.B5f-4.1JqM" }
//! # fn verify_and_admit<'a>(_: &Authenticator, _: Attempt<'a>) -> Result<u16, Rejected<'a>> {
//! #     unreachable!()
//! # }
//! # use countersign::server::Realm;
//! # let auth = Authenticator::new(Realm::new("files")?, 100, &mut getrandom::SysRng)?;
//! # for (credentials, status, last) in [
//! #     (&[][..], 401, Some(r#"Bearer realm="api""#)),
//! #     (&["Bearer mF_9.B5f-4.1JqM"], 200, None),
//! #     (&["bearer old"], 401, Some(r#"Bearer realm="api", error="invalid_token""#)),
//! #     (&["Digest"], 400, None),
//! #     (&["Bearer mF_9.B5f-4.1JqM", "Bearer x"], 400, None),
//! # ] {
//! #     let (code, challenges) = answer(&auth, credentials)?;
//! #     assert_eq!((code, challenges.last().map(|it| &**it)), (status, last), "{credentials:?}");
//! # }
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A client program that adds a scheme looks for that scheme in the challenges first, once for each
//! request: if the token is refused, the next response is treated as if there were no token. If it
//! has no token for any challenge, it gives the response to
//! [`received`](crate::client::Client::received). Scheme names are case-insensitive.
//!
//! ```
//! use countersign::client::Endpoint;
//! use countersign::{Challenge, FieldValue, InvalidText, RawChallenge, challenges};
//!
//! /// Returns the answer to the first challenge of a scheme that `token_for` has a token for.
//! fn answer<'a>(
//!     www_authenticate: impl IntoIterator<Item = &'a str>,
//!     token_for: impl Fn(&RawChallenge<'_>) -> Option<String>,
//! ) -> Result<Option<FieldValue>, InvalidText> {
//!     for challenge in challenges(www_authenticate) {
//!         if let Ok(Challenge::Other(raw)) = challenge
//!             && let Some(token) = token_for(&raw)
//!         {
//!             return FieldValue::with_token68(raw.scheme_name(), &token).map(Some);
//!         }
//!     }
//!     Ok(None)
//! }
//!
//! let endpoint = Endpoint::origin("https", "example.com", None)?; // of this request
//! let token_for = |challenge: &RawChallenge<'_>| {
//!     let is_bearer = challenge.scheme_name().eq_ignore_ascii_case("Bearer");
//!     // Any server can name any realm, so compare the endpoint. `https` keeps the token off
//!     // cleartext channels. Other users of this origin could ask for the token, too, so if there
//!     // are any, compare the path of the request as well.
//!     let is_ours = endpoint.to_string() == "https://example.com:443"
//!         && challenge.param("realm").is_some_and(|realm| realm == "api");
//!     (is_bearer && is_ours).then(|| "mF_9.B5f-4.1JqM".to_owned())
//! };
//! let values = [r#"Digest realm="api", nonce="n""#, r#"Negotiate, Bearer realm="api""#];
//! let value = answer(values, token_for)?.unwrap();
//! assert_eq!(value, "Bearer mF_9.B5f-4.1JqM");
//! assert_eq!(answer(["Negotiate"], token_for)?, None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - The client's policy and required strength do not cover such an answer. A forged challenge of
//!   another scheme can keep a client from using Digest.
//! - Send no `Authorization` of [`authorize`](crate::client::Client::authorize) with that request:
//!   the field holds one value. Pass the response to the client only if it is a challenge.
//! - Negotiate and NTLM may take several steps: the next request must use the same connection. A
//!   server's last token is in the `WWW-Authenticate` of a response other than 401 (RFC 4559,
//!   section 5).
//! - If the credentials of a scheme have parameters, build them with
//!   [`FieldValue::with_params`](crate::FieldValue::with_params).
