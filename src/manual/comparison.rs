//! What this crate and others do, feature by feature.
//!
//! The table is about the versions named, and [how each cell was found](#how-it-was-found) is below
//! it. *Not found* means that the source or the program was searched for it, without a result. A
//! dash means that the role does not need it. *The caller's* means that the crate leaves it to the
//! caller. Times are in [`performance`](super::performance).
//!
//! | | countersign 0.1.0 | http-auth 0.1.10 | digest_auth 0.3.1 | broadcast-auth 0.5.1 | digest-access 0.3.6 | libmicrohttpd 0.9.75 | curl 7.88.1 | mod_auth_digest 2.4.71 |
//! |---|---|---|---|---|---|---|---|---|
//! | roles | client, server, proxy | client | client; a server can compute the response with it | client, server | client | server | client | server, proxy |
//! | schemes | Basic, Digest; others are [read and written](super::cookbook::schemes#other-schemes) | Basic, Digest | Digest | Basic, Digest, Bearer, signed URLs, a proxy's header | Digest | Basic, Digest | Basic, Digest, Bearer, Negotiate, NTLM, AWS | Digest |
//! | does the I/O | no | no | no | no | no | yes, a server | yes, a client with TLS | yes, a server |
//! | SHA-256 | yes | yes | yes | client only | yes | yes | yes | no |
//! | SHA-512/256 | yes | yes | yes | client only | yes | no | no: another hash, until 8.14 | no |
//! | `-sess` | yes | yes | yes | client only | other: the answer names the plain algorithm | no | yes | no |
//! | `userhash` | yes | yes | yes | client only; the server refuses it | yes | not found | yes | not found |
//! | `username*` | read and written | written | not found | read and written | not found | not found | not found | not found |
//! | `auth-int` | yes | yes | yes | client only; the server refuses it | yes | no | for empty bodies | no |
//! | no qop (RFC 2069) | if allowed | yes | yes | client only | yes | no | yes | no, since 2.4.69 |
//! | server's nonce | time, counter, MAC | – | the caller's | time, counter, MAC | – | time, and a hash with a key, the method and the path | – | time, and a hash with a key |
//! | replays | each count once, at most 63 below the highest; the memory is bounded | – | the caller's | each count once, at most 64 below the highest; the memory is bounded | – | each count once, at most 64 below the highest, counted before the response is checked; the memory is bounded | – | with `AuthDigestNcCheck` counts must rise; the memory is bounded |
//! | stale nonce, server | said after a right response | – | the caller's | said after a right response | – | said if the caller asks | – | said |
//! | stale nonce, client | answers again | told to the caller | told to the caller | the caller makes a new one | read, not told | – | answers again | – |
//! | which challenge | among the challenges of realms with a login, if there are any, by [`Strength`](crate::client::Strength), then by hash function | the first Digest, else the first Basic | one in a value; parameters of several are mixed | as http-auth | one in a value; parameters of several are mixed | – | Negotiate, Bearer, Digest, NTLM, Basic; of several Digest the first | – |
//! | refuses a weaker offer later | yes, after a proof | not found | not found | not found | not found | – | not found | – |
//! | `Authentication-Info` | made and checked | not yet, says its documentation | not found | not found | not found | not sent | not checked | made |
//! | limits of the parser | 128 KiB, 4,096 parameters, 256 challenges | 64 KiB of text in a Digest challenge | not found | 16 challenges; 64 parameters in its server | not found | name 127 bytes, realm and response 255, the rest 32 KiB | name 255 bytes, value 1,023 | not found |
//! | repeated parameter | refused | refused | the last | refused | the last | the first | the last | not tried |
//! | CR and LF in a user name | refused | percent-encoded | written | percent-encoded | written | – | not tried | – |
//! | secrets wiped | yes, except some copies | not found | not found | passwords, tokens and keys | not found | not found | not found | not found |
//! | constant-time comparison | yes; with `decide` the caller's | – | the caller's | yes | – | no | – | yes, since 2.4.67 |
//! | `no_std` | with `alloc` | no | no | no | no | in C | in C | in C |
//!
//! # What the others do and this crate does not
//!
//! - This crate is new, and curl, httpd and libmicrohttpd have been in use for many years.
//! - curl is a complete client: connections, TLS, proxies, redirects, Negotiate, NTLM and Bearer.
//!   It answers challenges by itself. Here, and with the other four crates, the program sends the
//!   messages, so each works with synchronous and asynchronous HTTP libraries alike, and contains
//!   none.
//! - libmicrohttpd and httpd are servers. httpd looks users up in files and databases, and all its
//!   processes share one memory of counts. Here, several processes that accept each other's nonces
//!   need a [shared store](super::cookbook::nonces#several-machines).
//! - broadcast-auth verifies Bearer tokens and signed URLs, trusts a proxy's header if told so, and
//!   reads the parameters of Bearer challenges into types. Its server checks a request in one call.
//! - http-auth, digest_auth and digest-access answer a challenge without qop unasked, as many
//!   cameras send it. Here a [policy](crate::client::Policy::with_rfc2069) has to allow it. A
//!   client of theirs is one value and one call, with no cache, protection space or policy to learn
//!   about.
//! - http-auth, digest_auth and digest-access convert types of the crate `http`. http-auth has
//!   features to leave out Basic or Digest.
//! - Later versions do more. libmicrohttpd now has `MHD_digest_auth_check3`, with SHA-512/256,
//!   `userhash` and `username*`, which still does not support `auth-int`. curl computes SHA-512/256
//!   from 8.14 on.
//!
//! # How it was found
//!
//! - countersign: by its tests. The pages [`security`](super::security),
//!   [`interoperability`](super::interoperability) and [`leniency`](super::leniency) say more.
//! - http-auth 0.1.10: read `src/lib.rs`, `src/digest.rs`, `src/parser.rs` and `Cargo.toml`. The
//!   documentation of `PasswordClientBuilder` says which challenge it takes; for `DigestClient` it
//!   says that `Authentication-Info` is not read. `DigestClient::try_from` has the limit.
//! - digest_auth 0.3.1: read `src/lib.rs`, `src/digest.rs` and `src/enums.rs`. Its documentation
//!   says that nonces and verdicts are left to the server.
//! - broadcast-auth 0.5.1: read `README.md`, `src/server.rs`, `src/challenge.rs`,
//!   `src/authenticator.rs` and `src/credentials.rs`. Its client is http-auth, so most cells about
//!   a client are the same.
//! - digest-access 0.3.6: read `README.md`, `src/lib.rs` and `src/digest_authenticator.rs`.
//! - Run once with http-auth, digest_auth and digest-access: a `-sess` challenge, one without qop,
//!   two challenges in one value, a repeated `nonce`, a user name with CR and LF, and one beyond
//!   ASCII. For `-sess`, http-auth and digest_auth agreed with each other, and digest-access with
//!   neither.
//! - libmicrohttpd 0.9.75: read `src/microhttpd/digestauth.c`. SHA-512/256, `auth-int`, stale
//!   nonces and `Authentication-Info`: the tables of [`interoperability`](super::interoperability),
//!   against `tests/peers/microhttpd.c`. Of later versions only parts of `microhttpd.h` and
//!   `digestauth.c` were read.
//! - curl 7.88.1: schemes from `curl --version` and its manual. `-sess`, `auth-int`, SHA-512/256,
//!   stale nonces and `Authentication-Info`: `tests/interop/curl.rs` and the tables. `userhash`,
//!   and that it ignores a second Digest challenge: the messages of the installed library.
//!   `username*`, limits, repeated parameters and the order of schemes: read in
//!   `lib/vauth/digest.c`, `lib/vauth/digest.h` and `lib/http.c` of other versions.
//! - mod_auth_digest 2.4.71: `tests/interop/apache.rs` and the tables; the change log of httpd
//!   (2.4.67 for the comparison, 2.4.69 for RFC 2069); and the messages and imports of the
//!   installed module, which say that only the qop `auth` is supported and that a count must be
//!   above the last, and name `ap_memeq_timingsafe`. The parts of its nonce, and that its memory is
//!   bounded, were read in the source of an earlier version.
