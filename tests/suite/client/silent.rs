//! Responses that neither accept an answer nor challenge it: *Another response* in `client::rules`.

use countersign::client::{Account, Client, Endpoint, Exchange, GiveUp, Next, Policy};
use countersign::{Authorization, EntityBody, Target};

use crate::support::client::{PASSWORD, Sent, USER, challenge, home};

/// A device, which says this to what it does not take.
struct Device {
    endpoint: Endpoint,
    /// To an answer with a dead nonce or a wrong password.
    refuses_by: u16,
    /// `None` for Basic.
    nonce: Option<u32>,
    password: &'static str,
    /// It never asks: guests get in, too.
    is_silent: bool,
}

/// What came of some requests.
#[derive(Debug, Default, Eq, PartialEq)]
struct Came {
    messages: u32,
    answers: u32,
    let_in: u32,
    /// The program was told that the password is wrong.
    wrong: u32,
}

impl Device {
    const fn of(endpoint: Endpoint, refuses_by: u16) -> Self {
        Self {
            endpoint,
            refuses_by,
            nonce: Some(0),
            password: PASSWORD,
            is_silent: false,
        }
    }

    fn basic() -> Self {
        Self {
            nonce: None,
            ..Self::of(home(), 401)
        }
    }

    fn client(&self, account: Account) -> Client {
        let client = Client::from_seed(self.endpoint.clone(), Policy::new(), [7; 32]);
        client.with_account(account).unwrap()
    }

    /// The status, and the challenge.
    fn serve(&self, target: &Target<'_>, answer: Option<&Sent>) -> (u16, Option<String>) {
        let is_taken = |sent: &Sent| match self.nonce {
            Some(nonce) => {
                sent.get("nonce") == nonce.to_string() && sent.is_right(USER, self.password, target)
            }
            None => match Authorization::parse(&sent.value) {
                Ok(Authorization::Basic(pair)) => pair.matches(USER, self.password),
                other => panic!("{other:?}"),
            },
        };
        match answer {
            Some(sent) if is_taken(sent) => (200, None),
            Some(_) => (self.refuses_by, None),
            None if self.is_silent => (200, None),
            None => (self.endpoint.challenger().status(), Some(self.asks())),
        }
    }

    fn asks(&self) -> String {
        match self.nonce {
            Some(nonce) => challenge(&nonce.to_string(), ""),
            None => r#"Basic realm="r""#.to_owned(),
        }
    }

    /// So many requests of a program, which may be able to send each again.
    fn requests(&self, client: &mut Client, many: u32, repeats: bool) -> Came {
        let mut came = Came::default();
        let target = match self.endpoint.scheme() {
            "sip" => Target::new("REGISTER", "sip:sip.example"),
            _ => Target::new("GET", "/"),
        };
        let target = target.with_body(EntityBody::Empty);
        for _ in 0..many {
            let mut exchange = Exchange::new();
            loop {
                let field = client.authorize(&mut exchange, &target).unwrap();
                let sent = field.for_new_request().map(|it| Sent::read(it.as_bytes()));
                came.messages += 1;
                came.answers += u32::from(sent.is_some());
                let (status, value) = self.serve(&target, sent.as_ref());
                let field = self.endpoint.challenger().challenge_field();
                let values = |name| value.as_ref().filter(|_| name == field).into_iter();
                let next = client.received(&mut exchange, status, values, EntityBody::Unknown);
                match next.unwrap() {
                    Next::Retry if repeats => continue,
                    Next::Done(_) => came.let_in += u32::from(status == 200 && sent.is_some()),
                    Next::GiveUp(GiveUp::WrongCredentials(_)) => came.wrong += 1,
                    _ => {}
                }
                break;
            }
        }
        came
    }
}

fn account() -> Account {
    Account::new(USER, PASSWORD)
}

/// Doorbells, switches and registrars that have dropped a nonce, and do not say so. 10,000 of 10,000
/// later requests once carried it.
#[test]
fn a_dead_nonce_is_volunteered_twice_at_most() {
    let sip = Endpoint::origin("sip", "sip.example", None).unwrap();
    let camera = Endpoint::origin("rtsp", "camera", None).unwrap();
    let proxy = Endpoint::proxy("http", "proxy", 3128);
    for (endpoint, status, many) in [
        (home(), 401, 10_000),
        (home(), 429, 10_000),
        (home(), 403, 100),
        (home(), 503, 100),
        (camera, 401, 100),
        (sip.clone(), 401, 100),
        (sip, 403, 100),
        (proxy, 407, 100),
    ] {
        for repeats in [true, false] {
            let mut device = Device::of(endpoint.clone(), status);
            let client = &mut device.client(account());
            assert!(device.requests(client, 3, repeats).let_in >= 2);
            for many in [30, many] {
                device.nonce = device.nonce.map(|nonce| nonce + 1);
                let came = device.requests(client, many, repeats);
                let messages = many + u32::from(repeats);
                let expected = Came {
                    messages,
                    answers: messages - 1,
                    let_in: messages - 3,
                    wrong: 0,
                };
                assert_eq!(came, expected, "{endpoint} {status}");
            }
        }
    }
}

/// An application says 401 or 429 now and then: that costs nobody a round trip.
#[test]
fn one_such_response_costs_nothing() {
    for status in [401, 403, 429, 500] {
        let device = Device::of(home(), status);
        let client = &mut device.client(account());
        assert_eq!(device.requests(client, 10, true).messages, 11);
        let application = Device {
            password: "of nobody",
            ..Device::of(home(), status)
        };
        for _ in 0..100 {
            let came = application.requests(client, 1, true);
            assert_eq!((came.messages, came.wrong), (1, 0), "{status}");
            assert_eq!(device.requests(client, 2, true).messages, 2, "{status}");
        }
    }
}

/// The password was changed, and the server answers it by a bare 401. The program is told, and sends
/// it as seldom as one that is refused by a challenge.
#[test]
fn a_password_that_bare_401s_refuse_is_bounded_and_told() {
    let never_asks = Device {
        is_silent: true,
        ..Device::basic()
    };
    for (mut device, account) in [
        (Device::basic(), account().with_basic()),
        (Device::basic(), account().with_preemptive_basic()),
        (never_asks, account().with_preemptive_basic()),
        (Device::of(home(), 401), account()),
    ] {
        let client = &mut device.client(account);
        assert!(device.requests(client, 3, true).let_in == 3);
        device.password = "changed";
        let first = device.requests(client, 8, true);
        assert!(first.wrong > 0 && first.answers <= 8, "{first:?}");
        let later = device.requests(client, 1000, true);
        assert!(later.answers <= 21 && later.wrong > 0, "{later:?}");
        // Changed back: it gets in again, by itself.
        device.password = PASSWORD;
        let back = device.requests(client, 200, true);
        assert!(back.let_in >= 200 - 64, "{back:?}");
    }
}
