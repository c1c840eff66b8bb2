//! Shapes that are sensitive whatever they say: UUIDs, mail addresses, tokens, keys, credentials, passwords.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};
use memchr::memmem;
use regex::bytes::Regex;

use super::{Context, Found, Kind, basic};

macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($text).expect("the pattern is constant"));
    };
}

pattern!(MAIL, r"(?-u)[A-Za-z0-9][A-Za-z0-9._%+-]*@[A-Za-z0-9][A-Za-z0-9.-]*\.[A-Za-z]{2,}");
pattern!(JWT, r"(?-u)eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*)?");
pattern!(PEM, r"(?s-u)-----BEGIN [A-Z0-9 ]+-----.*?(?:-----END [A-Z0-9 ]+-----|\z)|LS0tLS1CRUdJTi[A-Za-z0-9+/=]*");
pattern!(
    ISSUED_KEY,
    r"(?-u)\b(?:(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]+|(?:AIza|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AAAA[A-E][0-9][NV])[A-Za-z0-9_+/=-]+)"
);
pattern!(SCHEME, r"(?i-u)\b(basic|bearer)(?:\s|%20)+([A-Za-z0-9+/_.~=-]{6,})");
pattern!(USER_INFO, r#"(?-u)[A-Za-z][A-Za-z0-9+.-]*://([^\s/@:"'?#]*):([^\s/"'?#]+)@"#);
pattern!(USER_FLAG, r#"(?-u)(?:--user|--proxy-user|\s-u)[= ]["']?([^\s:"'=]+):([^\s"']+)"#);
pattern!(
    NAMED,
    r#"(?i-u)([a-z0-9_.-]*(?:pass(?:word|wd|phrase)|pwd|secret|token|api[_-]?key|(?:access|private|secret|signing|encryption|auth)[_-]?key|credentials?|client-(?:key|certificate)-data|certificate-authority-data))(["']?\s?[=:]\s?|\s+)(?:"([^"]*)"|'([^']*)'|([^\s"'&,;<>{}\[\]()]+))"#
);
// what registries keep: user and password under `auth`
pattern!(AUTH, r#"(?i-u)auth["']?\s?[=:]\s?["']?([A-Za-z0-9+/]{6,}={0,2})"#);
pattern!(CONTAINER, r"(?-u)(?:(?:containerd|docker|cri-o)://|-id[= ]|(?:cri-containerd|docker|crio)-)([0-9a-f]+)");

/// Words without which there is no named secret and no scheme.
static HINTS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let words = ["pass", "pwd", "secret", "token", "key", "credential", "-data", "basic", "bearer", "auth"];
    let automaton = AhoCorasickBuilder::new().ascii_case_insensitive(true).build(words);
    automaton.expect("the words are constant")
});

/// Adds every sensitive shape of `text`.
pub(super) fn find(text: &[u8], context: &Context<'_>, found: &mut Vec<Found>) {
    let signs = context.signs;
    let holds = |needle: &[u8]| memmem::find(text, needle).is_some();
    let mut push = |range: Range<usize>, kind: Kind| {
        let value = String::from_utf8_lossy(&text[range.clone()]);
        let value = match kind {
            Kind::Uid => value.to_ascii_lowercase().replace('_', "-"),
            Kind::Mail => value.to_ascii_lowercase(),
            _ => value.into_owned(),
        };
        found.push(Found { range, kind, value });
    };
    if text.len() >= 36 && signs.joints >= 4 {
        uuids(text).for_each(|range| push(range, Kind::Uid));
    }
    if text.len() >= 16 && signs.joints >= 2 && signs.digits >= 1 {
        pods(text).for_each(|range| push(range, Kind::Pod));
    }
    if signs.ats > 0 {
        for mail in MAIL.find_iter(text).filter(|m| is_mail(m.as_bytes())) {
            push(mail.range(), Kind::Mail);
        }
        for user_info in USER_INFO.captures_iter(text) {
            user_info.iter().skip(1).flatten().filter(|m| !m.is_empty()).for_each(|m| push(m.range(), Kind::Secret));
        }
    }
    if signs.dots > 0 && holds(b"eyJ") {
        JWT.find_iter(text).for_each(|m| push(m.range(), Kind::Secret));
    }
    if holds(b"-----BEGIN ") || holds(b"LS0tLS1CRUdJTi") {
        PEM.find_iter(text).for_each(|m| push(m.range(), Kind::Secret));
    }
    if text.len() >= 15 && (signs.capitals >= 2 || signs.joints > 0) {
        // clouds give 20 characters, code hosts and SSH more
        let issued = |key: &[u8]| {
            if key.starts_with(b"A") && key[1] != b'A' && key[2..4] != *b"za" {
                key.len() == 20
            } else {
                key.len() >= 16
            }
        };
        ISSUED_KEY.find_iter(text).filter(|m| issued(m.as_bytes())).for_each(|m| push(m.range(), Kind::Secret));
    }
    if text.len() >= 64 {
        CONTAINER
            .captures_iter(text)
            .filter_map(|c| c.get(1))
            .filter(|m| m.len() == 64)
            .for_each(|m| push(m.range(), Kind::Container));
    }
    if signs.colons > 0 {
        for flag in USER_FLAG.captures_iter(text) {
            flag.get(2).into_iter().for_each(|m| push(m.range(), Kind::Secret));
        }
    }
    if context.auth && std::str::from_utf8(text).ok().and_then(basic).is_some() {
        push(0..text.len(), Kind::Secret);
    }
    if context.secret {
        if is_secret_value(text, true) {
            push(0..text.len(), Kind::Secret);
        }
        return;
    }
    let said = signs.blanks + signs.percents + signs.equals + signs.colons > 0 && HINTS.is_match(text);
    if said {
        for scheme in SCHEME.captures_iter(text) {
            if let Some(token) = scheme.get(2).filter(|t| is_credential(&scheme[1], t.as_bytes())) {
                push(token.range(), Kind::Secret);
            }
        }
        named(text, &mut push);
        for auth in AUTH.captures_iter(text).filter_map(|c| c.get(1)) {
            if std::str::from_utf8(auth.as_bytes()).ok().and_then(basic).is_some() {
                push(auth.range(), Kind::Secret);
            }
        }
    }
}

/// Names of pods of a Deployment: a hash of its template, and five characters of an alphabet without vowels.
fn pods(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let lower = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    memchr::memchr_iter(b'-', text).filter_map(move |at| {
        let end = at + 6;
        let suffix = text.get(at + 1..end)?.iter().all(|b| b"bcdfghjklmnpqrstvwxz2456789".contains(b));
        let hash = text[..at].iter().rev().take_while(|b| lower(b)).count();
        let digit = text[at - hash..at].iter().any(u8::is_ascii_digit);
        let name = text[..at - hash].iter().rev().take_while(|b| lower(b) || **b == b'-').count();
        let start = at - hash - name;
        let open = |b: Option<&u8>| b.is_none_or(|b| !b.is_ascii_alphanumeric() && *b != b'-');
        let whole = (8..=10).contains(&hash)
            && name >= 2
            && text[start] != b'-'
            && open(text.get(end))
            && open(text[..start].last());
        (suffix && digit && whole).then_some(start..end)
    })
}

/// UUIDs, also with `_`; not a part of more hexadecimal digits, but for `pod` + UUID; not nil.
fn uuids(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let sign = |b: &u8| matches!(b, b'-' | b'_');
    let hex = |b: Option<&u8>| b.is_some_and(u8::is_ascii_hexdigit);
    // the first of the four signs
    memchr::memchr2_iter(b'-', b'_', text).filter_map(move |at| {
        let range = at.checked_sub(8)?..at + 28;
        let uuid = text.get(range.clone())?;
        let form = [8, 13, 18, 23].iter().all(|n| sign(&uuid[*n]))
            && uuid.iter().filter(|b| b.is_ascii_hexdigit()).count() == 32;
        let before = &text[..range.start];
        let free = !hex(text.get(range.end)) && (!hex(before.last()) || before.ends_with(b"pod"));
        (form && free && uuid.iter().any(|b| !sign(b) && *b != b'0')).then_some(range)
    })
}

/// Not a systemd unit, not the user that every Git host has.
fn is_mail(text: &[u8]) -> bool {
    const UNITS: [&[u8]; 9] =
        [b".service", b".socket", b".target", b".slice", b".scope", b".timer", b".mount", b".device", b".path"];
    !UNITS.iter().any(|unit| text.ends_with(unit)) && !text.starts_with(b"git@")
}

/// `Bearer token` and `Basic authentication` are prose.
fn is_credential(scheme: &[u8], token: &[u8]) -> bool {
    if scheme.eq_ignore_ascii_case(b"basic") {
        let text = String::from_utf8_lossy(token);
        return basic(&text).is_some() || (token.len() >= 12 && token.ends_with(b"="));
    }
    token.len() >= 20
        || (token.len() >= 8 && token.iter().any(u8::is_ascii_digit) && token.iter().any(u8::is_ascii_alphabetic))
}

fn named(text: &[u8], push: &mut impl FnMut(Range<usize>, Kind)) {
    for captures in NAMED.captures_iter(text) {
        let (Some(name), Some(separator)) = (captures.get(1), captures.get(2)) else { continue };
        let quoted = captures.get(3).or_else(|| captures.get(4));
        let Some(value) = quoted.or_else(|| captures.get(5)) else { continue };
        if is_chance(name.as_bytes()) {
            continue;
        }
        let certain = ends_with_any(name.as_bytes(), &[b"password", b"passwd", b"passphrase", b"pwd", b"-data"]);
        let sure = match separator.as_bytes() {
            // a word after the name of a flag; elsewhere it is prose
            s if s.iter().all(u8::is_ascii_whitespace) => {
                let start = name.start();
                text[start..].starts_with(b"--") || (name.as_bytes().starts_with(b"-") && quoted.is_some())
            }
            s if s.contains(&b'=') => !s.starts_with(b" "),
            _ => certain || quoted.is_some() || telling(value.as_bytes()),
        };
        if sure && is_secret_value(value.as_bytes(), certain) {
            push(value.range(), Kind::Secret);
        }
    }
}

/// Whether a name only happens to end like that of a password: `coredns-1579ae343f-rmpwd`.
fn is_chance(name: &[u8]) -> bool {
    name.len() > 3 && ends_with_any(name, &[b"pwd"]) && {
        let before = name[name.len() - 4];
        before.is_ascii_lowercase()
            && name[name.len() - 3] == b'p'
            && !ends_with_any(name, &[b"userpwd", b"dbpwd", b"adminpwd", b"rootpwd"])
    }
}

fn ends_with_any(text: &[u8], ends: &[&[u8]]) -> bool {
    ends.iter().any(|e| text.len() >= e.len() && text[text.len() - e.len()..].eq_ignore_ascii_case(e))
}

/// Whether a value looks made by a machine: prose after a colon does not.
fn telling(value: &[u8]) -> bool {
    let digit = value.iter().any(u8::is_ascii_digit);
    value.len() >= 6 && value.iter().any(u8::is_ascii_alphabetic) && (digit || value.ends_with(b"="))
}

/// Not a switch, a path, a reference to somewhere else, or already masked.
fn is_secret_value(value: &[u8], certain: bool) -> bool {
    const HARMLESS: [&str; 9] = ["true", "false", "null", "none", "nil", "yes", "no", "-", "~"];
    let text = String::from_utf8_lossy(value);
    let text = text.trim();
    let number = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let elsewhere = text.starts_with(['/', '$', '{', '<', '*', '|', '[', '(']) || text.ends_with("://");
    !(text.is_empty() || HARMLESS.iter().any(|h| text.eq_ignore_ascii_case(h)) || (number && !certain) || elsewhere)
}
