//! What is wrong with one capture: the first twenty mistakes, so that a wrong `format` does not give a million.

use crate::diag::{Diagnostic, Diagnostics, Outcome, Place};

/// More than this many help nobody.
const MOST: usize = 20;

/// Mistakes of one capture, in order.
#[derive(Debug, Default)]
pub(super) struct Findings {
    found: Diagnostics,
    more: bool,
}

impl Findings {
    /// Adds one, or only notes that there are more.
    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        if self.found.len() >= MOST {
            self.more = true;
        } else {
            self.found.push(diagnostic);
        }
    }

    /// Adds what ended the reading, whatever was found before.
    pub(super) fn end(mut self, last: Diagnostics) -> Diagnostics {
        self.found.extend(last);
        self.found
    }

    /// Whether nothing was found.
    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Whether more was found than is shown: there is no need to look on.
    pub(super) fn is_over(&self) -> bool {
        self.more
    }

    /// `value`, unless something was found; `path` is what the capture is called.
    pub(super) fn or_value<T>(mut self, path: &str, value: T) -> Outcome<T> {
        self.found = self.found.sorted();
        if self.more {
            self.found.push(
                Diagnostic::error("capture-more", format!("more is wrong: only the first {MOST} mistakes are shown"))
                    .with_place(Place::file(path))
                    .with_help("check that `format` fits the file"),
            );
        }
        self.found.or_value(value)
    }
}
