//! What is particular to each HTTP stack.
//!
//! The programs are in `stacks/recipes/` of the repository; `stacks/README.md` says how to run
//! them. Each runs and checks itself, so this page has no code. For a `tower` service (axum, tonic,
//! hyper-util) use the crate `countersign-tower`, in `stacks/countersign-tower`: one layer for
//! servers, one for clients.
//!
//! # Servers
//!
//! | recipe | what is particular |
//! |---|---|
//! | `axum-layer` | `Router::nest` strips a prefix, so take the request-target from `OriginalUri`. A `Request` is not `Sync`: split it by `into_parts` before the first await. Insert the account into the extensions only after `admit`. Argon2 runs on a blocking thread, with a clone of the [pair](crate::server::Attempt::basic), and a semaphore bounds how many hashes run at once |
//! | `actix-mw` | `HttpServer::new` calls its closure once per worker: make the `Authenticator` outside, and share it by `web::Data`. A refusal is an error of the middleware, so that no handler runs |
//! | `hyper-authint` | Check [`nonce_is_fresh`](crate::server::Attempt::nonce_is_fresh) before the body is read, limit its length, its time and how many are read at once, hash it in pieces, and begin again with the hash and the time of then. A body that the response does not cover is read after `admit`. Use the body only after `admit`: until then it may be anybody's |
//! | `fwd-proxy` | The target is the whole `Uri` of the request, and `host:port` for `CONNECT`. Remove `Proxy-Authorization` before you forward the request. Pass a 401 of the origin through unchanged, but remove `Proxy-Authenticate` and `Proxy-Authentication-Info` from its responses and their trailers, and answer 502 in place of its 407. Refuse absolute-form targets of `https`, which would go on in clear |
//! | `htfiles` | `htdigest` writes MD5, so the realm offers SHA-256 only once every user in the file also has a line with 64 digits. `htpasswd -B` writes bcrypt, which serves Basic only, so its users need a client that is told to use Basic where others use Digest. Other hashes and mixed costs are refused at load, because the time of a comparison would tell which users exist, and a semaphore bounds how many hashes run at once |
//! | `old-devices` | RFC 2069 is accepted on the paths of old devices alone, by [`begin_as`](crate::server::Authenticator::begin_as). Their realm is a clone of the other, so that a client can go to and fro on one login. A name in ISO-8859-1 arrives as [`User::Octets`](crate::digest::User::Octets). Such a client hashes the same bytes, so the user needs a second HA1, made from them |
//! | `rotate` | A signal rotates the key, without a pause. The log line has the stable [name](crate::server::Rejection::name) of the rejection, and says whether it was a guess, which is what fail2ban counts: not replays, which honest clients cause, too |
//! | `tls` | The encrypted port and the port in clear share each `Authenticator`. The [`Channel`](crate::Channel) of each connection decides whether Basic is offered |
//! | `schemes` | Bearer and Negotiate are handled before `begin`, and their challenges are added to the refusal. Negotiate takes two steps, which this recipe does not tie to a connection |
//! | `unicode` | A user is stored and looked up by the mapped name. Digest lets a decomposed spelling in only if the client maps it, too: see the module `precis` |
//! | `cluster` | `SET key "" NX PXAT millis` in Redis. Answer 503 if the store cannot be reached: to admit without it would admit replays |
//!
//! # Clients
//!
//! | recipe | what is particular |
//! |---|---|
//! | `reqwest` | Turn off its redirects and follow them above the login. It does not tell which proxy a request takes, so configure the proxy yourself. It makes TLS tunnels by itself, so a proxy's 407 to `CONNECT` cannot be answered. A body that is a stream cannot be sent twice |
//! | `crawler` | One cache for many hosts, and two realms on one origin. The password is chosen by [endpoint](crate::client::Ask::endpoint), realm and [scheme](crate::client::Ask::scheme) together, and only endpoints with a realm of Basic get a policy that allows it in clear |
//! | `hyper-client` | A pool of connections, and 401 bodies read to their end so that connections return to it, but only [as far as 64 KiB](super::tasks#under-async) and for two seconds: a body without end must not fill the memory, and one that stalls must not hold the request |
//! | `ureq` | A middleware gets to send only once, so it calls a second agent. Turn off redirects, proxies, and `http_status_as_error` |
//! | `upload` | [`readiness`](crate::client::Client::readiness) decides between sending at once and `Expect: 100-continue` |
//! | `rtsp-camera` | One client for all requests of a session; each has its own method and URI. RFC 2069 is allowed |
//! | `sip-agent` | One client per realm, several credentials fields in one request, and a status from 100 to 199 that is not final: see [`sip`](super::sip) |
//! | `no-std-client` | An `Authenticator` for one thread, [from a random seed](crate::server::Authenticator::from_seed) of the platform, and a global allocator. Without a wall clock the time is the uptime, never a count of requests, and the key is new at each start. A [nonce lives](crate::server::Realm::with_nonce_lifetime) for seconds and for one request, with `auth-int`, which no browser can answer |
//! | `python` | An extension module. A body that is no bytes and no file cannot be sent twice. On redirects within an origin httpx and requests send the old `Authorization`: with Digest that is refused, and with Basic another area of the origin gets the password. The class for requests computes a new one; with httpx, set `follow_redirects=False` and follow redirects outside the class |
