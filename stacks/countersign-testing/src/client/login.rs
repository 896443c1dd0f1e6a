//! Servers that let the client in.

use countersign::digest::{Algorithm, QopSet};
use countersign::server::Reason;

use super::trial::Trial;
use crate::answer::is_md5;
use crate::outcome::{Outcome, Stop, skip};

pub(super) fn login(client: &mut Trial<'_>) -> Outcome {
    let core = client.serve(client.realm()?);
    client.must_get(&core)
}

pub(super) fn second_request(client: &mut Trial<'_>) -> Outcome {
    let core = client.serve(client.realm()?);
    client.must_get(&core)?;
    client.must_get(&core)?;
    client.must_get(&core)
}

pub(super) fn other_method(client: &mut Trial<'_>) -> Outcome {
    let core = client.serve(client.realm()?);
    for method in ["HEAD", "POST", "PUT", "OPTIONS"] {
        let granted = client.must_be_let_in(&core, method);
        granted.map_err(|stop| stop.about(method))?;
    }
    Ok(())
}

pub(super) fn each_algorithm(client: &mut Trial<'_>) -> Outcome {
    for &algorithm in Algorithm::ALL {
        let core = client.serve(client.realm()?.with_algorithms(&[algorithm]));
        client.renew();
        let ended = client.must_get_or_leave(&core, "GET", b"");
        match ended {
            // What this crate's own server takes for an attack.
            Err(Stop::Failed(_)) if core.reasons().contains(&Reason::SessionCnonce) => {
                client.must_be_right()?;
                client.note(format!(
                    "{algorithm} with a cnonce in the form of a hash: servers may refuse it, because \
                     session keys could be taken for other hashes"
                ));
            }
            other => other.map_err(|stop| stop.about(algorithm))?,
        }
    }
    Ok(())
}

pub(super) fn rfc2069(client: &mut Trial<'_>) -> Outcome {
    let core = client.serve(client.realm()?.with_qop(QopSet::NONE));
    client.must_get_or_leave(&core, "GET", b"")
}

pub(super) fn auth_or_auth_int(client: &mut Trial<'_>) -> Outcome {
    let core = client.serve(client.realm()?.with_qop(QopSet::BOTH));
    client.must_get(&core)?;
    client.renew();
    client.must_get_or_leave(&core, "POST", b"amount=10")
}

pub(super) fn auth_int(client: &mut Trial<'_>) -> Outcome {
    if is_md5(client.check.algorithm) {
        return skip("the server of this crate offers no auth-int alone with MD5");
    }
    let core = client.serve(client.realm()?.with_qop(QopSet::AUTH_INT));
    client.must_get_or_leave(&core, "POST", b"amount=10")
}

pub(super) fn userhash(client: &mut Trial<'_>) -> Outcome {
    let core = client.serve(client.realm()?.with_userhash(true));
    client.must_get(&core)
}
