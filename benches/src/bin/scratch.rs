use std::hint::black_box;
use countersign::client::*;
use countersign::digest::*;
use countersign::*;
use countersign_benches::inputs::*;
use countersign_benches::measure::*;
use http_auth::parser::ChallengeParser;
use http_auth::{DigestClient, PasswordParams};
fn first_by_functions(ch: &str, cn: &Cnonce) -> FieldValue {
    let Some(Ok(countersign::Challenge::Digest(challenge))) = challenges([ch]).next() else { panic!() };
    let hash = challenge.algorithm().hash_function();
    let ha1 = Ha1::new(hash, USERNAME, challenge.realm(), PASSWORD);
    let p = QopParams::new("auth", "00000001", cn.as_str()).unwrap();
    let ha2 = ha2(hash, METHOD, URI, None);
    let response = response(&ha1, challenge.nonce(), Some(&p), &ha2);
    digest::Credentials::new(&challenge, Username::new(USERNAME).unwrap(), Text::new(URI).unwrap(), Some(p), response).to_field_value()
}
fn main() {
    let mut ops: Vec<(&str, Operation)> = vec![];
    for (ch, n) in [(CHALLENGE, "sha"), (CHALLENGE_MD5, "md5")] {
        let l = |s: &str| -> &'static str { Box::leak(format!("{n} {s}").into_boxed_str()) };
        let endpoint = Endpoint::origin("https", "example.com", None).unwrap();
        let (mut client, _) = countersign_benches::operations::logged_in(ch);
        let t = target();
        ops.push((l("readme authorize+received"), Operation::new(move || {
            let mut ex = Exchange::new();
            let n = client.authorize(&mut ex, black_box(&t)).unwrap().unwrap().as_bytes().len();
            client.received(&mut ex, 200, |_| None::<&str>, EntityBody::Bytes(b"")).unwrap();
            n
        })));
        let (mut client, mut ex) = countersign_benches::operations::logged_in(ch);
        ops.push((l("authorize"), Operation::new(move || {
            client.authorize(&mut ex, black_box(&t)).unwrap().unwrap().as_bytes().len()
        })));
        let params = PasswordParams { username: USERNAME, password: PASSWORD, uri: URI, method: METHOD, body: None };
        let c = ChallengeParser::new(ch).next().unwrap().unwrap();
        let mut c = DigestClient::try_from(&c).unwrap();
        ops.push((l("http-auth readme"), Operation::new(move || c.respond(black_box(&params)).unwrap())));
        let e = endpoint.clone();
        let cn = cnonce();
        ops.push((l("first by client (new,challenged,login,authorize)"), Operation::new(move || {
            let mut client = Client::from_seed(e.clone(), Policy::new(), [7; 32]);
            let mut ex = Exchange::new();
            let Next::Login(ask) = client.challenged(&mut ex, [black_box(ch)]) else { panic!() };
            client.login(&ask, USERNAME, PASSWORD).unwrap();
            client.authorize_with_cnonce(&mut ex, &t, &cn).unwrap().unwrap().as_bytes().len()
        })));
        let e = endpoint.clone();
        ops.push((l("  new"), Operation::new(move || Client::from_seed(e.clone(), Policy::new(), [7; 32]))));
        let e = endpoint.clone();
        ops.push((l("  new+challenged"), Operation::new(move || {
            let mut client = Client::from_seed(e.clone(), Policy::new(), [7; 32]);
            let mut ex = Exchange::new();
            client.authorize(&mut ex, &t).unwrap();
            let Next::Login(ask) = client.challenged(&mut ex, [black_box(ch)]) else { panic!() };
            drop(ask); client
        })));
        let e = endpoint.clone();
        ops.push((l("  new+challenged+login"), Operation::new(move || {
            let mut client = Client::from_seed(e.clone(), Policy::new(), [7; 32]);
            let mut ex = Exchange::new();
            let Next::Login(ask) = client.challenged(&mut ex, [black_box(ch)]) else { panic!() };
            client.login(&ask, USERNAME, PASSWORD).unwrap(); client
        })));
        let cn = cnonce();
        ops.push((l("first by functions"), Operation::new(move || first_by_functions(black_box(ch), &cn))));
    }
    for alg in [Algorithm::SHA_256, Algorithm::MD5] {
        let service: &'static Service = Box::leak(Box::new(Service::new(alg)));
        let requests: &'static [Vec<u8>] = service.requests(64).leak();
        let l = |s: &str| -> &'static str { Box::leak(format!("{alg} {s}").into_boxed_str()) };
        ops.push((l("server"), Operation::prepared(64, move || (service.nonces(16), requests.iter()), move |(n, r)| {
            let request = black_box(r.next().unwrap());
            assert!(countersign_benches::operations::admit(n, service, request, &target(), &arrival()))
        })));
        ops.push((l("server shared"), Operation::prepared(64, move || (service.authenticator(16), requests.iter()), move |(n, r)| {
            let request = black_box(r.next().unwrap());
            assert!(countersign_benches::operations::admit_shared(n, service, request, &target(), &arrival()))
        })));
        let mac = countersign_benches::floor::NonceMac::new(&[7; 32]);
        let floor = match alg.hash_function() { HashFunction::Md5 => countersign_benches::floor::admit::<md5::Md5>, _ => countersign_benches::floor::admit::<sha2::Sha256> };
        ops.push((l("server floor"), Operation::prepared(64, move || requests.iter(), move |r| {
            let request = black_box(r.next().unwrap());
            assert!(floor(request, service.ha1.as_hex().as_bytes(), &mac))
        })));
    }
    {
        let service: &'static Service = Box::leak(Box::new(Service::new(Algorithm::SHA_256)));
        let mut nonces = service.nonces(16);
        ops.push(("refuse", Operation::new(move || countersign_benches::operations::refuse(&mut nonces, black_box(service), &target(), &arrival()))));
        let mac = countersign_benches::floor::NonceMac::new(&[7; 32]);
        let mut out = Vec::with_capacity(512);
        ops.push(("refuse floor", Operation::new(move || { countersign_benches::floor::challenges(&mac, black_box(&[7; 14]), &mut out); black_box(&out); })));
    }
    if let Some(f) = std::env::args().nth(1) { ops.retain(|o| o.0 == f); for _ in 0..400 { ops[0].1.measure(); for _ in 0..300 { ops[0].1.measure(); } } return; }
    for _ in 0..30 { let mut r: Vec<_> = ops.iter_mut().map(|o| &mut o.1).collect(); in_turns(&mut r, 30); }
    for (n, o) in &ops { println!("{n:<55} {:>9.1} ns  {} allocs", o.nanoseconds(), o.allocations()); }
}
