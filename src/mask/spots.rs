//! Which lines of a text are judged together.

use std::ops::Range;

use memchr::memmem;

/// The lines of a text with their line ends.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.as_bytes().get(start..).filter(|rest| !rest.is_empty())?;
        let end = memchr::memchr(b'\n', rest).map_or(text.len(), |i| start + i + 1);
        let line = start..end;
        start = end;
        Some(line)
    })
}

/// The regions around the lines that cannot be judged piece by piece, sorted and apart: each with the line before and behind it, for names and
/// values of which each has a line; a key or a certificate whole; a document that may hold a Secret whole.
pub(super) fn regions(text: &str, slow: &[Range<usize>]) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut all: Vec<Range<usize>> = Vec::new();
    for line in slow {
        if all.last().is_some_and(|last| last.end >= line.end) {
            continue;
        }
        let before = line.start.saturating_sub(1);
        let start = memchr::memrchr(b'\n', &bytes[..before]).map_or(0, |i| i + 1);
        let mut end = memchr::memchr(b'\n', &bytes[line.end..]).map_or(text.len(), |i| line.end + i + 1);
        if let Some(begun) = memmem::rfind(&bytes[line.clone()], b"-----BEGIN ").map(|i| line.start + i)
            && memmem::find(&bytes[begun..line.end], b"-----END ").is_none()
        {
            let ended = memmem::find(&bytes[begun..], b"-----END ").map_or(text.len(), |i| begun + i);
            end = end.max(memchr::memchr(b'\n', &bytes[ended..]).map_or(text.len(), |i| ended + i + 1));
        }
        let mut region = start..end;
        if is_kind_secret(&bytes[line.clone()]) {
            region.start = memmem::rfind(&bytes[..region.start], b"\n---").map_or(0, |i| i + 1);
            region.end = memmem::find(&bytes[region.end..], b"\n---").map_or(text.len(), |i| region.end + i + 1);
        }
        while let Some(last) = all.pop_if(|last| last.end >= region.start) {
            region = last.start.min(region.start)..last.end.max(region.end);
        }
        all.push(region);
    }
    all
}

/// `kind: Secret`, also in JSON.
fn is_kind_secret(line: &[u8]) -> bool {
    memmem::find(line, b"Secret").is_some_and(|at| {
        let before = line[..at].trim_ascii_end();
        let before = before.strip_suffix(b"\"").unwrap_or(before).trim_ascii_end();
        let before = before.strip_suffix(b":").unwrap_or_default().trim_ascii_end();
        before.strip_suffix(b"\"").unwrap_or(before).ends_with(b"kind")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told<'t>(text: &'t str, slow: &str) -> Vec<&'t str> {
        let marked: Vec<_> = lines(text).filter(|line| text[line.clone()].contains(slow)).collect();
        regions(text, &marked).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn neighbours_belong_to_a_region() {
        assert_eq!(told("a\nb\nX\nc\nd\n", "X"), ["b\nX\nc\n"]);
        assert_eq!(told("X\nb\nc\nX\nd\ne\nf\nX", "X"), ["X\nb\nc\nX\nd\n", "f\nX"]);
        assert_eq!(told("", "X"), [""; 0]);
        assert_eq!(told("X", "X"), ["X"]);
    }

    #[test]
    fn what_belongs_together_is_a_region() {
        let key = "a\nb\n-----BEGIN X KEY-----\nQ\nQ\nQ\n-----END X KEY-----\nc\nd\n";
        assert_eq!(told(key, "BEGIN"), [&key[2..key.len() - 4]]);
        let documents = "a: 1\n---\ndata:\n  p: q\n  r: s\n  t: u\nkind: Secret\nz: 1\nz: 2\n---\nb: 1\n";
        assert_eq!(told(documents, "Secret"), [&documents[5..documents.len() - 9]]);
    }
}
