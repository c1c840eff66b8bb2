//! The map of aliases as a file: where it may lie, who may read it.

use std::path::{Path, PathBuf};

use factpress::mask::Map;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("map").join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("an old run");
    }
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[expect(clippy::disallowed_methods, reason = "a test makes its input")]
fn write(path: &Path, bytes: &[u8], mode: u32) {
    std::fs::write(path, bytes).expect("written");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("its mode");
    }
}

/// The code and the help of what is wrong.
fn wrong(path: &Path, forbidden: &[&Path]) -> (&'static str, String) {
    let wrong = Map::load(path, forbidden).expect_err("refused");
    let one = wrong.iter().next().expect("one");
    assert_eq!(one.place().expect("a place").path(), path.to_string_lossy());
    (one.code(), one.help().expect("a help").to_owned())
}

#[test]
fn what_is_not_there_is_new_and_reads_back() {
    let path = folder("new").join("map.toml");
    let map = Map::load(&path, &[]).expect("a new map");
    assert!(!path.exists(), "only publish writes");
    let other = Map::load(&path, &[]).expect("another");
    assert_ne!(map.to_bytes(), other.to_bytes(), "every new map has a key of its own");
    write(&path, &map.to_bytes(), 0o600);
    let again = Map::load(&path, &[]).expect("it reads back");
    assert_eq!(again.to_bytes(), map.to_bytes());
    assert_eq!(again.id(), map.id());
}

#[cfg(unix)]
#[test]
fn what_others_may_read_is_refused() {
    let path = folder("mode").join("map.toml");
    let bytes = Map::load(&path, &[]).expect("a new map").to_bytes();
    for mode in [0o640, 0o604, 0o644, 0o620, 0o777] {
        write(&path, &bytes, mode);
        let (code, help) = wrong(&path, &[]);
        assert_eq!((code, help), ("map-open-to-others", format!("chmod 600 {}", path.display())), "{mode:o}");
    }
    for mode in [0o600, 0o400] {
        write(&path, &bytes, 0o600);
        write(&path, &bytes, mode);
        assert!(Map::load(&path, &[]).is_ok(), "{mode:o}");
    }
}

#[test]
fn what_is_published_holds_no_map() {
    let root = folder("place");
    let (output, bundle) = (root.join("output"), root.join("bundle"));
    std::fs::create_dir_all(output.join("ko")).expect("a folder");
    for inside in
        ["output/map", "output/ko/map", "output/new/map", "./output/./map", "x/../output/map", "bundle/a/../map"]
    {
        let (code, _) = wrong(&root.join(inside), &[&output, &bundle]);
        assert_eq!(code, "map-in-output", "{inside}");
    }
    for outside in ["map", "output-map", "outputs/map", "output/../map", "bundle/../map"] {
        assert!(Map::load(&root.join(outside), &[&output, &bundle]).is_ok(), "{outside}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&output, root.join("link")).expect("a link");
        assert_eq!(wrong(&root.join("link/map"), &[&output]).0, "map-in-output");
        assert_eq!(wrong(&root.join("link/new/map"), &[&output]).0, "map-in-output");
        assert_eq!(wrong(&root.join("output/map"), &[&root.join("link")]).0, "map-in-output");
    }
}

#[test]
fn what_is_no_map_is_refused() {
    let root = folder("broken");
    let path = root.join("map.toml");
    for bytes in [&b""[..], b"\xff\xfe", b"node-a = 1", b"{\"version\": 1}"] {
        write(&path, bytes, 0o600);
        assert_eq!(wrong(&path, &[]).0, "map-broken");
    }
    assert_eq!(wrong(&root, &[]).0, "map-unreadable");
}
