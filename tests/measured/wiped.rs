//! What is freed holds no secret any more.

use countersign::client::{Account, Client, Endpoint, Exchange, Field, Next, Policy};
use countersign::digest::{Algorithm, BodyHasher, Ha1, HashFunction, QopSet};
use countersign::server::NonceKeys;
use countersign::{Authorization, EntityBody, FieldValue, Target, challenges};

use crate::allocator::{found, found_during};
use crate::support::server::{Answer, Service, ha1, realm};

/// Overwrites what calls before this one left on the stack.
///
/// Without optimisation a `None` is moved as a whole, with the bytes that lay where its value would
/// be: with another layout of the stack these were an HA1 now and then.
#[inline(never)]
fn overwrite_stack() {
    std::hint::black_box([0_u8; 64 * 1024]);
}

const CHALLENGE: &str = r#"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#;

/// A client that has logged in after this challenge.
fn logged_in(challenge: &str, seed: [u8; 32]) -> (Box<Client>, Box<Exchange>) {
    let endpoint = Endpoint::origin("https", "example.com", None).unwrap();
    let mut client = Box::new(Client::from_seed(endpoint, Policy::new(), seed));
    let mut exchange = Box::new(Exchange::new());
    let Next::Login(ask) = client.challenged(&mut exchange, challenges([challenge])) else {
        panic!("nobody has logged in");
    };
    let account = Account::new("Mufasa", "Circle of Life").with_basic();
    client.login(&ask, &account).unwrap();
    (client, exchange)
}

fn answer(client: &mut Client, exchange: &mut Exchange) -> FieldValue {
    let answer = client.authorize(exchange, &Target::new("GET", "/"));
    answer.map(Field::for_new_request).unwrap().unwrap().clone()
}

/// 128 bits of the HA1 of the login.
fn secret(hash: HashFunction) -> Vec<u8> {
    let ha1 = Ha1::new(hash, "Mufasa", "r", "Circle of Life");
    ha1.as_hex().as_bytes()[..32].to_vec()
}

#[test]
fn the_search_finds_what_is_not_wiped() {
    for (text, count) in [(*b"the Circle of Life", 1), (*b"the circle of life", 0)] {
        assert_eq!(found(b"Circle of Life", Box::new(text)), count);
    }
}

#[test]
fn a_client_leaves_no_ha1() {
    for &algorithm in Algorithm::ALL {
        for answers in 0..3 {
            // Of the HA1s of this test.
            overwrite_stack();
            let challenge = CHALLENGE.replace("SHA-256", algorithm.as_str());
            let (mut client, mut exchange) = logged_in(&challenge, [7; 32]);
            for _ in 0..answers {
                overwrite_stack();
                answer(&mut client, &mut exchange);
            }
            let ha1 = secret(algorithm.hash_function());
            assert_eq!(found(&ha1, client), 0, "{algorithm}, {answers} answers");
            assert_eq!(found(&ha1, exchange), 0, "{algorithm}, {answers} answers");
        }
    }
}

/// Both tell the cnonces to come.
#[test]
fn a_client_leaves_neither_its_seed_nor_unused_cnonces() {
    // The first eight bytes make ids and the last eight the first cnonce. Both are then zero.
    let seed = *b"\0\0\0\0\0\0\0\x0016 random bytes.in clear";
    let mut key = seed;
    key[24..].fill(0);
    let used = || {
        let (mut client, mut exchange) = logged_in(CHALLENGE, seed);
        let answers = [(); 2].map(|()| answer(&mut client, &mut exchange));
        let [_, second] = answers;
        (client, second)
    };
    assert_eq!(found(&key[8..24], used().0), 0);
    let mut was_used = false;
    for counter in 0..4_u64 {
        let mut hasher = BodyHasher::new(HashFunction::Sha256);
        hasher.update(&key);
        hasher.update(&counter.to_le_bytes());
        let block = hasher.finish().to_string();
        let (client, answer) = used();
        was_used |= String::from_utf8_lossy(answer.as_bytes()).contains(&block[48..]);
        assert_eq!(found(&block.as_bytes()[..48], client), 0, "block {counter}");
    }
    assert!(was_used);
}

/// A login that was refused, replaced or forgotten is gone before the client is.
#[test]
fn a_client_leaves_no_ha1_of_a_login_that_ended() {
    type End = fn(&mut Client, &mut Exchange);
    let ends: [(&str, End); 3] = [
        ("refused", |client, exchange| {
            let next = client.challenged(exchange, challenges([CHALLENGE]));
            assert!(matches!(next, Next::GiveUp(_)), "{next:?}");
        }),
        ("logged out", |client, _| client.logout()),
        ("made anew", |client, exchange| {
            let other = CHALLENGE.replace("algorithm=", "algorithm=SHA-512-256, x=");
            let next = client.challenged(exchange, challenges([&other]));
            assert!(matches!(next, Next::Login(_)), "{next:?}");
        }),
    ];
    for (name, end) in ends {
        let (mut client, mut exchange) = logged_in(CHALLENGE, [7; 32]);
        answer(&mut client, &mut exchange);
        overwrite_stack();
        end(&mut client, &mut exchange);
        let ha1 = secret(HashFunction::Sha256);
        assert_eq!(found(&ha1, exchange), 0, "{name}");
        assert_eq!(found(&ha1, client), 0, "{name}");
    }
}

#[test]
fn a_body_that_ends_early_leaves_nothing() {
    for hash in [HashFunction::Sha256, HashFunction::Sha512_256] {
        let mut hasher = Box::new(BodyHasher::new(hash));
        hasher.update(b"password=Circle of Life");
        assert_eq!(found(b"Circle of Life", hasher), 0, "{hash:?}");
    }
}

/// What a server keeps beyond a request: the key of the proof, which is as good as the password.
#[test]
fn a_receipt_leaves_no_key() {
    for &algorithm in Algorithm::ALL {
        let realm = realm().with_algorithms(&[algorithm]);
        let service = Service::new(realm.with_qop(QopSet::BOTH));
        let hash = algorithm.hash_function();
        let receipt = |cnonce: &str| {
            let answer = Answer {
                algorithm,
                qop: Some("auth-int"),
                cnonce: cnonce.to_owned(),
                ..service.answer()
            };
            let header = answer.header();
            let grant = service.grant(&header, &answer.target()).unwrap();
            let value = grant.authentication_info(EntityBody::Empty).unwrap();
            (grant.into_parts().1, value)
        };
        // In boxes that held another before, and so nothing of this one but what is put into them.
        let (_, first_value) = receipt("first");
        let mut value: Box<FieldValue> = Box::new(first_value);
        let (receipt, second_value) = receipt("second");
        *value = second_value;
        let proof = receipt.authentication_info(EntityBody::Empty);
        assert_eq!(proof.as_ref(), Some(&*value), "it has the key");
        let ha1 = ha1(hash);
        let key = &ha1.as_hex().as_bytes()[..32];
        assert_eq!(found_during(key, || drop(receipt)), 0, "{algorithm}");
        let shown = value.to_str().unwrap().to_owned();
        assert!(shown.contains("rspauth"));
        assert_eq!(found(shown.as_bytes(), value), 0, "{algorithm}");
    }
}

#[test]
fn a_nonce_key_leaves_nothing() {
    let bytes = *b"thirty-two bytes of a server key";
    let digits = bytes.map(|byte| format!("{byte:02x}")).concat();
    let mut keys = Box::new("00".repeat(32).parse::<NonceKeys>().unwrap());
    *keys = digits.parse().unwrap();
    assert_eq!(found(&bytes, keys), 0);
}

/// A buffer that grows would leave a copy of what was written before.
#[test]
fn written_credentials_of_another_scheme_leave_no_token() {
    let token = "mF_9.B5f-4.1JqM".repeat(5);
    for value in [
        format!("Bearer {token}"),
        format!("Bearer token={token}, a=b, c=d"),
        format!(r#"Bearer a=b, realm={token}, token="\{token}\"", c="d""#),
    ] {
        let Ok(Authorization::Other(credentials)) = Authorization::parse(&value) else {
            panic!("cannot parse {value}");
        };
        let written = credentials.to_field_value().to_str().unwrap().to_owned();
        assert!(written.contains(&token), "{written}");
        let leaks = found_during(token.as_bytes(), || drop(credentials.to_field_value()));
        assert_eq!(leaks, 0, "{value}");
    }
    // Names so short that any other sum of the lengths is less.
    let params = [("a", &*token), ("b", r#"\""#), ("c", "")];
    let leaks = found_during(token.as_bytes(), || {
        drop(FieldValue::with_params("Bearer", &params).unwrap());
    });
    assert_eq!(leaks, 0);
}
