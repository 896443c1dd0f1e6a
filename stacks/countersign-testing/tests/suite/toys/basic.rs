//! Basic credentials, as the toy server reads them.

use super::USER;

/// Whether a value after the scheme is the right pair, for a server with this fault.
pub(super) fn knows_pair(fault: &str, token: &str, right: &str) -> bool {
    let pair = match fault {
        "Basic: takes a pair without encoding" if token.contains(':') => token.as_bytes().to_vec(),
        _ => match decoded(token, fault == "Basic: skips what is not base64") {
            Some(pair) => pair,
            None => return false,
        },
    };
    let pair = altered(fault, pair);
    let colon = pair.iter().position(|&it| it == b':');
    let (name, password) = match (colon, fault) {
        (Some(at), _) => (&pair[..at], &pair[at + 1..]),
        (None, "Basic: needs no colon") => (&pair[..], right.as_bytes()),
        (None, _) => return false,
    };
    let parts = |text: &[u8], by: u8| text.split(|&it| it == by).map(<[u8]>::to_vec).collect();
    let of_password: Vec<Vec<u8>> = parts(password, b':');
    let (first, last) = (of_password[0].clone(), of_password.last().unwrap().clone());
    let until_nul = |text: &[u8]| text.split(|&it| it == 0).next().unwrap().to_vec();
    let (user, right) = (USER.as_bytes(), right.as_bytes());
    let (is_user, is_right) = (name == user, password == right);
    let eight = |text: &[u8]| text[..text.len().min(8)].to_vec();
    match fault {
        "Basic: compares the start" => is_user && right.starts_with(password),
        "Basic: compares the end" => is_user && right.ends_with(password) && !password.is_empty(),
        "Basic: takes longer passwords" => is_user && password.starts_with(right),
        "Basic: compares eight letters" => is_user && eight(password) == eight(right),
        "Basic: compares without case" => is_user && password.eq_ignore_ascii_case(right),
        "Basic: trims passwords" => is_user && password.trim_ascii() == right,
        "Basic: trims names" => name.trim_ascii() == user && is_right,
        "Basic: names have no case" => name.eq_ignore_ascii_case(user) && is_right,
        "Basic: names are cut" => user.starts_with(name) && !name.is_empty() && is_right,
        "Basic: takes longer names" => name.starts_with(user) && is_right,
        "Basic: takes any name" => is_right,
        "Basic: takes the empty name" => (is_user || name.is_empty()) && is_right,
        "Basic: takes the empty password" => is_user && (is_right || password.is_empty()),
        "Basic: cuts at a second colon" => is_user && first == right,
        "Basic: takes what is after the last colon" => is_user && last == right,
        "Basic: compares up to a NUL" => is_user && until_nul(password) == right,
        "Basic: names end with a NUL" => until_nul(name) == user && is_right,
        "Basic: takes a line end" => {
            is_user && password.split(|it| b"\r\n".contains(it)).next() == Some(right)
        }
        "Basic: unknown users have an empty password" => match is_user {
            true => is_right,
            false => password.is_empty(),
        },
        "Basic: unknown users have the password null" => match is_user {
            true => is_right,
            false => password == b"null",
        },
        "Basic: reads ISO-8859-1, not UTF-8" | "Basic: says UTF-8 and reads ISO-8859-1" => {
            let right = String::from_utf8_lossy(right);
            let latin: Vec<u8> = right.chars().map(|it| it as u8).collect();
            is_user && password == latin
        }
        _ => is_user && is_right,
    }
}

fn altered(fault: &str, mut pair: Vec<u8>) -> Vec<u8> {
    match fault {
        "Basic: strips the highest bit" => pair.iter_mut().for_each(|it| *it &= 0x7f),
        "Basic: drops what is not ASCII" => pair.retain(u8::is_ascii),
        "Basic: resolves escapes" => {
            let mut plain = Vec::new();
            let mut rest = &pair[..];
            while let Some((&first, after)) = rest.split_first() {
                let digits = after.get(..2).and_then(|it| std::str::from_utf8(it).ok());
                let octet = digits.and_then(|it| u8::from_str_radix(it, 16).ok());
                rest = match octet.filter(|_| first == b'%') {
                    Some(octet) => {
                        plain.push(octet);
                        &after[2..]
                    }
                    None => {
                        plain.push(first);
                        after
                    }
                };
            }
            return plain;
        }
        _ => {}
    }
    pair
}

fn decoded(token: &str, skips: bool) -> Option<Vec<u8>> {
    let (mut bits, mut count, mut octets) = (0_u32, 0, Vec::new());
    for digit in token.trim().trim_end_matches('=').bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ if skips => continue,
            _ => return None,
        };
        (bits, count) = (bits << 6 | u32::from(value), count + 6);
        if count >= 8 {
            count -= 8;
            octets.push((bits >> count & 0xff) as u8);
        }
    }
    Some(octets)
}
