//! The originals that are names: found in any case, with `-`, `_` and `.` taken for each other, where no letter or digit of ASCII stands beside
//! them; long secrets anywhere. Only the beginnings of words are looked up.

use std::ops::Range;

/// From this length on a secret is one wherever it stands.
const FREE: usize = 8;

/// A name that was cut off must show this much of itself.
const SHORTEST_CUT: usize = 5;

/// So many bits say which beginnings names have.
const BEGINNINGS: u32 = 20;

#[derive(Clone, Copy)]
struct Name {
    start: u32,
    length: u16,
    /// Whether all that is known is the beginning, as `ps` shows it.
    cut: bool,
    kind: &'static str,
}

/// A name that was found, or a part of a text that was.
pub(super) type Found = (Range<usize>, &'static str);

/// All names.
pub(super) struct Names {
    /// In lower case with one separator, sorted, one behind the other.
    bytes: Vec<u8>,
    all: Vec<Name>,
    /// Number of a name + 1, at the place that its hash says or after it.
    table: Vec<u32>,
    /// One bit for the hash of every beginning of a name that ends with a word.
    beginnings: Vec<u64>,
    free: Free,
}

impl Names {
    /// `names` with their kinds, each of which lies within one piece and begins and ends with a letter or a digit, or is a long secret.
    pub(super) fn new(names: &[(&'static str, &str)]) -> Self {
        let mut free = Vec::new();
        let mut sorted: Vec<(Vec<u8>, bool, &'static str)> = Vec::new();
        for (kind, name) in names {
            let stem = name.trim_end_matches('+');
            let folded: Vec<u8> = stem.bytes().map(fold).collect();
            if is_free(kind, name) {
                free.push((name.bytes().map(fold).collect(), *kind));
            } else if u16::try_from(folded.len()).is_ok() {
                sorted.push((folded, stem.len() < name.len(), kind));
            }
        }
        sorted.sort();
        sorted.dedup_by(|b, a| a.0 == b.0);
        let mut names = Self {
            bytes: Vec::with_capacity(sorted.iter().map(|(name, _, _)| name.len()).sum()),
            all: Vec::with_capacity(sorted.len()),
            table: vec![0; (sorted.len() * 2).next_power_of_two()],
            beginnings: vec![0; if sorted.is_empty() { 0 } else { 1 << (BEGINNINGS - 6) }],
            free: Free::new(free),
        };
        for (name, cut, kind) in sorted {
            names.add(&name, cut, kind);
        }
        names
    }

    fn add(&mut self, name: &[u8], cut: bool, kind: &'static str) {
        let (Ok(start), Ok(length)) = (u32::try_from(self.bytes.len()), u16::try_from(name.len())) else { return };
        self.bytes.extend_from_slice(name);
        self.all.push(Name { start, length, cut, kind });
        let mut hash = HASH;
        for (at, byte) in name.iter().enumerate() {
            hash = step(hash, *byte);
            if !name.get(at + 1).is_some_and(u8::is_ascii_alphanumeric) {
                let bit = beginning(hash);
                self.beginnings[bit / 64] |= 1 << (bit % 64);
            }
        }
        let mask = self.table.len() - 1;
        let mut slot = place(hash) & mask;
        while self.table[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        self.table[slot] = u32::try_from(self.all.len()).unwrap_or_default();
    }

    fn spelling(&self, name: &Name) -> &[u8] {
        &self.bytes[name.start as usize..name.start as usize + usize::from(name.length)]
    }

    /// Visits every name of a text, at each place the longest first until one is taken: what lies within it is not looked at.
    pub(super) fn find(&self, text: &[u8], take: &mut dyn FnMut(Found) -> bool) {
        self.free.find(text, take);
        if self.all.is_empty() {
            return;
        }
        let mut at = 0;
        let mut here: Vec<(usize, &Name)> = Vec::new();
        while at < text.len() {
            if !text[at].is_ascii_alphanumeric() {
                at += 1;
                continue;
            }
            let word = self.beginning_at(text, at, &mut here);
            let taken = here.drain(..).rev().find(|(end, name)| take((at..*end, name.kind)));
            at = taken.map_or(word, |(end, _)| end);
        }
        self.find_cut(text, take);
    }

    /// Adds the names that begin at a place, the shortest first; where the first word ends.
    fn beginning_at<'n>(&'n self, text: &[u8], start: usize, here: &mut Vec<(usize, &'n Name)>) -> usize {
        let mut hash = HASH;
        let mut at = start;
        let mut word = None;
        loop {
            while let Some(b) = text.get(at).filter(|b| b.is_ascii_alphanumeric()) {
                hash = step(hash, fold(*b));
                at += 1;
            }
            let first = *word.get_or_insert(at);
            let bit = beginning(hash);
            if self.beginnings[bit / 64] >> (bit % 64) & 1 == 0 {
                return first;
            }
            if let Some(name) = self.named(&text[start..at], hash).filter(|n| !n.cut || is_cut(text, at)) {
                here.push((at, name));
            }
            while let Some(b) = text.get(at).filter(|b| !b.is_ascii_alphanumeric()) {
                hash = step(hash, fold(*b));
                at += 1;
            }
            if at == text.len() {
                return first;
            }
        }
    }

    fn named(&self, text: &[u8], hash: u64) -> Option<&Name> {
        let mask = self.table.len() - 1;
        let mut slot = place(hash) & mask;
        while self.table[slot] != 0 {
            let name = &self.all[self.table[slot] as usize - 1];
            if usize::from(name.length) == text.len()
                && self.spelling(name).iter().zip(text).all(|(a, b)| *a == fold(*b))
            {
                return Some(name);
            }
            slot = (slot + 1) & mask;
        }
        None
    }

    /// Names of which a column shows the beginning, and a `+` or an ellipsis.
    fn find_cut(&self, text: &[u8], take: &mut dyn FnMut(Found) -> bool) {
        for end in memchr::memchr2_iter(b'+', ELLIPSIS[0], text).filter(|at| is_cut(text, *at)) {
            let name = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
            let start = end - text[..end].iter().rev().take_while(name).count();
            let shown: Vec<u8> = text[start..end].iter().map(|b| fold(*b)).collect();
            if shown.len() < SHORTEST_CUT {
                continue;
            }
            let from = self.all.partition_point(|name| self.spelling(name) < &shown[..]);
            let mut begun = self.all[from..].iter().take_while(|name| self.spelling(name).starts_with(&shown));
            let tells = |name: &&Name| {
                let next = self.spelling(name).get(shown.len());
                let within = next.is_some_and(u8::is_ascii_alphanumeric);
                match name.kind {
                    "user" => true,
                    // the beginning of a pod is the name of a product
                    "pod" => within && shown.iter().any(u8::is_ascii_digit),
                    _ => within,
                }
            };
            if let Some(name) = begun.find(tells) {
                take((start..end, name.kind));
            }
        }
    }
}

const ELLIPSIS: [u8; 3] = [0xe2, 0x80, 0xa6];

fn is_cut(text: &[u8], at: usize) -> bool {
    text.get(at) == Some(&b'+') || text.get(at..).is_some_and(|rest| rest.starts_with(&ELLIPSIS))
}

/// Whether it is a secret that is searched for within words too.
pub(super) fn is_free(kind: &str, name: &str) -> bool {
    kind == "secret" && name.len() >= FREE
}

/// Lower case, and one separator.
fn fold(b: u8) -> u8 {
    match b {
        b'_' | b'.' => b'-',
        _ => b.to_ascii_lowercase(),
    }
}

const HASH: u64 = 0xcbf2_9ce4_8422_2325;

fn step(hash: u64, b: u8) -> u64 {
    (hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
}

fn place(hash: u64) -> usize {
    (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize
}

fn beginning(hash: u64) -> usize {
    (hash.wrapping_mul(0xd6e8_feb8_6659_fd93) >> (64 - BEGINNINGS)) as usize
}

/// Secrets, by the hash of their first bytes.
struct Free {
    /// Folded, sorted by hash.
    all: Vec<(Vec<u8>, &'static str)>,
    hashes: Vec<u32>,
    /// One bit for each hash.
    bits: Vec<u64>,
}

impl Free {
    fn new(mut all: Vec<(Vec<u8>, &'static str)>) -> Self {
        all.sort_by(|(a, _), (b, _)| (gram(a), b.len(), a).cmp(&(gram(b), a.len(), b)));
        all.dedup_by(|(b, _), (a, _)| a == b);
        let hashes: Vec<u32> = all.iter().map(|(name, _)| gram(name)).collect();
        let mut bits = vec![0; if all.is_empty() { 0 } else { 1 << 10 }];
        for hash in &hashes {
            let bit = (hash >> 16) as usize;
            bits[bit / 64] |= 1 << (bit % 64);
        }
        Self { all, hashes, bits }
    }

    fn find(&self, text: &[u8], take: &mut dyn FnMut(Found) -> bool) {
        if self.all.is_empty() || text.len() < FREE {
            return;
        }
        let folded: Vec<u8> = text.iter().map(|b| fold(*b)).collect();
        let mut past = 0;
        for (at, first) in folded.windows(FREE).enumerate() {
            let hash = gram(first);
            let bit = (hash >> 16) as usize;
            if self.bits[bit / 64] >> (bit % 64) & 1 == 0 || at < past {
                continue;
            }
            let from = self.hashes.partition_point(|other| *other < hash);
            let same = self.hashes[from..].iter().take_while(|other| **other == hash).count();
            let found = self.all[from..from + same].iter().find(|(name, _)| folded[at..].starts_with(name));
            if let Some((name, kind)) = found
                && take((at..at + name.len(), kind))
            {
                past = at + name.len();
            }
        }
    }
}

/// The hash of the first bytes, folded.
fn gram(name: &[u8]) -> u32 {
    let mut first = [0; FREE];
    first.copy_from_slice(&name[..FREE]);
    (u64::from_le_bytes(first).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all<'t>(names: &[(&'static str, &str)], text: &'t str) -> Vec<(&'t str, &'static str)> {
        let mut all = Vec::new();
        Names::new(names).find(text.as_bytes(), &mut |(range, kind)| {
            all.push((&text[range], kind));
            true
        });
        all
    }

    #[test]
    fn names_stand_between_other_signs() {
        let names = [
            ("node", "worker-a1"),
            ("node", "worker-a1.corp.example"),
            ("domain", "corp.example"),
            ("user", "jk"),
            ("user", "jroede+"),
            ("user", "svc-backup"),
            ("pod", "coredns-1f648bf4c-jk7z7"),
            ("secret", "S3lene-wbb2"),
            ("secret", "pw-1a"),
        ];
        for (text, found) in [
            ("worker-a1", &["worker-a1"][..]),
            ("WORKER_A1/worker.a1", &["WORKER_A1", "worker.a1"]),
            ("x-worker-a1.corp.example.", &["worker-a1.corp.example"]),
            ("가worker-a1나", &["worker-a1"]),
            ("worker-a1.corp-2 corp_example", &["worker-a1", "corp_example"]),
            ("coworker-a1 worker-a12 worker--a1 worker-a", &[]),
            ("jk xjk jk1 /home/jk/x", &["jk", "jk"]),
            ("xS3LENE-wbb2x pw-1a xpw-1a", &["S3LENE-wbb2", "pw-1a"]),
            // cut off
            ("jroede+ jroede jroed…", &["jroede", "jroed"]),
            (
                "worker-a1.corp.exa… worker+ work+ svc+ svc-b+ svc-backup+",
                &["worker-a1", "worker-a1.corp.exa", "svc-backup", "svc-b", "svc-backup"],
            ),
            ("coredns+ coredn+ coredns-1f64+ worker-a+", &["coredns-1f64", "worker-a"]),
        ] {
            let mut expected: Vec<&str> = found.to_vec();
            let mut got: Vec<&str> = all(&names, text).into_iter().map(|(name, _)| name).collect();
            expected.sort_unstable();
            got.sort_unstable();
            // a cut name may be found as one and as the beginning of one
            got.dedup();
            expected.dedup();
            assert_eq!(got, expected, "{text}");
        }
    }

    #[test]
    fn a_name_that_is_not_taken_leaves_the_shorter_one() {
        let mut seen = Vec::new();
        Names::new(&[("node", "a-b-c"), ("node", "a-b"), ("node", "b")]).find(b"a-b-c", &mut |(range, _)| {
            seen.push(range.clone());
            range == (2..3)
        });
        assert_eq!(seen, [0..5, 0..3, 2..3]);
    }

    proptest::proptest! {
        /// The oracle: every name at every place, compared sign by sign.
        #[test]
        fn a_plain_search_finds_the_same(names in proptest::collection::vec("[ab]{1,2}([-_.][ab1]{1,2}){0,2}", 1..6), text in "[abAB1._/ 가-]{0,30}") {
            let named: Vec<(&'static str, &str)> = names.iter().map(|name| ("node", name.as_str())).collect();
            let mut found: Vec<Range<usize>> = Vec::new();
            Names::new(&named).find(text.as_bytes(), &mut |(range, _)| { found.push(range); false });
            let bytes = text.as_bytes();
            let mut expected: Vec<Range<usize>> = Vec::new();
            for name in &names {
                for start in 0..bytes.len().saturating_sub(name.len() - 1) {
                    let end = start + name.len();
                    let same = bytes[start..end].iter().zip(name.bytes()).all(|(a, b)| {
                        a.eq_ignore_ascii_case(&b) || (b"-_.".contains(a) && b"-_.".contains(&b))
                    });
                    let beside = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
                    if same && !beside(bytes[..start].last()) && !beside(bytes.get(end)) && !expected.contains(&(start..end)) {
                        expected.push(start..end);
                    }
                }
            }
            found.sort_by_key(|range| (range.start, range.end));
            expected.sort_by_key(|range| (range.start, range.end));
            proptest::prop_assert_eq!(found, expected);
        }
    }
}
