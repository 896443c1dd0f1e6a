//! The page `client::rules` written down a second time, as a model of two exchanges in one realm,
//! and every word of a small alphabet played to both: they say the same, and send the same nonce with
//! the same count. The states are searched breadth first, so each is reached by a shortest word.

mod player;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use countersign::challenges;
use countersign::client::{Account, Ask, Client, Exchange, Next, Policy};
use countersign::{EntityBody, Target};

use crate::support::client::{Said, Sent, USER, challenge, client};
use crate::support::effort;
use player::Player;

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Letter {
    Send(usize),
    /// The server says this to the last request of an exchange.
    Accept(usize),
    SameNonce(usize),
    NewNonce(usize),
    Stale(usize),
    /// It neither accepts nor challenges: 429, or a 401 without a challenge.
    Limit(usize),
    Bare(usize),
    /// Its program takes up another request.
    Drop(usize),
    Login(&'static str),
}

use Letter::{Accept, Bare, Drop, Limit, Login, NewNonce, SameNonce, Send, Stale};

fn alphabet() -> impl Iterator<Item = Letter> {
    let letters = [Send, Accept, SameNonce, NewNonce, Stale, Limit, Bare, Drop];
    let letters = letters.into_iter().flat_map(|of| [of(0), of(1)]);
    letters.chain([Login("one"), Login("two")])
}

/// A nonce, by the order in which they came.
type Nonce = u8;

/// What an exchange has sent.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Answer {
    password: &'static str,
    nonce: Nonce,
    count: u8,
    accepted: u8,
}

#[derive(Clone, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
struct Line {
    /// A request is in flight.
    waits: bool,
    answer: Option<Answer>,
    asked: Option<Nonce>,
    refused: u8,
    without_answer: u8,
    closed: bool,
}

/// The model.
#[derive(Clone, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
struct Model {
    lines: [Line; 2],
    /// The realm was challenged.
    known: bool,
    login: Option<&'static str>,
    volunteered: Option<Nonce>,
    accepted: u8,
    doubts: u8,
    /// How many in a row neither accepted nor challenged.
    silent: u8,
    wrong: Option<&'static str>,
    times: u8,
    asks_left: u8,
    counts: BTreeMap<Nonce, u8>,
    nonces: Nonce,
}

/// What is seen of a letter.
#[derive(Debug, Eq, PartialEq)]
enum Seen {
    Sent(Option<(Nonce, u8)>),
    Said(Said),
    LoggedIn(bool),
    Nothing,
}

impl Model {
    /// Returns whether the letter can follow.
    fn allows(&self, letter: Letter) -> bool {
        match letter {
            Send(at) => !self.lines[at].waits,
            SameNonce(at) => self.lines[at].waits && self.lines[at].answer.is_some(),
            Accept(at) | NewNonce(at) | Stale(at) | Limit(at) | Bare(at) => self.lines[at].waits,
            Drop(at) => self.lines[at] != Line::default(),
            Login(_) => self.known,
        }
    }

    fn take(&mut self, letter: Letter) -> Seen {
        match letter {
            Send(at) => self.send(at),
            Drop(at) => {
                self.lines[at] = Line::default();
                Seen::Nothing
            }
            Login(password) => self.log_in(password),
            SameNonce(at) => {
                let nonce = self.lines[at].answer.unwrap().nonce;
                self.challenged(at, nonce, false)
            }
            NewNonce(at) | Stale(at) => {
                self.nonces += 1;
                self.challenged(at, self.nonces, matches!(letter, Stale(_)))
            }
            Accept(at) => {
                self.lines[at].waits = false;
                self.accept(at);
                Seen::Nothing
            }
            Limit(at) => {
                self.lines[at].waits = false;
                self.says_nothing(at);
                Seen::Nothing
            }
            Bare(at) => Seen::Said(self.bare(at)),
        }
    }

    fn send(&mut self, at: usize) -> Seen {
        let line = &mut self.lines[at];
        line.waits = true;
        line.answer = None;
        if line.closed {
            return Seen::Sent(None);
        }
        let nonce = line.asked.or(self.volunteered);
        let (Some(password), Some(nonce)) = (self.login, nonce) else {
            return Seen::Sent(None);
        };
        let count = self.counts.entry(nonce).or_default();
        *count += 1;
        line.answer = Some(Answer {
            password,
            nonce,
            count: *count,
            accepted: self.accepted,
        });
        Seen::Sent(Some((nonce, *count)))
    }

    fn forget(&mut self, at: usize) {
        let sent = self.lines[at].answer.map(|answer| answer.nonce);
        if sent.is_some() && sent == self.volunteered {
            self.volunteered = None;
        }
    }

    fn says_nothing(&mut self, at: usize) {
        let answer = self.lines[at].answer;
        if answer.is_some_and(|it| Some(it.password) == self.login) {
            self.silent += 1;
            if self.silent > 1 {
                self.forget(at);
            }
        }
    }

    fn bare(&mut self, at: usize) -> Said {
        self.lines[at].waits = false;
        self.says_nothing(at);
        let answer = self.lines[at].answer;
        let is_of = |password| answer.is_some_and(|it| Some(it.password) == password);
        if self.silent < 4 {
            return Said::NoUsableChallenge([].into());
        }
        if is_of(self.login) {
            self.refuse();
        }
        if self.login.is_none() && is_of(self.wrong) {
            self.lines[at].closed = true;
            return Said::WrongCredentials;
        }
        Said::NoUsableChallenge([].into())
    }

    fn refuse(&mut self) {
        if self.wrong != self.login {
            self.times = 0;
        }
        self.wrong = self.login.take();
        self.asks_left = 1 << self.times.min(6);
        self.times += 1;
        self.doubts = 0;
    }

    fn log_in(&mut self, password: &'static str) -> Seen {
        if self.wrong == Some(password) && self.asks_left > 0 {
            return Seen::LoggedIn(false);
        }
        if self.login.is_some_and(|login| login != password) {
            self.volunteered = None;
        }
        self.login = Some(password);
        Seen::LoggedIn(true)
    }

    /// The table.
    fn is_refused(&mut self, at: usize, nonce: Nonce, stale: bool) -> bool {
        let line = &self.lines[at];
        let Some(answer) = line.answer.filter(|it| Some(it.password) == self.login) else {
            return false; // 1; 2 is Basic.
        };
        if stale && answer.nonce != nonce {
            return false; // 3
        }
        if answer.accepted != self.accepted {
            return false; // 4
        }
        if line.asked.is_some() || answer.nonce == nonce {
            return true; // 5
        }
        if answer.count == 1 && self.accepted == 0 {
            return true; // 6
        }
        if self.volunteered == Some(answer.nonce) {
            self.doubts += 1;
        }
        self.doubts >= 4 // 7, 8
    }

    fn challenged(&mut self, at: usize, nonce: Nonce, stale: bool) -> Seen {
        self.known = true;
        self.lines[at].waits = false;
        let line = &mut self.lines[at];
        match line.answer {
            Some(it) if Some(it.password) == self.login || line.asked.is_some() => {
                line.refused += 1
            }
            _ => line.without_answer += 1,
        }
        let is_refused = self.is_refused(at, nonce, stale);
        if is_refused {
            self.refuse();
        }
        let sent_wrong = self.lines[at]
            .answer
            .is_some_and(|answer| Some(answer.password) == self.wrong);
        let line = &mut self.lines[at];
        let said = if is_refused || (self.login.is_none() && sent_wrong) {
            Said::WrongCredentials
        } else if line.without_answer > 8 {
            Said::NeverAnswered
        } else if line.closed || line.refused >= 3 {
            Said::TooManyAnswers
        } else if self.login.is_some() {
            Said::Retry
        } else {
            self.asks_left = self.asks_left.saturating_sub(1);
            Said::Login
        };
        line.closed |= !matches!(said, Said::Retry | Said::Login);
        line.asked = Some(nonce);
        self.forget(at);
        if self.login.is_none() {
            self.volunteered = None;
        }
        self.volunteered.get_or_insert(nonce);
        Seen::Said(said)
    }

    fn accept(&mut self, at: usize) {
        let line = &mut self.lines[at];
        let Some(answer) = line.answer else {
            return;
        };
        line.refused = 0;
        line.without_answer = 0;
        let asked = line.asked.take();
        let is_of_login = Some(answer.password) == self.login;
        if asked.is_some() && Some(answer.password) == self.wrong {
            self.wrong = None;
        }
        if !is_of_login {
            return;
        }
        self.accepted += 1;
        self.doubts = 0;
        self.silent = 0;
        self.volunteered = asked.or(self.volunteered);
    }

    /// The state without what does not matter: the names of nonces, and what never comes back.
    fn canonical(&self) -> Self {
        let mut model = self.clone();
        let mut kept = BTreeMap::new();
        let mut name = |nonce: &mut Nonce| {
            let next = Nonce::try_from(kept.len()).unwrap();
            *nonce = *kept.entry(*nonce).or_insert(next);
        };
        for line in &mut model.lines {
            // An answer that nobody waits for is forgotten at the next request.
            if !line.waits {
                line.answer = None;
            }
            if let Some(answer) = &mut line.answer {
                name(&mut answer.nonce);
                // Whether it was made before the last acceptance, and the first use.
                answer.accepted = u8::from(answer.accepted == self.accepted);
                answer.count = answer.count.min(2);
            }
            line.asked.iter_mut().for_each(&mut name);
        }
        model.volunteered.iter_mut().for_each(&mut name);
        model.accepted = self.accepted.min(1);
        let counts = self.counts.iter();
        let counts = counts.filter_map(|(nonce, count)| Some((*kept.get(nonce)?, (*count).min(2))));
        model.counts = counts.collect();
        model.nonces = 0;
        // Beyond these, backing off takes longer, and nothing else changes.
        model.times = model.times.min(3);
        model.silent = model.silent.min(4);
        model
    }
}

/// Plays a word to both, and compares the last letter.
fn compare(word: &[Letter]) {
    let (mut model, mut player) = (Model::default(), Player::new());
    for letter in word {
        let expected = model.take(*letter);
        assert_eq!(player.take(*letter), expected, "{letter:?} of {word:?}");
    }
}

#[test]
fn the_client_does_what_its_page_says() {
    let states = effort::repeats(40_000) as usize;
    let mut seen = BTreeSet::from([Model::default()]);
    let mut queue = VecDeque::from([Vec::new()]);
    let mut words = 0_u32;
    while let Some(word) = queue.pop_front() {
        let mut model = Model::default();
        for letter in &word {
            model.take(*letter);
        }
        for letter in alphabet() {
            if !model.allows(letter) {
                continue;
            }
            let mut word = word.clone();
            word.push(letter);
            compare(&word);
            words += 1;
            let mut next = model.clone();
            next.take(letter);
            if seen.len() < states && seen.insert(next.canonical()) {
                lets_in(next);
                queue.push_back(word);
            }
        }
    }
    println!("{} states, {words} words", seen.len());
    assert_eq!(seen.len(), states);
}

/// Checks that an honest server lets the right password in from this state on, which takes the nonces
/// that it has made since, and `one`.
fn lets_in(mut model: Model) {
    let honest = model.nonces;
    for _ in 0..70 {
        model.take(Drop(0));
        for _ in 0..9 {
            model.take(Send(0));
            let answer = model.lines[0].answer;
            match answer {
                Some(it) if it.password == "one" && it.nonce > honest => return,
                _ => {}
            }
            let is_stale = answer.is_some_and(|it| it.nonce <= honest);
            match model.take(if is_stale { Stale(0) } else { NewNonce(0) }) {
                Seen::Said(Said::Retry) => {}
                Seen::Said(Said::Login | Said::WrongCredentials) => {
                    model.take(Login("one"));
                    if model.lines[0].closed {
                        break;
                    }
                }
                _ => break,
            }
        }
    }
    panic!("never let in: {model:?}");
}
