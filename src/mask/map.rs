//! The map: which alias a value had, from one measurement of a cluster to the next.
//!
//! It is a file of its own outside of what is published, for its owner alone, and holds no original: of a value only HMAC-SHA256 under the key
//! of the map, beside its alias. Without the key nobody can tell of whom an alias is, not even by trying every address there is. The key lies
//! in the same file, for else it would have to be kept somewhere else: who has the file cannot read values in it, but can try guesses.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::{Aliases, Previous};
use crate::diag::{Diagnostic, Outcome, Place};

/// The form of the file.
const VERSION: i64 = 1;

/// With which the file begins.
const NOTE: &str = "\
# factpress: the aliases of one cluster, so that a later measurement keeps them.
# Do not publish this file: it holds no original, but who has it can try guesses.
# Do not edit it either. Without it the next measurement counts its aliases anew.
";

/// A map that was read, or a new one.
pub struct Map {
    key: [u8; 32],
    /// Code of a value → its alias.
    aliases: BTreeMap<String, String>,
    /// Aliases that no value has any more, since a node is now called like one.
    retired: BTreeSet<String>,
    /// All of both.
    given: BTreeSet<String>,
}

impl std::fmt::Debug for Map {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // never the key
        f.debug_struct("Map").field("aliases", &self.aliases.len()).finish_non_exhaustive()
    }
}

impl Map {
    /// Reads a map. If there is no such file, it is an empty one with a new key. `forbidden` are folders that are published, or may be.
    pub fn load(path: &Path, forbidden: &[&Path]) -> Outcome<Self> {
        let place = || Place::file(path.to_string_lossy());
        if let Some(folder) = forbidden.iter().find(|folder| resolved(path).starts_with(resolved(folder))) {
            let what = format!("the map lies in {}, which is published", folder.display());
            return Err(Diagnostic::error("map-in-output", what)
                .with_place(place())
                .with_help("keep it in another folder: who has it can try guesses")
                .into());
        }
        let text = match std::fs::read(path) {
            Ok(bytes) => String::from_utf8(bytes).map_err(|_| broken(path, 1, "it is not UTF-8"))?,
            Err(error) if error.kind() == ErrorKind::NotFound => return Self::fresh(path),
            Err(error) => {
                return Err(Diagnostic::error("map-unreadable", format!("the map cannot be read: {}", error.kind()))
                    .with_place(place())
                    .with_help("name a file that you may read, or one that is not there yet")
                    .into());
            }
        };
        private(path)?;
        Self::parse(path, &text)
    }

    /// An empty map with a new key.
    fn fresh(path: &Path) -> Outcome<Self> {
        let mut key = [0; 32];
        #[expect(
            clippy::disallowed_methods,
            reason = "a key must be chance; no alias and nothing that is published depends on it"
        )]
        let filled = getrandom::fill(&mut key);
        filled.map_err(|error| {
            Diagnostic::error("map-no-key", format!("the system gives no random key: {error}"))
                .with_place(Place::file(path.to_string_lossy()))
                .with_help("try again, or go on without a map")
        })?;
        Ok(Self::new(key))
    }

    fn new(key: [u8; 32]) -> Self {
        Self { key, aliases: BTreeMap::new(), retired: BTreeSet::new(), given: BTreeSet::new() }
    }

    /// What is wrong is told by its line and never quoted: the key is in the file.
    fn parse(path: &Path, text: &str) -> Outcome<Self> {
        let line = |at: usize| text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1;
        let line_of = |entry: &str| text.find(entry).map_or(1, line);
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
            broken(path, error.span().map_or(1, |span| line(span.start)), "it is not TOML")
        })?;
        match table.get("version").and_then(toml::Value::as_integer) {
            Some(VERSION) => {}
            Some(other) => {
                return Err(Diagnostic::error("map-version", format!("the map has version {other}, not {VERSION}"))
                    .with_place(Place::at(path.to_string_lossy(), line_of("version"), 1))
                    .with_help("use the factpress that wrote it")
                    .into());
            }
            None => return Err(broken(path, 1, "it says no version").into()),
        }
        if let Some(other) =
            table.keys().find(|name| !["version", "key", "retired", "aliases"].contains(&name.as_str()))
        {
            return Err(broken(path, line_of(other), "it has a key that no map has").into());
        }
        let key = table.get("key").and_then(toml::Value::as_str).and_then(from_hex);
        let mut map = Self::new(key.ok_or_else(|| broken(path, line_of("key ="), "its key is no 32 bytes in hex"))?);
        let aliases = table.get("aliases").and_then(toml::Value::as_table);
        for (code, alias) in aliases.ok_or_else(|| broken(path, 1, "it has no table of aliases"))? {
            let wrong = || broken(path, line_of(code), "it is no code with an alias of its own");
            let alias = alias.as_str().filter(|alias| from_hex(code).is_some() && is_plain(alias)).ok_or_else(wrong)?;
            if !map.given.insert(alias.to_owned()) {
                return Err(wrong().into());
            }
            map.aliases.insert(code.clone(), alias.to_owned());
        }
        let retired = table.get("retired").and_then(toml::Value::as_array);
        for alias in retired.ok_or_else(|| broken(path, 1, "it has no list `retired`"))? {
            let wrong = || broken(path, line_of("retired"), "what is retired is no alias, or is still given");
            let alias = alias.as_str().filter(|alias| is_plain(alias)).ok_or_else(wrong)?;
            if !map.given.insert(alias.to_owned()) {
                return Err(wrong().into());
            }
            map.retired.insert(alias.to_owned());
        }
        Ok(map)
    }

    /// Takes every alias that a run gave. What is gone stays.
    pub(super) fn extend(&mut self, aliases: &Aliases) {
        for (kind, value, alias) in aliases.lasting() {
            if let Some(before) = self.aliases.insert(self.code(kind, value), alias.to_owned())
                && before != alias
            {
                self.retired.insert(before);
            }
        }
        self.given = self.aliases.values().chain(&self.retired).cloned().collect();
    }

    /// The file, which only its owner may read. The same map gives the same bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let retired: Vec<String> = self.retired.iter().map(|alias| format!("\"{alias}\"")).collect();
        let mut out = format!("{NOTE}version = {VERSION}\nkey = \"{}\"\n", hex(&self.key));
        out += &format!("retired = [{}]\n\n[aliases]\n", retired.join(", "));
        for (code, alias) in &self.aliases {
            writeln!(out, "{code} = \"{alias}\"").expect("a String takes everything");
        }
        out.into_bytes()
    }

    /// By what a bundle may say that it was made with this map: its aliases are those of the map. It tells nothing of the key.
    pub fn id(&self) -> String {
        let mut code = self.code("map", "id");
        code.truncate(16);
        code
    }

    /// What the file says in place of a value.
    fn code(&self, kind: &str, value: &str) -> String {
        let mut code = Hmac::<Sha256>::new_from_slice(&self.key).expect("a key of any length will do");
        code.update(kind.as_bytes());
        code.update(&[0]);
        code.update(value.as_bytes());
        hex(&code.finalize().into_bytes())
    }
}

impl Previous for Map {
    fn alias(&self, kind: &str, value: &str) -> Option<&str> {
        self.aliases.get(&self.code(kind, value)).map(String::as_str)
    }

    fn given(&self) -> &BTreeSet<String> {
        &self.given
    }
}

fn broken(path: &Path, line: usize, what: &str) -> Diagnostic {
    Diagnostic::error("map-broken", format!("the map is broken: {what}"))
        .with_place(Place::at(path.to_string_lossy(), line, 1))
        .with_help("take it from a backup; with a new map every alias is counted anew")
}

/// A map that others may read is no secret any more.
#[cfg(unix)]
fn private(path: &Path) -> Outcome<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path).map_or(0o777, |metadata| metadata.permissions().mode());
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let what = format!("others may read or change the map (mode {:03o})", mode & 0o777);
    Err(Diagnostic::error("map-open-to-others", what)
        .with_place(Place::file(path.to_string_lossy()))
        .with_help(format!("chmod 600 {}", path.display()))
        .into())
}

/// Elsewhere the rights of the folder decide.
#[cfg(not(unix))]
fn private(_: &Path) -> Outcome<()> {
    Ok(())
}

/// A path without links and `..`, also of what is not there yet.
fn resolved(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut out = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            part => out.push(part),
        }
        if let Ok(real) = out.canonicalize() {
            out = real;
        }
    }
    out
}

fn is_plain(alias: &str) -> bool {
    !alias.is_empty() && alias.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'.'))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(64), |mut out, byte| {
        write!(out, "{byte:02x}").expect("a String takes everything");
        out
    })
}

fn from_hex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    let digits = text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'a'..=b'f'));
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * i..2 * i + 2).filter(|_| digits)?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Wanted};
    use super::*;

    /// A run over nodes and addresses with this map.
    fn run(map: &Map, values: &[&str]) -> Aliases {
        let nodes: Vec<String> = values.iter().filter(|v| !v.starts_with("10.")).map(|v| (*v).to_owned()).collect();
        let kind = |value: &str| if value.starts_with("10.") { Kind::Address } else { Kind::Node };
        let values = values.iter().map(|value| (kind(value), (*value).to_owned())).collect();
        let none = BTreeSet::new();
        Aliases::assign(&Wanted { nodes: &nodes, values: &values, kept: &none, reserved: &none }, Some(map))
    }

    fn reread(map: &Map) -> Map {
        let text = String::from_utf8(map.to_bytes()).expect("text");
        Map::parse(Path::new("map"), &text).expect("a map is read again")
    }

    fn shown(aliases: &Aliases) -> Vec<String> {
        aliases.iter().map(|(_, value, alias)| format!("{value} {alias}")).collect()
    }

    #[test]
    fn a_later_measurement_keeps_its_aliases() {
        let mut map = Map::new([7; 32]);
        let first = run(&map, &["alpha", "beta", "gamma", "10.9.8.7"]);
        map.extend(&first);
        let bytes = map.to_bytes();
        let mut map = reread(&map);
        map.extend(&run(&map, &["alpha", "beta", "gamma", "10.9.8.7"]));
        assert_eq!(map.to_bytes(), bytes, "the same measurement changes no byte");
        let second = run(&map, &["aaron", "alpha", "gamma", "10.9.8.1"]);
        assert_eq!(shown(&second), ["aaron node-d", "alpha node-a", "gamma node-c", "10.9.8.1 priv-net01.h2"]);
        map.extend(&second);
        let third = run(&reread(&map), &["beta", "10.9.8.7", "10.9.8.2"]);
        assert_eq!(shown(&third), ["beta node-b", "10.9.8.2 priv-net01.h3", "10.9.8.7 priv-net01.h1"]);
    }

    #[test]
    fn what_is_retired_is_never_given_again() {
        let mut map = Map::new([7; 32]);
        map.extend(&run(&map, &["alpha"]));
        map.extend(&run(&map, &["alpha", "node-a"]));
        let mut map = reread(&map);
        let third = run(&map, &["alpha", "delta"]);
        assert_eq!(shown(&third), ["alpha node-b", "delta node-d"]);
        map.extend(&third);
        assert_eq!(map.to_bytes(), reread(&map).to_bytes());
    }

    #[test]
    fn a_map_holds_no_original_and_says_what_it_is() {
        let mut map = Map::new([7; 32]);
        map.extend(&run(&map, &["alpha", "baram-cp-01", "10.9.8.7"]));
        let text = String::from_utf8(map.to_bytes()).expect("text");
        assert!(["alpha", "baram", "10.9", "9.8."].iter().all(|original| !text.contains(original)), "{text}");
        assert!(text.starts_with("# factpress") && text.contains("Do not publish") && text.contains("version = 1\n"));
        let entries: Vec<&str> = text.split("[aliases]\n").nth(1).expect("the table").lines().collect();
        assert_eq!(entries.len(), 4, "two nodes, an address and its net");
        assert!(entries.is_sorted());
        assert!(!format!("{map:?}").contains(&hex(&map.key)) && !format!("{map:?}").contains("7, 7"));
    }

    /// The oracle: the second case of RFC 4231.
    #[test]
    fn the_code_is_hmac_sha_256() {
        let mut code = Hmac::<Sha256>::new_from_slice(b"Jefe").expect("a key");
        code.update(b"what do ya want for nothing?");
        assert_eq!(
            hex(&code.finalize().into_bytes()),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        let (one, other) = (Map::new([1; 32]), Map::new([2; 32]));
        assert_ne!(one.code("node", "alpha"), other.code("node", "alpha"));
        assert_ne!(one.code("node", "alpha"), one.code("pod", "alpha"));
        assert_ne!(one.code("node", "alpha"), one.code("nodea", "lpha"));
        assert_eq!((one.id().len(), one.id() == other.id()), (16, false));
    }

    #[test]
    fn aliases_do_not_depend_on_the_key() {
        let values = ["alpha", "beta", "10.9.8.7"];
        assert_eq!(shown(&run(&Map::new([1; 32]), &values)), shown(&run(&Map::new([2; 32]), &values)));
    }

    #[test]
    fn what_is_broken_is_told_by_its_line_and_never_quoted() {
        let mut map = Map::new([0xab; 32]);
        map.extend(&run(&map, &["alpha", "beta"]));
        let good = String::from_utf8(map.to_bytes()).expect("text");
        for (from, to, code, line) in [
            ("version = 1", "version = 2", "map-version", 4),
            ("version = 1\n", "", "map-broken", 1),
            ("version = 1", "version = ", "map-broken", 4),
            ("key = \"abab", "key = \"ABAB", "map-broken", 5),
            ("key = \"abab", "key = \"abab\nab", "map-broken", 0),
            ("key = \"ab", "key = \"", "map-broken", 5),
            ("retired = []", "", "map-broken", 1),
            ("retired = []", "retired = [\"node-a\"]", "map-broken", 6),
            ("retired = []", "retired = [1]", "map-broken", 6),
            ("retired = []", "retired = []\nother = 1", "map-broken", 7),
            ("[aliases]", "[others]", "map-broken", 8),
            ("node-a", "node-b", "map-broken", 10),
            ("\"node-a\"", "1", "map-broken", 0),
            ("node-a", "Alpha 10", "map-broken", 0),
        ] {
            assert!(good.contains(from), "{from}");
            let wrong = Map::parse(Path::new("../map"), &good.replace(from, to)).expect_err(to);
            let one = wrong.iter().next().expect("one");
            assert_eq!(one.code(), code, "{to}");
            assert!(one.help().is_some());
            let place = one.place().expect("a place");
            assert_eq!(place.path(), "../map");
            assert!(line == 0 || place.line() == Some(line), "{to}: {place}");
            assert!(!wrong.to_text(crate::diag::Colour::Never).contains("abab"), "{to}: the key is quoted");
        }
    }
}
