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

/// Almost 100 requests a second, for the whole lifetime. A hash table of 2¹⁶ places holds them.
const CAPACITY: usize = 57_000;

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
        Self {
            capacity: CAPACITY,
            hashers: Default::default(),
            answers: HashMap::new(),
            users: HashMap::new(),
            cleaned: None,
        }
    }
}

impl Answered {
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
        Some(self.hashers.each_ref().map(|it| it.hash_one(question)))
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use http::HeaderValue;

    use super::*;

    fn with_capacity(capacity: usize) -> Answered {
        Answered {
            capacity,
            ..Answered::default()
        }
    }

    fn granted(user: &'static str) -> Answer {
        Answer::Granted(Arc::new(HeaderValue::from_static(user)), None)
    }

    #[test]
    fn each_answer_lives_for_its_own_time() {
        let (mut answered, start) = (Answered::default(), Instant::now());
        let at = |secs| start + Duration::from_secs(secs);
        answered.insert([1, 0], granted("a"), start);
        answered.insert([2, 0], granted("a"), at(400));
        // Nothing was asked meanwhile.
        assert!(answered.get([1, 0], at(600)).is_some());
        assert!(answered.get([1, 0], at(601)).is_none());
        assert!(answered.get([2, 0], at(1000)).is_some());
        assert!(answered.get([2, 0], at(1001)).is_none());
        answered.insert([3, 0], granted("b"), at(1001));
        assert_eq!(
            (answered.answers.len(), answered.users.len()),
            (1, 1),
            "old ones take no memory"
        );
    }

    #[test]
    fn nobody_pushes_out_the_answers_of_others() {
        let (mut answered, now) = (with_capacity(100), Instant::now());
        answered.insert([0, 1], granted("victim"), now);
        for number in 0..100_000 {
            answered.insert([number, 0], granted("flood"), now);
        }
        assert_eq!(answered.answers.len(), 100);
        assert!(answered.get([0, 1], now).is_some());
        assert!(
            answered.get([99_999, 0], now).is_some(),
            "the newest of them"
        );
        assert!(answered.get([0, 0], now).is_none());
        let refused = Answer::of_status(http::StatusCode::UNAUTHORIZED);
        for number in 0..1000 {
            answered.insert([number, 2], refused.clone(), now);
        }
        assert_eq!(answered.answers.len(), 100);
        assert!(answered.get([0, 1], now).is_some());
    }

    #[test]
    fn an_answer_that_is_given_again_has_one_place() {
        let (mut answered, now) = (with_capacity(2), Instant::now());
        for _ in 0..10 {
            answered.insert([1, 0], granted("a"), now);
        }
        let places: usize = answered.users.values().map(VecDeque::len).sum();
        assert_eq!((answered.answers.len(), places), (1, 1));
    }
}
