//! What went wrong in other clients, a test each, named after the advisory, the commit or the
//! issue.
//!
//! These concern servers alone and are not looked at here: CVE-2026-48005, CVE-2026-73636,
//! CVE-2026-73637, CVE-2026-33006, CVE-2018-1312, CVE-2019-0217, CVE-2016-2161, CVE-2020-35452 and
//! 6db0a188 (httpd); 3c2c49fd, CVE-2011-1184, CVE-2011-5062, CVE-2011-5063, CVE-2011-5064,
//! CVE-2012-5885, CVE-2012-5886, CVE-2012-5887, CVE-2026-43512, CVE-2010-1157 and dd9c744d
//! (Tomcat); CVE-2023-46847, CVE-2020-11945 and CVE-2019-18679 (Squid); CVE-2011-4362, 0e749c1c and
//! 3bc0bc2f (lighttpd); CVE-2026-3099 (libsoup); counts read as decimal (libmicrohttpd #2061,
//! gevorg/http-auth#94, sems#556, vertx-web#1256) or never counted (mongoose-os#454); nonces and
//! request-targets never compared (EnergyMe-Home#222, Twisted#3453); RFC 2069 let in where a qop
//! was offered; line breaks in a server's own parameters (meziantou#2724).

mod support;

use std::time::{Duration, Instant};

use countersign::client::{
    AuthCache, Endpoint, LoginError, Policy, Readiness, ServerProof, SkipReason,
};
use countersign::digest::{Algorithm, Cnonce, HashFunction};
use countersign::{
    Challenger, EntityBody, HeaderError, InvalidText, MAX_CHALLENGES, MAX_PARAMS, MAX_VALUE_BYTES,
    ParamName, ParamProblem, ParseErrorKind, Target,
};
use support::client::{
    CHALLENGE, Dialog, HOME, Origin, PASSWORD, Said, Sent, USER, challenge, client, cnonce,
    is_control, skipped,
};
use support::hostile;

/// A cache that has logged in at these origins and answered there.
fn logged_in_at(origins: &[Origin<'_>]) -> AuthCache {
    let mut cache = AuthCache::from_seed(10, Policy::new(), [7; 32]);
    for origin in origins {
        support::client::answers(cache.client(&origin.endpoint()), "/");
    }
    cache
}

/// What a cache gives for the first request to an origin.
fn sent_unasked(cache: &mut AuthCache, origin: &Origin<'_>, uri: &str) -> Option<Sent> {
    support::client::sent_unasked(cache.client(&origin.endpoint()), uri)
}

/// neon CVE-2008-3746: `domain="foo"` was a null pointer.
#[test]
fn neon_cve_2008_3746_junk_in_domain() {
    for junk in [
        "",
        " ",
        "foo",
        "//",
        "///",
        ":",
        "::",
        "://",
        "http:",
        "http:/",
        "http://",
        "http:///",
        "http://[",
        "http://[::1",
        "http://h:",
        "http://h:99999999/",
        "http://h:-1/",
        "http://user@h/",
        "?",
        "#",
        "%",
        "/%",
        "/%4",
        "/%zz",
        "/../..",
        "*",
        "\t \t",
        r#"\"\\"#,
        "\u{fffd}",
    ] {
        for domain in [
            junk.to_owned(),
            format!("{junk} /in"),
            format!("/in {junk}"),
        ] {
            let mut dialog = Dialog::new(Policy::new());
            let value = challenge("n1", &format!(r#", domain="{domain}""#));
            assert_eq!(dialog.challenged([&value]), Said::Login, "{domain}");
            dialog.login();
            // It was asked there.
            assert!(dialog.send("/asked").is_some(), "{domain}");
            let named = domain.contains("/in");
            assert!(!named || dialog.client.covers("/in/side"), "{domain}");
        }
    }
}

/// curl CVE-2018-1000007: `Authorization` went along with a redirect to another host.
#[test]
fn curl_cve_2018_1000007_another_host_gets_nothing() {
    let mut cache = logged_in_at(&[HOME]);
    for host in [
        "example.org",
        "www.example.com",
        "example.com.",
        "xexample.com",
        "",
    ] {
        let origin = Origin { host, ..HOME };
        assert_eq!(sent_unasked(&mut cache, &origin, "/"), None, "{host}");
        // Nor in absolute form, through the client of the first host.
        let uri = format!("https://{host}/");
        assert_eq!(sent_unasked(&mut cache, &HOME, &uri), None, "{uri}");
    }
    assert!(sent_unasked(&mut cache, &HOME, "/").is_some());
    let capitals = Origin {
        host: "EXAMPLE.com",
        ..HOME
    };
    assert!(sent_unasked(&mut cache, &capitals, "/").is_some());
}

/// curl 620ea214 (CVE-2022-27774): the same for another port or protocol.
#[test]
fn curl_cve_2022_27774_another_port_or_protocol_gets_nothing() {
    let mut cache = logged_in_at(&[HOME]);
    for (scheme, port, uri) in [
        ("https", 8443, "https://example.com:8443/"),
        ("http", 443, "http://example.com:443/"),
        ("http", 80, "http://example.com/"),
        ("ftp", 443, "ftp://example.com:443/"),
        ("wss", 443, "wss://example.com/"),
    ] {
        let origin = Origin {
            scheme,
            port,
            ..HOME
        };
        assert_eq!(sent_unasked(&mut cache, &origin, "/"), None, "{uri}");
        assert_eq!(sent_unasked(&mut cache, &HOME, uri), None, "{uri}");
    }
}

/// curl 6e659993 (CVE-2022-27776): a redirect to another port of the same host took the header
/// along. Here even a 401 from there, given to the client of the first, is answered with nothing.
#[test]
fn curl_cve_2022_27776_a_challenge_for_a_target_elsewhere_is_not_answered() {
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    dialog.next_exchange();
    for _ in 0..2 {
        assert_eq!(dialog.send("https://example.com:8443/"), None);
        assert_eq!(dialog.challenged([CHALLENGE]), Said::Retry);
    }
    assert_eq!(dialog.send("https://example.com:8443/"), None);
    assert_eq!(dialog.challenged([CHALLENGE]), Said::TooManyAnswers);
}

/// curl CVE-2026-7168, CVE-2026-8927 and CVE-2026-3784, 5c6b4880, 7ec25148 and 6daf4bc7: the state
/// of Digest was used again for another proxy, another origin or another user.
mod curl_cve_2026_7168_8927_3784_state_used_again {
    use super::*;

    const PROXY: Origin<'_> = Origin {
        scheme: "http",
        host: "proxy",
        port: 3128,
        challenger: Challenger::Proxy,
    };

    #[test]
    fn another_proxy_knows_nothing() {
        let mut cache = logged_in_at(&[PROXY]);
        let other = Origin {
            host: "proxy2",
            ..PROXY
        };
        assert!(sent_unasked(&mut cache, &PROXY, "http://h/").is_some());
        assert_eq!(sent_unasked(&mut cache, &other, "http://h/"), None);
    }

    #[test]
    fn a_proxy_and_an_origin_of_one_name_are_two() {
        let origin = Origin {
            challenger: Challenger::Origin,
            ..PROXY
        };
        for (first, second) in [(PROXY, origin), (origin, PROXY)] {
            let mut cache = logged_in_at(&[first]);
            assert!(sent_unasked(&mut cache, &first, "/").is_some());
            assert_eq!(sent_unasked(&mut cache, &second, "/"), None);
        }
        // Each with its own count.
        let mut cache = logged_in_at(&[PROXY, origin, PROXY]);
        for (challenger, count) in [(PROXY, "00000003"), (origin, "00000002")] {
            let sent = sent_unasked(&mut cache, &challenger, "/").unwrap();
            assert_eq!(sent.get("nc"), count);
        }
    }

    #[test]
    fn another_origin_has_no_nonce() {
        let mut cache = logged_in_at(&[HOME]);
        let other = Origin {
            host: "example.org",
            ..HOME
        };
        let client = cache.client(&other.endpoint());
        assert_eq!(client.readiness("/"), Readiness::NotLoggedIn);
    }

    #[test]
    fn another_user_has_no_nonce() {
        let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
        dialog.send("/");
        dialog.accepted("").unwrap();
        dialog.next_exchange();
        dialog.login_as("Scar", "Be prepared").unwrap();
        assert_eq!(dialog.send("/"), None);
        assert_eq!(dialog.challenged([&challenge("n2", "")]), Said::Retry);
        let sent = dialog.send("/").unwrap();
        assert_eq!((sent.get("nonce"), sent.get("nc")), ("n2", "00000001"));
        let target = Target::new("GET", "/");
        assert!(sent.is_right("Scar", "Be prepared", &target));

        // A late word to the first user says nothing to the second.
        let mut first = Dialog::logged_in(Policy::new(), CHALLENGE);
        first.send("/");
        first.login_as("Scar", "Be prepared").unwrap();
        first.accepted(r#"nextnonce="stolen""#).unwrap();
        first.next_exchange();
        assert_eq!(first.send("/"), None);
    }

    #[test]
    fn nobody_has_no_nonce() {
        let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
        dialog.send("/");
        dialog.logout();
        dialog.next_exchange();
        assert_eq!(dialog.send("/"), None);
        assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
    }
}

/// httpx sends a preemptive header to any host, icholy's client to any port and scheme of one.
#[test]
fn httpx_and_icholy_nothing_unasked_goes_to_another_origin() {
    let mut cache = logged_in_at(&[HOME]);
    assert!(sent_unasked(&mut cache, &HOME, "/elsewhere").is_some());
    for other in [
        Origin { port: 444, ..HOME },
        Origin {
            scheme: "http",
            ..HOME
        },
        Origin {
            host: "example.net",
            ..HOME
        },
        Origin {
            challenger: Challenger::Proxy,
            ..HOME
        },
    ] {
        assert_eq!(sent_unasked(&mut cache, &other, "/"), None, "{other:?}");
    }
}

/// curl test 3221 and a2b943b1, libsoup: CR and LF in a user name were sent as they are. The same
/// for every control byte, wherever it comes from.
mod curl_a2b943b1_test_3221_control_bytes {
    use super::*;

    fn controls() -> impl Iterator<Item = u8> {
        (0..32).chain([127]).filter(is_control)
    }

    #[test]
    fn in_the_user_name() {
        for byte in controls() {
            for around in [("", ""), ("a", ""), ("a", "b"), ("ä", "b")] {
                let name = format!("{}{}{}", around.0, char::from(byte), around.1);
                let at = around.0.len();
                let wrong = Err(LoginError::Text(InvalidText::Control(at)));
                for (policy, value) in [
                    (Policy::new(), CHALLENGE.to_owned()),
                    (Policy::new().with_latin1(), CHALLENGE.to_owned()),
                    (Policy::new(), challenge("n", ", userhash=true")),
                    (Policy::new(), r#"Basic realm="r""#.to_owned()),
                ] {
                    let mut dialog = Dialog::new(policy);
                    assert_eq!(dialog.challenged([&value]), Said::Login);
                    assert_eq!(dialog.login_as(&name, "p"), wrong, "{name:?} {value}");
                    assert_eq!(dialog.send("/"), None);
                }
                let basic = client(Policy::new()).with_preemptive_basic(&name, "p");
                assert_eq!(basic.err(), wrong.err(), "{name:?}");
            }
        }
        // Also those beyond ASCII, which `username*` could carry.
        for name in ["\u{80}", "a\u{85}b", "\u{9f}"] {
            let mut dialog = Dialog::new(Policy::new());
            assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
            assert!(dialog.login_as(name, "p").is_err(), "{name:?}");
        }
    }

    #[test]
    fn a_tab_in_the_user_name_is_no_control_byte_for_digest() {
        let mut dialog = Dialog::new(Policy::new());
        assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
        dialog.login_as("a\tb", "p").unwrap();
        assert_eq!(dialog.send("/").unwrap().get("username"), "a\tb");
    }

    /// The password is hashed, or in base64.
    #[test]
    fn in_the_password() {
        for byte in controls() {
            let password = format!("p{}", char::from(byte));
            let mut dialog = Dialog::new(Policy::new());
            assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
            dialog.login_as(USER, &password).unwrap();
            let sent = dialog.send("/").unwrap();
            assert!(sent.is_right(USER, &password, &Target::new("GET", "/")));

            let mut dialog = Dialog::new(Policy::new());
            assert_eq!(dialog.challenged([r#"Basic realm="r""#]), Said::Login);
            let wrong = Err(LoginError::Text(InvalidText::Control(1)));
            assert_eq!(dialog.login_as(USER, &password), wrong);
        }
    }

    #[test]
    fn in_what_the_server_sends() {
        for byte in controls() {
            for escape in ["", "\\"] {
                let bad = format!("x{escape}{}y", char::from(byte));
                for value in [
                    CHALLENGE.replace("realm=\"r\"", &format!("realm=\"{bad}\"")),
                    CHALLENGE.replace("n1", &bad),
                    challenge("n", &format!(r#", opaque="{bad}""#)),
                    challenge("n", &format!(r#", domain="{bad}""#)),
                    challenge("n", &format!(r#", other="{bad}""#)),
                    format!(r#"Basic realm="{bad}""#),
                ] {
                    let next = Dialog::new(Policy::new()).challenged([&value]);
                    let [SkipReason::Header(HeaderError::Syntax(error))] = skipped(&next) else {
                        panic!("{value:?}: {next:?}");
                    };
                    assert_eq!(error.kind(), ParseErrorKind::ControlByte, "{value:?}");
                    assert_eq!(value.as_bytes()[error.at()], byte, "{value:?}");
                }

                let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
                dialog.send("/");
                let info = dialog.accepted(&format!(r#"nextnonce="{bad}""#));
                assert!(matches!(info, Ok(ServerProof::Unreadable)), "{bad:?}");
                dialog.next_exchange();
                assert_eq!(dialog.send("/").unwrap().get("nonce"), "n1");
            }
        }
    }

    #[test]
    fn in_the_request_target() {
        for byte in controls() {
            let uri = [b'/', byte, b'x'];
            let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
            let target = Target::new("GET", &uri);
            let answer =
                dialog
                    .client
                    .authorize_with_cnonce(&mut dialog.exchange, &target, &cnonce("c"));
            assert_eq!(
                answer.err(),
                Some(countersign::client::AuthorizeError::Target(
                    InvalidText::Control(1)
                ))
            );
            assert!(dialog.exchange.answer().is_none());
        }
    }

    #[test]
    fn in_the_cnonce() {
        for byte in controls() {
            let text = format!("c{}", char::from(byte));
            assert_eq!(Cnonce::new(&text).err(), Some(InvalidText::Control(1)));
        }
    }
}

/// httpx, requests, urllib, async-http-client#2236, tropel#328: a quote in what the server sent
/// ended the parameter, and what came after it was a parameter more.
#[test]
fn async_http_client_2236_and_tropel_328_a_quote_adds_no_parameter() {
    let text = r#"x", uri="/admin", username="root"#;
    let mut texts = vec!["plain"; 5];
    for at in 0..=texts.len() {
        if let Some(place) = texts.get_mut(at) {
            *place = text;
        }
        let [realm, nonce, opaque, user, uri] = texts[..] else {
            unreachable!("five texts");
        };
        let [r, n, o] = [realm, nonce, opaque].map(|text| text.replace('"', "\\\""));
        let value = format!(
            r#"Digest realm="{r}", nonce="{n}", opaque="{o}", qop="auth", algorithm=SHA-256"#
        );
        // Its request-targets are of no form.
        let endpoint = Endpoint::origin("sips", "example.com", None).unwrap();
        let mut dialog = Dialog::at(&endpoint, Policy::new());
        assert_eq!(dialog.challenged([&value]), Said::Login, "{value}");
        dialog.login_as(user, PASSWORD).unwrap();
        let sent = dialog.send(uri).unwrap();
        assert_eq!(sent.params.len(), 10, "{}", sent.text());
        let names = ["realm", "nonce", "opaque", "username", "uri"];
        assert_eq!(names.map(|name| sent.get(name)), texts[..]);
        // The hash is over the text itself.
        let target = Target::new("GET", uri);
        assert!(sent.is_right(user, PASSWORD, &target), "{texts:?}");
        texts = vec!["plain"; 5];
    }
}

/// curl aae235b6, HttpComponents: the hashed user name was put into HA1, which is made of the
/// name itself (RFC 7616, section 3.9.2, with erratum 4897).
#[test]
fn curl_aae235b6_userhash_is_no_part_of_ha1() {
    let value = r#"Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true"#;
    let (user, password) = ("Jäsøn Doe", "Secret, or not?");
    let mut dialog = Dialog::new(Policy::new());
    assert_eq!(dialog.challenged([value]), Said::Login);
    dialog.login_as(user, password).unwrap();
    let target = Target::new("GET", "/doe.json");
    let cnonce = cnonce("NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v");
    let answer = dialog
        .client
        .authorize_with_cnonce(&mut dialog.exchange, &target, &cnonce)
        .unwrap();
    let sent = Sent::read(answer.unwrap().as_bytes());
    let hashed = "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b";
    let response = "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5";
    assert_eq!(sent.get("username"), hashed);
    assert_eq!(sent.get("userhash"), "true");
    assert_eq!(sent.get("response"), response);
    assert!(!sent.is_right(hashed, password, &target));
}

/// curl 647ed7c7: the count stood still for `auth-int`.
#[test]
fn curl_647ed7c7_auth_int_counts_too() {
    let value = CHALLENGE.replace("qop=\"auth\"", "qop=\"auth-int\"");
    let mut dialog = Dialog::logged_in(Policy::new(), &value);
    let target = Target::new("POST", "/").with_body(EntityBody::Bytes(b"a=1"));
    for count in ["00000001", "00000002", "00000003"] {
        let sent = dialog.send_target(&target).unwrap();
        assert_eq!((sent.get("qop"), sent.get("nc")), ("auth-int", count));
        assert!(sent.is_right(USER, PASSWORD, &target));
        dialog.next_exchange();
    }
}

/// curl be9c873a, hoppscotch#6148; curl, HttpComponents and libsoup still: a server that calls
/// every nonce stale was asked for ever.
#[test]
fn curl_be9c873a_and_hoppscotch_6148_stale_for_ever() {
    for same in [true, false] {
        for bound in [1, 2, 3, 10] {
            let mut dialog = Dialog::new(Policy::new().with_max_answers(bound));
            let (mut requests, mut nonces) = (0, 0);
            let why = loop {
                dialog.send("/");
                requests += 1;
                nonces += u32::from(!same);
                let stale = challenge(&format!("n{nonces}"), ", stale=true");
                match dialog.challenged([&stale]) {
                    Said::Login => dialog.login(),
                    Said::Retry => {}
                    why => break why,
                }
                assert!(requests <= 20);
            };
            let expected = match (same, bound) {
                (true, _) => (2, Said::WrongCredentials),
                (false, 1) => (2, Said::TooManyAnswers),
                (false, _) => (3, Said::StaleAgain),
            };
            assert_eq!((requests, why), expected, "same: {same}, bound: {bound}");
        }
    }
}

/// CPython CVE-2020-8492, aiohttp, requests_kerberos#145: a regular expression took quadratic or
/// exponential time for commas, quotes or blanks.
#[test]
fn cpython_cve_2020_8492_and_requests_kerberos_145_linear_time() {
    // Those that get through to a session, and those that need not.
    let read: [(&str, &str, &str, &str); 6] = [
        ("a realm of escapes", "realm=\"", "\\\"", "\", nonce=n"),
        ("a nonce of escapes", "realm=r, nonce=\"", "\\\\", "\""),
        (
            "an opaque of commas",
            "realm=r, nonce=n, opaque=\"",
            ",",
            "\"",
        ),
        (
            "a domain of paths",
            "realm=r, nonce=n, domain=\"",
            "/a ",
            "\"",
        ),
        (
            "a domain of blanks",
            "realm=r, nonce=n, domain=\"",
            " ",
            "\"",
        ),
        ("blanks and commas", "realm=r, nonce=n", " ,\t", ""),
    ];
    let shapes = |size: usize| {
        let read = read.into_iter().map(|(name, start, unit, end)| {
            let middle = unit.repeat(size / unit.len());
            let value = format!("Digest algorithm=SHA-256, qop=auth, {start}{middle}{end}");
            (name, value)
        });
        let basic = format!("Basic {} A", ",".repeat(size));
        let hostile = hostile::values(size).into_iter();
        let shapes = hostile
            .chain(read)
            .chain([("commas behind a scheme", basic)]);
        shapes.collect::<Vec<_>>()
    };
    for ((name, short), (_, long)) in shapes(4_000).into_iter().zip(shapes(100_000)) {
        let time = |value: &str| {
            let start = Instant::now();
            let mut dialog = Dialog::new(Policy::new());
            if dialog.challenged([value]) == Said::Login {
                dialog.login();
                dialog.send("/");
                // Again, for what is compared with what was there.
                let _ = dialog.challenged([value]);
                let _ = dialog.accepted(value);
            }
            start.elapsed()
        };
        // 25 times the length; quadratic would be 625 times the time. The machine may be busy for
        // a while, but not for all of so many tries.
        let mut best = [Duration::MAX; 2];
        let fits = (0..20).any(|_| {
            best = [time(&short).min(best[0]), time(&long).min(best[1])];
            best[1] < best[0] * 150 + Duration::from_millis(5)
        });
        assert!(fits, "{name}: {best:?} for 4 kB and 100 kB");
    }
}

/// Two long lists of paths, each of which was compared with each.
#[test]
fn one_domain_after_another_in_linear_time() {
    let time = |number: u32| {
        let value = |nonce, from: u32| {
            let paths: Vec<_> = (from..from + number).map(|n| format!("/{n:x}")).collect();
            let domain = paths.join(" ");
            challenge(nonce, &format!(r#", stale=true, domain="{domain}""#))
        };
        let mut dialog = Dialog::logged_in(Policy::new(), &value("n1", 0));
        dialog.send("/1").unwrap();
        let second = value("n2", number);
        let start = Instant::now();
        assert_eq!(dialog.challenged([&second]), Said::Retry);
        start.elapsed()
    };
    let mut best = [Duration::MAX; 2];
    let fits = (0..20).any(|_| {
        best = [time(600).min(best[0]), time(15_000).min(best[1])];
        best[1] < best[0] * 150 + Duration::from_millis(5)
    });
    assert!(fits, "{best:?} for 600 and 15,000 paths");
}

/// tropel#328: HA1 was kept although the realm had changed. nginx-http-auth-digest: one realm was
/// taken for another that it is the beginning of.
#[test]
fn tropel_328_another_realm_wants_another_login() {
    for (first, second) in [
        ("a", "b"),
        ("a", "ab"),
        ("ab", "a"),
        ("a", "A"),
        ("a", ""),
        ("", "a"),
        ("a", "a "),
        ("a\"b", "a\\\"b"),
    ] {
        let value = |realm: &str| {
            let realm = realm.replace('\\', r"\\").replace('"', "\\\"");
            CHALLENGE.replace("realm=\"r\"", &format!("realm=\"{realm}\""))
        };
        let mut dialog = Dialog::logged_in(Policy::new(), &value(first));
        dialog.send("/");
        dialog.accepted("").unwrap();
        dialog.next_exchange();
        dialog.send("/");
        // The nonce is the same: only the realm tells.
        assert_eq!(dialog.challenged([&value(second)]), Said::Login);
        assert_eq!(Some(dialog.ask().realm()), Some(second.as_bytes()));
        assert_eq!(dialog.send("/"), None);
        dialog.login();
        let sent = dialog.send("/").unwrap();
        assert_eq!(sent.get("realm"), second);
        assert!(sent.is_right(USER, PASSWORD, &Target::new("GET", "/")));
    }
    // However it is written, it is the same realm.
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    for same in [r#""\r""#, "r", "\t\"r\""] {
        let value = CHALLENGE.replace("\"r\"", same);
        dialog.next_exchange();
        assert_eq!(dialog.challenged([&value]), Said::Retry, "{value}");
    }
}

/// curl 2a2a2e5d: the realm was searched for in the values of other parameters.
#[test]
fn curl_2a2a2e5d_a_realm_inside_another_value() {
    let value = r#"Digest opaque="realm=\"no\", nonce=no", other="x, Digest realm=no, nonce=no", realm="Digest realm=z, nonce=y", nonce="n, realm=no", qop="auth", algorithm=SHA-256"#;
    let mut dialog = Dialog::logged_in(Policy::new(), value);
    let sent = dialog.send("/").unwrap();
    assert_eq!(sent.get("realm"), "Digest realm=z, nonce=y");
    assert_eq!(sent.get("nonce"), "n, realm=no");
    assert_eq!(sent.get("opaque"), r#"realm="no", nonce=no"#);
}

/// libsoup CVE-2025-32910, CVE-2025-32912 and CVE-2025-4476 (405a8a34, cd077513, e64c221f): a
/// challenge without realm or nonce, or with an odd domain, was a null pointer.
#[test]
fn libsoup_cve_2025_32910_32912_4476_missing_parameters() {
    let params = [
        r#"realm="r""#,
        r#"nonce="n""#,
        r#"qop="auth""#,
        "algorithm=SHA-256",
        r#"opaque="o""#,
        r#"domain="/""#,
        "stale=false",
        "charset=UTF-8",
        "userhash=false",
    ];
    for gone in 0..params.len() {
        let mut left = params.to_vec();
        let name = left.remove(gone).split('=').next().unwrap();
        let value = format!("Digest {}", left.join(", "));
        let next = Dialog::new(Policy::new()).challenged([&value]);
        match name {
            "realm" | "nonce" => {
                let [SkipReason::Header(HeaderError::Param(error))] = skipped(&next) else {
                    panic!("{next:?}");
                };
                assert_eq!(error.name.as_str(), name);
                assert_eq!(error.problem, ParamProblem::Missing);
            }
            "qop" => assert_eq!(skipped(&next), [SkipReason::Rfc2069]),
            // Then it is MD5.
            "algorithm" if cfg!(not(feature = "md5")) => {
                assert!(matches!(skipped(&next), [SkipReason::Header(_)]));
            }
            _ => assert_eq!(next, Said::Login, "{value}"),
        }
    }
    for value in [
        "Digest",
        "Digest ",
        "Digest ,",
        "Digest abc==",
        "Basic abc==",
    ] {
        let next = Dialog::new(Policy::new()).challenged([value]);
        assert!(matches!(skipped(&next), [SkipReason::Header(_)]), "{value}");
    }
    for value in ["Basic", "Basic ,"] {
        let next = Dialog::new(Policy::new()).challenged([value]);
        assert_eq!(next, Said::Login, "{value}");
    }
}

/// curl f206d6c0, libmicrohttpd: values were copied to buffers of a fixed size.
#[test]
fn curl_f206d6c0_values_of_64_kib() {
    let long = "x".repeat(64 * 1024);
    // No server could read the answer to these.
    for value in [
        CHALLENGE.replace("\"r\"", &format!("\"{long}\"")),
        CHALLENGE.replace("n1", &long),
        challenge("n", &format!(r#", opaque="{long}""#)),
    ] {
        let said = Dialog::new(Policy::new()).challenged([&value]);
        assert_eq!(skipped(&said), [SkipReason::TooLong]);
    }
    for value in [
        challenge("n", &format!(r#", domain="/{long}""#)),
        challenge("n", &format!(", {long}=x")),
        challenge("n", &format!(", x={long}")),
    ] {
        let mut dialog = Dialog::logged_in(Policy::new(), &value);
        let sent = dialog.send("/").unwrap();
        assert!(sent.is_right(USER, PASSWORD, &Target::new("GET", "/")));
    }
    let mut dialog = Dialog::new(Policy::new());
    assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
    dialog.login_as(&long, &long).unwrap();
    let uri = format!("/{long}");
    let target = Target::new("GET", &uri);
    // Each part can be sent, but all of them are more than anyone reads.
    let answer = dialog
        .client
        .authorize_with_cnonce(&mut dialog.exchange, &target, &cnonce("c"));
    assert_eq!(
        answer.unwrap_err(),
        countersign::client::AuthorizeError::TooLong
    );
    let target = Target::new("GET", "/");
    let answer = dialog
        .client
        .authorize_with_cnonce(&mut dialog.exchange, &target, &cnonce("c"))
        .unwrap();
    let value = answer.unwrap().as_bytes();
    assert!(value.len() > long.len());
    assert!(support::naive::credentials(value).is_some());
}

/// Nobody bounds the number of parameters or challenges.
#[test]
fn more_parameters_or_challenges_than_anyone_sends() {
    let kinds = |next: &Said| -> Vec<ParseErrorKind> {
        let kind = |why: &SkipReason| match why {
            SkipReason::Header(HeaderError::Syntax(error)) => Some(error.kind()),
            _ => None,
        };
        skipped(next).iter().filter_map(kind).collect()
    };
    let value = challenge("n", &", a=b".repeat(MAX_PARAMS));
    let next = Dialog::new(Policy::new()).challenged([&value]);
    assert_eq!(kinds(&next), [ParseErrorKind::TooManyParams]);

    let value = "A,".repeat(50_000);
    let next = Dialog::new(Policy::new()).challenged([&value]);
    assert_eq!(skipped(&next).len(), MAX_CHALLENGES + 1);
    assert_eq!(kinds(&next), [ParseErrorKind::TooManyChallenges]);

    let fields = vec!["A"; 100_000];
    let next = Dialog::new(Policy::new()).challenged(fields);
    assert_eq!(skipped(&next).len(), MAX_CHALLENGES + 1);

    let value = challenge("n", &format!(r#", a="{}""#, "x".repeat(MAX_VALUE_BYTES)));
    let next = Dialog::new(Policy::new()).challenged([&value]);
    assert_eq!(kinds(&next), [ParseErrorKind::ValueTooLong]);
    // It hides no other.
    let next = Dialog::new(Policy::new()).challenged([&value[..], CHALLENGE]);
    assert_eq!(next, Said::Login);
}

/// Folded lines and NUL, which one reader takes for a blank or the end, and another does not.
#[test]
fn line_folding_and_nul_in_values() {
    for fold in ["\r\n ", "\r\n\t", "\n ", "\0", "\r"] {
        for value in [
            CHALLENGE.replace("realm=\"r\"", &format!("realm=\"r{fold}\"")),
            CHALLENGE.replace(", ", &format!(",{fold}")),
            CHALLENGE.replace("Digest ", &format!("Digest{fold}")),
            CHALLENGE.replace("SHA-256", &format!("SHA-256{fold}")),
        ] {
            let next = Dialog::new(Policy::new()).challenged([&value]);
            assert!(!skipped(&next).is_empty(), "{value:?}");
        }
    }
}

/// libmicrohttpd: the name of an algorithm, quoted and with an escape, was taken for another.
#[test]
fn libmicrohttpd_an_algorithm_is_the_same_however_it_is_written() {
    for algorithm in Algorithm::ALL {
        let name = algorithm.as_str();
        let (head, tail) = name.split_at(1);
        for written in [
            name.to_owned(),
            format!("\"{name}\""),
            format!("\"{head}\\{tail}\""),
            format!("\"\\{name}\""),
            name.to_ascii_lowercase(),
        ] {
            let value = CHALLENGE.replace("SHA-256", &written);
            let mut dialog = Dialog::logged_in(Policy::new(), &value);
            let sent = dialog.send("/").unwrap();
            let sent_name = sent.get("algorithm");
            assert!(
                sent_name.eq_ignore_ascii_case(name),
                "{written}: {sent_name}"
            );
            assert!(sent.is_right(USER, PASSWORD, &Target::new("GET", "/")));
        }
        // The beginning of one, or one with something behind it, is none.
        for wrong in [
            &name[..name.len() - 1],
            &format!("{name}x"),
            &format!(" {name}"),
        ] {
            let value = CHALLENGE.replace("SHA-256", &format!("\"{wrong}\""));
            let next = Dialog::new(Policy::new()).challenged([&value]);
            let [SkipReason::Header(HeaderError::Param(error))] = skipped(&next) else {
                panic!("{wrong}: {next:?}");
            };
            assert_eq!(error.name, ParamName::Algorithm);
        }
    }
}

/// curl 7.88 and 8.14, Chromium, Firefox: where no qop was known, or only `auth-int`, a response
/// in the form of RFC 2069 was sent, which can be replayed.
mod curl_chromium_and_firefox_downgrade_to_rfc_2069 {
    use super::*;

    #[test]
    fn an_unknown_qop_is_not_taken_for_none() {
        for policy in [Policy::new(), Policy::new().with_rfc2069()] {
            for qop in [
                "crazy",
                ", crazy,",
                "auth auth-int",
                "auth-conf",
                "\\\"auth\\\"",
            ] {
                let value = CHALLENGE.replace("qop=\"auth\"", &format!("qop=\"{qop}\""));
                let next = Dialog::new(policy).challenged([&value]);
                let [SkipReason::Header(HeaderError::Param(error))] = skipped(&next) else {
                    panic!("{qop}: {next:?}");
                };
                assert_eq!(error.name, ParamName::Qop);
                assert_eq!(error.problem, ParamProblem::Unsupported);
            }
        }
    }

    #[test]
    fn auth_int_alone_is_answered_with_auth_int_or_not_at_all() {
        let value = CHALLENGE.replace("qop=\"auth\"", "qop=\"auth-int\"");
        for policy in [Policy::new(), Policy::new().with_rfc2069()] {
            let mut dialog = Dialog::logged_in(policy, &value);
            let target = Target::new("POST", "/");
            let answer =
                dialog
                    .client
                    .authorize_with_cnonce(&mut dialog.exchange, &target, &cnonce("c"));
            assert_eq!(
                answer.err(),
                Some(countersign::client::AuthorizeError::BodyNeeded(
                    HashFunction::Sha256
                ))
            );
            let target = target.with_body(EntityBody::Bytes(b"a=1"));
            let sent = dialog.send_target(&target).unwrap();
            assert_eq!(sent.get("qop"), "auth-int");
        }
    }

    #[test]
    fn auth_int_with_blanks_beside_auth_is_not_taken_for_none() {
        let value = CHALLENGE.replace("qop=\"auth\"", "qop=\" auth-int , auth \"");
        let mut dialog = Dialog::logged_in(Policy::new(), &value);
        assert_eq!(dialog.send("/").unwrap().get("qop"), "auth");
    }

    #[test]
    fn none_is_answered_only_if_the_policy_says_so() {
        let value = CHALLENGE.replace(", qop=\"auth\"", "");
        let next = Dialog::new(Policy::new()).challenged([&value]);
        assert_eq!(skipped(&next), [SkipReason::Rfc2069]);
        let mut dialog = Dialog::logged_in(Policy::new().with_rfc2069(), &value);
        assert_eq!(dialog.send("/").unwrap().param("qop"), None);
    }

    /// Who takes the qop out of the second challenge gets no more than who does so in the first.
    #[test]
    fn none_is_not_answered_later_either() {
        let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
        dialog.send("/");
        dialog.accepted("").unwrap();
        dialog.next_exchange();
        dialog.send("/");
        let value = challenge("n2", ", stale=true").replace(", qop=\"auth\"", "");
        assert_eq!(skipped(&dialog.challenged([&value])), [SkipReason::Rfc2069]);
    }
}

/// curl test 1437, libsoup: of two nonces one client took the last and another the first, so who
/// slips one in chooses what each sees.
#[test]
fn curl_test_1437_repeated_parameters() {
    for (again, name) in [
        ("realm=\"s\"", ParamName::Realm),
        ("NONCE=\"n2\"", ParamName::Nonce),
        ("qop=auth-int", ParamName::Qop),
        ("algorithm=SHA-512-256", ParamName::Algorithm),
        ("opaque=a, opaque=a", ParamName::Opaque),
        ("domain=a, Domain=b", ParamName::Domain),
        ("stale=true, stale=false", ParamName::Stale),
        ("charset=UTF-8, charset=x", ParamName::Charset),
        ("userhash=true, userhash=true", ParamName::Userhash),
    ] {
        let value = challenge("n1", &format!(", {again}"));
        let next = Dialog::new(Policy::new()).challenged([&value]);
        let [SkipReason::Header(HeaderError::Param(error))] = skipped(&next) else {
            panic!("{again}: {next:?}");
        };
        assert_eq!((error.name, error.problem), (name, ParamProblem::Repeated));
    }
    let next = Dialog::new(Policy::new()).challenged(["Basic realm=a, Realm=b"]);
    assert!(matches!(skipped(&next), [SkipReason::Header(_)]));
    // What nobody knows may come as often as it likes.
    let value = challenge("n1", ", x=1, x=2, X=3");
    assert_eq!(Dialog::new(Policy::new()).challenged([&value]), Said::Login);

    // The same where the server proves itself.
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    dialog.send("/");
    let info = dialog.accepted("nextnonce=a, nextnonce=b");
    assert!(matches!(info, Ok(ServerProof::Unreadable)));
}

/// lighttpd CVE-2007-3946: a `-sess` algorithm without a cnonce was a null pointer. There is none
/// where there is no qop.
#[test]
fn lighttpd_cve_2007_3946_session_algorithms_without_a_qop() {
    for algorithm in Algorithm::ALL.iter().filter(|a| a.is_session()) {
        let value = format!("Digest realm=r, nonce=n, algorithm={algorithm}");
        for policy in [Policy::new(), Policy::new().with_rfc2069()] {
            let next = Dialog::new(policy).challenged([&value]);
            assert_eq!(skipped(&next), [SkipReason::SessionAlgorithm]);
        }
    }
}

/// Squid CVE-2019-12525: the length of a quoted string of one quote was negative. httpd
/// CVE-2017-9788: a name without a value had that of the name before it.
#[test]
fn squid_cve_2019_12525_and_httpd_cve_2017_9788_values_that_are_none() {
    for value in [
        r#"Digest realm="#,
        r#"Digest realm=""#,
        r#"Digest realm="\"#,
        r#"Digest realm="\""#,
        r#"Digest realm="a", nonce"#,
        r#"Digest realm="a", nonce, qop=auth"#,
        r#"Digest realm="a", nonce=;, qop=auth"#,
        r#"Digest realm="a", nonce=""#,
        r#"Digest realm="a" nonce="b""#,
        r#"Basic realm=\"#,
        r#"Basic realm=""#,
    ] {
        let next = Dialog::new(Policy::new()).challenged([value]);
        let first = skipped(&next).first();
        assert!(
            matches!(first, Some(SkipReason::Header(_))),
            "{value}: {next:?}"
        );
        // Not even what stands behind it in a field of its own is lost.
        let next = Dialog::new(Policy::new()).challenged([value, CHALLENGE]);
        assert_eq!(next, Said::Login, "{value}");
    }
    // Two quotes are a value, and an empty one; so is nothing.
    for empty in ["\"\"", ""] {
        let value = CHALLENGE.replace("\"r\"", empty).replace("\"n1\"", empty);
        let sent = Dialog::logged_in(Policy::new(), &value).send("/").unwrap();
        assert_eq!((sent.get("realm"), sent.get("nonce")), ("", ""), "{value}");
    }
    assert_eq!(
        Dialog::new(Policy::new()).challenged(["Basic realm="]),
        Said::Login
    );
}
