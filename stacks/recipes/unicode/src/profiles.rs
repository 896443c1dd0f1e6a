//! The profiles of RFC 8265, as another library has them.
use countersign::precis;
use loopback::Error;
use precis_profiles::precis_core::profile::Profile;
use precis_profiles::{OpaqueString, UsernameCasePreserved};

/// Fails for a name or a password that nobody may register.
pub fn check(name: &str, password: &str) -> Result<(), Error> {
    // Mapped first, because the library refuses letters of Hangul that are decomposed.
    let (name, password) = (precis::username(name), precis::password(password));
    UsernameCasePreserved::new().enforce(&*name)?;
    OpaqueString::new().enforce(&*password)?;
    Ok(())
}

/// Every character in three places: what the profiles allow they map in the same way.
pub fn compare() {
    let (name, password) = (UsernameCasePreserved::new(), OpaqueString::new());
    let mut allowed = [0, 0];
    for c in '\0'..'\u{30000}' {
        for text in [format!("{c}"), format!("e{c}"), format!("{c}\u{301}")] {
            if let Ok(enforced) = name.enforce(&*text) {
                assert_eq!(precis::username(&text), enforced, "{text:?}");
                allowed[0] += 1;
            }
            if let Ok(enforced) = password.enforce(&*text) {
                assert_eq!(precis::password(&text), enforced, "{text:?}");
                allowed[1] += 1;
            }
        }
    }
    println!("mapped as by precis-profiles: {allowed:?} names and passwords");
    assert!(allowed.iter().all(|&count| count > 100_000));
}
