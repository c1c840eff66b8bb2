//! What becomes of what places say.

use super::*;

fn settled(rules: &MaskRules, claims: &[(Place, &str)]) -> Inventory {
    let mut inventory = Inventory::new(rules, &[]);
    claims.iter().for_each(|(place, value)| inventory.claim(*place, value));
    inventory.settle();
    inventory
}

fn values(claims: &[(Place, &str)]) -> Vec<String> {
    let inventory = settled(&MaskRules::default(), claims);
    let typed =
        inventory.typed().into_iter().map(|((kind, name), value)| format!("typed {} {name} {value}", kind.name()));
    let values = inventory.values().iter().map(|(kind, value)| format!("{} {value}", kind.name()));
    values.chain(typed).collect()
}

#[test]
fn claims_become_values() {
    use Place::*;
    let mut wrong = Vec::new();
    for (claims, expected) in [
        // certain nodes
        (&[(Node, "Alpha.")][..], &["node alpha"][..]),
        (&[(Node, "alpha.dc1.acme.dev:10250")], &["node alpha", "domain acme.dev", "domain dc1.acme.dev"]),
        (&[(Node, "master")], &["typed node master master"]),
        (&[(Node, "a")], &["typed node a a"]),
        (&[(Node, "10.0.0.1"), (Node, "42"), (Node, "8e9e05c52164694d"), (Node, "<none>"), (Node, "x.y.svc")], &[]),
        // probable ones
        (&[(Host, "alpha-1:9100")], &["node alpha-1"]),
        (&[(Host, "alpha")], &[]),
        (&[(Host, "alpha-1.rack")], &["node alpha-1"]),
        (&[(Host, "ip-10-0-0-1.ec2.internal")], &["node ip-10-0-0-1"]),
        (&[(Host, "redis.cache"), (Host, "redis-master"), (Host, "kube-dns"), (Host, "node-exporter")], &[]),
        (&[(Host, "v1.34.10"), (Host, "1.2.3-x"), (Host, "x-1.y.svc"), (Host, "localhost"), (Host, "k8s")], &[]),
        (&[(Host, "s3-7.amazonaws.com"), (Host, "api.github.com")], &[]),
        (&[(Host, "web-7d9c5b8f6d-x2kqz"), (Host, "web-0"), (Pod, "web-0")], &["pod web-0"]),
        (&[(Computer, "alpha"), (Computer, "web-0"), (Pod, "web-0")], &["node alpha", "pod web-0"]),
        (&[(Computer, "web-7d9c5b8f6d-x2kqz"), (Computer, "localhost")], &["pod web-7d9c5b8f6d-x2kqz"]),
        // sites and domains
        (&[(Site, "api.acme.dev:6443")], &["domain acme.dev"]),
        (&[(Site, "*.apps.acme.co.kr")], &["domain acme.co.kr", "domain apps.acme.co.kr"]),
        (&[(Site, "acme.co.kr")], &["domain acme.co.kr"]),
        (&[(Site, "api.github.com"), (Site, "hubble.svc"), (Site, "kubernetes.default"), (Site, "x")], &[]),
        (&[(Domain, "dc1.acme.dev"), (Domain, "svc.cluster.local")], &["domain acme.dev", "domain dc1.acme.dev"]),
        // pods
        (&[(Pod, "web-0"), (Pod, "web"), (Pod, "x-1"), (Pod, "10.0.0.1"), (Pod, "v1.2")], &["pod web-0"]),
        (&[(Pod, "kube-apiserver-alpha-1"), (Node, "alpha-1")], &["node alpha-1"]),
        // users
        (&[(User, "jdoe"), (User, "root"), (User, "kube-etcd"), (User, "system:admin"), (User, "7")], &["user jdoe"]),
        (&[(User, "jdoedoe+"), (User, "messag+")], &["user jdoedoe+"]),
        // clusters, zones, machines
        (&[(Cluster, "blue"), (Cluster, "default"), (Cluster, "kind")], &["cluster blue"]),
        (&[(Zone, "dc2-room4"), (Zone, "r17"), (Zone, "seoul")], &["zone dc2-room4", "zone r17"]),
        (&[(Zone, "eu-west-1a"), (Zone, "us-east-2"), (Zone, "europe-west4-b"), (Zone, "koreacentral-1")], &[]),
        (
            &[(Machine, "i-0f1e2d3c4b5a69788"), (Machine, "shortid"), (Machine, "unspecified")],
            &["machine i-0f1e2d3c4b5a69788"],
        ),
        (&[(Machine, "alpha-10"), (Node, "alpha-10")], &["node alpha-10"]),
    ] {
        let mut told = values(claims);
        let mut expected = expected.to_vec();
        told.sort();
        expected.sort_unstable();
        if told != expected {
            wrong.push(format!("{claims:?}\n   gives {told:?}\n     not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_person_named_and_is_a_word_is_typed() {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let rules = MaskRules {
        nodes: texts(&["a", "alpha", "10.0.0.1"]),
        users: texts(&["ubuntu", "jdoe", ""]),
        words: texts(&["App"]),
        ..MaskRules::default()
    };
    let inventory = settled(&rules, &[]);
    let spellings: Vec<_> = inventory.entries().into_iter().map(|entry| entry.spelling).collect();
    assert_eq!(spellings, ["alpha", "jdoe", "app"]);
    let typed: Vec<_> = inventory.typed().into_keys().collect();
    assert_eq!(typed, [(Kind::Node, "a".to_owned()), (Kind::User, "ubuntu".to_owned())]);
    assert!(inventory.values().contains(&(Kind::User, "ubuntu".to_owned())), "it has an alias");
}

#[test]
fn what_is_allowed_is_no_value() {
    let rules = MaskRules { allow: vec!["Alpha-1".into(), "web-0".into(), "jdoe".into()], ..MaskRules::default() };
    let claims = [(Place::Node, "alpha-1"), (Place::Host, "alpha-1"), (Place::Pod, "web-0"), (Place::User, "jdoe")];
    assert!(settled(&rules, &claims).values().is_empty());
}
