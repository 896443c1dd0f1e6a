//! What real servers send and a client must understand.

use countersign::Target;
use countersign::client::{Policy, Quirk, SkipReason, Strength};
use countersign::digest::HashFunction;

use super::{answer_to, in_use};
use crate::support::client::{CHALLENGE, Dialog, Said, challenge, orders, skipped};

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

/// Inverters and their like write the name of the algorithm without its hyphen. It is answered as
/// it is spelled, and every setting sees the hash function.
#[test]
fn q32_an_algorithm_in_another_spelling() {
    let inverter =
        r#"Digest realm="web area", nonce="65f0a1b2:made-up", qop="auth", algorithm=SHA256"#;
    let md5 = inverter.replace("SHA256", "MD5");
    for values in [&[inverter][..], &[&md5, inverter], &[inverter, &md5]] {
        let mut dialog = Dialog::new(Policy::new());
        assert_eq!(dialog.challenged(values), Said::Login);
        dialog.login_as("owner", "Circle of Life").unwrap();
        let target = Target::new("GET", "/api/config");
        let sent = dialog.try_send(&target).unwrap().unwrap();
        assert_eq!(sent.get("algorithm"), "SHA256");
        assert!(sent.is_right("owner", "Circle of Life", &target));
    }
    let required = Policy::new().require_strength(Strength::DigestSha2);
    for (name, policy, is_answered) in [
        ("sha256", required, true),
        ("SHA256", required.require_hash(HashFunction::Sha256), true),
        (
            "SHA256",
            Policy::new().require_hash(HashFunction::Sha512_256),
            false,
        ),
        (
            "SHA512-256",
            Policy::new().require_hash(HashFunction::Sha512_256),
            true,
        ),
        ("SHA256-sess", required, true),
        // Not a token, so it could not be echoed as the field has to be written.
        ("\"SHA-512/256\"", required, false),
        // As long as the longest name, and longer: so much would be echoed.
        ("SHA----------256", required, true),
        ("SHA-----------256", required, false),
        ("SHA", required, false),
        ("SHA-512", required, false),
        ("MD4", Policy::new(), false),
    ] {
        let next = Dialog::new(policy).challenged([&inverter.replace("SHA256", name)]);
        assert_eq!(next == Said::Login, is_answered, "{name}");
    }
    // A later challenge in the right spelling is of the same realm and hash function.
    let mut dialog = Dialog::logged_in(Policy::new(), &CHALLENGE.replace("SHA-256", "SHA256"));
    dialog.send("/");
    assert_eq!(
        dialog.challenged([&challenge("n2", ", stale=true")]),
        Said::Retry
    );
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
    // To take a list of unknown values for none would be a downgrade.
    let value = CHALLENGE.replace("\"auth\"", "\", crazy\"");
    let policy = Policy::new().with_quirk(Quirk::Rfc2069);
    let next = Dialog::new(policy).challenged([&value]);
    assert!(matches!(skipped(&next), [SkipReason::Header(_)]));
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

/// httpd#739: on errors, too; libsoup goes on counting.
#[test]
fn q16_next_nonce_restarts_the_count() {
    let mut dialog = in_use(&challenge("n1", r#", opaque="o""#));
    // The status is not asked for, and what is said in the head and in the trailers may be given
    // together.
    for (info, nonce) in [
        (&[r#"nextnonce="n2""#][..], "n2"),
        (&["NextNonce=n3"], "n3"),
        (&[r#"x="y""#, r#"x=y, nextnonce="n\"4\"""#], r#"n"4""#),
    ] {
        dialog.accepted_with(info).unwrap();
        dialog.next_exchange();
        for count in ["00000001", "00000002"] {
            let sent = dialog.send("/").unwrap();
            assert_eq!((sent.get("nonce"), sent.get("nc")), (nonce, count));
            assert_eq!(sent.get("opaque"), "o");
        }
    }
    // Empty, it says nothing.
    dialog.accepted(r#"nextnonce="""#).unwrap();
    dialog.next_exchange();
    let sent = dialog.send("/").unwrap();
    assert_eq!((sent.get("nonce"), sent.get("nc")), (r#"n"4""#, "00000003"));
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
