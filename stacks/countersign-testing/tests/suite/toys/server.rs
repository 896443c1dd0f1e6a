//! A server without a line of countersign's server in it.

use std::collections::{HashMap, HashSet};

use countersign::digest::{Algorithm, Ha1, HexDigest, QopSet, User, userhash};
use countersign::wire::{
    AuthenticationInfo, BasicCredentials, DigestChallenge, DigestCredentials, basic_challenge,
};
use countersign::{Authorization, EntityBody, HeaderError, Target, Text, Timestamp};
use countersign_testing::Clock;
use http::{Request, Response};

use super::{PASSWORD, USER};

pub(crate) const REALM: &str = "toys";
pub(crate) const LIFETIME_SECS: u64 = 60;

/// What is wrong with it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Fault {
    None,
    LetsEverybodyIn,
    ChallengesWithoutChallenge,
    QuotesAlgorithm,
    OffersMd5First,
    OffersBasicOnCleartext,
    TakesBasicUnoffered,
    ProvesWithMethod,
    SaysStaleToWrongPasswords,
    TellsUnknownUsers,
    ComparesStartOfPassword,
    RemembersNothing,
    RemembersResponses,
    RemembersByName,
    WantsCountsInOrder,
    CountsBeforeItCompares,
    ComparesPathOnly,
    TrustsUri,
    ForgetsMethod,
    TrustsRealm,
    TrustsAlgorithm,
    AcceptsNoQop,
    ForgetsBody,
    KnowsNoHashedNames,
    WantsSchemeAsWritten,
    ComparesStartOfResponse,
    TrustsNonces,
    NeverSaysStale,
    NeverExpires,
    ReadsFirstField,
    PanicsOnOddNames,
    FailsOnNoise,
}

/// A server that keeps all nonces and counts for ever.
pub(crate) struct Server {
    fault: Fault,
    clock: Clock,
    nonces: HashMap<String, Timestamp>,
    used: HashSet<String>,
    last: HashMap<String, u32>,
}

enum Refused {
    Malformed,
    Stale,
    Plain,
    Unknown,
    OwnFault,
}

impl Server {
    pub(crate) fn new(fault: Fault, clock: &Clock) -> Self {
        Self {
            fault,
            clock: clock.clone(),
            nonces: HashMap::new(),
            used: HashSet::new(),
            last: HashMap::new(),
        }
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    pub(crate) fn serve(&mut self, request: &Request<Vec<u8>>) -> Response<Vec<u8>> {
        if self.has(Fault::LetsEverybodyIn) {
            return Response::new(b"hello".to_vec());
        }
        match self.admit(request) {
            Ok(info) => {
                let mut response = Response::new(b"hello".to_vec());
                if let Some(info) = info {
                    let headers = response.headers_mut();
                    headers.insert("authentication-info", info.as_str().try_into().unwrap());
                }
                response
            }
            Err(refused) => self.refuse(&refused),
        }
    }

    fn algorithms(&self) -> &'static [Algorithm] {
        #[cfg(feature = "md5")]
        return match self.has(Fault::OffersMd5First) {
            true => &[Algorithm::MD5, Algorithm::SHA_256],
            false => &[Algorithm::SHA_256, Algorithm::MD5],
        };
        #[cfg(not(feature = "md5"))]
        &[Algorithm::SHA_256]
    }

    fn refuse(&mut self, why: &Refused) -> Response<Vec<u8>> {
        let mut response = Response::new(b"go away".to_vec());
        *response.status_mut() = match why {
            Refused::Malformed => 400.try_into().unwrap(),
            Refused::OwnFault => 500.try_into().unwrap(),
            Refused::Unknown if self.has(Fault::TellsUnknownUsers) => 403.try_into().unwrap(),
            _ => 401.try_into().unwrap(),
        };
        if self.has(Fault::ChallengesWithoutChallenge) {
            return response;
        }
        let nonce = format!("n{}", self.nonces.len());
        self.nonces.insert(nonce.clone(), self.clock.now());
        let stale = match why {
            Refused::Stale => !self.has(Fault::NeverSaysStale),
            Refused::Plain | Refused::Unknown => self.has(Fault::SaysStaleToWrongPasswords),
            _ => false,
        };
        for &algorithm in self.algorithms() {
            let mut challenge = DigestChallenge::new(REALM, &nonce, algorithm).unwrap();
            challenge.qop = QopSet::BOTH;
            challenge.stale = stale;
            challenge.userhash = Some(true);
            let value = challenge.to_field_value();
            let mut value = value.to_str().unwrap().to_owned();
            if self.has(Fault::QuotesAlgorithm) {
                value = value.replace("SHA-256", "\"SHA-256\"");
            }
            let value = value.try_into().unwrap();
            response.headers_mut().append("www-authenticate", value);
        }
        if self.has(Fault::OffersBasicOnCleartext) || self.has(Fault::ComparesStartOfPassword) {
            let value = basic_challenge(REALM, true).unwrap();
            let value = value.as_bytes().try_into().unwrap();
            response.headers_mut().append("www-authenticate", value);
        }
        response
    }

    fn admit(&mut self, request: &Request<Vec<u8>>) -> Result<Option<String>, Refused> {
        let mut values = request.headers().get_all("authorization").iter();
        let value = values.next().ok_or(Refused::Plain)?;
        if values.next().is_some() && !self.has(Fault::ReadsFirstField) {
            return Err(Refused::Malformed);
        }
        if self.has(Fault::WantsSchemeAsWritten) && !value.as_bytes().starts_with(b"Digest ") {
            return Err(Refused::Plain);
        }
        let credentials = match Authorization::parse(value.as_bytes()) {
            Ok(Authorization::Digest(credentials)) => credentials,
            Ok(Authorization::Basic(pair)) => return self.admit_basic(&pair),
            Ok(_) => return Err(Refused::Plain),
            Err(error) if self.has(Fault::ComparesStartOfResponse) => {
                return self.admit_start_of_response(value.as_bytes(), error);
            }
            Err(_) if self.has(Fault::FailsOnNoise) => return Err(Refused::OwnFault),
            Err(_) => return Err(Refused::Malformed),
        };
        if self.has(Fault::CountsBeforeItCompares) {
            self.check_count(&credentials)?;
        }
        self.check_user(&credentials)?;
        let expected = self.expected(&credentials, request)?;
        if expected != credentials.response {
            return Err(Refused::Plain);
        }
        self.check_nonce(&credentials)?;
        if !self.has(Fault::CountsBeforeItCompares) {
            self.check_count(&credentials)?;
        }
        Ok(Some(self.proof(&credentials)))
    }

    fn admit_basic(&self, pair: &BasicCredentials) -> Result<Option<String>, Refused> {
        let right = match self.fault {
            Fault::ComparesStartOfPassword => {
                pair.username() == USER.as_bytes()
                    && PASSWORD.as_bytes().starts_with(pair.password())
            }
            Fault::OffersBasicOnCleartext | Fault::TakesBasicUnoffered => {
                pair.matches(USER, PASSWORD)
            }
            _ => false,
        };
        right.then_some(None).ok_or(Refused::Plain)
    }

    /// As one does who compares as many digits as were sent.
    fn admit_start_of_response(
        &self,
        value: &[u8],
        error: HeaderError,
    ) -> Result<Option<String>, Refused> {
        let text = String::from_utf8_lossy(value);
        let cut = text.contains("response=\"\"") && error.to_string().contains("response");
        cut.then_some(None).ok_or(Refused::Malformed)
    }

    fn check_user(&self, credentials: &DigestCredentials<'_>) -> Result<(), Refused> {
        let hash = credentials.algorithm().hash_function();
        let known = match credentials.user() {
            User::Name(name) if self.has(Fault::PanicsOnOddNames) && name.contains('"') => {
                panic!("odd name")
            }
            User::Name(name) => match self.fault {
                Fault::RemembersByName => name.trim().eq_ignore_ascii_case(USER),
                _ => name == USER,
            },
            User::Hash(hashed) => {
                !self.has(Fault::KnowsNoHashedNames) && hashed == userhash(hash, USER, REALM)
            }
            _ => false,
        };
        let realm = credentials.realm == REALM || self.has(Fault::TrustsRealm);
        let offered = self.algorithms().contains(&credentials.algorithm());
        let offered = offered || self.has(Fault::TrustsAlgorithm);
        let has_qop = credentials.qop_params.is_some() || self.has(Fault::AcceptsNoQop);
        match known {
            true if realm && offered && has_qop => Ok(()),
            true => Err(Refused::Plain),
            false => Err(Refused::Unknown),
        }
    }

    fn expected(
        &self,
        credentials: &DigestCredentials<'_>,
        request: &Request<Vec<u8>>,
    ) -> Result<HexDigest, Refused> {
        let uri = request.uri().to_string();
        let named = credentials.uri.to_bytes();
        let path = |uri: &str| uri.split('?').next().unwrap_or_default().to_owned();
        let same = match self.fault {
            Fault::TrustsUri => true,
            Fault::ComparesPathOnly => path(&uri) == path(&String::from_utf8_lossy(&named)),
            _ => *uri.as_bytes() == *named,
        };
        if !same {
            return Err(Refused::Malformed);
        }
        let method = match self.has(Fault::ForgetsMethod) {
            true => "GET",
            false => request.method().as_str(),
        };
        let body: &[u8] = match self.has(Fault::ForgetsBody) {
            true => b"amount=10",
            false => request.body(),
        };
        let uri = credentials.uri.to_bytes();
        let target = Target::new(method, &uri).with_body(EntityBody::Bytes(body));
        let ha1 = Self::ha1(credentials);
        credentials
            .expected_response(&ha1, &target)
            .ok_or(Refused::Plain)
    }

    fn ha1(credentials: &DigestCredentials<'_>) -> Ha1 {
        let hash = credentials.algorithm().hash_function();
        let realm = credentials.realm.to_bytes();
        Ha1::new(hash, USER, &*realm, PASSWORD)
    }

    fn check_nonce(&self, credentials: &DigestCredentials<'_>) -> Result<(), Refused> {
        let nonce = credentials.nonce.to_str().map_err(|_| Refused::Malformed)?;
        let Some(issued) = self.nonces.get(&*nonce) else {
            return match self.has(Fault::TrustsNonces) {
                true => Ok(()),
                false => Err(Refused::Plain),
            };
        };
        let fresh = self.clock.now() <= issued.plus_millis(1000 * LIFETIME_SECS);
        match fresh || self.has(Fault::NeverExpires) {
            true => Ok(()),
            false => Err(Refused::Stale),
        }
    }

    fn check_count(&mut self, credentials: &DigestCredentials<'_>) -> Result<(), Refused> {
        let nonce = credentials.nonce.to_str().map_err(|_| Refused::Malformed)?;
        let nc = credentials.qop_params.map_or(1, |params| params.nc());
        if self.has(Fault::WantsCountsInOrder) {
            let last = self.last.entry(nonce.into_owned()).or_default();
            return match nc == *last + 1 {
                true => {
                    *last = nc;
                    Ok(())
                }
                false => Err(Refused::Plain),
            };
        }
        let key = match self.fault {
            Fault::RemembersNothing => return Ok(()),
            Fault::RemembersResponses => credentials.response.as_str().to_owned(),
            Fault::RemembersByName => format!("{nonce} {nc} {:?}", credentials.user().name()),
            _ => format!("{nonce} {nc}"),
        };
        match self.used.insert(key) {
            true => Ok(()),
            false => Err(Refused::Stale),
        }
    }

    fn proof(&self, credentials: &DigestCredentials<'_>) -> String {
        let ha1 = Self::ha1(credentials);
        let body = EntityBody::Bytes(b"hello");
        let method = if self.has(Fault::ProvesWithMethod) {
            "GET"
        } else {
            ""
        };
        let uri = credentials.uri.to_bytes();
        let target = Target::new(method, &uri).with_body(body);
        let proof = credentials.expected_response(&ha1, &target).unwrap();
        let info = match credentials.qop_params {
            Some(params) => AuthenticationInfo::with_proof(&proof, &params),
            None => {
                let mut info = AuthenticationInfo::default();
                info.nextnonce = Some(Text::new("next").unwrap());
                info
            }
        };
        let info = info.to_field_value();
        info.to_str().unwrap().to_owned()
    }
}
