//! The sweep: a block of raw text with every sensitive value replaced by its alias. Spans on the original text, the longest wins, one write.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::{
    Cache, Found, JsonText, Layout, Mask, NoJson, Token, gives_meaning, is_beside, is_meant, is_plain, is_secret_name,
    json_strings, json_write, lines, may_hide, regions, split,
};

/// The spans that are written: the longest first, then the lower kind; of a shorter one that a longer one overlaps, the rest.
pub(super) fn resolve(mut found: Vec<Found>) -> Vec<Found> {
    found.retain(|f| !f.range.is_empty());
    found.sort_by(|a, b| {
        (b.range.len(), a.range.start, a.kind, &a.value).cmp(&(a.range.len(), b.range.start, b.kind, &b.value))
    });
    let mut taken: BTreeMap<usize, Found> = BTreeMap::new();
    for mut next in found {
        if let Some((_, left)) = taken.range(..=next.range.start).next_back() {
            next.range.start = next.range.start.max(left.range.end);
        }
        if let Some((_, right)) = taken.range(next.range.start..).next() {
            next.range.end = next.range.end.min(right.range.start);
        }
        if next.range.start < next.range.end {
            taken.insert(next.range.start, next);
        }
    }
    taken.into_values().collect()
}

/// A part of a text, and what is written instead.
type Swap = (Range<usize>, Arc<str>);

/// What was decided of a piece.
enum Verdict {
    Clean,
    Swap(Vec<Swap>),
    /// It has a meaning only together with the rest of its line.
    Line,
}

/// The sweep of one thread.
pub(super) struct Sweeper<'m> {
    mask: &'m Mask,
    pieces: Cache<Verdict>,
    /// Whether what stands under a key is judged by it.
    keys: Cache<bool>,
    /// Every alias that was written.
    used: BTreeSet<Arc<str>>,
}

impl<'m> Sweeper<'m> {
    pub(super) fn new(mask: &'m Mask) -> Self {
        Self { mask, pieces: Cache::new(), keys: Cache::new(), used: BTreeSet::new() }
    }

    /// Every alias that was written.
    pub(super) fn used(&self) -> impl Iterator<Item = &str> {
        self.used.iter().map(|alias| &**alias)
    }

    /// The one copy of an alias.
    fn alias(&mut self, found: &Found) -> Arc<str> {
        let mask = self.mask;
        let alias = mask.alias(found);
        if let Some(used) = self.used.get(alias) {
            return Arc::clone(used);
        }
        let alias: Arc<str> = alias.into();
        self.used.insert(Arc::clone(&alias));
        alias
    }

    /// A text under its key, masked as a whole.
    fn whole(&mut self, text: &str, key: &str) -> String {
        let mask = self.mask;
        let swaps: Vec<Swap> = mask.found(text, key).into_iter().map(|f| (f.range.clone(), self.alias(&f))).collect();
        write(text, &swaps)
    }

    /// A block of a file of this layout, masked. It has as many lines as before.
    pub(super) fn block(&mut self, layout: Layout, text: &str) -> String {
        match layout {
            Layout::Lines | Layout::Text => self.text(text, false),
            Layout::Table => self.text(text, true),
            Layout::Json => self.json(text).unwrap_or_else(|NoJson| self.text(text, false)),
            Layout::JsonLines => {
                let mut out = String::with_capacity(text.len());
                for line in lines(text) {
                    match self.json(&text[line.clone()]) {
                        Ok(masked) => out.push_str(&masked),
                        Err(NoJson) => out.push_str(&self.text(&text[line], false)),
                    }
                }
                out
            }
        }
    }

    fn text(&mut self, text: &str, table: bool) -> String {
        let mut swaps: Vec<Swap> = Vec::new();
        let mut slow = Vec::new();
        for line in lines(text) {
            let before = swaps.len();
            if !self.line(text, line.clone(), &mut swaps) {
                swaps.truncate(before);
                slow.push(line);
            }
        }
        let regions = regions(text, &slow);
        if !regions.is_empty() {
            let mut next = regions.iter().peekable();
            swaps.retain(|(range, _)| {
                while next.next_if(|region| region.end <= range.start).is_some() {}
                next.peek().is_none_or(|region| range.start < region.start)
            });
            for region in regions {
                let found = self.mask.found(&text[region.clone()], "");
                let whole = found.into_iter().map(|f| {
                    let alias = self.alias(&f);
                    (f.range.start + region.start..f.range.end + region.start, alias)
                });
                swaps.extend(whole);
            }
            swaps.sort_by_key(|(range, _)| range.start);
        }
        let apart = |found: &Found| {
            !swaps.iter().any(|(range, _)| range.start < found.range.end && found.range.start < range.end)
        };
        let typed: Vec<Found> = self.mask.typed.in_lines(text).into_iter().filter(apart).collect();
        if !typed.is_empty() {
            swaps.extend(typed.iter().map(|f| (f.range.clone(), Arc::from(self.mask.alias(f)))));
            swaps.sort_by_key(|(range, _)| range.start);
        }
        if table { in_columns(text, &swaps) } else { write(text, &swaps) }
    }

    /// Adds what is to be swapped in a line; whether its pieces say it.
    fn line(&mut self, text: &str, line: Range<usize>, swaps: &mut Vec<Swap>) -> bool {
        let bytes = text[line.clone()].as_bytes();
        let mut enough = self.mask.is_in_pieces(bytes);
        let disguised = split(bytes, &mut |range| {
            let piece = &bytes[range.clone()];
            if !enough || is_plain(piece) {
                return;
            }
            if is_beside(bytes, range.start, range.end) {
                enough = false;
                return;
            }
            if self.pieces.get(piece).is_none() {
                let verdict = self.judge(&text[line.start + range.start..line.start + range.end]);
                if piece.len() > 256 {
                    match verdict {
                        Verdict::Clean => {}
                        Verdict::Line => enough = false,
                        Verdict::Swap(within) => add(swaps, line.start + range.start, &within),
                    }
                    return;
                }
                self.pieces.put(piece, verdict);
            }
            match self.pieces.get(piece) {
                Some(Verdict::Clean) => {}
                Some(Verdict::Swap(within)) => add(swaps, line.start + range.start, within),
                Some(Verdict::Line) | None => enough = false,
            }
        });
        enough && !disguised
    }

    fn judge(&mut self, piece: &str) -> Verdict {
        let bytes = piece.as_bytes();
        if may_hide(bytes) || gives_meaning(bytes) || self.mask.is_typed(piece) {
            return Verdict::Line;
        }
        let found = self.mask.found(piece, "");
        if found.is_empty() {
            return Verdict::Clean;
        }
        // a shape that no capture has where it counts: a version that looks like an address
        if !found.iter().all(|f| self.mask.is_listed(f)) {
            return Verdict::Line;
        }
        Verdict::Swap(found.into_iter().map(|f| (f.range.clone(), self.alias(&f))).collect())
    }

    fn json(&mut self, text: &str) -> Result<String, NoJson> {
        let json = JsonText::new(text);
        let mut run: Vec<(Token, Range<usize>)> = Vec::new();
        let mut swaps: Vec<Swap> = Vec::new();
        let mut names: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        let typed = self.mask.typed.in_json(text);
        json_strings(text, &mut |token, key| {
            let continues = run.last().is_some_and(|(last, _)| last.parent == token.parent);
            let typed = typed.get(&(token.range.start + 1));
            if !run.is_empty() && (!(continues && token.in_array && token.is_string) || typed.is_some()) {
                self.json_run(&json, text, &run, &mut swaps);
                run.clear();
            }
            if let Some(one) = typed {
                self.json_typed(text, inside(&token), one, &mut swaps);
            } else if token.in_array && token.is_string {
                run.push((token, key));
            } else if token.is_name {
                let before = swaps.len();
                self.json_string(&json, &token, "", &mut swaps);
                apart(&token, &mut swaps, before, text, &mut names);
            } else if token.is_string {
                self.json_string(&json, &token, &text[key], &mut swaps);
            } else if is_secret_name(&text[key.clone()]) {
                let masked = self.whole(&text[token.range.clone()], &text[key]);
                if masked != text[token.range.clone()] {
                    swaps.push((token.range, json_write(&masked).into()));
                }
            }
        })?;
        if !run.is_empty() {
            self.json_run(&json, text, &run, &mut swaps);
        }
        Ok(write(text, &swaps))
    }

    /// Adds what is to be swapped in a string without escapes of which the document says more than it says by itself.
    fn json_typed(&self, text: &str, string: Range<usize>, one: &Found, swaps: &mut Vec<Swap>) {
        let mut found = self.mask.found(&text[string.clone()], "");
        found.push(Found { range: one.range.start - string.start..one.range.end - string.start, ..one.clone() });
        swaps.extend(
            resolve(found)
                .iter()
                .map(|f| (f.range.start + string.start..f.range.end + string.start, Arc::from(self.mask.alias(f)))),
        );
    }

    /// The strings of an array may be the lines of one text, or a flag and its value.
    fn json_run(&mut self, json: &JsonText<'_>, text: &str, run: &[(Token, Range<usize>)], swaps: &mut Vec<Swap>) {
        let before = swaps.len();
        let mut enough = true;
        for (token, key) in run {
            enough &= self.json_string(json, token, &text[key.clone()], swaps);
        }
        if enough || run.len() < 2 {
            return;
        }
        let decoded: Option<Vec<_>> = run.iter().map(|(token, _)| json.decoded(inside(token))).collect();
        let Some(items) = decoded.filter(|lines| !lines.iter().any(|line| line.contains('\n'))) else { return };
        let key = run.first().map(|(_, key)| &text[key.clone()]).unwrap_or_default();
        let masked = self.whole(&items.join("\n"), key);
        swaps.truncate(before);
        for ((token, _), (item, masked)) in run.iter().zip(items.iter().zip(masked.split('\n'))) {
            if item != masked {
                swaps.push((token.range.clone(), json_write(masked).into()));
            }
        }
    }

    /// Adds what is to be swapped in a string; whether its pieces say it.
    fn json_string(&mut self, json: &JsonText<'_>, token: &Token, key: &str, swaps: &mut Vec<Swap>) -> bool {
        let text = json.text();
        let before = swaps.len();
        let enough = self.line(text, inside(token), swaps);
        if !enough || self.judges(key) {
            swaps.truncate(before);
            let raw = &text[inside(token)];
            let decoded = json.decoded(inside(token)).unwrap_or(raw.into());
            let masked = self.whole(&decoded, key);
            if masked != *decoded {
                swaps.push((token.range.clone(), json_write(&masked).into()));
            }
        }
        enough
    }

    fn judges(&mut self, key: &str) -> bool {
        if key.is_empty() {
            return false;
        }
        if let Some(judges) = self.keys.get(key.as_bytes()) {
            return *judges;
        }
        let judges = is_meant(key) || self.mask.is_key_of_typed(key);
        self.keys.put(key.as_bytes(), judges);
        judges
    }
}

fn add(swaps: &mut Vec<Swap>, start: usize, within: &[Swap]) {
    swaps.extend(within.iter().map(|(range, alias)| (range.start + start..range.end + start, Arc::clone(alias))));
}

/// Two names of members that are one value in two spellings: both members stay.
fn apart(
    token: &Token,
    swaps: &mut Vec<Swap>,
    before: usize,
    text: &str,
    names: &mut BTreeMap<usize, BTreeSet<String>>,
) {
    if swaps.len() == before {
        return;
    }
    let shift = |(range, alias): Swap| (range.start - token.range.start..range.end - token.range.start, alias);
    let own: Vec<Swap> = swaps.drain(before..).map(shift).collect();
    let mut name = write(&text[token.range.clone()], &own);
    let taken = names.entry(token.parent).or_default();
    while !taken.insert(name.clone()) {
        name.insert(name.len() - 1, '~');
    }
    swaps.push((token.range.clone(), name.into()));
}

/// Between the quotes.
fn inside(token: &Token) -> Range<usize> {
    if token.is_string { token.range.start + 1..token.range.end - 1 } else { token.range.clone() }
}

/// The text with each span replaced once. Line ends inside a span stay, so that no line is lost.
pub(super) fn write(text: &str, swaps: &[Swap]) -> String {
    let mut out = String::with_capacity(text.len() + swaps.len() * 4);
    let mut at = 0;
    for (range, alias) in swaps {
        out.push_str(&text[at..range.start]);
        put(&mut out, &text[range.clone()], alias);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

fn put(out: &mut String, original: &str, alias: &str) {
    out.push_str(alias);
    for (at, _) in original.match_indices('\n') {
        out.push_str(if original[..at].ends_with('\r') { "\r\n" } else { "\n" });
    }
}

/// As [`write()`], but what follows a span in its line stays in its column where there are blanks to give or to take.
fn in_columns(text: &str, swaps: &[Swap]) -> String {
    let mut out = String::with_capacity(text.len() + swaps.len() * 8);
    let mut next = swaps.iter().peekable();
    for line in lines(text) {
        let mut at = line.start;
        // by how many columns the rest stands too far to the right
        let mut excess = 0isize;
        while let Some((range, alias)) = next.next_if(|(range, _)| range.start < line.end) {
            keep_columns(&mut out, &text[at..range.start], &mut excess);
            put(&mut out, &text[range.clone()], alias);
            excess += columns(alias) - columns(&text[range.clone()]);
            at = range.end.max(at);
        }
        if at < line.end {
            keep_columns(&mut out, &text[at..line.end], &mut excess);
        }
    }
    out
}

/// What kubectl counts.
fn columns(text: &str) -> isize {
    isize::try_from(text.chars().count()).unwrap_or(isize::MAX)
}

/// Writes `text`, with fewer or more blanks in its first gap of two and more. Where there are too few to take, the rest of the row moves, as behind a
/// cell that is wider than its column.
fn keep_columns(out: &mut String, text: &str, excess: &mut isize) {
    let gap = text.find("  ").filter(|_| *excess != 0);
    let Some(gap) = gap else { return out.push_str(text) };
    let blanks = text[gap..].bytes().take_while(|b| *b == b' ').count();
    if text[gap + blanks..].trim_end().is_empty() {
        return out.push_str(text);
    }
    out.push_str(&text[..gap]);
    let left = (isize::try_from(blanks).unwrap_or(isize::MAX) - *excess).max(2);
    out.extend(std::iter::repeat_n(' ', usize::try_from(left).unwrap_or(2)));
    out.push_str(&text[gap + blanks..]);
    *excess = 0;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_kept() {
        let text = "NAME        READY   NODE\nalpha       1/1     x\nlongername  1/1     y\n";
        let swaps = |names: &[(&str, &str)]| -> Vec<Swap> {
            let at = |name: &str| text.find(name).expect("it is there");
            names.iter().map(|(name, alias)| (at(name)..at(name) + name.len(), Arc::from(*alias))).collect()
        };
        assert_eq!(
            in_columns(text, &swaps(&[("alpha", "pod-01"), ("longername", "pod-02")])),
            "NAME        READY   NODE\npod-01      1/1     x\npod-02      1/1     y\n"
        );
        assert_eq!(
            in_columns(text, &swaps(&[("alpha", "pod-01-abcdefgh")])),
            "NAME        READY   NODE\npod-01-abcdefgh  1/1     x\nlongername  1/1     y\n"
        );
    }
}
