//! What a policy allows, what a pin remembers, and what else a caller may ask of a client.

mod support;

use countersign::client::{
    AuthorizeError, Client, Endpoint, Exchange, GiveUp, LoginError, Next, Policy, Readiness,
    ServerProof, ServerProofError, SkipReason, Strength,
};
use countersign::digest::{BodyHasher, Ha1, HashFunction, HexDigest, QopParams, rspauth, userhash};
use countersign::{Channel, EntityBody, HeaderError, InvalidText, ParamName, ParamProblem, Target};
use support::client::{
    CHALLENGE, Dialog, PASSWORD, Said, Sent, USER, challenge, client, client_on, cnonce, home,
    skipped,
};

const BASIC: &str = r#"Basic realm="r""#;
fn on(channel: Channel, policy: Policy) -> Dialog {
    Dialog::on(channel, policy)
}

/// What a policy makes of these challenges: the answer, or why there is none.
fn answer(policy: Policy, values: &[&str]) -> Result<Sent, Vec<SkipReason>> {
    let mut dialog = Dialog::new(policy);
    match dialog.challenged(values.iter().copied()) {
        Said::Login => dialog.login(),
        next => return Err(skipped(&next).to_vec()),
    }
    Ok(dialog.send("/").expect("an answer"))
}

fn with_qop(qop: &str) -> String {
    CHALLENGE.replace("\"auth\"", &format!("\"{qop}\""))
}

fn with_algorithm(algorithm: &str) -> String {
    CHALLENGE.replace("SHA-256", algorithm)
}

#[test]
fn the_default_is_new() {
    assert_eq!(Policy::default(), Policy::new());
}

mod schemes {
    use super::*;

    #[test]
    fn basic_wants_an_encrypted_channel() {
        let mut dialog = on(Channel::Encrypted, Policy::new());
        assert_eq!(dialog.challenged([BASIC]), Said::Login);
        let mut dialog = on(Channel::Cleartext, Policy::new());
        assert_eq!(
            skipped(&dialog.challenged([BASIC])),
            [SkipReason::CleartextBasic]
        );
        // Digest does not.
        dialog.next_exchange();
        assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
    }

    #[test]
    fn with_cleartext_basic() {
        let policy = Policy::new().with_cleartext_basic();
        for channel in [Channel::Encrypted, Channel::Cleartext] {
            let mut dialog = on(channel, policy);
            assert_eq!(dialog.challenged([BASIC]), Said::Login);
            dialog.login();
            assert_eq!(dialog.send("/").unwrap().scheme, "Basic");
        }
    }

    #[test]
    fn without_basic() {
        for policy in [
            Policy::new().without_basic(),
            Policy::new().without_basic().with_cleartext_basic(),
        ] {
            for channel in [Channel::Encrypted, Channel::Cleartext] {
                let mut dialog = on(channel, policy);
                assert_eq!(skipped(&dialog.challenged([BASIC])), [SkipReason::Basic]);
                dialog.next_exchange();
                assert_eq!(dialog.challenged([BASIC, CHALLENGE]), Said::Login);
            }
        }
    }

    #[test]
    fn with_basic_sends_it_with_the_first_request() {
        let unasked = |endpoint: Endpoint| {
            let client = Client::from_seed(endpoint, Policy::new(), [7; 32]);
            client.with_preemptive_basic(USER, PASSWORD).unwrap()
        };
        let proxy = Endpoint::proxy("https", "proxy", 3128);
        let mut dialog = Dialog::of(move || unasked(proxy.clone()));
        for uri in ["/", "/a/b?c", "*", "http://example.org/"] {
            let sent = dialog.send(uri).unwrap();
            assert_eq!(
                sent.token68.as_deref(),
                Some("TXVmYXNhOkNpcmNsZSBvZiBMaWZl")
            );
            assert!(dialog.client.covers(uri.as_bytes()));
            dialog.next_exchange();
        }
        // Whatever the realm is called, a refusal is one.
        dialog.send("/");
        let refused = dialog.challenged([BASIC]);
        assert_eq!(refused, Said::WrongCredentials);
        assert_eq!(dialog.ask().realm(), b"r");

        // Another scheme is another matter.
        let mut dialog = Dialog::of(move || unasked(home()));
        assert!(dialog.send("/").is_some());
        assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
        assert_eq!(dialog.would_send_unasked("/"), None);

        // An origin's keeps to that.
        let mut dialog = Dialog::of(move || unasked(home()));
        assert_eq!(dialog.send("http://example.com/"), None);
        assert!(dialog.send("https://example.com/").is_some());
    }

    #[test]
    fn with_basic_keeps_to_the_policy() {
        for (channel, policy) in [
            (Channel::Cleartext, Policy::new()),
            (Channel::Encrypted, Policy::new().without_basic()),
            (
                Channel::Cleartext,
                Policy::new().without_basic().with_cleartext_basic(),
            ),
        ] {
            let client = client_on(channel, policy).with_preemptive_basic(USER, PASSWORD);
            assert_eq!(client.err(), Some(LoginError::BasicNotAllowed));
        }
        let policy = Policy::new().with_cleartext_basic();
        let client_too = client_on(Channel::Cleartext, policy);
        assert!(client_too.with_preemptive_basic(USER, PASSWORD).is_ok());
        let colon = client(Policy::new()).with_preemptive_basic("a:b", "c");
        let wrong = LoginError::Text(InvalidText::ColonInUsername);
        assert_eq!(colon.err(), Some(wrong));
    }
}

mod algorithms {
    use super::*;

    #[cfg(feature = "md5")]
    #[test]
    fn without_md5() {
        let md5 = with_algorithm("MD5");
        let none = CHALLENGE.replace(", algorithm=SHA-256", "");
        for value in [md5, with_algorithm("MD5-sess"), none] {
            assert!(answer(Policy::new(), &[&value]).is_ok());
            let policy = Policy::new().without_md5();
            assert_eq!(
                answer(policy, &[&value]),
                Err(vec![SkipReason::WeakAlgorithm])
            );
            let sent = answer(policy, &[&value, CHALLENGE]).unwrap();
            assert_eq!(sent.get("algorithm"), "SHA-256");
        }
    }

    #[cfg(not(feature = "md5"))]
    #[test]
    fn md5_is_recognised_and_not_supported() {
        for value in ["MD5", "MD5-sess", "md5"].map(with_algorithm) {
            let skipped = answer(Policy::new(), &[&value]).unwrap_err();
            let [SkipReason::Header(HeaderError::Param(error))] = skipped[..] else {
                panic!("{skipped:?}");
            };
            assert_eq!(error.name, ParamName::Algorithm);
            assert_eq!(error.problem, ParamProblem::Unsupported);
        }
    }

    #[test]
    fn with_floor() {
        let policy = Policy::new().with_floor(HashFunction::Sha512_256);
        let strong = with_algorithm("SHA-512-256");
        let weak = Err(vec![SkipReason::WeakAlgorithm]);
        assert_eq!(answer(policy, &[CHALLENGE]), weak);
        assert_eq!(answer(policy, &[&with_algorithm("SHA-256-sess")]), weak);
        for at_least in ["SHA-512-256", "SHA-512-256-sess"].map(with_algorithm) {
            assert!(answer(policy, &[CHALLENGE, &at_least]).is_ok());
        }
        let policy = Policy::new().with_floor(HashFunction::Sha256);
        assert!(answer(policy, &[CHALLENGE]).is_ok());
        // A floor is not lowered again.
        let policy = policy
            .with_floor(HashFunction::Sha512_256)
            .with_floor(HashFunction::Sha256);
        assert_eq!(answer(policy, &[CHALLENGE]), weak);
        let policy = Policy::new().with_floor(HashFunction::Sha256);
        // It is under hashes, and Basic has none.
        assert_eq!(answer(policy, &[BASIC]).unwrap().scheme, "Basic");
        assert!(answer(policy, &[&strong]).is_ok());
    }

    /// Stronger or weaker: whoever has an HA1 of one hash can use no other.
    #[test]
    fn require_hash() {
        for (only, name, other) in [
            (HashFunction::Sha256, "SHA-256", "SHA-512-256"),
            (HashFunction::Sha512_256, "SHA-512-256", "SHA-256"),
        ] {
            let policy = Policy::new().require_hash(only);
            for sess in ["", "-sess"] {
                let [name, other] =
                    [name, other].map(|name| with_algorithm(&format!("{name}{sess}")));
                assert_eq!(answer(policy, &[&other]), Err(vec![SkipReason::OtherHash]));
                let chosen = answer(policy, &[&other, &name]).unwrap();
                assert_eq!(chosen, answer(policy, &[&name]).unwrap());
            }
            // Basic has none.
            assert_eq!(answer(policy, &[BASIC]).unwrap().scheme, "Basic");
        }
        // It does not lower a floor.
        let policy = Policy::new().with_floor(HashFunction::Sha512_256);
        let skipped = answer(policy.require_hash(HashFunction::Sha256), &[CHALLENGE]);
        assert_eq!(skipped, Err(vec![SkipReason::WeakAlgorithm]));
    }

    #[test]
    fn without_sess_algorithms() {
        let policy = Policy::new().without_sess_algorithms();
        let session = with_algorithm("SHA-512-256-sess");
        assert!(answer(Policy::new(), &[&session]).is_ok());
        let skipped = answer(policy, &[&session]);
        assert_eq!(skipped, Err(vec![SkipReason::SessionAlgorithm]));
        let sent = answer(policy, &[&session, CHALLENGE]).unwrap();
        assert_eq!(sent.get("algorithm"), "SHA-256");
    }

    #[test]
    fn what_is_equal_stays_in_the_servers_order() {
        for (first, second) in [
            ("SHA-256", "SHA-256"),
            ("SHA-256", "SHA-256-sess"),
            ("SHA-256-sess", "SHA-256"),
            ("SHA-512-256-sess", "SHA-512-256"),
        ] {
            let first = with_algorithm(first);
            let second = with_algorithm(second).replace("n1", "n2");
            let sent = answer(Policy::new(), &[&first, &second]).unwrap();
            assert_eq!(sent.get("nonce"), "n1");
        }
    }

    /// A peer may make the session key anew for each request, or keep that of the first: with one
    /// cnonce it is the same.
    #[test]
    fn a_session_keeps_its_cnonce_for_as_long_as_its_nonce() {
        let value = with_algorithm("SHA-256-sess");
        let mut dialog = Dialog::logged_in(Policy::new(), &value);
        let mut cnonces = Vec::new();
        for info in ["", "", r#"nextnonce="n2""#, ""] {
            let sent = dialog.send("/").unwrap();
            assert!(sent.is_right(USER, PASSWORD, &Target::new("GET", "/")));
            cnonces.push(sent.get("cnonce").to_owned());
            dialog.accepted(info).unwrap();
            dialog.next_exchange();
        }
        assert_eq!(cnonces, ["c1", "c1", "c1", "c4"]);
        // Others have one a request.
        let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
        for cnonce in ["c1", "c2"] {
            assert_eq!(dialog.send("/").unwrap().get("cnonce"), cnonce);
        }
    }
}

mod forms {
    use super::*;

    fn response(ha1: &Ha1, nonce: &str, protection: Option<&QopParams<'_>>) -> HexDigest {
        let ha2 = countersign::digest::ha2(HashFunction::Sha256, "GET", "/", None);
        countersign::digest::response(ha1, nonce, protection, &ha2)
    }

    #[test]
    fn with_rfc2069() {
        let value = CHALLENGE.replace(", qop=\"auth\"", "");
        assert_eq!(
            answer(Policy::new(), &[&value]),
            Err(vec![SkipReason::Rfc2069])
        );
        let policy = Policy::new().with_rfc2069();
        let sent = answer(policy, &[&value]).unwrap();
        assert_eq!(sent.param("qop"), None);
        let ha1 = Ha1::new(HashFunction::Sha256, USER, "r", PASSWORD);
        let expected = response(&ha1, "n1", None);
        assert_eq!(sent.get("response"), expected.as_str());
        // Of two that are as strong, the one with a qop.
        for order in [[&*value, CHALLENGE], [CHALLENGE, &*value]] {
            assert_eq!(answer(policy, &order).unwrap().get("qop"), "auth");
        }
        // It counts for more than a stronger hash,
        let strong = value.replace("SHA-256", "SHA-512-256");
        let sent = answer(policy, &[&strong, CHALLENGE]).unwrap();
        assert_eq!(sent.get("algorithm"), "SHA-256");
        // even where that is the weakest.
        #[cfg(feature = "md5")]
        for order in [
            [&*value, &with_algorithm("MD5")],
            [&with_algorithm("MD5"), &value],
        ] {
            let sent = answer(policy, &order).unwrap();
            assert_eq!((sent.get("algorithm"), sent.get("qop")), ("MD5", "auth"));
        }
    }

    #[test]
    fn with_uncounted_form() {
        let policy = Policy::new().with_uncounted_form();
        let mut dialog = Dialog::logged_in(policy, CHALLENGE);
        let sent = dialog.send("/").unwrap();
        for (name, value) in [("qop", "auth"), ("nc", "00000001"), ("cnonce", "c1")] {
            assert_eq!(sent.get(name), value);
        }
        let ha1 = Ha1::new(HashFunction::Sha256, USER, "r", PASSWORD);
        let uncounted = response(&ha1, "n1", None);
        let protection = QopParams::new("auth", "00000001", "c1").unwrap();
        assert_eq!(sent.get("response"), uncounted.as_str());
        // The server proves itself in the same form.
        let proof = |protection| {
            let proof = rspauth(&ha1, "n1", protection, "/", None);
            format!("rspauth=\"{}\"", proof.as_str())
        };
        assert_eq!(dialog.accepted(&proof(None)), Ok(ServerProof::Valid));
        dialog.send("/");
        let counted = dialog.accepted(&proof(Some(&protection)));
        assert_eq!(counted, Err(ServerProofError::Wrong));

        let usual = answer(Policy::new(), &[CHALLENGE]).unwrap();
        let counted = response(&ha1, "n1", Some(&protection));
        assert_eq!(usual.get("response"), counted.as_str());
    }

    /// An answer in the uncounted form over a body is also one for another request-target: the hash
    /// of the body would do as the end of that.
    #[test]
    fn with_uncounted_form_no_body_is_covered() {
        let uncounted = [
            Policy::new().with_uncounted_form(),
            Policy::new().prefer_auth_int().with_uncounted_form(),
            Policy::new().with_uncounted_form().prefer_auth_int(),
        ];
        for policy in uncounted {
            for offered in ["auth", "auth,auth-int"] {
                let sent = answer(policy, &[&with_qop(offered)]).unwrap();
                assert_eq!(sent.get("qop"), "auth", "{offered}");
                let dialog = Dialog::logged_in(policy, &with_qop(offered));
                assert_eq!(dialog.client.readiness("/"), Readiness::Answer);
            }
            let only = with_qop("auth-int");
            let skipped = answer(policy, &[&only]);
            assert_eq!(skipped, Err(vec![SkipReason::OverviewAuthInt]));
            assert!(answer(policy, &[&only, CHALLENGE]).is_ok());
        }
        let legacy = CHALLENGE.replace(", qop=\"auth\"", "");
        for policy in uncounted.map(Policy::require_auth_int) {
            for offered in ["auth", "auth-int", "auth,auth-int"] {
                let skipped = answer(policy, &[&with_qop(offered)]);
                assert_eq!(skipped, Err(vec![SkipReason::OverviewAuthInt]), "{offered}");
            }
            let skipped = answer(policy.with_rfc2069(), &[&legacy]);
            assert_eq!(skipped, Err(vec![SkipReason::NoAuthInt]));
        }
        assert!(answer(uncounted[0].with_rfc2069(), &[&legacy]).is_ok());
    }

    #[test]
    fn with_quoted_qop() {
        let quoted = Policy::new().with_quoted_qop();
        let quoted = answer(quoted, &[CHALLENGE]).unwrap();
        let usual = answer(Policy::new(), &[CHALLENGE]).unwrap();
        assert_eq!(quoted.params, usual.params);
        assert!(quoted.text().contains(r#"qop="auth""#));
        assert!(usual.text().contains("qop=auth,"));
    }
}

mod auth_int {
    use super::*;

    const BODY: &[u8] = b"a=1";

    fn hashed(hash: HashFunction) -> HexDigest {
        let mut hasher = BodyHasher::new(hash);
        hasher.update(b"a=");
        hasher.update(b"1");
        hasher.finish()
    }

    /// The qop of the answer, by what is offered and what is known of the body.
    fn qop(policy: Policy, offered: &str, body: EntityBody<'_>) -> Result<String, AuthorizeError> {
        let mut dialog = Dialog::logged_in(policy, &with_qop(offered));
        let target = Target::new("POST", "/").with_body(body);
        let answer =
            dialog
                .client
                .authorize_with_cnonce(&mut dialog.exchange, &target, &cnonce("c"))?;
        let sent = Sent::read(answer.expect("logged in").as_bytes());
        let known = Target::new("POST", "/").with_body(EntityBody::Bytes(BODY));
        assert!(sent.is_right(USER, PASSWORD, &known));
        Ok(sent.get("qop").to_owned())
    }

    #[test]
    fn by_policy_offer_and_body() {
        let (sha256, sha512) = (
            hashed(HashFunction::Sha256),
            hashed(HashFunction::Sha512_256),
        );
        let whole = EntityBody::Bytes(BODY);
        let right = EntityBody::Hashed(sha256);
        let wrong = EntityBody::Hashed(sha512);
        let needed = Err(AuthorizeError::BodyNeeded(HashFunction::Sha256));
        let is = |qop: &str| Ok(qop.to_owned());
        let last_resort = Policy::new();
        let preferred = Policy::new().prefer_auth_int();
        // What is required stays so.
        let required = Policy::new().require_auth_int().prefer_auth_int();
        for (policy, offered, body, expected) in [
            (last_resort, "auth", whole, is("auth")),
            (last_resort, "auth,auth-int", whole, is("auth")),
            (last_resort, "auth-int", whole, is("auth-int")),
            (last_resort, "auth-int", right, is("auth-int")),
            (last_resort, "auth-int", wrong, needed.clone()),
            (last_resort, "auth-int", EntityBody::Unknown, needed.clone()),
            (preferred, "auth", whole, is("auth")),
            (preferred, "auth,auth-int", whole, is("auth-int")),
            (preferred, "auth,auth-int", right, is("auth-int")),
            (preferred, "auth,auth-int", wrong, is("auth")),
            (preferred, "auth,auth-int", EntityBody::Unknown, is("auth")),
            (preferred, "auth-int", EntityBody::Unknown, needed.clone()),
            (required, "auth,auth-int", whole, is("auth-int")),
            (required, "auth,auth-int", right, is("auth-int")),
            (required, "auth,auth-int", wrong, needed.clone()),
            (
                required,
                "auth,auth-int",
                EntityBody::Unknown,
                needed.clone(),
            ),
            (required, "auth-int", EntityBody::Unknown, needed),
        ] {
            let found = qop(policy, offered, body);
            assert_eq!(found, expected, "{policy:?} {offered} {body:?}");
        }
    }

    #[test]
    fn required_skips_what_does_not_offer_it() {
        let policy = Policy::new().require_auth_int();
        assert_eq!(
            answer(policy, &[CHALLENGE]),
            Err(vec![SkipReason::NoAuthInt])
        );
        let legacy = CHALLENGE.replace(", qop=\"auth\"", "");
        let skipped = answer(policy.with_rfc2069(), &[&legacy]);
        assert_eq!(skipped, Err(vec![SkipReason::NoAuthInt]));
        // A weaker one that does is better than a stronger one that does not.
        let strong = with_algorithm("SHA-512-256");
        let sent = answer(policy, &[&strong, &with_qop("auth-int")]).unwrap();
        assert_eq!(sent.get("algorithm"), "SHA-256");
    }

    #[test]
    fn an_unknown_body_costs_no_count() {
        let mut dialog = Dialog::logged_in(Policy::new(), &with_qop("auth-int"));
        let unknown = Target::new("POST", "/");
        for _ in 0..3 {
            let answer =
                dialog
                    .client
                    .authorize_with_cnonce(&mut dialog.exchange, &unknown, &cnonce("c"));
            assert_eq!(
                answer.err(),
                Some(AuthorizeError::BodyNeeded(HashFunction::Sha256))
            );
            assert!(dialog.exchange.answer().is_none());
        }
        let sent = dialog.send("/").unwrap();
        assert_eq!(sent.get("nc"), "00000001");
    }

    /// Nor does a value that is too long.
    #[test]
    fn a_value_that_is_too_long_costs_no_count() {
        let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
        let long = "/".repeat(countersign::MAX_VALUE_BYTES);
        let long = Target::new("GET", &long);
        for asked in [true, false] {
            if !asked {
                dialog.next_exchange();
            }
            let answer =
                dialog
                    .client
                    .authorize_with_cnonce(&mut dialog.exchange, &long, &cnonce("c"));
            match asked {
                true => assert_eq!(answer.err(), Some(AuthorizeError::TooLong)),
                false => assert!(matches!(answer, Ok(None))),
            }
        }
        assert_eq!(dialog.send("/").unwrap().get("nc"), "00000001");
    }

    /// Where the server has not asked, it is given the chance to ask for something else.
    #[test]
    fn an_unknown_body_is_no_error_unasked() {
        let mut dialog = Dialog::logged_in(Policy::new(), &with_qop("auth-int"));
        let unknown = Target::new("POST", "/");
        dialog.next_exchange();
        assert!(dialog.send_target(&unknown).is_none());
        // It is told ahead, and a body that is known is covered.
        let over = Readiness::AnswerOverBody(HashFunction::Sha256);
        assert_eq!(dialog.client.readiness("/"), over);
        assert_eq!(dialog.send("/").unwrap().get("nc"), "00000001");
        // Nor is it an error in an exchange that was asked for other credentials, or by a proxy.
        let endpoint = Endpoint::proxy("https", "example.com", 443);
        let mut proxy = Dialog::at(&endpoint, Policy::new());
        assert_eq!(proxy.challenged([&with_qop("auth-int")]), Said::Login);
        dialog.exchange = proxy.exchange;
        assert!(dialog.send_target(&unknown).is_none());
    }

    /// That the server asked is not forgotten meanwhile.
    #[test]
    fn an_unknown_body_can_be_given_later() {
        let value = with_qop("auth-int") + r#", domain="/in""#;
        let mut dialog = Dialog::logged_in(Policy::new(), &value);
        let post = Target::new("POST", "/out");
        let answer = dialog
            .client
            .authorize_with_cnonce(&mut dialog.exchange, &post, &cnonce("c"));
        assert_eq!(
            answer.err(),
            Some(AuthorizeError::BodyNeeded(HashFunction::Sha256))
        );
        let post = post.with_body(EntityBody::Bytes(BODY));
        assert!(dialog.send_target(&post).is_some());
        // Once.
        assert!(dialog.send_target(&post).is_none());
    }

    #[test]
    fn preferred_it_decides_between_equals() {
        let (auth, both) = (CHALLENGE, &*with_qop("auth,auth-int").replace("n1", "n2"));
        for (policy, nonces) in [
            (Policy::new(), ["n1", "n2"]),
            (Policy::new().prefer_auth_int(), ["n2", "n2"]),
        ] {
            for (order, nonce) in [[auth, both], [both, auth]].iter().zip(nonces) {
                assert_eq!(answer(policy, order).unwrap().get("nonce"), nonce);
            }
        }
    }

    /// The response to a request with a body has one of its own, which the proof covers.
    #[test]
    fn the_servers_proof_covers_its_body() {
        let ha1 = Ha1::new(HashFunction::Sha256, USER, "r", PASSWORD);
        let protection = QopParams::new("auth-int", "00000001", "c1").unwrap();
        let body = hashed(HashFunction::Sha256);
        let proof = rspauth(&ha1, "n1", Some(&protection), "/", Some(&body));
        let info = [format!("rspauth=\"{}\"", proof.as_str())];
        let other = hashed(HashFunction::Sha512_256);
        for (policy, body, expected) in [
            (
                Policy::new(),
                EntityBody::Bytes(BODY),
                Ok(ServerProof::Valid),
            ),
            (
                Policy::new(),
                EntityBody::Hashed(body),
                Ok(ServerProof::Valid),
            ),
            (
                Policy::new(),
                EntityBody::Bytes(b"a=2"),
                Err(ServerProofError::Wrong),
            ),
            (
                Policy::new(),
                EntityBody::Unknown,
                Ok(ServerProof::Unchecked),
            ),
            (
                Policy::new(),
                EntityBody::Hashed(other),
                Ok(ServerProof::Unchecked),
            ),
            (
                Policy::new().require_server_proof(),
                EntityBody::Unknown,
                Err(ServerProofError::Missing),
            ),
            (
                Policy::new().require_server_proof(),
                EntityBody::Bytes(BODY),
                Ok(ServerProof::Valid),
            ),
        ] {
            let mut dialog = Dialog::logged_in(policy, &with_qop("auth-int"));
            dialog.send("/").unwrap();
            let found = dialog.client.accepted(&mut dialog.exchange, &info, body);
            assert_eq!(found, expected, "{body:?}");
        }
    }
}

mod names {
    use super::*;

    fn login(policy: Policy, value: &str, user: &str, password: &str) -> Result<Sent, LoginError> {
        let mut dialog = Dialog::new(policy);
        assert_eq!(dialog.challenged([value]), Said::Login);
        dialog.login_as(user, password)?;
        Ok(dialog.send("/").unwrap())
    }

    /// Whoever keeps the HA1 sends what whoever has the password sends.
    #[test]
    fn an_ha1_is_as_good_as_the_password() {
        let target = Target::new("GET", "/").with_body(EntityBody::Bytes(b""));
        for algorithm in ["SHA-256", "SHA-256-sess", "SHA-512-256"] {
            for more in ["", ", userhash=true"] {
                for (user, password) in [(USER, PASSWORD), ("Jäsøn", "Secret, or not?")] {
                    let value = with_algorithm(algorithm) + more;
                    let expected = login(Policy::new(), &value, user, password).unwrap();
                    let mut dialog = Dialog::new(Policy::new());
                    assert_eq!(dialog.challenged([&value]), Said::Login);
                    let hash = dialog.ask().hash_function().unwrap();
                    let ha1 = Ha1::new(hash, user, dialog.ask().realm(), password);
                    dialog.login_with_ha1(user, &ha1).unwrap();
                    assert_eq!(dialog.ask().hash_function(), Some(hash));
                    let sent = dialog.send("/").unwrap();
                    assert_eq!(sent, expected);
                    assert!(sent.is_right(user, password, &target));
                }
            }
        }
        // Of a password that is no text.
        let ha1 = Ha1::new(HashFunction::Sha256, USER, "r", b"\xff\0");
        let mut dialog = Dialog::new(Policy::new());
        assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
        dialog.login_with_ha1(USER, &ha1).unwrap();
        assert!(dialog.send("/").unwrap().is_right(USER, b"\xff\0", &target));
    }

    #[test]
    fn an_ha1_that_does_not_serve_changes_nothing() {
        let ha1 = Ha1::new(HashFunction::Sha512_256, "Scar", "r", "Be prepared");
        for (value, error, hash) in [
            (CHALLENGE, LoginError::OtherHash, Some(HashFunction::Sha256)),
            (BASIC, LoginError::PasswordNeeded, None),
        ] {
            let mut dialog = Dialog::new(Policy::new());
            assert_eq!(dialog.challenged([value]), Said::Login);
            assert_eq!(dialog.ask().hash_function(), hash);
            for ready in [false, true] {
                if ready {
                    dialog.login();
                }
                let before = dialog.would_send("/");
                assert_eq!(dialog.login_with_ha1("Scar", &ha1), Err(error));
                assert_eq!(dialog.would_send("/"), before);
                assert_eq!(before.is_some(), ready);
            }
        }
        let control = Ha1::new(HashFunction::Sha256, "a\nb", "r", "p");
        let mut dialog = Dialog::new(Policy::new());
        assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
        assert_eq!(
            dialog.login_with_ha1("a\nb", &control),
            Err(LoginError::Text(InvalidText::Control(1)))
        );
    }

    #[test]
    fn userhash_where_it_is_understood() {
        let value = challenge("n", ", userhash=true");
        let hashed = userhash(HashFunction::Sha256, USER, "r");
        let target = Target::new("GET", "/");
        let sent = login(Policy::new(), &value, USER, PASSWORD).unwrap();
        assert_eq!(sent.get("username"), hashed.as_str());
        assert_eq!(sent.get("userhash"), "true");
        assert!(sent.is_right(USER, PASSWORD, &target));
        for (policy, value) in [
            (Policy::new().without_userhash(), &*value),
            (Policy::new(), &challenge("n", ", userhash=false")),
            (Policy::new(), CHALLENGE),
        ] {
            let sent = login(policy, value, USER, PASSWORD).unwrap();
            assert_eq!(sent.get("username"), USER);
            assert_eq!(sent.param("userhash"), None);
            assert!(sent.is_right(USER, PASSWORD, &target));
        }
        // Then a name beyond ASCII is sent in clear, too.
        let sent = login(Policy::new().without_userhash(), &value, "ü", "p").unwrap();
        assert_eq!(sent.get("username*"), "UTF-8''%C3%BC");
    }

    #[test]
    fn utf8_and_latin_1() {
        let utf8 = challenge("n", ", charset=UTF-8");
        let target = Target::new("GET", "/");
        let latin1 = Policy::new().with_latin1();
        for (policy, value) in [
            (Policy::new(), CHALLENGE),
            (Policy::new(), &utf8),
            (latin1, &utf8),
        ] {
            let sent = login(policy, value, "ü", "é").unwrap();
            assert_eq!(sent.get("username*"), "UTF-8''%C3%BC");
            assert!(sent.is_right("ü", "é", &target));
        }
        let sent = login(latin1, CHALLENGE, "ü", "é").unwrap();
        let name = sent.params.iter().find(|(name, _)| name == "username");
        assert_eq!(name.unwrap().1, b"\xfc");
        assert!(sent.is_right(b"\xfc", b"\xe9", &target));
        let hashing = CHALLENGE.to_owned() + ", userhash=true";
        let sent = login(latin1, &hashing, "ü", "é").unwrap();
        let hashed = userhash(HashFunction::Sha256, b"\xfc", "r");
        assert_eq!(sent.get("username"), hashed.as_str());
        assert!(sent.is_right(b"\xfc", b"\xe9", &target));
        // What it does not have, and where.
        let not = |at| Err(LoginError::Text(InvalidText::NotLatin1(at)));
        assert_eq!(login(latin1, CHALLENGE, "aü€", "p"), not(3));
        assert_eq!(login(latin1, CHALLENGE, "a", "p€"), not(1));
        assert_eq!(login(latin1, BASIC, "a", "p€"), not(1));
        let basic = client(latin1).with_preemptive_basic("€", "p");
        assert_eq!(basic.err(), not(0).err());
        assert!(login(latin1, &utf8, "€", "€").is_ok());
        // ASCII is the same in both.
        let plain = login(Policy::new(), CHALLENGE, "a", "p").unwrap();
        assert_eq!(login(latin1, CHALLENGE, "a", "p").unwrap(), plain);
    }

    /// A login was once kept in the charset of the first challenge, whatever the next one named: the
    /// server compared with other bytes, and a password that was right was refused.
    #[test]
    fn another_charset_wants_another_login() {
        let policy = Policy::new().with_latin1();
        let target = Target::new("GET", "/").with_body(EntityBody::Bytes(b""));
        let latin1 = |nonce| challenge(nonce, ", stale=true");
        let utf8 = |nonce| challenge(nonce, ", stale=true, charset=UTF-8");
        let mut dialog = Dialog::new(policy);
        assert_eq!(dialog.challenged([&latin1("n1")]), Said::Login);
        dialog.login_as("ü", "é").unwrap();
        assert!(
            dialog
                .send("/")
                .unwrap()
                .is_right(b"\xfc", b"\xe9", &target)
        );
        assert_eq!(dialog.challenged([&utf8("n2")]), Said::Login);
        dialog.login_as("ü", "é").unwrap();
        assert!(dialog.send("/").unwrap().is_right("ü", "é", &target));
        dialog.accepted("").unwrap();
        // There and back.
        dialog.next_exchange();
        dialog.send("/");
        assert_eq!(dialog.challenged([&utf8("n3")]), Said::Retry);
        dialog.next_exchange();
        dialog.send("/");
        assert_eq!(dialog.challenged([&latin1("n4")]), Said::Login);
        dialog.login_as("ü", "é").unwrap();
        assert!(
            dialog
                .send("/")
                .unwrap()
                .is_right(b"\xfc", b"\xe9", &target)
        );
    }

    #[test]
    fn another_charset_of_basic_wants_another_login() {
        let utf8 = r#"Basic realm="r", charset="UTF-8""#;
        let policy = Policy::new().with_latin1();
        let mut asked = Dialog::new(policy);
        assert_eq!(asked.challenged([BASIC]), Said::Login);
        asked.login_as("ü", "é").unwrap();
        let unasked = move || client(policy).with_preemptive_basic("ü", "é").unwrap();
        for mut dialog in [asked, Dialog::of(unasked)] {
            assert_eq!(dialog.send("/").unwrap().text(), "Basic /Drp");
            assert_eq!(dialog.challenged([utf8]), Said::Login);
            dialog.login_as("ü", "é").unwrap();
            assert_eq!(dialog.send("/").unwrap().text(), "Basic w7w6w6k=");
        }
    }

    /// Nobody is asked for what is the same in each charset, or is sent in one whatever is named.
    #[test]
    fn another_charset_is_none_to_ascii_and_without_latin_1() {
        let both = [
            (Policy::new().with_latin1(), "u", "p"),
            (Policy::new(), "ü", "é"),
        ];
        for (policy, name, password) in both {
            for (first, second) in [
                (
                    CHALLENGE.to_owned(),
                    challenge("n2", ", stale=true, charset=UTF-8"),
                ),
                (
                    challenge("n1", ", charset=UTF-8"),
                    challenge("n2", ", stale=true"),
                ),
            ] {
                let mut dialog = Dialog::new(policy);
                assert_eq!(dialog.challenged([&first]), Said::Login);
                dialog.login_as(name, password).unwrap();
                dialog.send("/");
                assert_eq!(dialog.challenged([&second]), Said::Retry);
                assert!(dialog.send("/").is_some());
            }
        }
        // The next login is for the charset named last.
        let mut dialog = Dialog::new(Policy::new().with_latin1());
        assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
        dialog.login_as("u", "p").unwrap();
        dialog.send("/");
        let utf8 = challenge("n2", ", stale=true, charset=UTF-8");
        assert_eq!(dialog.challenged([&utf8]), Said::Retry);
        dialog.login_as("ü", "é").unwrap();
        dialog.next_exchange();
        assert_eq!(dialog.challenged([&utf8]), Said::Retry);
        let target = Target::new("GET", "/").with_body(EntityBody::Bytes(b""));
        assert!(dialog.send("/").unwrap().is_right("ü", "é", &target));
    }

    #[test]
    fn plain_usernames() {
        let plain = Policy::new().with_plain_usernames();
        for name in ["ü", "a\"ü\\", "plain"] {
            let sent = login(plain, CHALLENGE, name, "p").unwrap();
            assert_eq!(sent.get("username"), name);
            assert_eq!(sent.param("username*"), None);
            assert!(sent.is_right(name, "p", &Target::new("GET", "/")));
        }
        for name in ["a\nb", "ü\u{85}"] {
            assert!(login(plain, CHALLENGE, name, "p").is_err());
        }
        // What is hashed is not shown, and Latin-1 is something else.
        let hashed = challenge("n", ", userhash=true");
        let sent = login(plain, &hashed, "ü", "p").unwrap();
        assert_eq!(sent.get("userhash"), "true");
        let sent = login(plain.with_latin1(), CHALLENGE, "ü", "p").unwrap();
        let name = sent.params.iter().find(|(name, _)| name == "username");
        assert_eq!(name.unwrap().1, b"\xfc");
    }

    /// Other servers than those that know RFC 7616 take `username*` for no user name at all.
    #[test]
    #[cfg(feature = "md5")]
    fn extended_usernames_where_the_server_can_read_them() {
        let md5 = with_algorithm("MD5");
        let plain = Policy::new().with_plain_usernames();
        let extended = Policy::new().with_extended_usernames();
        for (value, by_default) in [
            (md5.clone(), false),
            (md5.replace(", algorithm=MD5", ""), false),
            (with_algorithm("MD5-sess"), false),
            (md5.clone() + ", charset=UTF-7", false),
            (md5.clone() + ", userhash=maybe", false),
            (md5.clone() + ", charset=UTF-8", true),
            (md5.clone() + ", userhash=false", true),
            (md5.clone() + ", userhash=TRUE", true),
            (CHALLENGE.to_owned(), true),
            (with_algorithm("SHA-256-sess"), true),
            (with_algorithm("SHA-512-256"), true),
        ] {
            for (policy, is_extended) in [
                (Policy::new(), by_default),
                (plain, false),
                (extended, true),
                // The last one counts.
                (plain.with_extended_usernames(), true),
                (extended.with_plain_usernames(), false),
            ] {
                let policy = policy.without_userhash();
                let sent = login(policy, &value, "ü", "p").unwrap();
                let names = match is_extended {
                    true => (None, Some("UTF-8''%C3%BC")),
                    false => (Some("ü"), None),
                };
                let found = (sent.param("username"), sent.param("username*"));
                assert_eq!(found, names, "{value}");
                assert!(sent.is_right("ü", "p", &Target::new("GET", "/")));
                // ASCII is the same in each form.
                let sent = login(policy, &value, "u", "p").unwrap();
                assert_eq!(sent.get("username"), "u");
            }
        }
        // What a charset names, or does not, counts for more.
        let sent = login(extended.with_latin1(), &md5, "ü", "p").unwrap();
        let name = sent.params.iter().find(|(name, _)| name == "username");
        assert_eq!(name.unwrap().1, b"\xfc");
    }

    /// `username*` has a form for each byte (RFC 8187).
    #[test]
    fn every_character_beyond_ascii_can_be_sent() {
        for name in [
            "ä",
            "Jäsøn Doe",
            "日本",
            "😀",
            "a\"ä\\b'%",
            "\u{ffff}",
            "\u{a0}",
        ] {
            let sent = login(Policy::new(), CHALLENGE, name, "p").unwrap();
            let Ok(countersign::Authorization::Digest(read)) =
                countersign::Authorization::parse(&sent.value)
            else {
                panic!("{}", sent.text());
            };
            assert_eq!(read.user().name(), Some(name));
            assert!(sent.is_right(name, "p", &Target::new("GET", "/")));
        }
    }

    #[test]
    fn empty_names_and_passwords_are_sent() {
        for value in [CHALLENGE, BASIC] {
            assert!(login(Policy::new(), value, "", "").is_ok());
        }
    }

    /// A refused login leaves everything as it was.
    #[test]
    fn a_login_that_fails_changes_nothing() {
        let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
        dialog.send("/");
        assert!(dialog.login_as("a\nb", "p").is_err());
        let sent = dialog.send("/").unwrap();
        assert_eq!((sent.get("username"), sent.get("nc")), (USER, "00000002"));
    }
}

mod bounds {
    use super::*;

    /// How many requests an exchange takes with a server that calls each nonce stale that was
    /// accepted before, and takes none.
    fn requests(policy: Policy) -> usize {
        let mut dialog = Dialog::logged_in(policy, CHALLENGE);
        dialog.send("/");
        dialog.accepted("").unwrap();
        dialog.next_exchange();
        for request in 1.. {
            dialog.send("/");
            let realm =
                format!(r#"Digest realm="{request}", nonce=n, qop=auth, algorithm=SHA-256"#);
            match dialog.challenged([&realm]) {
                Said::Login => dialog.login(),
                Said::Retry => {}
                end => {
                    assert_eq!(end, Said::TooManyAnswers);
                    // The first answer was none to the realm that refused it.
                    return request - 1;
                }
            }
        }
        unreachable!("it ends")
    }

    #[test]
    fn with_max_answers() {
        assert_eq!(requests(Policy::new()), 2);
        for (answers, expected) in [(0, 1), (1, 1), (2, 2), (7, 7), (254, 254)] {
            let policy = Policy::new().with_max_answers(answers);
            assert_eq!(requests(policy), expected);
        }
    }

    #[test]
    fn require_server_proof() {
        let policy = Policy::new().require_server_proof();
        let mut dialog = Dialog::logged_in(policy, CHALLENGE);
        dialog.send("/");
        assert_eq!(dialog.accepted(""), Err(ServerProofError::Missing));
        // Then its next nonce is not taken either.
        let next = dialog.accepted(r#"nextnonce="n2""#);
        assert_eq!(next, Err(ServerProofError::Missing));
        dialog.next_exchange();
        assert_eq!(dialog.send("/").unwrap().get("nonce"), "n1");
        // Whoever never asks for credentials cannot prove anything either.
        let mut dialog = Dialog::new(policy);
        dialog.send("/");
        assert_eq!(dialog.accepted(""), Err(ServerProofError::Missing));
        // Where it cannot prove itself it is not shown any credentials.
        let rfc2069 = CHALLENGE.replace(", qop=\"auth\"", "");
        for value in [BASIC, &rfc2069] {
            let policy = policy.with_rfc2069();
            assert_eq!(answer(policy, &[value]), Err(vec![SkipReason::Unproven]));
            assert!(answer(policy, &[value, CHALLENGE]).is_ok());
        }
    }

    /// The requirement counts for more, whichever is said first.
    #[test]
    fn ignore_wrong_server_proof() {
        let wrong = format!("rspauth={}, nextnonce=n2", "0".repeat(64));
        let ignoring = Policy::new().ignore_wrong_server_proof();
        for (policy, expected) in [
            (Policy::new(), Err(ServerProofError::Wrong)),
            (ignoring, Ok(ServerProof::Wrong)),
            (
                ignoring.require_server_proof(),
                Err(ServerProofError::Wrong),
            ),
            (
                Policy::new()
                    .require_server_proof()
                    .ignore_wrong_server_proof(),
                Err(ServerProofError::Wrong),
            ),
        ] {
            let mut dialog = Dialog::logged_in(policy, CHALLENGE);
            dialog.send("/");
            assert_eq!(dialog.accepted(&wrong), expected, "{policy:?}");
            // As without a proof, its nonce is taken, and the secret is right.
            let (nonce, pin) = match expected {
                Ok(_) => ("n2", Strength::DigestSha2),
                Err(_) => ("n1", Strength::Nothing),
            };
            assert_eq!(dialog.client.strength(), pin);
            dialog.next_exchange();
            assert_eq!(dialog.send("/").unwrap().get("nonce"), nonce);
        }
        // A right one is still told from it, and from what cannot be read.
        let mut dialog = Dialog::logged_in(ignoring, CHALLENGE);
        dialog.send("/");
        let ha1 = Ha1::new(HashFunction::Sha256, USER, "r", PASSWORD);
        let protection = QopParams::new("auth", "00000001", "c1").unwrap();
        let right = rspauth(&ha1, "n1", Some(&protection), "/", None);
        let right = format!("rspauth={}", right.as_str());
        assert_eq!(dialog.clone().accepted(&right), Ok(ServerProof::Valid));
        assert_eq!(dialog.clone().accepted(""), Ok(ServerProof::Absent));
        let unreadable = dialog.accepted("rspauth");
        assert!(matches!(unreadable, Ok(ServerProof::Unreadable)));
    }

    /// What a proof is made with comes back with it, and must be the client's own.
    #[test]
    fn what_comes_with_a_proof_is_checked() {
        let ha1 = Ha1::new(HashFunction::Sha256, USER, "r", PASSWORD);
        let protection = QopParams::new("auth", "00000001", "c1").unwrap();
        let proof = rspauth(&ha1, "n1", Some(&protection), "/", None);
        let proof = proof.as_str();
        let upper = proof.to_uppercase();
        for (info, expected) in [
            (format!("rspauth={proof}"), Ok(ServerProof::Valid)),
            (format!("rspauth=\"{upper}\""), Ok(ServerProof::Valid)),
            (
                format!("rspauth={proof}, qop=auth, nc=00000001, cnonce=c1"),
                Ok(ServerProof::Valid),
            ),
            (
                format!("rspauth={proof}, qop=auth-int, nc=00000001, cnonce=c1"),
                Err(ServerProofError::Wrong),
            ),
            (
                format!("rspauth={proof}, qop=auth, nc=00000002, cnonce=c1"),
                Err(ServerProofError::Wrong),
            ),
            (
                format!("rspauth={proof}, qop=auth, nc=00000001, cnonce=c2"),
                Err(ServerProofError::Wrong),
            ),
            (
                format!("rspauth={}", "0".repeat(64)),
                Err(ServerProofError::Wrong),
            ),
            // Of another hash function.
            (
                format!("rspauth={}", &proof[..32]),
                Err(ServerProofError::Wrong),
            ),
            ("x=y".to_owned(), Ok(ServerProof::Absent)),
        ] {
            let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
            dialog.send("/");
            let next = format!("{info}, nextnonce=n2");
            assert_eq!(dialog.accepted(&next), expected, "{info}");
            // A server that is not known to know the secret sets no nonce.
            dialog.next_exchange();
            let nonce = if expected.is_ok() { "n2" } else { "n1" };
            assert_eq!(dialog.send("/").unwrap().get("nonce"), nonce);
        }
    }
}

/// Why each of several challenges was skipped, in their order, on one line or more.
#[test]
fn skipped_in_order() {
    let policy = Policy::new()
        .with_floor(HashFunction::Sha512_256)
        .without_sess_algorithms()
        .require_auth_int();
    let strong = with_algorithm("SHA-512-256");
    let values = [
        "Newauth x=y",
        BASIC,
        CHALLENGE,
        &strong.replace("SHA-512-256", "SHA-512-256-sess"),
        &strong.replace(", qop=\"auth\"", ""),
        &strong,
        "Digest realm=r",
        &strong.replace("SHA-512-256", "SHA-3"),
    ];
    for values in [values.to_vec(), vec![&values.join(", ")]] {
        let next = on(Channel::Cleartext, policy).challenged(values);
        let [plain @ .., missing, unsupported] = skipped(&next) else {
            panic!("{next:?}");
        };
        assert_eq!(
            plain,
            [
                SkipReason::UnknownScheme,
                SkipReason::CleartextBasic,
                SkipReason::WeakAlgorithm,
                SkipReason::SessionAlgorithm,
                SkipReason::Rfc2069,
                SkipReason::NoAuthInt,
            ]
        );
        for (why, name, problem) in [
            (missing, ParamName::Nonce, ParamProblem::Missing),
            (unsupported, ParamName::Algorithm, ParamProblem::Unsupported),
        ] {
            let SkipReason::Header(HeaderError::Param(error)) = why else {
                panic!("{why:?}");
            };
            assert_eq!((error.name, error.problem), (name, problem));
        }
    }
    let next = Dialog::new(policy).challenged(["Digest realm=\"", CHALLENGE, "Digest =", ","]);
    assert!(matches!(
        skipped(&next),
        [
            SkipReason::Header(HeaderError::Syntax(_)),
            SkipReason::WeakAlgorithm,
            SkipReason::Header(HeaderError::Syntax(_)),
        ]
    ));
    let none: [&str; 0] = [];
    assert!(skipped(&Dialog::new(policy).challenged(none)).is_empty());
}

/// A refusal can be shown.
#[test]
fn refusals_as_text() {
    let mut cleartext = client_on(Channel::Cleartext, Policy::new());
    let next = cleartext.challenged(&mut Exchange::new(), ["Newauth", BASIC]);
    let Next::GiveUp(next) = next else {
        panic!("{next:?}")
    };
    let mut exchange = Exchange::new();
    let mut client = client(Policy::new());
    let asked = client.challenged(&mut exchange, [CHALLENGE]);
    let Next::Login(ask) = asked else {
        panic!("{asked:?}")
    };
    client.login(&ask, USER, PASSWORD).unwrap();
    client
        .authorize(&mut exchange, &Target::new("GET", "/"))
        .unwrap();
    let wrong = client.challenged(&mut exchange, [CHALLENGE]);
    let Next::GiveUp(wrong) = wrong else {
        panic!("{wrong:?}")
    };
    for (refused, text) in [
        (
            next,
            "no usable challenge: unknown scheme, Basic over a cleartext channel is not allowed \
             (but by Policy::with_cleartext_basic)",
        ),
        (
            GiveUp::NoUsableChallenge(Box::default()),
            "no usable challenge",
        ),
        (GiveUp::TooManyAnswers, "refused too often"),
        (wrong, "wrong user name or password"),
    ] {
        assert_eq!(refused.to_string(), text);
    }
}

/// Every text names a method of the policy, or of the client, that has to do with it.
#[test]
fn what_was_skipped_names_the_setting() {
    let legacy = CHALLENGE.replace(", qop=\"auth\"", "");
    let session = with_algorithm("SHA-256-sess");
    let auth_int = with_qop("auth-int");
    let policy = Policy::new;
    let usual = |policy| client(policy);
    for (client, value, settings) in [
        (
            usual(policy().without_basic()),
            BASIC,
            &["without_basic"][..],
        ),
        (
            client_on(Channel::Cleartext, policy()),
            BASIC,
            &["with_cleartext_basic"],
        ),
        (
            usual(policy().with_floor(HashFunction::Sha512_256)),
            CHALLENGE,
            &["with_floor", "without_md5"],
        ),
        (
            usual(policy().require_hash(HashFunction::Sha512_256)),
            CHALLENGE,
            &["require_hash"],
        ),
        (
            usual(policy().without_sess_algorithms()),
            &session,
            &["without_sess_algorithms"],
        ),
        (usual(policy()), &legacy, &["with_rfc2069"]),
        (
            usual(policy().require_auth_int()),
            CHALLENGE,
            &["require_auth_int"],
        ),
        (
            usual(policy().with_uncounted_form()),
            &auth_int,
            &["with_uncounted_form"],
        ),
        (
            usual(policy().require_server_proof()),
            BASIC,
            &["require_server_proof"],
        ),
        (
            usual(policy()).with_strength(Strength::DigestSha2),
            BASIC,
            &["with_strength"],
        ),
    ] {
        let mut client = client;
        let next = Said::from(&client.challenged(&mut Exchange::new(), [value]));
        let [why] = skipped(&next) else {
            panic!("{next:?}");
        };
        for setting in settings {
            assert!(why.to_string().contains(setting), "{why}: {setting}");
        }
    }
    let mut dialog = Dialog::logged_in(policy(), CHALLENGE);
    dialog.send("/");
    let wrong = dialog.accepted(&format!("rspauth={}", "0".repeat(64)));
    let wrong = wrong.unwrap_err().to_string();
    assert!(wrong.contains("ignore_wrong_server_proof"), "{wrong}");
}

/// A response for such a method could be one for another method and request-target.
#[test]
fn methods_that_are_no_tokens() {
    for value in [CHALLENGE, BASIC] {
        let logged_in = Dialog::logged_in(Policy::new(), value);
        for dialog in [&logged_in, &Dialog::new(Policy::new())] {
            for method in [
                "", "GET:http", "GET ", " GET", "GE\tT", "GET/", "G\"", "G\u{e9}T",
            ] {
                for asked in [true, false] {
                    let mut dialog = dialog.clone();
                    if !asked {
                        dialog.next_exchange();
                    }
                    let target = Target::new(method, "//h/x");
                    let made = dialog.client.authorize_with_cnonce(
                        &mut dialog.exchange,
                        &target,
                        &cnonce("c"),
                    );
                    assert_eq!(made.err(), Some(AuthorizeError::Method), "{method:?}");
                    // A request-target that cannot be sent is no less of an error.
                    let target = Target::new("GET", "/a\r\nb");
                    let made = dialog.client.authorize_with_cnonce(
                        &mut dialog.exchange,
                        &target,
                        &cnonce("c"),
                    );
                    assert!(matches!(made, Err(AuthorizeError::Target(_))));
                }
            }
        }
        for method in ["GET", "get", "M-SEARCH", "!#$%&'*+-.^_`|~09azAZ"] {
            let mut dialog = logged_in.clone();
            assert!(dialog.send_target(&Target::new(method, "/")).is_some());
        }
    }
    // Nothing was counted.
    let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
    let target = Target::new("", "/");
    let made = dialog
        .client
        .authorize_with_cnonce(&mut dialog.exchange, &target, &cnonce("c"));
    assert!(made.is_err());
    assert_eq!(dialog.send("/").unwrap().get("nc"), "00000001");
}

mod pins {
    use super::*;

    /// What was counted must stay so: whoever takes the qop out of a challenge gets no request that
    /// they could send again.
    #[test]
    fn a_challenge_with_its_qop_taken_out_is_not_answered() {
        let legacy = |nonce: &str| challenge(nonce, "").replace(", qop=\"auth\"", "");
        let policy = Policy::new().with_rfc2069();
        for more in ["", ", stale=true"] {
            let mut dialog = Dialog::logged_in(policy, CHALLENGE);
            dialog.send("/");
            dialog.accepted("").unwrap();
            dialog.next_exchange();
            dialog.send("/");
            let next = dialog.challenged([&(legacy("n2") + more)]);
            assert_eq!(skipped(&next), [SkipReason::BelowStrength]);
        }
        // Nor if that was chosen before the pin rose.
        let mut dialog = Dialog::logged_in(policy, CHALLENGE);
        dialog.send("/");
        let mut first = dialog.exchange.clone();
        dialog.next_exchange();
        assert_eq!(dialog.challenged([&legacy("n2")]), Said::Retry);
        assert!(dialog.would_send("/").is_some());
        let none: [&str; 0] = [];
        let accepted = dialog
            .client
            .accepted(&mut first, none, EntityBody::Unknown);
        assert!(accepted.is_ok());
        assert_eq!(dialog.send("/"), None);
        assert_eq!(dialog.client.readiness("/"), Readiness::BelowStrength);
        // What is counted takes its place.
        assert_eq!(dialog.challenged([&challenge("n3", "")]), Said::Retry);
        assert_eq!(dialog.send("/").unwrap().get("nonce"), "n3");
        // A device that never knew better stays what it is.
        let mut dialog = Dialog::logged_in(policy, &legacy("n1"));
        for n in 2..5 {
            assert!(dialog.send("/").is_some());
            dialog.accepted("").unwrap();
            assert_eq!(dialog.client.strength(), Strength::DigestRfc2069);
            dialog.next_exchange();
            assert_eq!(dialog.challenged([&legacy(&format!("n{n}"))]), Said::Retry);
        }
    }

    #[test]
    fn a_pin_rises_when_credentials_are_accepted() {
        let legacy = CHALLENGE.replace(", qop=\"auth\"", "");
        for (value, pin) in [
            (BASIC, Strength::Basic),
            (&*legacy, Strength::DigestRfc2069),
            #[cfg(feature = "md5")]
            (&*with_algorithm("MD5"), Strength::DigestMd5),
            (CHALLENGE, Strength::DigestSha2),
            (&*with_algorithm("SHA-512-256-sess"), Strength::DigestSha2),
        ] {
            let mut dialog = Dialog::new(Policy::new().with_rfc2069());
            assert_eq!(dialog.client.strength(), Strength::Nothing);
            // Not when they are asked for, chosen or sent.
            assert_eq!(dialog.challenged([value]), Said::Login);
            dialog.login();
            dialog.send("/");
            assert_eq!(dialog.client.strength(), Strength::Nothing);
            dialog.accepted("").unwrap();
            assert_eq!(dialog.client.strength(), pin);
            dialog.logout();
            assert_eq!(dialog.client.strength(), pin);
        }
        // Nor where the proof is wrong or none were sent.
        let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
        dialog.accepted("").unwrap();
        assert_eq!(dialog.client.strength(), Strength::Nothing);
        dialog.send("/");
        let wrong = format!("rspauth={}", "0".repeat(64));
        assert!(dialog.accepted(&wrong).is_err());
        assert_eq!(dialog.client.strength(), Strength::Nothing);
    }

    #[test]
    fn a_pin_never_falls() {
        let mut dialog = Dialog::of(|| client(Policy::new()).with_strength(Strength::DigestSha2));
        assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
        dialog.login();
        dialog.send("/");
        dialog.accepted("").unwrap();
        assert_eq!(dialog.client.strength(), Strength::DigestSha2);
    }

    /// Where it is given while weaker credentials are in use already.
    #[test]
    fn a_pin_given_late_holds_too() {
        let md5 = with_algorithm("MD5");
        for value in [BASIC, &md5] {
            if value == md5 && cfg!(not(feature = "md5")) {
                continue;
            }
            let mut dialog = Dialog::logged_in(Policy::new(), value);
            dialog.send("/").unwrap();
            assert_eq!(dialog.client.readiness("/"), Readiness::Answer);
            let weak = std::mem::replace(&mut dialog.client, client(Policy::new()));
            dialog.client = weak.with_strength(Strength::DigestSha2);
            dialog.accepted("").unwrap();
            assert_eq!(dialog.client.strength(), Strength::DigestSha2);
            // Nothing weaker is sent once more, asked for or not.
            assert_eq!(dialog.send("/"), None);
            dialog.next_exchange();
            assert_eq!(dialog.send("/"), None);
            assert_eq!(dialog.client.readiness("/"), Readiness::BelowStrength);
            // What is strong enough takes its place.
            dialog.next_exchange();
            let next = dialog.challenged([value]);
            assert_eq!(skipped(&next), [SkipReason::BelowStrength]);
            assert_eq!(dialog.challenged([value, CHALLENGE]), Said::Login);
            dialog.login();
            assert_eq!(dialog.send("/").unwrap().get("algorithm"), "SHA-256");
        }
    }

    /// Two requests at a time: the second was challenged to weaker credentials, for which the user
    /// had logged in, before the first was accepted. They were once sent nevertheless.
    #[test]
    fn nothing_is_sent_that_was_chosen_before_the_pin_rose() {
        let md5 = with_algorithm("MD5");
        for weak in [BASIC, &md5] {
            if weak == md5 && cfg!(not(feature = "md5")) {
                continue;
            }
            let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
            assert!(dialog.send("/").is_some());
            let mut first = dialog.exchange.clone();
            dialog.next_exchange();
            assert_eq!(dialog.challenged([weak]), Said::Login);
            dialog.login();
            assert!(dialog.would_send("/").is_some());
            let none: [&str; 0] = [];
            let accepted = dialog
                .client
                .accepted(&mut first, none, EntityBody::Unknown);
            assert!(accepted.is_ok());
            assert_eq!(dialog.client.strength(), Strength::DigestSha2);
            assert_eq!(dialog.send("/"), None, "{weak}");
        }
    }

    #[test]
    fn what_is_weaker_than_the_pin_is_skipped() {
        let weak = [SkipReason::BelowStrength];
        let md5 = with_algorithm("MD5");
        let md5 = Some(&*md5).filter(|_| cfg!(feature = "md5"));
        let legacy = CHALLENGE.replace(", qop=\"auth\"", "");
        // From the weakest to the strongest.
        let values = [Some(BASIC), Some(&*legacy), md5, Some(CHALLENGE)];
        for (pin, weaker) in [
            (Strength::Nothing, 0),
            (Strength::Basic, 0),
            (Strength::DigestRfc2069, 1),
            (Strength::DigestMd5, 2),
            (Strength::DigestSha2, 3),
        ] {
            let (refused, allowed) = values.split_at(weaker);
            let policy = Policy::new().with_rfc2069();
            let new = || Dialog::of(move || client(policy).with_strength(pin));
            for value in allowed.iter().flatten() {
                let next = new().challenged([value]);
                assert_eq!(next, Said::Login, "{pin} {value}");
            }
            for value in refused.iter().flatten() {
                let next = new().challenged([value]);
                assert_eq!(skipped(&next), weak, "{pin} {value}");
                let next = new().challenged([*value, CHALLENGE]);
                assert_eq!(next, Said::Login);
            }
        }
    }

    /// Who takes the Digest challenge away later gets no password.
    #[test]
    fn a_client_holds_its_server_to_its_pin() {
        let mut dialog = Dialog::logged_in(Policy::new(), CHALLENGE);
        dialog.send("/");
        dialog.accepted("").unwrap();
        dialog.next_exchange();
        dialog.send("/");
        assert_eq!(
            skipped(&dialog.challenged([BASIC])),
            [SkipReason::BelowStrength]
        );
        dialog.logout();
        assert_eq!(
            skipped(&dialog.challenged([BASIC])),
            [SkipReason::BelowStrength]
        );
    }

    #[test]
    fn pins_are_stored_as_text() {
        let pins = [
            Strength::Nothing,
            Strength::Basic,
            Strength::DigestRfc2069,
            Strength::DigestMd5,
            Strength::DigestSha2,
        ];
        for pin in pins {
            assert_eq!(pin.to_string(), pin.as_str());
            assert_eq!(pin.as_str().parse(), Ok(pin));
        }
        assert!(pins.is_sorted());
        assert_eq!(Strength::default(), Strength::Nothing);
        for other in ["", "Basic", "digest", "digest-sha2 "] {
            assert!(other.parse::<Strength>().is_err());
        }
    }
}

mod readiness {
    use super::*;

    #[test]
    fn nothing_is_known_before_a_login() {
        let mut dialog = Dialog::new(Policy::new());
        assert_eq!(dialog.client.readiness("/"), Readiness::NotLoggedIn);
        assert_eq!(dialog.challenged([CHALLENGE]), Said::Login);
        assert_eq!(dialog.client.readiness("/"), Readiness::NotLoggedIn);
        dialog.login();
        assert_eq!(dialog.client.readiness("/"), Readiness::Answer);
        // Another login drops the nonce.
        dialog.login_as("Scar", "Be prepared").unwrap();
        assert_eq!(dialog.client.readiness("/"), Readiness::NoNonce);
    }

    #[test]
    fn outside_of_the_protection_space_a_challenge_may_come() {
        let dialog = Dialog::logged_in(Policy::new(), &challenge("n", r#", domain="/in""#));
        assert_eq!(dialog.client.readiness("/in/side"), Readiness::Answer);
        assert_eq!(dialog.client.readiness("/out"), Readiness::OutsideSpace);
        let mut dialog = Dialog::logged_in(Policy::new(), BASIC);
        assert_eq!(dialog.client.readiness("/in/side"), Readiness::OutsideSpace);
        dialog.send("/in/");
        assert_eq!(dialog.client.readiness("/in/side"), Readiness::Answer);
        assert_eq!(dialog.client.readiness("/out"), Readiness::OutsideSpace);
    }

    #[test]
    fn whether_the_body_is_needed() {
        let over = Readiness::AnswerOverBody(HashFunction::Sha256);
        let rfc2069 = CHALLENGE.replace(", qop=\"auth\"", "");
        let usual = Policy::new().with_rfc2069();
        for (policy, value, expected) in [
            (usual, rfc2069.clone(), Readiness::Answer),
            (usual.prefer_auth_int(), rfc2069, Readiness::Answer),
            (usual, with_qop("auth"), Readiness::Answer),
            (usual, with_qop("auth,auth-int"), Readiness::Answer),
            (usual, with_qop("auth-int"), over),
            (usual.prefer_auth_int(), with_qop("auth"), Readiness::Answer),
            (usual.prefer_auth_int(), with_qop("auth,auth-int"), over),
            (usual.require_auth_int(), with_qop("auth,auth-int"), over),
        ] {
            let dialog = Dialog::logged_in(policy, &value);
            assert_eq!(dialog.client.readiness("/"), expected, "{value}");
        }
    }
}

#[test]
fn realm() {
    // Bytes, escapes resolved; of the challenge that was chosen.
    let values = [
        r#"Basic realm="weak""#,
        r#"Digest realm="a\"b\\", nonce=n, qop=auth, algorithm=SHA-256"#,
    ];
    let mut dialog = Dialog::new(Policy::new());
    assert_eq!(dialog.challenged(values), Said::Login);
    assert_eq!(dialog.ask().realm(), br#"a"b\"#);
    assert_eq!(dialog.ask().realm_text(), r#"a"b\"#);
    let mut dialog = Dialog::new(Policy::new());
    assert_eq!(
        dialog.challenged([&b"Basic realm=\"\xfc\""[..]]),
        Said::Login
    );
    assert_eq!(dialog.ask().realm(), b"\xfc");
    assert_eq!(dialog.ask().realm_text(), "\u{fffd}");
    // None is the empty one.
    let mut dialog = Dialog::new(Policy::new());
    assert_eq!(dialog.challenged(["Basic"]), Said::Login);
    assert_eq!(dialog.ask().realm(), b"");
}

#[test]
fn logout() {
    for value in [BASIC, CHALLENGE] {
        let mut dialog = Dialog::logged_in(Policy::new(), value);
        assert!(dialog.send("/").is_some());
        dialog.logout();
        assert_eq!(dialog.send("/"), None);
        assert!(!dialog.client.covers("/"));
        assert_eq!(dialog.client.readiness("/"), Readiness::NotLoggedIn);
        let login = dialog.login_as(USER, PASSWORD);
        assert_eq!(login, Err(LoginError::Superseded));
        // An answer that is still under way is taken, and says nothing.
        assert_eq!(dialog.challenged([value]), Said::Login);
    }
}

#[test]
fn a_proxy_is_asked_for_every_target() {
    let proxy = Endpoint::proxy("https", "proxy", 3128);
    for value in [&challenge("n", r#", domain="/in""#), BASIC] {
        let mut dialog = Dialog::at(&proxy, Policy::new());
        assert_eq!(dialog.challenged([value]), Said::Login);
        dialog.login();
        assert!(dialog.send("http://example.org/in/a").is_some());
        dialog.next_exchange();
        for uri in ["/", "*", "http://example.net/", "example.com:443"] {
            assert!(dialog.client.covers(uri), "{uri}");
            assert!(dialog.send(uri).is_some(), "{uri}");
        }
    }
}

#[test]
fn an_origin_is_asked_for_its_own_targets() {
    let absolute = challenge("n", r#", domain="https://example.com/in""#);
    let sip = Endpoint::origin("sips", "example.com", None).unwrap();
    // A SIP URI names no origin.
    for (endpoint, elsewhere) in [(home(), false), (sip, true)] {
        let mut dialog = Dialog::at(&endpoint, Policy::new());
        assert_eq!(dialog.challenged([&absolute]), Said::Login);
        dialog.login();
        assert!(dialog.client.covers("/in/side"));
        assert!(dialog.client.covers("https://example.com/in/side"));
        assert!(!dialog.client.covers("/out"));
        let uri = "https://example.org/in/side";
        assert_eq!(dialog.client.covers(uri), elsewhere);
        assert_eq!(dialog.send(uri).is_some(), elsewhere);
    }
}
