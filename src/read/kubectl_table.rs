//! `kubectl-table`: what `kubectl get`, `top` and `api-resources` print for people.

use serde_json::{Map, Value};

use super::{Fault, Input, Reader, Record, Want, column, walk};
use crate::diag::{Diagnostic, Diagnostics, Outcome, Place};

/// The reader of `kubectl-table`.
#[derive(Debug)]
pub(super) struct KubectlTable;

const HELP: &str = "this is read as a table of kubectl with its header: check `format`, and take out what is no row";

/// The heading in `api-resources` whose cells are `true` or `false`.
const NAMESPACED: &str = "NAMESPACED";

/// A run of text between gaps of two and more blanks.
#[derive(Clone, Copy, Debug)]
struct Cell<'a> {
    text: &'a str,
    /// Where it begins in its line, in bytes.
    at: usize,
}

/// How far to the right something stands: kubectl counts characters, other tools columns of a terminal.
type Measure = fn(&str, usize) -> usize;

const MEASURES: [Measure; 2] = [|line, at| line[..at].chars().count(), column];

#[derive(Debug)]
struct Heading {
    key: String,
    at: usize,
}

impl Reader for KubectlTable {
    fn format(&self) -> &'static str {
        "kubectl-table"
    }

    fn about(&self) -> &'static str {
        "kubectl get, top, api-resources and the like in their form for people, with the header line"
    }

    fn form(&self) -> &'static str {
        "An array with an object for each row. Keys are the headings as printed (`CREATED AT`), cells are text, an \
         empty cell is `null`. Cells stand under their headings; a cell that is wider than its column moves the rest \
         of its row. A row that could be read in two ways is a mistake. In `api-resources`, what stands one blank \
         behind `true` or `false` is the KIND. A header may be repeated: the tables of `kubectl get a,b` become one \
         array. `No resources found` gives an empty array.\n\n```json\n[{\"NAME\": \"things.example.io\", \
         \"CREATED AT\": \"2025-03-13T01:24:27Z\"}, {\"NAME\": \"bindings\", \"SHORTNAMES\": null, \"APIVERSION\": \
         \"v1\", \"NAMESPACED\": \"true\", \"KIND\": \"Binding\"}]\n```\n"
    }

    fn read(&self, input: Input<'_>, _want: &Want) -> Outcome<Record> {
        let path = input.path();
        let mut rows = Vec::new();
        let mut headings: Vec<Heading> = Vec::new();
        // Whether the next line may only be a header: at the start, and behind an empty line.
        let mut fresh = true;
        let mut seen = false;
        let wrong = walk(input, "kubectl-row", |line| {
            let line = line.trim_end();
            let cells = cells(line);
            let first_block = !seen;
            seen |= !cells.is_empty();
            if cells.is_empty() {
                fresh = true;
            } else if line.starts_with("No resources found") {
                fresh = true;
            } else if is_header(&cells) && (fresh || ["NAME", "NAMESPACE"].contains(&cells[0].text)) {
                headings = header(line, &cells)?;
                fresh = false;
            } else if fresh && (first_block || !headings.is_empty()) {
                // Reported once; the rows behind it have no header either.
                headings.clear();
                return Err(Fault { at: cells[0].at, message: "expected a header line in capital letters", help: HELP });
            } else if !headings.is_empty() {
                rows.push(Value::Object(row(line, &cells, &headings)?));
            }
            Ok(())
        });
        if !seen && wrong.is_empty() {
            return Err(Diagnostics::from(
                Diagnostic::error("kubectl-row", "expected a header line, but the file is empty")
                    .with_place(Place::at(path, 1, 1))
                    .with_help("take the capture again, with the header line"),
            ));
        }
        wrong.or_value(Value::Array(rows))
    }
}

/// Splits at gaps of two and more blanks, and at tabs.
fn cells(line: &str) -> Vec<Cell<'_>> {
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

/// Headings are in capital letters, but for units in brackets: `CPU(cores)`.
fn is_header(cells: &[Cell<'_>]) -> bool {
    cells.iter().all(|cell| {
        let mut depth = 0usize;
        cell.text.starts_with(char::is_alphabetic)
            && cell.text.chars().all(|c| {
                match c {
                    '(' => depth += 1,
                    ')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                depth > 0 || !(c.is_lowercase() || "$:=\"'<>[]{}|`".contains(c))
            })
    })
}

fn header(line: &str, cells: &[Cell<'_>]) -> Result<Vec<Heading>, Fault> {
    let mut headings: Vec<Heading> = Vec::new();
    for cell in cells {
        if headings.iter().any(|h| h.key == cell.text) {
            let message = "expected a heading unlike the others";
            return Err(Fault { at: cell.at, message, help: "name the columns apart with `-o custom-columns`" });
        }
        headings.push(Heading { key: cell.text.to_owned(), at: column(line, cell.at) });
    }
    Ok(headings)
}

fn row(line: &str, cells: &[Cell<'_>], headings: &[Heading]) -> Result<Map<String, Value>, Fault> {
    let fault = |message| Fault { at: cells[0].at, message, help: HELP };
    if ["...", "[...]", "…"].contains(&line.trim()) {
        return Err(fault("expected a row where rows were left out"));
    }
    let places = MEASURES
        .iter()
        .find_map(|measure| places(line, cells, headings, *measure))
        .or_else(|| in_order(line, cells, headings))
        .ok_or_else(|| fault("expected cells that stand under the headings"))?;
    let mut spans: Vec<Option<(usize, usize)>> = vec![None; headings.len()];
    for (cell, place) in cells.iter().zip(places) {
        let end = cell.at + cell.text.len();
        let span = spans[place].get_or_insert((cell.at, end));
        span.1 = end;
    }
    let mut texts: Vec<Option<&str>> = spans.iter().map(|span| span.map(|(from, to)| &line[from..to])).collect();
    part_kind(headings, &mut texts);
    Ok(headings.iter().zip(texts).map(|(h, text)| (h.key.clone(), text.map_or(Value::Null, Value::from))).collect())
}

/// Which heading each cell belongs to, or `None` where that is in doubt.
///
/// A cell stands under its heading, or between two as the rest of a cell that holds wide gaps. One that sticks out of
/// its column moves what follows by as much.
fn places(line: &str, cells: &[Cell<'_>], headings: &[Heading], measure: Measure) -> Option<Vec<usize>> {
    let mut places: Vec<usize> = Vec::with_capacity(cells.len());
    let (mut shift, mut end) = (0, 0);
    for cell in cells {
        let at = measure(line, cell.at);
        let before = places.last().copied();
        let from = before.map_or(0, |before| before + 1);
        let next = headings.get(from).map(|h| h.at);
        let under = (from..headings.len()).find(|i| headings[*i].at + shift == at);
        // kubectl leaves three blanks; where one is left and the rest stands right, another tool drew the table.
        let room = if under.is_some() { 1 } else { 2 };
        let place = if let Some(next) = next.filter(|next| before.is_some() && end + room > next + shift) {
            // Two or three blanks part a cell that sticks out from its neighbour.
            let mut fitting = (from..headings.len())
                .filter(|i| (2..=3).contains(&at.saturating_sub((end + headings[*i].at).saturating_sub(next))));
            let only = fitting.next()?;
            if fitting.next().is_some() {
                return None;
            }
            shift = at - headings[only].at;
            only
        } else {
            under.or(before.filter(|_| next.is_none_or(|next| at < next + shift)))?
        };
        if hides_heading(line, cell, headings.get(place + 1).map(|h| h.at + shift), measure)
            && headings[place].key != NAMESPACED
        {
            return None;
        }
        places.push(place);
        end = measure(line, cell.at + cell.text.len());
    }
    Some(places)
}

/// A row out of step with its header still says what is what if it has a cell for every heading.
fn in_order(line: &str, cells: &[Cell<'_>], headings: &[Heading]) -> Option<Vec<usize>> {
    let hides = |cell: &Cell<'_>| {
        MEASURES.iter().any(|measure| headings.iter().any(|h| hides_heading(line, cell, Some(h.at), *measure)))
    };
    (cells.len() == headings.len() && !cells.iter().any(hides)).then(|| (0..cells.len()).collect())
}

/// Whether a word inside a cell begins under the next heading: then one blank parts two cells, or none at all.
fn hides_heading(line: &str, cell: &Cell<'_>, heading: Option<usize>, measure: Measure) -> bool {
    let Some(heading) = heading else { return false };
    let end = cell.at + cell.text.len();
    measure(line, end) > heading
        && cell.text.match_indices(' ').any(|(blank, _)| measure(line, cell.at + blank + 1) == heading)
}

/// NAMESPACED is `true` or `false`: a word behind it belongs to KIND, although it stands out of step with its heading.
fn part_kind(headings: &[Heading], texts: &mut [Option<&str>]) {
    let find = |name| headings.iter().position(|h| h.key == name);
    let (Some(from), Some(to)) = (find(NAMESPACED), find("KIND")) else { return };
    if let (Some((flag @ ("true" | "false"), kind)), None) = (texts[from].and_then(|t| t.split_once(' ')), texts[to]) {
        texts[from] = Some(flag);
        texts[to] = Some(kind.trim_start());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Outcome<Record> {
        KubectlTable.read(Input::new("x.txt", text.as_bytes()), &Want::default())
    }

    #[test]
    fn cells_stand_under_their_headings() {
        let record = read(concat!(
            "NAMESPACE   NAME    READY   RESTARTS        AGE   NODE   READINESS GATES\n",
            "kube-system         1/1     4 (67s ago)     12d          <none>\n",
            "            pod-b   0/1     a  b            12d   n1\n",
        ));
        assert_eq!(
            record.expect("rows"),
            json!([
                {"NAMESPACE": "kube-system", "NAME": null, "READY": "1/1", "RESTARTS": "4 (67s ago)", "AGE": "12d", "NODE": null, "READINESS GATES": "<none>"},
                {"NAMESPACE": null, "NAME": "pod-b", "READY": "0/1", "RESTARTS": "a  b", "AGE": "12d", "NODE": "n1", "READINESS GATES": null},
            ])
        );
    }

    #[test]
    fn wide_cells_move_the_rest() {
        let text = concat!(
            "NAME     SHORT   VERSION   KIND\n",
            "a        x       v1        A\n",
            "a-very-long-name   x       v1        A\n",
            "a-very-long-name           v1        A\n",
            "a-very-long-name                     A\n",
            "a        a-very-long-one   v1        A\n",
            "한국어   x       v1        A\n",
            "한국어      x       v1        A\n",
        );
        let rows = read(text).expect("rows");
        let shorts: Vec<_> = rows.as_array().expect("rows").iter().map(|r| r["SHORT"].clone()).collect();
        assert_eq!(shorts, [json!("x"), json!("x"), json!(null), json!(null), json!("a-very-long-one"), json!("x"), json!("x")]);
        let versions: Vec<_> = rows.as_array().expect("rows").iter().map(|r| r["VERSION"].clone()).collect();
        let v1 = json!("v1");
        assert_eq!(versions, [v1.clone(), v1.clone(), v1.clone(), json!(null), v1.clone(), v1.clone(), v1]);
        let wrong = read("NAME     SHORT   VERSION   KIND\na-very-long-name     v1\n").expect_err("out of step");
        assert_eq!(wrong.iter().next().and_then(|d| d.place()).and_then(|p| p.line()), Some(2));
    }

    #[test]
    fn tables_follow_each_other() {
        let one = read("NAME    READY\npod/a   1/1\n\nNAME    TYPE\nsvc/a   ClusterIP\n").expect("two tables");
        assert_eq!(one, json!([{"NAME": "pod/a", "READY": "1/1"}, {"NAME": "svc/a", "TYPE": "ClusterIP"}]));
        assert_eq!(read("No resources found in default namespace.\n").expect("none"), json!([]));
        assert_eq!(read("NAME   READY\n").expect("none"), json!([]));
    }

    #[test]
    fn what_is_no_table_is_refused() {
        for (text, line, column) in [
            ("", 1, 1),
            ("$ kubectl get nodes\nNAME   STATUS\n", 1, 1),
            ("kub-1   Ready\n", 1, 1),
            ("Error from server (NotFound)\n", 1, 1),
            ("NAME   NAME\n", 1, 8),
            ("NAME   STATUS\nkub-1  Ready  x\n\n```\n", 4, 1),
            ("NAMESPACE   NAME    READY\nkube-system pod-a   1/1\n", 2, 1),
            ("NAMESPACE   NAME    READY\nkube-system pod-a\n", 2, 1),
            ("   NAME   CREATED AT\n   [...]\n", 2, 4),
        ] {
            let wrong = read(text).expect_err(text);
            let place = wrong.iter().next().and_then(|d| d.place()).expect("a place");
            assert_eq!((place.line(), place.column()), (Some(line), Some(column)), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(\\PC|\n|\t){0,200}") {
            let _ = read(&text);
            let _ = read(&format!("NAME   READY      CREATED AT\n{text}"));
        }

        #[test]
        fn what_was_printed_is_read_back(rows in prop::collection::vec(prop::collection::vec("([a-z0-9/]{1,12}( [a-z(]{1,5}){0,2})?", 4), 1..6)) {
            let headings = ["NAME", "SHORT NAME", "X", "AGE"];
            let rows: Vec<_> = rows.into_iter().filter(|r| r.iter().any(|c| !c.is_empty())).collect();
            let width = |i: usize| rows.iter().map(|r| r[i].len()).max().unwrap_or(0).max(headings[i].len()) + 3;
            let mut text = String::new();
            for cells in std::iter::once(headings.map(str::to_owned).to_vec()).chain(rows.iter().cloned()) {
                for (i, cell) in cells.iter().enumerate() {
                    text.push_str(&format!("{cell:<w$}", w = width(i)));
                }
                text = text.trim_end().to_owned() + "\n";
            }
            let expected: Vec<_> = rows.iter().map(|r| {
                let cell = |i: usize| if r[i].is_empty() { Value::Null } else { Value::from(r[i].as_str()) };
                json!({"NAME": cell(0), "SHORT NAME": cell(1), "X": cell(2), "AGE": cell(3)})
            }).collect();
            prop_assert_eq!(read(&text).expect("a table"), Value::Array(expected));
        }
    }
}
