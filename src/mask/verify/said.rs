//! Secrets that are ones because a word says so: `password=…`, `Bearer …`, `-----BEGIN … KEY-----`. A word alone is harmless; what follows it decides.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use memchr::memmem;

use super::{Candidate, Doubt};

/// What follows these is a password, whatever it looks like.
const PASSWORDS: [&str; 5] = ["password", "passwd", "passphrase", "pwd", "pass"];

/// What follows these is a secret if it looks like one.
const TOKENS: [&str; 12] = [
    "token",
    "secret",
    "apikey",
    "api_key",
    "api-key",
    "accesskey",
    "access_key",
    "access-key",
    "secretkey",
    "secret_key",
    "private_key",
    "-data",
];

/// Adds every word of a piece that may say of what follows that it is a secret.
pub(super) fn words(piece: &[u8], out: &mut Vec<Candidate>) {
    let end = piece.len() - piece.iter().rev().take_while(|b| matches!(b, b':' | b'\\' | b'*')).count();
    let mut add = |range: Range<usize>, doubt| out.push(Candidate { range, kind: "secret", doubt });
    let colons = memchr::memchr_iter(b':', &piece[..end]);
    // `password:value` is one piece
    for end in colons.chain([end]) {
        let ends = |word: &str| end >= word.len() && piece[end - word.len()..end].eq_ignore_ascii_case(word.as_bytes());
        if PASSWORDS.iter().any(|word| ends(word)) {
            add(0..end, Doubt::Password);
        } else if TOKENS.iter().any(|word| ends(word)) {
            add(0..end, Doubt::Token);
        } else if ends("basic") || ends("bearer") {
            add(0..end, Doubt::Scheme);
        } else if piece[..end].ends_with(b"-----BEGIN") {
            add(0..end, Doubt::Key);
        }
    }
}

/// The secret that a word announces, if there is one.
pub(super) fn announced(text: &[u8], candidate: Candidate) -> Option<Candidate> {
    let end = candidate.range.end;
    let value = match candidate.doubt {
        Doubt::Scheme => credential(text, &candidate.range)?,
        Doubt::Key => key(text, end)?,
        Doubt::Password => value(text, &candidate.range).filter(|v| is_password(&text[v.clone()]))?,
        Doubt::Token => value(text, &candidate.range).filter(|v| is_token(&text[v.clone()]))?,
        _ => return Some(candidate),
    };
    Some(Candidate::sure(value, "secret"))
}

/// `: "x"`, `="x"`, `\":\"x\"`, and ` x` behind a flag: the value, if one is given. Also what `env` of a container says: `"name": "A", "value": "x"`.
fn value(text: &[u8], name: &Range<usize>) -> Option<Range<usize>> {
    let flag = text[name.clone()].starts_with(b"--");
    let mut at = name.end;
    let (mut signs, mut blanks) = (0, 0);
    let limit = text.len().min(at + 64);
    if let Some(length) = env(&text[at..limit]) {
        at += length;
    } else {
        while at < limit {
            match text[at] {
                b':' | b'=' if signs == 0 => signs += 1,
                b' ' | b'\t' => blanks += 1,
                b'"' | b'\'' | b'\\' => {}
                _ => break,
            }
            at += 1;
        }
        if !(signs == 1 && blanks <= 1 || flag && blanks >= 1) {
            return None;
        }
    }
    let quoted = text[..at].last().is_some_and(|b| matches!(b, b'"' | b'\''));
    let ends = |b: &u8| match b {
        b'"' | b'\'' | b'\n' | b'\r' | b'\\' | b'<' => true,
        b' ' | b'\t' | b',' | b'&' | b';' | b')' | b'}' | b']' | b'`' | b'|' => !quoted,
        _ => false,
    };
    let length = text[at..].iter().take(512).position(ends).unwrap_or(512.min(text.len() - at));
    Some(at..at + length)
}

/// `", "value": "`, with or without blanks and backslashes
fn env(text: &[u8]) -> Option<usize> {
    let mut left = text;
    for sign in [&b"\""[..], b",", b"\"", b"value", b"\"", b":", b"\""] {
        let skip = left.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\n' | b'\r' | b'\\')).count();
        left = left[skip..].strip_prefix(sign)?;
    }
    Some(text.len() - left.len())
}

/// Words that stand for a value, and values that everybody has.
const WORDS: [&str; 34] = [
    "password",
    "passwd",
    "pass",
    "secret",
    "token",
    "changeme",
    "change-me",
    "redacted",
    "hidden",
    "masked",
    "example",
    "true",
    "false",
    "null",
    "none",
    "nil",
    "yes",
    "no",
    "required",
    "optional",
    "string",
    "value",
    "your-password",
    "yourpassword",
    "mypassword",
    "my-password",
    "username",
    "user",
    "basic",
    "bearer",
    "unknown",
    "empty",
    "unset",
    "default",
];

/// Whether a value stands for another one: an alias, a variable, a word, the same sign again and again.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let text = String::from_utf8_lossy(value);
    let text = text.trim();
    let first = text.chars().next();
    let reference = text.starts_with(['$', '{', '<', '%', '*', '/', '[', '(', '|', '&', '@', '~', '…', '.'])
        || text.contains("...")
        || text.contains("…")
        || text.contains("${")
        || text.ends_with("://");
    reference
        || first.is_none_or(|first| text.chars().all(|c| c == first))
        || WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
        || is_alias(text)
}

/// `node-ab`, `secret-01`, `priv-net01.h17`
fn is_alias(text: &str) -> bool {
    let Some((kind, number)) = text.rsplit_once('-') else { return false };
    let number = match number.strip_prefix("net").and_then(|rest| rest.split_once(".h")) {
        Some((_, host)) => host,
        None => number,
    };
    let digits = number.len() >= 2 && number.bytes().all(|b| b.is_ascii_digit());
    let host = text.contains("-net") && number.bytes().all(|b| b.is_ascii_digit());
    let letters = kind == "node" && (1..=3).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_lowercase());
    kind.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()) && (digits || host || letters)
}

/// Letters and digits: neither a word nor a number.
fn is_mixed(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit) && value.iter().any(u8::is_ascii_alphabetic)
}

fn is_password(value: &[u8]) -> bool {
    (6..=256).contains(&value.len()) && is_mixed(value) && !is_placeholder(value) && !value.contains(&b'/')
}

/// Long, and of one alphabet with no words in it.
fn is_token(value: &[u8]) -> bool {
    let member = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'_' | b'-' | b'.');
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let cases = value.iter().any(u8::is_ascii_uppercase) && value.iter().any(u8::is_ascii_lowercase);
    let hex = value.iter().all(u8::is_ascii_hexdigit);
    value.len() >= 20
        && value.iter().all(member)
        && !value.starts_with(b"/")
        && digits >= 2
        && (cases || hex)
        && !is_placeholder(value)
}

/// `Basic` before a user and a password in base64, `Bearer` before a token.
fn credential(text: &[u8], scheme: &Range<usize>) -> Option<Range<usize>> {
    let blanks = text[scheme.end..].iter().take(3).take_while(|b| matches!(b, b' ' | b'\t')).count();
    let start = scheme.end + blanks;
    let member = |b: &&u8| b.is_ascii_alphanumeric() || b"+/_.~=-".contains(b);
    let length = text[start..].iter().take_while(member).count();
    let token = &text[start..start + length];
    if blanks == 0 || is_placeholder(token) {
        return None;
    }
    let basic = text[scheme.clone()].to_ascii_lowercase().ends_with(b"basic");
    let pair = || {
        let decoded = String::from_utf8(STANDARD.decode(token).ok()?).ok()?;
        let (user, password) = decoded.split_once(':')?;
        let plain = decoded.chars().all(|c| !c.is_control());
        (plain && !user.is_empty() && !password.is_empty() && !is_placeholder(password.as_bytes())).then_some(())
    };
    let certain = if basic { pair().is_some() } else { token.len() >= 20 && is_mixed(token) };
    certain.then_some(start..start + length)
}

/// The head of a key or a certificate, if more than the head is left.
fn key(text: &[u8], begin: usize) -> Option<Range<usize>> {
    let head = &text[begin..text.len().min(begin + 60)];
    let end = memmem::find(head, b"-----").map(|i| begin + i + 5)?;
    let named =
        [&b"KEY"[..], b"CERTIFICATE", b"KEY BLOCK", b"MESSAGE"].iter().any(|name| text[..end - 5].ends_with(name));
    let mut body = &text[end..text.len().min(end + 160)];
    // line ends, also as escapes, and the signs between the lines of a list
    loop {
        body = match body {
            [b'\\', b'n' | b'r' | b't', rest @ ..] => rest,
            [b, rest @ ..] if b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b',' | b'\\' | b'|' | b'>') => rest,
            _ => break,
        };
    }
    let member = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
    let encoded = body.iter().take_while(member).count() >= 16;
    let header = [&b"Proc-Type:"[..], b"DEK-Info:", b"Version:", b"Comment:"].iter().any(|h| body.starts_with(h));
    (named && (encoded || header)).then_some(begin.saturating_sub(10)..end)
}
