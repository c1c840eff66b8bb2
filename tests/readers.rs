//! Every format, over its golden folder `tests/golden/read/<format>/`: `ok-NAME.txt` gives the record `ok-NAME.json`,
//! `bad-NAME.txt` the findings `bad-NAME.diag`. `UPDATE=1 cargo test --test readers` writes what is given now.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use factpress::capture::{Captures, open};
use factpress::diag::Colour;
use factpress::read::{Input, READERS, Reader, Want, reader};

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/read")
}

#[expect(clippy::disallowed_methods, reason = "a person asks for an update by it")]
fn update() -> bool {
    std::env::var("UPDATE").is_ok_and(|value| value == "1")
}

#[expect(clippy::disallowed_methods, reason = "golden files are written on request")]
fn write(path: &Path, text: &str) {
    fs::write(path, text).expect("the golden folder can be written");
}

/// File names of a folder, sorted; hidden ones left out.
fn names(folder: &Path) -> BTreeSet<String> {
    walkdir::WalkDir::new(folder)
        .min_depth(1)
        .max_depth(1)
        .into_iter()
        .filter_map(|entry| entry.ok()?.file_name().to_str().map(str::to_owned))
        .filter(|name| !name.starts_with('.'))
        .collect()
}

/// What a reader makes of a file: the extension of its expectation, and the text.
fn outcome(reader: &dyn Reader, name: &str, bytes: &[u8]) -> (&'static str, String) {
    match reader.read(Input::new(name, bytes), &Want::default()) {
        Ok(record) => ("json", serde_json::to_string_pretty(&record).expect("a record is JSON") + "\n"),
        Err(found) => ("diag", found.to_text(Colour::Never)),
    }
}

/// Everything that is wrong with the golden folder of one format.
fn check(reader: &dyn Reader) -> Vec<String> {
    let folder = golden().join(reader.format());
    let mut wrong = Vec::new();
    let mut files = names(&folder);
    let inputs: Vec<_> = files.iter().filter(|name| name.ends_with(".txt")).cloned().collect();
    let mut cases: BTreeMap<&str, usize> = BTreeMap::new();
    for input in inputs {
        let path = folder.join(&input);
        files.remove(&input);
        let (word, wanted) = match input.split_once('-') {
            Some(("ok", _)) => ("ok", "json"),
            Some(("bad", _)) => ("bad", "diag"),
            _ => {
                wrong.push(format!("{}: its name begins with neither ok- nor bad-", path.display()));
                continue;
            }
        };
        *cases.entry(word).or_default() += 1;
        let (kind, text) = outcome(reader, &input, &fs::read(&path).expect("an input can be read"));
        let expectation = Path::new(&input).with_extension(wanted);
        let name = expectation.to_string_lossy().into_owned();
        files.remove(&name);
        let place = folder.join(expectation);
        if kind != wanted {
            wrong.push(format!("{}: expected {word}, got:\n{text}", path.display()));
        } else if fs::read_to_string(&place).ok().as_deref() != Some(text.as_str()) {
            if update() {
                write(&place, &text);
            } else {
                wrong.push(format!("{} differs (UPDATE=1 writes it); now it would be:\n{text}", place.display()));
            }
        }
    }
    for word in ["ok", "bad"] {
        if !cases.contains_key(word) {
            wrong.push(format!("{} has no {word}-NAME.txt", folder.display()));
        }
    }
    wrong.extend(files.iter().map(|name| format!("{}: it belongs to no input", folder.join(name).display())));
    wrong
}

#[test]
fn every_reader_gives_what_its_golden_folder_says() {
    let wrong: Vec<_> = READERS.iter().flat_map(|reader| check(*reader)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_golden_folder_belongs_to_a_reader() {
    let formats: BTreeSet<_> = READERS.iter().map(|r| r.format().to_owned()).collect();
    let folders = names(&golden());
    let strange: Vec<_> = folders.difference(&formats).collect();
    assert!(strange.is_empty(), "no reader has the format of {strange:?}");
}

/// No input of any format, whole or cut anywhere, makes any reader panic, and no finding quotes it.
#[test]
fn every_reader_takes_the_files_of_every_other_cut_anywhere() {
    for folder in READERS.iter().map(|r| golden().join(r.format())) {
        for name in names(&folder).iter().filter(|name| name.ends_with(".txt")) {
            let bytes = fs::read(folder.join(name)).expect("an input can be read");
            let step = (bytes.len() / 16).max(1);
            for reader in READERS {
                for end in (0..bytes.len()).step_by(step).chain([bytes.len()]) {
                    if let Err(found) = reader.read(Input::new(name, &bytes[..end]), &Want::default()) {
                        assert!(!found.is_empty());
                        assert!(found.iter().all(|d| d.place().is_some() && d.help().is_some()), "{name}: {found:?}");
                    }
                }
            }
        }
    }
}

/// The captures of the series itself are right.
#[test]
fn every_capture_of_the_series_is_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let captures = Captures::load(root, "grpc").unwrap_or_else(|found| panic!("{}", found.to_text(Colour::Never)));
    let mut read = 0;
    for (name, capture) in captures.iter() {
        let Some(reader) = reader(&capture.format) else { continue };
        let outcome = open(root, capture, captures.place(name))
            .and_then(|stream| reader.read(Input::new(&capture.path, stream), &Want::default()));
        if let Err(found) = outcome {
            panic!("{name}:\n{}", found.to_text(Colour::Never));
        }
        read += 1;
    }
    assert!(read > 0);
}
