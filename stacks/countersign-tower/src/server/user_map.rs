//! Users in memory.

use std::collections::HashMap;
use std::fmt;
use std::future::{Future, ready};
use std::sync::Arc;

use countersign::digest::{Ha1, HashFunction, User, userhash};
use countersign::server::Realm;

use crate::server::found::Found;
use crate::server::users::{StoreError, Users};

/// The users of one realm, in memory. In any other realm they are unknown. The account is the user
/// name, also of a request with its [hash](Realm::with_userhash).
#[derive(Clone)]
pub struct UserMap {
    realm: String,
    /// By name and by its hashes, the place in `accounts`.
    places: HashMap<User<'static>, usize>,
    accounts: Vec<(Arc<str>, Vec<Ha1>)>,
}

impl UserMap {
    /// Users by name and password. Keeps their HA1s for each hash function, and no passwords.
    ///
    /// ```
    /// use countersign::server::Realm;
    /// use countersign_tower::server::UserMap;
    ///
    /// let realm = Realm::new("files")?;
    /// let users = UserMap::new(&realm, [("Mufasa", "Circle of Life")]);
    /// # let _ = users;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new<N, P>(realm: &Realm, users: impl IntoIterator<Item = (N, P)>) -> Self
    where
        N: Into<String>,
        P: AsRef<str>,
    {
        let ha1s = users.into_iter().flat_map(|(name, password)| {
            let name = name.into();
            HashFunction::ALL.iter().map(move |&hash| {
                let ha1 = realm.ha1(hash, &*name, password.as_ref());
                (name.clone(), ha1)
            })
        });
        Self::from_ha1s(realm, ha1s)
    }

    /// Users by name and HA1, such as a `HashMap<String, Ha1>`. A name may come again with another
    /// hash function; of several with the same, the last counts. [Offer](Realm::with_algorithms) those alone that all users have: clients
    /// choose by what is offered.
    pub fn from_ha1s<N>(realm: &Realm, users: impl IntoIterator<Item = (N, Ha1)>) -> Self
    where
        N: Into<String>,
    {
        let realm = realm.name().to_owned();
        let (mut places, mut accounts) = (HashMap::new(), Vec::<(Arc<str>, Vec<Ha1>)>::new());
        for (name, ha1) in users {
            let name: String = name.into();
            let hashed = userhash(ha1.hash_function(), &*name, &*realm);
            let place = places.entry(User::Name(name.clone().into()));
            let place = *place.or_insert(accounts.len());
            places.insert(User::Hash(hashed), place);
            match accounts.get_mut(place) {
                Some((_, ha1s)) => {
                    ha1s.retain(|other| other.hash_function() != ha1.hash_function());
                    ha1s.push(ha1);
                }
                None => accounts.push((name.into(), vec![ha1])),
            }
        }
        Self {
            realm,
            places,
            accounts,
        }
    }
}

impl Users for UserMap {
    type Account = Arc<str>;

    fn find(
        &self,
        user: &User<'_>,
        realm: &str,
        hash: HashFunction,
    ) -> impl Future<Output = Result<Option<Found<Arc<str>>>, StoreError>> + Send {
        // The client chooses what it hashes, so in another realm an HA1 of this one would let its
        // user in.
        let place = self.places.get(user).filter(|_| realm == self.realm);
        let found = place.and_then(|&place| {
            let (name, ha1s) = self.accounts.get(place)?;
            let ha1 = ha1s.iter().find(|ha1| ha1.hash_function() == hash)?;
            Some(Found {
                account: name.clone(),
                ha1: ha1.clone(),
            })
        });
        ready(Ok(found))
    }
}

impl fmt::Debug for UserMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserMap")
            .field("realm", &self.realm)
            .field("users", &self.accounts.len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_last_password_of_a_name_counts() {
        let realm = Realm::new("files").unwrap();
        let users = [("Mufasa", "old"), ("Zazu", "old"), ("Mufasa", "new")];
        let users = UserMap::new(&realm, users);
        assert_eq!(users.accounts.len(), 2);
        for &hash in HashFunction::ALL {
            for (name, password) in [("Mufasa", "new"), ("Zazu", "old")] {
                let hashed = User::Hash(userhash(hash, name, "files"));
                for user in [User::from(name), hashed] {
                    let found = users.find(&user, "files", hash).await.unwrap().unwrap();
                    assert_eq!(&*found.account, name);
                    assert_eq!(found.ha1, realm.ha1(hash, name, password));
                }
            }
        }
    }
}
