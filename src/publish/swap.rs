//! Staging and swapping: the new tree is complete before the old one moves, so that a crash leaves one of the two whole.

use std::fs;
use std::path::Path;

use super::{Difference, OUTPUT, Scope, Tree, compare, failed, list};
use crate::diag::Outcome;

/// Where the new tree is made, and where the old one waits while the new one takes its place.
const STAGED: &str = ".output-staged";
const OLD: &str = ".output-old";

/// Makes `output/` what the build makes within `scope`. Returns the paths that changed; writes nothing if none did.
pub fn write(root: &Path, tree: &Tree, scope: &Scope) -> Outcome<Vec<(String, Difference)>> {
    recover(root)?;
    let changes = compare(root, tree, scope)?;
    if changes.is_empty() {
        return Ok(changes);
    }
    let staged = root.join(STAGED);
    remove(&staged, STAGED)?;
    fs::create_dir_all(&staged).map_err(|e| failed("make", STAGED, &e))?;
    for path in list(root)?.iter().filter(|p| !scope.holds(p)) {
        keep(root, path)?;
    }
    for (path, bytes) in tree {
        if changes.iter().any(|(changed, _)| changed == path) {
            put(&staged, path, bytes)?;
        } else {
            keep(root, path)?;
        }
    }
    let (output, old) = (root.join(OUTPUT), root.join(OLD));
    if output.exists() {
        fs::rename(&output, &old).map_err(|e| failed("move", OUTPUT, &e))?;
    }
    fs::rename(&staged, &output).map_err(|e| failed("move", STAGED, &e))?;
    remove(&old, OLD)?;
    Ok(changes)
}

/// A run that stopped between the two moves left the old tree aside: puts it back.
fn recover(root: &Path) -> Outcome<()> {
    let (output, old) = (root.join(OUTPUT), root.join(OLD));
    if old.exists() && !output.exists() {
        fs::rename(&old, &output).map_err(|e| failed("move back", OLD, &e))?;
    }
    remove(&old, OLD)
}

fn remove(folder: &Path, name: &str) -> Outcome<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(failed("remove", name, &error).into()),
        _ => Ok(()),
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the place that writes")]
fn put(staged: &Path, path: &str, bytes: &[u8]) -> Outcome<()> {
    let to = staged.join(path);
    parents(&to, path)?;
    fs::write(&to, bytes).map_err(|e| failed("write", path, &e).into())
}

/// An unchanged file moves over as it is, with its time stamp.
fn keep(root: &Path, path: &str) -> Outcome<()> {
    let (from, to) = (root.join(OUTPUT).join(path), root.join(STAGED).join(path));
    parents(&to, path)?;
    if fs::hard_link(&from, &to).is_err() {
        fs::copy(&from, &to).map_err(|e| failed("copy", path, &e))?;
    }
    Ok(())
}

fn parents(file: &Path, path: &str) -> Outcome<()> {
    match file.parent() {
        Some(folder) => fs::create_dir_all(folder).map_err(|e| failed("make the folder of", path, &e).into()),
        None => Ok(()),
    }
}
