//! SIP proxies.
//!
//! What a [server](super::server) has to know of values, URIs, retransmissions, guesses and nodes
//! is for a proxy, too.
//!
//! # Which requests to challenge
//!
//! These rules are about credentials alone; what else a proxy checks is not their subject.
//!
//! - Challenge a request whose sender claims to be one of your users, with a `From` in your domain
//!   (also in another name of it, or at one of your addresses), and each that leads to a gateway or
//!   out of your domain, also with an anonymous `From`. Then check that the account may use what
//!   the request says of the sender, such as `From`, `Contact` and `P-Asserted-Identity`: the
//!   response to a challenge covers none of these.
//! - Do not challenge a peer without an account, such as another domain or a trunk: it cannot
//!   answer, so no call would come in. Know a trunk by other means, such as TLS or its address. Let
//!   the requests of others reach your own users only, and no gateway, and remove
//!   `P-Asserted-Identity` from them (RFC 3325, section 5).
//! - Within a dialog, the other side has no account either: it cannot answer a challenge to its
//!   `BYE` or its second `INVITE`. Let such a request pass only if you remember the dialog, whose
//!   `INVITE` you let pass, and send it only to the other side of that dialog, whatever its
//!   Request-URI and its further `Route` name. A tag in `To` shows nothing, because anyone can
//!   invent one; and whoever was called knows all that you put into `Record-Route`. With either and
//!   a `Route` to the gateway, strangers would call at your expense.
//!
//! # Requests that you forward
//!
//! Pass the value of `Proxy-Authorization` for your realm to `begin`, and leave those for other
//! realms (RFC 3261, section 22.3). Remove yours from every request, also from an `ACK`, which you
//! do not check. If a second proxy of the same realm comes after you, it cannot check, so it has to
//! trust you. From a request that leaves your domain, remove the values for all realms of your
//! domain in both fields: some phones send the answer for their registrar with a call. Remove each
//! Basic value from `Proxy-Authorization` and `Authorization`: it names no realm, and holds a
//! password.
//!
//! # Responses from outside
//!
//! Whoever is called, or another domain, could pass on a challenge of yours, and get credentials
//! with which to call somebody in the caller's name. So from a response that comes from outside,
//! remove from `WWW-Authenticate` and `Proxy-Authenticate`, whatever its status, the challenges in
//! every realm of your domain: your own, and those of your registrar and your other proxies. Leave
//! challenges in other realms, and all that come from inside. Compare what a parser reads, because
//! clients understand escapes and repeated parameters that a search for text does not find:
//!
//! ```
//! use countersign::{FieldValue, RawChallenge, Scheme, raw_challenges};
//!
//! /// Whether a challenge names one realm, which is none of yours.
//! fn is_foreign(challenge: &RawChallenge<'_>, own: &[&str]) -> bool {
//!     let mut realms = challenge.params().filter(|(name, _)| name.eq_ignore_ascii_case("realm"));
//!     match (realms.next(), realms.next()) {
//!         // Basic sends the password to any realm.
//!         // Some clients compare realms without case.
//!         (Some((_, realm)), None) if challenge.scheme() != Scheme::Basic => {
//!             let realm = realm.to_bytes();
//!             !own.iter().any(|own| realm.eq_ignore_ascii_case(own.as_bytes()))
//!         }
//!         _ => false,
//!     }
//! }
//!
//! /// The values to forward, each of which has a line of its own.
//! fn forwarded(values: &[&str], own: &[&str]) -> Vec<FieldValue> {
//!     let mut kept = Vec::new();
//!     for value in values {
//!         // After an error, the rest of the value may be anything.
//!         let readable = raw_challenges([value]).map_while(Result::ok);
//!         let foreign = readable.filter(|challenge| is_foreign(challenge, own));
//!         kept.extend(foreign.map(|challenge| challenge.to_field_value()));
//!     }
//!     kept
//! }
//!
//! let own = ["example.org", "registrar.example.org"];
//! for value in [
//!     r#"Digest realm="example.org", nonce="1""#,
//!     r#"Digest realm="exam\ple.org", nonce="1""#,
//!     r#"Digest realm="EXAMPLE.ORG", nonce="1""#,
//!     r#"Digest realm="example.org", nonce="1", nonce="2""#,
//!     r#"Digest realm="example.com", realm="example.org", nonce="1""#,
//!     r#"Digest a b, Digest realm="example.com", nonce="1""#,
//!     "Digest realm=\"example.com\",\r\n realm=\"example.org\", nonce=\"1\"",
//!     r#"Basic realm="example.com""#,
//! ] {
//!     assert!(forwarded(&[value], &own).is_empty());
//! }
//! let both = r#"Digest realm="example.org", nonce="1", Digest realm="example.com", nonce="2""#;
//! let kept = forwarded(&[both], &own);
//! assert_eq!(kept, [r#"Digest realm="example.com", nonce="2""#]);
//! ```
//!
//! A handset that stores an HA1 and takes any realm answers every challenge with it: for such
//! handsets remove all challenges that come from outside. If a 401 or 407 is left without a
//! challenge, answer with another status, such as 480. Remove `Proxy-Authentication-Info` that
//! comes from outside. (RFC 3261, section 16.7, step 7, has a proxy pass on all challenges
//! unchanged. This departs from it, because your users' phones cannot tell whose realm it is.)
//!
//! A proxy that forks a request collects the challenges of all branches, and sends all of them with
//! the 401 or 407 that it chooses, each in its field (RFC 3261, section 16.7, step 7). First remove
//! yours from each branch that leads outside.
//!
//! RFC 3261 has no `Proxy-Authentication-Info`, so send none: a client that has answers for several
//! proxies cannot tell whose it is.
