//! The memory for bodies that are read before they are passed on.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::error::Error;
use std::future::poll_fn;
use std::mem;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame};

/// Holds a limited number of bytes of all bodies together. Where they are used up, a body gives way:
/// of the network that holds the most bytes, the one that began to come first. Otherwise whoever
/// holds bodies back, or sends many of them, could keep those of others from being read.
pub(super) struct Buffer {
    limit: usize,
    total: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The bytes of all bodies, those that are being checked included.
    used: usize,
    begun: u64,
    /// The bodies that are being read, by the network of their client.
    reading: HashMap<Network, Held>,
    /// The networks by the bytes that they hold.
    by_size: BTreeSet<(usize, Network)>,
}

/// The network of a client; `None` for all whose address is not known.
type Network = Option<IpAddr>;

/// The bodies of one network that are being read.
#[derive(Default)]
struct Held {
    size: usize,
    /// The oldest first.
    bodies: BTreeMap<u64, Reading>,
}

#[derive(Default)]
struct Reading {
    /// What has come.
    bytes: BytesMut,
    /// Of who waits for more.
    waker: Option<Waker>,
}

type NextFrame<B> = Result<Frame<<B as Body>::Data>, <B as Body>::Error>;

/// The reason why a body could not be read.
pub(super) enum BodyError {
    /// It is above the limit.
    TooLarge,
    /// It had to give way.
    TooMany,
    /// The connection failed.
    Failed(Box<dyn Error + Send + Sync>),
}

/// The bytes of one body, counted until it is dropped.
pub(super) struct Share<'a> {
    buffer: &'a Buffer,
    network: Network,
    /// None before the first byte.
    id: Option<u64>,
    /// The bytes of a whole body.
    kept: usize,
}

impl Buffer {
    pub(super) fn new(limit: usize, total: usize) -> Self {
        Self {
            limit,
            total: total.max(limit),
            state: Mutex::default(),
        }
    }

    /// Reads a body of a client in this network, without its trailers.
    pub(super) async fn read<B>(
        &self,
        body: B,
        network: Network,
    ) -> Result<(Bytes, Share<'_>), BodyError>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        // Known from Content-Length, so nothing of it needs to be read.
        if usize::try_from(body.size_hint().lower()).map_or(true, |size| size > self.limit) {
            return Err(BodyError::TooLarge);
        }
        let mut share = Share {
            buffer: self,
            network,
            id: None,
            kept: 0,
        };
        let mut body = pin!(body);
        while let Some(frame) = poll_fn(|cx| share.poll(body.as_mut(), cx)).await? {
            let frame = frame.map_err(|error| BodyError::Failed(error.into()))?;
            if let Ok(data) = frame.into_data()
                && !data.is_empty()
            {
                share.append(&data)?;
            }
        }
        Ok((share.finish()?, share))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share<'_> {
    /// The next frame of a body, unless it has to give way.
    fn poll<B: Body>(
        &self,
        body: Pin<&mut B>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Option<NextFrame<B>>, BodyError>> {
        if let Poll::Ready(frame) = body.poll_frame(cx) {
            return Poll::Ready(Ok(frame));
        }
        let Some(id) = self.id else {
            return Poll::Pending;
        };
        // Wakers are code of the program, and called or dropped where nothing is locked.
        let mut waker = Some(cx.waker().clone());
        match self.buffer.state().body(self.network, id) {
            Some(own) => mem::swap(&mut own.waker, &mut waker),
            None => return Poll::Ready(Err(BodyError::TooMany)),
        }
        Poll::Pending
    }

    /// Copies a piece: one that is kept as it is keeps the whole buffer that it was read into, of a
    /// body that comes byte by byte thousands of times its length.
    fn append(&mut self, data: &[u8]) -> Result<(), BodyError> {
        let mut gone = Vec::new();
        let appended = self.append_and_remove(data, &mut gone);
        for other in gone {
            if let Some(waker) = other.waker {
                waker.wake();
            }
        }
        appended
    }

    /// The same, and the bodies that have given way.
    fn append_and_remove(&mut self, data: &[u8], gone: &mut Vec<Reading>) -> Result<(), BodyError> {
        let (buffer, network) = (self.buffer, self.network);
        let mut state = buffer.state();
        let id = *self.id.get_or_insert_with(|| state.begin(network));
        let own = state.body(network, id).ok_or(BodyError::TooMany)?;
        if data.len() > buffer.limit - own.bytes.len() {
            return Err(BodyError::TooLarge);
        }
        while data.len() > buffer.total - state.used {
            let &(_, largest) = state.by_size.last().ok_or(BodyError::TooMany)?;
            let oldest = state.oldest(largest).ok_or(BodyError::TooMany)?;
            gone.extend(state.remove(largest, oldest));
            if oldest == id {
                return Err(BodyError::TooMany);
            }
        }
        let own = state.body(network, id).ok_or(BodyError::TooMany)?;
        own.bytes.extend_from_slice(data);
        state.grow(network, data.len());
        Ok(())
    }

    /// From now on it does not give way: its bytes are in use.
    fn finish(&mut self) -> Result<Bytes, BodyError> {
        let Some(id) = self.id.take() else {
            return Ok(Bytes::new());
        };
        let mut state = self.buffer.state();
        let whole = state.remove(self.network, id).ok_or(BodyError::TooMany)?;
        self.kept = whole.bytes.len();
        state.used += self.kept;
        Ok(whole.bytes.freeze())
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        // Dropped after the lock.
        let _unfinished;
        let mut state = self.buffer.state();
        _unfinished = self.id.and_then(|id| state.remove(self.network, id));
        state.used -= self.kept;
    }
}

impl State {
    /// Adds an empty body.
    fn begin(&mut self, network: Network) -> u64 {
        self.begun += 1;
        let held = self.reading.entry(network).or_default();
        held.bodies.insert(self.begun, Reading::default());
        self.by_size.insert((held.size, network));
        self.begun
    }

    fn body(&mut self, network: Network, id: u64) -> Option<&mut Reading> {
        self.reading.get_mut(&network)?.bodies.get_mut(&id)
    }

    fn oldest(&self, network: Network) -> Option<u64> {
        let (&id, _) = self.reading.get(&network)?.bodies.first_key_value()?;
        Some(id)
    }

    /// Counts bytes that a body has got.
    fn grow(&mut self, network: Network, size: usize) {
        if let Some(held) = self.reading.get_mut(&network) {
            self.by_size.remove(&(held.size, network));
            held.size += size;
            self.by_size.insert((held.size, network));
        }
        self.used += size;
    }

    /// Removes a body with its bytes, and the network with its last body.
    fn remove(&mut self, network: Network, id: u64) -> Option<Reading> {
        let held = self.reading.get_mut(&network)?;
        let body = held.bodies.remove(&id)?;
        self.by_size.remove(&(held.size, network));
        held.size -= body.bytes.len();
        self.used -= body.bytes.len();
        match held.bodies.is_empty() {
            true => drop(self.reading.remove(&network)),
            false => drop(self.by_size.insert((held.size, network))),
        }
        Some(body)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::{Wake, ready};

    use tokio::sync::mpsc;

    use super::*;

    /// A body that comes when the test says so.
    struct Pieces(mpsc::UnboundedReceiver<&'static str>);

    impl Body for Pieces {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            cx: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            let piece = ready!(self.0.poll_recv(cx));
            Poll::Ready(piece.map(|piece| Ok(Frame::data(piece.into()))))
        }
    }

    type Read<'a> = Result<(Bytes, Share<'a>), BodyError>;

    struct Reading<'a> {
        pieces: Option<mpsc::UnboundedSender<&'static str>>,
        read: Pin<Box<dyn Future<Output = Read<'a>> + 'a>>,
    }

    fn read(buffer: &Buffer) -> Reading<'_> {
        read_from(buffer, None)
    }

    fn read_from(buffer: &Buffer, network: Network) -> Reading<'_> {
        let (pieces, receiver) = mpsc::unbounded_channel();
        Reading {
            pieces: Some(pieces),
            read: Box::pin(buffer.read(Pieces(receiver), network)),
        }
    }

    impl<'a> Reading<'a> {
        fn poll(&mut self) -> Poll<Read<'a>> {
            let mut cx = Context::from_waker(Waker::noop());
            self.read.as_mut().poll(&mut cx)
        }

        fn send(&mut self, piece: &'static str) {
            self.pieces.as_ref().unwrap().send(piece).unwrap();
            assert!(self.poll().is_pending());
        }

        fn poll_pending(&mut self) {
            assert!(self.poll().is_pending());
        }

        fn end(mut self) -> Result<(Bytes, Share<'a>), BodyError> {
            self.pieces = None;
            match self.poll() {
                Poll::Ready(read) => read,
                Poll::Pending => panic!("not at its end"),
            }
        }
    }

    fn gives_way(reading: Reading<'_>) {
        assert!(matches!(reading.end(), Err(BodyError::TooMany)));
    }

    #[test]
    fn the_oldest_gives_way_and_no_more_than_needed() {
        let buffer = Buffer::new(4, 10);
        let mut bodies = [(); 3].map(|()| read(&buffer));
        // The order in which they begin to come, and not the one in which they were asked for.
        let [third, first, second] = &mut bodies;
        first.send("aaa");
        second.send("bbb");
        third.send("ccc");
        let mut fourth = read(&buffer);
        fourth.send("d");
        fourth.send("d");
        assert_eq!(buffer.state().used, 8);
        let [third, first, second] = bodies;
        gives_way(first);
        assert_eq!(&second.end().map_err(drop).unwrap().0, "bbb");
        assert_eq!(&third.end().map_err(drop).unwrap().0, "ccc");
        assert_eq!(&fourth.end().map_err(drop).unwrap().0, "dd");
        assert_eq!(buffer.state().used, 0);
    }

    /// One client cannot keep the bodies of others out, however much it sends.
    #[test]
    fn the_network_that_holds_most_gives_way() {
        let network = |last| Some(IpAddr::from([192, 0, 2, last]));
        let buffer = Buffer::new(8, 20);
        let mut honest = read_from(&buffer, network(1));
        honest.send("hhh");
        let mut flood = Vec::new();
        for _ in 0..10 {
            let mut body = read_from(&buffer, network(2));
            body.send("ffffff");
            flood.push(body);
            honest.poll_pending();
        }
        assert_eq!(buffer.state().used, 15);
        // The last two have come last.
        let kept: Vec<_> = flood.into_iter().map(|body| body.end().is_ok()).collect();
        assert_eq!(kept.iter().filter(|&&kept| kept).count(), 2);
        assert!(kept[8] && kept[9]);
        honest.send("hh");
        // Three clients: the largest gives way to the newest, who holds least.
        let [mut second, mut third] = [2, 3].map(|last| read_from(&buffer, network(last)));
        second.send("ssssssss");
        third.send("tttttttt");
        gives_way(second);
        assert_eq!(&third.end().map_err(drop).unwrap().0, "tttttttt");
        assert_eq!(&honest.end().map_err(drop).unwrap().0, "hhhhh");
        let state = buffer.state();
        assert_eq!(
            (state.used, state.reading.len(), state.by_size.len()),
            (0, 0, 0)
        );
    }

    /// Also after another body of that network is complete.
    #[test]
    fn a_network_gives_way_as_long_as_it_has_bodies() {
        let network = |last| Some(IpAddr::from([192, 0, 2, last]));
        let buffer = Buffer::new(8, 10);
        let [mut first, mut second] = [(); 2].map(|()| read_from(&buffer, network(1)));
        first.send("aaaa");
        second.send("bb");
        let first = first.end().map_err(drop).unwrap();
        let mut other = read_from(&buffer, network(2));
        other.send("cccccc");
        gives_way(second);
        assert_eq!(&other.end().map_err(drop).unwrap().0, "cccccc");
        assert_eq!(&first.0, "aaaa");
    }

    #[derive(Default)]
    struct Woken(AtomicUsize);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn who_gives_way_does_not_wait_for_more() {
        let buffer = Buffer::new(4, 4);
        let [mut first, mut second] = [(); 2].map(|()| read(&buffer));
        first.send("aaa");
        let woken = Arc::new(Woken::default());
        let waker = Arc::clone(&woken).into();
        let mut cx = Context::from_waker(&waker);
        assert!(first.read.as_mut().poll(&mut cx).is_pending());
        second.send("bb");
        assert_eq!(woken.0.load(Ordering::Relaxed), 1);
        let result = first.read.as_mut().poll(&mut cx);
        assert!(matches!(result, Poll::Ready(Err(BodyError::TooMany))));
    }

    #[test]
    fn the_oldest_gives_way_to_itself_alone() {
        let buffer = Buffer::new(6, 10);
        let [mut first, mut second] = [(); 2].map(|()| read(&buffer));
        first.send("a");
        second.send("bbbbbb");
        // More than its own end makes room for.
        first.pieces.as_ref().unwrap().send("aaaaa").unwrap();
        gives_way(first);
        assert_eq!(&second.end().map_err(drop).unwrap().0, "bbbbbb");
    }

    #[test]
    fn a_body_that_is_checked_does_not_give_way() {
        let buffer = Buffer::new(4, 10);
        let mut whole = [(); 2].map(|()| read(&buffer));
        whole.iter_mut().for_each(|reading| reading.send("aaaa"));
        let whole = whole.map(|reading| reading.end().map_err(drop).unwrap());
        let mut next = read(&buffer);
        next.send("bb");
        // There is nobody else to give way.
        next.pieces.as_ref().unwrap().send("b").unwrap();
        gives_way(next);
        assert_eq!(buffer.state().used, 8);
        drop(whole);
        let mut next = read(&buffer);
        next.send("bbbb");
        assert_eq!(&next.end().map_err(drop).unwrap().0, "bbbb");
    }

    #[test]
    fn one_that_is_dropped_leaves_nothing() {
        let buffer = Buffer::new(4, 10);
        let mut one = read(&buffer);
        one.send("aaaa");
        drop(one);
        assert_eq!(buffer.state().used, 0);
        assert!(buffer.state().reading.is_empty());
        assert!(buffer.state().by_size.is_empty());
    }

    #[test]
    fn none_is_longer_than_the_limit() {
        let buffer = Buffer::new(4, 10);
        let mut one = read(&buffer);
        one.send("aaaa");
        one.pieces.as_ref().unwrap().send("a").unwrap();
        assert!(matches!(one.end(), Err(BodyError::TooLarge)));
        assert_eq!(buffer.state().used, 0);
        assert!(read(&buffer).end().is_ok_and(|(bytes, _)| bytes.is_empty()));
    }
}
