//! Words that name no one, and the forms that names have.

use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Words that name no one: masking them would hide nothing and harm much.
static COMMON: LazyLock<BTreeSet<&str>> = LazyLock::new(|| words(include_str!("common_words.txt")));

/// Domains in which everybody's names lie; masking them would hide nothing.
static SHARED_DOMAINS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| words(include_str!("shared_domains.txt")));

/// The words of a list; a line that begins with `#` says what follows.
fn words(list: &'static str) -> BTreeSet<&'static str> {
    list.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace).collect()
}

/// Labels under which a country registers names: `co.kr`, `ac.jp`, `com.cn`.
const SECOND_LEVEL: &[&str] =
    &["co", "or", "ac", "go", "ne", "re", "pe", "com", "net", "org", "gov", "edu", "ad", "gr", "lg", "ed", "mil"];

/// Last labels of names of hosts; every one of two letters is one as well.
const TOP_LEVEL: &[&str] = &[
    "com",
    "net",
    "org",
    "info",
    "biz",
    "edu",
    "gov",
    "mil",
    "int",
    "dev",
    "app",
    "cloud",
    "site",
    "online",
    "tech",
    "xyz",
    "shop",
    "store",
    "systems",
    "network",
    "company",
    "team",
    "tools",
    "run",
    "page",
    "zone",
    "internal",
    "intranet",
    "intra",
    "private",
    "corp",
    "home",
    "lan",
    "local",
    "localnet",
    "priv",
    "test",
    "example",
    "invalid",
    "arpa",
    "asia",
    "bank",
    "games",
    "studio",
    "digital",
    "host",
    "hosting",
    "services",
    "solutions",
    "software",
];

/// What the zones and regions of providers begin with.
const REGIONS: &[&str] = &[
    "us",
    "eu",
    "ap",
    "sa",
    "ca",
    "me",
    "af",
    "il",
    "mx",
    "cn",
    "kr",
    "jp",
    "uk",
    "in",
    "asia",
    "europe",
    "australia",
    "northamerica",
    "southamerica",
    "africa",
    "koreacentral",
    "koreasouth",
    "japaneast",
    "japanwest",
    "eastus",
    "westus",
    "centralus",
    "northeurope",
    "westeurope",
    "eastasia",
    "southeastasia",
    "uksouth",
    "ukwest",
    "fr",
    "de",
    "francecentral",
    "germanywestcentral",
    "swedencentral",
    "australiaeast",
    "canadacentral",
    "brazilsouth",
    "southcentralus",
    "northcentralus",
    "westcentralus",
    "centralindia",
];

pub(super) fn is_common(word: &str) -> bool {
    COMMON.contains(word)
}

/// Whether a name is a common word, or made of nothing else: `redis-master`.
pub(super) fn is_generic(name: &str) -> bool {
    is_common(name) || name.split(['-', '_', '.']).all(is_common)
}

/// Whether a name, or of a cut one the beginning, is one that every system has.
pub(super) fn is_system_user(name: &str, cut: bool) -> bool {
    is_generic(name)
        || (cut && COMMON.iter().any(|word| word.starts_with(name)))
        || ["systemd", "_", "system:"].iter().any(|start| name.starts_with(start))
}

/// Whether everybody's names lie in a domain.
pub(super) fn is_shared(domain: &str) -> bool {
    let parents = domain.match_indices('.').map(|(at, _)| &domain[at + 1..]);
    std::iter::once(domain).chain(parents).any(|parent| SHARED_DOMAINS.contains(parent))
}

/// How many labels of a domain someone registers.
pub(super) fn registered(domain: &str) -> usize {
    match domain.split('.').rev().collect::<Vec<_>>()[..] {
        [top, second, ..] if top.len() == 2 && SECOND_LEVEL.contains(&second) => 3,
        _ => 2,
    }
}

/// Whether a name with dots is one of a host, and not `service.namespace` or a file.
pub(super) fn is_internet(name: &str) -> bool {
    let top = name.rsplit('.').next().unwrap_or_default();
    let country = top.len() == 2 && top.bytes().all(|b| b.is_ascii_alphabetic());
    is_name(name) && name.contains('.') && (country || TOP_LEVEL.contains(&top))
}

/// Whether a name was made for one machine: words alone may be a product.
pub(super) fn is_made(label: &str) -> bool {
    label.bytes().any(|b| b.is_ascii_digit() || b == b'-')
}

/// Whether a zone or a rack is no word and no region of a provider.
pub(super) fn is_own_zone(zone: &str) -> bool {
    let letters = |part: &str| part.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let first = zone.split('-').next().unwrap_or_default();
    let compass = ["north", "south", "east", "west", "central"].iter().any(|point| zone.contains(point));
    let provided = REGIONS.contains(&letters(first).as_str()) && (compass || first.len() > 5);
    is_made(zone) && !provided
}

/// Whether a name ends as those that a set gives its pods: `-7d9c5b8f6d-x2kqz`.
pub(in super::super) fn is_of_set(name: &str) -> bool {
    let random = |part: &str| part.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase());
    let mut parts = name.rsplit('-');
    let (last, before) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let hash = (8..=10).contains(&before.len()) && random(before) && before.bytes().any(|b| b.is_ascii_digit());
    last.len() == 5 && random(last) && hash && parts.next().is_some()
}

/// `1.34.10`, `v2.1`
pub(super) fn is_version(name: &str) -> bool {
    let number = name.strip_prefix('v').unwrap_or(name);
    number.starts_with(|c: char| c.is_ascii_digit())
        && number.split(['.', '-', '+', '_']).filter(|part| part.bytes().all(|b| b.is_ascii_digit())).count() >= 2
        && number.contains('.')
}

pub(super) fn is_name(name: &str) -> bool {
    name.len() <= 253
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        && !name.starts_with(['-', '.'])
}

pub(super) fn is_number(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

/// A name inside the cluster, or of the machine for itself.
pub(super) fn is_service(name: &str) -> bool {
    name.starts_with("localhost")
        || [".svc", ".cluster.local", ".local.", ".localdomain"].iter().any(|end| name.ends_with(end))
        || name.contains(".svc.")
}

/// An identifier in hexadecimal, e.g. of a member of etcd.
pub(super) fn is_id(name: &str) -> bool {
    name.len() >= 12 && name.bytes().all(|b| b.is_ascii_hexdigit())
}

pub(super) fn is_uuid(name: &str) -> bool {
    name.len() == 36 && name.bytes().filter(|b| *b == b'-').count() == 4
}
