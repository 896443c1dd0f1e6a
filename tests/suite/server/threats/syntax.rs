//! Headers that were misread, and headers of its own that a server let others write into.

use countersign::digest::{Algorithm, Ha1};
use countersign::server::{BasicOffer, Realm, Rejection};
use countersign::{InvalidText, MAX_PARAMS, MAX_VALUE_BYTES};

use super::{FOREIGN, REFUSED, param_error, service, syntax_error};
use crate::support::server::{Answer, PASSWORD, Service, USER, digest_challenge, quoted, realm};

/// httpd: a name without a value got the value of the parameter before it.
#[test]
fn cve_2017_9788_a_name_without_a_value() {
    let service = service();
    let answer = service.answer();
    for header in ["Digest a=b, realm", "Digest a=b, realm=", "Digest a=b, =c"] {
        let outcome = service.take_header(header, &answer);
        assert!(syntax_error(outcome).is_some(), "{header}: {outcome:?}");
    }
    // That is a token68, and has no parameters.
    for header in ["Digest realm", "Digest realm="] {
        let outcome = service.take_header(header, &answer);
        let missing = ("username", "missing");
        assert_eq!(param_error(outcome), Some(missing), "{header}");
    }
    let params = answer.params();
    for (name, value) in &params.0 {
        let bare = params.to_string();
        let bare = bare.replace(&format!("{name}={value}"), name);
        let outcome = service.take_header(&bare, &answer);
        assert!(syntax_error(outcome).is_some(), "{bare}: {outcome:?}");
    }
    assert_eq!(service.take(&answer), Ok(()));
}

/// libsoup: a parameter that was missing was followed as a null pointer.
#[test]
fn cve_2025_32910_each_parameter_missing_in_turn() {
    let service = service();
    let answer = service.answer();
    let params = answer.params();
    for (name, _) in &params.0 {
        let header = params.clone().without(name).to_string();
        let outcome = service.take_header(header, &answer);
        let missing = |name| Some((name, "missing"));
        match name.as_str() {
            "username" => assert_eq!(param_error(outcome), missing("username")),
            "realm" => assert_eq!(param_error(outcome), missing("realm")),
            "nonce" => assert_eq!(param_error(outcome), missing("nonce")),
            "uri" => assert_eq!(param_error(outcome), missing("uri")),
            "response" => assert_eq!(param_error(outcome), missing("response")),
            "nc" => assert_eq!(param_error(outcome), missing("nc")),
            "cnonce" => assert_eq!(param_error(outcome), missing("cnonce")),
            "qop" => assert_eq!(outcome, Err(Rejection::QopNotOffered)),
            // Then it is MD5, whose responses are shorter.
            "algorithm" if cfg!(feature = "md5") => {
                let malformed = ("response", "malformed");
                assert_eq!(param_error(outcome), Some(malformed));
            }
            "algorithm" => assert_eq!(outcome, Err(Rejection::AlgorithmNotOffered)),
            other => panic!("what is {other}?"),
        }
    }
    let outcome = service.take_header("Digest", &answer);
    assert_eq!(param_error(outcome), Some(("username", "missing")));
    assert_eq!(service.take(&answer), Ok(()));
}

/// Squid: the two quotes were taken off a value that had but one.
#[test]
fn cve_2019_12525_quotes_that_do_not_match() {
    let service = service();
    let answer = service.answer();
    let params = answer.params();
    for (name, _) in &params.0 {
        for value in [
            r#"""#, r#""\"#, r#""\""#, r#""\\\""#, r#"""""#, r#"\"\""#, r#"a"b""#, r#""a"b"#, "",
        ] {
            let header = params.clone().with(name, value).to_string();
            let outcome = service.take_header(&header, &answer);
            assert!(syntax_error(outcome).is_some(), "{header}: {outcome:?}");
        }
        // Well formed, and nothing in it.
        let header = params.clone().with(name, r#""""#).to_string();
        assert!(service.take_header(&header, &answer).is_err(), "{header}");
    }
    assert_eq!(service.take(&answer), Ok(()));
}

/// lighttpd: the table of base64 was indexed by a signed character.
#[test]
fn cve_2011_4362_non_ascii_base64_is_a_syntax_error() {
    let service = Service::new(realm().with_basic(BasicOffer::Encrypted));
    let request = Answer::to("");
    for byte in 0x80..=0xff {
        for header in [
            [b"Basic ".as_slice(), &[byte]].concat(),
            [b"Basic TXVm".as_slice(), &[byte], b"YXNh"].concat(),
            [b"Basic TXVmYXNh".as_slice(), &[byte; 100]].concat(),
            [&[byte], b"asic TXVmYXNh".as_slice()].concat(),
        ] {
            let outcome = service.take_header(&header, &request);
            assert!(syntax_error(outcome).is_some(), "{header:x?}: {outcome:?}");
        }
        // As part of what is encoded it is a byte like others.
        let header = crate::support::basic_header([byte], [byte]);
        assert_eq!(service.take_header(&header, &request), REFUSED);
    }
}

/// libmicrohttpd: an algorithm that was quoted and escaped was taken for another.
#[test]
fn libmicrohttpd_7ace1e11_an_algorithm_however_it_is_written() {
    for &algorithm in Algorithm::ALL {
        let name = algorithm.as_str();
        let escaped: String = name.chars().flat_map(|c| ['\\', c]).collect();
        let half = name.replacen('-', "\\-", 1);
        for written in [
            name.to_owned(),
            name.to_lowercase(),
            quoted(name),
            quoted(&name.to_uppercase()),
            format!("\"{escaped}\""),
            format!("\"{half}\""),
        ] {
            let mut service = Service::new(realm().with_algorithms(Algorithm::ALL));
            let mut answer = service.answer();
            answer.algorithm = algorithm;
            let header = answer.params().with("algorithm", &*written).to_string();
            let grant = service.grant(&header, &answer.target());
            assert_eq!(grant.unwrap().algorithm(), Some(algorithm), "{written}");

            // And it is offered or not as that one.
            let others: Vec<_> = Algorithm::ALL
                .iter()
                .copied()
                .filter(|it| *it != algorithm)
                .collect();
            service.realm = realm().with_algorithms(&others);
            let outcome = service.take_header(&header, &answer);
            assert_eq!(outcome, Err(Rejection::AlgorithmNotOffered), "{written}");
        }
    }
}

/// meziantou#2724: a line break in the realm of a server's own configuration split the response.
#[test]
fn meziantou_2724_no_control_byte_in_a_servers_own_words() {
    for byte in (0..0x20).chain([0x7f]).filter(|byte| *byte != b'\t') {
        let text = format!("a{}b", char::from(byte));
        let control = Some(InvalidText::Control(1));
        assert_eq!(Realm::new(&text).err(), control);
        assert_eq!(realm().with_opaque(&text).err(), control);
        assert_eq!(realm().with_domain(&text).err(), control);
    }
    let text = "a\t\u{85}\u{a0}ä b";
    let realm = Realm::new(text).unwrap().with_basic(BasicOffer::Encrypted);
    let realm = realm.with_opaque(text).unwrap().with_domain(text).unwrap();
    let service = Service::new(realm);
    let mut stale = Answer::to("foreign");
    stale.realm = text.to_owned();
    let header = stale.header();
    let target = stale.target();
    let attempt = service.begin(&header, &target).unwrap();
    let ha1 = Ha1::new(attempt.hash_function(), USER, text, PASSWORD);
    let rejected = attempt.verify(Some(ha1)).unwrap_err();
    assert_eq!(rejected.rejection(), Rejection::NonceForeign);
    for value in service.refuse(&rejected) {
        let control = |byte: u8| byte.is_ascii_control() && byte != b'\t';
        assert!(!value.bytes().any(control), "{value:?}");
    }
}

/// httpx, requests, urllib, async-http-client#2236: what stood in quotes was not escaped, so that
/// it could end the string and begin a parameter. Those are clients; a server writes quotes, too.
#[test]
fn async_http_client_2236_quotes_are_escaped() {
    for text in [
        r#"x", uri="/admin"#,
        r#"a"b\c"#,
        r#"\"#,
        r#"\\"#,
        r#"""#,
        r#"a\", stale="true"#,
        "Digest realm=\"x\"",
    ] {
        let server = Realm::new(text).unwrap();
        let server = server.with_opaque(text).unwrap().with_domain(text).unwrap();
        let service = Service::new(server);
        for value in service.challenges() {
            let challenge = digest_challenge(&value);
            assert_eq!(challenge.realm, text);
            assert_eq!(challenge.opaque.unwrap(), text);
            assert_eq!(challenge.domain.unwrap(), text);
            assert!(!challenge.stale);
        }
        // The realm of the hash is the one without the escapes.
        let mut answer = service.answer();
        answer.realm = text.to_owned();
        let header = answer.header();
        let target = answer.target();
        let attempt = service.begin(&header, &target);
        let proof = attempt
            .unwrap()
            .verify_password(Some(()), |()| (USER, PASSWORD));
        assert!(proof.is_ok());
    }
}

/// curl 2a2a2e5d: a parameter was looked for by its name, and found inside the value of another.
#[test]
fn curl_2a2a2e5d_a_name_inside_a_value_is_text() {
    let service = service();
    for user in [
        r#"x", realm="other"#,
        "realm=other, nonce=y",
        r#"Mufasa", response="0"#,
        "a,b=c",
    ] {
        let mut answer = service.answer();
        answer.user = user.to_owned();
        let header = answer.header();
        let target = answer.target();
        let attempt = service.begin(&header, &target);
        let attempt = attempt.unwrap();
        assert_eq!(attempt.claimed_user().name(), Some(user));
        let proof = attempt.verify_password(Some(user), |user| (user, PASSWORD));
        let grant = proof.unwrap().dangerous_skip_replay_check();
        assert_eq!(grant.claimed_user().name(), Some(user));
    }
}

/// curl f206d6c0, libmicrohttpd: values went to buffers on the stack.
#[test]
fn curl_f206d6c0_values_of_64_kib() {
    let long = "x".repeat(64 * 1024);
    let service = service();
    let answer = service.answer();
    let with = |change: fn(&mut Answer, &str)| {
        let mut answer = answer.clone();
        change(&mut answer, &long);
        answer
    };
    let outcome = service.take(&with(|answer, long| answer.user = long.to_owned()));
    assert_eq!(outcome, REFUSED);
    let outcome = service.take(&with(|answer, long| answer.realm = long.to_owned()));
    assert_eq!(outcome, Err(Rejection::RealmMismatch));
    let outcome = service.take(&with(|answer, long| answer.nonce = long.to_owned()));
    assert_eq!(outcome, FOREIGN);
    let outcome = service.take(&with(|answer, long| answer.uri = long.to_owned()));
    assert_eq!(outcome, Ok(()));
    let outcome = service.take(&with(|answer, long| answer.cnonce = long.to_owned()).counted(2));
    assert_eq!(outcome, Ok(()));
    for (name, nc) in [("opaque", 3), ("unknown", 4), (&*long, 5)] {
        let header = answer.counted(nc).params().with(name, quoted(&long));
        let outcome = service.take_header(header.to_string(), &answer);
        let fits = header.to_string().len() <= MAX_VALUE_BYTES;
        assert_eq!(outcome.is_ok(), fits, "{}", name.len());
    }
    for name in ["response", "qop", "algorithm", "nc"] {
        let header = answer.params().with(name, &*long).to_string();
        assert!(service.take_header(header, &answer).is_err(), "{name}");
    }
    let header = answer.params().with("opaque", quoted(&long.repeat(2)));
    let outcome = service.take_header(header.to_string(), &answer);
    assert_eq!(syntax_error(outcome), Some("header value too long"));
    let header = crate::support::basic_header(&long, "");
    let outcome =
        Service::new(realm().with_basic(BasicOffer::Encrypted)).take_header(header, &answer);
    assert_eq!(outcome, REFUSED);
}

/// Folded lines and NUL in values, which each reader ends elsewhere.
#[test]
fn control_bytes_in_values_are_refused() {
    let service = service();
    let answer = service.answer();
    let params = answer.params();
    for byte in (0..0x20).chain([0x7f]).filter(|byte| *byte != b'\t') {
        let byte = char::from(byte);
        for (name, _) in &params.0 {
            for value in [
                format!("\"a{byte}b\""),
                format!("\"a\\{byte}b\""),
                format!("a{byte}b"),
                format!("a\r\n {byte}b"),
            ] {
                let header = params.clone().with(name, value).to_string();
                let outcome = service.take_header(&header, &answer);
                assert!(syntax_error(outcome).is_some(), "{header:?}: {outcome:?}");
            }
        }
        let header = format!("{}{byte}", answer.header());
        let outcome = service.take_header(&header, &answer);
        assert!(syntax_error(outcome).is_some(), "{header:?}: {outcome:?}");
    }
    // HTAB is no such byte, and stands for itself.
    let mut answer = service.answer();
    answer.cnonce = "a\tb".to_owned();
    assert_eq!(service.take(&answer), Ok(()));
}

/// No bound on the number of parameters.
#[test]
fn parameters_without_end_are_an_error() {
    let service = service();
    let answer = service.answer();
    let some = answer.params().0.len();
    let with_more = |count: usize| format!("{}{}", answer.header(), ",a=b".repeat(count));
    let most = MAX_PARAMS - some;
    let outcome = service.take_header(with_more(most), &answer);
    assert_eq!(outcome, Ok(()));
    for count in [most + 1, most + 2, 25_000] {
        let outcome = service.take_header(with_more(count), &answer);
        assert_eq!(syntax_error(outcome), Some("too many parameters"));
    }
    let outcome = service.take_header(with_more(100_000), &answer);
    assert_eq!(syntax_error(outcome), Some("header value too long"));
}

/// A parameter twice: some readers take the first, others the last.
#[test]
fn curl_test_1437_a_parameter_twice_is_an_error() {
    let service = service();
    let answer = service.answer();
    for (name, value) in &answer.params().0 {
        for name in [name.clone(), name.to_uppercase()] {
            let header = format!("{}, {name}={value}", answer.header());
            let outcome = service.take_header(&header, &answer);
            let problem = param_error(outcome).map(|(_, problem)| problem);
            assert_eq!(problem, Some("given more than once"), "{header}");
        }
    }
    let header = format!("{}, {}", answer.header(), answer.header());
    let outcome = service.take_header(header, &answer);
    assert!(syntax_error(outcome).is_some(), "{outcome:?}");
}
