//! Many requests at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use countersign::Channel;
use countersign::client::{Account, Ask, AuthCache, GiveUp, LoginError, Policy, SkipReason};
use countersign::server::Realm;
use countersign_tower::client::{AuthClientLayer, Credentials, LoginFailure};
use countersign_tower::server::AuthLayer;
use tokio::task::JoinSet;
use tower::{Layer, ServiceExt};

use crate::support::{Network, Store, Typist, USER, authenticator, behind, get, mufasa, origin};

const CROWD: usize = 20;

/// Returns how many got this status, how often the user was asked, and all statuses.
async fn crowd(passwords: &[&'static str], status: u16) -> (usize, usize, Vec<u16>) {
    let auth = authenticator(Realm::new("files").unwrap());
    let server = behind(AuthLayer::new(auth, Channel::Encrypted, Store));
    let network = Network::default().with("a.example", server);
    let user = Typist::new(passwords);
    let client = network.asking(Policy::new(), user.clone());
    let mut tasks = JoinSet::new();
    for n in 0..CROWD {
        let request = get(&format!("https://a.example/{n}"));
        tasks.spawn(client.clone().oneshot(request));
    }
    let responses = tasks.join_all().await;
    let got = responses
        .into_iter()
        .filter(|response| response.as_ref().unwrap().status() == status);
    (got.count(), user.asked(), network.take_statuses())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_prompt_for_all() {
    let (right, asked, seen) = crowd(&[USER.1], 200).await;
    assert_eq!((right, asked), (CROWD, 1));
    assert!(seen.len() <= 2 * CROWD, "{seen:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_refusal_to_log_in_for_all() {
    let (refused, asked, seen) = crowd(&[], 401).await;
    assert_eq!((refused, asked, seen.len()), (CROWD, 1, CROWD));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_password_is_asked_about_once() {
    let (right, asked, seen) = crowd(&["wrong", USER.1], 200).await;
    assert_eq!((right, asked), (CROWD, 2));
    assert!(seen.len() <= 3 * CROWD, "{seen:?}");
}

/// A name that Basic cannot carry.
struct Colon(AtomicUsize);

impl Credentials for Colon {
    async fn credentials(&self, _: &Ask) -> Option<Account> {
        self.0.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(20)).await;
        Some(Account::new("Mu:fasa", USER.1).with_basic())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_that_cannot_be_sent_is_asked_for_once() {
    let realm = Realm::new("files").unwrap().with_algorithms(&[]);
    let auth = authenticator(realm.with_cleartext_basic());
    let server = behind(AuthLayer::new(auth, Channel::Encrypted, Store));
    let network = Network::default().with("a.example", server);
    let user = Arc::new(Colon(AtomicUsize::new(0)));
    let client = network.asking(Policy::new(), user.clone());
    let mut tasks = JoinSet::new();
    for _ in 0..CROWD {
        tasks.spawn(client.clone().oneshot(get("https://a.example/")));
    }
    for response in tasks.join_all().await {
        let response = response.unwrap();
        let Some(LoginFailure::GiveUp(GiveUp::NoUsableChallenge(why))) =
            response.extensions().get()
        else {
            panic!("{:?}", response.extensions());
        };
        assert!(matches!(**why, [SkipReason::Account(LoginError::Text(_))]));
    }
    assert_eq!(user.0.load(Ordering::Relaxed), 1);
}

/// A cache for fewer endpoints than have logins under way.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn more_logins_at_once_than_the_cache_has_room_for() {
    let hosts: Vec<_> = (0..CROWD).map(|n| format!("h{n}.example")).collect();
    for has_accounts in [true, false] {
        let mut network = Network::default();
        let mut cache = AuthCache::new(2, Policy::new(), &mut getrandom::SysRng).unwrap();
        for host in &hosts {
            let auth = authenticator(Realm::new("files").unwrap());
            let server = behind(AuthLayer::new(auth, Channel::Encrypted, Store));
            network = network.with(host, server);
            if has_accounts {
                cache.add_account(&origin(host), mufasa()).unwrap();
            }
        }
        let user = Typist::new(&[USER.1; CROWD]);
        let layer = AuthClientLayer::with_credentials(cache, user.clone());
        let client = layer.layer(network.service());
        let mut tasks = JoinSet::new();
        for host in &hosts {
            tasks.spawn(client.clone().oneshot(get(&format!("https://{host}/"))));
        }
        for response in tasks.join_all().await {
            assert_eq!(response.unwrap().status(), 200);
        }
        let asked = if has_accounts { 0 } else { CROWD };
        assert_eq!(user.asked(), asked);
    }
}
