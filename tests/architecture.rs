//! The law of modules: `lib.rs` declares them in flow order, a module uses only modules declared above it, and the
//! files of one folder never use each other. Also: file sizes, and a sentence on every file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

/// Every source file below src/, with its text.
fn sources() -> BTreeMap<PathBuf, String> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    WalkDir::new(&src)
        .into_iter()
        .map(|entry| entry.expect("src is readable"))
        .filter(|entry| entry.path().extension().is_some_and(|e| e == "rs"))
        .map(|entry| {
            let text = std::fs::read_to_string(entry.path()).expect("sources are UTF-8");
            (entry.path().strip_prefix(&src).expect("below src").to_owned(), text)
        })
        .collect()
}

/// The modules in the order of lib.rs.
fn order(sources: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let lib = &sources[Path::new("lib.rs")];
    lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).map(str::to_owned).collect()
}

/// The names that a file asks of `prefix` (`crate::`, `super::`), with the line of each; tests' own modules count too.
fn used<'a>(text: &'a str, prefix: &str) -> Vec<(usize, &'a str)> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("//") {
            continue;
        }
        let mut rest = line;
        while let Some(at) = rest.find(prefix) {
            rest = &rest[at + prefix.len()..];
            let names = match rest.strip_prefix('{') {
                Some(inner) => inner.split('}').next().unwrap_or_default(),
                None => rest.split([';', ',', ')', '<', ' ', '(']).next().unwrap_or_default(),
            };
            for name in names.split(',') {
                let name = name.trim().split("::").next().unwrap_or_default();
                let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
                if end > 0 {
                    found.push((number + 1, &name[..end]));
                }
            }
        }
    }
    found
}

#[test]
fn a_module_uses_only_modules_above_it() {
    let sources = sources();
    let order = order(&sources);
    assert!(order.len() >= 14, "lib.rs lists the modules: {order:?}");
    let rank = |name: &str| order.iter().position(|m| m == name);
    let mut broken = Vec::new();
    let mut seen = 0;
    for (path, text) in &sources {
        let first = path.iter().next().and_then(|n| n.to_str()).expect("a name").trim_end_matches(".rs");
        let Some(own) = rank(first) else { continue };
        for (line, name) in used(text, "crate::") {
            let Some(other) = rank(name) else { continue };
            seen += 1;
            if other > own {
                broken.push(format!("src/{}:{line} uses {name}, which lib.rs declares below {first}", path.display()));
            }
        }
    }
    assert!(seen > 50, "the test reads the uses: {seen}");
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn files_of_a_folder_never_use_each_other() {
    let sources = sources();
    let mut broken = Vec::new();
    for (path, text) in &sources {
        let folder = path.parent().expect("below src");
        let own = path.file_stem().and_then(|n| n.to_str()).expect("a name");
        if folder == Path::new("") || own == "mod" {
            continue;
        }
        // What mod.rs imports from a child is mod.rs's own, also where it is called like the child.
        let parent = sources.get(&folder.join("mod.rs")).map_or("", String::as_str);
        let is_own = |name: &str| {
            let imports = parent.split(';').filter(|s| s.contains(&format!("use {name}::")));
            imports
                .flat_map(|s| s.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
                .filter(|w| *w == name)
                .count()
                > 1
        };
        let is_sibling = |name: &str| {
            name != own
                && !is_own(name)
                && (sources.contains_key(&folder.join(format!("{name}.rs")))
                    || sources.contains_key(&folder.join(name).join("mod.rs")))
        };
        let module = folder.iter().map(|n| n.to_string_lossy()).collect::<Vec<_>>().join("::");
        for prefix in ["super::".to_owned(), format!("crate::{module}::")] {
            for (line, name) in used(text, &prefix).into_iter().filter(|(_, name)| is_sibling(name)) {
                broken.push(format!("src/{}:{line} uses its sibling {name}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_file_says_what_it_is_and_stays_small() {
    let mut wrong = Vec::new();
    for (path, text) in &sources() {
        let lines = text.lines().count();
        if !text.starts_with("//! ") {
            wrong.push(format!("src/{} does not begin with a `//!` sentence", path.display()));
        }
        if lines > 500 {
            wrong.push(format!("src/{} has {lines} lines; a file has one reason to change", path.display()));
        }
        if path == Path::new("main.rs") && lines > 60 {
            wrong.push(format!("src/main.rs has {lines} lines, 60 are allowed"));
        }
        let name = path.file_stem().and_then(|n| n.to_str()).unwrap_or_default();
        if ["utils", "util", "types", "common", "helpers", "misc"].contains(&name) {
            wrong.push(format!("src/{}: the name says nothing", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn only_publish_writes_and_only_main_exits() {
    let mut wrong = Vec::new();
    for (path, text) in &sources() {
        for (needle, home) in [("fs::write", "publish"), ("fs::rename", "publish"), ("process::exit", "nowhere")] {
            if text.contains(needle) && !path.starts_with(home) {
                wrong.push(format!("src/{} has {needle}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
