//! Faults of clients are found, and nothing is found in clients without.

use countersign_testing::client::{ClientCheck, Scenario};
use countersign_testing::{Report, Verdict};

use crate::toys::client::{Client, REALM};
use crate::toys::{PASSWORD, USER};

fn run(fault: &'static str) -> Report<Scenario> {
    let check = ClientCheck::new(USER, PASSWORD);
    let check = match fault.starts_with("one realm: ") {
        true => check.with_realm(REALM),
        false => check,
    };
    check.run(|network| {
        let mut client = Client::new(fault, network);
        move |request| client.fetch(request)
    })
}

#[test]
fn clients_without_a_fault_pass_everything() {
    use Scenario::*;
    for (honest, not_tried) in [
        ("", &[OtherRealm][..]),
        ("one realm: none", &[QuotedRealm, TwoRealms]),
    ] {
        let report = run(honest);
        report.assert_clean();
        let skipped = |it: &&Scenario| report.verdict(**it) == Verdict::Skipped;
        let skipped = Scenario::ALL.iter().filter(skipped);
        assert!(skipped.eq(not_tried), "{report}");
    }
}

/// Each fault with the scenarios that find it: these and no others, so that a scenario tells
/// what is wrong.
#[test]
fn each_fault_is_found_by_its_scenarios() {
    use Scenario::*;
    let faults: &[(&str, &[Scenario])] = &[
        (
            "repeats counts",
            &[SecondRequest, Counts, OtherMethod, Redirect, Prompts],
        ),
        ("counts in decimal", &[Counts]),
        ("counts from 2", &[Counts]),
        ("counts all its requests", &[Counts]),
        (
            "hashes GET for every method",
            &[OtherMethod, AuthOrAuthInt, AuthInt],
        ),
        ("quotes qop", &[Form]),
        ("quotes nc", &[Form]),
        ("quotes the algorithm", &[Form]),
        ("writes short counts", &[Form]),
        ("wants names as written", &[OtherSpelling]),
        ("splits at commas and spaces", &[OtherSpelling]),
        ("hashes escapes", &[QuotedRealm]),
        ("drops opaque", &[Opaque, NoOpaque]),
        ("unescapes opaque", &[Opaque]),
        ("invents opaque", &[NoOpaque]),
        ("forgets session keys", &[EachAlgorithm]),
        ("takes unknown algorithms for SHA-256", &[UnknownAlgorithm]),
        ("answers every qop", &[UnknownAlgorithm]),
        ("sends qop unasked", &[Rfc2069]),
        ("compares qop as a whole", &[AuthOrAuthInt]),
        ("ignores the body", &[AuthInt]),
        ("covers no body", &[AuthInt]),
        #[cfg(feature = "md5")]
        ("takes the first", &[StrongestLast]),
        #[cfg(feature = "md5")]
        ("takes the last", &[StrongestFirst]),
        #[cfg(feature = "md5")]
        ("takes MD5", &[StrongestFirst, StrongestLast]),
        ("reads the first scheme of a field", &[OneField]),
        ("sends Basic in the clear", &[CleartextBasic]),
        ("downgrades to Basic", &[Downgrade]),
        ("sends Basic when Digest is refused", &[Downgrade]),
        ("one realm: follows any", &[OtherRealm]),
        ("one realm: compares its start", &[OtherRealm]),
        ("keeps its realm", &[TwoRealms]),
        ("keeps a nonce in other realms", &[TwoRealms]),
        ("keeps its answer in redirects", &[Redirect]),
        (
            "sends its answer to where it is redirected",
            &[RedirectAway],
        ),
        ("sends its answers everywhere", &[RedirectAway, OtherOrigin]),
        ("answers 407", &[OtherStatus]),
        ("ignores stale", &[Counts, StaleNonce, Prompts]),
        ("compares stale with case", &[StaleNonce]),
        ("prompts for each request", &[Prompts]),
        ("prompts for each nonce", &[Prompts]),
        ("ignores nextnonce", &[NextNonce]),
        ("repeats cnonces", &[FreshCnonce]),
        ("believes every proof", &[WrongProof]),
        ("checks the first proof", &[WrongProof]),
        ("compares the start of proofs", &[WrongProof]),
        ("retries for ever", &[Downgrade, Refusals, StaleForever]),
        ("retries for ever if stale", &[StaleForever]),
        (
            "answers without a challenge",
            &[UnknownAlgorithm, NoChallenge],
        ),
        ("panics on noise", &[Malformed]),
    ];
    let mut wrong = Vec::new();
    for (fault, expected) in faults {
        let report = run(fault);
        if report.failed() != *expected {
            wrong.push(format!("{fault}: {:?}\n{report}", report.failed()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// These break nearly everything.
#[test]
fn gross_faults_are_found_at_once() {
    for fault in [
        "never answers",
        "hashes names unasked",
        "drops qop",
        "drops the query",
        "sends Basic unasked",
    ] {
        let report = run(fault);
        assert_eq!(report.verdict(Scenario::Login), Verdict::Failed, "{report}");
    }
}
