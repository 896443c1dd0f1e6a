//! The inputs, each with the changes that a peer can make and what then may differ.
//!
//! What differs is listed for the states in their order, [`Asked`](super::world::State::Asked) to
//! [`Later`](super::world::State::Later); `-` is nothing.

use std::ops::RangeInclusive;

use super::forged::Forged;

/// The message and the input, what then differs, and the change.
pub(super) type Row = (&'static str, &'static str, &'static str, fn(&mut Forged));

const DIGEST: &str = "Digest challenge";
const BASIC: &str = "Basic challenge";
const ANY: &str = "any challenge";
const INFO: &str = "`Authentication-Info`";
pub(super) const RESPONSE: &str = "response";
const LINK: &str = "link or redirect";

/// To a client of a server that offers Digest.
pub(super) const TO_DIGEST: &[Row] = &[
    (DIGEST, "`realm`", "asks asks asks asks", |it| {
        it.set("realm", "\"forged\"");
    }),
    (
        DIGEST,
        "`realm`",
        "elsewhere+withheld elsewhere elsewhere+withheld elsewhere+withheld",
        |it| {
            it.set("realm", "\"other\"");
        },
    ),
    (
        DIGEST,
        "`realm`",
        "elsewhere+withheld elsewhere+withheld elsewhere+withheld elsewhere+withheld",
        |it| {
            it.set("realm", "\"other\"");
            it.set("domain", "\"/files/\"");
        },
    ),
    (DIGEST, "`realm`", "nonce nonce refused nonce", |it| {
        it.set("realm", "\"fi\\les\"");
    }),
    (DIGEST, "`realm`", "- - - -", |it| it.remove("realm")),
    (DIGEST, "`nonce`", "nonce nonce refused nonce", |_| {}),
    (DIGEST, "`nonce`", "- - refused refused", |it| {
        let nonce = it.nonce.clone();
        it.set("nonce", &nonce);
    }),
    (DIGEST, "`nonce`", "nonce nonce refused nonce", |it| {
        it.set("nonce", "\"\"");
    }),
    (DIGEST, "`nonce`", "- - - -", |it| {
        it.set("nonce", &"n".repeat(5000));
    }),
    (DIGEST, "`nonce`", "- - - -", |it| it.remove("nonce")),
    (DIGEST, "`opaque`", "nonce nonce refused nonce", |it| {
        it.set("opaque", "\"forged\"");
    }),
    (DIGEST, "`opaque`", "- - - -", |it| {
        it.set("opaque", &"o".repeat(5000));
    }),
    (
        DIGEST,
        "`domain`",
        "nonce+paths nonce+paths refused+paths nonce+paths",
        |it| {
            it.set("domain", "\"/else\"");
        },
    ),
    (
        DIGEST,
        "`domain`",
        "nonce+paths nonce+paths refused+paths nonce+paths",
        |it| {
            it.remove("domain");
        },
    ),
    (DIGEST, "`domain`", "nonce nonce refused nonce", |it| {
        it.set(
            "domain",
            "\"https://forged.example/ //forged.example/else\"",
        );
    }),
    (
        DIGEST,
        "`algorithm`",
        "dropped dropped dropped dropped",
        |it| {
            it.set("algorithm", "SHA-512-256");
        },
    ),
    #[cfg(feature = "md5")]
    (DIGEST, "`algorithm`", "dropped dropped dropped -", |it| {
        it.remove("algorithm");
    }),
    (DIGEST, "`algorithm`", "nonce nonce nonce nonce", |it| {
        it.set("algorithm", "SHA-256-sess");
    }),
    (DIGEST, "`algorithm`", "- - - -", |it| {
        it.set("algorithm", "SHA-3");
    }),
    (DIGEST, "`qop`", "nonce nonce nonce nonce", |it| {
        let other = match it.params.to_string().contains("auth-int") {
            true => "\"auth\"",
            false => "\"auth-int\"",
        };
        it.set("qop", other);
    }),
    (DIGEST, "`qop`", "nonce nonce refused nonce", |it| {
        it.set("qop", "\"auth,auth-int\"");
    }),
    (DIGEST, "`qop`", "dropped dropped dropped -", |it| {
        it.remove("qop")
    }),
    (DIGEST, "`qop`", "- - - -", |it| {
        it.set("qop", "\"auth-conf\"")
    }),
    (DIGEST, "`stale`", "nonce nonce nonce nonce", |it| {
        it.set("stale", "true");
    }),
    (DIGEST, "`stale`", "- - refused refused", |it| {
        let nonce = it.nonce.clone();
        it.set("nonce", &nonce);
        it.set("stale", "true");
    }),
    (DIGEST, "`stale`", "nonce nonce refused nonce", |it| {
        it.set("stale", "perhaps");
    }),
    (DIGEST, "`userhash`", "nonce nonce nonce nonce", |it| {
        it.remove("userhash");
    }),
    (DIGEST, "`charset`", "nonce dropped dropped dropped", |it| {
        it.remove("charset");
    }),
    (BASIC, "`realm`", "dropped dropped+paths dropped -", |it| {
        it.challenge(["Basic realm=\"files\", charset=\"UTF-8\""]);
    }),
    (
        BASIC,
        "`realm`",
        "asks+withheld asks+paths asks+withheld asks+withheld",
        |it| {
            it.challenge(["Basic realm=\"forged\""]);
        },
    ),
    (
        BASIC,
        "`realm`",
        "asks+withheld asks+paths asks+withheld asks+withheld",
        |it| {
            it.challenge(["Basic"]);
        },
    ),
    (
        BASIC,
        "`realm`",
        "asks+withheld+elsewhere asks+paths+elsewhere asks+withheld+elsewhere asks+withheld+elsewhere",
        |it| {
            it.challenge(["Basic realm=\"other\""]);
        },
    ),
    (BASIC, "`realm`", "- - - -", |it| {
        it.challenge([format!("Basic realm={}", "r".repeat(5000))]);
    }),
    (
        BASIC,
        "`charset`",
        "dropped dropped+paths dropped -",
        |it| {
            it.challenge(["Basic realm=\"files\""]);
        },
    ),
    (ANY, "scheme", "- - - -", |it| it.challenge(["Negotiate"])),
    (ANY, "scheme", "- - - -", |it| {
        it.challenge(["Bearer realm=\"files\", error=\"invalid_token\""]);
    }),
    (ANY, "scheme", "nonce nonce refused nonce", |it| {
        it.challenge([it.params.to_string().replace("Digest", "dIGEST")]);
    }),
    (ANY, "number in one response", "- - - -", |it| {
        it.challenge([""; 0])
    }),
    (
        ANY,
        "number in one response",
        "asks nonce refused nonce",
        |it| {
            let realm = |name: &str| it.params.clone().with("realm", name).to_string();
            it.challenge([realm("forged"), realm("files")]);
        },
    ),
    (
        ANY,
        "number in one response",
        "elsewhere+withheld elsewhere elsewhere+withheld elsewhere+withheld",
        |it| {
            let realm = |name: &str| it.params.clone().with("realm", name).to_string();
            it.challenge([realm("forged"), realm("other"), realm("files")]);
        },
    ),
    (
        ANY,
        "number in one response",
        "dropped dropped dropped dropped",
        |it| {
            let strong = it.params.clone().with("algorithm", "SHA-512-256");
            it.challenge([it.params.to_string(), strong.to_string()]);
        },
    ),
    (
        ANY,
        "number of responses",
        "asks+dropped asks asks asks",
        |it| {
            let realms = (0..8).map(|n| format!("\"forged {n}\""));
            it.challenges = realms
                .map(|realm| vec![it.params.clone().with("realm", realm).to_string()])
                .collect();
        },
    ),
    (
        ANY,
        "number of responses",
        "nonce nonce refused dropped",
        |it| {
            // With more, the counts of the nonces before would be forgotten.
            let nonces = (0..14).map(|n| format!("\"forged {n}\""));
            it.challenges = nonces
                .map(|nonce| vec![it.params.clone().with("nonce", nonce).to_string()])
                .collect();
        },
    ),
    (
        ANY,
        "unknown parameters",
        "nonce nonce refused nonce",
        |it| {
            it.set("unknown", "\"a, b=c\"");
        },
    ),
    (ANY, "malformed", "- - - -", |it| it.set("realm", "\"files")),
    (ANY, "malformed", "- - - -", |it| {
        it.challenge([format!("{}, nonce=again", it.params)]);
    }),
    (ANY, "malformed", "- - - -", |it| {
        it.challenge(["Digest Zm9yZ2Vk=="])
    }),
    (INFO, "`nextnonce`", "- - accepted+nonce nonce", |it| {
        it.inform(["nextnonce=\"forged\""]);
    }),
    (INFO, "`nextnonce`", "- - accepted -", |it| {
        it.inform([format!("nextnonce={}", it.nonce)]);
    }),
    (INFO, "`nextnonce`", "- - accepted -", |it| {
        it.inform(["nextnonce=\"\""]);
    }),
    (INFO, "`nextnonce`", "- - accepted -", |it| {
        it.inform([format!("nextnonce={}", "n".repeat(5000))]);
    }),
    (INFO, "`rspauth`", "- - accepted -", |it| it.inform([""; 0])),
    (INFO, "`rspauth`", "- - doubt doubt", |it| {
        it.inform([format!("rspauth=\"{}\"", "0".repeat(64))]);
    }),
    (INFO, "`rspauth`", "- - doubt doubt", |it| {
        it.inform([format!("rspauth=\"{}\"", "0".repeat(32))]);
    }),
    (INFO, "`rspauth`", "- - accepted -", |it| {
        it.inform(["rspauth=\"forged\""]);
    }),
    (INFO, "`qop`", "- - doubt doubt", |it| {
        let info = &it.info[0];
        let other = match info.contains("qop=auth-int") {
            true => info.replace("qop=auth-int", "qop=auth"),
            false => info.replace("qop=auth", "qop=auth-int"),
        };
        it.inform([other]);
    }),
    (INFO, "`qop`", "- - accepted -", |it| {
        it.inform(["qop=auth"])
    }),
    (INFO, "`cnonce`", "- - doubt doubt", |it| {
        it.inform([it.info[0].replace("cnonce=\"", "cnonce=\"x")]);
    }),
    (INFO, "`nc`", "- - doubt doubt", |it| {
        it.inform([it.info[0].replace("nc=0000", "nc=0001")]);
    }),
    (INFO, "`nc`", "- - accepted -", |it| {
        it.inform([it.info[0].replace("nc=0000", "nc=")]);
    }),
    (INFO, "number of values", "- - accepted -", |it| {
        it.inform(["nextnonce=\"a\"", "nextnonce=\"b\""]);
    }),
    (INFO, "malformed", "- - accepted -", |it| {
        it.inform(["nextnonce=\""])
    }),
    (LINK, "request-target", "- - - -", |it| {
        it.uris = vec![
            "https://forged.example/files/a",
            "http://example.com/files/a",
            "https://example.com:8443/files/a",
            "https://user:password@example.com/files/a",
            "forged.example:443",
            "/files/../else",
            "/files/%2e%2e/else",
            "/else/a",
        ];
        it.challenges = vec![];
        it.challenge([""; 0]);
    }),
];

/// What a response of the honest server with another body changes, if the body is not covered.
pub(super) const TO_AUTH: &[Row] = &[(RESPONSE, "body", "- - accepted -", |it| {
    it.status = 200;
    it.body.push(b'!');
})];

/// The same if it is.
pub(super) const TO_AUTH_INT: &[Row] = &[(RESPONSE, "body", "- - doubt doubt", |it| {
    it.status = 200;
    it.body.push(b'!');
})];

const BASIC_LOGIN: &str = "Basic challenge to a Basic login";
const DIGEST_TO_BASIC: &str = "Digest challenge to a Basic login";

/// To a client of a server that offers Basic.
pub(super) const TO_BASIC: &[Row] = &[
    (
        DIGEST_TO_BASIC,
        "`realm`",
        "dropped dropped dropped dropped",
        |_| {},
    ),
    (
        DIGEST_TO_BASIC,
        "`realm`",
        "asks+withheld asks asks+withheld asks+withheld",
        |it| {
            it.set("realm", "\"forged\"");
        },
    ),
    (BASIC_LOGIN, "`realm`", "- paths refused refused", |it| {
        it.challenge(["Basic realm=\"files\", charset=\"UTF-8\""]);
    }),
    (BASIC_LOGIN, "`realm`", "asks asks+paths asks asks", |it| {
        it.challenge(["Basic realm=\"forged\", charset=\"UTF-8\""]);
    }),
    (
        BASIC_LOGIN,
        "`charset`",
        "nonce dropped+paths dropped dropped",
        |it| {
            it.challenge(["Basic realm=\"files\""]);
        },
    ),
    (INFO, "`nextnonce`", "- - - -", |it| {
        it.inform(["nextnonce=\"forged\""]);
    }),
    (INFO, "`rspauth`", "- - - -", |it| {
        it.inform([format!("rspauth=\"{}\"", "0".repeat(64))]);
    }),
];

/// Statuses of responses that have neither challenges nor a proof, and what then differs.
pub(super) const STATUSES: &[(&str, &str, &[RangeInclusive<u16>])] = &[
    (
        "status 100, 102 to 199, 401, 407",
        "- - - -",
        &[100..=100, 102..=199, 401..=401, 407..=407],
    ),
    (
        "status 400, 403, 406, 413, 414, 431, 500, 502 to 504, 509, 512 to 599",
        "- - doubt doubt",
        &[
            400..=400,
            403..=403,
            406..=406,
            413..=414,
            431..=431,
            500..=500,
            502..=504,
            509..=509,
            512..=599,
        ],
    ),
    (
        "status 408, 421, 425, 426, 429, 511",
        "- - - -",
        &[
            408..=408,
            421..=421,
            425..=425,
            426..=426,
            429..=429,
            511..=511,
        ],
    ),
    (
        "any other status",
        "- - accepted -",
        &[
            0..=99,
            101..=101,
            200..=399,
            402..=402,
            404..=405,
            409..=412,
            415..=420,
            422..=424,
            427..=428,
            430..=430,
            432..=499,
            501..=501,
            505..=508,
            510..=510,
            600..=u16::MAX,
        ],
    ),
];
