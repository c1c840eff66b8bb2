//! The known name that somebody probably meant.

/// The name that differs from `name` least, if that is little.
pub(super) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n String>) -> Option<&'n str> {
    let most = name.chars().count() / 3;
    let near = names.map(|known| (distance(name, known), known.as_str()));
    near.filter(|(distance, _)| *distance <= most).min().map(|(_, known)| known)
}

/// Levenshtein's distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_found_and_a_guess_is_not_made() {
        let known = ["etcd_watch_streams", "etcd_watchers", "crds"].map(str::to_owned);
        assert_eq!(nearest("etcd_wach_streams", known.iter()), Some("etcd_watch_streams"));
        assert_eq!(nearest("crd", known.iter()), Some("crds"));
        assert_eq!(nearest("pods", known.iter()), None);
    }
}
