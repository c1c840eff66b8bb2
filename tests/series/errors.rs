//! Every kind of bad input: `tests/golden/errors/<case>.toml` says what is changed in a copy of the series, and
//! `<case>.diag` what the program must then say. Nothing may be written.

use std::collections::BTreeSet;
use std::path::Path;

use crate::copy::{Series, said};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// What is wrong, for whoever reads the case.
    #[serde(rename = "about")]
    _about: String,
    status: i32,
    #[serde(default = "build")]
    run: Vec<String>,
    edit: Vec<Edit>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    file: String,
    find: Option<String>,
    replace: Option<String>,
    content: Option<String>,
    #[serde(default)]
    remove: bool,
}

fn build() -> Vec<String> {
    vec!["build".to_owned()]
}

fn apply(series: &Series, edit: &Edit) {
    match (&edit.find, &edit.replace, &edit.content, edit.remove) {
        (Some(find), Some(replace), None, false) => series.edit(&edit.file, find, replace),
        (None, None, Some(content), false) => series.write(&edit.file, content),
        (None, None, None, true) => series.remove(&edit.file),
        _ => panic!("an edit of {} is find and replace, or content, or remove", edit.file),
    }
}

#[test]
fn bad_input_is_told_with_place_and_help_and_nothing_is_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/errors");
    let mut cases = BTreeSet::new();
    let mut expectations = BTreeSet::new();
    for entry in std::fs::read_dir(&folder).expect("the folder of cases") {
        let path = entry.expect("readable").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        match path.extension().and_then(|e| e.to_str()) {
            Some("toml") => cases.insert(name),
            Some("diag") => expectations.insert(name),
            other => panic!("{}: what is a .{other:?} here?", path.display()),
        };
    }
    let update = std::env::var_os("UPDATE").is_some();
    let mut wrong = Vec::new();
    for name in &cases {
        let text = std::fs::read_to_string(folder.join(format!("{name}.toml"))).expect("a case");
        let case: Case = toml::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let series = Series::copy(&format!("error-{name}"));
        case.edit.iter().for_each(|edit| apply(&series, edit));
        let before = series.output();
        let args: Vec<&str> = case.run.iter().map(String::as_str).collect();
        let output = series.run(&args);
        let said = said(&output);
        if output.status.code() != Some(case.status) {
            wrong.push(format!("{name}: exit status {:?}, {} expected\n{said}", output.status.code(), case.status));
        }
        if series.output() != before {
            wrong.push(format!("{name}: output/ was written"));
        }
        let expected = folder.join(format!("{name}.diag"));
        if update {
            std::fs::write(&expected, &said).expect("written");
        } else if std::fs::read_to_string(&expected).ok().as_deref() != Some(said.as_str()) {
            wrong.push(format!("{name}: said\n{said}"));
        }
    }
    for stale in expectations.difference(&cases).filter(|_| !update) {
        wrong.push(format!("{stale}.diag has no case"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
