//! Runs a server through [scenarios](Scenario), as clients and attackers would.
//!
//! The server is a closure from request to response and needs no sockets. Call an `async` service
//! with `block_on`. The same server is called for all scenarios and keeps its state. Turn off any
//! rate limiter, because the scenarios send wrong passwords.
//!
//! ```
//! use countersign_testing::server::{Scenario, ServerCheck};
//!
//! /// Lets everybody in.
//! fn serve(_: http::Request<Vec<u8>>) -> http::Response<&'static str> {
//!     http::Response::new("hello")
//! }
//!
//! let report = ServerCheck::new("Mufasa", "Circle of Life").run(serve);
//! assert!(report.failed().contains(&Scenario::Challenge));
//! println!("{report}");
//! ```
//!
//! The [guide](crate::guide) has a server that passes.

mod basic;
mod counts;
mod coverage;
mod doors;
mod login;
mod names;
mod nonces;
mod offers;
mod rehearsal;
mod scenario;
mod spelling;
mod subject;

use countersign::{Challenger, Channel};
use http::{Request, Response};

pub use scenario::Scenario;

use crate::clock::Clock;
use crate::message::{Messages, Reply};
use crate::outcome::skip;
use crate::report::Report;
use subject::Subject;

/// The settings for [running](Self::run) a server through the scenarios.
///
/// ```
/// use countersign::{Challenger, Channel};
/// use countersign_testing::server::{Scenario, ServerCheck};
///
/// let check = ServerCheck::new("Mufasa", "Circle of Life")
///     .with_uri("rtsp://camera.example/stream?track=1")
///     .with_channel(Channel::Cleartext)
///     .with_challenger(Challenger::Origin)
///     .without(&[Scenario::CountJumped]);
/// # let _ = check;
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ServerCheck {
    user: String,
    password: String,
    uri: String,
    other_uri: String,
    channel: Channel,
    challenger: Challenger,
    clock: Option<(Clock, u64)>,
    timing: Option<Clock>,
    time_limit: Option<(Clock, u64)>,
    paths: Vec<(String, String)>,
    open: Vec<String>,
    without: Vec<Scenario>,
}

impl ServerCheck {
    /// Settings for a server that lets this user in at `/dir/index.html?a=b`, over an encrypted
    /// channel.
    pub fn new(user: &str, password: &str) -> Self {
        Self {
            user: user.to_owned(),
            password: password.to_owned(),
            uri: String::new(),
            other_uri: String::new(),
            channel: Channel::Encrypted,
            challenger: Challenger::Origin,
            clock: None,
            timing: None,
            time_limit: None,
            paths: Vec::new(),
            open: Vec::new(),
            without: Vec::new(),
        }
        .with_uri("/dir/index.html?a=b")
    }

    /// Sets the request-target of a protected resource, as on the request line. The [other
    /// one](Self::with_other_uri) becomes the same with a longer query; for SIP, with a parameter.
    pub fn with_uri(mut self, uri: &str) -> Self {
        let end = match (uri.contains('/'), uri.contains('?')) {
            (false, _) => ";other",
            (_, true) => "&other",
            (_, false) => "?other",
        };
        self.uri = uri.to_owned();
        self.other_uri = format!("{uri}{end}");
        self
    }

    /// Sets the request-target of another resource that this user may use, for
    /// [`Scenario::OtherUri`].
    pub fn with_other_uri(mut self, uri: &str) -> Self {
        self.other_uri = uri.to_owned();
        self
    }

    /// Sets the channel over which the server believes it is called.
    pub const fn with_channel(mut self, channel: Channel) -> Self {
        self.channel = channel;
        self
    }

    /// Sets whether the server is a proxy: 407, and the `Proxy-` fields.
    pub const fn with_challenger(mut self, challenger: Challenger) -> Self {
        self.challenger = challenger;
        self
    }

    /// Sets the clock that the server reads, and the lifetime of its nonces in seconds. Without
    /// them [`Scenario::StaleNonce`] is skipped. With [`Clock::real`] a run waits for three
    /// lifetimes.
    pub fn with_clock(mut self, clock: &Clock, lifetime_secs: u64) -> Self {
        self.clock = Some((clock.clone(), lifetime_secs));
        self
    }

    /// Has [`Scenario::UserTiming`] measure by this clock, for a server that reads it, too, or by
    /// [`Clock::real`]. Without it the scenario is skipped, so that no run depends on the speed of
    /// the machine.
    pub fn with_timing(mut self, clock: &Clock) -> Self {
        self.timing = Some(clock.clone());
        self
    }

    /// Sets the request-target for requests with this method, for a server that has each method at
    /// another place.
    pub fn with_path(mut self, method: &str, uri: &str) -> Self {
        self.paths.push((method.to_owned(), uri.to_owned()));
        self
    }

    /// Names what needs no credentials by intention: a method, such as `OPTIONS`, or a
    /// request-target. Everything else is a failure of [`Scenario::OpenMethod`] or
    /// [`Scenario::OpenPath`].
    pub fn with_open(mut self, methods_or_uris: &[&str]) -> Self {
        let named = methods_or_uris.iter().map(|&it| it.to_owned());
        self.open.extend(named);
        self
    }

    /// Skips the scenarios that have not begun when this clock is so many seconds further.
    pub fn with_time_limit(mut self, clock: &Clock, secs: u64) -> Self {
        self.time_limit = Some((clock.clone(), secs));
        self
    }

    /// Leaves out scenarios whose expectations the server does not share by intention.
    pub fn without(mut self, scenarios: &[Scenario]) -> Self {
        self.without.extend_from_slice(scenarios);
        self
    }

    /// Calls the server for each scenario. If it panics, the scenario fails.
    pub fn run<B, F>(&self, mut server: F) -> Report<Scenario>
    where
        B: AsRef<[u8]>,
        F: FnMut(Request<Vec<u8>>) -> Response<B>,
    {
        let challenger = self.challenger;
        let mut serve = |request| Reply::new(&server(request), challenger);
        let mut report = Report::new();
        let begun = self.time_limit.as_ref().map(|(clock, _)| clock.elapsed());
        for &scenario in Scenario::ALL {
            let mut subject = Subject {
                check: self,
                serve: &mut serve,
                messages: Messages::default(),
                notes: Vec::new(),
            };
            let is_over = match (&self.time_limit, begun) {
                (Some((clock, secs)), Some(begun)) => {
                    clock.elapsed().saturating_sub(begun).as_secs() >= *secs
                }
                _ => false,
            };
            let outcome = match self.without.contains(&scenario) {
                true => skip("left out"),
                false if is_over => skip(OUT_OF_TIME),
                false => scenario.run(&mut subject),
            };
            let (notes, messages) = (subject.notes, subject.messages);
            report.add((scenario, scenario.expected()), outcome, &notes, &messages);
        }
        report
    }

    /// The request-target for a method.
    fn uri_for(&self, method: &str) -> &str {
        let own = self.paths.iter().find(|(named, _)| named == method);
        own.map_or(&self.uri, |(_, uri)| uri)
    }
}

/// Why scenarios are skipped after the [time limit](ServerCheck::with_time_limit).
const OUT_OF_TIME: &str = "the time is over";
