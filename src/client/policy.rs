//! What a client may do.

use crate::channel::Channel;
use crate::digest::{HashFunction, Qop, QopSet};

/// What a client may do. The default prefers the strongest a server offers and refuses what would
/// give the password, or a request that can be replayed, to whoever listens.
///
/// | default | to change it |
/// |---|---|
/// | every Digest algorithm, strongest hash first | [`without_md5`](Self::without_md5), [`with_floor`](Self::with_floor), [`require_hash`](Self::require_hash), [`without_sess_algorithms`](Self::without_sess_algorithms) |
/// | no RFC 2069: a response without a count can be replayed | [`with_rfc2069`](Self::with_rfc2069) |
/// | Basic only over an encrypted channel | [`without_basic`](Self::without_basic), [`with_cleartext_basic`](Self::with_cleartext_basic) |
/// | `auth` before `auth-int` | [`prefer_auth_int`](Self::prefer_auth_int), [`require_auth_int`](Self::require_auth_int) |
/// | a hashed user name where the server understands it | [`without_userhash`](Self::without_userhash) |
/// | UTF-8, a name beyond ASCII as `username*` where the server shows that it can read that | [`with_plain_usernames`](Self::with_plain_usernames), [`with_extended_usernames`](Self::with_extended_usernames), [`with_latin1`](Self::with_latin1) |
/// | two answers to one request | [`with_max_answers`](Self::with_max_answers) |
/// | a server need not prove itself, but a wrong proof is an error | [`require_server_proof`](Self::require_server_proof), [`ignore_wrong_server_proof`](Self::ignore_wrong_server_proof) |
///
/// ```
/// use countersign::client::Policy;
///
/// let camera = Policy::new().with_rfc2069();
/// let bank = Policy::new().without_md5().without_basic().require_server_proof();
/// # let _ = (camera, bank);
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Policy {
    pub(super) basic: bool,
    pub(super) cleartext_basic: bool,
    pub(super) floor: Option<HashFunction>,
    pub(super) hash: Option<HashFunction>,
    pub(super) sess_algorithms: bool,
    pub(super) rfc2069: bool,
    pub(super) uncounted_form: bool,
    pub(super) auth_int: AuthInt,
    pub(super) userhash: bool,
    pub(super) latin1: bool,
    usernames: Usernames,
    pub(super) max_answers: u8,
    pub(super) server_proof: bool,
    ignore_wrong_proof: bool,
    pub(super) quoted_qop: bool,
}

/// When a response covers the body.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum AuthInt {
    /// If nothing else is offered.
    LastResort,
    /// If it is offered and the body is known.
    Preferred,
    /// Always.
    Required,
}

/// How a user name beyond ASCII is sent in UTF-8.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Usernames {
    /// As `username*` if the challenge shows that the server can read it, else as `username`.
    AsRead,
    /// As `username`.
    Plain,
    /// As `username*`.
    Extended,
}

impl Policy {
    /// The default.
    pub const fn new() -> Self {
        Self {
            basic: true,
            cleartext_basic: false,
            floor: None,
            hash: None,
            sess_algorithms: true,
            rfc2069: false,
            uncounted_form: false,
            auth_int: AuthInt::LastResort,
            userhash: true,
            latin1: false,
            usernames: Usernames::AsRead,
            max_answers: 2,
            server_proof: false,
            ignore_wrong_proof: false,
            quoted_qop: false,
        }
    }

    /// Never sends the password itself, on whatever channel. Without this, a Digest challenge that
    /// cannot be read makes the client answer a Basic challenge beside it, over TLS.
    #[must_use]
    pub const fn without_basic(mut self) -> Self {
        self.basic = false;
        self
    }

    /// Sends the password even where others can read it. It has no effect with
    /// [`without_basic`](Self::without_basic), whichever is said first.
    #[must_use]
    pub const fn with_cleartext_basic(mut self) -> Self {
        self.cleartext_basic = true;
        self
    }

    /// Never uses MD5.
    #[must_use]
    pub const fn without_md5(self) -> Self {
        self.with_floor(HashFunction::Sha256)
    }

    /// Never uses a hash weaker than this one, or than a floor set before. SHA-512/256 counts as
    /// stronger than SHA-256.
    #[must_use]
    pub const fn with_floor(mut self, floor: HashFunction) -> Self {
        self.floor = match self.floor {
            Some(present) if strength(present) > strength(floor) => Some(present),
            _ => Some(floor),
        };
        self
    }

    /// Answers no Digest challenge of another hash than this, for anyone who keeps HA1s of this
    /// hash alone: see [`Client::login_with_ha1`](super::Client::login_with_ha1).
    #[must_use]
    pub const fn require_hash(mut self, hash: HashFunction) -> Self {
        self.hash = Some(hash);
        self
    }

    /// Never uses the `-sess` algorithms, whose session key some servers compute in their own way.
    #[must_use]
    pub const fn without_sess_algorithms(mut self) -> Self {
        self.sess_algorithms = false;
        self
    }

    /// Answers a challenge without qop in the form of RFC 2069, as old devices need it. Such a
    /// request has no count: whoever captures it may be able to send it again. Without this, an
    /// attacker could take the qop out of a challenge to get one.
    #[must_use]
    pub const fn with_rfc2069(mut self) -> Self {
        self.rfc2069 = true;
        self
    }

    /// Answers a challenge with a qop in the uncounted form: `response = H(HA1:nonce:HA2)` although
    /// `qop`, `nc` and `cnonce` are sent, as some descriptions of Digest teach it. No server that
    /// follows an RFC accepts it, and it leaves `nc` and `cnonce` unprotected: whoever captures a
    /// header can give it another count.
    ///
    /// The form is never used for `auth-int`: with nothing between them, the hash of the body could
    /// be read as the end of the request-target, and a captured `POST /x` be sent as `POST /x:` and
    /// that hash. So `auth` is chosen, and a challenge without it is skipped, as is every one with a
    /// qop if the policy also says [`require_auth_int`](Self::require_auth_int).
    #[must_use]
    pub const fn with_uncounted_form(mut self) -> Self {
        self.uncounted_form = true;
        self
    }

    /// Covers the body where the server offers it and the body is known.
    #[must_use]
    pub const fn prefer_auth_int(mut self) -> Self {
        if !matches!(self.auth_int, AuthInt::Required) {
            self.auth_int = AuthInt::Preferred;
        }
        self
    }

    /// Covers the body always: other challenges are skipped, and a request whose body is not
    /// known is an error.
    #[must_use]
    pub const fn require_auth_int(mut self) -> Self {
        self.auth_int = AuthInt::Required;
        self
    }

    /// Sends the user name itself even where the server understands a hash of it.
    #[must_use]
    pub const fn without_userhash(mut self) -> Self {
        self.userhash = false;
        self
    }

    /// Sends a name beyond ASCII always as `username`, in UTF-8 as it is, and never as `username*`.
    ///
    /// RFC 7616, section 3.4, wants `username*`. Most servers do not know it, Apache, libmicrohttpd
    /// and Squid among them. So the default sends it only where the challenge says `charset=UTF-8`,
    /// has a `userhash`, true or false, or a hash other than MD5, all of which came with `username*`.
    /// This setting is for a server that has one of these and cannot read it all the same;
    /// [`with_extended_usernames`](Self::with_extended_usernames) is the opposite. The last of the
    /// two counts.
    #[must_use]
    pub const fn with_plain_usernames(mut self) -> Self {
        self.usernames = Usernames::Plain;
        self
    }

    /// Sends a name beyond ASCII always as `username*` (RFC 7616, section 3.4), even where nothing
    /// in the challenge shows that the server can read it, as Werkzeug's can. The opposite is
    /// [`with_plain_usernames`](Self::with_plain_usernames), which says what the default is. The
    /// last of the two counts.
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
    /// let Next::Login(ask) = client.challenged(&mut exchange, [challenge]) else { unreachable!() };
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

    /// Encodes user name and password in ISO-8859-1 where the challenge names no charset, as old
    /// servers expect it; the name goes as `username` then. If a later challenge names another than
    /// the one before, what is not ASCII must be encoded anew, and the client asks for it.
    #[must_use]
    pub const fn with_latin1(mut self) -> Self {
        self.latin1 = true;
        self
    }

    /// How many answers to one request of the user a server may refuse before the client gives up:
    /// at least 1. The default, 2, is one answer and another for a nonce that grew old.
    #[must_use]
    pub const fn with_max_answers(mut self, answers: u8) -> Self {
        self.max_answers = if answers == 0 { 1 } else { answers };
        self
    }

    /// Treats a response without a proof that the server knows the secret, too, as an error. Basic
    /// and RFC 2069 have no such proof, so they are not answered.
    ///
    /// A response to a request that carried no answer is one without a proof:
    /// [`accepted`](super::Client::completed) calls it
    /// [`Missing`](super::ServerProofError::Missing), because whoever is on the way could have
    /// given it in the server's place. So nothing public can be fetched with such a client.
    ///
    /// It outweighs [`ignore_wrong_server_proof`](Self::ignore_wrong_server_proof), whichever is said
    /// first.
    #[must_use]
    pub const fn require_server_proof(mut self) -> Self {
        self.server_proof = true;
        self
    }

    /// Goes on where the server's proof is wrong: [`accepted`](super::Client::completed) returns
    /// [`ServerProof::Wrong`](super::ServerProof::Wrong), and treats the response as it treats one
    /// without a proof.
    ///
    /// RFC 7616, section 3.5, has the proof for that the client finds out that it talks to a server
    /// that knows the secret. This is for a server that computes it wrong, such as WEBrick 1.8, which
    /// takes the body of the request for that of the response where the qop is `auth-int`. Elsewhere
    /// whoever is on the way can say anything in the server's place, and no longer gives themselves
    /// away by it.
    ///
    /// It has no effect with [`require_server_proof`](Self::require_server_proof), whichever is said
    /// first.
    #[must_use]
    pub const fn ignore_wrong_server_proof(mut self) -> Self {
        self.ignore_wrong_proof = true;
        self
    }

    /// Writes `qop="auth"`, which old IIS insists on, in place of `qop=auth`, which RFC 7616, section
    /// 3.4, wants. Many cameras refuse it.
    #[must_use]
    pub const fn with_quoted_qop(mut self) -> Self {
        self.quoted_qop = true;
        self
    }

    pub(super) fn is_strong(&self, hash: HashFunction) -> bool {
        self.floor
            .is_none_or(|floor| strength(hash) >= strength(floor))
    }

    pub(super) fn allows_hash(&self, hash: HashFunction) -> bool {
        self.hash.is_none_or(|only| only == hash)
    }

    pub(super) const fn allows_basic(&self, channel: Channel) -> bool {
        matches!(channel, Channel::Encrypted) || self.cleartext_basic
    }

    pub(super) const fn allows_unproven(&self) -> bool {
        !self.server_proof
    }

    pub(super) const fn ignores_wrong_proof(&self) -> bool {
        self.ignore_wrong_proof && !self.server_proof
    }

    /// Whether a name beyond ASCII goes as `username*` to a server that is known to read it, or is
    /// not.
    pub(super) const fn extends_username(&self, is_read: bool) -> bool {
        match self.usernames {
            Usernames::AsRead => is_read,
            Usernames::Plain => false,
            Usernames::Extended => true,
        }
    }

    /// Whether the answer to a challenge with these qop values should cover the body.
    pub(super) fn wants_auth_int(&self, qop: QopSet) -> bool {
        let is_best = self.auth_int != AuthInt::LastResort || !qop.contains(Qop::Auth);
        is_best && qop.contains(Qop::AuthInt) && !self.uncounted_form
    }

    pub(super) fn allows_qop(&self, qop: QopSet) -> bool {
        self.auth_int != AuthInt::Required || qop.contains(Qop::AuthInt)
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self::new()
    }
}

/// The order of hashes, weakest first.
pub(super) const fn strength(hash: HashFunction) -> u8 {
    match hash {
        #[cfg(feature = "md5")]
        HashFunction::Md5 => 0,
        HashFunction::Sha256 => 1,
        HashFunction::Sha512_256 => 2,
    }
}
