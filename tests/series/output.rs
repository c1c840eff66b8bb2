//! `output/` as it is committed: what a build gives, swapped in whole, pruned, and free of every original.

use std::collections::BTreeSet;

use crate::copy::{Series, said};

#[test]
fn a_build_of_unchanged_input_changes_nothing() {
    let series = Series::copy("unchanged");
    let committed = series.output();
    let check = series.run(&["build", "--check"]);
    assert_eq!(check.status.code(), Some(0), "{}", said(&check));
    let build = series.run(&["build"]);
    assert_eq!(build.status.code(), Some(0), "{}", said(&build));
    assert_eq!(series.output(), committed);
    assert!(said(&build).contains(", 0 changed"), "{}", said(&build));
}

#[test]
fn a_build_from_nothing_gives_the_committed_bytes() {
    let series = Series::copy("from-nothing");
    let committed = series.output();
    std::fs::remove_dir_all(series.root().join("output")).expect("removed");
    assert_eq!(series.run(&["build"]).status.code(), Some(0));
    assert_eq!(series.output(), committed);
}

#[test]
fn check_is_exact_about_stale_missing_and_extra_files() {
    let series = Series::copy("stale");
    series.write("output/ko/grpc/index.md", "old\n");
    series.remove("output/ja/grpc/index.html");
    series.write("output/zh/gone/index.md", "left over\n");
    let check = series.run(&["build", "--check"]);
    let said = said(&check);
    assert_eq!(check.status.code(), Some(1), "{said}");
    for line in [
        "output/ko/grpc/index.md is not what a build gives",
        "output/ja/grpc/index.html is missing",
        "output/zh/gone/index.md is made by no build",
    ] {
        assert!(said.contains(line), "{line} is not in\n{said}");
    }
    assert_eq!(said.matches("error[").count(), 3, "{said}");
    assert_eq!(series.read("output/ko/grpc/index.md"), "old\n", "--check writes nothing");
    assert_eq!(series.run(&["build"]).status.code(), Some(0));
    assert_eq!(series.run(&["build", "--check"]).status.code(), Some(0), "a build prunes and mends");
}

#[test]
fn a_partial_build_leaves_the_rest_alone() {
    let series = Series::copy("partial");
    series.write("output/ko/grpc/index.md", "old\n");
    series.write("output/ja/grpc/index.md", "old\n");
    assert_eq!(series.run(&["build", "--lang", "ja"]).status.code(), Some(0));
    assert_eq!(series.read("output/ko/grpc/index.md"), "old\n");
    assert_ne!(series.read("output/ja/grpc/index.md"), "old\n");
}

#[test]
fn a_run_that_stopped_between_the_moves_is_mended_by_the_next() {
    let series = Series::copy("crashed");
    let committed = series.output();
    std::fs::rename(series.root().join("output"), series.root().join(".output-old")).expect("moved");
    assert_eq!(series.run(&["build"]).status.code(), Some(0));
    assert_eq!(series.output(), committed);
    let left: BTreeSet<_> = std::fs::read_dir(series.root())
        .expect("readable")
        .map(|e| e.expect("readable").file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with('.'))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn no_original_of_the_captures_stands_in_the_output() {
    // Taken by hand from the captures, not by the inventory under test.
    let originals = [
        "baram",
        "jkim",
        "10.77.12",
        "10.244.",
        "10.96.",
        "fd4b:4d",
        "fe80::",
        "dc1.",
        "otel-collector-69038b840",
        "S3lene",
        "eyJhbGci",
        "amtpbTpT",
        "tempo-0",
        "prometheus-0",
        "coredns-",
        "fbe18771",
        "35badf20",
        "68213de7",
        "d5229c4b",
        "3d13962f1",
        "ens18",
    ];
    let series = Series::copy("originals");
    for (path, text) in series.output() {
        let lower = text.to_lowercase();
        for original in originals {
            assert!(
                !lower.contains(&original.to_lowercase()),
                "{path} holds an original that begins with {original:.3}…"
            );
        }
    }
}

#[test]
fn a_node_called_by_a_common_word_has_an_alias_where_a_node_is_due() {
    let series = Series::copy("common-word");
    let committed = series.output();
    for name in ["capture.toml", "kubectl-get-nodes.json", "hubble-relay.log", "ps.txt"] {
        let path = format!("measure/grpc/{name}");
        series.write(&path, &series.read(&path).replace("baram-cp-01", "master"));
    }
    let build = series.run(&["build"]);
    assert_eq!(build.status.code(), Some(0), "{}", said(&build));
    assert!(series.output() == committed, "the page says node A, and nothing else changes");
}

/// What stands between `before` and the next `after`, wherever `before` stands.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Vec<&'a str> {
    text.split(before).skip(1).filter_map(|rest| rest.split(after).next()).collect()
}

#[test]
fn every_language_prints_the_same_figures_in_tables_of_the_same_shape() {
    let output = Series::copy("languages").output();
    let figures = |language: &str| {
        let page = &output[&format!("{language}/grpc/index.html")];
        let mut all = between(page, "data-evidence=\"", "\"");
        all.sort_unstable();
        all.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let shapes = |language: &str| {
        let page = &output[&format!("{language}/grpc/index.md")];
        let rows = page.lines().filter(|line| line.starts_with('|'));
        // A pipe inside a cell is escaped.
        rows.map(|line| line.replace("\\|", "").matches('|').count()).collect::<Vec<_>>()
    };
    let source = (figures("ko"), shapes("ko"));
    assert!(source.0.len() > 150 && source.1.len() > 60, "{} figures, {} rows", source.0.len(), source.1.len());
    for language in ["ja", "zh"] {
        assert_eq!((figures(language), shapes(language)), source, "{language}");
    }
}
