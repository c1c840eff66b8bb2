//! The known name that somebody probably meant.

/// The name that differs from `name` least, if that is little: at most a third of its letters.
pub fn nearest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let most = name.chars().count() / 3;
    let near = names.into_iter().map(|known| (strsim::levenshtein(name, known), known));
    near.filter(|(distance, _)| *distance <= most).min().map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_found_and_a_guess_is_not_made() {
        let known = ["etcd_watch_streams", "etcd_watchers", "crds"];
        assert_eq!(nearest("etcd_wach_streams", known), Some("etcd_watch_streams"));
        assert_eq!(nearest("crd", known), Some("crds"));
        assert_eq!(nearest("pods", known), None);
    }
}
