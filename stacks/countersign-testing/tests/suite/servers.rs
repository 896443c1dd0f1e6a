//! Faults of servers are found, and nothing is found in servers without.

use countersign_testing::countersign::Channel;
use countersign_testing::server::{Scenario, ServerCheck};
use countersign_testing::{Clock, Report, Verdict};

use crate::toys::server::{LIFETIME_SECS, Server};
use crate::toys::{self, PASSWORD, USER};

fn run(fault: &'static str) -> Report<Scenario> {
    let clock = Clock::new();
    let mut server = Server::new(fault, &clock);
    let channel = match server.offers_basic() {
        true => Channel::Encrypted,
        false => Channel::Cleartext,
    };
    ServerCheck::new(USER, PASSWORD)
        .with_clock(&clock, LIFETIME_SECS)
        .with_timing(&clock)
        .with_channel(channel)
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
    ] {
        let report = run(honest);
        report.assert_clean();
        let skipped = |it: &&Scenario| report.verdict(**it) == Verdict::Skipped;
        let skipped = Scenario::ALL.iter().filter(skipped);
        let is_about_md5 = |it: &&Scenario| cfg!(not(feature = "md5")) && **it == ChallengeOrder;
        let skipped: Vec<_> = skipped.filter(|it| !is_about_md5(it)).collect();
        let expected: Vec<_> = not_offered.iter().filter(|it| !is_about_md5(it)).collect();
        assert_eq!(skipped, expected, "{honest}: {report}");
    }
}

/// What is answered before credentials are looked at tells nothing about them.
#[test]
fn what_was_not_tried_is_shown() {
    use Scenario::*;
    let mut server = Server::new("", &Clock::new());
    let check = ServerCheck::new(USER, PASSWORD).without(&[Malformed]);
    let report = check.run(|request| match request.method().as_str() {
        "POST" | "get" => {
            let response = http::Response::builder().status(405);
            response.body(Vec::new()).unwrap()
        }
        _ => server.serve(&request),
    });
    report.assert_clean();
    let shown = report.to_string();
    let uri = "/dir/index.html?a=b";
    for line in [
        &format!("passed   OtherMethod: as expected; not tried: POST {uri} (405 without"),
        "skipped  TamperedBody: a POST needs no credentials; not tried",
        "skipped  StaleNonce: there is no clock",
        "skipped  Malformed: left out",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
}

#[test]
fn each_fault_is_found_by_its_scenarios() {
    toys::each_is_found(include_str!("toys/servers.txt"), run);
}

/// These break nearly everything.
#[test]
fn gross_faults_are_found() {
    for (fault, scenario) in [
        ("one nonce for all", Scenario::NonceRepeated),
        ("challenges without a challenge", Scenario::Challenge),
        ("panics on noise", Scenario::Malformed),
    ] {
        let report = run(fault);
        assert!(report.failed().contains(&scenario), "{report}");
    }
}
