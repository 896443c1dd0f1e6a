//! Refused passwords, and what a response tells about them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use countersign::Channel;
use countersign::client::{Account, Exchange, GiveUp, LoginError, Next, Policy, SkipReason};
use countersign::digest::Ha1;
use countersign::server::Realm;
use countersign_tower::client::{AuthClientLayer, Credentials, LoginFailure, Once};
use countersign_tower::server::{AuthLayer, Found, StoreError, Users};
use http::{Request, Response};
use tower::util::BoxCloneSyncService;
use tower::{Layer, ServiceExt, service_fn};

use crate::support::{
    Body, Network, Server, Store, Typist, USER, authenticator, behind, by_path, cache, get, mufasa,
    mufasas_cache, origin,
};

/// Knows `USER`, by another password while `is_wrong`.
#[derive(Clone, Default)]
struct Changing {
    is_wrong: Arc<AtomicBool>,
}

impl Users for Changing {
    type Account = Arc<str>;

    async fn find(
        &self,
        user: &countersign::digest::User<'_>,
        realm: &str,
        hash: countersign::digest::HashFunction,
    ) -> Result<Option<Found<Arc<str>>>, StoreError> {
        let password = match self.is_wrong.load(Ordering::Relaxed) {
            true => "changed",
            false => USER.1,
        };
        Ok(user.name().map(|name| Found {
            account: name.into(),
            ha1: Ha1::new(hash, name, realm, password),
        }))
    }
}

fn network(users: impl Users<Account = Arc<str>>) -> Network {
    let auth = authenticator(Realm::new("files").unwrap());
    let server = behind(AuthLayer::new(auth, Channel::Encrypted, users));
    Network::default().with("a.example", server)
}

async fn failure<C: Credentials>(network: &Network, who: C) -> LoginFailure {
    let client = network.asking(Policy::new(), who);
    let response = client.oneshot(get("https://a.example/")).await.unwrap();
    assert_eq!(response.status(), 401);
    response.extensions().get::<LoginFailure>().unwrap().clone()
}

#[tokio::test]
async fn a_password_refused_for_a_while_gets_in_by_itself() {
    let users = Changing::default();
    let network = network(users.clone());
    let client = network.client(Policy::new(), mufasa());
    let send = || client.clone().oneshot(get("https://a.example/"));
    assert_eq!(send().await.unwrap().status(), 200);
    users.is_wrong.store(true, Ordering::Relaxed);
    network.take_seen();
    for _ in 0..30 {
        let response = send().await.unwrap();
        assert_eq!(response.status(), 401);
        let why = response.extensions().get::<LoginFailure>();
        let Some(LoginFailure::GiveUp(GiveUp::WrongCredentials(ask))) = why else {
            panic!("{why:?}")
        };
        assert_eq!(ask.realm_text(), "files");
    }
    // Twice by the first request, because the password was accepted before, and then ever more
    // rarely: by the 1st, 3rd, 7th and 15th request after it.
    let seen = network.take_seen();
    let sent = seen.iter().filter(|seen| seen.authorization.is_some());
    assert_eq!(sent.count(), 6);
    users.is_wrong.store(false, Ordering::Relaxed);
    let mut refused = 0;
    while send().await.unwrap().status() == 401 {
        refused += 1;
        assert!(refused < 64);
    }
    for _ in 0..3 {
        assert_eq!(send().await.unwrap().status(), 200);
    }
}

/// Refuses the first request that has credentials, and no other.
fn forging(server: Server) -> Server {
    let has_forged = Arc::new(AtomicBool::new(false));
    BoxCloneSyncService::new(service_fn(move |mut request: Request<Body>| {
        let has_credentials = request.headers().contains_key("authorization");
        if has_credentials && !has_forged.swap(true, Ordering::Relaxed) {
            request.headers_mut().remove("authorization");
        }
        server.clone().oneshot(request)
    }))
}

#[tokio::test]
async fn a_forged_refusal_costs_one_request() {
    let auth = authenticator(Realm::new("files").unwrap());
    let server = behind(AuthLayer::new(auth, Channel::Encrypted, Store));
    let network = Network::default().with("a.example", forging(server));
    let client = network.client(Policy::new(), mufasa());
    for status in [401, 200, 200] {
        let request = get("https://a.example/");
        let response = client.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), status);
    }
}

#[tokio::test]
async fn each_failure_is_told() {
    let network = network(Store);
    let why = failure(&network, ()).await;
    assert!(matches!(&why, LoginFailure::Declined(ask) if !ask.is_again()));
    assert_eq!(
        why.to_string(),
        r#"no account for https://a.example:443, realm "files""#
    );
    for passwords in [&["wrong"][..], &["wrong", "wrong"]] {
        let why = failure(&network, Typist::new(passwords)).await;
        assert_eq!(
            why.to_string(),
            r#"wrong user name or password for https://a.example:443, realm "files""#
        );
    }
    let why = failure(&network, Typist::new(&["1", "2", "3", "4", "5", "6"])).await;
    assert!(matches!(why, LoginFailure::TooManyLogins(ask) if ask.is_again()));
}

#[test]
fn a_long_realm_is_cut_in_the_text_of_a_failure() {
    let mut cache = cache(Policy::new());
    let realm = format!("https://b.example{}", " ".repeat(3000));
    let challenge = format!(r#"Basic realm="{realm}""#);
    let next = cache
        .client(&origin("a.example"))
        .challenged(&mut Exchange::new(), countersign::challenges([&challenge]));
    let Next::Login(ask) = next else {
        panic!("{next:?}")
    };
    let text = LoginFailure::Declined(ask).to_string();
    let expected = format!(
        "no account for https://a.example:443, realm {:?}",
        &realm[..60]
    );
    assert_eq!(text, expected);
}

#[tokio::test]
async fn a_challenge_that_cannot_be_answered_is_told() {
    let realm = Realm::new("files").unwrap().with_algorithms(&[]);
    let auth = authenticator(realm.with_cleartext_basic());
    let server = behind(AuthLayer::new(auth, Channel::Cleartext, Store));
    let network = Network::default().with("a.example", server);
    let client = network.client(Policy::new(), mufasa());
    let response = client.oneshot(get("http://a.example/")).await.unwrap();
    let expected = GiveUp::NoUsableChallenge([SkipReason::CleartextBasic].into());
    let why = response.extensions().get();
    assert_eq!(why, Some(&LoginFailure::GiveUp(expected)));
}

#[tokio::test]
async fn a_stream_that_was_challenged_is_told() {
    let unwrapped = network(Store).service();
    let service = service_fn(move |request: Request<Once<Body>>| {
        unwrapped.clone().oneshot(request.map(|Once(body)| body))
    });
    let layer = AuthClientLayer::new(mufasas_cache());
    let request = Request::put("https://a.example/").body(Once("data".into()));
    let response: Response<Body> = layer
        .layer(service)
        .oneshot(request.unwrap())
        .await
        .unwrap();
    let why = response.extensions().get();
    assert_eq!(why, Some(&LoginFailure::NotRepeatable));
}

/// What to do is another thing than for one that was never sent.
#[tokio::test]
async fn a_wrong_password_with_a_stream_is_told() {
    let users = Changing::default();
    let network = network(users.clone());
    let unwrapped = network.service();
    let streams = service_fn(move |request: Request<Once<Body>>| {
        unwrapped.clone().oneshot(request.map(|Once(body)| body))
    });
    let layer = AuthClientLayer::new(mufasas_cache());
    let client = layer.layer(network.service());
    let response = client.oneshot(get("https://a.example/")).await.unwrap();
    assert_eq!(response.status(), 200);
    users.is_wrong.store(true, Ordering::Relaxed);
    let mut why = Vec::new();
    for _ in 0..12 {
        let request = Request::put("https://a.example/").body(Once("data".into()));
        let response: Response<Body> = layer
            .layer(streams.clone())
            .oneshot(request.unwrap())
            .await
            .unwrap();
        why.push(response.extensions().get().cloned());
    }
    // The first refusal may be one of the nonce.
    assert_eq!(why[0], Some(LoginFailure::NotRepeatable));
    let wrong = |why: &Option<_>| matches!(why, Some(LoginFailure::GiveUp(GiveUp::WrongCredentials(ask))) if ask.is_again());
    assert!(why.iter().any(wrong), "{why:?}");
}

#[tokio::test]
async fn each_realm_gets_its_own_user() {
    let auth = authenticator(Realm::new("files").unwrap());
    let layer = AuthLayer::new(auth, Channel::Encrypted, Changing::default());
    let admin = layer.with_realm(Realm::new("admin").unwrap());
    let server = by_path(behind(admin), behind(layer));
    let network = Network::default().with("a.example", server);
    let mut cache = mufasas_cache();
    let rafiki = Account::new("Rafiki", USER.1).for_realm("admin");
    cache.add_account(&origin("a.example"), rafiki).unwrap();
    let client = AuthClientLayer::new(cache).layer(network.service());
    for (path, name) in [("/files/", "Mufasa"), ("/admin/", "Rafiki")] {
        let request = get(&format!("https://a.example{path}"));
        let response = client.clone().oneshot(request).await.unwrap();
        assert_eq!(
            crate::support::text(response).await,
            format!("hello {name}: ")
        );
    }
}

#[tokio::test]
async fn a_new_realm_gets_no_login_that_is_for_another() {
    // Over TLS, so another user of the origin, or an intermediary that ends it: they make up a
    // realm that asks for the password.
    let strong = || {
        let auth = authenticator(Realm::new("files").unwrap());
        behind(AuthLayer::new(auth, Channel::Encrypted, Store))
    };
    let weak = Realm::new("other").unwrap().with_algorithms(&[]);
    let weak = authenticator(weak.with_basic());
    let weak = behind(AuthLayer::new(weak, Channel::Encrypted, Store));
    for account in [
        mufasa().with_basic(),
        mufasa().with_basic().for_realm("files"),
        mufasa(),
    ] {
        let network = Network::default().with("a.example", strong());
        let client = network.client(Policy::new(), account);
        let uri = "https://a.example/";
        let response = client.clone().oneshot(get(uri)).await.unwrap();
        assert_eq!(response.status(), 200);
        let network = network.with("a.example", weak.clone());
        network.take_seen();
        client.oneshot(get(uri)).await.unwrap();
        let seen = network.take_seen();
        assert!(!seen.is_empty());
        let is_basic = |value: &String| value.starts_with("Basic ");
        let mut given = seen.iter().filter_map(|seen| seen.authorization.as_ref());
        assert!(!given.any(is_basic));
    }
}

#[tokio::test]
async fn a_cold_client_gives_basic_nothing_unless_the_login_allows_it() {
    // Another user of the origin, who names the realm of the account before it has proved Digest.
    let weak = Realm::new("files").unwrap().with_algorithms(&[]);
    let weak = authenticator(weak.with_basic());
    let weak = behind(AuthLayer::new(weak, Channel::Encrypted, Store));
    let login = || mufasa().for_realm("files");
    let uri = "https://a.example/~mallory/";
    for account in [login(), mufasa()] {
        let network = Network::default().with("a.example", weak.clone());
        let client = network.client(Policy::new(), account);
        let response = client.oneshot(get(uri)).await.unwrap();
        let why = response.extensions().get::<LoginFailure>();
        let expected = [SkipReason::Account(LoginError::BasicNotAllowed)];
        let expected = GiveUp::NoUsableChallenge(expected.into());
        assert_eq!(why, Some(&LoginFailure::GiveUp(expected)));
        let seen = network.take_seen();
        assert_eq!(seen.len(), 1);
        assert_eq!(seen[0].authorization, None);
    }
    let network = Network::default().with("a.example", weak);
    let client = network.client(Policy::new(), login().with_basic());
    let response = client.oneshot(get(uri)).await.unwrap();
    assert_eq!(response.status(), 200);
    let seen = network.take_seen();
    let sent = seen[1].authorization.as_deref().unwrap();
    assert!(sent.starts_with("Basic "), "{sent}");
}
