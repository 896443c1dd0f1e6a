//! Digest and Basic for reverse proxies: see README.md.

// A module imports from those above it on this page only.

mod convention; // Questions of a proxy.
mod lock;

mod answer;
mod answered; // Answers to questions that come again.

mod guesses;
mod metrics;
mod password;

mod users;

mod add;
mod gate;

mod hop; // What ends at a proxy.
mod upload;

mod login;

mod serve;
mod watch;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use clap::{ArgGroup, Args, Parser, Subcommand};
use http::header::CONTENT_TYPE;
use http::uri::Authority;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::{Body, Incoming};
use tracing::{info, warn};

use add::add_user;
use convention::Convention;
use gate::Gate;
use hop::Allowed;
use login::{Login, parse_origin};
use serve::{Listener, Place, signal_to_stop};
use users::Files;
use watch::Watch;

/// How long a connection of a proxy may be idle: longer than nginx and Caddy keep one.
const IDLE: Duration = Duration::from_secs(150);

/// How long a connection for the status may take to ask.
const SHORT: Duration = Duration::from_secs(5);

/// Digest and Basic authentication for reverse proxies.
#[derive(Parser)]
#[command(version)]
struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Tells a reverse proxy which requests may pass.
    Check(Check),
    /// Logs in to an origin, by http, not https, for programs that cannot.
    Login(ToLogin),
    /// Manages users.
    #[command(subcommand)]
    User(UserCommand),
}

#[derive(Subcommand)]
enum UserCommand {
    /// Adds a user to a file of htdigest, by SHA-256, or changes the password. Asks for the password
    /// twice, or reads a line of standard input if that is not a terminal.
    Add {
        /// The file; made if it does not exist.
        file: PathBuf,
        /// The user name.
        name: String,
        /// The realm of the user.
        #[arg(long, value_parser = realm, default_value = "files")]
        realm: String,
    },
}

#[derive(Args)]
#[command(group = ArgGroup::new("users").required(true).multiple(true))]
struct Check {
    /// How the proxy says what it asks about.
    #[arg(long = "for", value_enum)]
    convention: Convention,
    /// The users, as htdigest and `user add` write them.
    #[arg(long, group = "users")]
    digest: Option<PathBuf>,
    /// The users of Basic, as htpasswd writes them. Offered to clients on TLS only.
    #[arg(long, group = "users")]
    basic: Option<PathBuf>,
    /// The name of the realm, which is part of each line of htdigest.
    #[arg(long, value_parser = realm, default_value = "files")]
    realm: String,
    /// ADDRESS:PORT, or unix:PATH for a socket.
    #[arg(long, default_value = "127.0.0.1:9180")]
    listen: Place,
    /// ADDRESS:PORT or unix:PATH for /health and /metrics.
    #[arg(long)]
    status: Option<Place>,
    /// How many wrong passwords of a user at an address until the user has to wait.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    guesses: u32,
    /// Allows addresses that other machines reach: each of them can guess passwords, and say that
    /// the guesses come from elsewhere.
    #[arg(long)]
    trust_network: bool,
}

#[derive(Args)]
struct ToLogin {
    /// The origin, http://HOST or http://HOST:PORT; https is not supported.
    #[arg(long, value_parser = parse_origin)]
    to: Authority,
    /// A file with name:password for the origin; otherwise the environment variable
    /// COUNTERSIGN_LOGIN has them.
    #[arg(long)]
    login: Option<PathBuf>,
    /// ADDRESS:PORT, or unix:PATH for a socket.
    #[arg(long, default_value = "127.0.0.1:9190")]
    listen: Place,
    /// The programs that may ask, by Basic, as htpasswd writes them. Needed unless on a socket:
    /// each web page that a browser on this machine shows can ask an address.
    #[arg(long)]
    local: Option<PathBuf>,
    /// The methods that are forwarded, by default all.
    #[arg(long, value_delimiter = ',')]
    methods: Vec<String>,
    /// The paths that are forwarded, by default all. One that ends with / stands for all below it.
    #[arg(long, value_delimiter = ',')]
    paths: Vec<String>,
    /// Allows addresses that other machines reach: each of them can read passwords that programs
    /// send, and guess them.
    #[arg(long)]
    trust_network: bool,
}

fn main() -> ExitCode {
    let options = Options::parse();
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_target(false)
        .init();
    let done = match options.command {
        Command::Check(check) => check_for(check),
        Command::Login(login) => login_to(login),
        Command::User(UserCommand::Add { file, name, realm }) => add_user(&file, &realm, &name),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("countersign-gate: {why}");
            ExitCode::FAILURE
        }
    }
}

/// A realm as it can stand in a line of htdigest.
fn realm(text: &str) -> Result<String, &'static str> {
    match text {
        "" => Err("the realm is empty"),
        _ if text.contains(|it: char| it == ':' || it.is_control()) => {
            Err("a colon or a control character in the realm")
        }
        _ => Ok(text.into()),
    }
}

fn check_for(check: Check) -> Result<(), String> {
    let files = Files {
        realm: check.realm,
        digest: check.digest,
        basic: check.basic,
    };
    let gate = watched_gate(files, check.convention, check.guesses)?;
    run(async {
        // Before anything is said to listen, so that a signal from then on ends it in order.
        let stop = signal_to_stop()?;
        let listener = Listener::bind(&check.listen, check.trust_network).await?;
        if matches!(check.listen, Place::Tcp(_)) {
            warn!(
                "each user of this machine can ask the gate; a socket (--listen unix:PATH) is for its group only"
            );
        }
        if let Some(place) = &check.status {
            let status = Listener::bind(place, check.trust_network).await?;
            info!("status on {}", status.place);
            let gate = Arc::clone(&gate);
            let respond = move |request: Request<Incoming>| {
                let response = status_of(&gate, request.uri().path());
                async { response }
            };
            tokio::spawn(status.serve(std::future::pending(), SHORT, respond));
        }
        let respond = move |request: Request<Incoming>| {
            let gate = Arc::clone(&gate);
            async move {
                let (head, body) = request.into_parts();
                gate.respond(&head, !body.is_end_stream()).await
            }
        };
        info!("listening on {}", listener.place);
        listener.serve(stop, IDLE, respond).await;
        Ok(())
    })
}

/// A gate whose users follow their files.
fn watched_gate(files: Files, convention: Convention, guesses: u32) -> Result<Arc<Gate>, String> {
    let (watch, users) = Watch::begin(files)?;
    let gate = Arc::new(Gate::new(convention, users, guesses)?);
    let watched = Arc::clone(&gate);
    std::thread::spawn(move || watch.run(&watched));
    Ok(gate)
}

/// One thread: a check takes microseconds, and slow hashes have threads of their own.
fn run(task: impl Future<Output = Result<(), String>>) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(|error| format!("no runtime: {error}"))?;
    runtime.block_on(task)
}

fn login_to(options: ToLogin) -> Result<(), String> {
    let login = match &options.login {
        Some(path) => {
            std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
        }
        None => std::env::var("COUNTERSIGN_LOGIN")
            .map_err(|_| "no login: neither --login nor COUNTERSIGN_LOGIN".into()),
    }?;
    if options.local.is_none() && matches!(options.listen, Place::Tcp(_)) {
        return Err("an address needs --local FILE, because each web page can ask it".into());
    }
    let gate = options.local.map(|local| {
        let files = Files {
            realm: "countersign-gate login".into(),
            digest: None,
            basic: Some(local),
        };
        watched_gate(files, Convention::Forwarded, 20)
    });
    let gate = gate.transpose()?;
    let (methods, paths) = (options.methods, options.paths);
    run(async {
        let stop = signal_to_stop()?;
        let listener = Listener::bind(&options.listen, options.trust_network).await?;
        let allowed = Allowed { methods, paths };
        let login = Arc::new(Login::new(options.to, &login, gate, allowed)?);
        let respond = move |request: Request<Incoming>| {
            let login = Arc::clone(&login);
            async move { login.respond(request).await }
        };
        info!("listening on {}", listener.place);
        listener.serve(stop, IDLE, respond).await;
        Ok(())
    })
}

fn status_of(gate: &Gate, path: &str) -> Response<Full<Bytes>> {
    let (status, text) = match (path, gate.metrics.wrong(Instant::now())) {
        ("/metrics", _) => (StatusCode::OK, gate.text_of_metrics()),
        ("/health", None) => (StatusCode::OK, "ok\n".into()),
        ("/health", Some(why)) => (StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")),
        _ => (StatusCode::NOT_FOUND, "/health or /metrics\n".into()),
    };
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = status;
    let kind = http::HeaderValue::from_static("text/plain; version=0.0.4");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
