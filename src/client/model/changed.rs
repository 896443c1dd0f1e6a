//! What must hold in every state: when the password was changed at the server, the client says so,
//! and sends the old one no more than a few times, however many requests are under way, also if
//! none is sent again after a refusal, and whatever paths that ask for no password accept
//! meanwhile.

use alloc::format;

use super::messages::REALMS;
use super::secrets::{self, Secret};
use super::world::{Checked, IDLE, Phase, World, ensure, target};
use crate::client::evidence::Evidence;
use crate::client::exchange::Exchange;
use crate::client::next::Next;
use crate::client::space::Scheme;
use crate::target::EntityBody;

/// The server that refuses the old password, now and from then on.
#[derive(Clone, Copy, Debug)]
enum Nonces {
    /// It has a new nonce in each challenge.
    Fresh,
    /// It has one nonce.
    One,
}

/// How requests go.
#[derive(Clone, Copy, Debug)]
struct Manner {
    nonces: Nonces,
    /// Which exchange goes on next.
    order: &'static [usize],
    /// Another exchange gets a 200 before each refusal.
    is_beside: bool,
    /// No exchange goes on after a refusal.
    is_cut: bool,
}

/// Which exchange goes on next.
const ORDERS: [&[usize]; 4] = [&[0, 1], &[0, 0, 1], &[0, 1, 1, 1, 1], &[1]];

/// Checks that every login is dropped after a few refusals.
pub(super) fn check(world: &World) -> Checked<()> {
    let orders = match world.lines.len() {
        1 => &ORDERS[..1],
        _ => &ORDERS[..],
    };
    for realm in 0..world.setup.realms() {
        let Some(secret) = login(world, realm) else {
            continue;
        };
        let manners = orders.iter().flat_map(|order| {
            let twice = [false, true];
            let all = [Nonces::Fresh, Nonces::One]
                .into_iter()
                .flat_map(move |nonces| {
                    let both = twice.into_iter();
                    both.flat_map(move |is_beside| twice.map(|is_cut| (nonces, is_beside, is_cut)))
                });
            all.map(|(nonces, is_beside, is_cut)| Manner {
                nonces,
                order,
                is_beside,
                is_cut,
            })
        });
        for manner in manners {
            let told = is_told(world.clone(), realm, secret, manner);
            told.map_err(|fault| format!("{secret:?}, {manner:?}: {fault}"))?;
        }
    }
    Ok(())
}

/// What the client is logged in to a realm with.
fn login(world: &World, realm: usize) -> Option<Secret> {
    let name = REALMS[realm].as_bytes();
    let mut spaces = world.client.spaces.iter();
    let space = spaces.find(|space| space.realm() == Some(name))?;
    match &space.scheme {
        Scheme::Digest { login, .. } => secrets::of_ha1(&login.as_ref()?.ha1),
        Scheme::Basic { login, .. } => secrets::of_basic(login.as_ref()?.value.as_bytes()).ok(),
    }
}

/// Refuses everything, until the client has dropped the login.
fn is_told(mut world: World, realm: usize, secret: Secret, manner: Manner) -> Checked<()> {
    let name = REALMS[realm];
    let is_basic = matches!(
        secret,
        Secret::Typed { is_basic: true, .. } | Secret::Preemptive
    );
    // One that goes elsewhere, or waits for its user, stays where it is.
    for line in &mut world.lines {
        if line.path != realm || matches!(line.phase, Phase::Asked(_) | Phase::Refused(..)) {
            *line = IDLE;
        }
    }
    // Each exchange can send one answer between two refusals that count, each at least once.
    let most = usize::from(Evidence::MAX_REFUSALS) * world.lines.len();
    let mut sent = 0;
    for (turn, at) in manner.order.iter().cycle().enumerate() {
        if login(&world, realm) != Some(secret) {
            return Ok(());
        }
        ensure(turn < 1000, "the client never drops it, and never sends it")?;
        let line = &mut world.lines[at % world.setup.exchanges];
        if !matches!(line.phase, Phase::Waits) {
            let target = target(world.setup.paths[realm]);
            let answer = world.client.authorize(&mut line.exchange, &target);
            let answer = answer.map_err(|error| format!("authorize: {error}"))?;
            let made = match (answer.cloned(), &line.exchange.sent) {
                (_, Some(sent)) => secrets::of_ha1(&sent.ha1),
                (Some(value), None) => Some(secrets::of_basic(value.as_bytes())?),
                (None, None) => None,
            };
            sent += usize::from(made == Some(secret));
            ensure(sent <= most, "a changed password is sent too often")?;
            line.phase = Phase::Waits;
            continue;
        }
        if manner.is_beside {
            let mut exchange = Exchange::new();
            let path = format!("{}?open", world.setup.paths[realm]);
            let target = target(&path);
            let answer = world.client.authorize(&mut exchange, &target);
            answer.map_err(|error| format!("authorize: {error}"))?;
            let body = EntityBody::Unknown;
            let proof = world
                .client
                .completed(&mut exchange, 200, None::<&str>, body);
            let is_required = world.setup.policy.requires_proof;
            ensure(proof.is_err() == is_required, "a 200 without a proof")?;
        }
        let nonce = match manner.nonces {
            Nonces::Fresh => turn,
            Nonces::One => 0,
        };
        let challenge = match is_basic {
            true => format!("Basic realm=\"{name}\""),
            false => format!(
                "Digest realm=\"{name}\", nonce=\"{name}c{nonce}\", qop=\"auth\", algorithm=SHA-256"
            ),
        };
        match world.client.challenged(&mut line.exchange, [&challenge]) {
            Next::Retry if !manner.is_cut => line.phase = Phase::Ready,
            _ => *line = IDLE,
        }
    }
    Ok(())
}
