//! The answers to questions that nginx may repeat.
//!
//! nginx runs `auth_request` again for the same request after each internal redirect (`index`,
//! `try_files`, `rewrite`, `error_page`), and after a connection to the gate has failed. A nonce
//! count is granted once, so a question that comes again gets the answer that it got.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

use crate::answer::Answer;
use crate::convention::Question;

/// Longer than any usual limit of time of an application, after which nginx asks for the error page.
const LIFETIME: Duration = Duration::from_secs(600);

/// About 100 requests a second, for the whole lifetime.
const CAPACITY: usize = 60_000;

/// A keyed hash of everything that an answer depends on.
type Key = [u64; 2];

/// The answers, up to a capacity, with the times when they were given.
pub struct Answered {
    capacity: usize,
    hashers: [RandomState; 2],
    answers: HashMap<Key, (Answer, Instant)>,
    /// By the user who was granted the request, or `None`, oldest first.
    users: HashMap<Option<Box<[u8]>>, VecDeque<Key>>,
    cleaned: Option<Instant>,
}

impl Default for Answered {
    fn default() -> Self {
        Self::with_capacity(CAPACITY)
    }
}

impl Answered {
    fn with_capacity(capacity: usize) -> Self {
        Self {
            capacity,
            hashers: Default::default(),
            answers: HashMap::new(),
            users: HashMap::new(),
            cleaned: None,
        }
    }

    /// The key of a question that may come again; `None` if it cannot.
    pub fn key(&self, question: &Question<'_>) -> Option<Key> {
        let question = (
            question.id?,
            question.method,
            question.target,
            question.channel,
            question.address,
            &question.credentials,
        );
        // A challenge is no secret and counts for nothing, so a new one serves as well.
        if question.5.is_empty() {
            return None;
        }
        Some(self.hashers.each_ref().map(|it| it.hash_one(&question)))
    }

    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// The answer that the question got before.
    pub fn get(&self, key: Key, now: Instant) -> Option<Answer> {
        let (answer, then) = self.answers.get(&key)?;
        (now.duration_since(*then) <= LIFETIME).then(|| answer.clone())
    }

    /// Remembers an answer. If there is no room, the user who has most of it makes some, so that
    /// nobody can push out the answers of others.
    pub fn insert(&mut self, key: Key, answer: Answer, now: Instant) {
        let is_due = |cleaned| now.duration_since(cleaned) > LIFETIME / 20;
        if self.cleaned.is_none_or(is_due) {
            self.cleaned = Some(now);
            self.remove_old(now);
        }
        if self.answers.len() >= self.capacity {
            let greatest = self.users.values_mut().max_by_key(|keys| keys.len());
            if let Some(oldest) = greatest.and_then(VecDeque::pop_front) {
                self.answers.remove(&oldest);
            }
        }
        let user = answer.user().map(|user| user.as_bytes().into());
        if self.answers.insert(key, (answer, now)).is_none() {
            self.users.entry(user).or_default().push_back(key);
        }
    }

    fn remove_old(&mut self, now: Instant) {
        let answers = &mut self.answers;
        answers.retain(|_, (_, then)| now.duration_since(*then) <= LIFETIME);
        self.users.retain(|_, keys| {
            keys.retain(|key| answers.contains_key(key));
            !keys.is_empty()
        });
    }
}
