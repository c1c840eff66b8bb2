//! Shapes that are secrets or people by themselves: mail addresses, tokens, keys, passwords in addresses of the web.

use memchr::memmem;

use super::{Candidate, is_placeholder};

/// Adds what certainly is one.
pub(super) fn find(text: &[u8], out: &mut Vec<Candidate>) {
    for at in memchr::memchr_iter(b'@', text) {
        out.extend(mail(text, at));
        out.extend(user_info(text, at));
    }
    if text.len() < 16 {
        return;
    }
    for (at, first) in text.iter().enumerate() {
        let rest = &text[at..];
        let length = match first {
            b'e' if rest.starts_with(b"eyJ") => web_token(rest),
            b'A' | b'g' | b'x' if !word(text, at) => issued(rest),
            b'L' if rest.starts_with(b"LS0tLS1CRUdJTi") => Some(rest.len()),
            _ => None,
        };
        out.extend(length.map(|length| Candidate::sure(at..at + length, "secret")));
    }
}

/// The length of a JSON web token.
fn web_token(text: &[u8]) -> Option<usize> {
    let head = token(text, 0);
    let body = token(text, head + 1);
    (head >= 9 && text.get(head) == Some(&b'.') && body >= 6).then_some(head + 1 + body)
}

/// The length of what may be a token.
fn token(text: &[u8], from: usize) -> usize {
    let member = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    text.get(from..).map_or(0, |rest| rest.iter().take_while(member).count())
}

/// Whether the byte before `at` belongs to a word.
fn word(text: &[u8], at: usize) -> bool {
    at > 0 && (text[at - 1].is_ascii_alphanumeric() || text[at - 1] == b'_')
}

/// The length of a key that a cloud or a code host gave, or of a public key of SSH.
fn issued(text: &[u8]) -> Option<usize> {
    let all = |from: usize, set: fn(&u8) -> bool| text[from..].iter().take_while(|b| set(b)).count();
    let plain: fn(&u8) -> bool = u8::is_ascii_alphanumeric;
    let wide: fn(&u8) -> bool = |b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    let length = match text {
        [b'A', b'K' | b'S', b'I', b'A', ..] | [b'A', b'R', b'O', b'A', ..] | [b'A', b'I', b'D', b'A', ..] => {
            let length = all(0, |b| b.is_ascii_uppercase() || b.is_ascii_digit());
            return (length == 20 && !text.get(20).is_some_and(u8::is_ascii_alphanumeric)).then_some(length);
        }
        [b'A', b'I', b'z', b'a', ..] => Some(all(0, wide)).filter(|length| *length >= 35),
        [b'g', b'h', b'p' | b'o' | b'u' | b's' | b'r', b'_', ..] => Some(4 + all(4, plain)).filter(|l| *l >= 34),
        [b'g', b'i', b't', b'h', b'u', b'b', b'_', b'p', b'a', b't', b'_', ..] => {
            Some(11 + all(11, wide)).filter(|length| *length >= 33)
        }
        [b'g', b'l', b'p', b'a', b't', b'-', ..] => Some(6 + all(6, wide)).filter(|length| *length >= 26),
        [b'x', b'o', b'x', b'a' | b'b' | b'p' | b'r' | b's', b'-', ..] => Some(5 + all(5, wide)).filter(|l| *l >= 20),
        [b'A', b'A', b'A', b'A', b'A'..=b'E', b'0'..=b'9', b'N' | b'V', ..] => {
            Some(all(0, |b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/'))).filter(|length| *length >= 40)
        }
        _ => None,
    };
    let digits = |length: &usize| text[..*length].iter().any(u8::is_ascii_digit);
    length.filter(digits)
}

/// The mail address whose `@` stands at `at`; no unit of systemd, no file, nobody's domain.
fn mail(text: &[u8], at: usize) -> Option<Candidate> {
    const NONE: [&[u8]; 29] = [
        b"service", b"socket", b"target", b"slice", b"scope", b"timer", b"mount", b"device", b"path", b"png", b"jpg",
        b"jpeg", b"gif", b"svg", b"webp", b"js", b"mjs", b"css", b"json", b"yaml", b"yml", b"html", b"md", b"ts",
        b"rs", b"gz", b"zip", b"alpha", b"beta",
    ];
    let local = |b: &&u8| b.is_ascii_alphanumeric() || b"._%+-".contains(b);
    let start = at - text[..at].iter().rev().take_while(local).count();
    let start = start + text[start..at].iter().position(u8::is_ascii_alphanumeric)?;
    let host = |b: &&u8| b.is_ascii_alphanumeric() || b".-".contains(b);
    let domain = &text[at + 1..at + 1 + text[at + 1..].iter().take_while(host).count()];
    let domain = &domain[..domain.len() - domain.iter().rev().take_while(|b| !b.is_ascii_alphanumeric()).count()];
    let dot = memchr::memrchr(b'.', domain)?;
    let top = &domain[dot + 1..];
    let real = dot > 0
        && domain[0].is_ascii_alphanumeric()
        && top.len() >= 2
        && top.iter().all(u8::is_ascii_alphabetic)
        && !NONE.iter().any(|none| top.eq_ignore_ascii_case(none));
    let nobody =
        ["example.com", "example.net", "example.org"].iter().any(|d| domain.eq_ignore_ascii_case(d.as_bytes()));
    let named = !is_placeholder(&text[start..at]) && &text[start..at] != b"git";
    (real && named && !nobody).then(|| Candidate::sure(start..at + 1 + domain.len(), "mail"))
}

/// The password before an `@` in an address of the web.
fn user_info(text: &[u8], at: usize) -> Option<Candidate> {
    let scheme = memmem::rfind(&text[..at], b"://")?;
    let info = &text[scheme + 3..at];
    let colon = memchr::memchr(b':', info)?;
    let password = &info[colon + 1..];
    let lettered = scheme > 0 && text[scheme - 1].is_ascii_alphanumeric();
    let plain = !info.iter().any(|b| matches!(b, b'/' | b'#' | b'?')) && text.get(at + 1).is_some_and(|b| *b != b'@');
    (lettered && plain && password.len() >= 3 && !is_placeholder(password))
        .then(|| Candidate::sure(scheme + 4 + colon..at, "secret"))
}
