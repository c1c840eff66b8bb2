//! Bundles: what is published instead of raw captures, and folders that are searched before they are sent away.

use std::collections::BTreeMap;
use std::path::Path;

use walkdir::WalkDir;

use crate::copy::{Series, said};

/// The files below a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let all = WalkDir::new(folder).into_iter().map(|entry| entry.expect("readable"));
    all.filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let below = entry.path().strip_prefix(folder).expect("below").to_string_lossy().into_owned();
            (below, std::fs::read(entry.path()).expect("readable"))
        })
        .collect()
}

/// The folder of a bundle beside the captures, which is not there yet.
fn place(series: &Series, name: &str) -> std::path::PathBuf {
    series.root().join(name)
}

fn mask(series: &Series, args: &[&str]) -> String {
    let args: Vec<&str> = ["mask"].iter().chain(args).copied().collect();
    let output = series.run(&args);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn path(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn a_build_from_a_bundle_gives_the_bytes_of_a_build_from_the_raw_captures() {
    let series = Series::copy("bundle-build");
    let committed = series.output();
    let (raw, out) = (place(&series, "measure"), place(&series, "bundle"));
    let told = mask(&series, &[path(&raw), path(&out)]);
    assert!(told.contains("node 8"), "{told}");
    let names = |folder: &Path| files(folder).into_keys().collect::<Vec<_>>();
    assert_eq!(names(&raw), names(&out), "the same files");
    let text: Vec<u8> = files(&out).into_values().flatten().collect();
    let text = String::from_utf8_lossy(&text).to_lowercase();
    for original in ["baram", "jkim", "10.77.", "fd4b", "s3lene", "35badf20"] {
        assert!(!text.contains(original), "{original} is in the bundle");
    }
    std::fs::remove_dir_all(&raw).expect("removed");
    std::fs::rename(&out, &raw).expect("moved");
    std::fs::remove_dir_all(place(&series, "output")).expect("removed");
    let build = series.run(&["build"]);
    assert_eq!(build.status.code(), Some(0), "{}", said(&build));
    assert_eq!(series.output(), committed);
    // masking again changes no byte, neither that of all parts nor that of one
    let again = place(&series, "again");
    mask(&series, &[path(&raw), path(&again)]);
    assert_eq!(files(&raw), files(&again));
    let part = place(&series, "part");
    mask(&series, &[path(&raw.join("grpc")), path(&part)]);
    assert_eq!(files(&raw.join("grpc")), files(&part));
}

#[test]
fn a_folder_is_searched_for_what_the_captures_hold() {
    let series = Series::copy("bundle-verify");
    let clean = series.run(&["verify", path(&place(&series, "output"))]);
    assert_eq!(clean.status.code(), Some(0), "{}", said(&clean));
    let page = series.read("output/ko/grpc/index.md");
    series.write("output/ko/grpc/index.md", &format!("{page}\n노드 baram-cp-01에서 쟀다.\n"));
    series.write("output/notes/jkim.txt", "nothing\n");
    let leaky = series.run(&["verify", path(&place(&series, "output"))]);
    assert_eq!(leaky.status.code(), Some(3), "{}", said(&leaky));
    let line = page.lines().count() + 2;
    assert!(said(&leaky).contains(&format!("ko/grpc/index.md:{line}:4")), "{}", said(&leaky));
    assert!(said(&leaky).contains("the name of a file"), "{}", said(&leaky));
    assert!(!said(&leaky).contains("baram") && !said(&leaky).contains("jkim"), "{}", said(&leaky));
}

#[test]
fn a_map_keeps_aliases_when_a_node_is_gone() {
    let series = Series::copy("bundle-map");
    let (raw, map) = (place(&series, "captures"), place(&series, "aliases.map"));
    let capture = "[nodes]\nfile = \"nodes.json\"\nformat = \"kubectl-json\"\n";
    let node = |name: &str| format!("{{\"kind\": \"Node\", \"metadata\": {{\"name\": \"{name}\"}}}}");
    let items = |names: &[&str]| {
        let all: Vec<String> = names.iter().map(|name| node(name)).collect();
        format!("{{\"kind\": \"List\", \"items\": [{}]}}\n", all.join(", "))
    };
    series.write("captures/capture.toml", capture);
    series.write("captures/nodes.json", &items(&["amber-wk-01", "cedar-wk-02", "delta-wk-03"]));
    let run = |out: &str| {
        mask(&series, &[path(&raw), path(&place(&series, out)), "--map", path(&map)]);
        series.read(&format!("{out}/nodes.json"))
    };
    assert_eq!(run("one"), items(&["node-a", "node-b", "node-c"]));
    series.write("captures/nodes.json", &items(&["beryl-wk-09", "cedar-wk-02", "delta-wk-03"]));
    assert_eq!(run("two"), items(&["node-d", "node-b", "node-c"]));
    let kept = series.read("aliases.map");
    assert_eq!(run("three"), items(&["node-d", "node-b", "node-c"]));
    assert_eq!(series.read("aliases.map"), kept, "a run that adds nothing changes nothing");
    assert!(!kept.contains("cedar"), "no original is in the map");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&map).expect("the map").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn what_cannot_be_masked_is_left_out_and_told() {
    let series = Series::copy("bundle-left-out");
    series.write(
        "captures/capture.toml",
        "[a]\nfile = \"a.txt\"\nformat = \"lines\"\n\n[b]\nfile = \"b.bin\"\nformat = \"lines\"\n",
    );
    series.write("captures/a.txt", "user jroedel from 10.20.30.40\n");
    std::fs::write(place(&series, "captures/b.bin"), [0, 159, 146, 150]).expect("written");
    series.write("captures/notes.md", "mine\n");
    let told =
        mask(&series, &[path(&place(&series, "captures")), path(&place(&series, "out")), "--known-user", "jroedel"]);
    assert!(told.contains("left out: b.bin (") && told.contains("left out: notes.md ("), "{told}");
    assert_eq!(series.read("out/a.txt"), "user user-01 from priv-net01.h1\n");
    assert_eq!(files(&place(&series, "out")).into_keys().collect::<Vec<_>>(), ["a.txt", "capture.toml"]);
    // what is there and is no bundle is not replaced
    series.write("taken/x.txt", "x\n");
    let refused = series.run(&["mask", path(&place(&series, "captures")), path(&place(&series, "taken"))]);
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
    assert_eq!(series.read("taken/x.txt"), "x\n");
}

#[test]
fn a_word_that_would_be_taken_for_an_alias_is_refused() {
    let series = Series::copy("bundle-look-alike");
    series.write("captures/capture.toml", "[a]\nfile = \"a.txt\"\nformat = \"lines\"\n");
    series.write("captures/a.txt", "first\nsee user-01 and jroedel\n");
    let captures = place(&series, "captures");
    let refused = series.run(&["mask", path(&captures), path(&place(&series, "out")), "--known-user", "jroedel"]);
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
    assert!(said(&refused).contains("captures/a.txt:2") || said(&refused).contains("a.txt:2"), "{}", said(&refused));
    assert!(!place(&series, "out").exists(), "nothing is written");
    // a user who is really called so has another alias
    mask(
        &series,
        &[path(&captures), path(&place(&series, "out")), "--known-user", "jroedel", "--known-user", "user-01"],
    );
    assert_eq!(series.read("out/a.txt"), "first\nsee user-03 and user-02\n");
}
