//! A client without a line of countersign's client in it.

use countersign::digest::{Algorithm, BodyHasher, Ha1, HexDigest, Qop, userhash};
use countersign::wire::{
    AuthenticationInfo, DigestChallenge, QopParams, basic_credentials, ha2, response,
};
use countersign::{challenges, raw_challenges};
use countersign_testing::client::Network;
use http::header::LOCATION;
use http::{HeaderValue, Request, Response};

use super::{PASSWORD, USER};

pub(crate) const REALM: &str = "lions";

/// A response, and the credentials that were sent last.
type Answered = (Response<Vec<u8>>, Option<HeaderValue>);

/// The challenge that was answered last.
#[derive(Clone)]
struct Session {
    realm: Vec<u8>,
    nonce: Vec<u8>,
    opaque: Option<Vec<u8>>,
    algorithm: Algorithm,
    algorithm_given: bool,
    qop: Option<Qop>,
    userhash: bool,
    count: u32,
}

/// A client with one login at a time. It does everything right but its fault.
pub(crate) struct Client {
    /// In a few words; an unknown one is none.
    fault: &'static str,
    network: Network,
    session: Option<Session>,
    /// The realm and the nonce of the first challenge.
    first: Option<(Vec<u8>, Vec<u8>)>,
    account: Option<[String; 2]>,
    cnonces: u32,
    requests: u32,
    proofs: u32,
}

impl Client {
    pub(crate) fn new(fault: &'static str, network: Network) -> Self {
        Self {
            fault,
            network,
            session: None,
            first: None,
            account: None,
            cnonces: 0,
            requests: 0,
            proofs: 0,
        }
    }

    fn is(&self, fault: &str) -> bool {
        self.fault == fault
    }

    /// Follows redirects.
    pub(crate) fn fetch(&mut self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, String> {
        let mut request = request;
        for _ in 0..3 {
            let (response, sent) = self.fetch_one(request.clone())?;
            let Some(location) = response.headers().get(LOCATION) else {
                return Ok(response);
            };
            let from = request.uri().host().map(str::to_owned);
            *request.uri_mut() = location.to_str().unwrap().parse().unwrap();
            let away = from.as_deref() != request.uri().host();
            let keeps = match self.fault {
                "sends its answer to where it is redirected" => away,
                "keeps its answer in redirects" => !away,
                _ => false,
            };
            if let (true, Some(sent)) = (keeps, sent) {
                request.headers_mut().insert("authorization", sent);
                return Ok(self.network.send(request));
            }
        }
        Err("too many redirects".to_owned())
    }

    fn fetch_one(&mut self, mut request: Request<Vec<u8>>) -> Result<Answered, String> {
        let is_own = request.uri().host() == Some("server.example");
        if !is_own && !self.is("sends its answers everywhere") {
            return Ok((self.network.send(request), None));
        }
        let (mut answered, mut field, mut last) = (0, "authorization", None);
        loop {
            let sent = self.answer(&request);
            if let Some((value, _)) = &sent {
                let value = HeaderValue::from_bytes(value).unwrap();
                last = Some(value.clone());
                request.headers_mut().insert(field, value);
            } else if self.is("sends Basic unasked") {
                request.headers_mut().insert(field, Self::basic());
            }
            let response = self.network.send(request.clone());
            match response.status().as_u16() {
                401 => {}
                407 if self.is("answers 407") => field = "proxy-authorization",
                _ => {
                    self.accept(&response, sent.and_then(|(_, proof)| proof))?;
                    return Ok((response, last));
                }
            }
            answered += usize::from(sent.is_some());
            if self.is("never answers") {
                return Ok((response, last));
            }
            let (stale, moved) = (self.is_stale(&response), self.is_elsewhere(&response));
            let again = match self.fault {
                "retries for ever" => true,
                "retries for ever if stale" if stale => true,
                "ignores stale" => answered == 0,
                _ => answered == 0 || ((stale || moved) && answered < 3),
            };
            let had_session = self.session.is_some();
            if !again || !self.choose(&response) {
                if self.may_send_basic(&response, had_session, answered) {
                    request.headers_mut().insert(field, Self::basic());
                    return Ok((self.network.send(request), None));
                }
                self.session = None;
                return Ok((response, last));
            }
        }
    }

    fn basic() -> HeaderValue {
        let value = basic_credentials(USER, PASSWORD).unwrap();
        value.as_bytes().try_into().unwrap()
    }

    fn values(&self, response: &Response<Vec<u8>>) -> Vec<String> {
        let headers = response.headers();
        let mut values: Vec<_> = headers.get_all("www-authenticate").iter().collect();
        if self.is("answers 407") {
            values.extend(headers.get_all("proxy-authenticate"));
        }
        let values = values
            .iter()
            .map(|value| String::from_utf8_lossy(value.as_bytes()));
        let mut values: Vec<_> = values.map(String::from).collect();
        let respell = |values: &mut Vec<String>, from: &str, to: &str| {
            values
                .iter_mut()
                .for_each(|value| *value = value.replace(from, to));
        };
        match self.fault {
            "takes unknown algorithms for SHA-256" => respell(&mut values, "SHA-1024-", ""),
            "answers every qop" => respell(&mut values, "auth-new", "auth"),
            "compares qop as a whole" => respell(&mut values, "auth,auth-int", "auth-new"),
            "reads the first scheme of a field" => {
                values.retain(|it| it.to_lowercase().starts_with("digest"))
            }
            "wants names as written" => {
                values.retain(|it| !it.contains("NONCE") && !it.contains("dIGEST"));
            }
            "splits at commas and spaces" => values.retain(|it| it.contains(", ")),
            _ => {}
        }
        values
    }

    fn digests<T>(
        &self,
        response: &Response<Vec<u8>>,
        read: impl Fn(&DigestChallenge<'_>) -> T,
    ) -> Vec<T> {
        let values = self.values(response);
        let digests = challenges(&values).filter_map(|it| match it {
            Ok(countersign::Challenge::Digest(digest)) => Some(read(&digest)),
            _ => None,
        });
        digests.collect()
    }

    fn is_stale(&self, response: &Response<Vec<u8>>) -> bool {
        match self.fault {
            "compares stale with case" => self
                .values(response)
                .iter()
                .any(|value| value.contains("stale=true")),
            _ => self.digests(response, |it| it.stale).contains(&true),
        }
    }

    /// Whether another realm asks than that of the last answer.
    fn is_elsewhere(&self, response: &Response<Vec<u8>>) -> bool {
        let realms = self.digests(response, |it| it.realm.to_bytes().into_owned());
        self.session
            .as_ref()
            .is_some_and(|session| !realms.contains(&session.realm))
    }

    fn may_send_basic(
        &self,
        response: &Response<Vec<u8>>,
        had_session: bool,
        answered: usize,
    ) -> bool {
        let offered = challenges(&self.values(response))
            .any(|it| matches!(it, Ok(countersign::Challenge::Basic { .. })));
        let allowed = match self.fault {
            "sends Basic in the clear" => !had_session,
            "downgrades to Basic" => had_session && answered == 1,
            "sends Basic when Digest is refused" => answered == 1,
            _ => false,
        };
        offered && allowed
    }

    /// Takes a challenge to answer, if there is one.
    fn choose(&mut self, response: &Response<Vec<u8>>) -> bool {
        let values = self.values(response);
        if self.is("panics on noise") {
            let any = raw_challenges(&values).any(|one| one.is_err());
            assert!(!any, "noise");
        }
        let all = challenges(&values).filter_map(|it| match it {
            Ok(countersign::Challenge::Digest(digest)) => Some(digest),
            _ => None,
        });
        let mut all: Vec<DigestChallenge<'_>> = all.collect();
        match self.fault {
            "one realm: none" => all.retain(|it| it.realm == REALM),
            "one realm: compares its start" => {
                all.retain(|it| it.realm.to_bytes().starts_with(REALM.as_bytes()));
            }
            _ => {}
        }
        let is_md5 = |it: &&DigestChallenge<'_>| it.algorithm().as_str().starts_with("MD5");
        let chosen = match self.fault {
            "takes the last" => all.last(),
            "takes the first" => all.first(),
            "takes MD5" => all.iter().find(is_md5).or_else(|| all.first()),
            _ => all.iter().find(|it| !is_md5(it)).or_else(|| all.first()),
        };
        let Some(chosen) = chosen else {
            return self.is("answers without a challenge") && self.session.is_none() && {
                self.session = Some(Session::made_up());
                true
            };
        };
        let mut realm = match self.is("hashes escapes") {
            true => chosen.realm.raw().to_owned(),
            false => chosen.realm.to_bytes().into_owned(),
        };
        let mut nonce = chosen.nonce.to_bytes().into_owned();
        let first = self
            .first
            .get_or_insert_with(|| (realm.clone(), nonce.clone()));
        match self.fault {
            "keeps its realm" => realm.clone_from(&first.0),
            "keeps a nonce in other realms" if first.0 != realm => nonce.clone_from(&first.1),
            "prompts for each nonce" => self.account = None,
            _ => {}
        }
        self.session = Some(Session {
            realm,
            nonce,
            opaque: chosen.opaque.map(|it| it.to_bytes().into_owned()),
            algorithm: chosen.algorithm(),
            algorithm_given: chosen.algorithm_text().is_some(),
            qop: [Qop::Auth, Qop::AuthInt]
                .into_iter()
                .find(|&it| chosen.qop.contains(it)),
            userhash: chosen.userhash == Some(true) || self.is("hashes names unasked"),
            count: 0,
        });
        true
    }

    /// The credentials for a request, and the proof that the server must give.
    fn answer(&mut self, request: &Request<Vec<u8>>) -> Option<(Vec<u8>, Option<String>)> {
        let mut session = self.session.clone()?;
        if !self.is("repeats counts") || session.count == 0 {
            session.count += 1;
        }
        self.session = Some(session.clone());
        self.requests += 1;
        if self.is("prompts for each request") {
            self.account = None;
        }
        let [user, password] = self
            .account
            .get_or_insert_with(|| self.network.prompt())
            .clone();
        let cnonce = match self.fault {
            "repeats cnonces" => "always the same".to_owned(),
            _ => {
                self.cnonces += u32::from(session.count == 1);
                format!("c{}", self.cnonces)
            }
        };
        let nc = match self.fault {
            "writes short counts" => format!("{:x}", session.count),
            "counts in decimal" => format!("{:08}", session.count),
            "counts from 2" => format!("{:08x}", session.count + 1),
            "counts all its requests" => format!("{:08x}", self.requests),
            _ => format!("{:08x}", session.count),
        };
        let qop = match self.fault {
            "drops qop" => None,
            "sends qop unasked" => session.qop.or(Some(Qop::Auth)),
            _ => session.qop,
        };
        let uri = match request.uri().path_and_query() {
            Some(uri) if !self.is("drops the query") => uri.as_str(),
            _ => request.uri().path(),
        };
        let method = match self.fault {
            "hashes GET for every method" => "GET",
            _ => request.method().as_str(),
        };
        let hash = session.algorithm.hash_function();
        let params = qop.map(|qop| QopParams::new(qop.as_str(), &nc, &cnonce).unwrap());
        let ha1 = Ha1::new(hash, &*user, &*session.realm, &*password);
        let key = match session.algorithm.is_sess() && !self.is("forgets session keys") {
            true => ha1.session_key(&*session.nonce, &*cnonce),
            false => ha1,
        };
        let body_hash = |body: &[u8]| -> Option<HexDigest> {
            let mut hasher = BodyHasher::new(hash);
            hasher.update(body);
            (qop == Some(Qop::AuthInt)).then(|| hasher.finish())
        };
        let body = match self.fault {
            "ignores the body" => body_hash(b""),
            "covers no body" => None,
            _ => body_hash(request.body()),
        };
        let respond = |method, body: Option<HexDigest>| {
            let ha2 = ha2(hash, method, uri, body.as_ref());
            response(&key, &*session.nonce, params.as_ref(), &ha2)
        };
        let response = respond(method, body);
        let proof = respond("", body_hash(b"hello"));

        let quote = |text: &[u8]| {
            let text = String::from_utf8_lossy(text);
            format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
        };
        let hashed = userhash(hash, &*user, &*session.realm);
        let (name, of_name) = match session.userhash {
            true => (hashed.as_str(), ", userhash=true"),
            false => (&*user, ""),
        };
        let when = |fault| if self.is(fault) { "\"" } else { "" };
        let (of_qop, of_nc, of_algorithm) = (
            when("quotes qop"),
            when("quotes nc"),
            when("quotes the algorithm"),
        );
        let of_uri = if self.is("does not quote uri") {
            ""
        } else {
            "\""
        };
        let mut value = format!(
            "Digest username=\"{name}\"{of_name}, realm={}, nonce={}, uri={of_uri}{uri}{of_uri}, \
             response=\"{}\"",
            quote(&session.realm),
            quote(&session.nonce),
            response.as_str(),
        );
        if session.algorithm_given {
            let algorithm = session.algorithm.as_str();
            value += &format!(", algorithm={of_algorithm}{algorithm}{of_algorithm}");
        }
        if let Some(qop) = qop.map(Qop::as_str) {
            value +=
                &format!(", qop={of_qop}{qop}{of_qop}, nc={of_nc}{nc}{of_nc}, cnonce=\"{cnonce}\"");
        }
        let opaque = match self.fault {
            "drops opaque" => None,
            "invents opaque" => Some(session.opaque.unwrap_or_default()),
            "unescapes opaque" => session.opaque.map(|opaque| {
                let text = String::from_utf8_lossy(&opaque);
                text.replace(['"', '\\'], "").into_bytes()
            }),
            _ => session.opaque,
        };
        if let Some(opaque) = opaque {
            value += &format!(", opaque={}", quote(&opaque));
        }
        let proof = qop.map(|_| proof.as_str().to_owned());
        Some((value.into_bytes(), proof))
    }

    fn accept(
        &mut self,
        response: &Response<Vec<u8>>,
        proof: Option<String>,
    ) -> Result<(), String> {
        let infos = response.headers().get_all("authentication-info");
        let Ok(info) = AuthenticationInfo::parse(infos) else {
            return Ok(());
        };
        if let (Some(came), Some(proof)) = (info.rspauth, proof) {
            self.proofs += 1;
            let came = came.to_bytes();
            let right = match self.fault {
                "believes every proof" => true,
                "checks the first proof" if self.proofs > 1 => true,
                "compares the start of proofs" => came.starts_with(&proof.as_bytes()[..8]),
                _ => *came == *proof.as_bytes(),
            };
            if !right {
                return Err("the server does not know the password".to_owned());
            }
        }
        if let (Some(nonce), Some(session)) = (info.nextnonce, &mut self.session)
            && self.fault != "ignores nextnonce"
        {
            session.nonce = nonce.to_bytes().into_owned();
            session.count = 0;
        }
        Ok(())
    }
}

impl Session {
    fn made_up() -> Self {
        Self {
            realm: b"files".to_vec(),
            nonce: b"made up".to_vec(),
            opaque: None,
            algorithm: Algorithm::SHA_256,
            algorithm_given: true,
            qop: Some(Qop::Auth),
            userhash: false,
            count: 0,
        }
    }
}
