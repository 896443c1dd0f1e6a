//! Two proxies, a new one and an old one, in front of a registrar. All three ask for credentials,
//! the proxies in one response.
use std::net::UdpSocket;
use std::thread;

use countersign::digest::{Algorithm, Ha1, QopSet};
use countersign::server::{Arrival, Authenticator, Quirk, Realm, Refusal};
use countersign::{Authorization, Channel, EntityBody, Target};
use loopback::Error;

use crate::message::Message;

struct Chain {
    proxies: [Authenticator; 2],
    registrar: Authenticator,
}

/// Starts them, for as long as the program runs, and gives their address.
pub fn start(password: &'static str) -> Result<String, Error> {
    let auth = |realm| Authenticator::new(realm, 100, &mut getrandom::SysRng);
    let realm = |name| Realm::new(name).map(|realm| realm.with_algorithms(&[Algorithm::MD5]));
    let old = realm("p2")?
        .with_qop(QopSet::NONE)
        .with_quirks(&[Quirk::ReplayableNonces]);
    let chain = Chain {
        proxies: [auth(realm("p1")?.for_proxy())?, auth(old.for_proxy())?],
        registrar: auth(realm("example.org")?.with_qop(QopSet::BOTH))?,
    };
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    let address = socket.local_addr()?;
    thread::spawn(move || -> Option<()> {
        let mut buffer = [0; 0xffff];
        loop {
            let (length, peer) = socket.recv_from(&mut buffer).ok()?;
            let request = Message::parse(str::from_utf8(&buffer[..length]).ok()?)?;
            let head = chain.head(&request, password);
            let copied = request.copied();
            let response = format!("SIP/2.0 {head}{copied}Content-Length: 0\r\n\r\n");
            socket.send_to(response.as_bytes(), peer).ok()?;
        }
    });
    Ok(address.to_string())
}

impl Chain {
    /// The status and the challenges of the response.
    fn head(&self, request: &Message<'_>, password: &str) -> String {
        let refusal = |auth| admit(auth, request, password).err();
        let mut refusals: Vec<_> = self.proxies.iter().filter_map(refusal).collect();
        if refusals.is_empty() {
            refusals.extend(refusal(&self.registrar));
        }
        let Some(Refusal { status, field, .. }) = refusals.first() else {
            return "200 OK\r\n".into();
        };
        let challenges = refusals.iter().flat_map(|refusal| &refusal.challenges);
        // In SIP they must not be joined (RFC 3261, section 7.3.1).
        let lines =
            challenges.filter_map(|value| Some(format!("{field}: {}\r\n", value.to_str().ok()?)));
        format!("{status} Refused\r\n{}", lines.collect::<String>())
    }
}

fn admit(auth: &Authenticator, request: &Message<'_>, password: &str) -> Result<(), Refusal> {
    let [method, uri, _] = request.start;
    let target = Target::new(method, uri).with_body(EntityBody::Bytes(request.body.as_bytes()));
    let arrival = Arrival::now(Channel::Cleartext);
    // There may be credentials for others, too.
    let realm = auth.realm();
    let own = |value: &&str| {
        let parsed = Authorization::parse(*value);
        matches!(parsed, Ok(Authorization::Digest(digest)) if digest.realm == realm.name())
    };
    let credentials = request
        .fields(realm.challenger().credentials_field())
        .filter(own);
    let attempt = auth.begin(credentials, &target, arrival)?;
    let ha1 = Ha1::new(attempt.hash_function(), "Mufasa", realm.name(), password);
    auth.admit(attempt.verify(Some(ha1))?).map(|_| ())
}
