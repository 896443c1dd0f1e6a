//! The policy of a client.

use crate::client::strength::hash_rank;
use crate::digest::HashFunction;

/// What a client accepts and sends. The default prefers the strongest challenge, and refuses RFC
/// 2069 and Basic over a cleartext channel.
///
/// | default | to change it |
/// |---|---|
/// | every Digest algorithm (MD5 with the feature `md5`), strongest hash function first | [`without_md5`](Self::without_md5), [`with_floor`](Self::with_floor), [`require_hash`](Self::require_hash), [`without_sess_algorithms`](Self::without_sess_algorithms) |
/// | no RFC 2069: a response without a count may be replayed | [`with_rfc2069`](Self::with_rfc2069) |
/// | Basic only over an encrypted channel | [`without_basic`](Self::without_basic), [`with_cleartext_basic`](Self::with_cleartext_basic) |
/// | `auth` if offered, otherwise `auth-int` | [`prefer_auth_int`](Self::prefer_auth_int), [`require_auth_int`](Self::require_auth_int) |
/// | a hashed user name if the server supports it | [`without_userhash`](Self::without_userhash) |
/// | UTF-8; a name that is not ASCII as `username*` if the server appears to support it | [`with_plain_usernames`](Self::with_plain_usernames), [`with_extended_usernames`](Self::with_extended_usernames), [`with_latin1`](Self::with_latin1) |
/// | name and password as given | `with_precis`, of the feature `precis` |
/// | at most two refused answers in one exchange, and up to eight more for which [other requests](super::states#giving-up) may be the reason; a wrong password usually ends it at the first | [`with_max_answers`](Self::with_max_answers) |
/// | a response that covers `nc` and `cnonce`, with an unquoted `qop` | [`with_uncounted_form`](Self::with_uncounted_form), [`with_quoted_qop`](Self::with_quoted_qop) |
/// | a server need not prove that it knows the secret, but a wrong proof is an error | [`require_server_proof`](Self::require_server_proof), [`ignore_wrong_server_proof`](Self::ignore_wrong_server_proof) |
///
/// ```
/// use countersign::client::Policy;
/// use countersign::digest::HashFunction;
///
/// let camera = Policy::new().with_rfc2069();
/// let bank = Policy::new().without_md5().without_basic().require_server_proof();
/// let uploads = Policy::new().with_floor(HashFunction::Sha256).require_auth_int();
/// // Over TLS, where the server itself is to notice a body that was damaged.
/// let checked = Policy::new().prefer_auth_int();
/// let old_server = Policy::new().without_userhash().without_sess_algorithms();
/// let ignores_counts = Policy::new().with_uncounted_form();
/// # let _ = (camera, bank, uploads, checked, old_server, ignores_counts);
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Policy {
    pub(super) basic: bool,
    pub(super) cleartext_basic: bool,
    pub(super) floor: Option<HashFunction>,
    pub(super) required_hash: Option<HashFunction>,
    pub(super) sess_algorithms: bool,
    pub(super) rfc2069: bool,
    pub(super) uncounted_form: bool,
    pub(super) auth_int: AuthInt,
    pub(super) userhash: bool,
    pub(super) latin1: bool,
    #[cfg(feature = "precis")]
    pub(super) precis: bool,
    pub(super) usernames: Usernames,
    pub(super) max_answers: u8,
    pub(super) requires_proof: bool,
    pub(super) ignore_wrong_proof: bool,
    pub(super) quoted_qop: bool,
}

/// Whether a response covers the body.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum AuthInt {
    /// Only if no other qop is offered.
    LastResort,
    /// Whenever it is offered and the body is known, except in the uncounted form.
    Preferred,
    /// Always.
    Required,
}

/// How a user name that is not ASCII is sent in UTF-8.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Usernames {
    /// As `username*` if the challenge suggests that the server supports it, else as `username`.
    IfSupported,
    /// As `username`.
    Plain,
    /// As `username*`.
    Extended,
}

impl Policy {
    /// The default policy.
    pub const fn new() -> Self {
        Self {
            basic: true,
            cleartext_basic: false,
            floor: None,
            required_hash: None,
            sess_algorithms: true,
            rfc2069: false,
            uncounted_form: false,
            auth_int: AuthInt::LastResort,
            userhash: true,
            latin1: false,
            #[cfg(feature = "precis")]
            precis: false,
            usernames: Usernames::IfSupported,
            max_answers: 2,
            requires_proof: false,
            ignore_wrong_proof: false,
            quoted_qop: false,
        }
    }

    /// Never uses Basic, which sends the password itself. The default policy answers a Basic
    /// challenge over an encrypted channel if no Digest challenge beside it can be answered, or if
    /// the client is logged in to its realm, but not to the realm of such a Digest challenge.
    #[must_use]
    pub const fn without_basic(mut self) -> Self {
        self.basic = false;
        self
    }

    /// Allows Basic on a cleartext channel, where eavesdroppers can read the password. Basic is
    /// still refused with [`without_basic`](Self::without_basic),
    /// [`require_auth_int`](Self::require_auth_int) or
    /// [`require_server_proof`](Self::require_server_proof), in any order.
    ///
    /// This also gives up what Digest protects: an active attacker can replace a Digest challenge
    /// by a Basic one in an invented realm and read the password, because the
    /// [strength](super::Strength) that one realm has shown does not count for another. So set this
    /// only for an endpoint that needs it, with
    /// [`AuthCache::client_with`](super::AuthCache::client_with), and log in only if the
    /// [realm](super::Ask::realm) and the [scheme](super::Ask::scheme) of the ask are those that
    /// you know, as the recipe `crawler` does.
    #[must_use]
    pub const fn with_cleartext_basic(mut self) -> Self {
        self.cleartext_basic = true;
        self
    }

    /// Never uses MD5. The same as [`with_floor(HashFunction::Sha256)`](Self::with_floor).
    #[must_use]
    pub const fn without_md5(self) -> Self {
        self.with_floor(HashFunction::Sha256)
    }

    /// Never uses a hash function weaker than this one. A floor lower than the current one has no
    /// effect. SHA-512/256 counts as stronger than SHA-256.
    #[must_use]
    pub const fn with_floor(mut self, floor: HashFunction) -> Self {
        self.floor = match self.floor {
            Some(present) if hash_rank(present) > hash_rank(floor) => Some(present),
            _ => Some(floor),
        };
        self
    }

    /// Skips Digest challenges with any other hash function, for programs that store HA1s of one
    /// hash function: see [`Client::login_with_ha1`](super::Client::login_with_ha1). To skip Basic,
    /// too, add [`without_basic`](Self::without_basic).
    #[must_use]
    pub const fn require_hash(mut self, hash: HashFunction) -> Self {
        self.required_hash = Some(hash);
        self
    }

    /// Never uses the `-sess` algorithms, whose session key some servers compute differently.
    #[must_use]
    pub const fn without_sess_algorithms(mut self) -> Self {
        self.sess_algorithms = false;
        self
    }

    /// Answers challenges without qop in the form of RFC 2069, which old devices need. Such an
    /// answer has no nonce count, so a captured request may be replayed. The default skips such
    /// challenges, because an attacker could remove the qop from a challenge.
    ///
    /// A challenge without qop for a `-sess` algorithm is still skipped, because there would be no
    /// cnonce for the session key. All without qop are skipped with
    /// [`require_auth_int`](Self::require_auth_int) or
    /// [`require_server_proof`](Self::require_server_proof).
    #[must_use]
    pub const fn with_rfc2069(mut self) -> Self {
        self.rfc2069 = true;
        self
    }

    /// Answers challenges with a qop in the uncounted form: `response = H(HA1:nonce:HA2)`, although
    /// `qop`, `nc` and `cnonce` are sent. Some descriptions of Digest teach this. No server that
    /// follows RFC 2617 or RFC 7616 accepts it, and it leaves `nc` and `cnonce` unprotected, so an
    /// attacker who captures a header can change its count. It also weakens the server's proof: see
    /// [`ServerProof::Valid`](super::ServerProof::Valid).
    ///
    /// The form is never used for `auth-int`: a captured `auth-int` response to `POST /x` would
    /// also be a valid `auth` response to `POST /x:HASH`, where HASH is the hash of the body,
    /// because both have the same HA2 and this form does not cover the qop. So `auth` is chosen,
    /// and a challenge that offers only `auth-int` is skipped. With
    /// [`require_auth_int`](Self::require_auth_int), every challenge is skipped.
    #[must_use]
    pub const fn with_uncounted_form(mut self) -> Self {
        self.uncounted_form = true;
        self
    }

    /// Uses `auth-int`, which covers the body, if the challenge offers it and the body is known.
    /// That is no protection from an attacker who alters challenges. It has no effect with
    /// [`require_auth_int`](Self::require_auth_int), in either order. The [uncounted
    /// form](Self::with_uncounted_form) never uses `auth-int`.
    #[must_use]
    pub const fn prefer_auth_int(mut self) -> Self {
        if !matches!(self.auth_int, AuthInt::Required) {
            self.auth_int = AuthInt::Preferred;
        }
        self
    }

    /// Always uses `auth-int`, which covers the body. Challenges that do not offer it are skipped.
    /// For a challenged request with an unknown body, [`authorize`](super::Client::authorize)
    /// returns [`BodyNeeded`](super::AuthorizeError::BodyNeeded).
    #[must_use]
    pub const fn require_auth_int(mut self) -> Self {
        self.auth_int = AuthInt::Required;
        self
    }

    /// Sends the plain user name even if the server supports `userhash`.
    #[must_use]
    pub const fn without_userhash(mut self) -> Self {
        self.userhash = false;
        self
    }

    /// Sends a name that is not ASCII as `username`, never as `username*`. This does not concern
    /// hashed names (`userhash`).
    ///
    /// RFC 7616, section 3.4, provides `username*` for such names, but many servers do not support
    /// it, for example Apache httpd 2.4.71, Squid 5.7 and libmicrohttpd 0.9.75. So the default
    /// sends it only if the challenge uses another feature that RFC 7616 introduced:
    /// `charset=UTF-8`, `userhash` (true or false), or a hash function other than MD5. This setting
    /// is for servers that use one of these and still do not support `username*`. Of this and
    /// [`with_extended_usernames`](Self::with_extended_usernames), the later call applies.
    ///
    /// ```
    /// use countersign::client::Policy;
    ///
    /// let policy = Policy::new().with_plain_usernames();
    /// # let _ = policy;
    /// ```
    #[must_use]
    pub const fn with_plain_usernames(mut self) -> Self {
        self.usernames = Usernames::Plain;
        self
    }

    /// Sends a name that is not ASCII and not hashed as `username*` (RFC 7616, section 3.4), even
    /// if nothing in the challenge suggests that the server supports it; Werkzeug 3.1.8, for one,
    /// supports it without a sign. A name in ISO-8859-1 ([`with_latin1`](Self::with_latin1)) is
    /// still sent as `username`. For the default see
    /// [`with_plain_usernames`](Self::with_plain_usernames).
    ///
    /// ```
    /// use countersign::Target;
    /// use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
    ///
    /// # #[cfg(feature = "md5")] {
    /// let policy = Policy::new().with_extended_usernames();
    /// let endpoint = Endpoint::origin("https", "example.com", None)?;
    /// let mut client = Client::new(endpoint, policy, &mut getrandom::SysRng)?;
    /// let mut exchange = Exchange::new();
    /// let challenge = r#"Digest realm="files", nonce="n", qop="auth""#;
    /// let next = client.challenged(&mut exchange, [challenge]);
    /// let Next::Login(ask) = next else { unreachable!() };
    /// client.login(&ask, "Jäsøn", "Secret, or not?")?;
    /// let answer = client.authorize(&mut exchange, &Target::new("GET", "/"))?;
    /// assert!(answer.unwrap().to_str()?.starts_with("Digest username*=UTF-8''J%C3%A4s%C3%B8n, "));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn with_extended_usernames(mut self) -> Self {
        self.usernames = Usernames::Extended;
        self
    }

    /// Encodes the user name and the password in ISO-8859-1 if the challenge lacks `charset=UTF-8`,
    /// as some old servers expect, or if there was none yet
    /// ([`with_preemptive_basic`](super::Client::with_preemptive_basic)). A character outside
    /// ISO-8859-1 makes the login fail ([`LoginError::Text`](super::LoginError::Text)). The name is
    /// then never sent as `username*`. If a later challenge changes the charset, the client asks
    /// for a login again, unless both are ASCII; after a login with an HA1, only the name counts.
    ///
    /// ```
    /// use countersign::Target;
    /// use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
    ///
    /// let policy = Policy::new().with_latin1();
    /// # let endpoint = Endpoint::origin("https", "example.com", None)?;
    /// # let mut client = Client::new(endpoint, policy, &mut getrandom::SysRng)?;
    /// let mut exchange = Exchange::new();
    /// let next = client.challenged(&mut exchange, [r#"Basic realm="files""#]);
    /// let Next::Login(ask) = next else { unreachable!() };
    /// client.login(&ask, "Jäsøn", "secret")?;
    /// let answer = client.authorize(&mut exchange, &Target::new("GET", "/"))?;
    /// // Base64 of the bytes J, 0xE4, s, 0xF8, n, and of ":secret".
    /// assert_eq!(*answer.unwrap(), "Basic SuRz+G46c2VjcmV0");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn with_latin1(mut self) -> Self {
        self.latin1 = true;
        self
    }

    /// Maps the user name and password of a [`login`](super::Client::login), and of
    /// [`with_preemptive_basic`](super::Client::with_preemptive_basic), by
    /// [`precis`](crate::precis), so that composed and decomposed letters make one login, as
    /// `charset=UTF-8` asks. The name of a [`login_with_ha1`](super::Client::login_with_ha1) is
    /// sent as given. Available with the feature `precis`.
    ///
    /// It applies whether the challenge has a charset or not, because what servers without one
    /// store was usually typed on a keyboard, and most keyboards produce composed letters. Leave it
    /// off for a server that stores decomposed names or passwords. The default sends what was
    /// typed.
    ///
    /// ```
    /// use countersign::Target;
    /// use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
    ///
    /// let policy = Policy::new().with_precis();
    /// let endpoint = Endpoint::origin("https", "example.com", None)?;
    /// let mut client = Client::new(endpoint, policy, &mut getrandom::SysRng)?;
    /// let mut exchange = Exchange::new();
    /// let challenge = r#"Basic realm="files", charset="UTF-8""#;
    /// let next = client.challenged(&mut exchange, [challenge]);
    /// let Next::Login(ask) = next else { unreachable!() };
    /// client.login(&ask, "Ja\u{308}s\u{f8}n", "cafe\u{301}")?;
    /// let answer = client.authorize(&mut exchange, &Target::new("GET", "/"))?.unwrap();
    /// assert_eq!(*answer, countersign::wire::basic_credentials("J\u{e4}s\u{f8}n", "caf\u{e9}")?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "precis")]
    #[must_use]
    pub const fn with_precis(mut self) -> Self {
        self.precis = true;
        self
    }

    /// Sets the most answers of one [`Exchange`](super::Exchange) that a server may refuse before
    /// the client gives up; 0 counts as 1. The default is 2: one answer, and another if the first
    /// was refused for its nonce or its parameters. Requests without an answer do not count, nor
    /// does the first answer sent [before the server
    /// asks](super::states#answers-sent-before-the-server-asks) if another realm challenges it; an
    /// accepted answer starts the count again. After the first refusal, up to eight more do not
    /// count if [other requests](super::states#giving-up) may be the reason. The client often gives
    /// up earlier: at once if the secret was refused, and at the second refusal of the current
    /// nonce as stale if no other request may be the reason.
    ///
    /// ```
    /// use countersign::Target;
    /// use countersign::client::{Client, Endpoint, Exchange, GiveUp, Next, Policy};
    ///
    /// let policy = Policy::new().with_max_answers(1);
    /// # let endpoint = Endpoint::origin("https", "example.com", None)?;
    /// # let mut client = Client::new(endpoint, policy, &mut getrandom::SysRng)?;
    /// let mut exchange = Exchange::new();
    /// let challenge = r#"Digest realm="files", nonce="1", qop="auth", algorithm=SHA-256"#;
    /// let next = client.challenged(&mut exchange, [challenge]);
    /// let Next::Login(ask) = next else { unreachable!() };
    /// client.login(&ask, "Mufasa", "Circle of Life")?;
    /// client.authorize(&mut exchange, &Target::new("GET", "/"))?;
    /// let stale = r#"Digest realm="files", nonce="2", qop="auth", algorithm=SHA-256, stale=true"#;
    /// let next = client.challenged(&mut exchange, [stale]);
    /// assert_eq!(next, Next::GiveUp(GiveUp::TooManyAnswers));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn with_max_answers(mut self, answers: u8) -> Self {
        self.max_answers = if answers == 0 { 1 } else { answers };
        self
    }

    /// Makes every response without a challenge an error, unless it has a
    /// [valid](super::ServerProof::Valid) proof that the server knows the secret. Challenges for
    /// Basic and RFC 2069, with which it cannot prove that it does now, are skipped; with
    /// [`with_uncounted_form`](Self::with_uncounted_form), all are.
    ///
    /// Responses to requests that carried no answer are errors, too
    /// ([`Missing`](super::ServerProofError::Missing)), because an attacker in the server's place
    /// could have sent them. So with this setting, requests for public resources and public
    /// redirects of the origin fail. To require a proof for some requests only, leave this setting
    /// off, use [`without_basic`](Self::without_basic), and check that
    /// [`Next::Done`](super::Next::Done) has [`ServerProof::Valid`](super::ServerProof::Valid).
    ///
    /// It overrides [`ignore_wrong_server_proof`](Self::ignore_wrong_server_proof), in either
    /// order.
    #[must_use]
    pub const fn require_server_proof(mut self) -> Self {
        self.requires_proof = true;
        self
    }

    /// Accepts responses with a wrong proof: [`completed`](super::Client::completed) returns
    /// [`ServerProof::Wrong`](super::ServerProof::Wrong) instead of an error.
    ///
    /// This is for servers that compute the proof incorrectly, such as WEBrick 1.8, which hashes
    /// the body of the request instead of the response for `auth-int`. With other servers, the
    /// sender of a wrong proof may not know the secret (RFC 7616, section 3.5), so leave this off.
    ///
    /// It has no effect with [`require_server_proof`](Self::require_server_proof), in either order.
    ///
    /// ```
    /// use countersign::client::{Client, Endpoint, Exchange, Next, Policy, ServerProof};
    /// use countersign::{EntityBody, Target};
    ///
    /// let policy = Policy::new().ignore_wrong_server_proof();
    /// # let endpoint = Endpoint::origin("https", "example.com", None)?;
    /// # let mut client = Client::new(endpoint, policy, &mut getrandom::SysRng)?;
    /// let mut exchange = Exchange::new();
    /// let challenge = r#"Digest realm="files", nonce="n", qop="auth", algorithm=SHA-256"#;
    /// let next = client.challenged(&mut exchange, [challenge]);
    /// let Next::Login(ask) = next else { unreachable!() };
    /// client.login(&ask, "Mufasa", "Circle of Life")?;
    /// client.authorize(&mut exchange, &Target::new("GET", "/"))?;
    /// let info = format!(r#"rspauth="{}""#, "0".repeat(64));
    /// let proof = client.completed(&mut exchange, 200, [&info], EntityBody::Unknown)?;
    /// assert_eq!(proof, ServerProof::Wrong);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn ignore_wrong_server_proof(mut self) -> Self {
        self.ignore_wrong_proof = true;
        self
    }

    /// Writes `qop="auth"`, which old versions of IIS require, instead of `qop=auth`, which RFC
    /// 7616, section 3.4, requires. Some cameras refuse the quoted form.
    ///
    /// ```
    /// use countersign::Target;
    /// use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
    ///
    /// let policy = Policy::new().with_quoted_qop();
    /// # let endpoint = Endpoint::origin("https", "example.com", None)?;
    /// # let mut client = Client::new(endpoint, policy, &mut getrandom::SysRng)?;
    /// let mut exchange = Exchange::new();
    /// let challenge = r#"Digest realm="files", nonce="n", qop="auth", algorithm=SHA-256"#;
    /// let next = client.challenged(&mut exchange, [challenge]);
    /// let Next::Login(ask) = next else { unreachable!() };
    /// client.login(&ask, "Mufasa", "Circle of Life")?;
    /// let answer = client.authorize(&mut exchange, &Target::new("GET", "/"))?;
    /// assert!(answer.unwrap().to_str()?.contains(r#"qop="auth""#));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn with_quoted_qop(mut self) -> Self {
        self.quoted_qop = true;
        self
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self::new()
    }
}
