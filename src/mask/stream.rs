//! The masked text of a capture as a stream, so that a reader never sees a raw byte.

use std::borrow::Cow;
use std::io::{BufRead, Read};
use std::sync::{Arc, Mutex};

use super::{Block, Blocks, Diagnostic, Diagnostics, Layout, Mask, Outcome, Sweeper, Verifier, threads};

/// Where the blocks of a file come from.
#[derive(Debug)]
pub enum Source<'a> {
    /// They were kept since the survey.
    Kept(&'a [Block]),
    /// They are read again.
    Read(Blocks),
}

/// What ended a stream before its time.
#[derive(Clone, Default)]
pub(super) struct Failure(Arc<Mutex<Option<Diagnostics>>>);

impl Failure {
    pub(super) fn take(&self) -> Option<Diagnostics> {
        self.0.lock().ok()?.take()
    }
}

/// A masked block.
#[derive(Debug)]
pub struct MaskedBlock {
    /// The lines, masked.
    pub text: String,
    /// What the verifier finds in them, if it was asked.
    pub leaks: Vec<Diagnostic>,
}

/// Masked blocks, several at a time on as many threads.
pub struct Swept<'a> {
    layout: Layout,
    source: Source<'a>,
    /// Who verifies, and what the file is called.
    verifier: Option<(&'a Verifier, String)>,
    sweepers: Vec<Sweeper<'a>>,
    failure: Failure,
    ready: Vec<u8>,
    at: usize,
}

impl<'a> Swept<'a> {
    pub(super) fn new(mask: &'a Mask, layout: Layout, source: Source<'a>) -> Self {
        let sweepers = (0..threads()).map(|_| Sweeper::new(mask)).collect();
        Self { layout, source, verifier: None, sweepers, failure: Failure::default(), ready: Vec::new(), at: 0 }
    }

    /// Has every block verified as one of a file of this name.
    pub(super) fn verified(mut self, verifier: &'a Verifier, path: &str) -> Self {
        self.verifier = Some((verifier, path.to_owned()));
        self
    }

    /// Every alias that was written.
    pub fn used(&self) -> impl Iterator<Item = &str> {
        self.sweepers.iter().flat_map(Sweeper::used)
    }

    pub(super) fn failure(&self) -> Failure {
        self.failure.clone()
    }

    /// The next blocks; none at the end.
    #[expect(clippy::should_implement_trait, reason = "an error ends the blocks, which an Iterator does not say")]
    pub fn next(&mut self) -> Outcome<Vec<MaskedBlock>> {
        let mut blocks = Vec::new();
        match &mut self.source {
            Source::Kept(kept) => {
                let (now, later) = kept.split_at(kept.len().min(self.sweepers.len()));
                *kept = later;
                blocks.extend(now.iter().map(Cow::Borrowed));
            }
            Source::Read(read) => {
                while blocks.len() < self.sweepers.len() {
                    match read.next()? {
                        Some(block) => blocks.push(Cow::Owned(block)),
                        None => break,
                    }
                }
            }
        }
        let (layout, verifier) = (self.layout, &self.verifier);
        let one = |sweeper: &mut Sweeper<'a>, block: &Block| {
            let text = sweeper.block(layout, &block.text);
            let leaks = verifier.as_ref().map(|(verifier, path)| verifier.block(path, block.line, text.as_bytes()));
            MaskedBlock { text, leaks: leaks.unwrap_or_default() }
        };
        if let [block] = &blocks[..] {
            return Ok(vec![one(&mut self.sweepers[0], block)]);
        }
        let one = &one;
        Ok(std::thread::scope(|scope| {
            let pairs = self.sweepers.iter_mut().zip(&blocks);
            let started: Vec<_> = pairs.map(|(sweeper, block)| scope.spawn(move || one(sweeper, block))).collect();
            let done = started.into_iter().map(|thread| match thread.join() {
                Ok(masked) => masked,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            done.collect()
        }))
    }
}

impl std::fmt::Debug for Swept<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Swept").field("layout", &self.layout).finish_non_exhaustive()
    }
}

impl Read for Swept<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let ready = self.fill_buf()?;
        let length = ready.len().min(buffer.len());
        buffer[..length].copy_from_slice(&ready[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl BufRead for Swept<'_> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        if self.at == self.ready.len() {
            self.ready.clear();
            self.at = 0;
            match self.next() {
                Ok(blocks) => blocks.iter().for_each(|block| self.ready.extend_from_slice(block.text.as_bytes())),
                Err(wrong) => {
                    if let Ok(mut failure) = self.failure.0.lock() {
                        *failure = Some(wrong);
                    }
                }
            }
        }
        Ok(&self.ready[self.at..])
    }

    fn consume(&mut self, length: usize) {
        self.at += length;
    }
}
