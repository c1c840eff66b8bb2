//! The only module that writes: `output/`, which it stages beside it, swaps, and prunes, or says what would change; and bundles of masked captures.

mod stage;
mod swap;

use std::collections::BTreeMap;
use std::path::Path;

use walkdir::WalkDir;

use crate::diag::{Diagnostic, Outcome, Place};

pub use stage::{Stage, private};
pub use swap::write;

/// The folder of finished pages, below the project's root.
pub const OUTPUT: &str = "output";

/// What a build makes: path below `output/`, with `/` between its names → bytes.
pub type Tree = BTreeMap<String, Vec<u8>>;

/// Which part of `output/` a build answers for; files elsewhere are left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All of it: what the build does not make is pruned.
    Everything,
    /// These folders below `output/`, each without a final `/`.
    Folders(Vec<String>),
}

impl Scope {
    /// Whether a path below `output/` is of this scope.
    pub fn holds(&self, path: &str) -> bool {
        match self {
            Self::Everything => true,
            Self::Folders(folders) => {
                folders.iter().any(|f| path.strip_prefix(f.as_str()).is_some_and(|rest| rest.starts_with('/')))
            }
        }
    }
}

/// How one file on disk differs from what a build makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Its bytes are not those of the build.
    Stale,
    /// The build makes it, the disk lacks it.
    Missing,
    /// The build does not make it.
    Extra,
}

/// Compares `output/` with what a build makes; sorted by path.
pub fn compare(root: &Path, tree: &Tree, scope: &Scope) -> Outcome<Vec<(String, Difference)>> {
    let on_disk = list(root)?;
    let mut found = Vec::new();
    for path in on_disk.iter().filter(|p| scope.holds(p) && !tree.contains_key(*p)) {
        found.push((path.clone(), Difference::Extra));
    }
    for (path, bytes) in tree.iter().filter(|(p, _)| scope.holds(p)) {
        if !on_disk.contains(path) {
            found.push((path.clone(), Difference::Missing));
        } else if !same(root, path, bytes) {
            found.push((path.clone(), Difference::Stale));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(found)
}

/// Whether the file below `output/` has exactly these bytes.
fn same(root: &Path, path: &str, bytes: &[u8]) -> bool {
    std::fs::read(root.join(OUTPUT).join(path)).is_ok_and(|found| found == bytes)
}

/// The files below `output/`, sorted, with `/` between names.
fn list(root: &Path) -> Outcome<Vec<String>> {
    let output = root.join(OUTPUT);
    if !output.exists() {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    for entry in WalkDir::new(&output).sort_by_file_name() {
        let entry = entry.map_err(|error| {
            failed("list", OUTPUT, &error.into_io_error().unwrap_or_else(|| std::io::ErrorKind::Other.into()))
        })?;
        if !entry.file_type().is_dir() {
            let below = entry.path().strip_prefix(&output).expect("walked from there");
            let names: Vec<_> = below.iter().map(|name| name.to_string_lossy()).collect();
            files.push(names.join("/"));
        }
    }
    files.sort();
    Ok(files)
}

fn failed(verb: &str, path: &str, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error("output", format!("cannot {verb} {path}: {}", error.kind()))
        .with_place(Place::file(path))
        .with_help("check the rights of the folder and the room on the disk; the old output is untouched")
}
