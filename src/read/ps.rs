//! `ps`: the table of processes, with any `-o` list that prints a header line.

use serde_json::{Map, Value};

use super::{Fault, Input, Layout, Reader, Record, Want, Word, column, walk, words};
use crate::diag::{Diagnostic, Diagnostics, Outcome, Place};

/// The reader of `ps`.
#[derive(Debug)]
pub(super) struct Ps;

/// One of these is in every header that makes a table of processes.
const NAMES: &[&str] = &[
    "PID", "PPID", "PGID", "SID", "TID", "LWP", "USER", "UID", "COMMAND", "CMD", "ARGS", "RSS", "VSZ", "%CPU", "%MEM",
    "STAT", "TTY", "STARTED", "ELAPSED",
];

/// `ps` knows about a hundred columns.
const MOST_HEADINGS: usize = 256;

const COMMANDS: &[&str] = &["COMMAND", "CMD", "ARGS"];
const WEEKDAYS: &[&str] = &["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MONTHS: &[&str] = &["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const HELP: &str = "this is read as the output of `ps`: check `format`, and take out what is no part of it";

/// How the words of a cell are told from those of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// One word.
    Word,
    /// One word, a whole number that stays one.
    Id,
    /// One word, `-` or a number.
    Amount,
    /// A time of day, a day (`Oct 26`), or both with weekday and year.
    Time,
    /// A name of a user, which may hold blanks.
    Name,
    /// The name of a program, which may hold blanks.
    Program,
}

#[derive(Debug)]
struct Column {
    key: String,
    kind: Kind,
    /// Where its heading begins and ends, in columns of a terminal.
    start: usize,
    end: usize,
}

impl Reader for Ps {
    fn format(&self) -> &'static str {
        "ps"
    }

    fn about(&self) -> &'static str {
        "ps aux, ps -ef, ps -eo LIST and the like, with the header line"
    }

    fn form(&self) -> &'static str {
        "An array with an object for each process. Keys are the headings in lower case; COMMAND, CMD or ARGS is `args` \
         where it is the last column and `comm` where it is not. `pid` and `ppid` are numbers, every other cell is \
         text as printed (`-` and `?` too, and `uid`, which may be a name). The last column takes the rest of its \
         line. Every heading must be unlike the others: give a name of your own with `ps -o lstart=LSTART`, in \
         capital letters.\n\n```json\n[{\"pid\": 14, \"user\": \"root\", \"comm\": \"containerd\", \"args\": \
         \"/usr/bin/containerd --log-level info\"}]\n```\n"
    }

    fn layout(&self) -> Layout {
        Layout::Text
    }

    fn read(&self, input: Input<'_>, _want: &Want) -> Outcome<Record> {
        let path = input.path();
        let mut heading = String::new();
        let mut columns: Vec<Column> = Vec::new();
        let mut rows = Vec::new();
        let wrong = walk(input, "ps-row", |line| {
            let line = line.trim_end();
            if line.is_empty() {
                // `ps` prints no empty line; a capture may end with one.
            } else if heading.is_empty() {
                heading = line.to_owned();
                columns = header(line)?;
            } else if !columns.is_empty() && line != heading {
                rows.push(Value::Object(row(line, &columns)?));
            }
            Ok(())
        });
        if heading.is_empty() && wrong.is_empty() {
            return Err(Diagnostics::from(
                Diagnostic::error("ps-row", "expected a header line, but the file is empty")
                    .with_place(Place::at(path, 1, 1))
                    .with_help("take the capture again, with the header line"),
            ));
        }
        wrong.or_value(Value::Array(rows))
    }
}

fn header(line: &str) -> Result<Vec<Column>, Fault> {
    let all: Vec<Word<'_>> = words(line).collect();
    let is_heading =
        |w: &Word<'_>| w.text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b"%_+-./:".contains(&b));
    if let Some(word) = all.iter().find(|w| !is_heading(w)) {
        let message = "expected the header line of `ps`, in capital letters";
        return Err(Fault {
            at: word.start,
            message,
            help: "take the capture again with the header line, not with `-o NAME=`",
        });
    }
    if all.len() > MOST_HEADINGS || !all.iter().any(|w| NAMES.contains(&w.text)) {
        return Err(Fault { at: 0, message: "expected the header line of `ps`, such as PID or COMMAND", help: HELP });
    }
    let mut columns: Vec<Column> = Vec::new();
    for (i, word) in all.iter().enumerate() {
        let last = i + 1 == all.len();
        let key = match (COMMANDS.contains(&word.text), last) {
            (true, true) => "args".to_owned(),
            (true, false) => "comm".to_owned(),
            (false, _) => word.text.to_ascii_lowercase(),
        };
        if columns.iter().any(|c| c.key == key) {
            let help = "name it with `ps -o lstart=LSTART`, in capital letters";
            return Err(Fault { at: word.start, message: "expected a heading unlike the others", help });
        }
        let kind = match word.text {
            "PID" | "PPID" => Kind::Id,
            "%CPU" | "%MEM" | "VSZ" | "RSS" => Kind::Amount,
            "START" | "STARTED" | "STIME" | "LSTART" => Kind::Time,
            name if COMMANDS.contains(&name) || name == "UCMD" || name == "COMM" => Kind::Program,
            name if name.ends_with("USER") || name.ends_with("GROUP") || name == "UID" => Kind::Name,
            _ => Kind::Word,
        };
        columns.push(Column { key, kind, start: column(line, word.start), end: column(line, word.end()) });
    }
    Ok(columns)
}

fn row(line: &str, columns: &[Column]) -> Result<Map<String, Value>, Fault> {
    let words: Vec<Word<'_>> = words(line).collect();
    let mut cells = Map::new();
    let mut at = 0;
    for (i, column) in columns.iter().enumerate() {
        let last = i + 1 == columns.len();
        let Some(word) = words.get(at) else {
            if last && column.kind == Kind::Program {
                // A process may have set its title to nothing.
                cells.insert(column.key.clone(), Value::from(""));
                break;
            }
            return Err(Fault { at: line.len(), message: "expected a cell for every heading", help: HELP });
        };
        let fault = |message| Fault { at: word.start, message, help: HELP };
        let count = match (last, column.kind) {
            (true, _) => words.len() - at,
            (false, Kind::Time) => time(&words[at..]).ok_or_else(|| fault("expected a time or a date"))?,
            (false, Kind::Name | Kind::Program) => text(line, &words[at..], &columns[i..])
                .ok_or_else(|| fault("expected a cell that ends where the next heading's begins"))?,
            (false, _) => 1,
        };
        let cell = &line[word.start..words[at + count - 1].end()];
        let value = match column.kind {
            Kind::Id => Value::from(cell.parse::<u64>().map_err(|_| fault("expected the number of a process"))?),
            Kind::Amount if cell != "-" && !cell.starts_with(|c: char| c.is_ascii_digit()) => {
                return Err(fault("expected a number or `-`"));
            }
            _ => Value::from(cell),
        };
        cells.insert(column.key.clone(), value);
        at += count;
    }
    Ok(cells)
}

/// How many words make a time: one (`10:09`, `Oct26`), two (`Oct 26`), or five (`Thu Oct  5 12:00:00 2026`).
fn time(words: &[Word<'_>]) -> Option<usize> {
    let word = |i: usize| words.get(i).map_or("", |w| w.text);
    let is_day = |t: &str| (1..=2).contains(&t.len()) && t.bytes().all(|b| b.is_ascii_digit());
    let is_date = |a: &str, b: &str| MONTHS.contains(&a) && is_day(b);
    if WEEKDAYS.contains(&word(0)) {
        let date = is_date(word(1), word(2)) || is_date(word(2), word(1));
        let year = word(4).len() == 4 && word(4).bytes().all(|b| b.is_ascii_digit());
        return (date && word(3).contains(':') && year).then_some(5);
    }
    if MONTHS.contains(&word(0)) {
        return is_day(word(1)).then_some(2);
    }
    Some(1)
}

/// How many words a name takes: up to the word that stands under the next heading. `ps` aligns words to the left and
/// numbers to the right, and an earlier cell that is too wide moves the rest of its line.
fn text(line: &str, words: &[Word<'_>], columns: &[Column]) -> Option<usize> {
    let (this, next) = (&columns[0], &columns[1]);
    let shift = column(line, words[0].start).checked_sub(this.start);
    let under = shift.and_then(|shift| {
        let mut i = 1;
        while i < words.len() && column(line, words[i].start) <= next.end + shift {
            let length = if next.kind == Kind::Time { time(&words[i..]) } else { Some(1) };
            let end = length.map(|length| column(line, words[i + length - 1].end()));
            if column(line, words[i].start) == next.start + shift
                || (columns.len() > 2 && end == Some(next.end + shift))
            {
                return Some(i);
            }
            i += 1;
        }
        None
    });
    match this.kind {
        Kind::Name if words[0].text.bytes().all(|b| b.is_ascii_digit()) => Some(1),
        // A name too wide for its column moves the rest; names with blanks are cut to fit.
        Kind::Name => Some(under.unwrap_or(1)),
        _ => under,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Outcome<Record> {
        Ps.read(Input::new("ps.txt", text.as_bytes()), &Want::default())
    }

    #[test]
    fn names_with_blanks_end_under_the_next_heading() {
        let record = read(concat!(
            "    PID USER             COMMAND         COMMAND\n",
            "      1 root             systemd         /sbin/init splash  -x \n",
            "     40 domain us+       tmux: server    tmux new  -s a\n",
            "1234567890 root             tmux: server    tmux\n",
        ));
        assert_eq!(
            record.expect("processes"),
            json!([
                {"pid": 1, "user": "root", "comm": "systemd", "args": "/sbin/init splash  -x"},
                {"pid": 40, "user": "domain us+", "comm": "tmux: server", "args": "tmux new  -s a"},
                {"pid": 1_234_567_890, "user": "root", "comm": "tmux: server", "args": "tmux"},
            ])
        );
    }

    #[test]
    fn times_hold_blanks() {
        let wrong =
            read("  PID                  STARTED CMD\n   14 Mon x 5 12:00:00 2026 [kworker]\n").expect_err("no time");
        assert_eq!(wrong.iter().next().and_then(|d| d.place()).and_then(|p| p.column()), Some(7));
        let record =
            read("COMM                      STARTED START  COMMAND\na b      Mon Oct  5 12:00:00 2026 Oct 26 x y\n");
        assert_eq!(
            record.expect("times"),
            json!([{"comm": "a b", "started": "Mon Oct  5 12:00:00 2026", "start": "Oct 26", "args": "x y"}])
        );
    }

    #[test]
    fn tables_without_header_are_refused() {
        for (text, line, column) in [
            ("", 1, 1),
            ("    1 root     /sbin/init\n", 1, 7),
            ("$ ps aux\n", 1, 1),
            ("error: unsupported option\n", 1, 1),
            ("PID CMD\n1 a\nx b\n", 3, 1),
            ("PID USER CMD\n1\n", 2, 2),
            ("PID PID CMD\n1 1 a\n", 1, 5),
            ("NAME READY\n", 1, 1),
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
        }

        #[test]
        fn any_row_is_read_or_refused(rows in "(Mon|Oct|[0-9]{1,5}|[a-zé걸]{1,4}|\n| {1,9}){0,60}") {
            let _ = read(&format!("  PID USER     COMM           STARTED TIME CMD\n{rows}"));
        }

        #[test]
        fn what_was_printed_is_read_back(pid in 1u64..4_194_304, user in "[a-z]{1,8}", comm in "[a-z]{1,5}( [a-z]{1,5}){0,2}", args in "[!-~]{1,9}( {1,3}[!-~]{1,9}){0,4}") {
            let record = read(&format!("{:>7} {:<8} {:<17} {}\n{pid:>7} {user:<8} {comm:<17} {args}\n", "PID", "USER", "COMMAND", "COMMAND"));
            prop_assert_eq!(record.expect("a process"), json!([{"pid": pid, "user": user, "comm": comm, "args": args}]));
        }
    }
}
