//! Nothing is found in countersign's own client, and in the layers of countersign-tower.

use countersign::client::{Account, Client, Endpoint, Exchange, Field, Next, Policy, Quirk};
use countersign::{Challenger, EntityBody, Target};
use countersign_testing::client::{ClientCheck, Network, Scenario};
use countersign_testing::{Report, Verdict};
use http::{Request, Response};

use crate::toys::{PASSWORD, USER};

/// A client by the book.
struct Agent {
    client: Client,
    network: Network,
    /// What any realm gets that asks; without it, the client has an account.
    to_any_realm: Option<Account>,
}

impl Agent {
    fn fetch(&mut self, mut request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, String> {
        let authority = request.uri().authority();
        if authority.is_none_or(|it| it != "server.example") {
            return Ok(self.network.send(request));
        }
        let challenger = self.client.endpoint().challenger();
        let uri = match challenger {
            Challenger::Proxy => request.uri().to_string(),
            Challenger::Origin if request.uri().scheme_str() == Some("rtsp") => {
                request.uri().to_string()
            }
            Challenger::Origin => request.uri().path_and_query().unwrap().to_string(),
        };
        let method = request.method().to_string();
        let body = request.body().clone();
        let target = Target::new(&method, &uri).with_body(EntityBody::Bytes(&body));
        let mut exchange = Exchange::new();
        loop {
            let answer = self.client.authorize(&mut exchange, &target);
            let (headers, name) = (request.headers_mut(), challenger.credentials_field());
            match answer.map_err(|error| error.to_string())? {
                Field::Set(answer) => {
                    headers.insert(name, answer.as_bytes().try_into().unwrap());
                }
                Field::Remove => {
                    headers.remove(name);
                }
            }
            let response = self.network.send(request.clone());
            let status = response.status().as_u16();
            let fields = |name| response.headers().get_all(name).iter();
            let body = EntityBody::Bytes(response.body());
            match self.client.received(&mut exchange, status, fields, body) {
                Ok(Next::Done(_)) => return Ok(response),
                Ok(Next::Retry) => {}
                Ok(Next::Login(ask)) => {
                    let account = self.to_any_realm.as_ref().unwrap();
                    let login = self.client.login(&ask, account);
                    login.map_err(|error| error.to_string())?;
                }
                Ok(Next::GiveUp(_)) => return Ok(response),
                Err(error) => return Err(error.to_string()),
            }
        }
    }
}

fn check(check: ClientCheck, endpoint: &Endpoint, policy: Policy) -> Report<Scenario> {
    check_account(check, endpoint, policy, None)
}

fn check_account(
    check: ClientCheck,
    endpoint: &Endpoint,
    policy: Policy,
    realm: Option<&'static str>,
) -> Report<Scenario> {
    check.run(|network| {
        let client = Client::from_seed(endpoint.clone(), policy, [3; 32]);
        let account = Account::new(USER, PASSWORD).with_basic();
        let (client, to_any_realm) = match realm {
            Some(realm) => (client.with_account(account.for_realm(realm)).unwrap(), None),
            None => (client, Some(account)),
        };
        let mut agent = Agent {
            client,
            network,
            to_any_realm,
        };
        move |request| agent.fetch(request)
    })
}

#[test]
fn nothing_is_found() {
    let origin = |scheme| Endpoint::origin(scheme, "server.example", None).unwrap();
    let uri = |scheme| format!("{scheme}://server.example/dir/index.html?a=b");
    for scheme in ["http", "https", "rtsp"] {
        let plain = ClientCheck::new(USER, PASSWORD).with_uri(&uri(scheme));
        let policies = [
            Policy::new(),
            Policy::new().prefer_auth_int(),
            Policy::new().with_quirk(Quirk::Rfc2069),
            Policy::new().require_server_proof(),
        ];
        for policy in policies {
            let report = check(plain.clone(), &origin(scheme), policy);
            let is_right = report.is_clean() && report.noted().is_empty();
            assert!(is_right, "{scheme} {policy:?}\n{report}");
        }
    }
}

#[test]
fn nothing_is_found_with_a_proxy() {
    let plain = ClientCheck::new(USER, PASSWORD).with_challenger(Challenger::Proxy);
    let proxy = Endpoint::proxy("http", "proxy.example", 3128);
    let report = check(plain, &proxy, Policy::new());
    report.assert_clean();
    assert_eq!(report.verdict(Scenario::Login), Verdict::Passed);
}

/// An account for one realm, and one that is given to any, which is found.
#[test]
fn an_account_for_one_realm() {
    let endpoint = Endpoint::origin("http", "server.example", None).unwrap();
    for policy in [Policy::new(), Policy::new().with_cleartext_basic()] {
        let plain = ClientCheck::new(USER, PASSWORD).with_realm("lions");
        let plain = plain.without(&[Scenario::CleartextBasic]);
        let report = check_account(plain.clone(), &endpoint, policy, Some("lions"));
        report.assert_clean();
        assert_eq!(report.verdict(Scenario::OtherRealm), Verdict::Passed);
        assert_eq!(report.verdict(Scenario::QuotedRealm), Verdict::Skipped);
        let report = check(plain, &endpoint, policy);
        assert_eq!(report.failed(), [Scenario::OtherRealm]);
    }
}

/// What a policy permits is found, so that the scenarios above are known to reach it.
#[test]
fn what_is_permitted_is_found() {
    let endpoint = Endpoint::origin("http", "server.example", None).unwrap();
    let plain = ClientCheck::new(USER, PASSWORD);
    let lax = Policy::new()
        .with_cleartext_basic()
        .with_quirk(Quirk::IgnoreWrongProof);
    let report = check(plain.clone(), &endpoint, lax);
    report.assert_clean();
    assert_eq!(
        report.noted(),
        [Scenario::CleartextBasic, Scenario::WrongProof]
    );
    let report = check(
        plain.without(&[Scenario::CleartextBasic, Scenario::WrongProof]),
        &endpoint,
        lax,
    );
    report.assert_clean();
    assert_eq!(report.verdict(Scenario::WrongProof), Verdict::Skipped);
}

/// Cameras and older programs know MD5 alone.
#[cfg(feature = "md5")]
#[test]
fn nothing_is_found_with_md5() {
    let endpoint = Endpoint::origin("rtsp", "server.example", None).unwrap();
    let plain = ClientCheck::new(USER, PASSWORD)
        .with_uri("rtsp://server.example/stream")
        .with_algorithm(countersign::digest::Algorithm::MD5);
    let report = check(plain, &endpoint, Policy::new());
    report.assert_clean();
    assert_eq!(report.verdict(Scenario::UnknownAlgorithm), Verdict::Passed);
    assert_eq!(report.verdict(Scenario::StrongestFirst), Verdict::Skipped);
}
