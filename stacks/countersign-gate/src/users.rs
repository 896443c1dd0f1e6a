//! The users of a realm, as their files say.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use countersign::digest::{Algorithm, Ha1, HashFunction};
use countersign::server::Realm;
use http::HeaderValue;

use crate::password::Hash;

/// The files of a realm.
#[derive(Clone, Debug)]
pub struct Files {
    pub realm: String,
    /// Lines of `htdigest`: `name:realm:HA1`, with 32 digits of MD5 or 64 of SHA-256.
    pub digest: Option<PathBuf>,
    /// Lines of `htpasswd`: `name:hash`.
    pub basic: Option<PathBuf>,
}

/// A user, who may log in by Digest, by Basic, or by either.
pub struct User {
    /// The name, for the field that tells the proxy's back end.
    pub name: Arc<HeaderValue>,
    md5: Option<Ha1>,
    sha256: Option<Ha1>,
    password: Option<Arc<Hash>>,
}

impl User {
    pub fn ha1(&self, hash: HashFunction) -> Option<&Ha1> {
        match hash {
            HashFunction::Md5 => self.md5.as_ref(),
            HashFunction::Sha256 => self.sha256.as_ref(),
            _ => None,
        }
    }
}

/// The users of a realm, and what it offers to them.
pub struct Users {
    pub realm: Realm,
    users: HashMap<Box<[u8]>, User>,
    /// The hashes of all passwords, of which an unknown user is compared with one. So the time does
    /// not tell who exists, also where the file has hashes of several kinds.
    hashes: Vec<Arc<Hash>>,
    hasher: RandomState,
}

impl Files {
    /// Reads the files.
    ///
    /// # Errors
    ///
    /// What is wrong, with the file and the line. Secrets are not shown.
    pub fn read(&self) -> Result<Users, String> {
        let mut users = HashMap::new();
        if let Some(path) = &self.digest {
            self.read_digest(path, &mut users)?;
        }
        let algorithms = algorithms(&users)?;
        let mut hashes = Vec::new();
        if let Some(path) = &self.basic {
            hashes = read_basic(path, &mut users)?;
        }
        let realm = Realm::new(&self.realm).map_err(|error| format!("realm: {error}"))?;
        let realm = realm.with_algorithms(algorithms);
        Ok(Users {
            realm: if hashes.is_empty() {
                realm
            } else {
                realm.with_basic()
            },
            users,
            hashes,
            hasher: RandomState::new(),
        })
    }

    fn read_digest(&self, path: &Path, users: &mut Named) -> Result<(), String> {
        let mut others = BTreeSet::new();
        for_each_line(path, |name, rest| {
            let Some(digits) = self.digits(rest) else {
                let mut parts = rest.rsplitn(2, |byte| *byte == b':');
                if parts.next().is_some_and(is_ha1) {
                    let realm = String::from_utf8_lossy(parts.next().unwrap_or_default());
                    others.insert(format!("{realm:?}"));
                    return Ok(());
                }
                return Err("not name:realm:HA1, with 32 or 64 hexadecimal digits".into());
            };
            let digits = String::from_utf8_lossy(digits);
            let user = user(users, name)?;
            let (hash, ha1) = match digits.len() {
                32 => (HashFunction::Md5, &mut user.md5),
                _ => (HashFunction::Sha256, &mut user.sha256),
            };
            let read = Ha1::from_hex(hash, &digits).map_err(|error| format!("HA1: {error}"))?;
            // Of two lines the first counts, as in Apache: its tool changes that one only.
            ha1.get_or_insert(read);
            Ok(())
        })?;
        if !users.is_empty() {
            return Ok(());
        }
        let mut why = format!("{}: no user of the realm {:?}", path.display(), self.realm);
        if !others.is_empty() {
            let others: Vec<_> = others.into_iter().collect();
            why += &format!(", only of {}", others.join(", "));
        }
        Err(why)
    }

    /// The digits of a line of this realm, which may have a comment after them.
    fn digits<'a>(&self, rest: &'a [u8]) -> Option<&'a [u8]> {
        let rest = rest
            .strip_prefix(self.realm.as_bytes())?
            .strip_prefix(b":")?;
        let digits = rest.split(|byte| *byte == b':').next()?;
        is_ha1(digits).then_some(digits)
    }
}

type Named = HashMap<Box<[u8]>, User>;

fn is_ha1(digits: &[u8]) -> bool {
    matches!(digits.len(), 32 | 64) && digits.iter().all(u8::is_ascii_hexdigit)
}

/// What is offered: the strongest algorithm that all users have.
fn algorithms(users: &Named) -> Result<&'static [Algorithm], String> {
    let without = |hash| users.iter().find(|(_, user)| user.ha1(hash).is_none());
    match (without(HashFunction::Sha256), without(HashFunction::Md5)) {
        _ if users.is_empty() => Ok(&[]),
        (None, _) => Ok(&[Algorithm::SHA_256]),
        (_, None) => Ok(&[Algorithm::MD5]),
        (Some((md5, _)), Some((sha256, _))) => {
            let [md5, sha256] = [md5, sha256].map(|name| String::from_utf8_lossy(name));
            Err(format!(
                "no algorithm that all users have: {md5:?} has MD5 only, {sha256:?} SHA-256 only; \
                 `countersign-gate user add` gives {md5:?} SHA-256"
            ))
        }
    }
}

fn read_basic(path: &Path, users: &mut Named) -> Result<Vec<Arc<Hash>>, String> {
    let mut hashes = Vec::new();
    for_each_line(path, |name, rest| {
        let text = rest.split(|byte| *byte == b':').next().unwrap_or_default();
        let hash = std::str::from_utf8(text).ok().and_then(Hash::parse);
        let hash = Arc::new(hash.ok_or("not a hash of bcrypt, $apr1$, $5$ or $6$")?);
        let user = user(users, name)?;
        if user.password.is_none() {
            hashes.push(Arc::clone(&hash));
            user.password = Some(hash);
        }
        Ok(())
    })?;
    match hashes.is_empty() {
        true => Err(format!("{}: no user", path.display())),
        false => Ok(hashes),
    }
}

/// Calls `read` with the name and the rest of each line that is neither empty nor a comment. The
/// error is that of the first line that is wrong.
fn for_each_line(
    path: &Path,
    mut read: impl FnMut(&[u8], &[u8]) -> Result<(), String>,
) -> Result<(), String> {
    let shown = path.display();
    // Bytes, because names need not be UTF-8.
    let text = std::fs::read(path).map_err(|error| format!("{shown}: {error}"))?;
    for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let read = match colon {
            Some(colon) => read(&line[..colon], &line[colon + 1..]),
            None => Err("no colon".into()),
        };
        read.map_err(|why| format!("{shown}, line {number}: {why}"))?;
    }
    Ok(())
}

fn user<'a>(users: &'a mut Named, name: &[u8]) -> Result<&'a mut User, String> {
    match users.entry(name.into()) {
        Entry::Occupied(user) => Ok(user.into_mut()),
        Entry::Vacant(place) => {
            check_name(name)?;
            let name = HeaderValue::from_bytes(name);
            Ok(place.insert(User {
                name: Arc::new(name.map_err(|error| error.to_string())?),
                md5: None,
                sha256: None,
                password: None,
            }))
        }
    }
}

/// Checks that a proxy tells the name as it is: whitespace around a field value is not part of it.
pub fn check_name(name: &[u8]) -> Result<(), &'static str> {
    match name {
        [] => Err("the name is empty"),
        [b'#', ..] => Err("a name that begins with # is a comment"),
        [0xEF, 0xBB, 0xBF, ..] => Err("a byte order mark"),
        _ if name.trim_ascii() != name => Err("whitespace around the name"),
        _ if name.iter().any(u8::is_ascii_control) => Err("a control character in the name"),
        _ if name.contains(&b':') => Err("a colon in the name"),
        _ => Ok(()),
    }
}

impl Users {
    pub fn find(&self, name: &[u8]) -> Option<&User> {
        self.users.get(name)
    }

    pub fn len(&self) -> usize {
        self.users.len()
    }

    /// The hash to compare a password of this name with, and whether it is that of the user.
    pub fn hash(&self, name: &[u8]) -> Option<(Arc<Hash>, bool)> {
        let of_user = self.find(name).and_then(|user| user.password.as_ref());
        // The same one each time, because the time tells its kind.
        let at = self.hasher.hash_one(name) as usize % self.hashes.len().max(1);
        let hash = of_user.or_else(|| self.hashes.get(at))?;
        Some((Arc::clone(hash), of_user.is_some()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789abcdef";
    const MD5: &str = "0123456789abcdef0123456789ABCDEF";

    fn read(digest: Option<&[u8]>, basic: Option<&[u8]>, realm: &str) -> Result<Users, String> {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: Option<&[u8]>| {
            let path = dir.path().join(name);
            text.map(|text| std::fs::write(&path, text).unwrap())
                .map(|()| path)
        };
        let files = Files {
            realm: realm.into(),
            digest: write("htdigest", digest),
            basic: write("htpasswd", basic),
        };
        let folder = format!("{}/", dir.path().display());
        files.read().map_err(|why| why.replace(&folder, ""))
    }

    fn digest(text: &str) -> Result<Users, String> {
        read(Some(text.as_bytes()), None, "files")
    }

    #[test]
    fn lines_of_other_realms_are_skipped() {
        let users = digest(&format!(
            "# a comment\r\n\nMufasa:files:{A}\r\nSimba:other:{MD5}\nNala:files:{A}:a comment\n\
             Scar:files:more:{A}\n"
        ));
        let users = users.unwrap();
        assert_eq!(users.len(), 2);
        assert!(users.find(b"Nala").is_some());
        let realm = read(Some(format!("a:b:c:{MD5}\n").as_bytes()), None, "b:c").unwrap();
        assert!(realm.find(b"a").unwrap().ha1(HashFunction::Md5).is_some());
    }

    #[test]
    fn the_strongest_algorithm_that_all_users_have() {
        let (a, b) = (format!("a:files:{A}\n"), format!("b:files:{MD5}\n"));
        let offered = |users: Result<Users, String>| {
            let auth =
                countersign::server::Authenticator::from_os_rng(users.unwrap().realm, 0).unwrap();
            let refusal = auth.challenge(countersign::server::Arrival::now(
                countersign::Channel::Cleartext,
            ));
            let text = |it: &countersign::FieldValue| it.to_str().unwrap().to_owned();
            refusal
                .challenges
                .iter()
                .map(text)
                .collect::<Vec<_>>()
                .join("\n")
        };
        assert!(offered(digest(&a)).contains("algorithm=SHA-256"));
        assert!(offered(digest(&b)).contains("algorithm=MD5"));
        // One challenge, because nginx before 1.23 passes on the first alone.
        let both = offered(digest(&format!("{b}b:files:{A}\n{a}")));
        assert!(
            both.contains("algorithm=SHA-256") && !both.contains("MD5"),
            "{both}"
        );
        let why = digest(&(a + &b)).err().unwrap();
        assert_eq!(
            why,
            "no algorithm that all users have: \"b\" has MD5 only, \"a\" SHA-256 only; \
             `countersign-gate user add` gives \"b\" SHA-256"
        );
    }

    #[test]
    fn of_two_lines_the_first_counts() {
        let other = "f".repeat(64);
        let users = digest(&format!("a:files:{A}\na:files:{other}\n")).unwrap();
        let ha1 = users.find(b"a").unwrap().ha1(HashFunction::Sha256).unwrap();
        assert_eq!(ha1.as_hex(), A.to_lowercase());
    }

    #[test]
    fn names_are_bytes() {
        let users = read(
            Some(&[b"J\xe4s:files:", A.as_bytes()].concat()),
            None,
            "files",
        )
        .unwrap();
        assert_eq!(users.find(b"J\xe4s").unwrap().name.as_bytes(), b"J\xe4s");
    }

    #[test]
    fn what_is_wrong_is_named_by_its_line_and_without_a_secret() {
        let zeros = "0".repeat(64);
        for (text, why) in [
            (format!("\u{feff}a:files:{A}"), "a byte order mark"),
            (format!(" a:files:{A}"), "whitespace around the name"),
            (
                format!("a\u{1}:files:{A}"),
                "a control character in the name",
            ),
            (format!(":files:{A}"), "the name is empty"),
            (format!("a:files:{zeros}"), "HA1: "),
            (format!("a:files:{}", &A[1..]), "not name:realm:HA1"),
            ("a:files:hunter2".into(), "not name:realm:HA1"),
            ("hunter2".into(), "no colon"),
        ] {
            let got = digest(&format!("# first\n{text}\n")).err().unwrap();
            assert!(
                got.starts_with(&format!("htdigest, line 2: {why}")),
                "{got}"
            );
            assert!(!got.contains("hunter2") && !got.contains(&A[1..]), "{got}");
        }
        assert_eq!(
            digest("").err().unwrap(),
            "htdigest: no user of the realm \"files\""
        );
        let others = format!("a:other:{A}\na:\u{7}:{A}\n");
        assert_eq!(
            digest(&others).err().unwrap(),
            r#"htdigest: no user of the realm "files", only of "\u{7}", "other""#
        );
    }

    #[test]
    fn users_of_basic() {
        let bcrypt = "$2y$05$PGUvu8TPHs1EpYNOeJVHdexDZjCATbao9XJkihVMbT60N/kbKfPva";
        let text =
            format!("Mufasa:{bcrypt}\nSimba:$apr1$abcdefgh$nJrtNnpaiqD4QakhsmtlN0:comment\n");
        let users = read(None, Some(text.as_bytes()), "files").unwrap();
        assert_eq!(users.len(), 2);
        assert!(users.hash(b"Mufasa").unwrap().1);
        // An unknown user is compared with some hash, and each time with the same.
        let (first, is_known) = users.hash(b"Scar").unwrap();
        assert!(!is_known);
        assert!((0..100).all(|_| Arc::ptr_eq(&users.hash(b"Scar").unwrap().0, &first)));
        let kinds = (0..100).map(|it| Arc::as_ptr(&users.hash(&[it]).unwrap().0));
        assert_eq!(kinds.collect::<BTreeSet<_>>().len(), 2, "all kinds occur");
        let why = read(None, Some(b"a:{SHA}x\n"), "files").err().unwrap();
        assert_eq!(
            why,
            "htpasswd, line 1: not a hash of bcrypt, $apr1$, $5$ or $6$"
        );
        assert_eq!(
            read(None, Some(b"\n"), "files").err().unwrap(),
            "htpasswd: no user"
        );
    }
}
