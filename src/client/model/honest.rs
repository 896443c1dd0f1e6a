//! What must hold in every state: no lockout, and no secret where it does not belong.

use alloc::format;
use alloc::string::{String, ToString};

use super::messages::{NONCES, REALMS};
use super::secrets::{self, Secret, realm_of, right_ha1};
use super::world::{Checked, World, ensure, log_in, proof, target};
use crate::client::exchange::Exchange;
use crate::client::login::LoginError;
use crate::client::next::{GiveUp, Next};
use crate::client::proof::ServerProof;
use crate::client::space::Scheme;
use crate::client::strength::Strength;
use crate::digest::HashFunction;
use crate::field_value::FieldValue;
use crate::header::Authorization;
use crate::syntax::Text;
use crate::target::EntityBody;

/// A server that grants requests with the right secret of its realm.
#[derive(Clone, Copy, Debug)]
struct Server {
    realm: usize,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    /// Digest. The server knows the first nonces of its realm, as one does that has issued them, or
    /// none, as after a restart. To a right answer with a nonce that it does not know it says
    /// `stale`.
    Digest {
        hash: HashFunction,
        knows: bool,
    },
    Basic,
}

enum Reply {
    Granted,
    Refused(String),
}

impl Server {
    fn strength(self) -> Strength {
        match self.kind {
            Kind::Digest { hash, .. } => Strength::of(hash, true),
            Kind::Basic => Strength::Basic,
        }
    }

    fn reply(self, answer: Option<&FieldValue>, path: &str) -> Checked<Reply> {
        let name = REALMS[self.realm];
        let Kind::Digest { hash, knows } = self.kind else {
            let refused = Ok(Reply::Refused(format!("Basic realm=\"{name}\"")));
            let Some(Ok(Authorization::Basic(_))) = answer.map(Authorization::parse) else {
                return refused;
            };
            let secret = secrets::of_basic(answer.map_or(b"", FieldValue::as_bytes))?;
            return match secret.is_right_in(self.realm) {
                true => Ok(Reply::Granted),
                false => refused,
            };
        };
        let algorithm = match hash {
            HashFunction::Sha256 => "SHA-256",
            _ => "MD5",
        };
        let fresh = usize::from(!knows);
        let challenge = format!(
            "Digest realm=\"{name}\", nonce=\"{name}h{fresh}\", qop=\"auth\", algorithm={algorithm}"
        );
        let Some(Ok(Authorization::Digest(digest))) = answer.map(Authorization::parse) else {
            return Ok(Reply::Refused(challenge));
        };
        let is_right = digest.realm == *name
            && digest.expected_response(right_ha1(self.realm, hash), &target(path))
                == Some(digest.response);
        let nonce = digest.nonce.to_bytes();
        let is_issued = matches!(nonce[1..], [b'1' | b'2' | b'3' | b'm']) && knows;
        let is_known = nonce.ends_with(format!("h{fresh}").as_bytes()) || is_issued;
        let is_counted = digest.qop_params.is_some();
        Ok(match (is_right, is_known && is_counted) {
            (true, true) => Reply::Granted,
            (true, false) => Reply::Refused(format!("{challenge}, stale=true")),
            (false, _) => Reply::Refused(challenge),
        })
    }
}

/// Checks that every honest server lets the client in.
pub(super) fn check(world: &World) -> Checked<()> {
    for realm in 0..world.setup.realms() {
        for kind in [
            Kind::Digest {
                hash: HashFunction::Sha256,
                knows: true,
            },
            Kind::Digest {
                hash: HashFunction::Sha256,
                knows: false,
            },
            #[cfg(feature = "md5")]
            Kind::Digest {
                hash: HashFunction::Md5,
                knows: false,
            },
            Kind::Basic,
        ] {
            let server = Server { realm, kind };
            let policy = &world.setup.policy;
            if kind == Kind::Basic && (!policy.basic || policy.requires_proof) {
                continue;
            }
            lets_in(world, server).map_err(|fault| format!("{server:?}: {fault}"))?;
        }
    }
    Ok(())
}

/// Checks what the client keeps.
pub(super) fn check_state(world: &World) -> Checked<()> {
    let client = &world.client;
    for (nonce, count) in NONCES.iter().zip(world.counts) {
        let uses = client.counts.get(nonce.as_bytes());
        let kept = uses.map_or(0, |uses| uses.count);
        ensure(kept == count, "a count that was sent is forgotten")?;
    }
    for (realm, proven) in REALMS.iter().zip(world.proven) {
        let required = client
            .strengths
            .required(Text::assume_checked(realm.as_bytes()));
        ensure(
            required == proven,
            "a strength is required that was not proven",
        )?;
    }
    for space in client.spaces.iter() {
        if let Scheme::Digest {
            nonce,
            login: Some(login),
        } = &space.scheme
        {
            let secret = secrets::of_ha1(&login.ha1);
            let is_of_realm = secret.is_some_and(|secret| match secret {
                Secret::Typed { realm, .. } => realm_of(nonce.realm()) == Some(realm),
                Secret::Preemptive => false,
            });
            ensure(is_of_realm, "a login of another realm")?;
        }
    }
    Ok(())
}

/// How often the right secret for an honest server was refused.
fn refusals(world: &World, server: Server) -> u32 {
    let spaces = world.client.spaces.iter();
    let entries = spaces.flat_map(|space| space.refused.entries());
    let of_right = entries.filter(|entry| {
        let secret = secrets::of_refused(entry);
        secret.is_some_and(|secret| secret.is_right_in(server.realm))
    });
    of_right.map(|entry| entry.times).max().unwrap_or_default()
}

/// Checks that an honest server that is alone from now on lets the client in: within two requests
/// once the client has the right secret, and within as many asks as are documented if that secret
/// was refused before.
fn lets_in(world: &World, server: Server) -> Checked<()> {
    let mut world = world.clone();
    let path = server.realm % world.setup.paths.len();
    let uri = world.setup.paths[path];
    let is_allowed = server.strength() >= world.proven[server.realm];
    let most_denied = match refusals(&world, server) {
        0 => 0,
        times => (1 << (times - 1).min(6)) - 1,
    };
    let (mut requests, mut denied, mut wrong, mut ended) = (0, 0, 0, 0);
    'exchanges: loop {
        let mut exchange = Exchange::new();
        loop {
            let answer = world.client.authorize(&mut exchange, &target(uri));
            let answer = answer.map_err(|error| format!("authorize: {error}"))?;
            let carried = match answer {
                Some(value) => Some(secrets::read(value.as_bytes(), &target(uri))?),
                None => None,
            };
            if let Some(carried) = &carried {
                world.check_sent(carried, path)?;
            }
            requests += 1;
            ensure(requests <= 2, "two requests do not do")?;
            let challenge = match server.reply(exchange.answer(), uri)? {
                Reply::Granted => {
                    let info = carried.and_then(|it| it.digest).map(|_| proof(&exchange));
                    let body = EntityBody::Bytes(b"");
                    let proof = world.client.completed(&mut exchange, 200, &info, body);
                    let expected = match info {
                        Some(_) => ServerProof::Valid,
                        None => ServerProof::Absent,
                    };
                    return ensure(proof == Ok(expected), "the right proof is not taken");
                }
                Reply::Refused(challenge) => challenge,
            };
            if challenge.starts_with("Basic") {
                world.basic[server.realm][path] = true;
            } else {
                world.is_preemptive_over = true;
            }
            let why = match world.client.challenged(&mut exchange, [&challenge]) {
                Next::Retry => continue,
                Next::Login(ask) => match log_in(&mut world.client, &ask, true) {
                    (_, Ok(())) => continue,
                    // The user tries again later.
                    (_, Err(LoginError::AlreadyRefused)) => {
                        denied += 1;
                        ensure(denied <= most_denied, "the right secret is locked out")?;
                        requests = 0;
                        continue 'exchanges;
                    }
                    (_, Err(error)) => return Err(format!("login: {error}")),
                },
                Next::GiveUp(why) => why,
                Next::Done(_) => return Err("done with a challenge".to_string()),
            };
            let sent_right = carried.is_some_and(|it| it.secret.is_right_in(server.realm));
            match why {
                GiveUp::WrongCredentials(ask) if !sent_right => {
                    wrong += 1;
                    ensure(wrong <= 1, "a wrong secret is sent again")?;
                    let _ = log_in(&mut world.client, &ask, true);
                    requests = 0;
                }
                // The policy ends the exchange, so the user asks for the page again.
                GiveUp::TooManyAnswers if world.setup.policy.max_answers == 1 => {
                    ended += 1;
                    ensure(ended <= 1, "every exchange ends without a grant")?;
                    requests = 0;
                }
                GiveUp::NoUsableChallenge(_) => {
                    return ensure(!is_allowed, "the server's challenge is skipped");
                }
                other => return Err(format!("{other}")),
            }
            continue 'exchanges;
        }
    }
}
