//! `kubectl-table`: what `kubectl get`, `top` and `api-resources` print for people.

mod align;

use serde_json::{Map, Value};

use super::{Fault, Input, Layout, Reader, Record, Want, walk};
use crate::diag::{Diagnostic, Diagnostics, Outcome, Place};
use align::{Cell, Heading, NAMESPACED, align, cells};

/// The reader of `kubectl-table`.
#[derive(Debug)]
pub(super) struct KubectlTable;

/// No table for people is as wide as this.
const MOST_HEADINGS: usize = 256;

const HELP: &str = "this is read as a table of kubectl with its header: check `format`, and take out what is no row";

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

    fn layout(&self) -> Layout {
        Layout::Table
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
            let Some(first) = cells.first() else {
                fresh = true;
                return Ok(());
            };
            seen = true;
            if line.starts_with("No resources found") {
                fresh = true;
            } else if (fresh || ["NAME", "NAMESPACE"].contains(&first.text)) && is_header(&cells) {
                headings = header(line, &cells)?;
                fresh = false;
            } else if fresh {
                // Reported once: what follows has no header either.
                fresh = false;
                headings.clear();
                let message = "expected a header line in capital letters";
                return Err(Fault { at: first.at, message, help: HELP });
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

/// Headings are in capital letters, but for units in brackets: `CPU(cores)`.
fn is_header(cells: &[Cell<'_>]) -> bool {
    let is_heading = |cell: &Cell<'_>| {
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
    };
    cells.len() <= MOST_HEADINGS && cells.iter().all(is_heading)
}

fn header(line: &str, cells: &[Cell<'_>]) -> Result<Vec<Heading>, Fault> {
    let mut headings: Vec<Heading> = Vec::new();
    for cell in cells {
        if headings.iter().any(|h| h.key == cell.text) {
            let message = "expected a heading unlike the others";
            return Err(Fault { at: cell.at, message, help: "name the columns apart with `-o custom-columns`" });
        }
        headings.push(Heading::new(line, cell));
    }
    Ok(headings)
}

fn row(line: &str, cells: &[Cell<'_>], headings: &[Heading]) -> Result<Map<String, Value>, Fault> {
    let fault = |message| Fault { at: cells[0].at, message, help: HELP };
    if ["...", "[...]", "…"].contains(&line.trim()) {
        return Err(fault("expected a row where rows were left out"));
    }
    let places = align(line, cells, headings).ok_or_else(|| fault("expected cells that stand under the headings"))?;
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
            "            pod-b   0/1     a               12d   n1     b   c\n",
        ));
        assert_eq!(
            record.expect("rows"),
            json!([
                {"NAMESPACE": "kube-system", "NAME": null, "READY": "1/1", "RESTARTS": "4 (67s ago)", "AGE": "12d", "NODE": null, "READINESS GATES": "<none>"},
                {"NAMESPACE": null, "NAME": "pod-b", "READY": "0/1", "RESTARTS": "a", "AGE": "12d", "NODE": "n1", "READINESS GATES": "b   c"},
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
        assert_eq!(
            shorts,
            [json!("x"), json!("x"), json!(null), json!(null), json!("a-very-long-one"), json!("x"), json!("x")]
        );
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
            ("NAME   NOTE     AGE   NODE\na      b      4d\n", 2, 1),
            ("No resources found\nweb-1   1/1\n", 2, 1),
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
