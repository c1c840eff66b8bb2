//! The bytes that a reader gets: a stream with the name of its file, read whole or line by line.

use std::io::{BufRead, Read};

use crate::diag::{Diagnostic, Outcome, Place};

/// The longest line and the largest whole document that are read: above it a capture is a mistake, not a measurement.
const LARGEST_LINE: usize = 64 << 20;
const LARGEST_DOCUMENT: u64 = 1 << 30;

/// A capture as a stream.
pub struct Input<'a> {
    path: &'a str,
    stream: Box<dyn BufRead + 'a>,
}

impl std::fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Input").field("path", &self.path).finish_non_exhaustive()
    }
}

impl<'a> Input<'a> {
    /// `path` is what diagnostics call the file.
    pub fn new(path: &'a str, stream: impl BufRead + 'a) -> Self {
        Self { path, stream: Box::new(stream) }
    }

    /// What diagnostics call the file.
    pub fn path(&self) -> &'a str {
        self.path
    }

    /// Everything, as text; a byte order mark at the start is left out.
    pub fn text(self) -> Outcome<String> {
        let path = self.path;
        let mut bytes = Vec::new();
        self.stream.take(LARGEST_DOCUMENT + 1).read_to_end(&mut bytes).map_err(|e| broken(path, &e, 1))?;
        if bytes.len() as u64 > LARGEST_DOCUMENT {
            return Err(Diagnostic::error("capture-too-large", "the capture is larger than 1 GiB")
                .with_place(Place::file(path))
                .with_help("capture less, or use a format that is read line by line")
                .into());
        }
        let mut text = String::from_utf8(bytes).map_err(|error| {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = before.iter().filter(|b| **b == b'\n').count() + 1;
            let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
            not_utf8(path, line, String::from_utf8_lossy(&before[start..]).chars().count() + 1)
        })?;
        if text.starts_with('\u{feff}') {
            text.drain(..'\u{feff}'.len_utf8());
        }
        Ok(text)
    }

    /// Line by line, in memory that does not grow with the file.
    pub fn lines(self) -> Lines<'a> {
        Lines { path: self.path, stream: self.stream, line: Vec::new(), number: 0, ended: true }
    }
}

/// The lines of a capture.
pub struct Lines<'a> {
    path: &'a str,
    stream: Box<dyn BufRead + 'a>,
    line: Vec<u8>,
    number: usize,
    ended: bool,
}

impl std::fmt::Debug for Lines<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lines").field("path", &self.path).field("number", &self.number).finish_non_exhaustive()
    }
}

impl<'a> Lines<'a> {
    /// What diagnostics call the file.
    pub fn path(&self) -> &'a str {
        self.path
    }

    /// Whether the line read last had a line end: the last one of a capture that was cut off has none.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// The next line and its number from 1, without its line end (`\n` or `\r\n`).
    #[expect(clippy::should_implement_trait, reason = "the line borrows the buffer, which an Iterator cannot say")]
    pub fn next(&mut self) -> Option<Outcome<(usize, &str)>> {
        match self.next_bytes()? {
            Err(error) => Some(Err(error)),
            Ok(number) => Some(match std::str::from_utf8(&self.line) {
                Ok(line) => Ok((number, if number == 1 { line.trim_start_matches('\u{feff}') } else { line })),
                Err(error) => {
                    let good = String::from_utf8_lossy(&self.line[..error.valid_up_to()]).chars().count();
                    Err(not_utf8(self.path, number, good + 1).into())
                }
            }),
        }
    }

    fn next_bytes(&mut self) -> Option<Outcome<usize>> {
        self.line.clear();
        self.number += 1;
        let mut limited = (&mut self.stream).take(LARGEST_LINE as u64 + 1);
        match limited.read_until(b'\n', &mut self.line) {
            Err(error) => return Some(Err(broken(self.path, &error, self.number).into())),
            Ok(0) => return None,
            Ok(_) => {}
        }
        if self.line.len() > LARGEST_LINE {
            return Some(Err(Diagnostic::error("capture-too-large", "a line is longer than 64 MiB")
                .with_place(Place::at(self.path, self.number, 1))
                .with_help("this is no capture of lines: check `format`")
                .into()));
        }
        self.ended = self.line.last() == Some(&b'\n');
        if self.ended {
            self.line.pop();
            if self.line.last() == Some(&b'\r') {
                self.line.pop();
            }
        }
        Some(Ok(self.number))
    }
}

fn broken(path: &str, error: &std::io::Error, line: usize) -> Diagnostic {
    Diagnostic::error("capture-unreadable", format!("the capture breaks off: {}", error.kind()))
        .with_place(Place::at(path, line, 1))
        .with_help("it is truncated or badly packed: take it again")
}

fn not_utf8(path: &str, line: usize, column: usize) -> Diagnostic {
    Diagnostic::error("capture-not-utf8", "the capture is not UTF-8 here")
        .with_place(Place::at(path, line, column))
        .with_help("take it again in a UTF-8 locale, or convert it")
}
