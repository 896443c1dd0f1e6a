//! Accounts, the ways to write their names, and user stores that take several of them for one
//! account.

use countersign::digest::{HashFunction, User, userhash};

/// A user as a store knows it.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    /// The name that HA1 is made of; composed (NFC), and in no case that folding would leave alone.
    pub name: &'static str,
    /// A second name, which only [`Store::Aliasing`] knows.
    pub alias: &'static str,
    pub password: &'static str,
}

/// How a user store compares names.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Store {
    Exact,
    /// `utf8mb4_general_ci` of MySQL, LDAP's `uid`, Active Directory.
    CaseBlind,
    /// SQL's PAD SPACE.
    Padding,
    /// Composes what is decomposed.
    Normalising,
    /// Finds the account by a second name, too.
    Aliasing,
    /// ISO-8859-1 from clients that ignore `charset`.
    Latin1,
}

impl Store {
    pub const ALL: [Self; 6] = [
        Self::Exact,
        Self::CaseBlind,
        Self::Padding,
        Self::Normalising,
        Self::Aliasing,
        Self::Latin1,
    ];

    /// Whether the store finds the account by what a client claims.
    pub fn finds(self, account: &Account, realm: &str, user: &User<'_>) -> bool {
        let name = match user {
            User::Hash(hash) => {
                return *hash == userhash(hash.hash_function(), account.name, realm);
            }
            User::Octets(octets) if self == Self::Latin1 => {
                octets.iter().map(|&byte| char::from(byte)).collect()
            }
            user => match user.name() {
                Some(name) => name.to_owned(),
                None => return false,
            },
        };
        name == account.name
            || match self {
                Self::Exact | Self::Latin1 => false,
                Self::CaseBlind => name.to_lowercase() == account.name.to_lowercase(),
                Self::Padding => name.trim_end_matches(' ') == account.name,
                Self::Normalising => composed(&name) == account.name,
                Self::Aliasing => name == account.alias,
            }
    }
}

/// The only sequences that the names here decompose into.
const DECOMPOSED: [(&str, &str); 3] = [("ä", "a\u{308}"), ("é", "e\u{301}"), ("å", "a\u{30a}")];

fn composed(name: &str) -> String {
    let compose = |name: String, (one, two): &(&str, &str)| name.replace(two, one);
    DECOMPOSED.iter().fold(name.to_owned(), compose)
}

fn decomposed(name: &str) -> String {
    let decompose = |name: String, (one, two): &(&str, &str)| name.replace(one, two);
    DECOMPOSED.iter().fold(name.to_owned(), decompose)
}

/// A way to write the name of an account.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Spelling {
    /// In a quoted string.
    Clear,
    /// The same, with every character of ASCII escaped.
    Escaped,
    /// `username*`, with all percent-encoded that need not be.
    Extended,
    /// `userhash=true`, in lower case.
    Hashed,
    /// The same in upper case.
    HashedUpper,
    /// ISO-8859-1, one byte a character.
    Latin1,
    OtherCase,
    /// With so many blanks at its end.
    Padded(u8),
    Decomposed,
    Alias,
    /// In another case, and in `username*`.
    ExtendedOtherCase,
}

impl Spelling {
    pub const ALL: [Self; 12] = [
        Self::Clear,
        Self::Escaped,
        Self::Extended,
        Self::Hashed,
        Self::HashedUpper,
        Self::Latin1,
        Self::OtherCase,
        Self::Padded(1),
        Self::Padded(7),
        Self::Decomposed,
        Self::Alias,
        Self::ExtendedOtherCase,
    ];

    /// The parameters that write the name so, names and values as they stand in a header.
    pub fn params(
        self,
        account: &Account,
        realm: &str,
        hash: HashFunction,
    ) -> Vec<(&'static str, Vec<u8>)> {
        let name = account.name;
        let plain = |name: &str| vec![("username", quoted(name.as_bytes(), false))];
        let hashed = |digits: &str| {
            vec![
                ("username", quoted(digits.as_bytes(), false)),
                ("userhash", b"true".to_vec()),
            ]
        };
        match self {
            Self::Clear => plain(name),
            Self::Escaped => vec![("username", quoted(name.as_bytes(), true))],
            Self::Extended => vec![("username*", extended(name))],
            Self::Hashed => hashed(userhash(hash, name, realm).as_str()),
            Self::HashedUpper => hashed(&userhash(hash, name, realm).as_str().to_uppercase()),
            Self::Latin1 => {
                let octet = |c| u8::try_from(c).expect("a character below U+0100");
                let octets: Vec<u8> = name.chars().map(octet).collect();
                vec![("username", quoted(&octets, false))]
            }
            Self::OtherCase => plain(&name.to_uppercase()),
            Self::Padded(blanks) => plain(&format!("{name}{}", " ".repeat(blanks.into()))),
            Self::Decomposed => plain(&decomposed(name)),
            Self::Alias => plain(account.alias),
            Self::ExtendedOtherCase => vec![("username*", extended(&name.to_lowercase()))],
        }
    }

    /// Whether a store takes it for the account: this, and [`Store::finds`] in another way.
    pub fn is_taken_by(self, store: Store, account: &Account) -> bool {
        match self {
            Self::Clear | Self::Escaped | Self::Extended | Self::Hashed | Self::HashedUpper => true,
            Self::Latin1 => account.name.is_ascii() || store == Store::Latin1,
            Self::OtherCase | Self::ExtendedOtherCase => store == Store::CaseBlind,
            Self::Padded(_) => store == Store::Padding,
            Self::Decomposed => account.name.is_ascii() || store == Store::Normalising,
            Self::Alias => store == Store::Aliasing,
        }
    }
}

fn quoted(value: &[u8], escaped: bool) -> Vec<u8> {
    let mut text = vec![b'"'];
    for &byte in value {
        if matches!(byte, b'"' | b'\\') || escaped && byte.is_ascii() {
            text.push(b'\\');
        }
        text.push(byte);
    }
    text.push(b'"');
    text
}

fn extended(name: &str) -> Vec<u8> {
    let digits = name.bytes().map(|byte| format!("%{byte:02X}"));
    format!("UTF-8''{}", digits.collect::<String>()).into_bytes()
}
