//! The languages of the series as they are, and catalogues with every mistake.

#![expect(clippy::disallowed_methods, reason = "tests lay out projects of their own")]

use std::path::{Path, PathBuf};

use factpress::capture::Moment;
use factpress::diag::{Colour, Diagnostic, Diagnostics, Outcome};
use factpress::facts::Show;
use factpress::locale::{self as check, Known};
use factpress::locale::{Locale, Shown, Unprintable};
use factpress::project::Project;
use factpress::quantity::{Precision, Quantity, Unit};
use fixed_decimal::Decimal;
use jiff::tz::Offset;
use serde_json::json;

const SITE_KO: &str = include_str!("../locales/ko/site.toml");
const PROJECT: &str = "[series]\nsource = 'ko'\n[languages]\nko = 'ko'\nja = 'ja'\n[[parts]]\nname = 'p'\nnumber = 1\n";

/// A language of the series itself.
fn real(dir: &str) -> Locale {
    let project = Project::open(Path::new(env!("CARGO_MANIFEST_DIR"))).expect("factpress.toml is good");
    Locale::load_site(&project, dir).unwrap_or_else(|wrong| panic!("{}", wrong.to_text(Colour::Never)))
}

/// A project in a folder of its own.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("locale").join(name);
        let _ = std::fs::remove_dir_all(&root);
        for (path, text) in [("factpress.toml", PROJECT)].iter().chain(files) {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is made");
            std::fs::write(path, text).expect("a file is written");
        }
        Self(root)
    }

    fn project(&self) -> Project {
        Project::open(&self.0).expect("a project")
    }

    fn load(&self, dir: &str) -> Outcome<Locale> {
        Locale::load(&self.project(), dir, "p")
    }
}

/// Two languages with the same site.toml.
fn two(name: &str, ko: &str, ja: &str) -> (Locale, Locale) {
    let site = ("locales/ko/site.toml", SITE_KO);
    let files = [site, ("locales/ja/site.toml", SITE_KO), ("locales/ko/p.toml", ko), ("locales/ja/p.toml", ja)];
    let folder = Folder::new(name, &files);
    (folder.load("ko").expect("ko is good"), folder.load("ja").expect("ja is good"))
}

fn quantity(value: f64, unit: Unit, precision: &str, scale: Option<&str>) -> Quantity {
    Quantity::new(value, unit, precision.parse::<Precision>().expect("a precision"), scale).expect("a quantity")
}

fn show(unit: Unit, precision: &str, scale: Option<&str>) -> Show {
    Show { unit, precision: precision.parse().expect("a precision"), scale: scale.map(str::to_owned) }
}

/// Code, place and message's subject of each finding, as `code path:line:column`.
fn listed(wrong: Diagnostics) -> Vec<String> {
    let place = |d: &Diagnostic| d.place().map(ToString::to_string).unwrap_or_default();
    wrong.sorted().iter().map(|d| format!("{} {}", d.code(), place(d))).collect()
}

#[test]
fn numbers_are_those_of_each_language() {
    // Value, unit, precision, scale; then ko, ja, zh as CLDR groups and separates digits.
    let cases = [
        (247.0, Unit::Count, "n", None, ["247", "247", "247"]),
        (44_508.978_93, Unit::PerHour, "n", None, ["44,509", "44,509", "44,509"]),
        (93_892_856.0, Unit::Count, "n", None, ["93,892,856", "93,892,856", "93,892,856"]),
        (1234.0, Unit::Count, "n", None, ["1,234", "1,234", "1,234"]),
        (-1234.5, Unit::Number, ".1", None, ["-1,234.5", "-1,234.5", "-1,234.5"]),
        (30.401_988, Unit::PerSecond, ".1", None, ["30.4", "30.4", "30.4"]),
        (0.003_368_8, Unit::PerSecond, "2s", None, ["0.0034", "0.0034", "0.0034"]),
        (0.797_977, Unit::Ratio, "n", None, ["80%", "80%", "80%"]),
        (948_016_692_718.0, Unit::Bytes, "n", None, ["883 GiB", "883 GiB", "883 GiB"]),
        (187_881.703, Unit::BytesPerSecond, "n", None, ["183 KiB/s", "183 KiB/s", "183 KiB/s"]),
        (0.021_985, Unit::Seconds, "n", Some("ms"), ["22 ms", "22 ms", "22 ms"]),
        (1.5, Unit::Seconds, "n", Some("ms"), ["1,500 ms", "1,500 ms", "1,500 ms"]),
        (30.0, Unit::Seconds, "n", None, ["30초", "30 秒", "30秒"]),
        (58.400_66, Unit::Days, ".1", None, ["58.4", "58.4", "58.4"]),
    ];
    for (dir, i) in [("ko", 0), ("ja", 1), ("zh", 2)] {
        let locale = real(dir);
        for (value, unit, precision, scale, printed) in &cases {
            let q = quantity(*value, *unit, precision, *scale);
            assert_eq!(locale.quantity(&q), printed[i], "{dir} {value} {}", unit.name());
        }
        assert_eq!(locale.number(&Decimal::from(1_000_000)), "1,000,000");
    }
}

#[test]
fn approximate_numbers_use_the_words_of_each_language() {
    let cases = [
        (110_953.806_9, ["11만", "11万", "11万"]),
        (44_508.978_9, ["4.5만", "4.5万", "4.5万"]),
        (9_960.0, ["1만", "1万", "1万"]),
        (9_940.0, ["9,900", "9,900", "9,900"]),
        (93_892_856.0, ["9,400만", "9,400万", "9,400万"]),
        (99_960_000.0, ["1억", "1億", "1亿"]),
        (123_456_789.0, ["1.2억", "1.2億", "1.2亿"]),
        (1_250_000_000_000.0, ["1.3조", "1.3兆", "1.3万亿"]),
        (-110_953.8, ["-11만", "-11万", "-11万"]),
        (247.0, ["250", "250", "250"]),
        (144.9, ["140", "140", "140"]),
        (0.123, ["0.12", "0.12", "0.12"]),
    ];
    for (dir, i) in [("ko", 0), ("ja", 1), ("zh", 2)] {
        let locale = real(dir);
        for (value, printed) in &cases {
            assert_eq!(locale.approx(&quantity(*value, Unit::PerHour, "n", None)), printed[i], "{dir} {value}");
        }
        assert_eq!(locale.approx(&quantity(948_016_692_718.0, Unit::Bytes, "n", None)), "880 GiB");
        assert_eq!(locale.approx(&quantity(0.797_977, Unit::Ratio, "n", None)), "80%");
    }
}

#[test]
fn other_languages_group_in_their_own_way() {
    for (tag, printed) in
        [("de", "1.234.567,5"), ("hi", "12,34,567.5"), ("fr", "1\u{202F}234\u{202F}567,5"), ("en", "1,234,567.5")]
    {
        let project = format!("[series]\nsource = 'x'\n[languages]\nx = '{tag}'\n");
        let folder = Folder::new(tag, &[("factpress.toml", &project), ("locales/x/site.toml", SITE_KO)]);
        let locale = Locale::load_site(&folder.project(), "x").expect("good");
        assert_eq!(locale.number(&"1234567.5".parse().expect("a number")), printed, "{tag}");
    }
}

#[test]
fn words_of_every_language_are_there_and_like_each_other() {
    let ko = real("ko");
    for (dir, tag, name, part, figure) in [
        ("ko", "ko", "한국어", "6편", "그림 2"),
        ("ja", "ja", "日本語", "第 6 回", "図 2"),
        ("zh", "zh-Hans", "简体中文", "第 6 篇", "图 2"),
    ] {
        let locale = real(dir);
        assert_eq!((locale.dir(), locale.tag(), locale.words("language.name")), (dir, tag, name));
        assert_eq!(locale.fill("series.part", &["6"]), part);
        assert_eq!(locale.fill("number.figure", &["2"]), figure);
        assert_eq!(listed(check::compare(&ko, &locale)), [""; 0]);
        assert_eq!(listed(check::alone(&locale, &Known::default())), [""; 0]);
        assert!(locale.text("callout.name").is_some());
        assert_eq!((locale.words("no.such"), locale.fill("no.such", &["1"]).as_str()), ("no.such", "no.such"));
    }
}

#[test]
fn times_are_said_in_each_language() {
    let nine = Offset::from_seconds(9 * 3600).expect("an offset");
    let at = |text: &str| Moment { instant: text.parse().expect("a time"), offset: nine };
    let (from, to) = (at("2026-10-16T18:00:00Z"), at("2026-10-16T18:05:00Z"));
    for (dir, window, moment) in [
        ("ko", "2026년 10월 17일 03:00–03:05(KST)", "2026년 10월 17일 03:05:00(KST)"),
        ("ja", "2026年10月17日 03:00～03:05（KST）", "2026年10月17日 03:05:00（KST）"),
        ("zh", "2026年10月17日 03:00–03:05（KST）", "2026年10月17日 03:05:00（KST）"),
    ] {
        let locale = real(dir);
        assert!(locale.moment(&to).contains("UTC+9"));
        let locale = locale.in_zone("Asia/Seoul", nine);
        assert_eq!((locale.window(&from, &to).as_str(), locale.moment(&to).as_str()), (window, moment));
        assert_eq!(locale.date(&to), window.split(" 03").next().expect("a day"));
    }
}

#[test]
fn facts_are_printed_by_their_type() {
    let ko = real("ko").with_aliases(["node-a"]);
    let count = show(Unit::Count, "n", None);
    let text = show(Unit::Text, "n", None);
    let print = |value: serde_json::Value, show: &Show| ko.markdown(&value, show);
    let exact: serde_json::Value = serde_json::from_str("9007199254740993").expect("JSON");
    assert_eq!(print(exact, &count).as_deref(), Ok("9,007,199,254,740,993"));
    assert_eq!(print(json!([242, 239, 239]), &count).as_deref(), Ok("242 · 239 · 239"));
    assert_eq!(print(json!(-0.0), &count).as_deref(), Ok("0"));
    assert_eq!(print(json!("v1.34.10"), &text).as_deref(), Ok("`v1.34.10`"));
    assert_eq!(print(json!(["a`b", "c"]), &text).as_deref(), Ok("``a`b`` · `c`"));
    assert_eq!(print(json!("node-a"), &text).as_deref(), Ok("노드 A"));
    assert_eq!(print(json!("node-a.default"), &text).as_deref(), Ok("`노드 A.default`"));
    // a longer name stays code, whatever it is made of; what only looks like an alias stays as it is
    assert_eq!(print(json!("kube-proxy-node-a"), &text).as_deref(), Ok("`kube-proxy-노드 A`"));
    assert_eq!(print(json!("node-b"), &text).as_deref(), Ok("`node-b`"));
    assert_eq!(ko.plain(&json!(["node-a", "c"]), &text).as_deref(), Ok("노드 A · c"));
    let big: serde_json::Value = serde_json::from_str("1e999").expect("JSON");
    for (value, why) in [
        (json!(null), Unprintable::Absent),
        (json!([]), Unprintable::Absent),
        (json!(true), Unprintable::Bool),
        (json!({"a": 1}), Unprintable::Object),
        (json!([[1]]), Unprintable::List),
        (json!([1, {}]), Unprintable::Object),
        (json!(" "), Unprintable::Empty),
        (json!("\u{E001}"), Unprintable::PrivateUse),
        (big, Unprintable::NotFinite),
    ] {
        assert_eq!(print(value, &count), Err(why));
    }
    assert_eq!(ko.value(&json!([1]), &count), Err(Unprintable::List));
    assert_eq!(ko.value(&json!(1), &show(Unit::Bytes, "n", Some("MB"))), Err(Unprintable::NoSuchScale("MB".into())));
    assert_eq!(ko.value_approx(&json!(110_953.8), &count), Ok(Shown { text: "11만".into(), code: false }));
    assert_eq!(ko.value_approx(&json!("x"), &count), Err(Unprintable::NotANumber));
}

#[test]
fn a_locale_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Locale>();
}

#[test]
fn strings_are_found_and_placeholders_have_their_place() {
    let text = "a.b = '''\n연결 {x}개, 약 {y.z:approx}\n'''\nc = \"\\t{x}\"\n";
    let (ko, _) = two("places", text, text);
    assert_eq!(ko.keys().map(|(key, _)| key).collect::<Vec<_>>(), ["a.b", "c"]);
    let found = ko.text("a.b").expect("a string");
    assert_eq!(found.place().to_string(), "locales/ko/p.toml:1:7");
    let places: Vec<_> = found.placeholders().map(|(.., span)| found.at(span).to_string()).collect();
    assert_eq!(places, ["locales/ko/p.toml:2:4", "locales/ko/p.toml:2:12"]);
    assert_eq!(found.pieces.last().map(ToString::to_string).as_deref(), Some("{y.z:approx}"));
    let escaped = ko.text("c").expect("a string");
    let place = escaped.placeholders().next().map(|(.., span)| escaped.at(span).to_string());
    assert_eq!(place.as_deref(), Some("locales/ko/p.toml:4:5"));
    assert!(ko.text("no.such").is_none());
}

#[test]
fn a_language_is_compared_with_the_source() {
    let ko = "a = '{x} {y:approx}'\nb = '나'\nc = '{x}'\nwatcher = '다'\n";
    let ja = "a = '{y} {x} {x}'\nc = '{ x } {z}'\nwatchers = 'ダ'\n";
    let (ko, ja) = two("compare", ko, ja);
    let wrong = check::compare(&ko, &ja);
    let meant = wrong.iter().find(|d| d.code() == "string-extra").and_then(Diagnostic::help);
    assert_eq!(meant, Some("did you mean `watcher`?"));
    assert_eq!(
        listed(wrong),
        [
            "string-missing locales/ja/p.toml",
            "string-missing locales/ja/p.toml",
            "placeholder-missing locales/ja/p.toml:2:6",
            "placeholder-extra locales/ja/p.toml:2:12",
            "string-extra locales/ja/p.toml:3:12",
        ]
    );
}

#[test]
fn a_language_is_checked_by_itself() {
    let text = "a = '{etcd_conections}'\nb = ''\nc = '`{etcd_connections}` {{etcd_connections}}'\nd = '{etcd_connections:round}'\n\
                e = '{host.ss} {at.x} {host} {part.p} {part.q} {window} {window.x} {key}'\nf = \"  \\n\"\ng = '`{key}` `{host.ss}` {job=}'\n\
                h = '{nothing_like_it}'\n";
    let (ko, _) = two("alone", text, text);
    let known = Known { facts: ["etcd_connections"].into(), captures: ["ss"].into(), parts: ["p"].into() };
    let wrong = check::alone(&ko, &known);
    assert_eq!(wrong.iter().next().and_then(Diagnostic::help), Some("did you mean `etcd_connections`?"));
    assert_eq!(
        listed(wrong),
        [
            "placeholder-unknown locales/ko/p.toml:1:6",
            "string-empty locales/ko/p.toml:2:5",
            "placeholder-in-code locales/ko/p.toml:3:7",
            "placeholder-malformed locales/ko/p.toml:3:27",
            "placeholder-format locales/ko/p.toml:4:6",
            "placeholder-unknown locales/ko/p.toml:5:16",
            "placeholder-unknown locales/ko/p.toml:5:23",
            "placeholder-unknown locales/ko/p.toml:5:39",
            "placeholder-unknown locales/ko/p.toml:5:57",
            "string-empty locales/ko/p.toml:6:5",
            "placeholder-in-code locales/ko/p.toml:7:15",
            "placeholder-unknown locales/ko/p.toml:8:6",
        ]
    );
}

#[test]
fn every_mistake_of_a_language_is_told_at_once() {
    let site = SITE_KO
        .replace("number.table", "x")
        .replace("next = '다음 글'\n", "")
        .replace("'{}편'", "'편'")
        .replace("ms = '{} ms'", "KB = '{} KB'")
        .replace("ns = '{} ns'", "ns = 'ns'")
        .replace("10000 = '{}만'", "10001 = '{}만'")
        .replace("pod = '파드 {}'", "pod = '파드'")
        .replace("date = '{year}년", "date = '{years}년")
        .replace("days = ", "span = ");
    let folder = Folder::new("site", &[("locales/ko/site.toml", &site)]);
    let wrong = folder.load("ko").expect_err("mistakes");
    let mut codes: Vec<_> = wrong.iter().map(Diagnostic::code).collect();
    codes.sort_unstable();
    assert_eq!(
        codes,
        [
            "file-unreadable",
            "site-approx",
            "site-date",
            "site-date",
            "site-date",
            "site-pattern",
            "site-pattern",
            "site-pattern",
            "site-unit",
            "site-unit",
            "site-word-missing",
        ]
    );
    assert!(wrong.iter().all(|d| d.place().is_some() && d.help().is_some()));
    assert_eq!(
        folder.load("en").expect_err("no such language").iter().next().map(Diagnostic::code),
        Some("language-unknown")
    );
}
