//! Aliases over several runs: no two share one, each keeps its own.

use super::*;

/// Earlier runs, by kind and value.
#[derive(Default)]
struct Earlier(BTreeMap<(String, String), String>, BTreeSet<String>);

impl Earlier {
    fn of(runs: &[&Aliases]) -> Self {
        let mut all = Self::default();
        for (kind, value, alias) in runs.iter().flat_map(|run| run.lasting()) {
            all.0.insert((kind.to_owned(), value.to_owned()), alias.to_owned());
            all.1.insert(alias.to_owned());
        }
        all
    }
}

impl Previous for Earlier {
    fn alias(&self, kind: &str, value: &str) -> Option<&str> {
        self.0.get(&(kind.to_owned(), value.to_owned())).map(String::as_str)
    }

    fn given(&self) -> &BTreeSet<String> {
        &self.1
    }
}

fn words(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn of_kind(kind: Kind, values: &[&str]) -> BTreeSet<(Kind, String)> {
    values.iter().map(|value| (kind, (*value).to_owned())).collect()
}

/// What a run over these values gives; nodes in their order.
fn run(values: &BTreeSet<(Kind, String)>, previous: Option<&dyn Previous>) -> Aliases {
    run_with(values, (&words(&[]), &words(&[])), previous)
}

/// The same with the aliases that are kept and the words that are reserved.
fn run_with(
    values: &BTreeSet<(Kind, String)>,
    (kept, reserved): (&BTreeSet<String>, &BTreeSet<String>),
    previous: Option<&dyn Previous>,
) -> Aliases {
    let nodes: Vec<String> =
        values.iter().filter(|(kind, _)| *kind == Kind::Node).map(|(_, value)| value.clone()).collect();
    Aliases::assign(&Wanted { nodes: &nodes, values, kept, reserved }, previous)
}

fn shown(aliases: &Aliases) -> Vec<String> {
    aliases.iter().map(|(_, value, alias)| format!("{value} {alias}")).collect()
}

#[test]
fn counts_in_letters() {
    let all = [1, 2, 26, 27, 52, 53, 702, 703].map(letters);
    assert_eq!(all, ["a", "b", "z", "aa", "az", "ba", "zz", "aaa"]);
}

#[test]
fn shared_nets_share_a_token_and_no_octet_is_kept() {
    let values = of_kind(
        Kind::Address,
        &[
            "10.9.8.77",
            "10.9.8.12",
            "10.9.7.77",
            "203.0.113.9",
            "fd00::9",
            "fd00:0:0:1::9",
            "169.254.3.4",
            "fe80::1",
            "::ffff:10.9.8.12",
            "FD00::9",
        ],
    );
    assert_eq!(
        shown(&run(&values, None)),
        [
            "10.9.7.77 priv-net01.h1",
            "10.9.8.12 priv-net02.h1",
            "10.9.8.77 priv-net02.h2",
            "169.254.3.4 ll-net01.h1",
            "203.0.113.9 pub-net01.h1",
            "::ffff:10.9.8.12 priv-net02.h1",
            "FD00::9 v6-net01.h1",
            "fd00:0:0:1::9 v6-net02.h1",
            "fd00::9 v6-net01.h1",
            "fe80::1 ll-net02.h1",
        ]
    );
}

#[test]
fn many_of_a_kind_are_counted_on() {
    let pods: Vec<String> = (0..100).map(|i| format!("web-{i:03}-x7k2p")).collect();
    let nodes: Vec<String> = (0..10_000).map(|i| format!("rack-{i:05}")).collect();
    let hosts: Vec<String> = (0..800).map(|i| format!("10.{}.{}.{}", i / 400, i / 2 % 200, i % 2 + 7)).collect();
    let mut values = of_kind(Kind::Node, &nodes.iter().map(String::as_str).collect::<Vec<_>>());
    values.extend(of_kind(Kind::Pod, &pods.iter().map(String::as_str).collect::<Vec<_>>()));
    values.extend(of_kind(Kind::Address, &hosts.iter().map(String::as_str).collect::<Vec<_>>()));
    let all = run(&values, None);
    assert_eq!(all.get(Kind::Pod, "web-098-x7k2p"), "pod-99");
    assert_eq!(all.get(Kind::Pod, "web-099-x7k2p"), "pod-100");
    assert_eq!(all.get(Kind::Address, "10.1.199.8"), "priv-net400.h2");
    // 10,000 and those of the words that come before
    assert_eq!(all.get(Kind::Node, "rack-09999"), format!("node-{}", letters(10_000 + words_before("nto"))));
    let aliases: BTreeSet<&str> = all.iter().map(|(_, _, alias)| alias).collect();
    assert_eq!(aliases.len(), 10_900);
    assert!(!aliases.contains("node-ip") && aliases.contains("node-iq"));
    assert!(aliases.iter().all(|alias| forms(alias).eq(std::iter::once(0..alias.len()))));
}

/// How many words of the field come before some letters.
fn words_before(letters: &str) -> usize {
    WORDS.iter().filter(|word| (word.len(), **word) < (letters.len(), letters)).count()
}

#[test]
fn a_value_that_looks_like_an_alias_gets_another() {
    let mut values = of_kind(Kind::Node, &["alpha", "node-b", "node_c", "node-d7"]);
    values.extend(of_kind(Kind::Pod, &["pod-03", "web-01", "x-pod-01"]));
    values.extend(of_kind(Kind::User, &["user-01", "pod-02", "node-a"]));
    values.extend(of_kind(Kind::Host, &["priv-net01.h9"]));
    values.extend(of_kind(Kind::Address, &["10.1.1.1"]));
    let all = run(&values, None);
    assert_eq!(
        shown(&all),
        [
            "alpha node-d",
            "node-b node-e",
            "node-d7 node-f",
            "node_c node-g",
            "priv-net01.h9 host-01",
            "pod-03 pod-04",
            "web-01 pod-05",
            "x-pod-01 pod-06",
            "node-a user-02",
            "pod-02 user-03",
            "user-01 user-04",
            "10.1.1.1 priv-net02.h1",
        ]
    );
    assert!(all.collisions().is_empty());
}

#[test]
fn a_kept_alias_is_given_to_nothing() {
    let mut values = of_kind(Kind::Node, &["alpha", "beta"]);
    values.extend(of_kind(Kind::Address, &["10.1.1.1"]));
    let kept = words(&["node-a", "priv-net01.h7"]);
    // they stand in the captures too
    let all = run_with(&values, (&kept, &kept), None);
    assert_eq!(shown(&all), ["alpha node-b", "beta node-c", "10.1.1.1 priv-net02.h1"]);
    assert!(all.collisions().is_empty());
}

#[test]
fn a_word_in_the_way_is_a_collision() {
    let mut values = of_kind(Kind::Node, &["alpha", "beta"]);
    values.extend(of_kind(Kind::Address, &["10.1.1.1"]));
    let none = words(&[]);
    let harmless = words(&["node-c", "pod-01", "node-ip", "priv-net02.h1", "pub-net01.h1"]);
    let all = run_with(&values, (&none, &harmless), None);
    assert_eq!(shown(&all), ["alpha node-a", "beta node-b", "10.1.1.1 priv-net01.h1"]);
    assert!(all.collisions().is_empty());
    let all = run_with(&values, (&none, &words(&["node-b", "priv-net01.h5", "pod-01"])), None);
    assert_eq!(shown(&all), ["alpha node-a", "beta node-c", "10.1.1.1 priv-net02.h1"]);
    assert_eq!(all.collisions(), &words(&["node-b", "priv-net01.h5"]));
}

#[test]
fn a_later_run_keeps_what_it_knows() {
    let mut first = of_kind(Kind::Node, &["alpha", "beta", "gamma"]);
    first.extend(of_kind(Kind::Address, &["10.1.1.7", "10.1.1.9", "10.1.2.7"]));
    let first = run(&first, None);
    // beta and two addresses are gone, aaron and three addresses are new
    let mut second = of_kind(Kind::Node, &["aaron", "alpha", "gamma"]);
    second.extend(of_kind(Kind::Address, &["10.1.0.1", "10.1.1.7", "10.1.1.1", "10.1.2.1"]));
    let second = run(&second, Some(&Earlier::of(&[&first])));
    assert_eq!(
        shown(&second),
        [
            "aaron node-d",
            "alpha node-a",
            "gamma node-c",
            "10.1.0.1 priv-net03.h1",
            "10.1.1.1 priv-net01.h3",
            "10.1.1.7 priv-net01.h1",
            "10.1.2.1 priv-net02.h2",
        ]
    );
    // and back again
    let third = run(&of_kind(Kind::Node, &["beta", "delta"]), Some(&Earlier::of(&[&first, &second])));
    assert_eq!(shown(&third), ["beta node-b", "delta node-e"]);
}

#[test]
fn what_an_earlier_run_gave_yields_to_names_and_collides_with_the_rest() {
    let mut values = of_kind(Kind::Node, &["alpha", "beta"]);
    values.extend(of_kind(Kind::Address, &["10.1.1.1", "10.1.2.1"]));
    let earlier = Earlier::of(&[&run(&values, None)]);
    let (none, some) = (words(&[]), words(&["node-a", "priv-net02.h9"]));
    for (kept, reserved) in [(&some, &none), (&none, &some)] {
        let all = run_with(&values, (kept, reserved), Some(&earlier));
        assert_eq!(all.collisions(), &some);
        assert_eq!(shown(&all), ["alpha node-c", "beta node-b", "10.1.1.1 priv-net01.h1", "10.1.2.1 priv-net03.h1"]);
    }
    values.extend(of_kind(Kind::Node, &["node-a"]));
    let all = run(&values, Some(&earlier));
    assert_eq!(all.get(Kind::Node, "alpha"), "node-c");
    assert_eq!(all.get(Kind::Node, "node-a"), "node-d");
    assert!(all.collisions().is_empty());
}

const KINDS: [Kind; 5] = [Kind::Node, Kind::Host, Kind::Pod, Kind::User, Kind::Address];

fn inventory() -> impl proptest::strategy::Strategy<Value = BTreeSet<(Kind, String)>> {
    use proptest::prelude::*;
    let value = prop_oneof![
        "[a-d]{1,2}",
        "node[-_.][a-f]",
        "(pod|user|host)-0[1-6]",
        "priv-net0[1-3]\\.h[1-3]",
        "10\\.0\\.[0-3]\\.[1-4]",
        "fd00::[1-4]",
    ];
    let one = (0..KINDS.len(), value).prop_map(|(kind, value)| match value.parse::<IpAddr>() {
        Ok(_) => (Kind::Address, value),
        Err(_) => (KINDS[kind % 4], value),
    });
    prop::collection::btree_set(one, 0..30)
}

fn alike() -> impl proptest::strategy::Strategy<Value = BTreeSet<String>> {
    proptest::collection::btree_set("node-[a-f]|(pod|user|host)-0[1-6]|priv-net0[1-4]\\.h[1-3]", 0..6)
}

proptest::proptest! {
    #[test]
    fn two_values_never_share_an_alias((first, second) in (inventory(), inventory()), kept in alike(), reserved in alike()) {
        let once = run(&first, None);
        let earlier = Earlier::of(&[&once]);
        let both = run_with(&second, (&kept, &reserved), Some(&earlier));
        for all in [&once, &both] {
            let aliases: BTreeSet<&str> = all.iter().map(|(_, _, alias)| alias).collect();
            proptest::prop_assert_eq!(aliases.len(), all.iter().count());
        }
        proptest::prop_assert_eq!(both.iter().count(), second.len());
        for (kind, value, alias) in both.iter() {
            proptest::prop_assert!(forms(alias).eq(std::iter::once(0..alias.len())), "{alias}");
            proptest::prop_assert!(!kept.contains(alias) && !reserved.contains(alias), "{alias}");
            proptest::prop_assert!(!second.iter().any(|(_, name)| name.replace(['_', '.'], "-") == alias || name == alias));
            // its own, or never given to anything
            let own = earlier.alias(kind.name(), value) == Some(alias);
            proptest::prop_assert!(own || !earlier.given().contains(alias), "{alias}");
        }
        // what shares a net shares a token, also over both runs, unless a name or a word is in the way
        let token = |alias: &str| alias.split('.').next().map(str::to_owned);
        for all in [&once, &both] {
            for (_, a, one) in all.iter().filter(|(kind, _, _)| *kind == Kind::Address) {
                for (_, b, other) in all.iter().filter(|(kind, _, _)| *kind == Kind::Address) {
                    let net = |address: &str| Net::of(address.parse().expect("an address"));
                    proptest::prop_assert_eq!(net(a) == net(b), token(one) == token(other));
                }
            }
        }
    }

    #[test]
    fn words_that_do_not_collide_change_nothing(values in inventory(), reserved in alike()) {
        let all = run_with(&values, (&words(&[]), &reserved), None);
        let fewer = run_with(&values, (&words(&[]), all.collisions()), None);
        proptest::prop_assert_eq!(shown(&all), shown(&fewer));
        if all.collisions().is_empty() {
            proptest::prop_assert_eq!(shown(&all), shown(&run(&values, None)));
        }
    }

    #[test]
    fn a_run_over_the_same_values_changes_nothing((values, less) in (inventory(), inventory())) {
        let once = run(&values, None);
        let earlier = Earlier::of(&[&once]);
        proptest::prop_assert_eq!(shown(&run(&values, Some(&earlier))), shown(&once));
        // and of fewer values, each keeps its own
        let fewer = values.intersection(&less).cloned().collect();
        for (kind, value, alias) in run(&fewer, Some(&earlier)).iter() {
            proptest::prop_assert_eq!(alias, once.get(kind, value));
        }
    }
}
