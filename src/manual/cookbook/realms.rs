//! Several realms in one server.
//!
//! # Several protection spaces
//!
//! If a part of a site has its own users, such as `/admin/`, give each such part its own
//! [`Realm`](crate::server::Realm). One [`Authenticator`](crate::server::Authenticator) serves all
//! realms:
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use countersign::server::{Arrival, Authenticator, Realm};
//! use countersign::{Channel, Target};
//!
//! let files = Realm::new("files@example.org")?.with_domain("/files/")?;
//! let admin = Realm::new("admin@example.org")?.with_domain("/admin/")?;
//! let auth = Authenticator::new(files, 10_000, &mut getrandom::SysRng)?;
//!
//! let path = "/admin/log";
//! let realm = if path.starts_with("/admin/") { &admin } else { auth.realm() };
//! // Cleartext, if the connection is not TLS: Basic is then neither offered nor accepted.
//! let (target, arrival) = (Target::new("GET", path), Arrival::now(Channel::Encrypted));
//! let rejected = auth.begin_as(realm, [""; 0].iter(), &target, arrival).unwrap_err();
//! let refusal = auth.refuse(&rejected);
//! assert!(refusal.challenges[0].to_str()?.contains(r#"realm="admin@example.org""#));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! All realms share the key and the memory for counts, so the capacity is for all together. All
//! steps after [`begin_as`](crate::server::Authenticator::begin_as) use the settings of the realm
//! passed to it, and a refusal has the challenges of that realm. The HA1 of a user is made for the
//! name of one realm, so look users up by [`Attempt::realm`](crate::server::Attempt::realm), too.
//! Digest credentials for one realm are refused in another with
//! [`RealmMismatch`](crate::server::Rejection::RealmMismatch); Basic credentials name no realm, so
//! they are checked against the users of the realm passed. The counts of a nonce are kept for each
//! HA1, so requests to one realm use up no counts of a realm of another name.
//!
//! - Choose the realm by the path that the program routes by, after the same decoding, and not by
//!   the request-target, which may be a whole URI (`http://host/admin/`). Otherwise a request may
//!   be checked against one realm and served from the part of another.
//! - For virtual hosts, choose by the host that the program routes by. It is that of the
//!   request-target or of `:authority` if this has one, and else of `Host`; answer 400 if both are
//!   there and differ (RFC 9112, section 3.2.2, lets the first win). Compare without case, default
//!   port and trailing dot. Let a host that you do not know in nowhere, and not into a default
//!   realm.
//! - Without [`with_domain`](crate::server::Realm::with_domain), the protection space of a Digest
//!   challenge is the whole origin, and clients may send the credentials of one realm to a part of
//!   another, where they are refused.
//! - If machines or restarts share a key, construct the `Authenticator` with a realm of the same
//!   name. A nonce is issued under key and name, so with another name it is foreign.
//! - Clients cannot tell two realms of the same name apart. If their settings differ, a client may
//!   be refused when the client moves from one to the other: see
//!   [`begin_as`](crate::server::Authenticator::begin_as).
