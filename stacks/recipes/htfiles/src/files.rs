//! The two files, which are read again when they have changed.
use std::fs::{metadata, read_to_string};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use countersign::server::Realm;
use loopback::Error;

use crate::REALM;
use crate::accounts::Accounts;

pub struct Files {
    paths: [PathBuf; 2],
    current: Mutex<(Stamps, Arc<Users>)>,
}

/// When the files were written, and how long they are: of two changes within a tick of the clock, the
/// second may leave the time as it is.
type Stamps = [Option<(SystemTime, u64)>; 2];

/// What both files say, and what follows from it.
pub struct Users {
    pub accounts: Accounts,
    pub realm: Realm,
    /// The hash of a random password, compared with where there is no such user. At the cost of the
    /// file, so that it takes as long as those of users.
    pub nobody: String,
    cost: u32,
}

impl Files {
    pub fn new(htdigest: &str, htpasswd: &str) -> Result<Self, Error> {
        let paths = [htdigest, htpasswd].map(PathBuf::from);
        let stamps = stamps(&paths);
        let users = Arc::new(Users::read(&paths, None)?);
        Ok(Self {
            paths,
            current: Mutex::new((stamps, users)),
        })
    }

    /// The users as of now. Files that are not right leave them as they were.
    pub fn users(&self) -> Arc<Users> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let (seen, users) = &mut *current;
        // Before they are read: what is written meanwhile is seen by the next request.
        let stamps = stamps(&self.paths);
        if *seen != stamps {
            *seen = stamps;
            match Users::read(&self.paths, Some(users)) {
                Ok(changed) => *users = Arc::new(changed),
                Err(error) => eprintln!("users as before, because of their files: {error}"),
            }
        }
        Arc::clone(users)
    }
}

fn stamps(paths: &[PathBuf; 2]) -> Stamps {
    paths.each_ref().map(|path| {
        let metadata = metadata(path).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    })
}

impl Users {
    fn read([htdigest, htpasswd]: &[PathBuf; 2], before: Option<&Self>) -> Result<Self, Error> {
        let (htdigest, htpasswd) = (read_to_string(htdigest)?, read_to_string(htpasswd)?);
        let accounts = Accounts::read(&htdigest, &htpasswd, REALM)?;
        // A client takes the best algorithm offered, so SHA-256 waits until everybody has it, and
        // without users of htdigest there is none.
        let realm = Realm::new(REALM)?
            .with_algorithms(accounts.algorithms())
            .with_basic();
        let cost = accounts.bcrypt_cost().unwrap_or(bcrypt::DEFAULT_COST);
        let nobody = match before.filter(|before| before.cost == cost) {
            Some(before) => before.nobody.clone(),
            None => {
                let mut password = [0; 16];
                getrandom::fill(&mut password)?;
                bcrypt::hash(password, cost)?
            }
        };
        Ok(Self {
            accounts,
            realm,
            nobody,
            cost,
        })
    }
}
