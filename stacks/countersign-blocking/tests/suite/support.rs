//! A server that runs as it is told, and a record of what arrives at it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::{io, thread};

use countersign::digest::{Algorithm, Ha1, HashFunction, User};
use countersign::server::{Arrival, Authenticator, Realm};
use countersign::{Channel, Target};
use countersign_blocking::Account;
use http::{Request, Response};

pub(crate) const USER: (&str, &str) = ("Mufasa", "Circle of Life");

pub(crate) type Asked = Request<Vec<u8>>;
pub(crate) type Told = Response<Vec<u8>>;

/// A request that arrived, and the status of its response.
pub(crate) type Seen = (Asked, u16);

#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    pub(crate) fn start(answer: impl Fn(&Asked) -> Told + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::<Mutex<Vec<Seen>>>::default();
        let (record, answer) = (Arc::clone(&seen), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (record, answer) = (Arc::clone(&record), Arc::clone(&answer));
                thread::spawn(move || serve(stream?, &record, &*answer));
            }
        });
        Self { address, seen }
    }

    /// `answer` behind the realm `files`.
    pub(crate) fn guarded(answer: impl Fn(&Asked) -> Told + Send + Sync + 'static) -> Self {
        let guard = guard("files");
        Self::start(move |asked| guard(asked).unwrap_or_else(|| answer(asked)))
    }

    pub(crate) fn url(&self, target: &str) -> String {
        format!("http://{}{target}", self.address)
    }

    pub(crate) fn take_seen(&self) -> Vec<Seen> {
        std::mem::take(&mut self.seen.lock().unwrap())
    }

    pub(crate) fn take_statuses(&self) -> Vec<u16> {
        self.take_seen().iter().map(|seen| seen.1).collect()
    }
}

/// Closes the connection after a response with `Connection: close`, or, without saying so, after one
/// with `X-Close`.
fn serve(
    stream: TcpStream,
    record: &Mutex<Vec<Seen>>,
    answer: &dyn Fn(&Asked) -> Told,
) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut stream = stream;
    while let Some(asked) = read(&mut reader)? {
        let response = answer(&asked);
        let mut text = format!("HTTP/1.1 {}\r\n", response.status()).into_bytes();
        for (name, value) in response.headers() {
            let name = name.as_str().as_bytes();
            text.extend([name, b": ", value.as_bytes(), b"\r\n"].concat());
        }
        if !response.headers().contains_key("content-length") {
            text.extend(format!("content-length: {}\r\n", response.body().len()).bytes());
        }
        let is_head = asked.method() == "HEAD";
        record
            .lock()
            .unwrap()
            .push((asked, response.status().as_u16()));
        text.extend(b"\r\n");
        stream.write_all(&text)?;
        if !is_head {
            stream.write_all(response.body())?;
        }
        if ["x-close", "connection"]
            .iter()
            .any(|it| response.headers().contains_key(*it))
        {
            break;
        }
    }
    Ok(())
}

fn read(reader: &mut impl BufRead) -> io::Result<Option<Asked>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split(' ');
    let mut request = Request::builder()
        .method(words.next().unwrap())
        .uri(words.next().unwrap());
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else {
            break;
        };
        request = request.header(name, value);
    }
    let field = |name| request.headers_ref().and_then(|it| it.get(name));
    let mut body = Vec::new();
    if field("transfer-encoding").is_some() {
        loop {
            line.clear();
            reader.read_line(&mut line)?;
            let length = u64::from_str_radix(line.trim_end(), 16).unwrap();
            reader.by_ref().take(length).read_to_end(&mut body)?;
            reader.read_line(&mut line)?;
            if length == 0 {
                break;
            }
        }
    } else if let Some(length) = field("content-length") {
        let length = length.to_str().unwrap().parse().unwrap();
        reader.by_ref().take(length).read_to_end(&mut body)?;
    }
    Ok(Some(request.body(body).unwrap()))
}

/// Asks for Mufasa's password: returns a refusal, or nothing.
pub(crate) fn guard(realm: &'static str) -> impl Fn(&Asked) -> Option<Told> + Send + Sync {
    let settings = Realm::new(realm).unwrap();
    let settings = settings.with_algorithms(&[Algorithm::SHA_256]);
    let auth = Authenticator::new(settings, 10_000, &mut getrandom::SysRng).unwrap();
    let ha1 = Ha1::new(HashFunction::Sha256, USER.0, realm, USER.1);
    move |asked| {
        let target = asked.uri().path_and_query().unwrap();
        let target = Target::new(asked.method().as_str(), target.as_str());
        let find = |user: &User<'_>, _| (user.name() == Some(USER.0)).then_some(&ha1);
        let values = asked.headers().get_all("authorization");
        let arrival = Arrival::now(Channel::Cleartext);
        let refusal = auth.check(values.iter(), &target, arrival, find).err()?;
        let mut response = Response::builder().status(refusal.status);
        for challenge in &refusal.challenges {
            response = response.header(refusal.field, challenge.as_bytes());
        }
        Some(response.body(b"who are you?".to_vec()).unwrap())
    }
}

/// Tells method, target and body.
pub(crate) fn echo(asked: &Asked) -> Told {
    let body = String::from_utf8_lossy(asked.body());
    let text = format!("{} {} {body}", asked.method(), asked.uri());
    Response::new(text.into_bytes())
}

pub(crate) fn to(code: u16, location: &str) -> Told {
    let response = Response::builder()
        .status(code)
        .header("location", location);
    response.body(vec![]).unwrap()
}

pub(crate) fn status(code: u16) -> Told {
    Response::builder().status(code).body(vec![]).unwrap()
}

pub(crate) fn mufasa() -> Account {
    Account::new(USER.0, USER.1)
}
