//! Wrong passwords.
//!
//! # Three attempts
//!
//! This function sends a request, and prompts the user for a login up to three times. After
//! [`GiveUp::WrongCredentials`](crate::client::GiveUp::WrongCredentials) it prompts for the ask in
//! that variant and starts a new exchange. If the user then types a secret that the server has
//! refused (the client remembers four), [`login`](crate::client::Client::login) returns
//! [`AlreadyRefused`](crate::client::LoginError::AlreadyRefused), and if an attempt is left, the
//! function prompts again without a request. `prompt` shows the endpoint first, then the realm, and
//! says if the password will be sent by Basic: whoever controls some paths of an origin can ask for
//! that in any realm.
//!
//! ```
//! use countersign::client::{Ask, Client, Endpoint, Exchange, GiveUp, LoginError, Next};
//! use countersign::{EntityBody, Target};
//!
//! fn get(client: &mut Client, uri: &str) -> Result<Response, Box<dyn std::error::Error>> {
//!     let target = Target::new("GET", uri);
//!     let mut exchange = Exchange::new();
//!     let mut attempts = 0;
//!     loop {
//!         let response = send(client.authorize(&mut exchange, &target)?);
//!         let fields = |name| response.all(name);
//!         let body = EntityBody::Unknown;
//!         let ask = match client.received(&mut exchange, response.status, fields, body)? {
//!             Next::Done(_) => return Ok(response),
//!             Next::Retry => continue,
//!             Next::Login(ask) if attempts < 3 => ask,
//!             // The server asks for yet another login, for example in another realm.
//!             Next::Login(_) => return Err("no attempt is left".into()),
//!             Next::GiveUp(GiveUp::WrongCredentials(ask)) if attempts < 3 => {
//!                 exchange = Exchange::new();
//!                 ask
//!             }
//!             Next::GiveUp(why) => return Err(why.into()),
//!         };
//!         let mut failed = ask.is_again();
//!         loop {
//!             attempts += 1;
//!             let (name, password) = prompt(&ask, failed);
//!             match client.login(&ask, &name, &password) {
//!                 Ok(()) => break,
//!                 Err(LoginError::AlreadyRefused) if attempts < 3 => failed = true,
//!                 Err(why) => return Err(why.into()),
//!             }
//!         }
//!     }
//! }
//! # struct Response { status: u16 }
//! # impl Response {
//! #     fn all(&self, _: &str) -> &[&str] {
//! #         &[r#"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#]
//! #     }
//! # }
//! # fn send(_: Option<&countersign::FieldValue>) -> Response { Response { status: 401 } }
//! # thread_local! { static PROMPTS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) } }
//! # fn prompt(_: &Ask, failed: bool) -> (String, String) {
//! #     let count = PROMPTS.with(|count| count.replace(count.get() + 1));
//! #     assert_eq!(failed, count > 0);
//! #     ("Mufasa".to_owned(), (count / 2).to_string())
//! # }
//! # use countersign::client::Policy;
//! # let endpoint = Endpoint::origin("https", "example.com", None)?;
//! # let mut client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?;
//! # assert!(get(&mut client, "/").is_err());
//! # assert_eq!(PROMPTS.with(|count| count.get()), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
