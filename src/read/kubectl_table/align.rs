//! Which cell of a row belongs to which heading, by where both stand.

use crate::read::column;

/// The heading in `api-resources` whose cells are `true` or `false`.
pub(super) const NAMESPACED: &str = "NAMESPACED";

/// A run of text between gaps of two and more blanks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell<'a> {
    pub(super) text: &'a str,
    /// Where it begins in its line, in bytes.
    pub(super) at: usize,
}

/// A heading, and where it begins by each measure.
#[derive(Debug)]
pub(super) struct Heading {
    pub(super) key: String,
    at: [usize; MEASURES.len()],
}

/// How far to the right something stands: kubectl counts characters, other tools columns of a terminal.
type Measure = fn(&str, usize) -> usize;

const MEASURES: [Measure; 2] = [|line, at| line[..at].chars().count(), column];

impl Heading {
    /// The heading that is a cell of the header line.
    pub(super) fn new(line: &str, cell: &Cell<'_>) -> Self {
        Self { key: cell.text.to_owned(), at: MEASURES.map(|measure| measure(line, cell.at)) }
    }
}

/// Splits at gaps of two and more blanks, and at tabs.
pub(super) fn cells(line: &str) -> Vec<Cell<'_>> {
    let mut found = Vec::new();
    let mut start = None;
    let mut end = 0;
    for (at, c) in line.char_indices() {
        if c == ' ' || c == '\t' {
            continue;
        }
        let gap = &line[end..at];
        if gap.len() > 1 || gap == "\t" {
            found.extend(start.take().map(|from: usize| Cell { text: &line[from..end], at: from }));
        }
        start.get_or_insert(at);
        end = at + c.len_utf8();
    }
    found.extend(start.map(|from| Cell { text: &line[from..end], at: from }));
    found
}

/// The number of the heading of each cell, or `None` where it is in doubt.
pub(super) fn align(line: &str, cells: &[Cell<'_>], headings: &[Heading]) -> Option<Vec<usize>> {
    let row = Row { line, cells, headings };
    (0..MEASURES.len()).find_map(|by| row.places(by)).or_else(|| row.in_order())
}

#[derive(Debug)]
struct Row<'a> {
    line: &'a str,
    cells: &'a [Cell<'a>],
    headings: &'a [Heading],
}

impl Row<'_> {
    /// The headings of the cells by one of the measures.
    ///
    /// A cell stands under its heading. One that sticks out of its column moves what follows by as much. One that
    /// stands between two headings is the rest of the cell before it, if that is the last or no heading is without one.
    fn places(&self, by: usize) -> Option<Vec<usize>> {
        let heading = |i: usize| self.headings.get(i).map(|h| h.at[by]);
        let mut places: Vec<usize> = Vec::with_capacity(self.cells.len());
        let (mut shift, mut end, mut doubt) = (0, 0, false);
        for cell in self.cells {
            let before = places.last().copied();
            let from = before.map_or(0, |before| before + 1);
            let Some(next) = heading(from) else {
                places.push(before?);
                continue;
            };
            let at = MEASURES[by](self.line, cell.at);
            let under = (from..self.headings.len()).find(|i| heading(*i).is_some_and(|h| h + shift == at));
            // kubectl leaves three blanks; where one is left and the rest stands right, another tool drew the table.
            let room = if under.is_some() { 1 } else { 2 };
            let place = if before.is_some() && end + room > next + shift {
                let only = self.behind(end, at, (from, by))?;
                shift = at - heading(only)?;
                only
            } else {
                doubt |= under.is_none();
                under.or(before.filter(|_| at < next + shift))?
            };
            let hides = heading(place + 1).is_some_and(|h| self.hides(cell, h + shift, by));
            if hides && self.headings[place].key != NAMESPACED {
                return None;
            }
            places.push(place);
            end = MEASURES[by](self.line, cell.at + cell.text.len());
        }
        let filled = || (0..self.headings.len()).all(|i| places.contains(&i));
        (!doubt || filled()).then_some(places)
    }

    /// The one heading from which a cell at `at` was moved by a cell that sticks out to `end`: two or three blanks part
    /// the two, and every column that is empty between them has its width.
    fn behind(&self, end: usize, at: usize, (from, by): (usize, usize)) -> Option<usize> {
        let next = self.headings[from].at[by];
        let gap = |i: &usize| at.saturating_sub((end + self.headings[*i].at[by]).saturating_sub(next));
        let mut fitting = (from..self.headings.len()).filter(|i| (2..=3).contains(&gap(i)));
        let only = fitting.next()?;
        fitting.next().is_none().then_some(only)
    }

    /// A row out of step with its header still says what is what if it has a cell for every heading.
    fn in_order(&self) -> Option<Vec<usize>> {
        let hides = |cell: &Cell<'_>| {
            (0..MEASURES.len()).any(|by| self.headings.iter().any(|h| self.hides(cell, h.at[by], by)))
        };
        let all = self.cells.len() == self.headings.len() && !self.cells.iter().any(hides);
        all.then(|| (0..self.cells.len()).collect())
    }

    /// Whether a word inside a cell begins under a heading: then one blank may part two cells, and may not.
    fn hides(&self, cell: &Cell<'_>, heading: usize, by: usize) -> bool {
        let blanks = cell.text.match_indices(' ').map(|(blank, _)| MEASURES[by](self.line, cell.at + blank + 1));
        blanks.take_while(|at| *at <= heading).any(|at| at == heading)
    }
}
