//! Challenges, as the toy client misreads them.

pub(super) fn misread(fault: &str, values: &mut Vec<String>) {
    let respell = |values: &mut Vec<String>, from: &str, to: &str| {
        values
            .iter_mut()
            .for_each(|value| *value = value.replace(from, to));
    };
    match fault {
        "takes unknown algorithms for SHA-256" => respell(values, "SHA-1024-", ""),
        "answers every qop" => respell(values, "auth-new", "auth"),
        "takes the last of two nonces" => respell(values, "nonce=\"other\", ", ""),
        "takes the first of two nonces" => {
            for value in values
                .iter_mut()
                .filter(|it| it.contains("nonce=\"other\", "))
            {
                if let Some(at) = value.rfind("nonce=") {
                    let end = value[at..]
                        .find(", ")
                        .map_or(value.len(), |end| at + end + 2);
                    value.replace_range(at..end, "");
                }
            }
        }
        "reads every userhash as true" => {
            respell(values, "userhash=false", "userhash=true");
            respell(values, "userhash=FALSE", "userhash=true");
            respell(values, "userhash=\"false\"", "userhash=true");
        }
        "compares userhash with false" => respell(values, "userhash=FALSE", "userhash=true"),
        "reads every stale as true" => {
            respell(values, "stale=false", "stale=true");
            respell(values, "stale=FALSE", "stale=true");
            respell(values, "stale=\"false\"", "stale=true");
        }
        "compares stale with false" => respell(values, "stale=FALSE", "stale=true"),
        "gives up at an unknown algorithm" if values.iter().any(|it| it.contains("SHA-1024")) => {
            values.clear();
        }
        "reads the first field alone" => values.truncate(1),
        "wants qop in quotes" => values.retain(|it| !it.contains("qop=auth")),
        "wants the algorithm without quotes" => values.retain(|it| !it.contains("algorithm=\"")),
        "refuses what nobody knows" => values.retain(|it| !it.contains("new=")),
        "wants no space around =" => values.retain(|it| !it.contains("= ")),
        "refuses empty elements" => values.retain(|it| !it.contains(",,")),
        "drops an unknown qop" => respell(values, "qop=\"auth-new\"", "new=\"\""),
        "compares qop as a whole" => respell(values, "auth,auth-int", "auth-new"),
        "reads the first scheme of a field" => {
            values.retain(|it| it.to_lowercase().starts_with("digest"))
        }
        "wants names as written" => {
            values.retain(|it| !it.contains("NONCE") && !it.contains("dIGEST"));
        }
        "finds auth in auth-int" => respell(values, "\"auth-int\"", "\"auth\""),
        "splits quoted texts at commas" => values.iter_mut().for_each(|value| {
            let parts = value.split('"').enumerate();
            let parts = parts.map(|(at, part)| match at % 2 {
                1 if !part.starts_with("auth") => part.split(',').next().unwrap_or_default(),
                _ => part,
            });
            *value = parts.collect::<Vec<_>>().join("\"");
        }),
        "splits at commas and spaces" => values.retain(|it| it.contains(", ")),
        _ => {}
    }
}
