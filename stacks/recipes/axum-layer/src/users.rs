//! The store, in SQLite: for each realm either an HA1 of every hash function or an Argon2 hash.
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;
use std::time::Duration;

use argon2::Argon2;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use countersign::digest::{Ha1, HashFunction, User, userhash};
use countersign::server::Attempt;
use countersign::wire::BasicCredentials;
use rusqlite::{Connection, OptionalExtension, params};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// How long a password waits to be hashed.
const MAX_WAIT: Duration = Duration::from_secs(2);

pub type StoreError = Box<dyn std::error::Error + Send + Sync>;

/// Who was let in: take it by `Extension<CurrentUser>`.
#[derive(Clone)]
pub struct CurrentUser {
    pub name: String,
    pub how: &'static str,
}

pub struct Account {
    pub name: String,
    /// `None` where it was found by its password.
    pub ha1: Option<Ha1>,
}

pub struct Users {
    db: Mutex<Connection>,
    /// The Argon2 hash of a random password, compared with where there is no such user.
    nobody: String,
    /// One for each hash that may run at once. Anyone can cause one, without an account, and each
    /// takes a core and 19 MiB.
    pub hashes: Arc<Semaphore>,
}

fn slow_hash(password: &[u8]) -> Result<String, StoreError> {
    Ok(Argon2::default().hash_password(password)?.to_string())
}

impl Users {
    pub fn demo(realms: &[&str]) -> Result<Self, StoreError> {
        let db = Connection::open_in_memory()?;
        db.execute_batch(
            "create table ha1 (realm, hash, name, userhash, ha1, primary key (realm, hash, name));
             create table slow (realm, name, phc, primary key (realm, name));",
        )?;
        let mut password = [0; 16];
        getrandom::fill(&mut password)?;
        let users = Self {
            db: Mutex::new(db),
            nobody: slow_hash(&password)?,
            hashes: Arc::new(Semaphore::new(available_parallelism()?.get())),
        };
        for realm in realms {
            for (name, password) in [("Mufasa", "Circle of Life"), ("Jäsøn", "Doe, π")] {
                users.set_password(realm, name, password)?;
            }
        }
        Ok(users)
    }

    /// Adds a user of a realm, or changes their password. It holds from the next request on: a
    /// nonce says nothing about the user.
    pub fn set_password(&self, realm: &str, name: &str, password: &str) -> Result<(), StoreError> {
        // No more than the realm offers: beside a fast hash, a slow one would protect nothing.
        let (hashes, phc): (&[_], _) = match realm {
            "slow" => (&[], Some(slow_hash(password.as_bytes())?)),
            "admin" => (&[HashFunction::Sha256], None),
            _ => (&[HashFunction::Sha256, HashFunction::Md5], None),
        };
        let mut db = self.db.lock().unwrap_or_else(PoisonError::into_inner);
        let change = db.transaction()?;
        for &hash in hashes {
            let userhash = userhash(hash, name, realm);
            let ha1 = Ha1::new(hash, name, realm, password);
            change.execute(
                "insert or replace into ha1 values (?1, ?2, ?3, ?4, ?5)",
                params![
                    realm,
                    hash.to_string(),
                    name,
                    userhash.as_str(),
                    ha1.as_hex()
                ],
            )?;
        }
        if let Some(phc) = phc {
            change.execute(
                "insert or replace into slow values (?1, ?2, ?3)",
                params![realm, name, phc],
            )?;
        }
        Ok(change.commit()?)
    }

    pub fn delete(&self, realm: &str, name: &str) -> Result<(), StoreError> {
        let mut db = self.db.lock().unwrap_or_else(PoisonError::into_inner);
        let change = db.transaction()?;
        for table in ["ha1", "slow"] {
            let delete = format!("delete from {table} where realm = ?1 and name = ?2");
            change.execute(&delete, params![realm, name])?;
        }
        Ok(change.commit()?)
    }

    /// Finds the account that is claimed: by its name, and where the realm has Argon2 hashes by its
    /// password, too. Fails if too many passwords wait to be hashed.
    pub async fn find(
        self: &Arc<Self>,
        attempt: &Attempt<'_>,
    ) -> Result<Option<Account>, StoreError> {
        let users = Arc::clone(self);
        let realm = attempt.realm().name().to_owned();
        let user = attempt.claimed_user().into_owned();
        let hash = attempt.hash_function();
        let pair = attempt.basic().cloned();
        // SQLite blocks, and Argon2 is slow.
        match pair.filter(|_| realm == "slow") {
            Some(pair) => {
                let permit = Arc::clone(&self.hashes).acquire_owned();
                let permit = timeout(MAX_WAIT, permit).await??;
                spawn_blocking(move || {
                    // Until the hash is made, even if the request has gone by then.
                    let _permit = permit;
                    users.find_by_password(&realm, &pair)
                })
                .await?
            }
            None => spawn_blocking(move || users.find_by_name(&realm, &user, hash)).await?,
        }
    }

    fn find_by_name(
        &self,
        realm: &str,
        user: &User<'_>,
        hash: HashFunction,
    ) -> Result<Option<Account>, StoreError> {
        let (column, value) = match user {
            User::Name(name) => ("name", name.as_ref()),
            User::Hash(hash) => ("userhash", hash.as_str()),
            _ => return Ok(None),
        };
        let query =
            format!("select name, ha1 from ha1 where realm = ?1 and hash = ?2 and {column} = ?3");
        let found: Option<(String, String)> = self
            .db
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .query_row(&query, params![realm, hash.to_string(), value], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()?;
        let Some((name, hex)) = found else {
            return Ok(None);
        };
        let ha1 = Some(Ha1::from_hex(hash, &hex)?);
        Ok(Some(Account { name, ha1 }))
    }

    /// Takes as long for a user that does not exist as for a wrong password.
    fn find_by_password(
        &self,
        realm: &str,
        pair: &BasicCredentials,
    ) -> Result<Option<Account>, StoreError> {
        let name = str::from_utf8(pair.username()).ok();
        let stored: Option<String> = self
            .db
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .query_row(
                "select phc from slow where realm = ?1 and name = ?2",
                params![realm, name],
                |row| row.get(0),
            )
            .optional()?;
        let phc = stored.as_ref().unwrap_or(&self.nobody);
        let is_right = Argon2::default()
            .verify_password(pair.password(), phc.as_str())
            .is_ok();
        Ok(name
            .filter(|_| is_right && stored.is_some())
            .map(|name| Account {
                name: name.to_owned(),
                ha1: None,
            }))
    }
}
