//! Faults of servers are found, and nothing is found in servers without.

use countersign_testing::Clock;
use countersign_testing::countersign::Channel;
use countersign_testing::server::{Scenario, ServerCheck};
use countersign_testing::{Report, Verdict};

use crate::toys::server::{Fault, LIFETIME_SECS, Server};
use crate::toys::{PASSWORD, USER};

fn run(fault: Fault, channel: Channel) -> Report<Scenario> {
    let clock = Clock::new();
    let mut server = Server::new(fault, &clock);
    ServerCheck::new(USER, PASSWORD)
        .with_clock(&clock, LIFETIME_SECS)
        .with_channel(channel)
        .run(|request| server.serve(&request))
}

#[test]
fn a_toy_without_a_fault_passes_everything_it_offers() {
    let report = run(Fault::None, Channel::Cleartext);
    report.assert_clean();
    let skipped = |scenario: &&Scenario| report.verdict(**scenario) == Some(Verdict::Skipped);
    let skipped: Vec<_> = Scenario::ALL.iter().filter(skipped).collect();
    let expected: &[Scenario] = match cfg!(feature = "md5") {
        true => &[Scenario::Basic],
        false => &[Scenario::ChallengeOrder, Scenario::Basic],
    };
    assert!(skipped.into_iter().eq(expected), "{report}");
}

/// Each fault with the scenarios that find it: these and no others, so that a scenario tells
/// what is wrong.
#[test]
fn each_fault_is_found_by_its_scenarios() {
    use Scenario::*;
    let faults: &[(Fault, &[Scenario])] = &[
        (Fault::LetsEverybodyIn, &[Challenge]),
        (Fault::QuotesAlgorithm, &[Form]),
        (Fault::OffersMd5First, &[ChallengeOrder]),
        (Fault::OffersBasicOnCleartext, &[CleartextBasic]),
        (Fault::TakesBasicUnoffered, &[CleartextBasic]),
        (Fault::ProvesWithMethod, &[ServerProof]),
        (Fault::SaysStaleToWrongPasswords, &[WrongPassword]),
        (Fault::TellsUnknownUsers, &[UnknownUser]),
        (
            Fault::ComparesStartOfPassword,
            &[CleartextBasic, Basic, Malformed],
        ),
        (
            Fault::RemembersNothing,
            &[Replay, CountRepeated, ReplayUnderOtherName],
        ),
        (Fault::RemembersResponses, &[CountRepeated]),
        (Fault::RemembersByName, &[ReplayUnderOtherName]),
        (Fault::WantsCountsInOrder, &[CountJumped]),
        (Fault::CountsBeforeItCompares, &[CountOfWrongAnswer]),
        (Fault::ComparesPathOnly, &[OtherUri]),
        (Fault::TrustsUri, &[OtherUri]),
        (Fault::ForgetsMethod, &[OtherMethod, AuthInt]),
        (Fault::TrustsRealm, &[OtherRealm]),
        (Fault::TrustsAlgorithm, &[OtherAlgorithm]),
        (Fault::AcceptsNoQop, &[QopDropped]),
        (Fault::ForgetsBody, &[TamperedBody]),
        (Fault::KnowsNoHashedNames, &[Userhash]),
        (Fault::WantsSchemeAsWritten, &[OtherSpelling]),
        (Fault::ComparesStartOfResponse, &[TruncatedResponse]),
        (Fault::TrustsNonces, &[ForeignNonce]),
        (Fault::NeverSaysStale, &[StaleNonce]),
        (Fault::NeverExpires, &[StaleNonce]),
        (Fault::ReadsFirstField, &[TwoCredentials]),
        (Fault::PanicsOnOddNames, &[Malformed]),
        (Fault::FailsOnNoise, &[TruncatedResponse, Malformed]),
    ];
    let mut wrong = Vec::new();
    for (fault, expected) in faults {
        if *fault == Fault::OffersMd5First && cfg!(not(feature = "md5")) {
            continue;
        }
        let report = run(*fault, Channel::Cleartext);
        if report.failed() != *expected {
            wrong.push(format!("{fault:?}: {:?}\n{report}", report.failed()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
