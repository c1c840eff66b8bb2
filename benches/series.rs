//! How long the program takes on the series of this repository: `cargo bench --bench series`.
//!
//! Each measurement is a whole process: its start, and a build of `output/` from nothing.

use std::path::{Path, PathBuf};
use std::process::Command;

use criterion::Criterion;

const PROGRAM: &str = env!("CARGO_BIN_EXE_factpress");

#[expect(clippy::disallowed_methods, reason = "a benchmark runs the program")]
fn run(args: &[&str]) {
    let output = Command::new(PROGRAM).args(args).output().expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A copy of the series without its output.
fn series() -> PathBuf {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-series");
    let _ = std::fs::remove_dir_all(&root);
    for name in ["factpress.toml", "measure", "templates", "locales"] {
        for entry in walkdir::WalkDir::new(repository.join(name)) {
            let entry = entry.expect("readable");
            let to = root.join(entry.path().strip_prefix(repository).expect("below"));
            if entry.file_type().is_file() {
                std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
                std::fs::copy(entry.path(), to).expect("copied");
            }
        }
    }
    root
}

fn main() {
    let root = series();
    let path = root.to_str().expect("UTF-8");
    let output = root.join("output");
    let mut criterion = Criterion::default().configure_from_args();
    criterion.bench_function("start-up", |b| b.iter(|| run(&["--version"])));
    criterion.bench_function("build from nothing", |b| {
        b.iter_with_setup(|| drop(std::fs::remove_dir_all(&output)), |()| run(&["--root", path, "build"]));
    });
    criterion.bench_function("build --check", |b| b.iter(|| run(&["--root", path, "build", "--check"])));
    criterion.final_summary();
}
