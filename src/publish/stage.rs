//! A folder that is written beside its place and takes it only when it is whole.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::failed;
use crate::diag::{Diagnostic, Outcome, Place};

/// A folder in the making. What is not finished is removed again.
#[derive(Debug)]
pub struct Stage {
    staged: PathBuf,
    place: PathBuf,
    /// What the place holds already.
    old: bool,
}

impl Stage {
    /// Begins a folder. What is there already may be replaced only if `replaceable` says so of one of its files.
    pub fn new(place: &Path, replaceable: impl Fn(&Path) -> bool) -> Outcome<Self> {
        let name = place.file_name().ok_or_else(|| refused(place, "is no folder that can be written"))?;
        let mut staged = std::ffi::OsString::from(".");
        staged.push(name);
        staged.push("-staged");
        let staged = place.with_file_name(staged);
        let old = place.exists();
        if old {
            let mut files = WalkDir::new(place).max_depth(2).sort_by_file_name().into_iter().filter_map(Result::ok);
            let empty = place.read_dir().is_ok_and(|mut entries| entries.next().is_none());
            if !place.is_dir() || !(empty || files.any(|entry| replaceable(entry.path()))) {
                return Err(refused(place, "is there already and is not what would be written").into());
            }
        }
        if staged.exists() {
            fs::remove_dir_all(&staged).map_err(|e| failed("remove", &staged.to_string_lossy(), &e))?;
        }
        fs::create_dir_all(&staged).map_err(|e| failed("make", &staged.to_string_lossy(), &e))?;
        Ok(Self { staged, place: place.to_owned(), old })
    }

    /// A file of the folder, with `/` between the names of its path.
    pub fn create(&self, path: &str) -> Outcome<impl Write + use<>> {
        let to = self.staged.join(path);
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder).map_err(|e| failed("make the folder of", path, &e))?;
        }
        let file = File::create_new(&to).map_err(|e| failed("write", path, &e))?;
        Ok(BufWriter::with_capacity(1 << 20, file))
    }

    /// Puts the folder in its place.
    pub fn finish(self) -> Outcome<()> {
        let name = self.place.to_string_lossy().into_owned();
        if self.old {
            fs::remove_dir_all(&self.place).map_err(|e| failed("replace", &name, &e))?;
        }
        fs::rename(&self.staged, &self.place).map_err(|e| failed("move", &name, &e))?;
        Ok(())
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // nothing is there once it has moved
        let _ = fs::remove_dir_all(&self.staged);
    }
}

/// Writes a file that only its owner may read.
pub fn private(path: &Path, bytes: &[u8]) -> Outcome<()> {
    let name = path.to_string_lossy().into_owned();
    let staged = path.with_file_name(format!(".{}-staged", path.file_name().unwrap_or_default().to_string_lossy()));
    let _ = fs::remove_file(&staged);
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&staged).map_err(|e| failed("write", &name, &e))?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(|e| failed("write", &name, &e))?;
    fs::rename(&staged, path).map_err(|e| failed("write", &name, &e).into())
}

fn refused(place: &Path, why: &str) -> Diagnostic {
    Diagnostic::error("folder-taken", format!("{} {why}", place.display()))
        .with_place(Place::file(place.to_string_lossy()))
        .with_help("name a folder that is not there yet, or an earlier bundle, which is replaced")
}
