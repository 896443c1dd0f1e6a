//! Faults of servers are found, and nothing is found in servers without.

use countersign_testing::countersign::Channel;
use countersign_testing::server::{Scenario, ServerCheck};
use countersign_testing::{Clock, Report, Verdict};
use http::{Request, Response};

use crate::toys::server::{LIFETIME_SECS, Server};
use crate::toys::{self, PASSWORD, USER};

fn run(fault: &'static str) -> Report<Scenario> {
    run_without(fault, &[])
}

fn run_without(fault: &'static str, scenarios: &[Scenario]) -> Report<Scenario> {
    let clock = Clock::new();
    let mut server = Server::new(fault, &clock);
    let channel = match server.offers_basic() {
        true => Channel::Encrypted,
        false => Channel::Cleartext,
    };
    ServerCheck::new(USER, toys::password(fault))
        .with_clock(&clock, LIFETIME_SECS)
        .with_timing(&clock)
        .with_channel(channel)
        .without(scenarios)
        .run(|request| server.serve(&request))
}

#[test]
fn servers_without_a_fault_pass_what_they_offer() {
    use Scenario::*;
    for (honest, not_offered) in [
        ("", &[][..]),
        ("plain", &[ChallengeOrder, AuthInt, TamperedBody, Userhash]),
        ("in order", &[]),
        ("no info", &[ServerProof]),
        ("Basic: as it should be", &[CleartextBasic]),
        (
            "Basic: alone",
            &[ChallengeOrder, CleartextBasic, ServerProof],
        ),
        ("Basic: in UTF-8", &[CleartextBasic]),
    ] {
        let report = run(honest);
        report.assert_clean();
        assert!(report.noted().is_empty(), "{honest}: {report}");
        let skipped = report.findings().iter();
        let skipped = skipped.filter(|it| it.verdict == Verdict::Skipped);
        let is_about_md5 = |it: &Scenario| cfg!(not(feature = "md5")) && *it == ChallengeOrder;
        let skipped = skipped.map(|it| it.scenario);
        let skipped: Vec<_> = skipped.filter(|it| !is_about_md5(it)).collect();
        let expected = not_offered.iter().copied();
        let expected: Vec<_> = expected.filter(|it| !is_about_md5(it)).collect();
        assert_eq!(skipped, expected, "{honest}: {report}");
    }
}

/// A server with Basic alone has a list of its own.
#[test]
fn a_server_with_basic_alone_is_checked() {
    let report = run("Basic: alone");
    let passed = report.findings().iter();
    let passed = passed.filter(|it| it.verdict == Verdict::Passed).count();
    assert!(passed >= 20, "{report}");
    let shown = report.to_string();
    assert!(shown.contains("\nDigest is not offered: "), "{shown}");
}

/// What needs no credentials is a failure, unless it is named.
#[test]
fn what_is_open_is_a_failure() {
    use Scenario::*;
    let open = |request: &Request<Vec<u8>>| {
        let is_get = request.method() == "GET";
        let is_named = request.method() == "OPTIONS" || request.uri().query().is_none();
        !is_get || is_named
    };
    let serve = |check: ServerCheck| {
        let mut server = Server::new("", &Clock::new());
        check.run(|request| match open(&request) {
            true if request.method() == "POST" => status(405),
            true => status(200),
            false => server.serve(&request),
        })
    };
    let check = ServerCheck::new(USER, PASSWORD).without(&[Malformed]);
    let report = serve(check.clone());
    assert_eq!(report.failed(), [OpenMethod, OpenPath], "{report}");
    let shown = report.to_string();
    let uri = "/dir/index.html?a=b";
    for line in [
        &format!("actual:   without credentials: HEAD {uri} (200), OPTIONS {uri} (200), PUT"),
        "actual:   without credentials: GET /dir/index.html (200)",
        "skipped  TamperedBody: a POST is answered without credentials",
        "skipped  StaleNonce: there is no clock",
        "skipped  Malformed: left out",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    let named = "HEAD OPTIONS PUT PATCH PROPFIND get UNKNOWN DELETE /dir/index.html";
    let named: Vec<_> = named.split(' ').collect();
    serve(check.with_open(&named)).assert_clean();
}

fn status(status: u16) -> Response<Vec<u8>> {
    let response = Response::builder().status(status);
    response.body(Vec::new()).unwrap()
}

/// Each method may have a place of its own.
#[test]
fn a_method_is_tried_at_its_own_place() {
    let mut server = Server::new("takes POST for GET", &Clock::new());
    let check = ServerCheck::new(USER, PASSWORD).with_path("POST", "/upload");
    let report = check.run(
        |request| match (request.method().as_str(), request.uri().path()) {
            ("POST", "/upload") => server.serve(&request),
            ("POST", _) => status(404),
            _ => server.serve(&request),
        },
    );
    assert!(report.failed().contains(&Scenario::OtherMethod), "{report}");
}

#[test]
fn a_run_ends_in_time() {
    let clock = Clock::new();
    let mut server = Server::new("", &clock);
    let check = ServerCheck::new(USER, PASSWORD).with_time_limit(&clock, 20);
    let report = check.run(|request| {
        clock.advance(1);
        server.serve(&request)
    });
    let skipped = report.findings().iter();
    let skipped = skipped.filter(|it| it.actual == "the time is over").count();
    assert!(skipped > 30, "{report}");
    assert_eq!(report.verdict(Scenario::Challenge), Verdict::Passed);
}

/// The count is that of a real run with what the server offers.
#[test]
fn wrong_credentials_are_counted_before_a_run() {
    for fault in ["", "plain", "Basic: alone"] {
        let clock = Clock::new();
        let mut server = Server::new(fault, &clock);
        let check = ServerCheck::new(USER, PASSWORD);
        let count = check.wrong_credentials(&server.serve(&Request::new(Vec::new())));
        let mut refused = 0;
        let report = check.run(|request| {
            let has = request.headers().contains_key("authorization");
            let response = server.serve(&request);
            refused += usize::from(has && response.status().is_client_error());
            response
        });
        report.assert_clean();
        assert!(
            count.abs_diff(refused) <= refused / 20,
            "{count} for {refused}"
        );
    }
    let check = ServerCheck::new(USER, PASSWORD);
    assert_eq!(check.wrong_credentials(&status(200)), 0);
}

#[test]
fn each_fault_is_found_by_its_scenarios() {
    toys::each_is_found(
        include_str!("toys/servers.txt"),
        Scenario::Malformed,
        run_without,
    );
}

/// These break nearly everything.
#[test]
fn gross_faults_are_found() {
    for (fault, scenario) in [
        ("one nonce for all", Scenario::Login),
        ("challenges without a challenge", Scenario::Challenge),
        ("panics on noise", Scenario::Malformed),
        ("says 200 for a wrong password", Scenario::WrongPassword),
        ("challenges once", Scenario::WrongPassword),
    ] {
        let report = run(fault);
        assert!(report.failed().contains(&scenario), "{report}");
    }
}
