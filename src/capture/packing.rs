//! How a raw file is packed, so that a masked one is packed alike.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress};

use super::Capture;

/// How a file is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// It is not.
    Plain,
    /// `.gz`
    Gzip,
    /// `.zst`
    Zstd,
}

/// How the raw file of a capture is packed, by its first bytes.
pub fn packing(root: &Path, capture: &Capture) -> Packing {
    let mut magic = Vec::with_capacity(4);
    let read = File::open(root.join(&capture.path)).and_then(|file| file.take(4).read_to_end(&mut magic));
    match (read, &magic[..]) {
        (Ok(_), [0x1f, 0x8b, ..]) => Packing::Gzip,
        (Ok(_), [0x28, 0xb5, 0x2f, 0xfd]) => Packing::Zstd,
        _ => Packing::Plain,
    }
}

/// A file that is packed as it is written. The same bytes give the same file: no time stands in it.
pub enum Packed<'a> {
    /// Not at all.
    Plain(Box<dyn Write + 'a>),
    /// As it comes.
    Gzip(GzEncoder<Box<dyn Write + 'a>>),
    /// At the end.
    Zstd(Vec<u8>, Box<dyn Write + 'a>),
}

impl Packing {
    /// Packs what goes to `plain`.
    pub fn packed<'a>(self, plain: Box<dyn Write + 'a>) -> Packed<'a> {
        match self {
            Self::Plain => Packed::Plain(plain),
            Self::Gzip => Packed::Gzip(GzEncoder::new(plain, Compression::default())),
            Self::Zstd => Packed::Zstd(Vec::new(), plain),
        }
    }
}

impl std::fmt::Debug for Packed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Packed").finish_non_exhaustive()
    }
}

impl Packed<'_> {
    /// Writes what is left.
    pub fn finish(self) -> std::io::Result<()> {
        match self {
            Self::Plain(mut plain) => plain.flush(),
            Self::Gzip(encoder) => encoder.finish()?.flush(),
            Self::Zstd(bytes, mut plain) => {
                compress(&bytes[..], &mut plain, CompressionLevel::Fastest);
                plain.flush()
            }
        }
    }
}

impl Write for Packed<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Plain(plain) => plain.write(bytes),
            Self::Gzip(encoder) => encoder.write(bytes),
            Self::Zstd(all, _) => all.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Plain(plain) => plain.flush(),
            Self::Gzip(encoder) => encoder.flush(),
            Self::Zstd(..) => Ok(()),
        }
    }
}
