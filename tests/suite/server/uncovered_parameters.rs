//! What a response does not cover must not matter: a granted header, rewritten in any way that keeps
//! its response right, is a replay.
//!
//! A response covers HA1, the nonce, the method, the `uri`, and in the counted form `nc`, `cnonce`
//! and `qop`. It does not cover the spelling of anything, the user's name, `opaque`, unknown
//! parameters or the order; and in the uncounted forms neither `nc` nor `cnonce` nor `qop`. A user
//! store may take many spellings of a name for one account, so whoever has captured a header can
//! choose among them without the password.

use std::collections::HashSet;

use countersign::digest::{Algorithm, Ha1, QopSet, userhash};
use countersign::server::{Quirk, Realm, Rejection};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::support::accounts::{Account, Store};
use crate::support::effort::cases;
use crate::support::server::{
    Answer, PASSWORD, Params, REALM, Service, Why, quoted, realm, shared, used,
};

const NAME: &str = "Jäsøn";

const ACCOUNT: Account = Account {
    name: NAME,
    alias: "jason@example.org",
    password: PASSWORD,
};

/// What keeps a use from being granted twice.
#[derive(Clone, Copy, Debug)]
enum Memory {
    /// Its own, with room for so many nonces: in one table, and in several.
    Tables(usize),
    /// A store that several machines share.
    Store,
}

const MEMORIES: &[Memory] = &[Memory::Tables(10), Memory::Tables(2000), Memory::Store];

/// The form of the response.
#[derive(Clone, Copy, Debug)]
enum Form {
    Auth,
    AuthInt,
    OneTime,
    Rfc2069,
    Uncounted,
}

impl Form {
    const fn is_counted(self) -> bool {
        matches!(self, Self::Auth | Self::AuthInt | Self::OneTime)
    }

    fn realm(self, algorithm: Algorithm) -> Realm {
        let realm = realm()
            .with_userhash(true)
            .with_algorithms(&[algorithm])
            .with_qop(QopSet::BOTH);
        match self {
            Self::Auth | Self::AuthInt => realm,
            Self::OneTime => realm.with_one_time_nonces(true),
            Self::Rfc2069 => realm.with_quirks(&[Quirk::Rfc2069]),
            Self::Uncounted => realm
                .with_quirks(&[Quirk::UncountedForm])
                .with_quirks(&[Quirk::Rfc2069]),
        }
    }

    fn answer(self, nonce: &str, algorithm: Algorithm) -> Answer {
        Answer {
            user: NAME.to_owned(),
            algorithm,
            qop: match self {
                Self::Rfc2069 => None,
                Self::AuthInt => Some("auth-int"),
                _ => Some("auth"),
            },
            uncounted: matches!(self, Self::Uncounted),
            ..Answer::to(nonce)
        }
    }
}

const FORMS: [Form; 5] = [
    Form::Auth,
    Form::AuthInt,
    Form::OneTime,
    Form::Rfc2069,
    Form::Uncounted,
];

/// Writes a parameter in another way that the response does not cover.
type Rewrite = Box<dyn Fn(Params) -> Params>;

fn name(raw: impl Into<String>) -> Rewrite {
    let raw = raw.into();
    Box::new(move |params| params.with("username", raw.clone()))
}

fn extended(raw: &'static str) -> Rewrite {
    Box::new(move |params| {
        params
            .renamed("username", "username*")
            .with("username*", raw)
    })
}

/// All the ways to write the name that some store takes for the account.
fn names(algorithm: Algorithm) -> Vec<Rewrite> {
    let hashed = userhash(algorithm.hash_function(), NAME, REALM).to_string();
    let hash = |digits: String| -> Rewrite {
        Box::new(move |params| {
            params
                .with("username", quoted(&digits))
                .with("userhash", "true")
        })
    };
    vec![
        name(quoted(NAME)),
        name("\"J\\äs\\øn\""),
        extended("UTF-8''J%C3%A4s%C3%B8n"),
        extended("utf-8'en'%4a%c3%a4%73%c3%b8n"),
        hash(hashed.clone()),
        hash(hashed.to_uppercase()),
        Box::new(|params| params.with("userhash", "false")),
        Box::new(|params| params.renamed("username", "USERNAME")),
        name(quoted("JÄSØN")),
        name(quoted("jäSøN")),
        extended("UTF-8''%4A%C3%84s%C3%B8N"),
        name(quoted("Jäsøn ")),
        name(quoted("Jäsøn    ")),
        name(quoted("Ja\u{308}søn")),
        extended("UTF-8''Ja%CC%88s%C3%B8n"),
        name(quoted(ACCOUNT.alias)),
    ]
}

/// The same for everything else.
fn others(form: Form, answer: &Answer) -> Vec<Rewrite> {
    let mut rewrites: Vec<Rewrite> = vec![Box::new(|params| params)];
    for opaque in ["\"\"", "\"x\"", "x", "\"another\""] {
        rewrites.push(Box::new(move |params| params.with("opaque", opaque)));
    }
    rewrites.push(Box::new(|params| params.with("unknown", "\"a=b\"")));
    let algorithm = answer.algorithm.as_str();
    for algorithm in [
        quoted(algorithm),
        algorithm.to_lowercase(),
        format!("\"\\{algorithm}\""),
    ] {
        rewrites.push(Box::new(move |params| {
            params.with("algorithm", algorithm.clone())
        }));
    }
    let response = answer.response().to_string();
    for response in [
        response.clone(),
        quoted(&response.to_uppercase()),
        format!("\"\\{response}\""),
    ] {
        rewrites.push(Box::new(move |params| {
            params.with("response", response.clone())
        }));
    }
    let uri = format!("\"\\{}\"", answer.uri);
    rewrites.push(Box::new(move |params| params.with("uri", uri.clone())));
    let realm = format!("\"\\{}\"", answer.realm);
    rewrites.push(Box::new(move |params| params.with("realm", realm.clone())));
    rewrites.push(Box::new(|mut params| {
        params.0.reverse();
        params
    }));
    if let Some(qop) = answer.qop {
        for qop in [quoted(qop), format!("\"\\{qop}\"")] {
            rewrites.push(Box::new(move |params| params.with("qop", qop.clone())));
        }
        rewrites.push(Box::new(|params| params.with("nc", "\"00000001\"")));
        rewrites.push(Box::new(|params| params.with("nc", "\"\\00000001\"")));
        let cnonce = format!("\"\\{}\"", answer.cnonce);
        rewrites.push(Box::new(move |params| {
            params.with("cnonce", cnonce.clone())
        }));
    }
    if !form.is_counted() {
        for nc in ["00000000", "00000002", "ffffffff"] {
            rewrites.push(Box::new(move |params| params.with("nc", nc)));
        }
        rewrites.push(Box::new(|params| params.with("cnonce", "\"another\"")));
    }
    // Without a qop a response of the uncounted form is one of RFC 2069.
    if matches!(form, Form::Uncounted) && !answer.algorithm.is_sess() {
        rewrites.push(Box::new(|params| params.without("qop")));
    }
    rewrites
}

/// The header with every character below U+0100 as one byte, as clients send names in ISO-8859-1.
fn latin1(params: &Params) -> Vec<u8> {
    let text = params.to_string();
    text.chars()
        .flat_map(|c| match u8::try_from(c) {
            Ok(byte) => vec![byte],
            Err(_) => c.to_string().into_bytes(),
        })
        .collect()
}

struct World {
    service: Service,
    store: Store,
    memory: Memory,
    claimed: HashSet<String>,
}

impl World {
    fn take(&mut self, header: &[u8], answer: &Answer) -> Result<(), Rejection> {
        let target = answer.target();
        let attempt = self.service.begin(header, &target).why()?;
        let known = self.store.finds(&ACCOUNT, REALM, &attempt.claimed_user());
        let ha1 = known.then(|| Ha1::new(attempt.hash_function(), NAME, REALM, PASSWORD));
        let verified = attempt.verify(ha1).why()?;
        match self.memory {
            Memory::Tables(_) => self.service.auth.admit(verified).map(drop).why(),
            Memory::Store => {
                let store = shared(self.service.realm.clone(), 1);
                let claim = store.claim(verified).expect_err("something to claim");
                let used = used(self.claimed.insert(claim.key()));
                claim.settle(used, self.service.now).map(drop).why()
            }
        }
    }

    /// How much is remembered.
    fn remembered(&self) -> usize {
        match self.memory {
            Memory::Tables(_) => self.service.len(),
            Memory::Store => self.claimed.len(),
        }
    }
}

/// The forms that can be taken with this algorithm.
fn forms(algorithm: Algorithm) -> impl Iterator<Item = Form> {
    let needs_cnonce = |form: &Form| !matches!(form, Form::Rfc2069);
    FORMS
        .into_iter()
        .filter(move |form| !algorithm.is_sess() || needs_cnonce(form))
}

/// Every store with every form, algorithm and memory.
fn settings() -> Vec<(Store, Algorithm, Form, Memory)> {
    let mut settings = Vec::new();
    for store in Store::ALL {
        for &algorithm in Algorithm::ALL {
            for form in forms(algorithm) {
                for &memory in MEMORIES {
                    settings.push((store, algorithm, form, memory));
                }
            }
        }
    }
    settings
}

impl World {
    fn new(store: Store, algorithm: Algorithm, form: Form, memory: Memory) -> (Self, Answer) {
        let capacity = match memory {
            Memory::Tables(capacity) => capacity,
            Memory::Store => 0,
        };
        let service = Service::new(form.realm(algorithm)).with_capacity(capacity);
        let answer = form.answer(&service.nonce(), algorithm);
        let world = Self {
            service,
            store,
            memory,
            claimed: HashSet::new(),
        };
        (world, answer)
    }
}

#[test]
fn a_granted_header_is_a_replay_however_it_is_rewritten() {
    let (mut headers, mut replays) = (0_u32, 0_u32);
    for (store, algorithm, form, memory) in settings() {
        let (mut world, answer) = World::new(store, algorithm, form, memory);
        let what = format!("{store:?}, {form:?}, {algorithm}, {memory:?}");
        // What the user sent.
        let first = world.take(answer.header().as_bytes(), &answer);
        assert_eq!(first, Ok(()), "{what}");
        let rewrites = names(algorithm).into_iter().chain(others(form, &answer));
        let rewritten = rewrites.map(|rewrite| rewrite(answer.params()).to_string().into_bytes());
        for header in rewritten.chain([latin1(&answer.params())]) {
            headers += 1;
            let outcome = world.take(&header, &answer);
            let shown = || format!("{what}: {}", String::from_utf8_lossy(&header));
            match outcome {
                Err(Rejection::Replayed) => replays += 1,
                // The store does not take this spelling for the account.
                Err(Rejection::WrongCredentials) => {}
                other => panic!("{other:?} for {}", shown()),
            }
            assert_eq!(world.remembered(), 1, "{}", shown());
        }
    }
    println!("{headers} rewritten headers, {replays} of them with a right response");
    assert!(replays > headers / 2, "{replays} of {headers}");
}

proptest! {
    #![proptest_config(cases(500))]

    /// The same with a name and another parameter rewritten at once, and the honest header last.
    #[test]
    fn of_all_rewrites_only_the_first_is_granted(
        setting in any::<Index>(),
        rewrites in vec((any::<Index>(), any::<Index>()), 1..20),
    ) {
        let (store, algorithm, form, memory) = *setting.get(&settings());
        let (mut world, answer) = World::new(store, algorithm, form, memory);
        let (names, others) = (names(algorithm), others(form, &answer));
        let mut granted = 0;
        for (rename, rewrite) in &rewrites {
            let params = rewrite.get(&others)(rename.get(&names)(answer.params()));
            let header = params.to_string();
            granted += usize::from(world.take(header.as_bytes(), &answer).is_ok());
        }
        granted += usize::from(world.take(answer.header().as_bytes(), &answer).is_ok());
        prop_assert_eq!(granted, 1);
        prop_assert_eq!(world.remembered(), 1);
    }
}
