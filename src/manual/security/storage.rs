//! What to store for each user, and how to get there.
//!
//! # What to store
//!
//! | to offer | store for each user |
//! |---|---|
//! | Digest | one [`Ha1`](crate::digest::Ha1) for each hash function that is offered |
//! | Digest and Basic | the same: a Basic password is hashed to an HA1 and compared |
//! | Digest with [hashed user names](crate::manual::cookbook::users#hashed-user-names) | also the [`userhash`](crate::digest::userhash), for each hash function |
//! | Basic alone | a slow hash, such as Argon2: see [slow password hashes](crate::manual::cookbook::users#slow-password-hashes) |
//!
//! For Basic, [`verify`](crate::server::Attempt::verify) takes the HA1 of the first algorithm that
//! is offered, or of SHA-256 if none is. An account that has none of this hash function is refused
//! with the right password. If some accounts have only HA1s of another one, such as MD5, compare
//! the [pair](crate::server::Attempt::basic) yourself, and pass the result to
//! [`decide`](crate::server::Attempt::decide).
//!
//! An HA1 is a fast hash, salted by user name and realm. Whoever steals it can guess the password
//! with many attempts a second, and does not even need the password to log in to its realm by
//! Digest. So let only the server read it. A slow hash resists guessing better, but cannot be used
//! with Digest. Never store the password itself.
//!
//! Besides the password, an HA1 is made from the names of the user and of the realm. If you change
//! either, every HA1 concerned has to be made again from the password. Names and passwords have to
//! be in one Unicode form: see the [duties](super::duties#as-a-server).
//!
//! ```
//! use countersign::digest::{Ha1, HashFunction, userhash};
//!
//! /// A row of the table of secrets. Its key is the id of the user, which is not shown here, and the
//! /// name of the hash function.
//! struct Row {
//!     hash_function: String,
//!     ha1: String,
//!     userhash: String,
//! }
//!
//! /// The rows of a new user.
//! fn rows(name: &str, realm: &str, password: &str) -> Vec<Row> {
//!     let row = |&hash| Row {
//!         hash_function: HashFunction::to_string(&hash),
//!         ha1: Ha1::new(hash, name, realm, password).as_hex().to_owned(),
//!         userhash: userhash(hash, name, realm).to_string(),
//!     };
//!     // Or only those that the realm offers.
//!     HashFunction::ALL.iter().map(row).collect()
//! }
//!
//! let rows = rows("Mufasa", "files", "Circle of Life");
//! let row = rows.iter().find(|row| row.hash_function == "SHA-256").unwrap();
//! let ha1 = Ha1::from_hex(row.hash_function.parse()?, &row.ha1)?;
//! assert_eq!(ha1, Ha1::new(HashFunction::Sha256, "Mufasa", "files", "Circle of Life"));
//! # assert_eq!(row.userhash.len(), 64);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # From passwords
//!
//! If the store has passwords, use [`verify_password`](crate::server::Attempt::verify_password)
//! until you have made the HA1s from them, in one run. Then use
//! [`verify`](crate::server::Attempt::verify), check that users still get in, and only then delete
//! the passwords.
//!
//! # From slow hashes
//!
//! An HA1 cannot be made from a bcrypt or Argon2 hash, only from the password, which the server
//! sees when somebody logs in by Basic:
//!
//! 1. Offer Basic alone over an encrypted channel. At each login compare the slow hash, and store
//!    the HA1s. Let in only the exact spelling of the name that the HA1 is made from: with another
//!    one, no Digest client gets in. If other spellings got in so far, such as without regard to
//!    case, tell these users before, or let them in and store HA1s for the spelling that was typed
//!    as well.
//! 2. When enough users have HA1s, offer Digest as well, with the hash functions of the HA1s alone.
//!    Most clients that can do Digest then use it even for a user who has no HA1 yet, and are
//!    refused with [`MissingHa1`](crate::server::Rejection::MissingHa1): give these users a new
//!    password, and store the HA1s of it.
//! 3. Stop offering Basic, and delete the slow hashes.
//!
//! From the first step to the last, an account may have two secrets. Whatever changes or resets a
//! password must replace the HA1s in the same transaction, and whatever disables a password must
//! delete them: otherwise the old password still gets in by Digest. A login may be under way
//! meanwhile, so let it store its HA1 only if the slow hash is still the one that it compared, in
//! one step (`UPDATE ... WHERE slow_hash = ...`).
//!
//! The first step:
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use countersign::digest::{Ha1, HashFunction};
//! use countersign::wire::basic_credentials;
//! use countersign::server::{Attempt, Rejected, Verified};
//!
//! struct Account {
//!     name: String,
//!     slow_hash: String,
//!     ha1: Option<Ha1>,
//! }
//!
//! impl Account {
//!     fn set_password(&mut self, password: &[u8]) {
//!         self.slow_hash = slow_hash(password);
//!         self.set_ha1(password);
//!     }
//!
//!     /// The password must be in Unicode Normalization Form C. Bring a new one into this form before
//!     /// `set_password`. One that matches the slow hash has the form that was hashed then.
//!     fn set_ha1(&mut self, password: &[u8]) {
//!         self.ha1 = Some(Ha1::new(HashFunction::Sha256, &*self.name, "files", password));
//!     }
//! }
//!
//! fn verify<'a>(
//!     attempt: Attempt<'a>,
//!     account: Option<&'a mut Account>,
//! ) -> Result<Verified<'a, &'a Account>, Rejected<'a>> {
//!     // A copy, which is wiped when dropped.
//!     let pair = attempt.basic().cloned();
//!     let password = pair.as_ref().map_or(&b""[..], |pair| pair.password());
//!     let stored = account.as_ref().map_or(DUMMY_HASH, |account| &account.slow_hash);
//!     let matches = slow_compare(stored, password);
//!     // Only the exact spelling, because the HA1 is made from it.
//!     let is_exact = |it: &&'a mut Account| attempt.claimed_user().name() == Some(&it.name);
//!     let account = account.filter(|it| matches && is_exact(it));
//!     attempt.decide(account.map(|account| {
//!         account.set_ha1(password);
//!         &*account
//!     }))
//! }
//! # use countersign::server::{Arrival, Authenticator, BasicOffer, Realm};
//! # use countersign::{Channel, Target};
//! # const DUMMY_HASH: &str = "";
//! # fn slow_hash(password: &[u8]) -> String { String::from_utf8_lossy(password).into() }
//! # fn slow_compare(hash: &str, password: &[u8]) -> bool { hash.as_bytes() == password }
//! # let realm = Realm::new("files")?.with_algorithms(&[]).with_basic(BasicOffer::Encrypted);
//! # let auth = Authenticator::new(realm, 0, &mut getrandom::SysRng)?;
//! # let (name, slow_hash) = ("Mufasa".to_owned(), "Circle of Life".to_owned());
//! # let mut account = Account { name, slow_hash, ha1: None };
//! # let (target, arrival) = (Target::new("GET", "/"), Arrival::now(Channel::Encrypted));
//! # for (password, granted) in [("wrong", false), ("Circle of Life", true)] {
//! #     let value = basic_credentials("Mufasa", password)?;
//! #     let attempt = auth.begin([&value], &target, &arrival).unwrap();
//! #     assert_eq!(verify(attempt, Some(&mut account)).is_ok(), granted);
//! #     let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", "files", "Circle of Life");
//! #     assert_eq!(account.ha1, granted.then_some(ha1));
//! # }
//! # account.set_password(b"Hakuna Matata");
//! # let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", "files", "Hakuna Matata");
//! # assert_eq!((account.ha1, account.slow_hash.as_str()), (Some(ha1), "Hakuna Matata"));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # From htdigest
//!
//! Each line of a file of Apache's tool `htdigest` is `user:realm:HA1`. Name the
//! [`Realm`](crate::server::Realm) exactly as the file does. The tool writes MD5, so offer no other [algorithm](crate::server::Realm::with_algorithms) until every
//! user has a line of SHA-256. It cannot be computed from the line of MD5: you need the password,
//! for example a new one, or one from a login by Basic.
//!
//! ```
//! use std::collections::HashMap;
//!
//! use countersign::digest::{Ha1, HashFunction};
//!
//! type Users<'a> = HashMap<(&'a str, HashFunction), Ha1>;
//!
//! /// The users of one realm. Of two lines for the same user and hash function the first counts, as
//! /// in Apache, whose tool changes the first only, so a later one may hold an old password. An
//! /// invalid line is an error and not skipped: it may be the damaged line of a user, whom a later
//! /// line with an old password would let in.
//! fn users<'a>(file: &'a str, realm: &str) -> Result<Users<'a>, String> {
//!     let mut users = HashMap::new();
//!     for (number, line) in (1..).zip(file.lines()) {
//!         // Only the realm may contain colons.
//!         let fields = line.split_once(':');
//!         let fields = fields.and_then(|(name, rest)| Some((name, rest.rsplit_once(':')?)));
//!         let Some((name, (line_realm, digits))) = fields else {
//!             return Err(format!("line {number}: expected `user:realm:HA1`"));
//!         };
//!         let hash = match digits.len() {
//!             # #[cfg(feature = "md5")]
//!             32 => HashFunction::Md5,
//!             _ => HashFunction::Sha256,
//!         };
//!         // Never print the line itself: it holds a secret.
//!         let ha1 = Ha1::from_hex(hash, digits).map_err(|error| format!("line {number}: {error}"))?;
//!         if line_realm == realm {
//!             users.entry((name, hash)).or_insert(ha1);
//!         }
//!     }
//!     Ok(users)
//! }
//!
//! let file = "Mufasa:files:fc8b2da7371f139a97679f16b5d65b193979ca693792108ecf9da9d2211be765\n";
//! assert!(users(file, "files")?.contains_key(&("Mufasa", HashFunction::Sha256)));
//! assert!(users(file, "others")?.is_empty());
//! # Ok::<(), String>(())
//! ```
//!
//! # From MD5 to SHA-256
//!
//! Store SHA-256 beside MD5 from now on. Until every user has both, offer MD5 alone, because
//! clients choose SHA-256 whether or not the server has an HA1 for it. Then offer SHA-256 first and
//! MD5 second, which is the default of [`Realm`](crate::server::Realm): clients that use the first
//! challenge they support, as RFC 7616, section 3.7, says, then use SHA-256. Log
//! [`Grant::algorithm`](crate::server::Grant::algorithm) to see which users still come with MD5.
