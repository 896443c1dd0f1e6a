//! What somebody who guesses passwords tries to get around a limiter and a store.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use countersign::client::{Account, Client, Exchange, Next, Policy, Quirk};
use countersign::digest::{Algorithm, Ha1, HashFunction, User, userhash};
use countersign::server::Realm;
use countersign::wire::{BasicCredentials, basic_credentials};
use countersign::{Channel, FieldValue, Target, challenges};
use countersign_tower::server::{
    AuthLayer, AuthLayerBuilder, ClientAddress, Found, Limiter, StoreError, UserMap, Users, Verdict,
};
use http::{HeaderValue, Request, Response};
use tower::util::{BoxCloneSyncService, MapRequestLayer};
use tower::{Layer, ServiceExt};

use crate::support::{Body, Server, USER, authenticator, behind, get, origin};

const LIMIT: u32 = 3;

const HOUR: Duration = Duration::from_secs(3600);

const ALGORITHMS: [Algorithm; 2] = [Algorithm::SHA_256, Algorithm::SHA_512_256];

fn limiter() -> Limiter {
    Limiter::new().with_limit(LIMIT, HOUR)
}

/// A server that takes all requests to come from one address.
fn at_an_address<U: Users<Account: AsRef<str>>>(layer: AuthLayerBuilder<U>) -> Server {
    at_an_address_with(layer.build())
}

fn at_an_address_with<U: Users<Account: AsRef<str>>>(layer: AuthLayer<U>) -> Server {
    BoxCloneSyncService::new(MapRequestLayer::new(with_address).layer(behind(layer)))
}

fn with_address(mut request: Request<Body>) -> Request<Body> {
    let address = ClientAddress(Some(IpAddr::from([192, 0, 2, 1])));
    request.extensions_mut().insert(address);
    request
}

/// A client of a server that has sent its challenge.
async fn challenged(server: &Server, policy: Policy, name: &str, ha1: &Ha1) -> Client {
    let mut client = Client::from_seed(origin("a.example"), policy, [7; 32]);
    let response = server.clone().oneshot(get("/")).await.unwrap();
    let values = response.headers().get_all("www-authenticate");
    let Next::Login(ask) = client.challenged(&mut Exchange::new(), challenges(values)) else {
        panic!()
    };
    let account = Account::from_ha1(name, &ask.realm_text(), ha1);
    client.login(&ask, &account).unwrap();
    client
}

/// The credentials of a request for `/`.
fn digest(client: &mut Client) -> FieldValue {
    let mut exchange = Exchange::new();
    let answer = client.authorize(&mut exchange, &Target::new("GET", "/"));
    answer.unwrap().for_new_request().unwrap().clone()
}

fn with(value: impl AsRef<[u8]>) -> Request<Body> {
    let mut request = get("/");
    let value = HeaderValue::from_bytes(value.as_ref()).unwrap();
    request.headers_mut().insert("authorization", value);
    request
}

fn statuses(responses: impl IntoIterator<Item = Response<Body>>) -> HashMap<u16, usize> {
    let mut counts = HashMap::new();
    for response in responses {
        *counts.entry(response.status().as_u16()).or_default() += 1;
    }
    counts
}

/// Finds `USER` whatever the case of the name is.
struct CaseBlind;

impl Users for CaseBlind {
    type Account = Arc<str>;

    async fn find(
        &self,
        user: &User<'_>,
        realm: &str,
        hash: HashFunction,
    ) -> Result<Option<Found<Arc<str>>>, StoreError> {
        let is_user = |name: &str| name.eq_ignore_ascii_case(USER.0);
        Ok(user.name().is_some_and(is_user).then(|| Found {
            account: USER.0.into(),
            ha1: Ha1::new(hash, USER.0, realm, USER.1),
        }))
    }
}

#[tokio::test]
async fn another_spelling_of_the_name_is_no_way_around_the_limiter() {
    let realm = Realm::new("files").unwrap();
    let layer = AuthLayer::builder(authenticator(realm), Channel::Encrypted, CaseBlind);
    let server = at_an_address(layer.with_limiter(limiter()));
    let guess = Ha1::new(HashFunction::Sha256, USER.0, "files", "a guess");
    let mut client = challenged(&server, Policy::new(), USER.0, &guess).await;
    let mut responses = Vec::new();
    for spelling in 0..32_u32 {
        let letters = USER.0.chars().enumerate().map(|(at, letter)| {
            if spelling >> at & 1 == 1 {
                letter.to_ascii_uppercase()
            } else {
                letter.to_ascii_lowercase()
            }
        });
        let name: String = letters.collect();
        // No response covers the name.
        let value = digest(&mut client);
        let value = value.to_str().unwrap().replace(USER.0, &name);
        responses.push(server.clone().oneshot(with(&value)).await.unwrap());
    }
    let limit = LIMIT as usize;
    let expected = HashMap::from([(401, limit), (429, 32 - limit)]);
    assert_eq!(statuses(responses), expected);
}

#[tokio::test]
async fn an_algorithm_that_a_user_has_no_ha1_for_does_not_show_that_they_exist() {
    let realm = Realm::new("files").unwrap().with_algorithms(&ALGORITHMS);
    let ha1 = realm.ha1(HashFunction::Sha256, USER.0, USER.1);
    let users = UserMap::from_ha1s(&realm, [(USER.0, ha1)]);
    let layer = AuthLayer::builder(authenticator(realm), Channel::Encrypted, users);
    let server = at_an_address(layer.with_limiter(limiter()));
    let policy = Policy::new().require_hash(HashFunction::Sha512_256);
    let guess = Ha1::new(HashFunction::Sha512_256, USER.0, "files", "a guess");
    for name in [USER.0, "nobody"] {
        let mut client = challenged(&server, policy, name, &guess).await;
        let mut responses = Vec::new();
        for _ in 0..10 {
            let value = digest(&mut client);
            responses.push(server.clone().oneshot(with(&value)).await.unwrap());
        }
        let limit = LIMIT as usize;
        let expected = HashMap::from([(401, limit), (429, 10 - limit)]);
        assert_eq!(statuses(responses), expected, "{name}");
    }
}

/// Finds `USER` by the hash of the name, too.
struct Hashed;

impl Users for Hashed {
    type Account = Arc<str>;

    async fn find(
        &self,
        user: &User<'_>,
        realm: &str,
        hash: HashFunction,
    ) -> Result<Option<Found<Arc<str>>>, StoreError> {
        let is_user = match user {
            User::Name(name) => name == USER.0,
            User::Hash(found) => *found == userhash(hash, USER.0, realm),
            _ => false,
        };
        Ok(is_user.then(|| Found {
            account: USER.0.into(),
            ha1: Ha1::new(hash, USER.0, realm, USER.1),
        }))
    }
}

#[tokio::test]
async fn limits_of_a_name_and_of_its_hash_do_not_show_whether_the_user_exists() {
    let ways = [HashFunction::Sha256, HashFunction::Sha512_256]
        .map(|hash| {
            [
                (hash, Policy::new()),
                (hash, Policy::new().with_quirk(Quirk::NoUserhash)),
            ]
        })
        .concat();
    // Two ways after each other, each more often than the limit allows.
    for first in 0..ways.len() {
        for second in 0..ways.len() {
            let mut seen = Vec::new();
            for name in [USER.0, "nobody"] {
                let realm = Realm::new("files").unwrap().with_algorithms(&ALGORITHMS);
                let realm = realm.with_userhash(true);
                let auth = authenticator(realm);
                let layer = AuthLayer::builder(auth, Channel::Encrypted, Hashed);
                let server = at_an_address(layer.with_limiter(limiter()));
                let mut statuses = Vec::new();
                for way in [first, second] {
                    let (hash, policy) = ways[way];
                    let guess = Ha1::new(hash, name, "files", "a guess");
                    let policy = policy.require_hash(hash);
                    let mut client = challenged(&server, policy, name, &guess).await;
                    for _ in 0..=LIMIT {
                        let value = digest(&mut client);
                        let response = server.clone().oneshot(with(&value)).await.unwrap();
                        statuses.push(response.status());
                    }
                }
                seen.push(statuses);
            }
            assert_eq!(seen[0], seen[1], "{first} {second}");
            assert_eq!(seen[0][LIMIT as usize], 429);
        }
    }
}

/// Otherwise the number of guesses that push an older limit out of the memory would show it.
#[tokio::test]
async fn a_user_who_exists_takes_as_much_memory_as_one_who_does_not() {
    for policy in [Policy::new(), Policy::new().with_quirk(Quirk::NoUserhash)] {
        for capacity in (20..26).step_by(2) {
            let mut seen = Vec::new();
            for name in [USER.0, "nobody"] {
                let realm = Realm::new("files").unwrap().with_userhash(true);
                let limiter = Limiter::new().with_limit(1, HOUR).with_capacity(capacity);
                let layer = AuthLayer::builder(authenticator(realm), Channel::Encrypted, Hashed);
                let server = at_an_address(layer.with_limiter(limiter));
                let guess = async |name: &str| {
                    let ha1 = Ha1::new(HashFunction::Sha256, name, "files", "a guess");
                    let mut client = challenged(&server, policy, name, &ha1).await;
                    let value = digest(&mut client);
                    let response = server.clone().oneshot(with(&value)).await.unwrap();
                    response.status()
                };
                guess("older").await;
                guess(name).await;
                let mut others = 0;
                while guess("older").await == 429 {
                    others += 1;
                    guess(&format!("other {others}")).await;
                }
                seen.push(others);
            }
            assert_eq!(seen[0], seen[1], "capacity {capacity}");
            assert!(seen[0] > 1);
        }
    }
}

/// A slow store: it answers when as many requests as this wait for it.
struct Slow(tokio::sync::Barrier);

const AT_ONCE: usize = 32;

impl Users for Slow {
    type Account = Arc<str>;

    async fn find(
        &self,
        _: &User<'_>,
        realm: &str,
        hash: HashFunction,
    ) -> Result<Option<Found<Arc<str>>>, StoreError> {
        self.0.wait().await;
        let ha1 = Ha1::new(hash, USER.0, realm, USER.1);
        let account = USER.0.into();
        Ok(Some(Found { account, ha1 }))
    }

    async fn check_password(
        &self,
        _: &BasicCredentials,
        _: &str,
    ) -> Result<Option<Verdict<Arc<str>>>, StoreError> {
        self.0.wait().await;
        Ok(Some(Verdict::Wrong))
    }
}

#[tokio::test]
async fn guesses_at_the_same_time_are_told_no_more_than_the_limit() {
    for is_basic in [false, true] {
        let realm = Realm::new("files").unwrap().with_basic();
        let store = Slow(tokio::sync::Barrier::new(AT_ONCE));
        let layer = AuthLayer::builder(authenticator(realm), Channel::Encrypted, store);
        let server = at_an_address(layer.with_limiter(limiter()));
        let guess = Ha1::new(HashFunction::Sha256, USER.0, "files", "a guess");
        let mut client = challenged(&server, Policy::new(), USER.0, &guess).await;
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..AT_ONCE {
            let value = match is_basic {
                true => basic_credentials(USER.0, "a guess").unwrap(),
                false => digest(&mut client),
            };
            tasks.spawn(server.clone().oneshot(with(&value)));
        }
        let responses = tasks.join_all().await.into_iter().map(Result::unwrap);
        let limit = LIMIT as usize;
        let expected = HashMap::from([(401, limit), (429, AT_ONCE - limit)]);
        assert_eq!(statuses(responses), expected, "Basic: {is_basic}");
    }
}

/// Guesses in one area count in it, although its layer was made by another's.
#[tokio::test]
async fn an_area_has_the_limiter_of_its_layer() {
    let realm = |name| Realm::new(name).unwrap().with_basic();
    let users = |realm: &Realm| UserMap::new(realm, [USER]);
    let files = realm("files");
    let layer = AuthLayer::builder(
        authenticator(files.clone()),
        Channel::Encrypted,
        users(&files),
    )
    .with_limiter(limiter())
    .build();
    let admin = realm("admin");
    let store = users(&admin);
    let server = at_an_address_with(layer.area(admin, store));
    let guess = basic_credentials(USER.0, "a guess").unwrap();
    let mut responses = Vec::new();
    for _ in 0..10 {
        responses.push(server.clone().oneshot(with(&guess)).await.unwrap());
    }
    let limit = LIMIT as usize;
    let expected = HashMap::from([(401, limit), (429, 10 - limit)]);
    assert_eq!(statuses(responses), expected);
}

/// After a restart each client sends the right password with an old nonce. A captured response, too,
/// is right, but forgives no guess after the first time: otherwise it could be sent between guesses.
#[tokio::test]
async fn a_right_password_with_an_old_nonce_is_no_guess_and_no_login() {
    let layer = || AuthLayer::builder(authenticator(realm()), Channel::Encrypted, CaseBlind);
    let before = behind(layer().build());
    let after = at_an_address(layer().with_limiter(limiter()));
    let right = Ha1::new(HashFunction::Sha256, USER.0, "files", USER.1);
    let mut client = challenged(&before, Policy::new(), USER.0, &right).await;
    for _ in 0..10 {
        let response = after.clone().oneshot(with(digest(&mut client))).await;
        assert_eq!(response.unwrap().status(), 401);
    }
    let captured = digest(&mut challenged(&after, Policy::new(), USER.0, &right).await);
    let guess = Ha1::new(HashFunction::Sha256, USER.0, "files", "a guess");
    let mut client = challenged(&after, Policy::new(), USER.0, &guess).await;
    let mut responses = Vec::new();
    for _ in 0..=LIMIT {
        for value in [captured.clone(), digest(&mut client)] {
            responses.push(after.clone().oneshot(with(value)).await.unwrap());
        }
    }
    let expected = HashMap::from([(200, 1), (401, 5), (429, 2)]);
    assert_eq!(statuses(responses), expected);
}

fn realm() -> Realm {
    Realm::new("files").unwrap()
}

/// Finds `USER` with the HA1 of SHA-256, whatever it is asked for, and counts how often.
struct Counted(Arc<AtomicUsize>);

impl Users for Counted {
    type Account = Arc<str>;

    async fn find(
        &self,
        _: &User<'_>,
        realm: &str,
        _: HashFunction,
    ) -> Result<Option<Found<Arc<str>>>, StoreError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let ha1 = Ha1::new(HashFunction::Sha256, USER.0, realm, USER.1);
        let account = USER.0.into();
        Ok(Some(Found { account, ha1 }))
    }
}

/// Over the limit no password is hashed. An HA1 of another hash function counts as a wrong password:
/// otherwise such an account could be told from others, and guessed at.
#[tokio::test]
async fn who_is_over_the_limit_is_not_looked_up() {
    for algorithm in ALGORITHMS {
        let realm = Realm::new("files").unwrap();
        let realm = realm.with_algorithms(&[algorithm]).with_basic();
        let asked = Arc::new(AtomicUsize::new(0));
        let store = Counted(Arc::clone(&asked));
        let layer = AuthLayer::builder(authenticator(realm), Channel::Encrypted, store);
        let server = at_an_address(layer.with_limiter(limiter()));
        let guess = Ha1::new(algorithm.hash_function(), USER.0, "files", "a guess");
        let policy = Policy::new().require_hash(algorithm.hash_function());
        let mut client = challenged(&server, policy, USER.0, &guess).await;
        let mut responses = Vec::new();
        for _ in 0..10 {
            let value = digest(&mut client);
            responses.push(server.clone().oneshot(with(&value)).await.unwrap());
        }
        let limit = LIMIT as usize;
        let expected = HashMap::from([(401, limit), (429, 10 - limit)]);
        assert_eq!(statuses(responses), expected, "{algorithm}");
        assert_eq!(asked.load(Ordering::Relaxed), limit);
    }
}

#[tokio::test]
async fn an_ha1_of_one_realm_is_none_of_another() {
    let realm = Realm::new("files").unwrap();
    let ha1 = realm.ha1(HashFunction::Sha256, USER.0, USER.1);
    let users = UserMap::from_ha1s(&realm, [(USER.0, ha1.clone())]);
    let files = AuthLayer::new(authenticator(realm), Channel::Encrypted, users);
    let admin = files.with_realm(Realm::new("admin").unwrap());
    for (layer, status) in [(files, 200), (admin, 401)] {
        let server = behind(layer);
        // It says the realm that it is asked for, and hashes another.
        let mut client = challenged(&server, Policy::new(), USER.0, &ha1).await;
        let value = digest(&mut client);
        let response = server.oneshot(with(&value)).await.unwrap();
        assert_eq!(response.status(), status);
    }
}
