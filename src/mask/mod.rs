//! Masking: inventory → shapes → aliases → sweep → verify. The only constructor of [`Masked`].
//!
//! The inventory collects what readers know by type and what has a sensitive shape, over all captures. Every value gets an alias. The sweep
//! looks at each string and each key, in every view in which a spelling may hide, and writes the aliases in one go. The verifier, which
//! shares no code with the sweep, then searches what is about to be published.

mod alias;
mod detect;
mod inventory;
mod map;
mod places;
mod sweep;
mod verify;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::capture::{Capture, Origin};
use crate::diag::Outcome;
use crate::project::MaskRules;
use crate::read::Record;

use alias::{Aliases, Previous, Wanted};
use detect::Detector;
use inventory::Inventory;

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

/// One raw capture, as the inventory sees it.
#[derive(Clone, Copy, Debug)]
pub struct Raw<'a> {
    /// How it was taken.
    pub capture: &'a Capture,
    /// What its reader made of it.
    pub record: &'a Record,
}

/// What a sensitive value is. Where two kinds claim the same text, the one that stands first here has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Node,
    Domain,
    /// A name in a known domain that is no node.
    Host,
    Cluster,
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
}

impl Kind {
    /// The name, with which its aliases begin (but for addresses, which say their class).
    fn name(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Host => "host",
            Self::Domain => "domain",
            Self::Cluster => "cluster",
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
        }
    }

    /// What stands for a value that no capture holds, and so has no number: in a text from elsewhere.
    fn unlisted(self) -> &'static str {
        match self {
            Self::Node => "node-00",
            Self::Host => "host-00",
            Self::Domain => "domain-00",
            Self::Cluster => "cluster-00",
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
        }
    }
}

/// What a typed place says of the value in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Node,
    ControlPlane,
    /// Probably a node.
    Host,
    Pod,
    User,
    Cluster,
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
    /// Every alias that was given to a value.
    given: BTreeSet<String>,
    /// Every name in every spelling that was met, for the verifier.
    names: Vec<(Kind, String)>,
    /// Nodes called by a common word or a letter, which are masked only where a node is due.
    typed: BTreeSet<String>,
}

impl std::fmt::Debug for Mask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // never the originals
        f.debug_struct("Mask").field("values", &self.aliases.iter().count()).finish_non_exhaustive()
    }
}

impl Mask {
    /// Takes the inventory over all captures of all parts. `hosts` are those on which captures were taken, in the order of their aliases.
    pub fn new(rules: &MaskRules, hosts: &[&str], raw: &[Raw<'_>]) -> Outcome<Self> {
        let mut inventory = Inventory::new(rules, hosts);
        let mut claim = |place: Place, value: &str| inventory.claim(place, value);
        for one in raw {
            places::record(one.record, &one.capture.format, &mut claim);
            // lines: what they say goes over several
            if let Value::Array(items) = one.record
                && let Some(text) = lines(items)
            {
                places::text(&text, &mut claim);
            }
            about(one.capture).for_each(|text| places::text(text, &mut claim));
            one.capture.host.iter().for_each(|host| claim(Place::Node, host));
        }
        inventory.settle();
        // what has a sensitive shape becomes a name too: a password of one capture may stand bare in another
        let shapes = Detector::new(inventory.entries(), inventory.addresses(), &rules.allow);
        inventory.look(raw, hosts, |text, key| shapes.find(text, key));
        inventory.settle();
        // and may stand encoded, or have been a domain of which the hosts are now known
        let names = Detector::new(inventory.entries(), inventory.addresses(), &rules.allow);
        inventory.look(raw, hosts, |text, _| names.names(text));
        inventory.settle();
        let detector = Detector::new(inventory.entries(), inventory.addresses(), &rules.allow);
        let wanted = Wanted {
            nodes: &inventory.nodes(),
            values: inventory.values(),
            kept: &BTreeSet::new(),
            reserved: inventory.reserved(),
        };
        let aliases = Aliases::assign(&wanted, None);
        let given = aliases.iter().map(|(_, _, alias)| alias.to_owned()).collect();
        let names = inventory.entries().into_iter().map(|entry| (entry.kind, entry.spelling)).collect();
        let typed = inventory.typed().clone();
        Ok(Self { detector, aliases, given, names, typed })
    }

    /// Masks every string and every key of a record.
    pub fn record(&self, record: Record) -> Masked<Record> {
        Masked(self.value(record, "", &mut Harmless::default()))
    }

    /// Masks what capture.toml says of a capture.
    pub fn capture(&self, capture: &Capture) -> Masked<Capture> {
        let text = |text: &str| self.plain(text.to_owned(), "");
        let host = |host: &str| self.node(host).unwrap_or_else(|| text(host));
        Masked(Capture {
            path: text(&capture.path),
            format: capture.format.clone(),
            origin: match &capture.origin {
                Origin::Command(command) => Origin::Command(text(command)),
                Origin::Query(query) => Origin::Query(text(query)),
                Origin::Unknown => Origin::Unknown,
            },
            host: capture.host.as_deref().map(host),
            at: capture.at,
        })
    }

    /// Masks one text.
    pub fn text(&self, text: &str) -> Masked<String> {
        Masked(self.plain(text.to_owned(), ""))
    }

    /// Every alias with the name of its kind, sorted: what a language may have a form of its own for.
    pub fn aliases(&self) -> Vec<(&'static str, &str)> {
        let all: BTreeSet<_> = self.aliases.iter().map(|(kind, _, alias)| (kind.name(), alias)).collect();
        all.into_iter().collect()
    }

    /// Words of the captures that this run would have given as aliases, so that nobody could tell which is meant.
    pub fn collisions(&self) -> &BTreeSet<String> {
        self.aliases.collisions()
    }

    /// Writes every alias of this run into a map.
    pub fn remember(&self, map: &mut Map) {
        map.extend(&self.aliases);
    }

    /// Searches every staged file, by name and content, for every original in every spelling and for every shape. Each hit is a leak that
    /// says kind, file, line and column, never the value.
    pub fn verify(&self, staged: &BTreeMap<String, Vec<u8>>) -> Outcome<()> {
        // names are searched for in every spelling that was met; what has a shape, as its alias is listed
        let shaped = |kind: Kind| matches!(kind, Kind::Address | Kind::Mac | Kind::Uid | Kind::Mail | Kind::Host);
        let listed =
            self.aliases.iter().filter(|(kind, _, _)| shaped(*kind)).map(|(kind, value, _)| (kind.name(), value));
        let named = self.names.iter().map(|(kind, spelling)| (kind.name(), spelling.as_str()));
        let originals: Vec<_> = listed.chain(named).collect();
        let aliases: Vec<_> = self.given.iter().map(String::as_str).collect();
        verify::Verifier::new(&originals, &aliases, self.detector.allow()).check(staged).or_value(())
    }

    fn value(&self, value: Value, key: &str, harmless: &mut Harmless) -> Value {
        match value {
            Value::String(text) => Value::String(self.repeated(text, key, harmless)),
            Value::Array(items) => match lines(&items) {
                Some(text) => self.plain(text, key).split('\n').map(Value::from).collect(),
                None => Value::Array(items.into_iter().map(|item| self.value(item, key, harmless)).collect()),
            },
            Value::Object(members) => {
                let mut masked = serde_json::Map::with_capacity(members.len());
                for (name, member) in members {
                    let member = self.value(member, &name, harmless);
                    let mut name = self.repeated(name, "", harmless);
                    // two keys that are one value in two spellings: both members stay
                    while masked.contains_key(&name) {
                        name.push('~');
                    }
                    masked.insert(name, member);
                }
                Value::Object(masked)
            }
            other => other,
        }
    }

    fn repeated(&self, text: String, key: &str, harmless: &mut Harmless) -> String {
        if harmless.holds(&text, key) {
            return text;
        }
        let masked = self.plain(text.clone(), key);
        if masked == text {
            harmless.add(&text, key);
        }
        masked
    }

    /// The alias of a node that is called by a common word, with the port if there is one.
    fn node(&self, text: &str) -> Option<String> {
        let name = inventory::host_name(text);
        let port = text.get(name.len()..).filter(|rest| rest.starts_with(':')).unwrap_or_default();
        self.typed.contains(&name).then(|| format!("{}{port}", self.aliases.get(Kind::Node, &name)))
    }

    fn plain(&self, text: String, key: &str) -> String {
        if !self.typed.is_empty()
            && places::is_of_node(key)
            && let Some(alias) = self.node(&text)
        {
            return alias;
        }
        let mut found = self.detector.find(&text, key);
        // `h17` may be a name, but not in `priv-net01.h17`
        if !found.is_empty() {
            for form in alias::forms(&text).filter(|form| self.given.contains(&text[form.clone()])) {
                found.retain(|f| f.range.start < form.start || f.range.end > form.end);
            }
        }
        if found.is_empty() {
            return text;
        }
        sweep::write(&text, &sweep::resolve(found), |found| self.aliases.get(found.kind, &found.value))
    }
}

/// Short texts in which nothing was found, by the key under which they stand: captures repeat themselves.
#[derive(Default)]
struct Harmless(BTreeMap<String, BTreeSet<String>>);

impl Harmless {
    /// Longer texts rarely come twice.
    const LONGEST: usize = 64;
    /// So many a key, so that memory does not grow with a capture.
    const MOST: usize = 4096;

    fn holds(&self, text: &str, key: &str) -> bool {
        text.len() <= Self::LONGEST && self.0.get(key).is_some_and(|texts| texts.contains(text))
    }

    fn add(&mut self, text: &str, key: &str) {
        // a number is judged as fast as it is remembered
        if text.len() > Self::LONGEST || text.bytes().all(|b| b.is_ascii_digit()) {
            return;
        }
        match self.0.get_mut(key) {
            Some(texts) if texts.len() < Self::MOST => drop(texts.insert(text.to_owned())),
            Some(_) => {}
            None => drop(self.0.insert(key.to_owned(), BTreeSet::from([text.to_owned()]))),
        }
    }
}

impl Inventory {
    /// Takes what `detect` finds in every text of the captures and of capture.toml, and in the names of the hosts.
    fn look(&mut self, raw: &[Raw<'_>], hosts: &[&str], detect: impl Fn(&str, &str) -> Vec<Found>) {
        let mut harmless = Harmless::default();
        let mut look = |text: &str, key: &str| {
            if harmless.holds(text, key) {
                return;
            }
            // only what would be written: the payload of a token needs no alias beside that of the token
            let spans = sweep::resolve(detect(text, key));
            self.found(alias::forms(text).map(|form| &text[form]), &spans);
            if spans.is_empty() {
                harmless.add(text, key);
            }
        };
        for one in raw {
            strings(one.record, "", &mut look);
            about(one.capture).for_each(|text| look(text, ""));
        }
        hosts.iter().for_each(|host| look(host, ""));
    }
}

/// Every text that capture.toml says of a capture.
fn about(capture: &Capture) -> impl Iterator<Item = &str> {
    let origin = match &capture.origin {
        Origin::Command(text) | Origin::Query(text) => Some(text.as_str()),
        Origin::Unknown => None,
    };
    [Some(capture.path.as_str()), origin, capture.host.as_deref()].into_iter().flatten()
}

/// Visits every string with the key under which it stands, and every key; lines are one text.
fn strings(value: &Value, key: &str, visit: &mut impl FnMut(&str, &str)) {
    match value {
        Value::String(text) => visit(text, key),
        Value::Array(items) => match lines(items) {
            Some(text) => visit(&text, key),
            None => items.iter().for_each(|item| strings(item, key, visit)),
        },
        Value::Object(members) => {
            for (name, member) in members {
                visit(name, "");
                strings(member, name, visit);
            }
        }
        _ => {}
    }
}

/// Several strings, none with a line end, as one text: a key or a certificate may go over several.
fn lines(items: &[Value]) -> Option<String> {
    let texts: Vec<&str> = items.iter().map(Value::as_str).collect::<Option<_>>()?;
    (texts.len() > 1 && !texts.iter().any(|t| t.contains('\n'))).then(|| texts.join("\n"))
}
