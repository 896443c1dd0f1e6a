//! Many requests at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use countersign::Channel;
use countersign::client::{Account, Ask, AuthCache, GiveUp, LoginError, Policy, SkipReason};
use countersign::server::Realm;
use countersign_tower::client::{AuthClientLayer, Credentials, LoginFailure};
use countersign_tower::server::AuthLayer;
use http::Request;
use tokio::sync::{Barrier, Notify};
use tokio::task::JoinSet;
use tower::{Layer, ServiceExt, service_fn};

use crate::support::{
    Body, Network, Seen, Server, Store, Typist, USER, authenticator, behind, by_path, get, knowing,
    mufasa, mufasas_cache, origin,
};

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

/// That holds for the requests that were under way, and not for later ones.
#[tokio::test]
async fn who_declines_is_asked_by_the_next_request() {
    let user = Typist::new(&[]);
    let client = files().asking(Policy::new(), user.clone());
    for asked in 1..4 {
        let response = client.clone().oneshot(get("https://a.example/")).await;
        assert_eq!(response.unwrap().status(), 401);
        assert_eq!(user.asked(), asked);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_password_is_asked_about_once() {
    let (right, asked, seen) = crowd(&["wrong", USER.1], 200).await;
    assert_eq!((right, asked), (CROWD, 2));
    assert!(seen.len() <= 3 * CROWD, "{seen:?}");
}

/// Fifty requests with this password, and ten to another realm with a right one, all of which are
/// challenged before one is answered. Returns the failures of the fifty, and how often the password
/// was sent.
async fn fifty(password: &'static str) -> (Vec<Option<LoginFailure>>, usize) {
    let files = authenticator(Realm::new("files").unwrap());
    let files = AuthLayer::new(files, Channel::Encrypted, Store);
    let admin = files.with_realm(Realm::new("admin").unwrap());
    let network = Network::default().with("a.example", by_path(behind(admin), behind(files)));
    let account = Account::new(USER.0, password).for_realm("files");
    let mut cache = knowing(&origin("a.example"), Policy::new(), account);
    cache
        .add_account(&origin("a.example"), mufasa().for_realm("admin"))
        .unwrap();
    let (service, all) = (network.service(), Arc::new(Barrier::new(60)));
    let asked = Arc::new(AtomicUsize::new(0));
    let together = service_fn(move |request: Request<Body>| {
        let (service, all, asked) = (service.clone(), Arc::clone(&all), Arc::clone(&asked));
        async move {
            if asked.fetch_add(1, Ordering::Relaxed) < 60 {
                all.wait().await;
            }
            service.oneshot(request).await
        }
    });
    let client = AuthClientLayer::new(cache).layer(together);
    let send = |uri: String| tokio::spawn(client.clone().oneshot(get(&uri)));
    let mine: Vec<_> = (0..50)
        .map(|n| send(format!("https://a.example/{n}")))
        .collect();
    let others: Vec<_> = (0..10)
        .map(|n| send(format!("https://a.example/admin/{n}")))
        .collect();
    for other in others {
        assert_eq!(other.await.unwrap().unwrap().status(), 200);
    }
    let mut failures = Vec::new();
    for response in mine {
        let response = response.await.unwrap().unwrap();
        let why = response.extensions().get::<LoginFailure>().cloned();
        assert_eq!(why.is_none(), response.status() == 200);
        failures.push(why);
    }
    let is_mine = |seen: &&Seen| {
        let answer = seen.authorization.as_deref();
        answer.is_some_and(|it| it.contains("realm=\"files\""))
    };
    let sent = network.take_seen().iter().filter(is_mine).count();
    (failures, sent)
}

/// That is what locks accounts.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_password_is_sent_once_for_all() {
    let (failures, sent) = fifty("wrong").await;
    assert_eq!(sent, 1);
    for why in failures {
        let Some(LoginFailure::GiveUp(GiveUp::WrongCredentials(ask))) = why else {
            panic!("{why:?}")
        };
        assert_eq!(ask.realm_text(), "files");
    }
    let (failures, sent) = fifty(USER.1).await;
    assert_eq!((failures, sent), (vec![None; 50], 50));
}

/// Does this to the first request with an answer.
fn at_the_first_answer<F: Future<Output = ()> + Send + 'static>(
    network: &Network,
    wait: impl Fn() -> F + Clone + Send + Sync + 'static,
) -> Server {
    let (service, is_first) = (network.service(), Arc::new(AtomicBool::new(true)));
    Server::new(service_fn(move |request: Request<Body>| {
        let (service, wait) = (service.clone(), wait.clone());
        let is_answered = request.headers().contains_key("authorization");
        let waits = is_answered && is_first.swap(false, Ordering::Relaxed);
        async move {
            if waits {
                wait().await;
            }
            service.oneshot(request).await
        }
    }))
}

fn files() -> Network {
    let auth = authenticator(Realm::new("files").unwrap());
    let server = behind(AuthLayer::new(auth, Channel::Encrypted, Store));
    Network::default().with("a.example", server)
}

/// The others do not wait for ever.
#[tokio::test]
async fn the_first_answer_is_slow() {
    let slow = Arc::new(Notify::new());
    let end = Arc::clone(&slow);
    let service = at_the_first_answer(&files(), move || {
        let slow = Arc::clone(&slow);
        async move { slow.notified().await }
    });
    let client = AuthClientLayer::new(mufasas_cache()).layer(service);
    let mut tasks = JoinSet::new();
    for _ in 0..5 {
        tasks.spawn(client.clone().oneshot(get("https://a.example/")));
    }
    for n in 0..5 {
        if n == 4 {
            end.notify_one();
        }
        let response = tasks.join_next().await.unwrap().unwrap().unwrap();
        assert_eq!(response.status(), 200);
    }
}

/// Those that start later, and know the challenge, do not wait once more.
#[tokio::test]
async fn one_wait_for_a_slow_answer() {
    let arrived = Arc::new(Notify::new());
    let seen = Arc::clone(&arrived);
    let service = at_the_first_answer(&files(), move || {
        arrived.notify_one();
        std::future::pending()
    });
    let client = AuthClientLayer::new(mufasas_cache()).layer(service);
    let slow = tokio::spawn(client.clone().oneshot(get("https://a.example/slow")));
    seen.notified().await;
    let send = || client.clone().oneshot(get("https://a.example/"));
    assert_eq!(send().await.unwrap().status(), 200);
    // Less than they would wait.
    let next = tokio::time::timeout(Duration::from_secs(2), send()).await;
    assert_eq!(next.unwrap().unwrap().status(), 200);
    slow.abort();
}

/// Those that start while it is under way wait for it, too.
#[tokio::test]
async fn a_wrong_password_is_not_sent_unasked() {
    let (arrived, slow) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (seen, end) = (Arc::clone(&arrived), Arc::clone(&slow));
    let network = files();
    let service = at_the_first_answer(&network, move || {
        arrived.notify_one();
        let slow = Arc::clone(&slow);
        async move { slow.notified().await }
    });
    let cache = knowing(
        &origin("a.example"),
        Policy::new(),
        Account::new(USER.0, "wrong"),
    );
    let client = AuthClientLayer::new(cache).layer(service);
    let mut tasks = JoinSet::new();
    tasks.spawn(client.clone().oneshot(get("https://a.example/")));
    seen.notified().await;
    for _ in 0..20 {
        tasks.spawn(client.clone().oneshot(get("https://a.example/")));
    }
    // All of them have started.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    end.notify_one();
    for response in tasks.join_all().await {
        assert_eq!(response.unwrap().status(), 401);
    }
    let seen = network.take_seen();
    assert_eq!(
        seen.iter().filter(|it| it.authorization.is_some()).count(),
        1
    );
}

/// Who started before the refusal makes no login that later requests would send unasked.
#[tokio::test]
async fn a_challenge_that_arrives_after_the_refusal() {
    let (arrived, late) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (seen, end) = (Arc::clone(&arrived), Arc::clone(&late));
    let network = files();
    let service = network.service();
    let service = service_fn(move |request: Request<Body>| {
        let (service, arrived, late) = (service.clone(), Arc::clone(&arrived), Arc::clone(&late));
        async move {
            if request.uri().path() == "/late" {
                arrived.notify_one();
                late.notified().await;
            }
            service.oneshot(request).await
        }
    });
    let account = Account::new(USER.0, "wrong");
    let cache = knowing(&origin("a.example"), Policy::new(), account);
    let client = AuthClientLayer::new(cache).layer(service);
    let send = |path| {
        client
            .clone()
            .oneshot(get(&format!("https://a.example/{path}")))
    };
    let slow = tokio::spawn(send("late"));
    seen.notified().await;
    assert_eq!(send("").await.unwrap().status(), 401);
    end.notify_one();
    assert_eq!(slow.await.unwrap().unwrap().status(), 401);
    let tasks = JoinSet::from_iter((0..20).map(|_| send("")));
    for response in tasks.join_all().await {
        assert_eq!(response.unwrap().status(), 401);
    }
    let seen = network.take_seen();
    let sent = seen.iter().filter(|it| it.authorization.is_some());
    // One for those that had started before the first refusal, and one for those after.
    assert_eq!(sent.count(), 2);
}

/// Once it is accepted, the others go all at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_waits_for_long() {
    let (service, all) = (files().service(), Arc::new(Barrier::new(9)));
    let (asked, answered) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (together, starting) = (Arc::new(AtomicUsize::new(0)), Arc::new(Barrier::new(10)));
    let count = Arc::clone(&together);
    let service = service_fn(move |request: Request<Body>| {
        let (service, all, starting) = (service.clone(), Arc::clone(&all), Arc::clone(&starting));
        let count = Arc::clone(&count);
        let is_answered = request.headers().contains_key("authorization");
        let n = match is_answered {
            true => answered.fetch_add(1, Ordering::Relaxed),
            false => asked.fetch_add(1, Ordering::Relaxed),
        };
        async move {
            match is_answered {
                true if n > 0 => {
                    // Less than they would wait for one another.
                    let all = tokio::time::timeout(Duration::from_secs(2), all.wait()).await;
                    count.fetch_add(usize::from(all.is_ok()), Ordering::Relaxed);
                }
                true => {}
                false => {
                    starting.wait().await;
                }
            }
            service.oneshot(request).await
        }
    });
    let client = AuthClientLayer::new(mufasas_cache()).layer(service);
    let mut tasks = JoinSet::new();
    for _ in 0..10 {
        tasks.spawn(client.clone().oneshot(get("https://a.example/")));
    }
    for response in tasks.join_all().await {
        assert_eq!(response.unwrap().status(), 200);
    }
    assert_eq!(together.load(Ordering::Relaxed), 9);
}

/// Nor does its end, if it is dropped, keep anybody out.
#[tokio::test]
async fn the_first_answer_is_dropped() {
    let arrived = Arc::new(Notify::new());
    let seen = Arc::clone(&arrived);
    let service = at_the_first_answer(&files(), move || {
        arrived.notify_one();
        std::future::pending()
    });
    let client = AuthClientLayer::new(mufasas_cache()).layer(service);
    let first = tokio::spawn(client.clone().oneshot(get("https://a.example/")));
    seen.notified().await;
    first.abort();
    let response = client.oneshot(get("https://a.example/")).await.unwrap();
    assert_eq!(response.status(), 200);
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
