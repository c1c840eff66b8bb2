//! What stands around a shape: it may make a version of what looks like an address, or an address of what looks like a number.

use super::{Candidate, Doubt};

/// Whether a shape in doubt is what it looks like, in the text in which it stands.
pub(super) fn is_meant(text: &[u8], candidate: &Candidate) -> bool {
    let (start, end) = (candidate.range.start, candidate.range.end);
    match candidate.doubt {
        Doubt::Version => !(is_version(text, start, end) || is_heading(text, start, end)),
        Doubt::OneOfTwo => others_in_line(text, start),
        Doubt::Interface => is_interface(text, end),
        _ => true,
    }
}

/// `v1.2.3.4`, `name-1.2.3.4-5`, `1.2.3.4-beta`, `registry/image:1.2.3.4`, `version 1.2.3.4`, `oid 1.2.3.4`
fn is_version(text: &[u8], start: usize, end: usize) -> bool {
    let before = &text[start.saturating_sub(120)..start];
    let after = &text[end..text.len().min(end + 12)];
    let suffixed = matches!(after, [b'-' | b'+' | b'~', b, ..] if b.is_ascii_alphanumeric());
    match before {
        [.., b, b'v' | b'V'] if !b.is_ascii_alphanumeric() => return true,
        [b'v' | b'V'] => return true,
        [.., b'-'] if suffixed => return true,
        [.., b':'] if is_image(before) => return true,
        _ => {}
    }
    let one_digit = text.get(start + 1) == Some(&b'.');
    let glued = before.last().is_some_and(u8::is_ascii_alphabetic);
    let package = after.starts_with(b".el") || after.starts_with(b".fc") || after.starts_with(b".amzn");
    (one_digit && (suffixed || glued)) || package || says_version(before)
}

/// A path before the tag, but not an address of the web.
fn is_image(before: &[u8]) -> bool {
    let apart = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'>' | b'`' | b'=' | b',' | b'(' | b'[');
    let token = before.rsplit(apart).next().unwrap_or_default();
    token.contains(&b'/') && !token.windows(3).any(|w| w == b"://")
}

/// Whether the last word before a value is one for a version. Quotes, also as entities, and the tags of a page may stand between them.
fn says_version(before: &[u8]) -> bool {
    const WORDS: [&[u8]; 9] =
        [b"version", b"release", b"build", b"revision", b"tag", b"image", b"kernel", b"oid", b"ver"];
    let mut left = before;
    loop {
        let length = left.len();
        while let [rest @ .., b' ' | b'\t' | b':' | b'=' | b'"' | b'\'' | b'(' | b'\\' | b'*' | b'`' | b'|' | b'~'] =
            left
        {
            left = rest;
        }
        for entity in [&b"&quot;"[..], b"&#34;", b"&#39;", b"&#x22;", b"&#x27;", b"&nbsp;"] {
            left = left.strip_suffix(entity).unwrap_or(left);
        }
        if left.last() == Some(&b'>')
            && let Some(tag) = memchr::memrchr(b'<', left)
        {
            left = &left[..tag];
        }
        if left.len() == length {
            break;
        }
    }
    let ends = |word: &&[u8]| {
        left.len() >= word.len() && left[left.len() - word.len()..].eq_ignore_ascii_case(word) && {
            let short = word.len() <= 3;
            !short || !left[..left.len() - word.len()].last().is_some_and(u8::is_ascii_alphabetic)
        }
    };
    WORDS.iter().any(ends)
        || ["버전", "버젼", "版本", "版", "バージョン"].iter().any(|word| left.ends_with(word.as_bytes()))
}

/// The number of a section: small numbers at the beginning of a heading.
fn is_heading(text: &[u8], start: usize, end: usize) -> bool {
    let line = memchr::memrchr(b'\n', &text[..start]).map_or(0, |i| i + 1);
    let before = text[line..start].trim_ascii();
    let markdown = !before.is_empty() && before.iter().all(|b| *b == b'#');
    let tag = memchr::memrchr(b'<', before).map(|at| &before[at..]);
    let html = matches!(tag, Some([b'<', b'h' | b'H', b'1'..=b'6', .., b'>']));
    let small = text[start..end].split(|b| *b == b'.').all(|number| number.len() <= 2);
    small && text.get(start + 1) == Some(&b'.') && (markdown || html)
}

/// A line of `/proc/net/tcp` has a local and a remote address.
fn others_in_line(text: &[u8], start: usize) -> bool {
    let line = memchr::memrchr(b'\n', &text[..start]).map_or(0, |i| i + 1);
    let rest = &text[line..];
    let rest = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
    let upper = |b: &u8| b.is_ascii_digit() || (b'A'..=b'F').contains(b);
    let endpoint = |word: &&[u8]| word.len() == 13 && word[8] == b':' && word.iter().filter(|b| upper(b)).count() == 12;
    rest.split(u8::is_ascii_whitespace).filter(endpoint).count() >= 2
}

/// `/proc/net/if_inet6`: four numbers of two digits follow.
fn is_interface(text: &[u8], end: usize) -> bool {
    text.get(end..end + 12).is_some_and(|fields| {
        fields.chunks(3).all(|field| field[0] == b' ' && field[1..].iter().all(u8::is_ascii_hexdigit))
    })
}
