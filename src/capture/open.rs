//! Opening a raw file as a stream: plain, `.gz` or `.zst`, told by its first bytes and never by trust in its name.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::StreamingDecoder;

use super::Capture;
use crate::diag::{Diagnostic, Outcome, Place};

/// Large enough that system calls do not count, small enough that memory does not grow.
const BUFFER: usize = 256 * 1024;

/// Opens the raw file of a capture and unpacks it on the way. `defined` is its place in capture.toml.
pub fn open(root: &Path, capture: &Capture, defined: Place) -> Outcome<Box<dyn BufRead>> {
    let failed = |error: std::io::Error| {
        let (code, help) = match error.kind() {
            std::io::ErrorKind::NotFound => ("capture-missing", "put the file there, or mend `file` in capture.toml"),
            _ => ("capture-unreadable", "check that it is a file and may be read"),
        };
        Diagnostic::error(code, format!("the capture {} cannot be read: {}", capture.path, error.kind()))
            .with_place(defined.clone())
            .with_help(help)
    };
    let path = root.join(&capture.path);
    let mut file = File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(failed(std::io::Error::from(std::io::ErrorKind::IsADirectory)).into());
    }
    let mut magic = Vec::with_capacity(4);
    file.by_ref().take(4).read_to_end(&mut magic).map_err(failed)?;
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    let plain = BufReader::with_capacity(BUFFER, file);
    Ok(if magic.starts_with(&[0x1f, 0x8b]) {
        Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(plain)))
    } else if magic == [0x28, 0xb5, 0x2f, 0xfd] {
        let decoder = StreamingDecoder::new(plain).map_err(|_| {
            Diagnostic::error("capture-unreadable", "the zstd frame is broken at its start")
                .with_place(Place::file(capture.path.as_str()))
                .with_help("take the capture again, or unpack it")
        })?;
        Box::new(BufReader::with_capacity(BUFFER, decoder))
    } else {
        Box::new(plain)
    })
}
