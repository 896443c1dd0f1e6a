//! A client without a line of countersign's client in it.

use countersign::digest::{Algorithm, BodyHasher, Ha1, Qop};
use countersign::wire::{
    AuthenticationInfo, DigestChallenge, QopParams, basic_credentials, ha2, response,
};
use countersign::{challenges, raw_challenges};
use countersign_testing::client::Network;
use http::{Request, Response};

use super::{PASSWORD, USER};

/// What is wrong with it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Fault {
    None,
    NeverAnswers,
    RepeatsCounts,
    QuotesQop,
    WritesShortCounts,
    HashesEscapes,
    DropsOpaque,
    UnescapesOpaque,
    InventsOpaque,
    ForgetsSessionKey,
    TakesUnknownForSha256,
    AnswersEveryQop,
    DropsQop,
    SendsQopUnasked,
    ForgetsBody,
    ForgetsQuery,
    TakesTheLast,
    TakesTheFirst,
    TakesMd5,
    ReadsFirstFieldUpToComma,
    SendsBasicInTheClear,
    DowngradesToBasic,
    IgnoresStale,
    IgnoresNextNonce,
    RepeatsCnonces,
    BelievesAnyProof,
    RetriesForEver,
    RetriesStaleForEver,
    AnswersWithoutChallenge,
    PanicsOnNoise,
}

/// The challenge that was answered last.
#[derive(Clone)]
struct Session {
    realm: Vec<u8>,
    nonce: Vec<u8>,
    opaque: Option<Vec<u8>>,
    algorithm: Algorithm,
    algorithm_given: bool,
    qop: Option<Qop>,
    count: u32,
}

pub(crate) struct Client {
    fault: Fault,
    network: Network,
    session: Option<Session>,
    cnonces: u32,
}

impl Client {
    pub(crate) fn new(fault: Fault, network: Network) -> Self {
        Self {
            fault,
            network,
            session: None,
            cnonces: 0,
        }
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    pub(crate) fn fetch(&mut self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, String> {
        let mut request = request;
        let mut answered = 0;
        loop {
            let sent = self.answer(&request);
            if let Some((value, _)) = &sent {
                let value = value.as_slice().try_into().unwrap();
                request.headers_mut().insert("authorization", value);
            }
            let response = self.network.send(request.clone());
            if response.status() != 401 {
                self.accept(&response, sent.and_then(|(_, proof)| proof))?;
                return Ok(response);
            }
            answered += usize::from(sent.is_some());
            if self.has(Fault::NeverAnswers) {
                return Ok(response);
            }
            let stale = self.is_stale(&response);
            let again = match self.fault {
                Fault::RetriesForEver => true,
                Fault::RetriesStaleForEver if stale => true,
                Fault::IgnoresStale => answered == 0,
                _ => answered == 0 || (stale && answered < 3),
            };
            let had_session = self.session.is_some();
            if !again || !self.choose(&response) {
                if self.may_send_basic(&response, had_session) {
                    let value = basic_credentials(USER, PASSWORD).unwrap();
                    let value = value.as_bytes().try_into().unwrap();
                    request.headers_mut().insert("authorization", value);
                    return Ok(self.network.send(request));
                }
                self.session = None;
                return Ok(response);
            }
        }
    }

    fn values(response: &Response<Vec<u8>>) -> Vec<Vec<u8>> {
        let values = response.headers().get_all("www-authenticate").iter();
        values.map(|value| value.as_bytes().to_owned()).collect()
    }

    fn is_stale(&self, response: &Response<Vec<u8>>) -> bool {
        let stale = |it: Result<countersign::Challenge<'_>, _>| match it {
            Ok(countersign::Challenge::Digest(digest)) => digest.stale,
            _ => false,
        };
        challenges(&Self::values(response)).any(stale)
    }

    fn may_send_basic(&self, response: &Response<Vec<u8>>, had_session: bool) -> bool {
        let offered = challenges(&Self::values(response))
            .any(|it| matches!(it, Ok(countersign::Challenge::Basic { .. })));
        let allowed = match self.fault {
            Fault::SendsBasicInTheClear => !had_session,
            Fault::DowngradesToBasic => had_session,
            _ => false,
        };
        offered && allowed
    }

    /// Takes a challenge to answer, if there is one.
    fn choose(&mut self, response: &Response<Vec<u8>>) -> bool {
        let mut values = Self::values(response);
        if self.has(Fault::ReadsFirstFieldUpToComma) {
            values.retain(|value| value.starts_with(b"Digest "));
        }
        if self.has(Fault::PanicsOnNoise) {
            let any = raw_challenges(&values).any(|one| one.is_err());
            assert!(!any, "noise");
        }
        if self.has(Fault::TakesUnknownForSha256) {
            for value in &mut values {
                let text = String::from_utf8_lossy(value);
                *value = text.replace("SHA-1024-", "").into_bytes();
            }
        }
        if self.has(Fault::AnswersEveryQop) {
            for value in &mut values {
                let text = String::from_utf8_lossy(value);
                *value = text.replace("auth-new", "auth").into_bytes();
            }
        }
        let all: Vec<DigestChallenge<'_>> = challenges(&values)
            .filter_map(|it| match it {
                Ok(countersign::Challenge::Digest(digest)) => Some(digest),
                _ => None,
            })
            .collect();
        let is_md5 = |it: &&DigestChallenge<'_>| it.algorithm().as_str().starts_with("MD5");
        let chosen = match self.fault {
            Fault::TakesTheLast => all.last(),
            Fault::TakesTheFirst => all.first(),
            Fault::TakesMd5 => all.iter().find(is_md5).or_else(|| all.first()),
            _ => all.iter().find(|it| !is_md5(it)).or_else(|| all.first()),
        };
        let Some(chosen) = chosen else {
            return self.has(Fault::AnswersWithoutChallenge) && self.session.is_none() && {
                self.session = Some(Session::made_up());
                true
            };
        };
        self.session = Some(Session {
            realm: match self.has(Fault::HashesEscapes) {
                true => chosen.realm.raw().to_owned(),
                false => chosen.realm.to_bytes().into_owned(),
            },
            nonce: chosen.nonce.to_bytes().into_owned(),
            opaque: chosen.opaque.map(|it| it.to_bytes().into_owned()),
            algorithm: chosen.algorithm(),
            algorithm_given: chosen.algorithm_text().is_some(),
            qop: [Qop::Auth, Qop::AuthInt]
                .into_iter()
                .find(|&it| chosen.qop.contains(it)),
            count: 0,
        });
        true
    }

    /// The credentials for a request, and the proof that the server must give.
    fn answer(&mut self, request: &Request<Vec<u8>>) -> Option<(Vec<u8>, Option<String>)> {
        let mut session = self.session.clone()?;
        if !self.has(Fault::RepeatsCounts) || session.count == 0 {
            session.count += 1;
        }
        self.session = Some(session.clone());
        let cnonce = match self.fault {
            Fault::RepeatsCnonces => "always the same".to_owned(),
            _ => {
                self.cnonces += u32::from(session.count == 1);
                format!("c{}", self.cnonces)
            }
        };
        let nc = match self.fault {
            Fault::WritesShortCounts => format!("{:x}", session.count),
            _ => format!("{:08x}", session.count),
        };
        let qop = match self.fault {
            Fault::DropsQop => None,
            Fault::SendsQopUnasked => session.qop.or(Some(Qop::Auth)),
            _ => session.qop,
        };
        let uri = match request.uri().path_and_query() {
            Some(uri) if !self.has(Fault::ForgetsQuery) => uri.as_str(),
            _ => request.uri().path(),
        };
        let hash = session.algorithm.hash_function();
        let params = qop.map(|qop| QopParams::new(qop.as_str(), &nc, &cnonce).unwrap());
        let ha1 = Ha1::new(hash, USER, &*session.realm, PASSWORD);
        let key = match session.algorithm.is_sess() && !self.has(Fault::ForgetsSessionKey) {
            true => ha1.session_key(&*session.nonce, &*cnonce),
            false => ha1,
        };
        let body_hash = |body: &[u8]| {
            let mut hasher = BodyHasher::new(hash);
            hasher.update(body);
            (qop == Some(Qop::AuthInt)).then(|| hasher.finish())
        };
        let body = match self.has(Fault::ForgetsBody) {
            true => body_hash(b""),
            false => body_hash(request.body()),
        };
        let ha2 = ha2(hash, request.method().as_str(), uri, body.as_ref());
        let response = response(&key, &*session.nonce, params.as_ref(), &ha2);
        let page = body_hash(b"hello");
        let ha2 = countersign::wire::ha2(hash, "", uri, page.as_ref());
        let proof = countersign::wire::response(&key, &*session.nonce, params.as_ref(), &ha2);

        let quote = |text: &[u8]| {
            let text = String::from_utf8_lossy(text);
            format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
        };
        let mut value = format!(
            "Digest username=\"{USER}\", realm={}, nonce={}, uri=\"{uri}\", response=\"{}\"",
            quote(&session.realm),
            quote(&session.nonce),
            response.as_str(),
        );
        if session.algorithm_given {
            value += &format!(", algorithm={}", session.algorithm.as_str());
        }
        if let Some(qop) = qop {
            let quotes = if self.has(Fault::QuotesQop) { "\"" } else { "" };
            let qop = qop.as_str();
            value += &format!(", qop={quotes}{qop}{quotes}, nc={nc}, cnonce=\"{cnonce}\"");
        }
        let opaque = match self.fault {
            Fault::DropsOpaque => None,
            Fault::InventsOpaque => Some(session.opaque.unwrap_or_default()),
            Fault::UnescapesOpaque => session.opaque.map(|opaque| {
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
        if let (Some(came), Some(proof)) = (info.rspauth, proof)
            && came != proof.as_str()
            && !self.has(Fault::BelievesAnyProof)
        {
            return Err("the server does not know the password".to_owned());
        }
        if let (Some(nonce), Some(session)) = (info.nextnonce, &mut self.session)
            && self.fault != Fault::IgnoresNextNonce
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
            count: 0,
        }
    }
}
