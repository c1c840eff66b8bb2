//! What is wrong with a line, by which format, and where.

use super::{Diagnostic, Dialect, Findings, Place};

/// What is wrong at a byte of a line. The words are ours, nothing of the line is in them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flaw {
    pub(super) at: usize,
    pub(super) code: &'static str,
    pub(super) message: &'static str,
    pub(super) help: &'static str,
}

/// What is wrong by either format; which one counts is known at the end.
pub(super) struct Wrong<'p> {
    pub(super) path: &'p str,
    pub(super) plain: Findings,
    pub(super) openmetrics: Findings,
}

impl Wrong<'_> {
    pub(super) fn note(&mut self, plain: Option<Flaw>, openmetrics: Option<Flaw>, (number, line): (usize, &str)) {
        for (findings, flaw) in [(&mut self.plain, plain), (&mut self.openmetrics, openmetrics)] {
            if let Some(flaw) = flaw.filter(|_| !findings.is_over()) {
                findings.push(flaw.in_line(self.path, number, line));
            }
        }
    }

    /// Whether enough is wrong by both.
    pub(super) fn is_over(&self) -> bool {
        self.plain.is_over() && self.openmetrics.is_over()
    }

    pub(super) fn of(self, dialect: Dialect) -> Findings {
        match dialect {
            Dialect::Plain => self.plain,
            Dialect::OpenMetrics => self.openmetrics,
        }
    }
}

impl Flaw {
    pub(super) fn in_line(self, path: &str, number: usize, line: &str) -> Diagnostic {
        self.at(path, number, column(line, self.at))
    }

    /// `column` is in characters, from 0.
    pub(super) fn at(self, path: &str, number: usize, column: usize) -> Diagnostic {
        Diagnostic::error(self.code, self.message).with_place(Place::at(path, number, column + 1)).with_help(self.help)
    }
}

/// A byte of a line as a character, both from 0.
pub(super) fn column(line: &str, at: usize) -> usize {
    line.get(..at).unwrap_or(line).chars().count()
}

pub(super) fn after_eof() -> Flaw {
    let help = "`# EOF` is the last line of an OpenMetrics file: do not join captures";
    Flaw { at: 0, code: "exposition-end", message: "something follows `# EOF`", help }
}

/// `x 3.14` may be the beginning of `x 3.1415`. Of many lines a last one without its end is common: shells cut it off.
pub(super) fn unfinished() -> Flaw {
    let help = "end the line if it is whole, or take the capture again";
    Flaw { at: 0, code: "exposition-end", message: "the only line does not end: nothing shows that it is whole", help }
}
