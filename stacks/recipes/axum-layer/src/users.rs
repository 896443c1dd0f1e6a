//! The store, in SQLite: for each realm either an HA1 of every hash function or an Argon2 hash.
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;

use argon2::Argon2;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use countersign::digest::{Ha1, HashFunction, User, userhash};
use countersign::wire::BasicCredentials;
use countersign_tower::server::{Found, HashPool, StoreError, Users, Verdict};
use rusqlite::{Connection, OptionalExtension, params};
use tokio::task::spawn_blocking;

/// As many as there are cores: each takes one, and 19 MiB.
pub static HASHES: LazyLock<HashPool> =
    LazyLock::new(|| HashPool::new(available_parallelism().map_or(2, |cores| cores.get())));

#[derive(Clone)]
pub struct Database(Arc<Tables>);

struct Tables {
    db: Mutex<Connection>,
    /// The Argon2 hash of a random password, compared with where there is no such user.
    nobody: String,
}

fn slow_hash(password: &[u8]) -> Result<String, StoreError> {
    Ok(Argon2::default().hash_password(password)?.to_string())
}

impl Database {
    pub fn demo(realms: &[&str]) -> Result<Self, StoreError> {
        let db = Connection::open_in_memory()?;
        db.execute_batch(
            "create table ha1 (realm, hash, name, userhash, ha1, primary key (realm, hash, name));
             create table slow (realm, name, phc, primary key (realm, name));",
        )?;
        let mut password = [0; 16];
        getrandom::fill(&mut password)?;
        let users = Self(Arc::new(Tables {
            db: Mutex::new(db),
            nobody: slow_hash(&password)?,
        }));
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
        let mut db = self.db();
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
        let mut db = self.db();
        let change = db.transaction()?;
        for table in ["ha1", "slow"] {
            let delete = format!("delete from {table} where realm = ?1 and name = ?2");
            change.execute(&delete, params![realm, name])?;
        }
        Ok(change.commit()?)
    }

    fn db(&self) -> MutexGuard<'_, Connection> {
        self.0.db.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Users for Database {
    /// The name.
    type Account = String;

    async fn find(
        &self,
        user: &User<'_>,
        realm: &str,
        hash: HashFunction,
    ) -> Result<Option<Found<String>>, StoreError> {
        let (column, value) = match user {
            User::Name(name) => ("name", name.to_string()),
            User::Hash(hash) => ("userhash", hash.as_str().to_owned()),
            _ => return Ok(None),
        };
        let (users, realm) = (self.clone(), realm.to_owned());
        let query =
            format!("select name, ha1 from ha1 where realm = ?1 and hash = ?2 and {column} = ?3");
        // SQLite blocks.
        let row: Option<(String, String)> = spawn_blocking(move || {
            let row = params![realm, hash.to_string(), value];
            let found = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
            users.db().query_row(&query, row, found).optional()
        })
        .await??;
        let Some((account, hex)) = row else {
            return Ok(None);
        };
        let ha1 = Ha1::from_hex(hash, &hex)?;
        Ok(Some(Found { account, ha1 }))
    }

    /// Takes as long for a user that does not exist as for a wrong password.
    async fn check_password(
        &self,
        pair: &BasicCredentials,
        realm: &str,
    ) -> Result<Option<Verdict<String>>, StoreError> {
        if realm != "slow" {
            return Ok(None);
        }
        let (users, realm, pair) = (self.clone(), realm.to_owned(), pair.clone());
        let hash = move || {
            let name = str::from_utf8(pair.username()).unwrap_or_default();
            let query = "select phc from slow where realm = ?1 and name = ?2";
            let row = params![realm, name];
            let phc: Option<String> = users
                .db()
                .query_row(query, row, |row| row.get(0))
                .optional()?;
            let stored = phc.as_ref().unwrap_or(&users.0.nobody);
            let is_right = Argon2::default().verify_password(pair.password(), stored.as_str());
            Ok(match is_right.is_ok() && phc.is_some() {
                true => Verdict::Right(name.to_owned()),
                false => Verdict::Wrong,
            })
        };
        HASHES.run(hash).await.map(Some)
    }
}
