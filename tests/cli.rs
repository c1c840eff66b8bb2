//! The program as a person calls it: help, completions, manual, wrong calls.

use std::process::{Command, Output};

#[expect(clippy::disallowed_methods, reason = "a test runs the program")]
fn factpress(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_factpress")).args(args).output().expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn help_names_every_command_and_the_exit_statuses() {
    let help = text(&factpress(&["--help"]).stdout);
    for word in ["build", "check", "facts", "completions", "man", "Exit status"] {
        assert!(help.contains(word), "{word} is not in\n{help}");
    }
}

#[test]
fn completions_and_manual_come_from_the_same_definitions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = text(&factpress(&["completions", shell]).stdout);
        assert!(script.contains("deny-warnings"), "{shell}: an option of check is in the script");
    }
    let manual = text(&factpress(&["man", "build"]).stdout);
    assert!(manual.starts_with(".ie") && manual.contains("draft"), "{manual}");
}

#[test]
fn a_wrong_call_exits_2() {
    for args in [&["frobnicate"][..], &["build", "--no-such"], &["man", "no-such"], &["facts"]] {
        let output = factpress(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(!output.stderr.is_empty(), "{args:?} says what is wrong");
    }
}

#[test]
fn a_folder_without_a_series_exits_2_and_says_what_is_missing() {
    let output = factpress(&["--root", env!("CARGO_TARGET_TMPDIR"), "build"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("factpress.toml") && said.contains("help"), "{said}");
}
