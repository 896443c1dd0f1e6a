//! A client without a line of countersign's client in it.

use countersign::digest::{Algorithm, HashFunction, Qop, userhash};
use countersign::wire::{
    AuthenticationInfo, DigestChallenge, QopParams, basic_credentials, ha2, response,
};
use countersign::{challenges, raw_challenges};
use countersign_testing::client::Network;
use http::header::LOCATION;
use http::{HeaderValue, Request, Response};

use super::by_hand::Answer;
use super::reading::misread;
use super::{PASSWORD, USER};

pub(crate) const REALM: &str = "lions";

/// A response, and the credentials that were sent last.
type Answered = (Response<Vec<u8>>, Option<HeaderValue>);

/// A client with one login at a time. It does everything right but its fault.
pub(crate) struct Client {
    /// In a few words; an unknown one is none.
    fault: &'static str,
    network: Network,
    /// The answer that was sent last.
    session: Option<Answer>,
    /// The answer to the first challenge.
    first: Option<Answer>,
    account: Option<[String; 2]>,
    cnonces: u32,
    requests: u32,
    proofs: u32,
    /// Refusals in a row that say nothing.
    bare: u32,
    /// Whether both values of qop are offered.
    lists_qop: bool,
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
            bare: 0,
            lists_qop: false,
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
            let from = request.uri().authority().map(ToString::to_string);
            *request.uri_mut() = location.to_str().unwrap().parse().unwrap();
            let away = from.as_deref() != request.uri().authority().map(|it| it.as_str());
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
        let is_own = request
            .uri()
            .authority()
            .is_some_and(|it| it == "server.example");
        let is_near = request.uri().host() == Some("server.example");
        let goes_there = match self.fault {
            "sends its answers everywhere" => true,
            "sends its answers to other ports" => is_near,
            _ => is_own,
        };
        if !goes_there {
            return Ok((self.network.send(request), None));
        }
        let (mut answered, mut tries) = (0, 0);
        let (mut field, mut last) = ("authorization", None);
        loop {
            let sent = self.answer(&request);
            if let Some((value, _)) = &sent {
                let value = HeaderValue::from_bytes(value).unwrap();
                last = Some(value.clone());
                request.headers_mut().insert(field, value);
            } else if self.is("sends Basic unasked") {
                request.headers_mut().insert(field, Self::basic());
            }
            let response = self.network.send(self.altered(request.clone(), tries));
            tries += 1;
            if sent.is_some() {
                self.count_bare(&response);
            }
            let is_first = answered == 0 && sent.is_none();
            match response.status().as_u16() {
                401 => {}
                407 if self.is("answers 407") => field = "proxy-authorization",
                407 if self.is("answers 407 as 401") => {}
                200 if is_first && self.is("answers challenges in 200") => {}
                403 if is_first && self.is("answers challenges in 403") => {}
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
            let takes_basic = self.is("prefers Basic") && self.may_send_basic(&response, false, 0);
            if takes_basic || !again || !self.choose(&response) {
                if self.may_send_basic(&response, had_session, answered) {
                    request.headers_mut().insert(field, Self::basic());
                    return Ok((self.network.send(request), None));
                }
                if self.fault != "stays on a nonce after 401" {
                    self.session = None;
                }
                return Ok((response, last));
            }
        }
    }

    /// Two refusals in a row that say nothing are the end of a nonce.
    fn count_bare(&mut self, response: &Response<Vec<u8>>) {
        self.bare = match response.status().as_u16() {
            429 if self.is("stays on a nonce after 429") => 0,
            403 if self.is("stays on a nonce after 403") => 0,
            403 | 429 => self.bare + 1,
            _ => 0,
        };
        if self.bare == 2 {
            (self.session, self.bare) = (None, 0);
        }
    }

    /// The request as it is sent after so many others for the same.
    fn altered(&self, mut request: Request<Vec<u8>>, before: usize) -> Request<Vec<u8>> {
        let body = request.body_mut();
        match self.fault {
            "loses the body of the next request" if before > 0 => body.clear(),
            "loses the body after stale" if self.cnonces > 1 => body.clear(),
            "cuts bodies" => body.truncate(0x1_0000),
            "sends the body twice" if before > 0 => body.extend_from_within(..),
            "sends bodies in chunks" => {
                let chunked = HeaderValue::from_static("chunked");
                request.headers_mut().insert("transfer-encoding", chunked);
            }
            _ => {}
        }
        request
    }

    fn basic() -> HeaderValue {
        let value = basic_credentials(USER, PASSWORD).unwrap();
        value.as_bytes().try_into().unwrap()
    }

    fn values(&self, response: &Response<Vec<u8>>) -> Vec<String> {
        let headers = response.headers();
        let mut values: Vec<_> = headers.get_all("www-authenticate").iter().collect();
        if self.fault.starts_with("answers 407") {
            values.extend(headers.get_all("proxy-authenticate"));
        }
        let values = values
            .iter()
            .map(|value| String::from_utf8_lossy(value.as_bytes()));
        let mut values: Vec<_> = values.map(String::from).collect();
        misread(self.fault, &mut values);
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
            "prefers Basic" => true,
            "downgrades to Basic" => had_session && answered == 1,
            "sends Basic when Digest is refused" => answered == 1,
            _ => false,
        };
        offered && allowed
    }

    /// Takes a challenge to answer, if there is one.
    fn choose(&mut self, response: &Response<Vec<u8>>) -> bool {
        let values = self.values(response);
        self.lists_qop = values.iter().any(|it| it.contains("auth,auth-int"));
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
                let made_up = DigestChallenge::new("files", "made up", Algorithm::SHA_256).unwrap();
                self.session = Some(Answer::to(&made_up, "", "", ""));
                true
            };
        };
        let mut answer = Answer::to(chosen, "", "", "");
        answer.nc = 0;
        answer.userhash = chosen.userhash == Some(true) || self.is("hashes names unasked");
        if let (Some(before), true) = (&self.session, self.is("counts on with a new nonce")) {
            answer.nc = before.nc;
        }
        let first = self.first.get_or_insert_with(|| answer.clone());
        match self.fault {
            "hashes escapes" => answer.realm = chosen.realm.raw().to_owned(),
            "takes opaque from any challenge" => {
                let mut opaques = all.iter().filter_map(|it| it.opaque);
                answer.opaque = opaques.next().map(|it| it.to_bytes().into_owned());
            }
            "takes the nonce of the last" => {
                answer.nonce = all.last().unwrap_or(chosen).nonce.to_bytes().into_owned();
            }
            "takes the realm of the first" => {
                answer.realm = all[0].realm.to_bytes().into_owned();
            }
            "keeps its first nonce" => answer.nonce.clone_from(&first.nonce),
            "keeps its opaque" => answer.opaque.clone_from(&first.opaque),
            "keeps its realm" => answer.realm.clone_from(&first.realm),
            "keeps a nonce in other realms" if first.realm != answer.realm => {
                answer.nonce.clone_from(&first.nonce);
            }
            "prompts for each nonce" => self.account = None,
            _ => {}
        }
        self.session = Some(answer);
        true
    }

    /// The credentials for a request, and the proof that the server must give.
    fn answer(&mut self, request: &Request<Vec<u8>>) -> Option<(Vec<u8>, Option<String>)> {
        if self.is("prompts for each request") {
            self.account = None;
        }
        let account = self.account.get_or_insert_with(|| self.network.prompt());
        let session = self.session.as_mut()?;
        [session.user, session.password] = account.clone();
        if self.fault != "repeats counts" || session.nc == 0 {
            session.nc += 1;
        }
        if session.nc == 1 && self.fault != "repeats cnonces" {
            self.cnonces += 1;
            session.cnonce = format!("c{}", self.cnonces);
        }
        self.requests += 1;
        let mut answer = session.clone();
        answer.method = request.method().to_string();
        answer.uri = request.uri().path_and_query().unwrap().to_string();
        answer.body.clone_from(request.body());
        let named = answer.algorithm;
        match self.fault {
            "counts in decimal" => {
                answer.nc = u32::from_str_radix(&answer.nc.to_string(), 16).unwrap();
            }
            "counts from 2" => answer.nc += 1,
            "counts all its requests" => answer.nc = self.requests,
            "drops qop" => answer.qop = None,
            "sends qop unasked" => answer.qop = answer.qop.or(Some(Qop::Auth)),
            "drops the query" => answer.uri = request.uri().path().to_owned(),
            "writes uri in full" => answer.uri = request.uri().to_string(),
            "resolves escapes in uri" => answer.uri = answer.uri.replace("%20", " "),
            "writes escapes in capitals" => answer.uri = answer.uri.replace("%2f", "%2F"),
            "drops parameters of the path" => answer.uri = answer.uri.replace(";x=1", ""),
            "merges slashes" => answer.uri = answer.uri.replace("//", "/"),
            "resolves dots" => answer.uri = answer.uri.replace("/./", "/"),
            "hashes HEAD as GET" if answer.method == "HEAD" => answer.method = "GET".to_owned(),
            "hashes PUT as POST" if answer.method == "PUT" => answer.method = "POST".to_owned(),
            "counts from 0" => answer.nc -= 1,
            "skips counts" => answer.nc *= 2,
            "hashes its name" if answer.algorithm.is_sess() => {
                answer.cnonce = "0123456789abcdef".repeat(4)
            }
            "hashes GET for every method" => answer.method = "GET".to_owned(),
            "hashes the hashed name" if answer.userhash => {
                let name = userhash(
                    answer.algorithm.hash_function(),
                    &*answer.user,
                    &*answer.realm,
                );
                answer.user = name.as_str().to_owned();
            }
            "cuts SHA-512 for SHA-512-256" if named.hash_function() == HashFunction::Sha512_256 => {
                answer.password = "another hash".to_owned();
            }
            "ignores the body" => answer.body.clear(),
            "drops opaque" => answer.opaque = None,
            "invents opaque" => answer.opaque = Some(answer.opaque.unwrap_or_default()),
            "unescapes opaque" => {
                let plain = |byte: &u8| !b"\"\\".contains(byte);
                answer
                    .opaque
                    .iter_mut()
                    .for_each(|opaque| opaque.retain(plain));
            }
            "forgets session keys" => {
                let same = |it: &&Algorithm| it.hash_function() == named.hash_function();
                answer.algorithm = *Algorithm::ALL
                    .iter()
                    .filter(same)
                    .find(|it| !it.is_sess())?;
            }
            _ => {}
        }
        let proof = answer
            .qop
            .map(|_| answer.rspauth(b"hello").as_str().to_owned());
        if self.is("covers no body")
            && let Some(value) =
                answer.made_with(answer.secret().as_hex(), answer.qop_text(), false)
        {
            return Some((value, proof));
        }
        let mut params = answer.params().with("algorithm", named.to_string());
        match self.fault {
            "writes the response in capitals" => {
                params = params.with("response", answer.response().as_str().to_uppercase());
            }
            "hashes the list of qop" if answer.qop == Some(Qop::Auth) && self.lists_qop => {
                let list = "auth,auth-int";
                let made = answer.made_with(answer.secret().as_hex(), Some(list), false);
                return made.map(|value| (value, proof));
            }
            "hashes the hashed name" if answer.userhash => {
                params = params.with("username", &answer.user);
            }
            "escapes nothing" => {
                let value = params.write("Digest");
                let plain = value.iter().copied().filter(|&it| it != b'\\');
                return Some((plain.collect(), proof));
            }
            _ => {}
        }
        let quoted = match self.fault {
            "quotes qop" => "qop",
            "quotes nc" => "nc",
            "quotes the algorithm" => "algorithm",
            "does not quote uri" => "uri",
            _ => "",
        };
        for param in params.0.iter_mut().filter(|param| param.name == quoted) {
            param.is_quoted ^= true;
        }
        let other_nc = match self.fault {
            "writes short counts" => Some(format!("{:x}", answer.nc)),
            "writes counts in capitals" => Some(format!("{:08X}", answer.nc)),
            _ => None,
        };
        if let Some(nc) = other_nc.filter(|_| answer.qop == Some(Qop::Auth)) {
            let hash = answer.algorithm.hash_function();
            let of_request = ha2(hash, &*answer.method, &*answer.uri, None);
            let qop = QopParams::new("auth", &nc, &answer.cnonce).unwrap();
            let response = response(&answer.secret(), &*answer.nonce, Some(&qop), &of_request);
            params = params.with("nc", &nc).with("response", response.as_str());
            return Some((params.write("Digest"), None));
        }
        Some((params.write("Digest"), proof))
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
                "compares the end of proofs" => came.ends_with(&proof.as_bytes()[32..]),
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
            if self.fault != "counts on at nextnonce" {
                session.nc = 0;
            }
        }
        Ok(())
    }
}
