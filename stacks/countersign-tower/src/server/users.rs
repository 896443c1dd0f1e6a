//! The store of users.

use std::error::Error;
use std::future::{Future, ready};

use countersign::digest::{HashFunction, User};
use countersign::server::Verdict;
use countersign::wire::BasicCredentials;

use crate::server::found::Found;

/// The failure of a user store, or of one of counts. The client gets status 503 and no challenge,
/// so that it neither drops its credentials nor prompts its user.
pub type StoreError = Box<dyn Error + Send + Sync>;

/// A store of users, such as a database.
///
/// A [`UserMap`](super::UserMap) is one. Others implement the trait, with `async fn`:
///
/// ```
/// use std::sync::Arc;
///
/// use countersign::digest::{Ha1, HashFunction, User};
/// use countersign_tower::server::{Found, StoreError, Users};
///
/// struct Row {
///     id: u64,
///     is_admin: bool,
/// }
///
/// struct Database;
///
/// impl Users for Database {
///     type Account = Arc<Row>;
///
///     async fn find(
///         &self,
///         user: &User<'_>,
///         realm: &str,
///         hash: HashFunction,
///     ) -> Result<Option<Found<Arc<Row>>>, StoreError> {
///         let Some(name) = user.name() else { return Ok(None) };
///         let Some((row, hex)) = query(name, realm, hash).await? else { return Ok(None) };
///         let ha1 = Ha1::from_hex(hash, &hex)?;
///         Ok(Some(Found { account: Arc::new(row), ha1 }))
///     }
/// }
/// # async fn query(
/// #     _: &str, _: &str, _: HashFunction,
/// # ) -> Result<Option<(Row, String)>, StoreError> {
/// #     Ok(None)
/// # }
/// # let _ = (|row: Row| (row.id, row.is_admin), Database);
/// ```
pub trait Users: Send + Sync + 'static {
    /// What the service is told about a user, as part of the [`Identity`](super::Identity): an
    /// `Arc` of a row, or an id.
    type Account: Clone + Send + Sync + 'static;

    /// Finds the account of a user, and its HA1 for this realm and hash function. The user is only
    /// claimed so far.
    ///
    /// Return `None` if there is no such user. An `Err` is answered with status 503.
    ///
    /// There is one HA1 for a name. If an account has several passwords, give each a user name of
    /// its own, such as one for each device.
    ///
    /// Look up by the realm, too. The client chooses what it hashes, so an HA1 of another realm
    /// lets its user into this one.
    fn find(
        &self,
        user: &User<'_>,
        realm: &str,
        hash: HashFunction,
    ) -> impl Future<Output = Result<Option<Found<Self::Account>>, StoreError>> + Send;

    /// Checks the password of a Basic request, for stores of Argon2 or bcrypt hashes. `None`, the
    /// default, compares it with the HA1 that [`find`](Self::find) returns.
    ///
    /// Such a hash takes long, so run it on a blocking thread, and bound the number of hashes that
    /// run at once, because anyone can cause one: with the feature `tokio`, `HashPool` does both. For an
    /// unknown user hash the password as well, and compare it with the hash of a random one, so
    /// that the time does not tell which users exist. If some users have only an HA1, do so before
    /// `None`, too.
    ///
    /// Basic names no realm, so look up by `realm`, too: otherwise each user of a store that
    /// several realms share is let into all of them.
    ///
    /// ```
    /// # use countersign::digest::{HashFunction, User};
    /// # use countersign::wire::BasicCredentials;
    /// # use countersign_tower::server::{Found, StoreError, Users};
    /// use countersign_tower::server::{HashPool, Verdict};
    ///
    /// /// About as many as there are cores.
    /// static HASHES: HashPool = HashPool::new(4);
    ///
    /// # struct Database;
    /// # type Row = String;
    /// # fn slow_compare(_: &BasicCredentials, _: &str) -> Option<Row> { None }
    /// impl Users for Database {
    ///     // ...
    /// #   type Account = Row;
    /// #   async fn find(
    /// #       &self, _: &User<'_>, _: &str, _: HashFunction,
    /// #   ) -> Result<Option<Found<Row>>, StoreError> {
    /// #       Ok(None)
    /// #   }
    ///
    ///     async fn check_password(
    ///         &self,
    ///         pair: &BasicCredentials,
    ///         realm: &str,
    ///     ) -> Result<Option<Verdict<Row>>, StoreError> {
    ///         let (pair, realm) = (pair.clone(), realm.to_owned());
    ///         let row = HASHES.run(move || Ok(slow_compare(&pair, &realm))).await?;
    ///         Ok(Some(row.map_or(Verdict::Wrong, Verdict::Right)))
    ///     }
    /// }
    /// # let _ = Database;
    /// ```
    fn check_password(
        &self,
        pair: &BasicCredentials,
        realm: &str,
    ) -> impl Future<Output = Result<Option<Verdict<Self::Account>>, StoreError>> + Send {
        let _ = (pair, realm);
        ready(Ok(None))
    }
}
