//! One exchange, step by step.
//!
//! This page teaches the protocol through the API: first one Digest exchange with every hash
//! recomputed, then a proxy, the server's proof, and Basic. The words are explained in the
//! [glossary](super::glossary).
//!
//! # Setup
//!
//! Mufasa wants `https://example.org/dir/index.html`. The server keeps its users in a realm named
//! `files@example.org`.
//!
//! So that the values on this page are always the same, these are fixed: the key and the salts of
//! the server's nonces, the time, and the seed of the client's cnonces.
//! In a program, use [`Authenticator::new`](crate::server::Authenticator::new),
//! [`Arrival::now`](crate::server::Arrival::now) and [`Client::new`](crate::client::Client::new),
//! which take them from a random number generator and the system clock. An `Authenticator` has the
//! same steps as the single-threaded [`Nonces`](crate::server::Nonces) here.
//!
//! ```
//! use countersign::digest::Algorithm;
//! use countersign::server::{Arrival, NonceKey, Nonces, Realm};
//! use countersign::{Channel, Target, Timestamp};
//!
//! let realm = Realm::new("files@example.org")?.with_algorithms(&[Algorithm::SHA_256]);
//! let key = NonceKey::from_bytes([7; 32]);
//! // The key was not used before, the counts of 1,000 nonces are remembered, and the counter of
//! // salts starts at 0, so that the first salt is 1.
//! let mut nonces = Nonces::new(&realm, key, None, 1000, 0);
//! let arrival = Arrival::new(Channel::Encrypted, Timestamp::from_unix_secs(1_700_000_000));
//! # let _ = (&mut nonces, arrival, Target::new("GET", "/"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # 1. A request without credentials
//!
//! The client does not know yet that the server wants credentials, so it sends none:
//!
//! ```text
//! GET /dir/index.html HTTP/1.1
//! Host: example.org
//! ```
//!
//! The server rejects the request and answers with a challenge (RFC 7616, section 3.3):
//!
//! ```
//! # use countersign::server::Rejection;
//! # use countersign::digest::Algorithm;
//! # use countersign::server::{Arrival, NonceKey, Nonces, Realm};
//! # use countersign::{Channel, Target, Timestamp};
//! #
//! # let realm = Realm::new("files@example.org")?.with_algorithms(&[Algorithm::SHA_256]);
//! # let key = NonceKey::from_bytes([7; 32]);
//! # let mut nonces = Nonces::new(&realm, key, None, 1000, 0);
//! # let arrival = Arrival::new(Channel::Encrypted, Timestamp::from_unix_secs(1_700_000_000));
//! let target = Target::new("GET", "/dir/index.html");
//! let rejected = nonces.begin(&realm, None::<&str>, &target, &arrival).unwrap_err();
//! let refusal = nonces.refuse(&rejected);
//! assert_eq!(rejected.rejection(), Rejection::NoCredentials);
//! assert_eq!(refusal.status, 401);
//! assert_eq!(refusal.field, "www-authenticate");
//! assert_eq!(
//!     refusal.challenges[0],
//!     concat!(
//!         r#"Digest realm="files@example.org", qop="auth", algorithm=SHA-256, "#,
//!         r#"nonce="AYvP5WgAAAAAAAAAAAGMKdCRGBZ-Arxp2UdGA4sc", charset=UTF-8"#,
//!     )
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - `realm` tells which user name and password the server wants; a client may show it to the user.
//! - `qop="auth"` asks for a response that covers the method, the request-target and a count.
//! - `algorithm` names the hash function. By default a server also offers MD5, in a second
//!   challenge.
//! - `nonce` limits the time for which the response is valid. It holds its issue time and a MAC, so
//!   the server need not store it before it is used.
//! - `charset` asks for the user name and the password in UTF-8, in Normalization Form C.
//!
//! # 2. The credentials
//!
//! The client reads the challenge and asks for a login. After that it computes the `Authorization`
//! field for the same request (RFC 7616, section 3.4):
//!
//! ```
//! # use countersign::digest::HashFunction;
//! # use countersign::digest::Algorithm;
//! # use countersign::server::{Arrival, NonceKey, Nonces, Realm};
//! # use countersign::{Channel, Target, Timestamp};
//! #
//! # let realm = Realm::new("files@example.org")?.with_algorithms(&[Algorithm::SHA_256]);
//! # let key = NonceKey::from_bytes([7; 32]);
//! # let mut nonces = Nonces::new(&realm, key, None, 1000, 0);
//! # let arrival = Arrival::new(Channel::Encrypted, Timestamp::from_unix_secs(1_700_000_000));
//! # let target = Target::new("GET", "/dir/index.html");
//! # let rejected = nonces.begin(&realm, None::<&str>, &target, &arrival).unwrap_err();
//! # let refusal = nonces.refuse(&rejected);
//! use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
//!
//! let endpoint = Endpoint::origin("https", "example.org", None)?;
//! let mut client = Client::from_seed(endpoint, Policy::new(), [1; 32]);
//! let mut exchange = Exchange::new();
//! assert!(client.authorize(&mut exchange, &target)?.is_none()); // the first request
//!
//! let next = client.challenged(&mut exchange, &refusal.challenges);
//! let Next::Login(ask) = next else { panic!() };
//! assert_eq!(ask.realm(), b"files@example.org");
//! assert_eq!(ask.hash_function(), Some(HashFunction::Sha256));
//! client.login(&ask, "Mufasa", "Circle of Life")?;
//!
//! let authorization = client.authorize(&mut exchange, &target)?.unwrap();
//! assert_eq!(
//!     *authorization,
//!     concat!(
//!         r#"Digest username="Mufasa", realm="files@example.org", "#,
//!         r#"nonce="AYvP5WgAAAAAAAAAAAGMKdCRGBZ-Arxp2UdGA4sc", uri="/dir/index.html", "#,
//!         r#"algorithm=SHA-256, qop=auth, nc=00000001, cnonce="9f3805a46c868a58", "#,
//!         r#"response="ed4f1bdadfe57e9e7804fdc6348cbb2bee75c8230a8fd6dfe22bc87a4ac0478a""#,
//!     )
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - `realm`, `nonce` and `algorithm` are returned as they were in the challenge.
//! - `uri` is the request-target, which the response covers.
//! - `nc` counts the requests with this nonce, in eight hexadecimal digits. This is the first.
//! - `cnonce` is the client's own nonce. It is derived from the client's seed.
//! - `response` proves that the client knows the password, which is not sent.
//!
//! # 3. The response, recomputed
//!
//! The response takes three hashes (RFC 7616, section 3.4.1). HA1 stands for the user, HA2 for the
//! request, and the last one joins them with the nonce, the count, the cnonce and the qop:
//!
//! ```text
//! HA1      = H(username:realm:password)
//! HA2      = H(method:uri)
//! response = H(HA1:nonce:nc:cnonce:qop:HA2)
//! ```
//!
//! The functions of [`wire`](crate::wire) compute each of them:
//!
//! ```
//! use countersign::digest::{Ha1, HashFunction};
//! use countersign::wire::{QopParams, ha2, response};
//!
//! let hash = HashFunction::Sha256;
//! let ha1 = Ha1::new(hash, "Mufasa", "files@example.org", "Circle of Life");
//! assert_eq!(ha1.as_hex(), "657cdd3e6373fb4ab832e8df6e5d67457ec251d6b4c0d0cbbb196947875a785b");
//!
//! let ha2 = ha2(hash, "GET", "/dir/index.html", None);
//! assert_eq!(ha2.as_str(), "9a3fdae9a622fe8de177c24fa9c070f2b181ec85e15dcbdc32e10c82ad450b04");
//!
//! let nonce = "AYvP5WgAAAAAAAAAAAGMKdCRGBZ-Arxp2UdGA4sc";
//! let params = QopParams::new("auth", "00000001", "9f3805a46c868a58")?;
//! let response = response(&ha1, nonce, Some(&params), &ha2);
//! let sent = "ed4f1bdadfe57e9e7804fdc6348cbb2bee75c8230a8fd6dfe22bc87a4ac0478a";
//! assert_eq!(response.as_str(), sent);
//! # Ok::<(), countersign::HeaderError>(())
//! ```
//!
//! Each is a hash of plain text: `printf 'GET:/dir/index.html' | sha256sum` prints HA2.
//!
//! # 4. The server verifies
//!
//! The user database of the server has HA1, not the password. `begin` checks what needs no secret;
//! the program looks the user up; `verify` compares the response; and `admit` checks that the count
//! is new:
//!
//! ```
//! # use countersign::digest::Algorithm;
//! # use countersign::server::{Arrival, NonceKey, Nonces, Realm};
//! # use countersign::{Channel, Target, Timestamp};
//! #
//! # let realm = Realm::new("files@example.org")?.with_algorithms(&[Algorithm::SHA_256]);
//! # let key = NonceKey::from_bytes([7; 32]);
//! # let mut nonces = Nonces::new(&realm, key, None, 1000, 0);
//! # let arrival = Arrival::new(Channel::Encrypted, Timestamp::from_unix_secs(1_700_000_000));
//! # let target = Target::new("GET", "/dir/index.html");
//! # let rejected = nonces.begin(&realm, None::<&str>, &target, &arrival).unwrap_err();
//! # let refusal = nonces.refuse(&rejected);
//! # use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
//! # let endpoint = Endpoint::origin("https", "example.org", None)?;
//! # let mut client = Client::from_seed(endpoint, Policy::new(), [1; 32]);
//! # let mut exchange = Exchange::new();
//! # let next = client.challenged(&mut exchange, &refusal.challenges);
//! # let Next::Login(ask) = next else { panic!() };
//! # client.login(&ask, "Mufasa", "Circle of Life")?;
//! # let authorization = client.authorize(&mut exchange, &target)?.cloned().unwrap();
//! use countersign::digest::{Ha1, HashFunction};
//! use countersign::server::Rejection;
//!
//! let attempt = nonces.begin(&realm, [&authorization], &target, &arrival).unwrap();
//! assert_eq!(attempt.claimed_user().name(), Some("Mufasa"));
//! let hex = "657cdd3e6373fb4ab832e8df6e5d67457ec251d6b4c0d0cbbb196947875a785b"; // from the store
//! let ha1 = Ha1::from_hex(HashFunction::Sha256, hex)?;
//! let verified = attempt.verify(Some(&ha1)).unwrap();
//! let grant = nonces.admit(verified).unwrap();
//! assert_eq!(grant.account(), &&ha1);
//!
//! // The same header a second time is a replay.
//! let attempt = nonces.begin(&realm, [&authorization], &target, &arrival).unwrap();
//! let verified = attempt.verify(Some(&ha1)).unwrap();
//! assert_eq!(nonces.admit(verified).unwrap_err().rejection(), Rejection::Replayed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # 5. The 200 response
//!
//! The server adds `Authentication-Info` (RFC 7616, section 3.5). Its `rspauth` proves that the
//! server knows HA1, too. It is computed like the parameter `response` of the request, but with an
//! empty method in HA2:
//!
//! ```
//! # use countersign::digest::Algorithm;
//! # use countersign::server::{Arrival, NonceKey, Nonces, Realm};
//! # use countersign::{Channel, Target, Timestamp};
//! #
//! # let realm = Realm::new("files@example.org")?.with_algorithms(&[Algorithm::SHA_256]);
//! # let key = NonceKey::from_bytes([7; 32]);
//! # let mut nonces = Nonces::new(&realm, key, None, 1000, 0);
//! # let arrival = Arrival::new(Channel::Encrypted, Timestamp::from_unix_secs(1_700_000_000));
//! # let target = Target::new("GET", "/dir/index.html");
//! # let rejected = nonces.begin(&realm, None::<&str>, &target, &arrival).unwrap_err();
//! # let refusal = nonces.refuse(&rejected);
//! # use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
//! # let endpoint = Endpoint::origin("https", "example.org", None)?;
//! # let mut client = Client::from_seed(endpoint, Policy::new(), [1; 32]);
//! # let mut exchange = Exchange::new();
//! # let next = client.challenged(&mut exchange, &refusal.challenges);
//! # let Next::Login(ask) = next else { panic!() };
//! # client.login(&ask, "Mufasa", "Circle of Life")?;
//! # let authorization = client.authorize(&mut exchange, &target)?.cloned().unwrap();
//! # use countersign::digest::{Ha1, HashFunction};
//! # let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", "files@example.org", "Circle of Life");
//! # let attempt = nonces.begin(&realm, [&authorization], &target, &arrival).unwrap();
//! # let grant = nonces.admit(attempt.verify(Some(&ha1)).unwrap()).unwrap();
//! use countersign::EntityBody;
//! use countersign::client::ServerProof;
//! use countersign::wire::{QopParams, rspauth};
//!
//! assert_eq!(grant.info_field(), "authentication-info");
//! let info = grant.authentication_info(EntityBody::Unknown).unwrap();
//! assert_eq!(
//!     info,
//!     concat!(
//!         r#"qop=auth, "#,
//!         r#"rspauth="b2b2ef3e352b238879a4ce064122668dd2c33596f133f017c3d9b802a9bbb3bb", "#,
//!         r#"cnonce="9f3805a46c868a58", nc=00000001"#,
//!     )
//! );
//!
//! // The same `rspauth`, by the function of `digest`.
//! let nonce = "AYvP5WgAAAAAAAAAAAGMKdCRGBZ-Arxp2UdGA4sc";
//! let params = QopParams::new("auth", "00000001", "9f3805a46c868a58")?;
//! let proof = rspauth(&ha1, nonce, Some(&params), "/dir/index.html", None);
//! assert_eq!(proof.as_str(), "b2b2ef3e352b238879a4ce064122668dd2c33596f133f017c3d9b802a9bbb3bb");
//!
//! // The client checks it.
//! let checked = client.completed(&mut exchange, 200, [&info], EntityBody::Unknown)?;
//! assert_eq!(checked, ServerProof::Valid);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # 6. Further requests
//!
//! The next request, a new [`Exchange`](crate::client::Exchange), needs no challenge: the client
//! uses the same nonce with the next count and a new cnonce. When the nonce has expired, the server
//! answers with a new one and `stale=true`, and the client retries without asking the user (RFC
//! 7616, section 3.3):
//!
//! ```
//! # use countersign::digest::Algorithm;
//! # use countersign::server::{Arrival, NonceKey, Nonces, Realm};
//! # use countersign::{Channel, Target, Timestamp};
//! #
//! # let realm = Realm::new("files@example.org")?.with_algorithms(&[Algorithm::SHA_256]);
//! # let key = NonceKey::from_bytes([7; 32]);
//! # let mut nonces = Nonces::new(&realm, key, None, 1000, 0);
//! # let arrival = Arrival::new(Channel::Encrypted, Timestamp::from_unix_secs(1_700_000_000));
//! # let target = Target::new("GET", "/dir/index.html");
//! # let rejected = nonces.begin(&realm, None::<&str>, &target, &arrival).unwrap_err();
//! # let refusal = nonces.refuse(&rejected);
//! # use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
//! # let endpoint = Endpoint::origin("https", "example.org", None)?;
//! # let mut client = Client::from_seed(endpoint, Policy::new(), [1; 32]);
//! # let mut exchange = Exchange::new();
//! # let next = client.challenged(&mut exchange, &refusal.challenges);
//! # let Next::Login(ask) = next else { panic!() };
//! # client.login(&ask, "Mufasa", "Circle of Life")?;
//! # let authorization = client.authorize(&mut exchange, &target)?.cloned().unwrap();
//! # use countersign::digest::{Ha1, HashFunction};
//! # let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", "files@example.org", "Circle of Life");
//! # drop(exchange);
//! use countersign::Authorization;
//! use countersign::server::Rejection;
//!
//! let mut exchange = Exchange::new();
//! let second = client.authorize(&mut exchange, &target)?.cloned().unwrap();
//! let Authorization::Digest(credentials) = Authorization::parse(&second)? else { panic!() };
//! assert_eq!(credentials.qop_params.unwrap().nc(), 2);
//!
//! // It arrives 301 seconds after the nonce was issued; the default lifetime is 300 seconds.
//! let late = Arrival::new(Channel::Encrypted, Timestamp::from_unix_secs(1_700_000_301));
//! let attempt = nonces.begin(&realm, [&second], &target, &late).unwrap();
//! let rejected = attempt.verify(Some(&ha1)).unwrap_err();
//! assert_eq!(rejected.rejection(), Rejection::NonceExpired);
//! let refusal = nonces.refuse(&rejected);
//! assert!(refusal.challenges[0].to_str()?.contains("stale=true"));
//!
//! let next = client.challenged(&mut exchange, &refusal.challenges);
//! assert_eq!(next, Next::Retry);
//! let third = client.authorize(&mut exchange, &target)?.unwrap();
//! let Authorization::Digest(credentials) = Authorization::parse(third)? else { panic!() };
//! assert_eq!(credentials.qop_params.unwrap().nc(), 1); // the first with the new nonce
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Once half of the lifetime has passed, the server sends `nextnonce` in `Authentication-Info`.
//! Clients that read it are spared this round trip: see [`NextNonce`](crate::server::NextNonce).
//!
//! # A proxy
//!
//! A proxy asks for credentials in the same way, with status 407 and the `Proxy-` fields (RFC 9110,
//! section 11.7). The request-target is the one that the client sends to the proxy; for a tunnel,
//! that is `host:port`:
//!
//! ```
//! # use countersign::digest::Algorithm;
//! # use countersign::server::{Arrival, NonceKey, Nonces, Realm};
//! # use countersign::{Channel, Target, Timestamp};
//! # use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
//! # use countersign::digest::{Ha1, HashFunction};
//! # let arrival = Arrival::new(Channel::Cleartext, Timestamp::from_unix_secs(1_700_000_000));
//! # let key = NonceKey::from_bytes([8; 32]);
//! let realm = Realm::new("proxy")?.with_algorithms(&[Algorithm::SHA_256]).for_proxy();
//! let mut nonces = Nonces::new(&realm, key, None, 1000, 0);
//! let endpoint = Endpoint::proxy("http", "proxy.example.org", 3128);
//! let mut client = Client::from_seed(endpoint, Policy::new(), [2; 32]);
//!
//! let target = Target::new("CONNECT", "example.org:443");
//! let rejected = nonces.begin(&realm, None::<&str>, &target, &arrival).unwrap_err();
//! let refusal = nonces.refuse(&rejected);
//! assert_eq!((refusal.status, refusal.field), (407, "proxy-authenticate"));
//!
//! let mut exchange = Exchange::new();
//! let next = client.challenged(&mut exchange, &refusal.challenges);
//! let Next::Login(ask) = next else { panic!() };
//! client.login(&ask, "Mufasa", "Circle of Life")?;
//! let value = client.authorize(&mut exchange, &target)?.unwrap(); // Proxy-Authorization
//!
//! let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", "proxy", "Circle of Life");
//! let attempt = nonces.begin(&realm, [value], &target, &arrival).unwrap();
//! let grant = nonces.admit(attempt.verify(Some(&ha1)).unwrap()).unwrap();
//! assert_eq!(grant.info_field(), "proxy-authentication-info");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The cookbook shows a client with [a proxy and an
//! origin](super::cookbook::proxies#a-proxy-and-an-origin) that both want credentials.
//!
//! # The server's proof
//!
//! A server that does not know HA1 cannot compute `rspauth`. By default a client refuses a response
//! with a wrong `rspauth`, and accepts one without it, because many servers send none.
//! [`require_server_proof`](crate::client::Policy::require_server_proof) makes the client refuse
//! both:
//!
//! ```
//! # use countersign::digest::Algorithm;
//! # use countersign::server::{Arrival, NonceKey, Nonces, Realm};
//! # use countersign::{Channel, Target, Timestamp};
//! #
//! # let realm = Realm::new("files@example.org")?.with_algorithms(&[Algorithm::SHA_256]);
//! # let key = NonceKey::from_bytes([7; 32]);
//! # let mut nonces = Nonces::new(&realm, key, None, 1000, 0);
//! # let arrival = Arrival::new(Channel::Encrypted, Timestamp::from_unix_secs(1_700_000_000));
//! # let target = Target::new("GET", "/dir/index.html");
//! # let rejected = nonces.begin(&realm, None::<&str>, &target, &arrival).unwrap_err();
//! # let refusal = nonces.refuse(&rejected);
//! # use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
//! # use countersign::digest::{Ha1, HashFunction};
//! # let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", "files@example.org", "Circle of Life");
//! use countersign::EntityBody;
//! use countersign::client::{ServerProof, ServerProofError};
//!
//! let endpoint = Endpoint::origin("https", "example.org", None)?;
//! let policy = Policy::new().require_server_proof();
//! let mut client = Client::from_seed(endpoint, policy, [1; 32]);
//! # let mut exchange = Exchange::new();
//! # let next = client.challenged(&mut exchange, &refusal.challenges);
//! # let Next::Login(ask) = next else { panic!() };
//! # client.login(&ask, "Mufasa", "Circle of Life")?;
//! # let authorization = client.authorize(&mut exchange, &target)?.cloned().unwrap();
//! # let attempt = nonces.begin(&realm, [&authorization], &target, &arrival).unwrap();
//! # let grant = nonces.admit(attempt.verify(Some(&ha1)).unwrap()).unwrap();
//! // The exchange goes on as above, up to the response.
//! let info = grant.authentication_info(EntityBody::Unknown).unwrap();
//!
//! let missing = client.completed(&mut exchange, 200, None::<&str>, EntityBody::Unknown);
//! assert_eq!(missing, Err(ServerProofError::Missing));
//!
//! let forged = info.to_str()?.replace("b2b2", "0000");
//! let wrong = client.completed(&mut exchange, 200, [&forged], EntityBody::Unknown);
//! assert_eq!(wrong, Err(ServerProofError::Wrong));
//!
//! let valid = client.completed(&mut exchange, 200, [&info], EntityBody::Unknown);
//! assert_eq!(valid, Ok(ServerProof::Valid));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With `qop=auth`, the proof covers neither the body nor the header of the response. With
//! `qop=auth-int` it also covers the body: pass it as [`EntityBody`](crate::EntityBody) on both
//! sides.
//!
//! # Basic
//!
//! Basic sends the user name and the password in base64, which anybody can decode (RFC 7617,
//! section 2). It also has no nonce, no count and no proof. So use it only over an encrypted
//! channel:
//!
//! ```
//! # use countersign::server::{Arrival, NonceKey, Nonces, Realm};
//! # use countersign::{Channel, Target, Timestamp};
//! # use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
//! # use countersign::digest::Ha1;
//! # use countersign::EntityBody;
//! # let key = NonceKey::from_bytes([9; 32]);
//! # let arrival = Arrival::new(Channel::Encrypted, Timestamp::from_unix_secs(1_700_000_000));
//! # let target = Target::new("GET", "/dir/index.html");
//! use countersign::server::BasicOffer;
//! use countersign::wire::basic_credentials;
//!
//! let realm = Realm::new("files@example.org")?
//!     .with_algorithms(&[])
//!     .with_basic(BasicOffer::Encrypted);
//! let mut nonces = Nonces::new(&realm, key, None, 0, 0); // Basic needs no memory
//! let rejected = nonces.begin(&realm, None::<&str>, &target, &arrival).unwrap_err();
//! let refusal = nonces.refuse(&rejected);
//! let challenge = r#"Basic realm="files@example.org", charset="UTF-8""#;
//! assert_eq!(refusal.challenges[0], challenge);
//!
//! let endpoint = Endpoint::origin("https", "example.org", None)?;
//! let mut client = Client::from_seed(endpoint, Policy::new(), [1; 32]);
//! let mut exchange = Exchange::new();
//! let next = client.challenged(&mut exchange, &refusal.challenges);
//! let Next::Login(ask) = next else { panic!() };
//! client.login(&ask, "Mufasa", "Circle of Life")?;
//! let authorization = client.authorize(&mut exchange, &target)?.unwrap();
//! assert_eq!(*authorization, "Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl");
//! assert_eq!(*authorization, basic_credentials("Mufasa", "Circle of Life")?);
//!
//! let attempt = nonces.begin(&realm, [authorization], &target, &arrival).unwrap();
//! let ha1 = Ha1::new(attempt.hash_function(), "Mufasa", "files@example.org", "Circle of Life");
//! let grant = nonces.admit(attempt.verify(Some(&ha1)).unwrap()).unwrap();
//! assert!(grant.authentication_info(EntityBody::Unknown).is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! On a cleartext channel this realm offers nothing, so the refusal has status 403 and no
//! challenge:
//!
//! ```
//! # use countersign::server::{Arrival, BasicOffer, NonceKey, Nonces, Realm};
//! # use countersign::{Channel, Target, Timestamp};
//! # let realm = Realm::new("files@example.org")?
//! #     .with_algorithms(&[])
//! #     .with_basic(BasicOffer::Encrypted);
//! # let key = NonceKey::from_bytes([9; 32]);
//! # let mut nonces = Nonces::new(&realm, key, None, 0, 0);
//! # let target = Target::new("GET", "/dir/index.html");
//! let arrival = Arrival::new(Channel::Cleartext, Timestamp::from_unix_secs(1_700_000_000));
//! let rejected = nonces.begin(&realm, None::<&str>, &target, &arrival).unwrap_err();
//! let refusal = nonces.refuse(&rejected);
//! assert_eq!(refusal.status, 403);
//! assert!(refusal.challenges.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
