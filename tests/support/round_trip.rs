//! What is written reads back as an equal value, and that is written the same again.

use countersign::digest::{Algorithm, QopSet, User, userhash};
use countersign::wire::{
    AuthenticationInfo, BasicCredentials, DigestChallenge, DigestCredentials, QopParams,
};
use countersign::{
    Authorization, Challenge, FieldValue, InvalidText, RawChallenge, Text, challenges,
    raw_challenges, wire,
};

use super::{compare, naive};

/// What headers are built from: any bytes, and choices among what there is to choose.
#[derive(Debug, Clone, Default)]
pub struct Fields {
    pub choices: u32,
    pub realm: Vec<u8>,
    pub nonce: Vec<u8>,
    pub opaque: Vec<u8>,
    pub domain: Vec<u8>,
    pub uri: Vec<u8>,
    pub name: Vec<u8>,
    pub password: Vec<u8>,
    pub cnonce: Vec<u8>,
}

/// Takes one choice after the other.
struct Choices(u32);

impl Choices {
    fn of(&mut self, count: usize) -> usize {
        let count = u32::try_from(count).expect("a small number");
        let choice = self.0 % count;
        self.0 /= count;
        usize::try_from(choice).expect("a small number")
    }

    fn yes(&mut self) -> bool {
        self.of(2) == 1
    }

    fn one<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.of(all.len())]
    }
}

/// Whatever can be read from `value` as any header.
pub fn read(value: &[u8]) {
    for challenge in raw_challenges([value]).flatten() {
        generic(challenge);
    }
    for challenge in challenges([value]).flatten() {
        match challenge {
            Challenge::Basic { realm, utf8, .. } => basic_challenge(realm, utf8),
            Challenge::Digest(challenge) => digest_challenge(&challenge),
            _ => {}
        }
    }
    match Authorization::parse(value) {
        Ok(Authorization::Basic(pair)) => basic_credentials(&pair),
        Ok(Authorization::Digest(credentials)) => {
            digest_credentials(&credentials);
        }
        Ok(Authorization::Other(challenge)) => {
            let written = challenge.to_field_value();
            let read = Authorization::parse(&written);
            assert!(matches!(read, Ok(Authorization::Other(read)) if read == challenge));
        }
        _ => {}
    }
    if let Ok(read) = AuthenticationInfo::parse([value]) {
        info(&read);
    }
}

/// Every header that can be built from `fields`. What cannot must be refused for the right reason.
pub fn build(fields: &Fields) {
    let mut choose = Choices(fields.choices);
    basics(fields);
    // An error says that there is nothing to write.
    let _ = digests(fields, &mut choose);
}

/// A text, or the position of what it cannot have.
pub fn text(bytes: &[u8]) -> Result<Text<'_>, InvalidText> {
    let control = |byte: &u8| byte.is_ascii_control() && *byte != b'\t';
    let at = bytes.iter().position(control);
    let text = Text::new(bytes);
    assert_eq!(text.err(), at.map(InvalidText::Control));
    text
}

fn basics(fields: &Fields) {
    if let Ok(realm) = std::str::from_utf8(&fields.realm) {
        let refused = text(&fields.realm).err();
        assert_eq!(wire::basic_challenge(realm, true).err(), refused);
        if let Ok(realm) = text(&fields.realm) {
            basic_challenge(realm, true);
            basic_challenge(realm, false);
        }
    }
    let (name, password) = (&fields.name, &fields.password);
    let control = |text: &[u8]| text.iter().position(u8::is_ascii_control);
    let expected = match (name.contains(&b':'), control(name), control(password)) {
        (true, ..) => Err(InvalidText::ColonInUsername),
        (_, Some(at), _) | (_, None, Some(at)) => Err(InvalidText::Control(at)),
        (false, None, None) => Ok(()),
    };
    let value = wire::basic_credentials(name, password);
    assert_eq!(value.as_ref().map(drop), expected.as_ref().map(drop));
    if let Ok(value) = value {
        let Ok(Authorization::Basic(pair)) = Authorization::parse(&value) else {
            panic!("no pair");
        };
        assert_eq!(
            (pair.username(), pair.password()),
            (&name[..], &password[..])
        );
        assert!(pair.matches(name, password));
    }
}

fn digests(fields: &Fields, choose: &mut Choices) -> Result<(), InvalidText> {
    let (opaque, domain) = (text(&fields.opaque)?, text(&fields.domain)?);
    let uri = text(&fields.uri)?;
    let algorithm = choose.one(Algorithm::ALL);
    let challenge = DigestChallenge::new(&fields.realm, &fields.nonce, algorithm);
    let refused = text(&fields.realm).and_then(|_| text(&fields.nonce)).err();
    assert_eq!(challenge.err(), refused);
    let mut challenge = challenge?;
    let qops = [QopSet::NONE, QopSet::AUTH, QopSet::AUTH_INT, QopSet::BOTH];
    challenge.qop = choose.one(&qops);
    challenge.stale = choose.yes();
    challenge.opaque = choose.yes().then_some(opaque);
    challenge.domain = choose.yes().then_some(domain);
    challenge.userhash = choose.yes().then_some(true);
    challenge.utf8 = choose.yes();
    digest_challenge(&challenge);

    let name = String::from_utf8_lossy(&fields.name);
    let hash = algorithm.hash_function();
    let user = match choose.of(3) {
        0 => User::from(&*name),
        1 => User::Octets(fields.name.as_slice().into()),
        _ => User::Hash(userhash(hash, &fields.name, &fields.realm)),
    };
    let cnonce = String::from_utf8_lossy(&fields.cnonce);
    let nc = fields.choices.max(1);
    let nc = if choose.yes() {
        format!("{nc:x}")
    } else {
        format!("{nc:0>8x}")
    };
    let qop = choose.one(&["auth", "auth-int", "AUTH", "Auth-Int"]);
    let protection = QopParams::new(qop, &nc, &cnonce);
    let cnonce_refused = text(cnonce.as_bytes()).is_err();
    assert_eq!(protection.is_err(), cnonce_refused);
    let Ok(protection) = protection else {
        return Ok(());
    };

    let response = userhash(hash, &fields.password, "");
    // A session key is made with the cnonce, so it cannot be without.
    let without = choose.yes() && !algorithm.is_sess();
    let protected = (!without).then_some(protection);
    let credentials = DigestCredentials::new(&challenge, &user, uri, protected, response);
    assert_eq!(credentials.err(), refused_name(&user));
    digest_credentials(&credentials?);

    let mut proof = AuthenticationInfo::default();
    (proof.rspauth, proof.qop) = (
        Some(text(response.as_str().as_bytes())?),
        Some(protection.qop()),
    );
    (proof.cnonce, proof.nc) = (Some(protection.cnonce()), Some(protection.nc()));
    for mut it in [AuthenticationInfo::default(), proof] {
        info(&it);
        it.nextnonce = Some(text(&fields.nonce)?);
        info(&it);
    }
    Ok(())
}

/// Why no credentials can have this user.
fn refused_name(user: &User<'_>) -> Option<InvalidText> {
    match user {
        User::Name(name) => {
            // HTAB and those beyond ASCII, too, where the name cannot stand as it is.
            let control = |name: &str| name.find(char::is_control).map(InvalidText::Control);
            let extended = control(name).filter(|_| !name.is_ascii());
            text(name.as_bytes()).err().or(extended)
        }
        User::Octets(octets) => text(octets).err(),
        _ => None,
    }
}

pub fn generic(challenge: RawChallenge<'_>) {
    let written = challenge.to_field_value();
    only_text(&written);
    let read = reread(&written);
    assert_eq!(read, challenge);
    assert_eq!(read.scheme_name(), challenge.scheme_name());
    assert_eq!(read.to_field_value(), written);
    for ((_, read), (name, value)) in read.params().zip(challenge.params()) {
        let is_realm = name.eq_ignore_ascii_case("realm");
        assert_eq!(
            read.is_unquoted_token(),
            !is_realm && value.is_unquoted_token()
        );
    }
    // What is written is by the letter, whatever was read.
    assert_eq!(
        naive::credentials(written.as_bytes()),
        Some(compare::plain(&challenge))
    );
}

pub fn basic_challenge(realm: Text<'_>, utf8: bool) {
    // What is not UTF-8 is not written.
    let Ok(realm) = realm.to_str() else { return };
    let written = wire::basic_challenge(&realm, utf8).expect("a text");
    only_text(&written);
    let read = challenges([&written]).collect::<Vec<_>>();
    let is_it = |read: Text<'_>, read_utf8| read == &*realm && read_utf8 == utf8;
    assert!(
        matches!(read[..], [Ok(Challenge::Basic { realm, utf8, .. })] if is_it(realm, utf8)),
        "{read:?}"
    );
}

pub fn digest_challenge(challenge: &DigestChallenge<'_>) {
    let written = challenge.to_field_value();
    only_text(&written);
    assert!(naive::credentials(written.as_bytes()).is_some());
    let algorithm = reread(&written).param("algorithm");
    assert!(algorithm.is_none_or(|algorithm| algorithm.is_unquoted_token()));
    match challenges([&written]).next() {
        Some(Ok(Challenge::Digest(read))) => {
            assert_eq!(read, *challenge);
            assert_eq!(read.to_field_value(), written);
        }
        other => panic!("{other:?}"),
    }
}

pub fn basic_credentials(pair: &BasicCredentials) {
    let written = wire::basic_credentials(pair.username(), pair.password()).expect("a pair");
    only_text(&written);
    match Authorization::parse(&written) {
        Ok(Authorization::Basic(read)) => {
            assert_eq!(read.username(), pair.username());
            assert_eq!(read.password(), pair.password());
        }
        other => panic!("{other:?}"),
    }
}

pub fn digest_credentials(credentials: &DigestCredentials<'_>) {
    let written = credentials.to_field_value();
    only_text(&written);
    match Authorization::parse(&written) {
        Ok(Authorization::Digest(read)) => {
            assert_eq!(read, *credentials);
            assert_eq!(read.user(), credentials.user());
            assert_eq!(read.to_field_value(), written);
        }
        other => panic!("{other:?}"),
    }
}

pub fn info(info: &AuthenticationInfo<'_>) {
    let written = info.to_field_value();
    only_text(&written);
    let read = AuthenticationInfo::parse([&written]);
    assert_eq!(read, Ok(*info));
    assert_eq!(read.map(|it| it.to_field_value()), Ok(written.clone()));
}

/// The one challenge that `written` must be.
fn reread(written: &FieldValue) -> RawChallenge<'_> {
    let mut all = raw_challenges([written]);
    let one = all.next().expect("a challenge").expect("a right one");
    assert!(all.next().is_none());
    one
}

/// Nothing is written that would end a header field, or that a reader may stumble over.
fn only_text(written: &FieldValue) {
    let control = |byte: &u8| byte.is_ascii_control() && *byte != b'\t';
    assert!(
        !written.as_bytes().iter().any(control),
        "{}",
        written.as_bytes().escape_ascii()
    );
}
