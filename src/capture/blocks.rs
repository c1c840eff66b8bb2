//! A stream as blocks of whole lines, so that memory does not grow with a file.

use std::io::BufRead;

use crate::diag::{Diagnostic, Outcome, Place};

/// Large enough that what is done once a block does not count.
const BLOCK: usize = 1 << 20;

/// The longest line, and the longest key or certificate, that is kept together.
const LONGEST: usize = 64 << 20;

/// The largest document that is taken whole.
const LARGEST_DOCUMENT: usize = 1 << 30;

/// Lines that follow each other in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The number of the first line, from 1.
    pub line: usize,
    /// The lines with their line ends.
    pub text: String,
}

/// The blocks of a stream in their order.
pub struct Blocks {
    path: String,
    stream: Box<dyn BufRead>,
    whole: bool,
    line: usize,
    /// What was read after the last line end.
    rest: Vec<u8>,
}

impl std::fmt::Debug for Blocks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Blocks").field("path", &self.path).field("line", &self.line).finish_non_exhaustive()
    }
}

impl Blocks {
    /// Blocks of lines. `path` is what diagnostics call the file.
    pub fn of_lines(path: &str, stream: Box<dyn BufRead>) -> Self {
        Self { path: path.to_owned(), stream, whole: false, line: 1, rest: Vec::new() }
    }

    /// The whole stream as one block.
    pub fn of_document(path: &str, stream: Box<dyn BufRead>) -> Self {
        Self { whole: true, ..Self::of_lines(path, stream) }
    }

    /// The next block; none at the end.
    #[expect(clippy::should_implement_trait, reason = "an error ends the blocks, which an Iterator does not say")]
    pub fn next(&mut self) -> Outcome<Option<Block>> {
        let mut bytes = std::mem::take(&mut self.rest);
        let mut sought = 0;
        loop {
            let full = self.whole || bytes.len() < BLOCK;
            let end = if full { None } else { cut(&bytes, sought) };
            if let Some(end) = end {
                self.rest = bytes.split_off(end);
                break;
            }
            sought = bytes.len();
            let limit = if self.whole { LARGEST_DOCUMENT } else { LONGEST };
            if bytes.len() > limit {
                return Err(self.too_large().into());
            }
            let read = self.stream.fill_buf().map_err(|error| {
                Diagnostic::error("capture-unreadable", format!("the capture breaks off: {}", error.kind()))
                    .with_place(Place::file(self.path.as_str()))
                    .with_help("it is truncated or badly packed: take it again")
            })?;
            if read.is_empty() {
                break;
            }
            bytes.extend_from_slice(read);
            let length = read.len();
            self.stream.consume(length);
        }
        if bytes.is_empty() {
            return Ok(None);
        }
        let line = self.line;
        self.line += memchr::memchr_iter(b'\n', &bytes).count();
        let text = String::from_utf8(bytes).map_err(|error| {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let start = memchr::memrchr(b'\n', before).map_or(0, |i| i + 1);
            let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
            Diagnostic::error("capture-not-utf8", "the capture is not UTF-8 here")
                .with_place(Place::at(self.path.as_str(), line + memchr::memchr_iter(b'\n', before).count(), column))
                .with_help("take it again in a UTF-8 locale, or convert it")
        })?;
        Ok(Some(Block { line, text }))
    }

    fn too_large(&self) -> Diagnostic {
        let (message, help) = match self.whole {
            true => ("the capture is larger than 1 GiB", "capture less, or use a format that is read line by line"),
            false => ("a line is longer than 64 MiB", "this is no capture of lines: check `format`"),
        };
        Diagnostic::error("capture-too-large", message)
            .with_place(Place::at(self.path.as_str(), self.line, 1))
            .with_help(help)
    }
}

/// Behind which line end a block is cut: not within a key or a certificate. Bytes before `sought` were looked at.
fn cut(bytes: &[u8], sought: usize) -> Option<usize> {
    let last = memchr::memrchr(b'\n', &bytes[sought..]).map(|i| sought + i + 1)?;
    let begun = memchr::memmem::rfind(&bytes[..last], b"-----BEGIN ");
    match begun {
        Some(at) if memchr::memmem::find(&bytes[at..last], b"-----END ").is_none() && last - at < LONGEST / 64 => {
            memchr::memrchr(b'\n', &bytes[..at]).map(|i| i + 1)
        }
        _ => Some(last),
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn all(mut blocks: Blocks) -> Vec<Block> {
        std::iter::from_fn(|| blocks.next().expect("readable")).collect()
    }

    fn stream(text: &str) -> Box<dyn BufRead> {
        Box::new(BufReader::with_capacity(7000, std::io::Cursor::new(text.as_bytes().to_vec())))
    }

    #[test]
    fn blocks_are_whole_lines_and_nothing_is_lost() {
        let text = "세 줄\r\n둘째 line\n\n".repeat(100_000) + "no end";
        let blocks = all(Blocks::of_lines("x", stream(&text)));
        assert!(blocks.len() > 2);
        assert_eq!(blocks.iter().map(|b| b.text.as_str()).collect::<String>(), text);
        let mut line = 1;
        for block in &blocks {
            assert_eq!(block.line, line);
            line += block.text.matches('\n').count();
        }
        assert!(blocks[..blocks.len() - 1].iter().all(|b| b.text.ends_with('\n')));
        assert_eq!(all(Blocks::of_document("x", stream(&text))).len(), 1);
        assert!(all(Blocks::of_lines("x", stream(""))).is_empty());
    }

    #[test]
    fn a_certificate_stays_in_one_block() {
        let body = "QUJD\n".repeat(500);
        let text =
            "x\n".repeat(BLOCK / 2 - 200) + "-----BEGIN CERTIFICATE-----\n" + &body + "-----END CERTIFICATE-----\ny\n";
        let blocks = all(Blocks::of_lines("x", stream(&text)));
        assert_eq!(blocks.len(), 2);
        assert!(blocks[1].text.starts_with("-----BEGIN"));
    }

    #[test]
    fn what_is_not_utf8_is_told_by_line_and_column() {
        let broken: Box<dyn BufRead> = Box::new(std::io::Cursor::new(b"a\nb\xffc\n".to_vec()));
        let wrong = Blocks::of_lines("x", broken).next().expect_err("not UTF-8");
        let place = wrong.iter().next().and_then(Diagnostic::place).expect("a place");
        assert_eq!((place.line(), place.column()), (Some(2), Some(2)));
    }
}
