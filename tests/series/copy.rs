//! A copy of the series of this repository that a test may change.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use walkdir::WalkDir;

/// The folder of a copied series; each test has one of its own.
pub(crate) struct Series(PathBuf);

impl Series {
    /// Copies everything that a build reads, and the committed output.
    pub(crate) fn copy(name: &str) -> Self {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("series").join(name);
        let _ = std::fs::remove_dir_all(&root);
        std::fs::create_dir_all(&root).expect("a folder");
        std::fs::copy(repository.join("factpress.toml"), root.join("factpress.toml")).expect("copied");
        for folder in ["measure", "templates", "locales", "output"] {
            copy_tree(&repository.join(folder), &root.join(folder));
        }
        Self(root)
    }

    /// Where it lies.
    pub(crate) fn root(&self) -> &Path {
        &self.0
    }

    /// Replaces `find`, which must stand there exactly once.
    pub(crate) fn edit(&self, file: &str, find: &str, replace: &str) {
        let path = self.0.join(file);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{file}: {e}"));
        assert_eq!(text.matches(find).count(), 1, "`{find}` stands once in {file}");
        self.write(file, &text.replacen(find, replace, 1));
    }

    /// Writes a whole file.
    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.0.join(file);
        std::fs::create_dir_all(path.parent().expect("below the root")).expect("a folder");
        std::fs::write(path, text).expect("written");
    }

    /// Takes a file away.
    pub(crate) fn remove(&self, file: &str) {
        std::fs::remove_file(self.0.join(file)).unwrap_or_else(|e| panic!("{file}: {e}"));
    }

    /// A file's text.
    pub(crate) fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.0.join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
    }

    /// Puts another folder of captures in the place of a part's.
    pub(crate) fn measure(&self, part: &str, from: &Path) {
        let to = self.0.join("measure").join(part);
        let _ = std::fs::remove_dir_all(&to);
        copy_tree(from, &to);
    }

    /// Runs the program on it.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_factpress"))
            .arg("--root")
            .arg(&self.0)
            .args(args)
            .output()
            .expect("the program runs")
    }

    /// Path below `output/` → text of every file there.
    pub(crate) fn output(&self) -> std::collections::BTreeMap<String, String> {
        let output = self.0.join("output");
        WalkDir::new(&output)
            .into_iter()
            .map(|e| e.expect("readable"))
            .filter(|e| e.file_type().is_file())
            .map(|e| {
                let name = e.path().strip_prefix(&output).expect("below").to_string_lossy().replace('\\', "/");
                (name, std::fs::read_to_string(e.path()).expect("UTF-8"))
            })
            .collect()
    }
}

fn copy_tree(from: &Path, to: &Path) {
    for entry in WalkDir::new(from) {
        let entry = entry.unwrap_or_else(|e| panic!("{}: {e}", from.display()));
        let target = to.join(entry.path().strip_prefix(from).expect("below"));
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(&target).expect("a folder");
        } else {
            std::fs::create_dir_all(target.parent().expect("a folder")).expect("a folder");
            // Not fs::copy, which would keep a missing write bit.
            std::fs::write(&target, std::fs::read(entry.path()).expect("readable")).expect("written");
        }
    }
}

/// Standard error as text.
pub(crate) fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}
