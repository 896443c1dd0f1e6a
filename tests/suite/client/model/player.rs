//! The client that the words of the model are played to.

use super::*;

/// The client beside it.
pub(super) struct Player {
    client: Client,
    exchanges: [Exchange; 2],
    ask: Option<Ask>,
    nonces: Nonce,
}

impl Player {
    pub(super) fn new() -> Self {
        Self {
            client: client(Policy::new()),
            exchanges: [Exchange::new(), Exchange::new()],
            ask: None,
            nonces: 0,
        }
    }

    pub(super) fn take(&mut self, letter: Letter) -> Seen {
        let none = std::iter::empty::<&str>();
        match letter {
            Send(at) => {
                let target = Target::new("GET", "/");
                let field = self.client.authorize(&mut self.exchanges[at], &target);
                let sent = field.unwrap().for_new_request();
                Seen::Sent(sent.map(|value| {
                    let sent = Sent::read(value.as_bytes());
                    let count = u8::from_str_radix(sent.get("nc"), 16).unwrap();
                    (sent.get("nonce").parse().unwrap(), count)
                }))
            }
            Drop(at) => {
                self.exchanges[at] = Exchange::new();
                Seen::Nothing
            }
            Login(password) => {
                let ask = self.ask.as_ref().expect("the realm was challenged");
                let login = self.client.login(ask, &Account::new(USER, password));
                Seen::LoggedIn(login.is_ok())
            }
            SameNonce(at) => {
                let answer = self.exchanges[at].answer().expect("an answer");
                let nonce = Sent::read(answer.as_bytes()).get("nonce").to_owned();
                self.challenged(at, &challenge(&nonce, ""))
            }
            NewNonce(at) => {
                self.nonces += 1;
                self.challenged(at, &challenge(&self.nonces.to_string(), ""))
            }
            Stale(at) => {
                self.nonces += 1;
                self.challenged(at, &challenge(&self.nonces.to_string(), ", stale=true"))
            }
            Bare(at) => self.said(at, None),
            Accept(at) | Limit(at) => {
                let status = match letter {
                    Accept(_) => 200,
                    _ => 429,
                };
                let exchange = &mut self.exchanges[at];
                let proof = self
                    .client
                    .completed(exchange, status, none, EntityBody::Unknown);
                assert!(proof.is_ok());
                Seen::Nothing
            }
        }
    }

    pub(super) fn challenged(&mut self, at: usize, value: &str) -> Seen {
        self.said(at, Some(value))
    }

    pub(super) fn said(&mut self, at: usize, value: Option<&str>) -> Seen {
        let exchange = &mut self.exchanges[at];
        let next = self
            .client
            .challenged(exchange, challenges(value.as_slice()));
        let said = Said::from(&next);
        match next {
            Next::Login(ask) | Next::GiveUp(countersign::client::GiveUp::WrongCredentials(ask)) => {
                self.ask = Some(ask);
            }
            _ => {}
        }
        Seen::Said(said)
    }
}
