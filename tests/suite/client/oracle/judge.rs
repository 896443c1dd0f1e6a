//! What must hold of every answer, told by what was seen from outside.

use std::collections::{BTreeMap, BTreeSet};

use countersign::client::Strength;
use countersign::digest::{Ha1, HashFunction};
use countersign::wire::DigestCredentials;
use countersign::{Authorization, Target};

use super::server::Offered;
use super::settings::Settings;
use super::{CLEARTEXT, Line, PROXY};
use crate::support::client::Sent;
use crate::support::digest::proof_for;

/// Whose password it is: an account, or a login that was typed for one realm.
#[derive(Clone, Debug)]
pub(super) struct Owner {
    pub(super) at: usize,
    /// The only realm that it is for.
    pub(super) realm: Option<String>,
    pub(super) has_basic: bool,
    /// Nobody has asked yet.
    pub(super) is_preemptive: bool,
    pub(super) user: String,
    pub(super) password: String,
    pub(super) ha1: Option<HashFunction>,
    is_typed: bool,
    is_live: bool,
}

type Realm = (usize, String);

pub(super) struct Judge {
    owners: Vec<Owner>,
    proven: BTreeMap<Realm, Strength>,
    /// The folders that a realm has asked for by Basic.
    folders: BTreeMap<Realm, Vec<String>>,
    /// The paths of `domain`; `None` for all.
    domains: BTreeMap<Realm, Option<Vec<&'static str>>>,
    counts: BTreeSet<(usize, u32, String, String)>,
    lives: [u32; 6],
    /// The cache keeps as many clients as there are endpoints.
    keeps_counts: bool,
    keeps_strengths: bool,
}

/// Whether every server finds a target at or below this path.
fn is_below(target: &str, top: &str) -> bool {
    let target = path(target);
    let mut decoded = Vec::new();
    let mut bytes = target.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let digits = [bytes.next(), bytes.next()].map(|it| it.unwrap_or(b'x'));
                let digits = str::from_utf8(&digits).unwrap();
                u8::from_str_radix(digits, 16).unwrap()
            }
            byte => byte,
        });
    }
    let decoded = String::from_utf8(decoded).unwrap();
    let has_dots = |segment: &str| matches!(segment.split(';').next(), Some("." | ".."));
    if decoded.contains('\\') || decoded.split('/').any(has_dots) {
        return false;
    }
    let rest = target.strip_prefix(top);
    rest.is_some_and(|rest| rest.is_empty() || top.ends_with('/') || rest.starts_with('/'))
}

fn path(target: &str) -> &str {
    let target = target.strip_prefix("https://a.example").unwrap_or(target);
    target.split('?').next().unwrap()
}

fn folder(target: &str) -> String {
    let path = path(target);
    let end = path.rfind('/').map_or(path.len(), |slash| slash + 1);
    path[..end].to_owned()
}

fn strength(digest: &DigestCredentials<'_>) -> Strength {
    match digest.qop_params {
        None => Strength::DigestRfc2069,
        Some(_) if digest.algorithm().as_str().starts_with("MD5") => Strength::DigestMd5,
        Some(_) => Strength::DigestSha2,
    }
}

impl Judge {
    pub(super) fn new(keeps_counts: bool, keeps_strengths: bool) -> Self {
        Self {
            owners: Vec::new(),
            proven: BTreeMap::new(),
            folders: BTreeMap::new(),
            domains: BTreeMap::new(),
            counts: BTreeSet::new(),
            lives: [0; 6],
            keeps_counts,
            keeps_strengths,
        }
    }

    /// A user and a password that nobody else has.
    pub(super) fn somebody(&self, at: usize, realm: Option<&str>) -> Owner {
        let n = self.owners.len();
        Owner {
            at,
            realm: realm.map(str::to_owned),
            has_basic: false,
            is_preemptive: false,
            user: format!("user{n}"),
            password: format!("secret{n}"),
            ha1: None,
            is_typed: false,
            is_live: true,
        }
    }

    pub(super) const fn life(&self, at: usize) -> u32 {
        self.lives[at]
    }

    fn live(&mut self, at: usize) -> impl Iterator<Item = &mut Owner> {
        let owners = self.owners.iter_mut();
        owners.filter(move |it| it.at == at && it.is_live)
    }

    pub(super) fn accounts(&self, at: usize) -> Vec<Owner> {
        let owners = self.owners.iter();
        let of = owners.filter(|it| it.at == at && it.is_live && !it.is_typed);
        of.cloned().collect()
    }

    pub(super) fn has_accounts(&self, at: usize) -> bool {
        !self.accounts(at).is_empty()
    }

    pub(super) fn has_account(&mut self, owner: Owner) {
        let mut replaces = owner.is_preemptive;
        for other in self.live(owner.at) {
            if !other.is_typed && other.realm == owner.realm {
                other.is_live = false;
                replaces = true;
            }
            other.is_preemptive &= !owner.is_preemptive;
        }
        let typed = self.live(owner.at).filter(|it| it.is_typed && replaces);
        typed.for_each(|it| it.is_live = false);
        self.owners.push(owner);
    }

    pub(super) fn is_typed_in(&mut self, mut owner: Owner, realm: String, is_basic: bool) {
        owner.is_typed = !self.has_accounts(owner.at);
        owner.realm = Some(realm);
        let same = self.live(owner.at).filter(|it| it.realm == owner.realm);
        same.for_each(|it| it.is_live = false);
        owner.has_basic &= is_basic || !owner.is_typed;
        self.owners.push(owner);
    }

    pub(super) fn is_refused(&mut self, line: &Line) {
        if let Some(owner) = line.owner.map(|at| &mut self.owners[at]) {
            owner.is_live &= !owner.is_typed;
        }
    }

    pub(super) fn policy_is_set(&mut self, at: usize) {
        self.lives[at] += 1;
        let typed = self.live(at).filter(|it| it.is_typed);
        typed.for_each(|it| it.is_live = false);
    }

    pub(super) fn is_logged_out(&mut self, at: usize) {
        self.live(at).for_each(|it| it.is_live = false);
    }

    pub(super) fn is_forgotten(&mut self, at: usize) {
        self.is_logged_out(at);
        self.lives[at] += 1;
        self.proven.retain(|(of, _), _| *of != at);
    }

    pub(super) fn is_challenged(&mut self, line: &Line, offered: &[Offered], is_usable: bool) {
        for it in offered {
            let realm = (line.at, it.realm.clone());
            if it.is_basic && is_usable {
                let folders = self.folders.entry(realm).or_default();
                folders.push(folder(line.uri));
            } else if !it.is_basic {
                let paths = self
                    .domains
                    .entry(realm)
                    .or_insert_with(|| Some(Vec::new()));
                match (paths.as_mut(), &it.domain) {
                    (Some(paths), Some(more)) => paths.extend(more),
                    _ => *paths = None,
                }
            }
        }
        if is_usable {
            self.live(line.at).for_each(|it| it.is_preemptive = false);
        }
    }

    pub(super) fn is_proven(&mut self, line: &Line) {
        let answer = line.exchange.answer().expect("an answer");
        let Ok(Authorization::Digest(digest)) = Authorization::parse(answer) else {
            panic!("a proof for Basic");
        };
        if line.life == self.lives[line.at] {
            let realm = digest.realm.to_str().unwrap().into_owned();
            let proven = self.proven.entry((line.at, realm)).or_default();
            *proven = strength(&digest).max(*proven);
        }
    }

    /// The proof of a server that has the password.
    pub(super) fn proof(&self, line: &Line, owner: usize) -> Option<String> {
        let Ok(Authorization::Digest(digest)) = Authorization::parse(line.exchange.answer()?)
        else {
            return None;
        };
        digest.qop_params.as_ref()?;
        let owner = &self.owners[owner];
        let hash = digest.algorithm().hash_function();
        let ha1 = Ha1::new(hash, &owner.user, digest.realm.to_bytes(), &owner.password);
        Some(format!("rspauth={}", proof_for(&digest, &ha1, b"")))
    }

    /// Whether an account without a realm may answer nothing by Basic any more.
    fn is_held_to_digest(&self, owner: &Owner) -> bool {
        let accounts = self.accounts(owner.at);
        let has_own = |realm: &str| accounts.iter().any(|it| it.realm.as_deref() == Some(realm));
        let mut proven = self.proven.keys();
        owner.realm.is_none()
            && proven.any(|(at, realm)| *at == owner.at && !has_own(realm))
            && self.knows_proofs(owner.at)
    }

    /// Whether the cache keeps all that was proved there.
    fn knows_proofs(&self, at: usize) -> bool {
        self.keeps_strengths && self.proven.keys().filter(|it| it.0 == at).count() <= 8
    }

    /// Checks an answer, and returns whose it is.
    pub(super) fn check(
        &mut self,
        value: &[u8],
        line: &Line,
        settings: &Settings,
        target: &Target<'_>,
    ) -> usize {
        let sent = Sent::read(value);
        let shown = format!("{} {} {settings:?}", line.uri, sent.text());
        let is_foreign = match line.uri {
            uri if uri.contains('@') => true,
            _ if line.at == PROXY => false,
            uri if uri.starts_with("https:") => !matches!(line.at, 0 | 4),
            uri => uri.starts_with("http:"),
        };
        assert!(!is_foreign, "{shown}");
        assert!(line.is_asked || !settings.only_when_asked, "{shown}");
        let owner = match Authorization::parse(value).expect("an answer") {
            Authorization::Basic(pair) => {
                let is_of = |it: &Owner| pair.matches(&it.user, &it.password);
                let at = self.owners.iter().position(is_of).expect("a known secret");
                self.check_basic(line, settings, &self.owners[at], &shown);
                at
            }
            Authorization::Digest(digest) => {
                let user = sent.get("username");
                let mut owners = self.owners.iter();
                let at = owners.position(|it| it.user == user).expect("a known user");
                let owner = &self.owners[at];
                let is_right = sent.is_right(user, &owner.password, target);
                assert!(is_right || sent.param("qop") == Some("auth-int"), "{shown}");
                self.check_digest(line, settings, owner, &digest, &shown);
                if let (Some(nc), true) = (sent.param("nc"), self.keeps_counts) {
                    let life = self.lives[line.at];
                    let count = (line.at, life, sent.get("nonce").to_owned(), nc.to_owned());
                    assert!(self.counts.insert(count), "a count twice: {shown}");
                }
                at
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(self.owners[owner].at, line.at, "another endpoint: {shown}");
        assert!(self.owners[owner].is_live, "a login that is gone: {shown}");
        owner
    }

    fn check_basic(&self, line: &Line, settings: &Settings, owner: &Owner, shown: &str) {
        assert!(owner.has_basic, "for Digest alone: {shown}");
        let is_clear = CLEARTEXT.contains(&line.at);
        assert!(!is_clear || settings.cleartext_basic, "{shown}");
        assert!(
            !settings.requires_proof && !settings.requires_auth_int,
            "{shown}"
        );
        assert!(settings.floor <= Strength::Basic, "{shown}");
        let knows = self.knows_proofs(line.at);
        if owner.is_preemptive {
            let mut proven = self.proven.keys();
            assert!(!knows || proven.all(|(at, _)| *at != line.at), "{shown}");
            return;
        }
        assert!(!self.is_held_to_digest(owner), "after a proof: {shown}");
        let is_asked = |realm: &String| {
            let asked = line.is_asked && line.last.contains(&(realm.clone(), true));
            let key = (line.at, realm.clone());
            let mut folders = self.folders.get(&key).into_iter().flatten();
            let covered = folders.any(|it| line.at == PROXY || is_below(line.uri, it));
            (asked || covered) && !(knows && self.proven.contains_key(&key))
        };
        let known = self.folders.keys().map(|(_, realm)| realm);
        let asked = line.last.iter().map(|(realm, _)| realm);
        let mut realms = known.chain(asked);
        let is_mine = |realm: &String| owner.realm.as_ref().is_none_or(|it| it == realm);
        assert!(
            realms.any(|it| is_mine(it) && is_asked(it)),
            "not asked: {shown} {owner:?}"
        );
    }

    fn check_digest(
        &self,
        line: &Line,
        settings: &Settings,
        owner: &Owner,
        digest: &DigestCredentials<'_>,
        shown: &str,
    ) {
        let realm = digest.realm.to_str().unwrap().into_owned();
        let (hash, strength) = (digest.algorithm().hash_function(), strength(digest));
        let key = (line.at, realm.clone());
        let proven = self.proven.get(&key).filter(|_| self.knows_proofs(line.at));
        assert!(
            proven.is_none_or(|proven| strength >= *proven),
            "proven: {shown}"
        );
        assert!(strength >= settings.floor, "{shown}");
        assert!(settings.hash.is_none_or(|it| it == hash), "{shown}");
        let qop = digest.qop_params.as_ref().map(|_| ());
        let covers_body = shown.contains("qop=auth-int");
        assert!(covers_body || !settings.requires_auth_int, "{shown}");
        let may_lack_qop = settings.rfc2069 || settings.without_qop;
        assert!(
            qop.is_some() || may_lack_qop && !settings.requires_proof,
            "{shown}"
        );
        assert!(qop.is_none() || !settings.without_qop, "{shown}");
        assert!(
            owner.realm.as_ref().is_none_or(|it| *it == realm),
            "another realm: {shown}"
        );
        assert!(
            !(owner.is_typed && owner.has_basic),
            "typed for Basic: {shown}"
        );
        assert!(owner.ha1.is_none_or(|it| it == hash), "{shown}");
        if !line.is_asked && line.at != PROXY {
            let domain = self.domains.get(&key).expect("a realm that has asked");
            let mut paths = domain.iter().flatten();
            let is_covered = domain.is_none() || paths.any(|path| is_below(line.uri, path));
            assert!(is_covered, "outside of its domain: {shown}");
        }
    }
}
