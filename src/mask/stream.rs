//! The masked text of a capture as a stream, so that a reader never sees a raw byte.

use std::io::{BufRead, Read};
use std::sync::{Arc, Mutex};

use super::{Block, Blocks, Diagnostics, Layout, Mask, Outcome, Sweeper, threads};

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

/// Masked blocks, several at a time on as many threads.
pub(super) struct Swept<'a> {
    layout: Layout,
    source: Source<'a>,
    sweepers: Vec<Sweeper<'a>>,
    failure: Failure,
    ready: Vec<u8>,
    at: usize,
}

impl<'a> Swept<'a> {
    pub(super) fn new(mask: &'a Mask, layout: Layout, source: Source<'a>) -> Self {
        let sweepers = (0..threads()).map(|_| Sweeper::new(mask)).collect();
        Self { layout, source, sweepers, failure: Failure::default(), ready: Vec::new(), at: 0 }
    }

    pub(super) fn failure(&self) -> Failure {
        self.failure.clone()
    }

    /// The next blocks, masked; none at the end.
    pub(super) fn next(&mut self) -> Outcome<Vec<(usize, String)>> {
        let mut blocks = Vec::new();
        match &mut self.source {
            Source::Kept(kept) => {
                let (now, later) = kept.split_at(kept.len().min(self.sweepers.len()));
                *kept = later;
                blocks.extend(now.iter().map(std::borrow::Cow::Borrowed));
            }
            Source::Read(read) => {
                while blocks.len() < self.sweepers.len() {
                    match read.next()? {
                        Some(block) => blocks.push(std::borrow::Cow::Owned(block)),
                        None => break,
                    }
                }
            }
        }
        let layout = self.layout;
        if let [one] = &blocks[..] {
            return Ok(vec![(one.line, self.sweepers[0].block(layout, &one.text))]);
        }
        Ok(std::thread::scope(|scope| {
            let started: Vec<_> = self
                .sweepers
                .iter_mut()
                .zip(&blocks)
                .map(|(sweeper, block)| scope.spawn(move || (block.line, sweeper.block(layout, &block.text))))
                .collect();
            let done = started.into_iter().map(|thread| match thread.join() {
                Ok(masked) => masked,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            done.collect()
        }))
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
                Ok(blocks) => blocks.iter().for_each(|(_, text)| self.ready.extend_from_slice(text.as_bytes())),
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
