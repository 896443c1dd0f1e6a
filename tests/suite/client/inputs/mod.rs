//! What a peer without the secret can change in a client: every input that the client reads from
//! the peer, in every state, each with what then may differ. Whatever it was, an honest server lets
//! the client in within two requests; and the required strength, the counts sent and the logins of
//! other realms stay as they were.
//!
//! The inputs are read from the source. One that is new fails until it has a row.

mod forged;
mod listed;
mod rows;
mod world;

use std::collections::BTreeSet;

use countersign::client::{
    Exchange, GiveUp, LoginError, Next, Policy, Readiness, ServerProof, Strength,
};

use crate::support::client::{Said, Sent};
use forged::Forged;
use rows::{Row, STATUSES, TO_AUTH, TO_AUTH_INT, TO_BASIC, TO_DIGEST};
use world::{FILES, Offer, State, World};

/// What differs after a message.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Then {
    /// A login is asked for in a realm that has none.
    Asks,
    /// The next answer has the nonce and the parameters of the message.
    Nonce,
    /// Answers go to more paths.
    Paths,
    /// The message changes the realm that it names, which is not the realm of the request.
    Elsewhere,
    /// Requests in the folder of the request go without an answer, or with one for another realm.
    Withheld,
    /// The login, or the ask that waits for the user, is dropped.
    Dropped,
    /// The secret counts as refused.
    Refused,
    /// The secret counts as accepted.
    Accepted,
    /// The nonce is in doubt.
    Doubt,
}

impl Then {
    const ALL: [(&'static str, Self); 9] = [
        ("asks", Self::Asks),
        ("nonce", Self::Nonce),
        ("paths", Self::Paths),
        ("elsewhere", Self::Elsewhere),
        ("withheld", Self::Withheld),
        ("dropped", Self::Dropped),
        ("refused", Self::Refused),
        ("accepted", Self::Accepted),
        ("doubt", Self::Doubt),
    ];

    fn of(name: &str) -> Self {
        let found = Self::ALL.iter().find(|(of, _)| *of == name);
        found.unwrap_or_else(|| panic!("{name}")).1
    }
}

const OFFERS: [Offer; 3] = [Offer::Auth, Offer::AuthInt, Offer::Basic];
const STATES: [State; 4] = [State::Asked, State::LoggedIn, State::First, State::Later];

/// What a row says of each state.
fn expected(then: &str) -> [BTreeSet<Then>; 4] {
    let sets = then.split(' ').map(|names| {
        let names = names.split('+').filter(|name| *name != "-");
        names.map(Then::of).collect()
    });
    let sets: Vec<_> = sets.collect();
    sets.try_into().expect("four states")
}

/// Allows the most, so that the messages can change the most.
fn policy() -> Policy {
    Policy::new().with_rfc2069().with_latin1()
}

/// What a client shows, to be compared before and after a message.
struct Seen {
    covers: bool,
    /// What the next answers have from their challenges.
    files: Option<Content>,
    other: Option<Content>,
}

impl Seen {
    fn of(world: &mut World) -> Self {
        Self {
            covers: world.client.covers("/else/b"),
            files: content(world.sends("/files/c")),
            other: content(world.sends("/other/c")),
        }
    }
}

/// What a client is held to.
fn strengths(world: &mut World) -> (Strength, [bool; 3]) {
    let skips = ["files", "other", "forged"].map(|realm| {
        let basic = format!("Basic realm=\"{realm}\"");
        let next = world.client.challenged(&mut Exchange::new(), [&basic]);
        matches!(next, Next::GiveUp(GiveUp::NoUsableChallenge(_)))
    });
    (world.client.strength(), skips)
}

/// A world without the message.
struct Before {
    seen: Seen,
    forgives: bool,
    strengths: (Strength, [bool; 3]),
}

impl Before {
    fn of(offer: Offer, state: State) -> Self {
        let mut world = World::new(offer, policy(), state);
        if let Some(ask) = world.ask.take() {
            world.log_in(&ask).expect("the first login");
        }
        Self {
            seen: Seen::of(&mut world),
            forgives: forgives(&mut world),
            strengths: strengths(&mut world),
        }
    }

    /// Makes the change and returns what then differs. The required strength does not, and no count
    /// is sent again if the server goes back to its first nonce.
    fn differs(&self, mut world: World, forged: &Forged) -> BTreeSet<Then> {
        let next = world.deliver(forged, false);
        let mut then = BTreeSet::new();
        if matches!(&next, Some(Next::Login(ask)) if ask.realm() != FILES.as_bytes()) {
            then.insert(Then::Asks);
        }
        let ask = world.ask.take();
        let login = ask.map_or(Ok(()), |ask| world.log_in(&ask));
        let (was, is) = (&self.seen, Seen::of(&mut world));
        if is.covers != was.covers {
            then.insert(Then::Paths);
        }
        if is.other != was.other {
            then.insert(Then::Elsewhere);
        }
        let then_next = match (&was.files, &is.files) {
            (was, is) if was == is => None,
            (_, None) => Some(why_none(&mut world, login, next.as_ref())),
            (was, is) if realm(was) != realm(is) => Some(Then::Withheld),
            _ => Some(Then::Nonce),
        };
        then.extend(then_next);
        match (self.forgives, forgives(&mut world)) {
            (false, true) => _ = then.insert(Then::Accepted),
            // Several refusals count together.
            (true, false) if forged.challenges.len() > 1 => {}
            (true, false) => assert!(matches!(then_next, Some(Then::Dropped | Then::Refused))),
            _ => {}
        }
        world.goes_back();
        // Only the server itself, whose proof a peer passes on, can raise what it is held to.
        if next != Some(Next::Done(ServerProof::Valid)) {
            assert_eq!(strengths(&mut world), self.strengths);
        }
        then
    }
}

/// An honest server lets the client in after the message, and so from then on.
fn gets_in(mut world: World, forged: &Forged, follows: bool, is_other_named: bool) {
    world.deliver(forged, follows);
    if follows {
        if let Some(ask) = world.ask.take() {
            let _ = world.log_in(&ask);
        }
        world.accept_beside();
    }
    let mut refused = 0;
    while let Err(why) = world.gets_in("/files/e") {
        // The user's secret was refused often.
        assert_eq!(why, LoginError::AlreadyRefused);
        assert!(follows && refused < 63);
        refused += 1;
    }
    assert!(world.sends("/files/f").is_some());
    if is_other_named {
        world.gets_in_elsewhere();
    } else if !follows {
        assert!(world.sends("/other/f").is_some(), "logged out elsewhere");
    }
}

/// What an answer has from its challenge and its login.
type Content = Vec<(String, Vec<u8>)>;

fn content(sent: Option<Sent>) -> Option<Content> {
    let sent = sent?;
    if sent.params.is_empty() {
        return Some(vec![(String::new(), sent.value)]);
    }
    let own = ["nc", "cnonce", "response", "uri"];
    let mut params = sent.params;
    params.retain(|(name, _)| !own.contains(&name.as_str()));
    Some(params)
}

/// The realm that an answer of Digest names.
fn realm(content: &Option<Content>) -> Option<&[u8]> {
    let mut params = content.iter().flatten();
    let (_, realm) = params.find(|(name, _)| name == "realm")?;
    Some(realm)
}

/// Why the next request carries no answer.
fn why_none(world: &mut World, login: Result<(), LoginError>, next: Option<&Next>) -> Then {
    let readiness = world.client.readiness("/files/c");
    if readiness == Readiness::NoNonce {
        return Then::Doubt;
    }
    let is_gone = [Readiness::NotLoggedIn, Readiness::OutsideSpace].contains(&readiness);
    assert!(is_gone, "{readiness:?}");
    if let Some(Next::GiveUp(GiveUp::WrongCredentials(ask))) = next {
        assert_eq!(world.log_in(ask), Err(LoginError::AlreadyRefused));
        return Then::Refused;
    }
    let challenge = world.challenge.clone();
    match Said::from(&world.challenged("/files/c", &challenge)) {
        Said::Login => {
            let is_superseded = login == Err(LoginError::Superseded);
            assert_eq!(is_superseded, world.state == State::Asked);
            Then::Dropped
        }
        said => {
            assert_eq!(said, Said::Retry);
            Then::Withheld
        }
    }
}

/// Whether a refusal that blames neither nonce nor parameters is forgiven, because the secret was
/// accepted.
fn forgives(world: &mut World) -> bool {
    let stale = Forged::of(world, |it| {
        it.set("nonce", "\"probe 1\"");
        it.set("stale", "true");
    });
    let other = Forged::of(world, |it| it.set("nonce", "\"probe 2\""));
    let mut says = |forged: Forged| {
        let next = world.challenged("/files/a", &forged.challenges[0][0]);
        Said::from(&next) == Said::Retry
    };
    says(stale) && says(other)
}

fn rows() -> impl Iterator<Item = (Offer, &'static Row)> {
    let tables = [
        (Offer::Auth, TO_DIGEST),
        (Offer::AuthInt, TO_DIGEST),
        (Offer::Auth, TO_AUTH),
        (Offer::AuthInt, TO_AUTH_INT),
        (Offer::Basic, TO_BASIC),
    ];
    tables
        .into_iter()
        .flat_map(|(offer, rows)| rows.iter().map(move |row| (offer, row)))
}

#[test]
fn a_message_changes_what_its_row_says() {
    let mut wrong = Vec::new();
    for state in STATES {
        let befores = OFFERS.map(|offer| (offer, Before::of(offer, state)));
        for (number, (offer, (message, input, then, change))) in rows().enumerate() {
            let (_, before) = befores.iter().find(|(of, _)| *of == offer).expect("each");
            let world = World::new(offer, policy(), state);
            let forged = Forged::of(&world, *change);
            let differs = before.differs(world, &forged);
            if differs != expected(then)[state as usize] {
                let shown = format!("row {number}, {message}, {input}, {offer:?}, {state:?}");
                wrong.push(format!("{shown}: {differs:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_honest_server_lets_the_client_in_after_any_message() {
    for (offer, (message, input, then, change)) in rows() {
        let is_other_named = then.contains("elsewhere");
        for state in STATES.into_iter().chain([State::New]) {
            println!("{message}, {input}, {offer:?}, {state:?}");
            for follows in [false, true] {
                // Saves time: what users do does not depend on the qop.
                if follows && offer == Offer::AuthInt {
                    continue;
                }
                let world = World::new(offer, policy(), state);
                let forged = Forged::of(&world, *change);
                gets_in(world, &forged, follows, is_other_named);
            }
        }
    }
}

#[test]
fn a_status_changes_what_its_row_says() {
    // Basic has neither a nonce to doubt nor a refusal to forgive.
    for (offer, state) in STATES
        .map(|state| (Offer::Auth, state))
        .into_iter()
        .chain([(Offer::Basic, State::First), (Offer::Basic, State::Later)])
    {
        let before = Before::of(offer, state);
        for (_, then, ranges) in STATUSES {
            let then = if offer == Offer::Basic {
                "- - - -"
            } else {
                then
            };
            let ends = ranges
                .iter()
                .flat_map(|range| [*range.start(), *range.end()]);
            for status in ends {
                let world = World::new(offer, policy(), state);
                let mut forged = Forged::of(&world, |it| it.inform([""; 0]));
                forged.challenges = vec![Vec::new()];
                forged.status = status;
                let differs = before.differs(world, &forged);
                let expected = &expected(then)[state as usize];
                assert_eq!(differs, *expected, "{status}, {offer:?}, {state:?}");
            }
        }
    }
}
