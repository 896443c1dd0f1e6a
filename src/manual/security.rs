//! What the crate promises, what it asks of you, and what it cannot do.
//!
//! # What it promises
//!
//! - No input makes it panic, and reading takes time in proportion to the length of the header and
//!   no memory of its own, but for the one buffer that Basic is decoded into. The limits are
//!   [`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES), [`MAX_PARAMS`](crate::MAX_PARAMS) and
//!   [`MAX_CHALLENGES`](crate::MAX_CHALLENGES).
//! - No request without the secret changes any state of a server: it uses up no nonce count, fills
//!   no table and evicts nobody. See the order of checks in [`server`](crate::server).
//! - No count of a nonce is granted twice, whatever the clock does, however full the table is.
//! - An unknown user costs the work of a wrong password, and responses, MACs and passwords are
//!   compared in constant time. Looking the user up is your part: let it take the same time for
//!   both if that matters to you.
//! - What is written reads back equal, and no control byte but HTAB ever gets into a header.
//! - `Debug` and errors show no header text and no secret. HA1s, keys, decoded Basic credentials,
//!   and what [`Client`](crate::client::Client) and [`Answer`](crate::client::Answer) hold are wiped
//!   when dropped. Copies that the compiler makes on the stack are not. A `String` or `Vec` that
//!   was handed out, as by [`basic::credentials`](crate::basic::credentials) and `to_bytes`, is
//!   yours to wipe.
//! - A client answers one request of the user a bounded number of times, and keeps to its
//!   protection space.
//! - A client speaks no RFC 2069, no overview form and no Basic over a cleartext channel unless its
//!   [`Policy`](crate::client::Policy) says so. Once an answer was accepted, it gives nothing below
//!   the [`Pin`](crate::client::Pin) of that. Before, the best offer counts, of the server or of
//!   whoever answers in its place, be it MD5, or Basic over an encrypted channel:
//!   [`without_md5`](crate::client::Policy::without_md5) and
//!   [`without_basic`](crate::client::Policy::without_basic) rule these out.
//!
//! # What it asks of you
//!
//! - Say the truth about the [`Channel`](crate::Channel), and give the method and the
//!   request-target as they stand on the request line.
//! - Randomness must be of a quality fit for keys, and a [`Cnonce`](crate::digest::Cnonce) fresh
//!   for each request.
//! - Keep the [`NonceKey`](crate::server::NonceKey) secret, and an [`Ha1`](crate::digest::Ha1) as
//!   secret as a password: whoever has it can log in to its realm.
//! - One [`Client`](crate::client::Client) for each origin: the
//!   [`Keyring`](crate::client::Keyring) sees to it.
//! - Give all values of `Authorization` to [`begin`](crate::server::Server::begin): a request with
//!   more than one is not one to guess about, and is answered 400.
//! - Count the rejections whose class is [`Suspicious`](crate::server::Class::Suspicious), by user
//!   and by address, and slow down whoever makes many. A weak password can be guessed with Digest,
//!   too: online, and offline by anyone who has captured an exchange.
//! - Store user names and passwords in Unicode Normalization Form C, or HA1s made of that: it is
//!   what `charset=UTF-8` asks clients for (RFC 7616, section 4), and nothing is normalised here.
//!   One spelling for each name also keeps two accounts from looking alike.
//! - Keep the [`ReplayTable`](crate::server::ReplayTable) as long as the key. If a key outlives a
//!   table, say [`restarted_at`](crate::server::ReplayTable::restarted_at).
//!
//! # What a response covers
//!
//! A Digest response is a hash of HA1, the nonce and HA2, and in the counted form of `nc`, `cnonce`
//! and `qop` (RFC 7616, section 3.4.1). Whoever captures a header can rewrite everything else and
//! the response stays right. So nothing else may enter a key of the server's state: a replay is
//! recognised by nonce, count and HA1, in the [`ReplayTable`](crate::server::ReplayTable) as in the
//! key of a [`Ticket`](crate::server::Ticket).
//!
//! | input | covered by the response | checked otherwise | in a key of state |
//! |---|---|---|---|
//! | the user's secret (HA1) | yes | – | yes: the first 128 bits of it |
//! | `nonce` | yes | its MAC, which covers issue time, salt and binding | yes: issue time and eight bytes of the MAC that are never sent |
//! | `nc` | in the counted form, as it is spelled | – | in the counted form, as a number; otherwise the nonce is good for one use |
//! | `cnonce` | in the counted form, and by the key of a `-sess` algorithm | – | no |
//! | `qop` | in the counted form | whether it is offered | no |
//! | `uri` | yes | against the request-target, by the [`UriCheck`](crate::server::UriCheck) | no |
//! | method | yes | whether it is a token | no |
//! | body | with `qop=auth-int` | – | no |
//! | `realm` | by HA1 | whether it is the server's own, whole | no |
//! | `username`, `username*`, `userhash` | no; HA1 is the one of the account that the store found | a hashed name only where it was asked for | no |
//! | `algorithm` | its hash function, and whether it is `-sess` | whether it is offered | by HA1, which is of one hash function |
//! | `response` | – | compared without case | no |
//! | `opaque` | no | no | no |
//! | unknown parameters, order, quotes, escapes, whitespace, case of names | no | no | no |
//!
//! What follows for a user store: it may take as many spellings of a name for one account as it
//! likes (case, trailing blanks, Unicode forms, aliases), because all of them lead to the same HA1.
//! What a grant tells as the user's name is the spelling that was sent, which whoever replayed a
//! header could have chosen: authorise by the account that the store found.
//!
//! In the forms without a protected count (RFC 2069, and the overview form) `qop` is not covered
//! either, and HA2 of an `auth-int` request for `/x` is also HA2 of a request for `/x:` followed by
//! the hash of the body. A `uri` that ends in such a way is refused in these forms.
//!
//! # What it cannot do
//!
//! - Digest protects the request line, and with `auth-int` the body; never the other headers, and
//!   the response only by `rspauth`. Over a cleartext channel someone on the way can read all and
//!   change most. Use TLS.
//! - MD5 is broken as a hash. No attack on its use in Digest is known that is better than guessing
//!   the password, but guessing is fast. Leave it out where clients allow: by policy and by
//!   configuration, because the feature `md5` may be switched on by another crate of the program.
//! - Basic gives the server the password itself.
//! - RFC 2069 and the overview form have no count that is protected. Both roles speak them only
//!   when told to by name.
