//! What real servers send and a client must understand.

use countersign::client::{
    Account, AuthCache, AuthorizeError, Endpoint, Exchange, Field, Policy, Quirk, SkipReason,
};
use countersign::digest::HashFunction;
use countersign::{EntityBody, Target, challenges};

use super::{answer_to, in_use};
use crate::support::client::{
    CHALLENGE, Dialog, PASSWORD, Said, Sent, USER, ask_of, challenge, orders, sent_unasked, skipped,
};
use crate::support::errors::problem;

/// Chromium's tests, httpbin#262.
#[test]
fn q01_quoted_where_they_should_not_be_and_unquoted_where_they_should() {
    let usual = answer_to(&[challenge("n", r#", opaque="o""#)]);
    for value in [
        r#"Digest realm=r, nonce=n, qop=auth, algorithm="SHA-256", opaque=o"#,
        r#"Digest realm="r", nonce=n, qop="auth", algorithm="SHA-256", opaque=o, stale="false""#,
        r#"Digest realm=r, nonce="n", qop=auth, algorithm=SHA-256, opaque="o", stale=false"#,
    ] {
        let sent = answer_to(&[value]);
        for name in ["realm", "nonce", "qop", "algorithm", "opaque", "response"] {
            assert_eq!(sent.get(name), usual.get(name), "{value}");
        }
    }
}

/// icholy/digest#14, kamailio#2108; some devices compare what comes back letter by letter.
#[test]
fn q02_algorithm_in_lower_case_comes_back_as_it_was() {
    for name in [
        "sha-256",
        "Sha-256",
        "SHA-256-SESS",
        "sha-512-256",
        "md5",
        "Md5-Sess",
    ] {
        if cfg!(not(feature = "md5")) && name.to_lowercase().starts_with("md5") {
            continue;
        }
        let value = CHALLENGE.replace("SHA-256", name);
        assert_eq!(answer_to(&[value]).get("algorithm"), name);
    }
}

/// Hikvision, Spring, curl test 153.
#[test]
fn q03_stale_in_any_case_and_quoted() {
    for (stale, is_stale) in [
        ("TRUE", true),
        ("True", true),
        ("\"true\"", true),
        ("\"\\TRUE\"", true),
        ("FALSE", false),
        ("\"FALSE\"", false),
        ("\"\"", false),
        ("1", false),
        ("yes", false),
    ] {
        let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
        dialog.send("/");
        let next = dialog.challenged([&challenge("n2", &format!(", stale={stale}"))]);
        let expected = match is_stale {
            true => Said::Retry,
            false => Said::WrongCredentials,
        };
        assert_eq!(next, expected, "{stale}");
    }
}

/// curl test 388, 0ad7c8d7 and #9264; requests#2408 and CPython bpo-38686 hashed the list.
#[test]
fn q04_the_token_chosen_from_the_qop_list_is_sent_and_hashed() {
    for list in [
        "auth,auth-int",
        "auth, auth-int",
        "auth-int,auth",
        " auth",
        "auth ",
        "\tauth\t,\tx",
        "crazy, auth",
        "AUTH",
        ",,auth,,",
    ] {
        let value = CHALLENGE.replace("\"auth\"", &format!("\"{list}\""));
        assert_eq!(answer_to(&[value]).get("qop"), "auth", "{list:?}");
    }
}

/// psf/requests#2916; curl, requests, httpx and aiohttp take it for no qop.
#[test]
fn q04_an_empty_qop_list_is_answered_as_none_where_that_is_allowed() {
    for list in ["", " ", ",\t,"] {
        let value = CHALLENGE.replace("\"auth\"", &format!("\"{list}\""));
        let next = Dialog::new(Policy::new()).challenged([&value]);
        assert_eq!(skipped(&next), [SkipReason::Rfc2069], "{list:?}");
        let mut dialog = Dialog::logged_in(Policy::new().with_quirk(Quirk::Rfc2069), &value);
        let sent = dialog.send("/").expect("an answer");
        for name in ["qop", "nc", "cnonce"] {
            assert_eq!(sent.param(name), None, "{list:?}");
        }
    }
}

/// Some ONVIF cameras, CPython bpo-38686.
#[test]
fn q05_auth_int_alone_takes_the_body() {
    let value = CHALLENGE.replace("\"auth\"", "\"auth-int\"");
    let mut dialog = Dialog::logged_in(Policy::new(), &value);
    let post = Target::new("POST", "/");
    let unknown = dialog
        .client
        .authorize_with_cnonce(&mut dialog.exchange, &post, "c")
        .map(Field::for_new_request);
    assert_eq!(
        unknown.err(),
        Some(AuthorizeError::BodyNeeded(HashFunction::Sha256))
    );
    for body in [&b""[..], b"a=1", &[0; 10_000]] {
        let post = post.with_body(EntityBody::Bytes(body));
        let sent = dialog.send_target(&post).unwrap();
        assert_eq!(sent.get("qop"), "auth-int");
        assert!(sent.is_right(USER, PASSWORD, &post));
        let other = post.with_body(EntityBody::Bytes(b"other"));
        assert!(!sent.is_right(USER, PASSWORD, &other));
    }
}

/// AMC cameras, axios-digest-auth#6; curl, neon, httpx and requests fail on some of these.
#[test]
fn q06_blanks_where_they_need_not_be_and_none_where_they_should() {
    let usual = answer_to(&[CHALLENGE]);
    for value in [
        r#"Digest realm="r",nonce="n1",qop="auth",algorithm=SHA-256"#,
        "Digest\trealm=r,nonce=n1,qop=auth,algorithm=SHA-256",
        "Digest   realm=r  ,  nonce=n1,\tqop=auth,algorithm=SHA-256",
        r#"Digest realm = "r" , nonce= n1, qop ="auth", algorithm	=	SHA-256"#,
        r#"  Digest realm="r", nonce="n1", qop="auth", algorithm=SHA-256	 "#,
    ] {
        assert_eq!(answer_to(&[value]), usual, "{value}");
    }
}

/// httpwg/http-core#136, pjsip#2408, go2rtc#2451, gortsplib#1074; Shelly and Dahua.
#[test]
fn q07_several_challenges_on_one_line_or_more_in_any_order() {
    let basic = r#"Basic realm="r""#;
    let strong = r#"Digest realm="r", nonce="s", qop="auth", algorithm=SHA-512-256"#;
    let unknown = "Negotiate";
    let md5 = r#"Digest realm="r", nonce="m", qop="auth", algorithm=MD5"#;
    let all = [basic, CHALLENGE, strong, unknown, md5];
    // Every order, on one line, on a line each, and on two.
    for order in orders(&all) {
        for lines in [
            vec![order.join(", ")],
            order.iter().map(|&value| value.to_owned()).collect(),
            vec![order[..2].join(","), order[2..].join(" , ")],
        ] {
            assert_eq!(answer_to(&lines).get("nonce"), "s", "{lines:?}");
            let weaker: Vec<_> = lines
                .iter()
                .map(|line| line.replace("SHA-512-256", "WHIRLPOOL"))
                .collect();
            assert_eq!(answer_to(&weaker).get("nonce"), "n1", "{weaker:?}");
        }
    }
    // Basic where there is nothing else.
    assert_eq!(answer_to(&["Negotiate, Basic realm=r"]).scheme, "Basic");
}

/// Dahua sends no qop with MD5, but one with SHA-256.
#[test]
fn q07_a_qop_that_only_the_stronger_challenge_has() {
    let sent = answer_to(&[
        r#"Digest realm="r", nonce="n", algorithm="MD5""#,
        r#"Digest realm="r", nonce="n", algorithm="SHA-256", qop="auth""#,
    ]);
    assert_eq!(sent.get("algorithm"), "SHA-256");
    assert_eq!(sent.get("qop"), "auth");
}

/// Chromium 20984, pjsip 1061, LWP#361, curl 1095, 3a6fe0c7 and 2a2a2e5d, okhttp#2780.
#[test]
fn q08_realms_of_every_kind() {
    for (written, realm) in [
        (r#""""#, ""),
        (r#""a, b""#, "a, b"),
        (r#""\"a\" \\ b""#, r#""a" \ b"#),
        (r#""Digest realm=x""#, "Digest realm=x"),
        (r#""IP Camera(C1234)""#, "IP Camera(C1234)"),
        ("\"caf\u{e9}\"", "caf\u{e9}"),
    ] {
        let value = CHALLENGE.replace("\"r\"", written);
        assert_eq!(answer_to(&[value]).get("realm"), realm);
    }
    // Hikvision: not the first.
    let sent = answer_to(&[r#"Digest qop="auth", nonce="n", algorithm=SHA-256, realm="r""#]);
    assert_eq!(sent.get("realm"), "r");
    // Bytes that are no UTF-8 come back, and are hashed, as they are.
    let value = [
        &b"Digest realm=\"caf\xe9\""[..],
        &CHALLENGE.as_bytes()[16..],
    ]
    .concat();
    let sent = answer_to(&[value]);
    let realm = sent.params.iter().find(|(name, _)| name == "realm");
    assert_eq!(realm.unwrap().1, b"caf\xe9");
}

/// curl takes it for an empty one (f59508e6). It is hashed, and other readers take it for no
/// challenge.
#[test]
fn q08_no_realm_is_not_answered_in_digest() {
    let value = CHALLENGE.replace("realm=\"r\", ", "");
    let next = Dialog::new(Policy::new()).challenged([&value]);
    let [SkipReason::Header(error)] = skipped(&next) else {
        panic!("{next:?}");
    };
    assert_eq!(error.name(), Some("realm"));
    assert_eq!(problem(error), "missing");
}

/// Browsers, .NET, HttpComponents, Qt and curl take it for an empty one.
#[test]
fn q08_no_realm_is_an_empty_one_in_basic() {
    for value in ["Basic", "Basic charset=UTF-8", "Basic realm=\"\""] {
        let next = Dialog::new(Policy::new()).challenged([value]);
        assert_eq!(next, Said::Login, "{value}");
    }
    let next = Dialog::new(Policy::new()).challenged(["Basic YTpi"]);
    assert!(matches!(skipped(&next), [SkipReason::Header(_)]));
}

/// dotnet/runtime#32943, httparty#156, activeresource#84, cpp-httplib#1166, esp-adf#889;
/// httpd refuses an opaque that it did not send.
#[test]
fn q09_opaque_comes_back_if_and_only_if_there_was_one() {
    for (more, opaque) in [
        (r#", opaque="""#, Some("")),
        (r#", opaque="o""#, Some("o")),
        (", opaque=o", Some("o")),
        (r#", opaque="\"\\""#, Some(r#""\"#)),
        ("", None),
    ] {
        assert_eq!(answer_to(&[challenge("n", more)]).param("opaque"), opaque);
    }
}

/// curl 2007.
#[test]
fn q10_nonces_of_any_length_and_any_bytes() {
    for nonce in [
        "",
        "=",
        "a/b+c==",
        "a nonce of words",
        r#"\"quoted\" and \\escaped\\"#,
        &"0123456789".repeat(80),
        &"\\\"".repeat(800),
    ] {
        let sent = answer_to(&[challenge(nonce, "")]);
        let unescaped = nonce.replace("\\\"", "\"").replace("\\\\", "\\");
        assert_eq!(sent.get("nonce"), unescaped);
    }
}

/// curl test 1437 takes the last, libsoup the first.
#[test]
fn q11_repeated_parameters_are_not_answered() {
    for again in [
        "nonce=\"n2\"",
        "realm=\"r\"",
        "qop=auth",
        "algorithm=SHA-256",
    ] {
        let value = challenge("n", &format!(", {again}"));
        let next = Dialog::new(Policy::new()).challenged([&value]);
        let [SkipReason::Header(error)] = skipped(&next) else {
            panic!("{next:?}");
        };
        assert_eq!(problem(error), "given more than once");
        // Another challenge is.
        let mut dialog = Dialog::new(Policy::new());
        assert_eq!(dialog.challenged([&value[..], CHALLENGE]), Said::Login);
    }
}

#[test]
fn q12_unknown_parameters_and_empty_elements() {
    let usual = answer_to(&[CHALLENGE]);
    let middle = CHALLENGE.strip_prefix("Digest ").unwrap();
    for value in [
        format!("{CHALLENGE},"),
        format!("{CHALLENGE} , ,"),
        format!("Digest , ,{middle}"),
        format!(",, {CHALLENGE}"),
        CHALLENGE.replace(", ", ",,, "),
        format!("Digest x=y, {middle}, NewParam=\"realm\", new=*"),
        format!("{CHALLENGE}, title=\"a, b=c\", charset=ISO-8859-1, userhash=maybe"),
    ] {
        assert_eq!(answer_to(&[&value]), usual, "{value}");
    }
}

/// evcc#33864: the name of the field is the caller's business, so that a server may use
/// another to keep browsers from asking.
#[test]
fn q13_x_www_authenticate() {
    let mut headers = http::HeaderMap::new();
    headers.insert("x-www-authenticate", CHALLENGE.parse().unwrap());
    let mut dialog = Dialog::new(Policy::new());
    let next = dialog.challenged(headers.get_all("www-authenticate"));
    assert!(skipped(&next).is_empty());
    dialog.next_exchange();
    let next = dialog.challenged(headers.get_all("x-www-authenticate"));
    assert_eq!(next, Said::Login);
}

/// curl#2136, baresip/re#1557, sofia-sip#316.
#[test]
fn q14_a_new_nonce_without_stale_is_tried_if_the_old_one_was_good_once() {
    let mut dialog = in_use();
    assert_eq!(dialog.challenged([&challenge("n2", "")]), Said::Retry);
    let sent = dialog.send("/").unwrap();
    assert_eq!((sent.get("nonce"), sent.get("nc")), ("n2", "00000001"));
    // Once: the new one has not been good yet.
    let next = dialog.challenged([&challenge("n3", "")]);
    assert_eq!(next, Said::WrongCredentials);

    // If it was not, the password is wrong.
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    dialog.send("/");
    let next = dialog.challenged([&challenge("n2", "")]);
    assert_eq!(next, Said::WrongCredentials);
}

/// sipgo#329 and #330 answered for ever.
#[test]
fn q15_stale_is_answered_a_few_times() {
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    dialog.send("/");
    let stale = |nonce| challenge(nonce, ", stale=true");
    assert_eq!(dialog.challenged([&stale("n2")]), Said::Retry);
    assert_eq!(dialog.send("/").unwrap().get("nonce"), "n2");
    assert_eq!(dialog.challenged([&stale("n3")]), Said::Retry);
    assert_eq!(dialog.send("/").unwrap().get("nonce"), "n3");
    let next = dialog.challenged([&stale("n4")]);
    assert_eq!(next, Said::TooManyAnswers);
}

/// httpd#739: on errors, too; libsoup goes on counting.
#[test]
fn q16_next_nonce_restarts_the_count() {
    let mut dialog = in_use();
    // The status is not asked for, nor whether it came in the trailers.
    for (info, nonce) in [
        (r#"nextnonce="n2""#, "n2"),
        ("NextNonce=n3", "n3"),
        (r#"x=y, nextnonce="n\"4\"""#, r#"n"4""#),
    ] {
        dialog.accepted(info).unwrap();
        dialog.next_exchange();
        for count in ["00000001", "00000002"] {
            let sent = dialog.send("/").unwrap();
            assert_eq!((sent.get("nonce"), sent.get("nc")), (nonce, count));
        }
    }
    // Empty, it says nothing.
    dialog.accepted(r#"nextnonce="""#).unwrap();
    dialog.next_exchange();
    let sent = dialog.send("/").unwrap();
    assert_eq!((sent.get("nonce"), sent.get("nc")), (r#"n"4""#, "00000003"));
}

/// What is said in the head and in the trailers may be given together.
#[test]
fn q16_next_nonce_in_the_trailers() {
    let mut dialog = in_use();
    let (head, trailers) = ([r#"x="y""#], [r#"nextnonce="n2""#]);
    let all = head.iter().chain(&trailers).copied();
    dialog
        .client
        .completed(
            &mut dialog.exchange,
            200,
            all.into_iter(),
            EntityBody::Unknown,
        )
        .unwrap();
    dialog.next_exchange();
    assert_eq!(dialog.send("/").unwrap().get("nonce"), "n2");
}

/// neon's CVE-2008-3746 for the junk; the rest is of devices.
#[test]
fn q17_domain_of_every_kind() {
    for (domain, inside, outside) in [
        ("/a", "/a/b", Some("/b")),
        ("https://example.com/a", "/a/b", Some("/b")),
        ("/a https://example.com/b", "/b", Some("/c")),
        ("https://example.org/", "/asked", Some("/asked")),
        ("foo", "/b", None),
        ("", "/b", None),
    ] {
        let mut dialog = Dialog::new(Policy::new());
        let value = challenge("n", &format!(r#", domain="{domain}""#));
        assert_eq!(dialog.challenged([&value]), Said::Login);
        dialog.login();
        assert!(dialog.send(inside).is_some(), "{domain}");
        dialog.next_exchange();
        if let Some(outside) = outside {
            assert_eq!(dialog.send(outside), None, "{domain}");
        }
    }
}

/// RFC 7616, section 3.3.
#[test]
fn q17_domain_means_nothing_to_a_proxy() {
    let proxy = Endpoint::proxy("https", "proxy", 3128);
    let mut dialog = Dialog::at(&proxy, Policy::new());
    let value = challenge("n", r#", domain="/a""#);
    assert_eq!(dialog.challenged([&value]), Said::Login);
    dialog.login();
    for uri in ["/b", "http://example.org/c", "example.net:443"] {
        dialog.next_exchange();
        assert!(dialog.send(uri).is_some(), "{uri}");
    }
}

/// neon: a proxy answers CONNECT with 401 as well as 407.
#[test]
fn q18_what_a_proxy_and_an_origin_ask_for_is_kept_apart() {
    let proxy = Endpoint::proxy("http", "proxy", 3128);
    let origin = Endpoint::origin("https", "example.com", None).unwrap();
    let mut cache = AuthCache::from_seed(2, Policy::new(), [7; 32]);
    for (at, nonce, uri) in [(&proxy, "p", "example.com:443"), (&origin, "o", "/")] {
        let client = cache.client(at);
        let mut exchange = Exchange::new();
        let next = client.challenged(&mut exchange, challenges([&challenge(nonce, "")]));
        client
            .login(
                ask_of(&next).unwrap(),
                &Account::new(USER, PASSWORD).with_basic(),
            )
            .unwrap();
        let connect = Target::new("CONNECT", uri);
        let answer = client
            .authorize(&mut exchange, &connect)
            .map(Field::for_new_request)
            .unwrap();
        let sent = Sent::read(answer.unwrap().as_bytes());
        assert_eq!((sent.get("nonce"), sent.get("uri")), (nonce, uri));
        assert!(sent.is_right(USER, PASSWORD, &connect));
    }
    for (at, nonce) in [(proxy, "p"), (origin, "o")] {
        let client = cache.client(&at);
        assert_eq!(sent_unasked(client, "/").unwrap().get("nonce"), nonce);
    }
}

/// h3#1463, idunno#105, cherrypy#1684, django-rest-framework#7183.
#[test]
fn q19_charset_quoted_or_not_and_latin_1_where_there_is_none() {
    let basic = |policy, value| {
        let mut dialog = Dialog::new(policy);
        assert_eq!(dialog.challenged([value]), Said::Login);
        dialog.login_as("ü", "é").unwrap();
        dialog.send("/").unwrap().token68.unwrap()
    };
    let (utf8, latin1) = ("w7w6w6k=", "/Drp");
    for value in [
        r#"Basic realm="r", charset="UTF-8""#,
        "Basic realm=r, charset=utf-8",
    ] {
        for policy in [Policy::new(), Policy::new().with_quirk(Quirk::Latin1)] {
            assert_eq!(basic(policy, value), utf8);
        }
    }
    for value in ["Basic realm=r", "Basic realm=r, charset=ISO-8859-1"] {
        assert_eq!(basic(Policy::new(), value), utf8);
        assert_eq!(
            basic(Policy::new().with_quirk(Quirk::Latin1), value),
            latin1
        );
    }
}

/// neon refuses it.
#[test]
fn q20_stale_in_the_first_challenge() {
    let sent = answer_to(&[challenge("n1", ", stale=true")]);
    assert_eq!(sent, answer_to(&[CHALLENGE]));
}
