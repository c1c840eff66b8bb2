//! The survey: one pass over every capture, block by block, that gathers what the inventory is made of.
//!
//! A line is judged piece by piece, each piece once; a line of which a piece has a meaning only together with others is judged as a whole. What is
//! gathered does not depend on the order of blocks and captures, nor on how many threads share them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use foldhash::fast::FixedState;
use indexmap::IndexSet;

use super::{
    Aliases, Block, Cache, Capture, Detector, Found, Inventory, JsonText, Kind, Layout, Map, Mask, MaskRules, NoJson,
    Origin, Patterns, Place, Previous, Record, Scanner, Token, Wanted, alias, gives_meaning, is_beside, is_meant,
    is_plain, is_secret_name, joint, json_strings, lines, may_hide, places, regions, resolve, split,
};
use crate::diag::{self, Diagnostic, Diagnostics, Outcome};

/// The survey of a series: first every capture, in any order, then [`Survey::finish`].
pub struct Survey {
    rules: MaskRules,
    hosts: Vec<String>,
    /// Aliases of bundles, each with the name of its kind.
    kept: BTreeMap<String, String>,
    /// One for each thread.
    surveyors: Vec<Surveyor>,
}

impl std::fmt::Debug for Survey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // never the originals
        f.debug_struct("Survey").field("threads", &self.surveyors.len()).finish_non_exhaustive()
    }
}

impl Survey {
    /// An empty survey. `rules` is what a person knows beforehand.
    pub fn new(rules: &MaskRules) -> Self {
        let named = Inventory::new(rules, &[]);
        let shapes = Arc::new(Detector::new(named.entries(), named.addresses(), &rules.allow));
        let patterns = Arc::new(Patterns::new(rules));
        let surveyors = (0..threads()).map(|_| Surveyor::new(Arc::clone(&shapes), Arc::clone(&patterns))).collect();
        Self { rules: rules.clone(), hosts: Vec::new(), kept: BTreeMap::new(), surveyors }
    }

    /// Takes what capture.toml says of a capture. The hosts get their aliases in the order of these calls.
    pub fn capture(&mut self, capture: &Capture) {
        let origin = match &capture.origin {
            Origin::Command(text) | Origin::Query(text) => Some(text.as_str()),
            Origin::Unknown => None,
        };
        let first = &mut self.surveyors[0];
        for text in [Some(capture.path.as_str()), origin, capture.host.as_deref()].into_iter().flatten() {
            first.whole(text, "");
        }
        if let Some(host) = &capture.host {
            first.gathered.claims.insert((Place::Node, host.clone()));
            if !self.hosts.contains(host) {
                self.hosts.push(host.clone());
            }
        }
    }

    /// Takes the typed places of a record that the reader of `format` made of a whole document.
    pub fn record(&mut self, format: &str, record: &Record) {
        self.surveyors[0].record(record, format);
    }

    /// Takes blocks of a file.
    pub fn blocks(&mut self, path: &str, layout: Layout, blocks: &[Block]) {
        if let [one] = blocks {
            return self.surveyors[0].block(path, layout, one);
        }
        let each = blocks.len().div_ceil(self.surveyors.len()).max(1);
        std::thread::scope(|scope| {
            for (surveyor, blocks) in self.surveyors.iter_mut().zip(blocks.chunks(each)) {
                scope.spawn(move || blocks.iter().for_each(|block| surveyor.block(path, layout, block)));
            }
        });
    }

    /// Keeps the aliases of a bundle, each with the name of its kind, as they are.
    pub fn keep<'a>(&mut self, aliases: impl Iterator<Item = (&'a str, &'a str)>) {
        self.kept.extend(aliases.map(|(kind, alias)| (alias.to_owned(), kind.to_owned())));
    }

    /// Settles the inventory and gives every value its alias: the one that it had in `map`, if there is one.
    pub fn finish(self, map: Option<&Map>) -> Outcome<Mask> {
        let mut gathered = Gathered::default();
        self.surveyors.into_iter().for_each(|surveyor| gathered.merge(surveyor.gathered));
        let hosts: Vec<&str> = self.hosts.iter().map(String::as_str).collect();
        let mut inventory = Inventory::new(&self.rules, &hosts);
        // what stands in a bundle is masked already
        let kept = |text: &str| alias::forms(text).any(|form| self.kept.contains_key(&text[form]));
        for (place, value) in gathered.claims.iter().filter(|(_, value)| !kept(value)) {
            inventory.claim(*place, value);
        }
        let found = gathered.found.into_iter().filter(|(_, value)| !kept(value));
        let found = found.map(|(kind, value)| Found { range: 0..0, kind, value });
        inventory.found(gathered.forms.keys().map(String::as_str), &found.collect::<Vec<_>>());
        inventory.settle();
        // a name may stand encoded, or have been a domain of which the hosts are now known
        let names = Detector::new(inventory.entries(), inventory.addresses(), &self.rules.allow);
        for text in gathered.texts.iter().filter(|text| !kept(text)) {
            inventory.found(std::iter::empty(), &resolve(names.names(text)));
        }
        inventory.settle();
        // what a person calls harmless stays as it is, and stands for nothing else
        let apart =
            self.kept.keys().cloned().chain(self.rules.allow.iter().map(|allowed| allowed.to_ascii_lowercase()));
        let aliases = Aliases::assign(
            &Wanted {
                nodes: &inventory.nodes(),
                values: inventory.values(),
                kept: &apart.collect(),
                reserved: inventory.reserved(),
            },
            map.map(|map| map as &dyn Previous),
        );
        let collisions: Diagnostics = aliases
            .collisions()
            .iter()
            .map(|alias| {
                let place = gathered.forms.get(alias).map(|(path, line)| diag::Place::at(path.as_str(), *line, 1));
                let found = Diagnostic::error("alias-in-capture", format!("a capture holds `{alias}`, which would be taken for an alias"))
                    .with_help("if it is sensitive, name it in factpress.toml under [mask] nodes, users or words; if not, under [mask] allow");
                match place {
                    Some(place) => found.with_place(place),
                    None => found,
                }
            })
            .collect();
        let detector = Detector::new(inventory.entries(), inventory.addresses(), &self.rules.allow);
        collisions.or_value(Mask::new(&inventory, detector, Patterns::new(&self.rules), aliases, self.kept))
    }
}

/// More threads than this only wait for each other.
pub(super) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(8)
}

/// What was gathered.
#[derive(Default)]
struct Gathered {
    claims: BTreeSet<(Place, String)>,
    found: BTreeSet<(Kind, String)>,
    /// Words in the form of an alias, with the file and line of one of them.
    forms: BTreeMap<String, (String, usize)>,
    /// Every text in which names are to be looked for once they are known.
    texts: IndexSet<Box<str>, FixedState>,
}

impl Gathered {
    fn merge(&mut self, other: Self) {
        self.claims.extend(other.claims);
        self.found.extend(other.found);
        for (form, place) in other.forms {
            let first = self.forms.entry(form).or_insert_with(|| place.clone());
            if place < *first {
                *first = place;
            }
        }
        self.texts.extend(other.texts);
    }
}

/// What was decided of a piece.
enum Met {
    /// All of it is gathered.
    Done,
    /// It has a meaning only together with the rest of its line.
    Line,
}

/// The survey of one thread.
struct Surveyor {
    shapes: Arc<Detector>,
    patterns: Arc<Patterns>,
    gathered: Gathered,
    pieces: Cache<Met>,
    /// Whether a pair of this name may say what its value is.
    names: Cache<bool>,
    pairs: Cache<()>,
    /// As what places a value was told by its line.
    told: Cache<u16>,
    path: String,
    line: usize,
}

impl Surveyor {
    fn new(shapes: Arc<Detector>, patterns: Arc<Patterns>) -> Self {
        Self {
            shapes,
            patterns,
            gathered: Gathered::default(),
            pieces: Cache::new(),
            names: Cache::new(),
            pairs: Cache::new(),
            told: Cache::new(),
            path: String::new(),
            line: 1,
        }
    }

    /// Gathers from a block of a file.
    fn block(&mut self, path: &str, layout: Layout, block: &Block) {
        path.clone_into(&mut self.path);
        self.line = block.line;
        match layout {
            Layout::Lines | Layout::Text | Layout::Table => self.text(&block.text),
            Layout::Json => self.json_or_text(&block.text),
            Layout::JsonLines => block.text.split_inclusive('\n').for_each(|line| {
                self.json_or_text(line);
                self.line += 1;
            }),
        }
    }

    /// Gathers from one text, as a whole.
    fn whole(&mut self, text: &str, key: &str) {
        let mut claims = Vec::new();
        places::text(text, &mut |place, value| claims.push((place, value.to_owned())));
        self.gathered.claims.extend(claims);
        self.look(text, key);
        for view in self.shapes.plain_views(text) {
            split(view.as_bytes(), &mut |piece| self.keep(&view[piece]));
        }
        self.keep(text);
    }

    /// Gathers from the typed places of a record.
    fn record(&mut self, record: &serde_json::Value, format: &str) {
        let claims = &mut self.gathered.claims;
        places::record(record, format, &mut |place, value| {
            claims.insert((place, value.to_owned()));
        });
    }

    fn look(&mut self, text: &str, key: &str) -> Vec<Found> {
        for form in alias::forms(text) {
            let line = self.line + memchr::memchr_iter(b'\n', &text.as_bytes()[..form.start]).count();
            let form = text[form].to_ascii_lowercase();
            self.gathered.forms.entry(form).or_insert_with(|| (self.path.clone(), line));
        }
        // only what would be written: the payload of a token needs no alias beside that of the token
        let mut found = self.shapes.find(text, key);
        self.patterns.find(text, &mut found);
        let found = resolve(found);
        self.gathered.found.extend(found.iter().map(|f| (f.kind, f.value.clone())));
        found
    }

    fn keep(&mut self, text: &str) {
        // what is only digits and signs names nothing
        if text.len() <= 256 && text.bytes().any(|b| b.is_ascii_alphabetic()) && !self.gathered.texts.contains(text) {
            self.gathered.texts.insert(text.into());
        }
    }

    fn text(&mut self, text: &str) {
        let first = self.line;
        let mut slow = Vec::new();
        let mut scanner = Scanner::default();
        for line in lines(text) {
            self.told(&mut scanner, &text[line.clone()]);
            if !self.pieces(&text[line.clone()]) {
                slow.push(line);
            }
            self.line += 1;
        }
        self.line = first;
        let mut counted = 0;
        for region in regions(text, &slow) {
            self.line += memchr::memchr_iter(b'\n', &text.as_bytes()[counted..region.start]).count();
            counted = region.start;
            self.region(&text[region]);
        }
        self.line = first;
    }

    /// Gathers what a line says by its place, each once.
    fn told<'t>(&mut self, scanner: &mut Scanner<'t>, line: &'t str) {
        let (claims, told) = (&mut self.gathered.claims, &mut self.told);
        scanner.line(line, &mut |place, value| {
            let (bit, known) = (1 << (place as u16), told.get(value.as_bytes()).copied().unwrap_or(0));
            if known & bit == 0 {
                told.put(value.as_bytes(), known | bit);
                claims.insert((place, value.to_owned()));
            }
        });
    }

    fn region(&mut self, text: &str) {
        let mut claims = Vec::new();
        places::text(text, &mut |place, value| claims.push((place, value.to_owned())));
        self.gathered.claims.extend(claims);
        self.look(text, "");
        split(text.as_bytes(), &mut |piece| self.keep(&text[piece]));
        for view in self.shapes.plain_views(text) {
            split(view.as_bytes(), &mut |piece| self.keep(&view[piece]));
        }
    }

    /// Gathers from a text piece by piece; whether that is enough.
    fn pieces(&mut self, text: &str) -> bool {
        let bytes = text.as_bytes();
        let mut enough = true;
        let mut last: Option<Range<usize>> = None;
        let mut attribute: Option<Range<usize>> = None;
        let disguised = split(bytes, &mut |piece| {
            if let Some(joint) = last.as_ref().and_then(|last| joint(bytes, last, &piece)) {
                match &bytes[joint.name.clone()] {
                    b"key" => attribute = Some(piece.clone()),
                    b"value" | b"stringValue" => {
                        if let Some(key) = attribute.take() {
                            self.pair(&text[key], "=", &text[piece.clone()], None);
                        }
                    }
                    name if self.may_say(name) => {
                        let between = &text[joint.name.end..piece.start];
                        self.pair(&text[joint.name], between, &text[piece.clone()], Some(&bytes[joint.whole]));
                    }
                    _ => {}
                }
            }
            enough &= self.piece(text, &piece);
            last = Some(piece);
        });
        enough && !disguised && !self.patterns.may_match(bytes)
    }

    /// Whether all is gathered from a piece.
    fn piece(&mut self, text: &str, range: &Range<usize>) -> bool {
        let piece = &text[range.clone()];
        let bytes = piece.as_bytes();
        if is_plain(bytes) {
            return true;
        }
        match self.pieces.get(bytes) {
            Some(Met::Done) => return !is_beside(text.as_bytes(), range.start, range.end),
            Some(Met::Line) => return false,
            None => {}
        }
        let met = self.judge(text, range);
        let done = matches!(met, Met::Done);
        self.pieces.put(bytes, met);
        done && !is_beside(text.as_bytes(), range.start, range.end)
    }

    fn judge(&mut self, text: &str, range: &Range<usize>) -> Met {
        let piece = &text[range.clone()];
        self.keep(piece);
        if may_hide(piece.as_bytes()) || gives_meaning(piece.as_bytes()) {
            return Met::Line;
        }
        let found = resolve(self.shapes.find(piece, ""));
        if found.iter().any(|f| f.kind == Kind::Address) {
            // a version may look like one: what stands before it decides
            let near = self.shapes.find(near(text, range), "");
            let is = |one: &Found| near.iter().any(|f| f.kind == one.kind && f.value == one.value);
            if !found.iter().filter(|f| f.kind == Kind::Address).all(is) {
                return Met::Line;
            }
        }
        self.look(piece, "");
        let mut claims = Vec::new();
        places::text(piece, &mut |place, value| claims.push((place, value.to_owned())));
        self.gathered.claims.extend(claims);
        Met::Done
    }

    /// Whether a name may say what its value is.
    fn may_say(&mut self, name: &[u8]) -> bool {
        if let Some(may) = self.names.get(name) {
            return *may;
        }
        // a value that every place takes
        let probe = format!("{}=probe-7.0123456789abcdef0123456789abcdef", String::from_utf8_lossy(name));
        let mut may = false;
        places::text(&probe, &mut |_, _| may = true);
        self.names.put(name, may);
        may
    }

    /// Gathers from a name and its value, once.
    fn pair(&mut self, name: &str, between: &str, value: &str, whole: Option<&[u8]>) {
        if let Some(whole) = whole {
            if self.pairs.get(whole).is_some() {
                return;
            }
            self.pairs.put(whole, ());
        }
        let claims = &mut self.gathered.claims;
        let (name, value) = (name.trim_start_matches('-'), value.trim_start_matches(':'));
        places::joined(name, between, value, &mut |place, value| {
            claims.insert((place, value.to_owned()));
        });
    }

    fn json_or_text(&mut self, text: &str) {
        if self.json(text).is_err() {
            self.text(text);
        }
    }

    fn json(&mut self, text: &str) -> Result<(), NoJson> {
        let json = JsonText::new(text);
        let mut run: Vec<(Token, Range<usize>)> = Vec::new();
        let mut structured = false;
        let result = json_strings(text, &mut |token, key| {
            if token.is_name && places::is_structural(&text[token.range.start + 1..token.range.end - 1]) {
                structured = true;
            }
            let of_run = token.in_array && token.is_string;
            if run.last().is_some_and(|(last, _)| !of_run || last.parent != token.parent) {
                self.json_run(&json, text, &run);
                run.clear();
            }
            if token.in_array && token.is_string {
                run.push((token, key));
            } else {
                self.json_token(&json, text, &token, key);
            }
        });
        if !run.is_empty() {
            self.json_run(&json, text, &run);
        }
        if structured && let Ok(value) = serde_json::from_str::<serde_json::Value>(text.trim_start_matches('\u{feff}'))
        {
            self.record(&value, "json");
        }
        result
    }

    /// The strings of an array may be the lines of one text, or a flag and its value.
    fn json_run(&mut self, json: &JsonText<'_>, text: &str, run: &[(Token, Range<usize>)]) {
        let mut enough = true;
        for (token, key) in run {
            enough &= self.json_token(json, text, token, key.clone());
        }
        if enough || run.len() < 2 {
            return;
        }
        let decoded: Option<Vec<_>> = run.iter().map(|(token, _)| json.decoded(inside(token))).collect();
        if let Some(lines) = decoded.filter(|lines| !lines.iter().any(|line| line.contains('\n'))) {
            let key = run.first().map(|(_, key)| &text[key.clone()]).unwrap_or_default();
            self.whole(&lines.join("\n"), key);
        }
    }

    /// Whether the pieces of a string were enough.
    fn json_token(&mut self, json: &JsonText<'_>, text: &str, token: &Token, key: Range<usize>) -> bool {
        let raw = &text[inside(token)];
        let member = &text.as_bytes()[key.start..token.range.end];
        let key = &text[key];
        if !token.is_string {
            if is_secret_name(key) {
                self.look(raw, key);
            }
            return true;
        }
        if !key.is_empty()
            && self.may_say(key.as_bytes())
            && raw.bytes().any(|b| b.is_ascii_alphabetic())
            && self.pairs.get(member).is_none()
        {
            self.pairs.put(member, ());
            let decoded = json.decoded(inside(token)).unwrap_or(raw.into());
            let claims = &mut self.gathered.claims;
            places::keyed(key, &decoded, &mut |place, value| {
                claims.insert((place, value.to_owned()));
            });
        }
        self.told(&mut Scanner::default(), raw);
        let enough = self.pieces(raw);
        if !enough || is_meant(key) {
            let decoded = json.decoded(inside(token)).unwrap_or(raw.into());
            self.whole(&decoded, key);
        }
        enough
    }
}

/// As much of a line around a piece as may say that it is no address.
fn near<'t>(text: &'t str, piece: &Range<usize>) -> &'t str {
    let start = text[..piece.start].char_indices().rev().nth(40).map_or(0, |(at, _)| at);
    let end = text[piece.end..].char_indices().nth(16).map_or(text.len(), |(at, _)| piece.end + at);
    &text[start..end]
}

/// Between the quotes.
fn inside(token: &Token) -> Range<usize> {
    if token.is_string { token.range.start + 1..token.range.end - 1 } else { token.range.clone() }
}
