//! Nonces, keys and machines.
//!
//! # Nonces bound to a client
//!
//! [`Arrival::bound_to`](crate::server::Arrival::bound_to) ties the nonces of a request to some
//! bytes, such as the client's address or the id of its TLS session. A nonce is valid only for
//! requests with the same bytes; for others it is
//! [foreign](crate::server::Rejection::NonceForeign), and its client retries with a new one.
//! Clients behind some proxies, and on mobile networks, change their address often: each change
//! costs them a refused request.
//!
//! # Key rotation
//!
//! [`Authenticator::rotate`](crate::server::Authenticator::rotate) takes a new key. Nonces of the
//! previous key stay valid for their lifetime, and used counts are still remembered. So, on a
//! single machine, no client is refused for a rotation, if a nonce lifetime passes between two. To
//! void all nonces at once, rotate twice. That logs nobody out: clients that support `stale` retry
//! with a new nonce, without a prompt. A request whose body is being read keeps its nonce, unless
//! the program [begins again](super::bodies#a-streaming-body) after the body. To end a user's
//! access, change the account.
//!
//! # Several machines
//!
//! If each machine has its own key, a Digest client is refused with `stale=true` at each move to
//! another machine, usually without a prompt. It must stay there at least for the challenge and its
//! answer: a client that a balancer moves at each request, by turns for example, is refused each
//! time and never gets in. So let the balancer choose by address (many clients keep no cookie), or
//! let all machines share one key and a store with a set-if-absent operation: see
//! [`SharedStore`](crate::server::SharedStore).
//! [`PendingClaim`](crate::server::PendingClaim#a-store-that-loses-its-data) says what to do when
//! the store loses its data. SIP over UDP needs more: see [several
//! nodes](super::sip::server#several-nodes).
//!
//! # A restart
//!
//! An `Authenticator` with its own memory can take a new key at each start: no key file is needed.
//! Every client with a nonce of the previous key is refused once, as at a move to another machine.
//! Keeping the key saves little, because the used counts are lost: only nonces that are newer than
//! every used one stay valid. For that, store the
//! [saved key](crate::server::Authenticator::into_saved_key) at a clean shutdown. Machines that
//! share a store keep their key across restarts. What else a lost key or store means
//! is on the page [`losses`](crate::manual::security::losses).
