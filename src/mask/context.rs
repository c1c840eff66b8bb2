//! Words that give the words around them a meaning: a line that has one is judged as a whole.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind};

/// Parts of words, in any case.
const WORDS: &[&str] = &[
    // secrets by their names
    "pass",
    "pwd",
    "secret",
    "token",
    "credential",
    "-data",
    "apikey",
    "api_key",
    "api-key",
    "accesskey",
    "access_key",
    "access-key",
    "privatekey",
    "private_key",
    "private-key",
    "signingkey",
    "signing_key",
    "signing-key",
    "encryptionkey",
    "encryption_key",
    "encryption-key",
    "basic",
    "bearer",
    "auth",
    "last-applied",
    "-----begin",
    // users and nodes by the command
    "--user",
    "--proxy-user",
    "--name",
    "initial-cluster",
    "server_name",
    "sshd",
];

static FOUND: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let mut builder = AhoCorasickBuilder::new();
    builder.ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA));
    builder.build(WORDS).expect("the words are constant")
});

/// Whether a piece of a line may mean something together with others that it does not mean by itself.
pub(super) fn gives_meaning(piece: &[u8]) -> bool {
    matches!(piece, b"-u" | b"-id") || FOUND.is_match(piece) || odd(piece)
}

/// Shapes that are addresses only beside certain words or in certain columns.
fn odd(piece: &[u8]) -> bool {
    let all = |set: fn(&u8) -> bool| piece.iter().all(set);
    let digits_and = |sign: u8| piece.iter().all(|b| b.is_ascii_digit() || *b == sign);
    match piece.len() {
        // `/proc/net/tcp`
        13 => piece[8] == b':' && all(|b| b.is_ascii_hexdigit() || *b == b':'),
        // hardware addresses without a letter
        14 => piece[4] == b'.' && digits_and(b'.'),
        17 => digits_and(piece[2]),
        // a port behind a dot
        _ => piece.iter().filter(|b| **b == b'.').count() >= 4 && digits_and(b'.'),
    }
}

/// Whether a piece of hexadecimal digits is an address by what stands beside it in its line.
pub(super) fn is_beside(line: &[u8], start: usize, end: usize) -> bool {
    let piece = &line[start..end];
    match piece.len() {
        12 if piece.iter().all(u8::is_ascii_hexdigit) => {
            let before = &line[start.saturating_sub(16)..start];
            before.windows(3).any(|w| w.eq_ignore_ascii_case(b"mac"))
        }
        // `/proc/net/if_inet6`
        32 => line.get(end) == Some(&b' ') && line.get(end + 3) == Some(&b' '),
        _ => false,
    }
}
