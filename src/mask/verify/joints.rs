//! Values that are written in two parts which belong together: over the end of a line, and with the tags of a page between them.

use std::ops::Range;

use memchr::memmem;

use super::is_base64;

/// Tags that stand within a line of text and show nothing.
const TAGS: [&[u8]; 27] = [
    b"a", b"abbr", b"b", b"bdi", b"bdo", b"cite", b"code", b"data", b"del", b"em", b"font", b"i", b"ins", b"kbd",
    b"mark", b"q", b"s", b"samp", b"small", b"span", b"strong", b"sub", b"sup", b"tspan", b"u", b"var", b"wbr",
];

/// No value is longer.
const REACH: usize = 256;

/// From this length on a line of base64 goes on in the next.
const WRAPPED: usize = 56;

fn parts_end(text: &[u8], at: usize) -> usize {
    let apart = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'<' | b'>' | b',');
    let end = text.len().min(at + REACH);
    text[at..end].iter().position(apart).map_or(end, |i| at + i)
}

fn parts_start(text: &[u8], at: usize) -> usize {
    let apart = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'<' | b'>' | b',');
    let start = at.saturating_sub(REACH);
    text[start..at].iter().rposition(apart).map_or(start, |i| start + i + 1)
}

/// Visits the parts of every value that goes on behind a backslash at the end of a line.
pub(super) fn folded(text: &[u8], visit: &mut impl FnMut(&[Range<usize>])) {
    let mut past = 0;
    for at in memchr::memchr_iter(b'\n', text) {
        let Some(end) = fold(text, at).filter(|_| at >= past) else { continue };
        let first = parts_start(text, end)..end;
        let mut parts = vec![first];
        let mut line = at;
        loop {
            let blanks = text[line..].iter().take_while(|b| b.is_ascii_whitespace()).count();
            let start = line + blanks;
            let stop = parts_end(text, start);
            let next = memchr::memchr(b'\n', &text[start..text.len().min(stop + 2)]).map(|i| start + i);
            match next.and_then(|next| Some((next, fold(text, next)?))).filter(|_| parts.len() < 16) {
                Some((next, stop)) if stop >= start => {
                    parts.push(start..stop);
                    line = next;
                }
                _ => {
                    parts.push(start..stop);
                    break;
                }
            }
        }
        past = line + 1;
        visit(&parts);
    }
}

/// Where the backslash before a line end stands.
fn fold(text: &[u8], end: usize) -> Option<usize> {
    match &text[..end] {
        [rest @ .., b'\\'] | [rest @ .., b'\\', b'\r'] => Some(rest.len()),
        _ => None,
    }
}

/// Visits the parts of every value within which a page has tags that show nothing.
pub(super) fn tagged(text: &[u8], visit: &mut impl FnMut(&[Range<usize>])) {
    let mut past = 0;
    for at in memchr::memchr_iter(b'<', text) {
        if at < past || at == 0 || !is_part(text[at - 1]) {
            continue;
        }
        let first = parts_start(text, at)..at;
        let mut parts = vec![first];
        let mut end = at;
        while let Some(next) = tags(text, end).filter(|next| text.get(*next).is_some_and(|b| is_part(*b))) {
            end = parts_end(text, next);
            parts.push(next..end);
            if parts.len() >= 64 {
                break;
            }
        }
        if parts.len() > 1 {
            past = end;
            visit(&parts);
        }
    }
}

fn is_part(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b':' | b'@' | b'&' | b';' | b'%' | b'\\')
}

/// Where the tags that begin at a place end.
fn tags(text: &[u8], mut at: usize) -> Option<usize> {
    let mut any = false;
    while let Some(rest) = text[at..].strip_prefix(b"<") {
        let name = rest.strip_prefix(b"/").unwrap_or(rest);
        let length = name.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
        let end = memchr::memchr2(b'>', b'<', &rest[..rest.len().min(REACH)]).filter(|end| rest[*end] == b'>')?;
        if !TAGS.iter().any(|tag| tag.eq_ignore_ascii_case(&name[..length])) {
            return None;
        }
        at += end + 2;
        any = true;
    }
    any.then_some(at)
}

/// Visits the two parts of base64 that goes on in the next line.
pub(super) fn wrapped(text: &[u8], visit: &mut impl FnMut(&[Range<usize>])) {
    for at in memchr::memchr_iter(b'\n', text) {
        let end = at - usize::from(text[..at].ends_with(b"\r"));
        let Some(start) = end.checked_sub(WRAPPED).filter(|start| is_base64(&text[*start..end])) else { continue };
        let blanks = text[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        let next = at + blanks;
        let stop = text.len().min(next + WRAPPED);
        let stop = next + text[next..stop].iter().take_while(|b| is_base64(&[**b])).count();
        if stop > next {
            visit(&[start..end, next..stop]);
        }
    }
}

/// The lines that have a sign under which another may hide.
pub(super) fn hiding(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let sign = |b: &u8| matches!(b, b'%' | b'\\' | b'&' | 0..=0x08 | 0x0b..=0x1f | 0x7f..);
        let at = start + rest.iter().position(sign)?;
        let from = memchr::memrchr(b'\n', &text[start..at]).map_or(start, |i| start + i + 1);
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |i| at + i + 1);
        start = end;
        Some(from..end)
    })
}

/// Whether a text has the tags of a page.
pub(super) fn has_tags(text: &[u8]) -> bool {
    memmem::find(text, b"</").is_some() || memmem::find(text, b"<wbr").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Finder = fn(&[u8], &mut dyn FnMut(&[Range<usize>]));

    fn all(text: &str, find: Finder) -> Vec<String> {
        let mut all = Vec::new();
        find(text.as_bytes(), &mut |parts| {
            all.push(parts.iter().map(|part| &text[part.clone()]).collect::<Vec<_>>().join("+"));
        });
        all
    }

    #[test]
    fn parts_belong_together() {
        let fold: Finder = |text, mut visit| folded(text, &mut visit);
        assert_eq!(all("h: \"worker-\\\n   a1\" x", fold), ["worker-+a1"]);
        assert_eq!(all("wor\\\r\n ker\\\n  -a1\n", fold), ["wor+ker+-a1"]);
        assert_eq!(all("a\nb\n\\\n", fold), ["+"]);
        let tag: Finder = |text, mut visit| tagged(text, &mut visit);
        assert_eq!(all("x worker<wbr>-<b class=\"x\">a1</b> y", tag), ["worker+-+a1"]);
        assert_eq!(all("<tspan>10.9</tspan><tspan>.8.7</tspan>", tag), ["10.9+.8.7"]);
        assert_eq!(all("<td>worker</td><td>a1</td> a<br>b a < b", tag), [""; 0]);
        let wrap: Finder = |text, mut visit| wrapped(text, &mut visit);
        let line = "d29y".repeat(19);
        assert_eq!(all(&format!("{line}\n  {line}\nx y"), wrap).len(), 2);
        assert_eq!(all(&format!("{line} x\n  {line}"), wrap), [""; 0]);
    }

    #[test]
    fn lines_that_hide_something() {
        let text = "a\nb%2D\nc\n노\n";
        let lines: Vec<&str> = hiding(text.as_bytes()).map(|line| &text[line]).collect();
        assert_eq!(lines, ["b%2D\n", "노\n"]);
    }
}
