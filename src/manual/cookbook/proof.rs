//! The server's proof, and protection against downgrades.
//!
//! # Keeping the strength
//!
//! To resist downgrades across restarts, store the [`Strength`](crate::client::Strength) of each
//! endpoint, and pass the stored value to new clients with
//! [`with_strength`](crate::client::Client::with_strength). The example does this for the clients
//! of a cache. Store the strength only after a response with a valid proof: any other may come from
//! an attacker. Do not lower a stored value: the strength of a client falls if the user logs in to
//! another realm of the endpoint that accepts weaker credentials, and an attacker on a cleartext
//! channel can invent such a realm, as can another user of the origin on any channel.
//!
//! The stored value binds all realms of the endpoint. If a realm of somebody else on the same host
//! proves a stronger form, and the account's realm offers a weaker one, the user would be locked
//! out of the latter. So call `store_strength` only where the program logs in to the realms of one
//! operator: it compares [`Ask::realm`](crate::client::Ask::realm) with them, or the host serves
//! nobody else.
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use countersign::client::{AuthCache, Client, Endpoint, Policy, ServerProof, Strength};
//! # use countersign::client::UnknownStrength;
//!
//! type Store = BTreeMap<String, String>;
//!
//! fn client_with_stored_strength<'c>(
//!     cache: &'c mut AuthCache,
//!     store: &Store,
//!     endpoint: &Endpoint,
//! ) -> Result<&'c mut Client, UnknownStrength> {
//!     let strength = match store.get(&endpoint.to_string()) {
//!         // An unknown name is an error, not `Nothing`: a newer version may have stored it.
//!         Some(text) => text.parse()?,
//!         None => Strength::Nothing,
//!     };
//!     Ok(cache.client_with(endpoint, |client| client.with_strength(strength)))
//! }
//!
//! fn store_strength(client: &Client, store: &mut Store, proof: ServerProof) {
//!     let endpoint = client.endpoint().to_string();
//!     let stored = store.get(&endpoint).map(|text| text.parse::<Strength>());
//!     // Not lowered, because another process may have had a better proof.
//!     let is_higher = stored.is_none_or(|stored| stored.is_ok_and(|it| client.strength() > it));
//!     if proof == ServerProof::Valid && is_higher {
//!         store.insert(endpoint, client.strength().to_string());
//!     }
//! }
//! # let mut cache = AuthCache::new(100, Policy::new(), &mut getrandom::SysRng)?;
//! # let endpoint = Endpoint::origin("https", "example.com", None)?;
//! # let mut store = Store::from([(endpoint.to_string(), "digest-sha2".to_owned())]);
//! # let client = client_with_stored_strength(&mut cache, &store, &endpoint)?;
//! # assert_eq!(client.strength(), Strength::DigestSha2);
//! # store_strength(client, &mut store, ServerProof::Valid);
//! # assert_eq!(store["https://example.com:443"], "digest-sha2");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! If a server has been downgraded for a good reason, challenges are skipped as
//! [`BelowStrength`](crate::client::SkipReason::BelowStrength). Ask the user to confirm the
//! downgrade. Then delete the stored value and call
//! [`AuthCache::forget`](crate::client::AuthCache::forget).
//!
//! # A proof for some requests
//!
//! [`Policy::require_server_proof`](crate::client::Policy::require_server_proof) applies to all
//! requests of a client, so public resources and public redirects of that origin fail. To require a
//! proof for some requests only, leave this setting off and use
//! [`without_basic`](crate::client::Policy::without_basic). Trust a response to such a request only
//! if the result is `Next::Done(ServerProof::Valid)`, and only what a [valid
//! proof](crate::client::ServerProof::Valid) covers. With RFC 2069 or the uncounted form, that may
//! have been captured.
