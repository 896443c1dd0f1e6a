//! Every reason: its status, what a limiter asks, whether the nonce is stale, and in which order the
//! checks come.

use std::collections::BTreeSet;

use countersign::digest::{Algorithm, HashFunction, QopSet, userhash};
use countersign::server::{Realm, Reason, Refusal};
use countersign::{Channel, EntityBody, Target};

use crate::support::basic_header;
use crate::support::server::{REALM, Service, USER, ha1, realm, texts};

/// The name of a reason's variant.
fn name(reason: &Reason) -> String {
    let shown = format!("{reason:?}");
    let name = shown.split(|c: char| !c.is_alphanumeric()).next();
    name.unwrap().to_owned()
}

/// `nonce-forgotten` for `NonceForgotten`. Names are stable, because logs and metrics have them.
fn kebab(variant: &str) -> String {
    let mut name = variant[..1].to_lowercase();
    for c in variant[1..].chars() {
        if c.is_uppercase() {
            name.push('-');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

/// Every reason in the order of the checks, with its status, where 0 is the challenger's own; and whether
/// it is stale, a guess, and a fault of the server.
const TABLE: [(&str, u16, [bool; 3]); 20] = [
    ("NoCredentials", 0, [false, false, false]),
    ("NothingOffered", 403, [false, false, false]),
    ("MultipleCredentials", 400, [false, false, false]),
    ("InvalidMethod", 400, [false, false, false]),
    ("SchemeNotOffered", 0, [false, false, false]),
    ("CleartextBasic", 0, [false, false, false]),
    ("Header", 0, [false, false, false]),
    ("RealmMismatch", 0, [false, false, false]),
    ("AlgorithmNotOffered", 0, [false, false, false]),
    ("QopNotOffered", 0, [false, false, false]),
    ("UserhashNotOffered", 0, [false, false, false]),
    ("SessionCnonce", 0, [false, false, false]),
    ("UriMismatch", 400, [false, false, false]),
    ("BodyUnknown", 500, [false, false, true]),
    ("MissingHa1", 0, [false, true, true]),
    ("WrongCredentials", 0, [false, true, false]),
    ("NonceForeign", 0, [true, false, false]),
    ("NonceExpired", 0, [true, false, false]),
    ("NonceForgotten", 0, [true, false, false]),
    ("Replayed", 0, [true, false, false]),
];

/// Sends a server of this realm a request that is refused for each of these reasons where Digest is
/// offered.
fn request(reasons: &[&str], realm: Realm, channel: Channel) -> Result<(), Refusal> {
    let mut service = Service::new(realm);
    service.channel = channel;
    // From another server of the same key, because this one may not offer Digest.
    let mut answer = Service::new(self::realm()).answer();
    let uri = answer.uri.clone();
    let (mut target, mut body) = (Target::new("GET", &uri), EntityBody::Empty);
    let mut stored = ha1(HashFunction::Sha256);
    let (mut scheme, mut more, mut other, mut times) = ("Digest", "", None, 1);
    // From the last on: a count is used up while all else is right.
    let all = ["WrongBasic"]
        .into_iter()
        .chain(TABLE.map(|row| row.0))
        .rev();
    for reason in all.filter(|reason| reasons.contains(reason)) {
        match reason {
            "NoCredentials" => times = 0,
            "NothingOffered" => {
                service.realm = service.realm.with_algorithms(&[]);
                (service.channel, times) = (Channel::Cleartext, 0);
            }
            "MultipleCredentials" => times = 2,
            "InvalidMethod" => target.method = b"G T",
            "SchemeNotOffered" => scheme = "Bearer",
            // Before it is decoded.
            "CleartextBasic" => other = Some("Basic !!!!".to_owned()),
            "WrongBasic" => other = Some(basic_header(USER, "wrong")),
            "Header" => more = ", realm=twice",
            "RealmMismatch" => answer.realm = "other".to_owned(),
            "AlgorithmNotOffered" => answer.algorithm = Algorithm::SHA_512_256,
            "QopNotOffered" => answer.qop = None,
            "UserhashNotOffered" => more = ", userhash=true",
            "SessionCnonce" => {
                answer.algorithm = Algorithm::SHA_256_SESS;
                answer.cnonce = "a:b".to_owned();
            }
            "UriMismatch" => target = Target::new("GET", "/other"),
            "BodyUnknown" => (answer.qop, body) = (Some("auth-int"), EntityBody::Unknown),
            "MissingHa1" => stored = ha1(HashFunction::Sha512_256),
            "WrongCredentials" => answer.password = "wrong".to_owned(),
            "NonceForeign" => answer.nonce = "foreign".to_owned(),
            "NonceExpired" => service.wait(301),
            "NonceForgotten" => service = service.with_capacity(0),
            // Only if it can be: else it is refused for what the realm does not offer.
            _ => service.respond(answer.header(), &answer)?,
        }
    }
    if more == ", userhash=true" {
        let hashed = userhash(HashFunction::Sha256, USER, REALM);
        answer.user = hashed.as_str().to_owned();
    }
    let header = answer.header().replacen("Digest", scheme, 1) + more;
    let values = vec![other.unwrap_or(header); times];
    let (auth, arrival, target) = (&service.auth, service.arrival(), target.with_body(body));
    let attempt = auth.begin_as(&service.realm, values.iter(), &target, arrival)?;
    auth.admit(attempt.verify(Some(stored))?).map(drop)
}

/// The table of the page `server::checks`.
#[test]
fn the_page_has_the_status_of_each_reason() {
    let page = include_str!("../../../../src/server/checks.rs");
    let mut rows = BTreeSet::new();
    for row in page.lines().filter_map(|line| line.strip_prefix("//! |")) {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        for reason in cells[2]
            .split(", ")
            .filter_map(|it| it.strip_prefix("[`Reason::"))
        {
            let reason = reason.strip_suffix("`]").unwrap();
            rows.insert((reason, cells[3].to_owned()));
        }
    }
    let expected = TABLE.map(|(reason, status, [stale, ..])| {
        let status = if status == 0 { 401 } else { status };
        let stale = if stale { ", stale" } else { "" };
        (reason, format!("{status}{stale}"))
    });
    assert_eq!(rows, BTreeSet::from(expected));
}

/// Offers Basic over what is at least this channel.
fn with_basic(realm: Realm, least: Option<Channel>) -> Realm {
    match least {
        None => realm,
        Some(Channel::Encrypted) => realm.with_basic(),
        Some(Channel::Cleartext) => realm.with_cleartext_basic(),
    }
}

/// Every reason in every realm. RFC 9110, sections 15.5.2 and 15.5.8: a 401 or 407 has a challenge.
/// Where nothing is offered on the channel there is none to send, and the status is 403.
#[test]
fn every_rejection_has_its_status_stale_and_challenges() {
    let offered_algorithms: [&[Algorithm]; 3] = [
        &[],
        &[Algorithm::SHA_256],
        &[Algorithm::SHA_256, Algorithm::SHA_256_SESS],
    ];
    let reasons = TABLE.iter().map(|row| row.0).chain(["WrongBasic"]);
    let mut ways = Vec::new();
    for algorithms in offered_algorithms {
        for basic in [None, Some(Channel::Encrypted), Some(Channel::Cleartext)] {
            for channel in [Channel::Encrypted, Channel::Cleartext] {
                for is_proxy in [false, true] {
                    let way = (algorithms, basic, channel, is_proxy);
                    ways.extend(reasons.clone().map(|reason| (way, reason)));
                }
            }
        }
    }
    let mut seen = BTreeSet::new();
    let mut forbidden = BTreeSet::new();
    for (way @ (algorithms, basic, channel, is_proxy), reason) in ways {
        let offers_basic = basic.is_some_and(|least| channel <= least);
        let challenges = algorithms.len() + usize::from(offers_basic);
        let realm = realm().with_algorithms(algorithms).with_qop(QopSet::BOTH);
        let realm = with_basic(realm, basic);
        let realm = if is_proxy { realm.for_proxy() } else { realm };
        let refusal = request(&[reason], realm, channel).unwrap_err();
        let why = refusal.reason;
        if reason == "NothingOffered" && refusal.status != 403 {
            // Basic in clear.
            assert_eq!(why, Reason::NoCredentials);
            continue;
        }
        let (row, status, kind) = *TABLE.iter().find(|row| row.0 == name(&why)).unwrap();
        let what = format!("{row}, {way:?}");
        seen.insert(row);
        let told = [why.is_stale(), why.is_guess(), why.is_server_fault()];
        assert_eq!((told, why.name()), (kind, &*kebab(row)), "{what}");
        let expected = match (status, is_proxy) {
            (0, _) if challenges == 0 => 403,
            (0, false) => 401,
            (0, true) => 407,
            (status, _) => status,
        };
        assert_eq!(refusal.status, expected, "{what}");
        let sent = if matches!(expected, 401 | 407) {
            challenges
        } else {
            0
        };
        let values = texts(&refusal);
        assert_eq!(values.len(), sent, "{what}");
        let field = match is_proxy {
            false => "www-authenticate",
            true => "proxy-authenticate",
        };
        assert_eq!(refusal.field, field, "{what}");
        // Basic is last.
        let digests = algorithms.len().min(sent);
        for (at, value) in values.iter().enumerate() {
            assert_eq!(value.starts_with("Digest "), at < digests, "{what}");
            let says_stale = value.contains("stale=true");
            assert_eq!(says_stale, kind[0] && at < digests, "{what}");
            assert!(!value.contains("stale=false"));
        }
        if (status, expected) == (0, 403) {
            forbidden.insert(row);
        }
    }
    assert_eq!(seen, TABLE.map(|row| row.0).into());
    assert_eq!(
        forbidden,
        BTreeSet::from(["CleartextBasic", "SchemeNotOffered"])
    );
}

/// Of two faults it is the earlier one that is told, and so of all that come after it. Another realm may
/// offer another algorithm and qop, so what is wrong is the realm. A client that is told `stale` takes its
/// password for right.
#[test]
fn checks_run_in_the_documented_order() {
    let independent = [
        "SchemeNotOffered",
        "Header",
        "RealmMismatch",
        "AlgorithmNotOffered",
        "QopNotOffered",
        "UriMismatch",
        "WrongCredentials",
        "NonceForeign",
        "NonceExpired",
        "Replayed",
    ];
    for (first, reason) in independent.iter().enumerate() {
        let after = &independent[first..];
        let pairs = after.iter().map(|other| vec![*reason, other]);
        for reasons in pairs.chain([after.to_vec()]) {
            let refusal = request(&reasons, realm(), Channel::Encrypted).unwrap_err();
            assert_eq!(name(&refusal.reason), *reason, "{reasons:?}");
        }
    }
}
