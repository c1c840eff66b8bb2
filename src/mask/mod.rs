//! Masking: inventory → shapes → aliases → sweep → verify. The only constructor of [`Masked`].
//!
//! The survey collects what readers know by type and what has a sensitive shape, over all captures. Every value gets an alias. The sweep
//! rewrites the raw text of a capture, in every view in which a spelling may hide, and readers read what it wrote: so a bundle of masked files is
//! just what a build reads. The verifier, which shares no code with the sweep, then searches what is about to be published.

mod alias;
mod context;
mod detect;
mod inventory;
mod map;
mod patterns;
mod places;
mod spots;
mod stream;
mod survey;
mod sweep;
mod text;
mod verify;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::capture::{Block, Blocks, Capture, Captures, Origin};
use crate::diag::{Diagnostic, Diagnostics, Outcome};
use crate::project::MaskRules;
use crate::read::{Input, Layout, Reader, Record, Want};

use alias::{Aliases, Previous, Wanted};
use context::{gives_meaning, is_beside};
use detect::Detector;
use inventory::{Inventory, host_name, is_of_set};
use patterns::Patterns;
use places::{Scanner, TypedWords};
use spots::{lines, regions};
use survey::threads;
use sweep::{Sweeper, resolve};
use text::{Cache, JsonText, NoJson, Token, is_plain, is_separator, joint, json_strings, json_write, may_hide, split};

pub use stream::{MaskedBlock, Source, Swept};
pub use survey::Survey;
pub use verify::Verifier;

pub use map::Map;

/// A value in which nothing sensitive is left. Only this module makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masked<T>(T);

impl<T> Masked<T> {
    /// For unit tests of the modules below: the value is invented there.
    #[cfg(test)]
    pub(crate) fn for_test(value: T) -> Self {
        Self(value)
    }

    /// The masked value.
    pub fn get(&self) -> &T {
        &self.0
    }
}

impl Masked<Captures> {
    /// One of them by its name.
    pub fn capture(&self, name: &str) -> Option<Masked<Capture>> {
        self.0.get(name).cloned().map(Masked)
    }
}

/// What a sensitive value is. Where two kinds claim the same text, the one that stands first here has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Node,
    Domain,
    /// A name in a known domain that is no node.
    Host,
    Cluster,
    /// A rack, a room, a zone that no provider gives to everyone.
    Zone,
    Pod,
    User,
    Mail,
    Address,
    Mac,
    /// A UUID.
    Uid,
    Machine,
    Container,
    Secret,
    /// What factpress.toml names under `words`.
    Word,
    /// What a pattern of factpress.toml matches: the name of the pattern with `-00` behind it.
    Own(&'static str),
}

impl Kind {
    /// The name, with which its aliases begin (but for addresses, which say their class).
    fn name(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Host => "host",
            Self::Domain => "domain",
            Self::Cluster => "cluster",
            Self::Zone => "zone",
            Self::Pod => "pod",
            Self::User => "user",
            Self::Mail => "mail",
            Self::Address => "address",
            Self::Mac => "mac",
            Self::Uid => "uid",
            Self::Machine => "machine",
            Self::Container => "container",
            Self::Secret => "secret",
            Self::Word => "word",
            Self::Own(unlisted) => unlisted.trim_end_matches("-00"),
        }
    }

    /// What stands for a value that no capture holds, and so has no number: in a text from elsewhere.
    fn unlisted(self) -> &'static str {
        match self {
            Self::Node => "node-00",
            Self::Host => "host-00",
            Self::Domain => "domain-00",
            Self::Cluster => "cluster-00",
            Self::Zone => "zone-00",
            Self::Pod => "pod-00",
            Self::User => "user-00",
            Self::Mail => "mail-00",
            Self::Address => "any-net00.h0",
            Self::Mac => "mac-00",
            Self::Uid => "uid-00",
            Self::Machine => "machine-00",
            Self::Container => "container-00",
            Self::Secret => "secret-00",
            Self::Word => "word-00",
            Self::Own(unlisted) => unlisted,
        }
    }
}

/// What a typed place says of the value in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Node,
    ControlPlane,
    /// A node, or a pod where software takes its container for a machine.
    Computer,
    /// Probably a node.
    Host,
    /// A host by a name that may be known to everyone: of a server, in a certificate.
    Site,
    /// A domain in which hosts are looked up.
    Domain,
    Pod,
    User,
    Cluster,
    Zone,
    Machine,
    Secret,
}

/// Something sensitive in a text: where, what kind, and the value in its canonical form.
#[derive(Clone, Debug)]
struct Found {
    range: Range<usize>,
    kind: Kind,
    value: String,
}

/// A spelling of a known value.
#[derive(Debug)]
struct Entry {
    spelling: String,
    kind: Kind,
    value: String,
}

/// Whether what stands under a name is a password, a token or a key.
fn is_secret_name(name: &str) -> bool {
    const ENDS: [&str; 18] = [
        "password",
        "passwd",
        "passphrase",
        "pwd",
        "secret",
        "token",
        "apikey",
        "accesskey",
        "accesskeyid",
        "privatekey",
        "secretkey",
        "signingkey",
        "encryptionkey",
        "authkey",
        "credentials",
        "clientkeydata",
        "clientcertificatedata",
        "certificateauthoritydata",
    ];
    if name.len() < 3 || name.contains(' ') {
        return false;
    }
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    ENDS.iter().any(|end| plain.ends_with(end))
}

/// Whether what stands under a key is judged by the key, and not only by itself.
fn is_meant(key: &str) -> bool {
    is_secret_name(key) || key.eq_ignore_ascii_case("auth")
}

/// The user and the password of a Basic credential, if it is one.
fn basic(token: &str) -> Option<(String, String)> {
    let decoded = String::from_utf8(STANDARD.decode(token).ok()?).ok()?;
    let (user, password) = decoded.split_once(':')?;
    (!password.is_empty() && decoded.chars().all(|c| !c.is_control())).then(|| (user.to_owned(), password.to_owned()))
}

/// The dictionary of everything that must not be published, with an alias for each.
pub struct Mask {
    detector: Detector,
    aliases: Aliases,
    /// Alias of a bundle → the name of its kind.
    kept: BTreeMap<String, String>,
    /// Every alias that was given to a value, or stands in a bundle.
    given: BTreeSet<String>,
    /// Every name in every spelling that was met, for the verifier.
    names: Vec<(Kind, String)>,
    /// Nodes and users called by a common word or a letter, which are masked only where one is due.
    typed: TypedWords,
    patterns: Patterns,
    /// Finds names that reach over several pieces of a line.
    wide: Option<AhoCorasick>,
}

impl std::fmt::Debug for Mask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // never the originals
        f.debug_struct("Mask").field("values", &self.aliases.iter().count()).finish_non_exhaustive()
    }
}

impl Mask {
    fn new(
        inventory: &Inventory,
        detector: Detector,
        patterns: Patterns,
        aliases: Aliases,
        kept: BTreeMap<String, String>,
    ) -> Self {
        let given = aliases.iter().map(|(_, _, alias)| alias.to_owned()).chain(kept.keys().cloned()).collect();
        let names: Vec<_> = inventory.entries().into_iter().map(|entry| (entry.kind, entry.spelling)).collect();
        let wide: Vec<&String> =
            names.iter().map(|(_, name)| name).filter(|name| name.bytes().any(is_separator)).collect();
        let wide = (!wide.is_empty()).then(|| {
            let mut builder = AhoCorasickBuilder::new();
            builder.ascii_case_insensitive(true).build(&wide).expect("the names come from captures that fit in memory")
        });
        Self { detector, aliases, kept, given, names, typed: TypedWords::new(inventory.typed()), patterns, wide }
    }

    /// Masks what capture.toml says of captures. It is read again: so it says what it would say in a bundle.
    pub fn captures(&self, captures: &Captures) -> Outcome<Masked<Captures>> {
        let source = captures.source();
        let text = Sweeper::new(self).block(Layout::Text, source.text());
        Captures::parse(crate::diag::Source::new(self.plain(source.path(), ""), text)).map(Masked)
    }

    /// Masks one text.
    pub fn text(&self, text: &str) -> Masked<String> {
        Masked(self.plain(text, ""))
    }

    /// Masks the blocks of a file of this layout, in their order, and has a reader read what comes out.
    pub fn read(&self, reader: &dyn Reader, path: &str, blocks: Source<'_>, want: &Want) -> Outcome<Masked<Record>> {
        let swept = Swept::new(self, reader.layout(), blocks);
        let failure = swept.failure();
        let record = reader.read(Input::new(path, swept), want);
        // why the blocks ended says more than what the reader makes of it
        match failure.take() {
            Some(wrong) => Err(wrong),
            None => record.map(Masked),
        }
    }

    /// Every alias with the name of its kind, sorted: what a language may have a form of its own for.
    pub fn aliases(&self) -> Vec<(&str, &str)> {
        let kept = self.kept.iter().map(|(alias, kind)| (kind.as_str(), alias.as_str()));
        let given = self.aliases.iter().map(|(kind, _, alias)| (kind.name(), alias));
        let all: BTreeSet<_> = given.chain(kept).collect();
        all.into_iter().collect()
    }

    /// Writes every alias of this run into a map.
    pub fn remember(&self, map: &mut Map) {
        map.extend(&self.aliases);
    }

    /// The blocks of a file of this layout, masked, and verified as those of a file called `path`.
    pub fn sweep<'a>(&'a self, verifier: &'a Verifier, layout: Layout, path: &str, blocks: Source<'a>) -> Swept<'a> {
        Swept::new(self, layout, blocks).verified(verifier, path)
    }

    /// Kind → aliases, of those that were written and those of bundles.
    pub fn used<'a>(&'a self, written: &BTreeSet<&str>) -> BTreeMap<&'a str, Vec<&'a str>> {
        let mut used: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (kind, alias) in self.aliases().into_iter().filter(|(_, alias)| written.contains(alias)) {
            used.entry(kind).or_default().push(alias);
        }
        used
    }

    /// Searches every staged file, by name and content, for every original in every spelling and for every shape. Each hit is a leak that
    /// says kind, file, line and column, never the value.
    pub fn verify(&self, staged: &BTreeMap<String, Vec<u8>>) -> Outcome<()> {
        self.verifier().check(staged).or_value(())
    }

    /// Who searches for every original in every spelling.
    pub fn verifier(&self) -> Verifier {
        // names are searched for in every spelling that was met; what has a shape, as its alias is listed
        let shaped = |kind: Kind| matches!(kind, Kind::Address | Kind::Mac | Kind::Uid | Kind::Mail | Kind::Host);
        let listed =
            self.aliases.iter().filter(|(kind, _, _)| shaped(*kind)).map(|(kind, value, _)| (kind.name(), value));
        let named = self.names.iter().map(|(kind, spelling)| (kind.name(), spelling.as_str()));
        let originals: Vec<_> = listed.chain(named).collect();
        let aliases: Vec<&str> = self.given.iter().map(String::as_str).collect();
        Verifier::new(&originals, &aliases, self.detector.allow())
    }

    /// Whether a piece is a name that is masked only where its place says what it is.
    fn is_typed(&self, piece: &str) -> bool {
        self.typed.has(piece)
    }

    /// Where in a text a node or user that is called by a common word stands by itself and nothing says whether it is meant: the first.
    pub fn ambiguous(&self, text: &str) -> Option<usize> {
        self.typed.untyped(text)
    }

    /// Whether such a name is due under this key.
    fn is_key_of_typed(&self, key: &str) -> bool {
        self.typed.may_stand_under(key)
    }

    /// Whether no name, and nothing that has a pattern, reaches over several pieces of a line.
    fn is_in_pieces(&self, line: &[u8]) -> bool {
        self.wide.as_ref().is_none_or(|wide| !wide.is_match(line)) && !self.patterns.may_match(line)
    }

    /// Everything that is to be masked in a text under `key`, in order and apart.
    fn found(&self, text: &str, key: &str) -> Vec<Found> {
        let mut found = self.detector.find(text, key);
        found.extend(self.typed.find(text, key));
        self.patterns.find(text, &mut found);
        // `h17` may be a name, but not in `priv-net01.h17`
        if !found.is_empty() {
            for form in alias::forms(text).filter(|form| self.given.contains(&text[form.clone()])) {
                found.retain(|f| f.range.start < form.start || f.range.end > form.end);
            }
        }
        resolve(found)
    }

    fn alias(&self, found: &Found) -> &str {
        self.aliases.get(found.kind, &found.value)
    }

    fn is_listed(&self, found: &Found) -> bool {
        self.aliases.has(found.kind, &found.value)
    }

    fn plain(&self, text: &str, key: &str) -> String {
        let swaps: Vec<_> =
            self.found(text, key).into_iter().map(|f| (f.range.clone(), self.alias(&f).into())).collect();
        sweep::write(text, &swaps)
    }
}
