//! What came of a request.
use countersign::FieldValue;
use countersign::client::ServerProof;
use hyper::Response;
use hyper::body::Bytes;

/// What came of a request of the user.
pub struct Visit {
    /// Of each response.
    pub statuses: Vec<u16>,
    /// How often the user was asked.
    pub logins: usize,
    /// What the server proved of itself; `None` if the credentials were refused.
    pub proof: Option<ServerProof>,
    /// The credentials of the last request.
    pub answer: Option<FieldValue>,
    /// The last response.
    pub response: Response<Bytes>,
}

impl Visit {
    /// Shows it, and panics if it is not as expected.
    pub fn expect(&self, what: &str, statuses: &[u16], proof: Option<ServerProof>) {
        let proven = self.proof.map_or("-".into(), |proof| format!("{proof:?}"));
        let text = String::from_utf8_lossy(self.response.body());
        let shown = format!("{what}: {:?}, proof {proven} {text}", self.statuses);
        println!("{}", shown.trim_end());
        assert_eq!((&*self.statuses, &self.proof), (statuses, &proof), "{what}");
    }
}
