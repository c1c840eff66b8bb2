//! Whole parts, from made-up records.

mod published;

use serde_json::json;

use super::*;
use crate::capture::Origin;
use crate::diag::Source;

fn capture(at: Option<&str>) -> Capture {
    let instant = at.map(|at| at.parse().expect("RFC 3339"));
    let at = instant.map(|instant| crate::capture::Moment { instant, offset: jiff::tz::Offset::UTC });
    Capture { path: "measure/x/x.json".to_owned(), format: "json".to_owned(), origin: Origin::Unknown, host: None, at }
}

fn evidence(captures: &[(&str, Value)]) -> IndexMap<String, Evidence> {
    let evidence = |record: &Value| Evidence {
        record: Masked::for_test(record.clone()),
        capture: Masked::for_test(capture(Some("2026-10-17T03:00:57+09:00"))),
    };
    captures.iter().map(|(name, record)| ((*name).to_owned(), evidence(record))).collect()
}

fn part(toml: &str) -> Part {
    Part::parse(Source::new("templates/x/part.toml", toml)).unwrap_or_else(|wrong| panic!("{}", wrong.to_json()))
}

fn computed(toml: &str, captures: &[(&str, Value)]) -> (Facts, Diagnostics) {
    compute(&part(toml), &evidence(captures)).unwrap_or_else(|wrong| panic!("{}", wrong.to_json()))
}

/// Each finding as `code line:column`, in the order in which they were met; and all messages and helps.
fn wrong(outcome: Outcome<impl Sized>) -> (Vec<String>, String) {
    let Err(wrong) = outcome else { panic!("nothing is wrong") };
    let place = |d: &Diagnostic| {
        let place = d.place().expect("every finding has a place");
        format!("{} {}:{}", d.code(), place.line().unwrap_or(0), place.column().unwrap_or(0))
    };
    let words =
        wrong.iter().map(|d| format!("{}\n{}\n", d.message(), d.help().expect("every finding has a help"))).collect();
    (wrong.iter().map(place).collect(), words)
}

fn vector(elements: &[(&str, &str)]) -> Value {
    let element = |(label, value): &(&str, &str)| json!({"metric": {"l": label}, "value": [1.5, number(value)]});
    json!({"resultType": "vector", "result": elements.iter().map(element).collect::<Vec<_>>()})
}

fn number(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}

#[test]
fn facts_rest_on_captures_and_on_facts() {
    let (facts, found_false) = computed(
        r#"
        [facts.sum]
        jq = ".twice + .once"
        unit = "count"
        [facts.once]
        from = "a"
        jq = "value"
        unit = "count"
        [facts.twice]
        from = ["b", "a"]
        jq = "(.b | value) * 2"
        unit = "bytes"
        in = "KiB"
        show = ".1"
        [facts.age]
        from = "b"
        jq = "[$capture, $at - 1]"
        unit = "seconds"
        "#,
        &[("a", vector(&[("x", "18446744073709551617")])), ("b", vector(&[("x", "2")])), ("unused", json!(null))],
    );
    assert!(found_false.is_empty());
    assert_eq!(facts.facts.keys().collect::<Vec<_>>(), ["sum", "once", "twice", "age"]);
    assert_eq!(facts.facts["once"].value.to_string(), "18446744073709551617");
    assert_eq!(facts.facts["sum"].value.to_string(), "18446744073709551621");
    assert_eq!(facts.facts["sum"].from, ["a", "b"]);
    assert_eq!(facts.facts["twice"].from, ["a", "b"]);
    let show = Show { unit: Unit::Bytes, precision: Precision::Decimals(1), scale: Some("KiB".to_owned()) };
    assert_eq!(facts.facts["twice"].show, show);
    assert_eq!(facts.facts["age"].value, json!(["b", 1_792_173_656]));
}

#[test]
fn the_prelude_gives_what_promql_users_expect() {
    let v = vector(&[("b", "2"), ("a", "1")]);
    let w = vector(&[("a", "10"), ("b", "20")]);
    let buckets = json!({"resultType": "vector", "result": [
        {"metric": {"le": "+Inf", "op": "x"}, "value": [0, 4]}, {"metric": {"le": "1.0", "op": "x"}, "value": [0, 2]},
        {"metric": {"le": "1.048576e+06", "op": "x"}, "value": [0, 4]}, {"metric": {"le": "1", "op": "y"}, "value": [0, 0]},
        {"metric": {"le": "+Inf", "op": "y"}, "value": [0, 1]},
    ]});
    let scalar = json!({"resultType": "scalar", "result": [1.5, 7]});
    let yaml = json!([{"data": {"relay": "a: {b: 1}\n"}}]);
    let captures = [("v", v), ("w", w), ("h", buckets), ("s", scalar), ("y", yaml)];
    for (from, jq, expected) in [
        (r#""v""#, r#"by("l")"#, json!({"a": 1, "b": 2})),
        (r#""v""#, r#"where({l: "b"}) | value"#, json!(2)),
        (r#""v""#, r#"where({l: "b", other: ""}) | value"#, json!(2)),
        (r#""s""#, "value", json!(7)),
        (r#"["v", "w"]"#, r#"join_on("l"; .w; .v) | map_values(.[0] - .[1])"#, json!({"a": 9, "b": 18})),
        (r#""h""#, r#"where({op: "x"}) | buckets | map(.le)"#, json!([1.0, 1.048_576e6 as i64, "+Inf"])),
        (r#""h""#, r#"histogram_quantile(0.25; "op")"#, json!({"x": 0.5, "y": 1})),
        (r#""h""#, r#"where({op: "x"}) | histogram_quantile(0.25)"#, json!(0.5)),
        (r#""h""#, r#"buckets("op") | .x | quantile_bound(0.9)"#, json!(1_048_576)),
        (r#""h""#, r#"[vector[] | .metric.le | number] | length"#, json!(5)),
    ] {
        let toml = format!("[facts.f]\nfrom = {from}\njq = '{jq}'\nunit = 'number'\n");
        let (facts, _) = computed(&toml, &captures);
        let value = &facts.facts["f"].value;
        assert!(close(value, &expected), "{jq}: {value}");
    }
    let (found, words) =
        wrong(compute(&part("[facts.f]\nfrom = 'h'\njq = 'buckets'\nunit = 'number'\n"), &evidence(&captures)));
    assert_eq!(found, ["jq-runtime 3:6"], "{words}");
    assert!(words.contains("several histograms"), "{words}");
    for (jq, code) in [
        (r#"series("none") | value"#, "no-value"),
        (r#"series("none") | by("l")"#, "no-value"),
        (r#"series("none") | buckets"#, "no-value"),
        ("value", "jq-runtime"),
        ("buckets", "no-value"),
        (r#"where(1)"#, "jq-runtime"),
        (r#"by("other")"#, "jq-runtime"),
        (r#"join_on("l"; .; where({l: "a"}))"#, "jq-runtime"),
    ] {
        let part = part(&format!("[facts.f]\nfrom = 'v'\njq = '{jq}'\nunit = 'number'\n"));
        let (found, words) = wrong(compute(&part, &evidence(&captures)));
        assert_eq!(found, [format!("{code} 3:6")], "{jq}: {words}");
    }
}

#[test]
fn every_mistake_of_a_part_is_told_at_once() {
    let toml = r#"
[facts.Bad]
jq = "1"
unit = "count"
[facts.scale]
jq = "1"
unit = "count"
in = "ms"
[facts.typo]
jq = "1"
unit = "count"
shwo = "n"
[facts.unit]
jq = "1"
unit = "parsecs"
[facts.show]
jq = "1"
unit = "count"
show = "2d"
[facts.text]
jq = "1"
unit = "text"
show = "n"
[facts.none]
unit = "count"
[claims.idle]
jq = "true"
strings = []
[tables.t]
columns = [{ id = "a" }, { id = "a" }]
[quotes.q]
language = "go"
text = "x"
reference = "nowhere"
[surprise]
"#;
    let (found, words) = wrong(Part::parse(Source::new("templates/x/part.toml", toml)));
    let codes: Vec<_> = found.iter().map(|f| f.split(' ').next().expect("a code")).collect();
    assert_eq!(
        codes,
        [
            "toml",
            "toml",
            "toml",
            "toml",
            "toml",
            "fact-id",
            "unit-scale",
            "unit-scale",
            "claim-strings",
            "table-rows",
            "duplicate-id",
            "unknown-reference"
        ],
        "{found:?}\n{words}"
    );
    let places: Vec<_> = found.iter().map(|f| f.split(' ').nth(1).expect("a place")).collect();
    assert_eq!(places[..8], ["12:1", "15:8", "19:8", "24:1", "35:2", "2:1", "8:6", "20:1"], "{words}");
    assert!(words.contains("unknown field `shwo`"), "{words}");

    let (found, words) =
        wrong(Part::parse(Source::new("p", "[facts.a]\njq = '1'\njq = '2'\nunit = 'count'\n[facts.a]\njq='3'\n")));
    assert_eq!(found, ["toml 3:1", "toml 5:8", "toml 6:1"], "{words}");
}

#[test]
fn mistakes_in_filters_have_their_place_in_the_file() {
    let toml = r#"[facts.a]
from = "c"
jq = "\"\t\" | lenght"
unit = "count"

[facts.b]
from = "c"
jq = '''
.a
| [1, 2
'''
unit = "count"

[facts.c]
from = ["c", "captur"]
jq = ".c"
unit = "count"

[facts.d]
jq = """
.a + \
  .nothing"""
unit = "count"

[claims.e]
jq = ".a > $x"
strings = ["k"]
"#;
    let (found, words) = wrong(compute(&part(toml), &evidence(&[("c", json!(1)), ("capture", json!(1))])));
    assert_eq!(
        found,
        ["jq-syntax 11:1", "jq-undefined 3:16", "jq-undefined 26:12", "unknown-fact 22:4", "unknown-capture 15:15"],
        "{words}"
    );
    assert!(words.contains("`lenght`") && words.contains("did you mean `capture`?"), "{words}");
}

#[test]
fn a_filter_must_give_one_value_of_its_unit() {
    let fact = |id: &str, jq: &str| format!("[facts.{id}]\nfrom = 'v'\njq = '{jq}'\nunit = 'count'\n");
    let toml = [
        fact("nothing", "empty"),
        fact("several", ".result[].value"),
        fact("null", ".resulttype"),
        fact("nan", "[0 / 0]"),
        fact("infinite", "infinite"),
        fact("text", ".resultType"),
        fact("inner", "[1, null]"),
        fact("fails", ".result.value"),
        fact("for_ever", "last(range(1e9))"),
        "[facts.rests]\njq = '.nothing + .several'\nunit = 'count'\n[facts.rests_again]\njq = '.rests'\nunit = 'count'\n".to_owned(),
        "[claims.silent]\njq = '.rests > 1'\nstrings = ['k']\n[claims.odd]\njq = '1'\nstrings = ['k']\n".to_owned(),
    ]
    .concat();
    let (found, words) = wrong(compute(&part(&toml), &evidence(&[("v", vector(&[("a", "1"), ("b", "NaN")]))])));
    let expected = [
        "jq-nothing 3:6",
        "jq-several 7:6",
        "fact-null 11:6",
        "not-finite 15:6",
        "not-finite 19:6",
        "fact-type 23:6",
        "fact-null 27:6",
        "jq-runtime 31:6",
        "jq-runaway 35:6",
        "claim-type 47:6",
    ];
    assert_eq!(found, expected, "{words}");
    assert!(words.contains("fact `fails` fails: "), "{words}");
}

#[test]
fn a_circle_is_named() {
    let fact = |id: &str, jq: &str| format!("[facts.{id}]\njq = '{jq}'\nunit = 'count'\n");
    let toml =
        [fact("a", ".b"), fact("b", ".c + 1"), fact("c", ".a"), fact("d", ".a"), fact("e", ".e"), fact("f", "1")]
            .concat();
    let (found, words) = wrong(compute(&part(&toml), &evidence(&[])));
    assert_eq!(found, ["fact-cycle 2:6", "fact-cycle 14:6"], "{words}");
    assert!(words.contains("`a` → `b` → `c` → `a`") && words.contains("`e` → `e`"), "{words}");
}

#[test]
fn a_false_claim_names_strings_and_figures() {
    let toml = r#"
[facts.reads]
from = "v"
jq = "value"
unit = "seconds"
[facts.writes]
jq = ".reads * 1.5"
unit = "seconds"
[claims.slower]
jq = ".writes > 2 * .reads"
strings = ["etcd.writes_slower", "chart.x.title"]
[claims.holds]
jq = ".reads > 1"
strings = ["a.b"]
"#;
    let (facts, found_false) = computed(toml, &[("v", vector(&[("a", "2")]))]);
    assert!(!facts.claims["slower"].holds && facts.claims["holds"].holds);
    assert_eq!(facts.claims["slower"].strings, ["etcd.writes_slower", "chart.x.title"]);
    let (found, words) = wrong(found_false.or_value(()));
    assert_eq!(found, ["claim-false 10:6"]);
    assert!(
        words.contains("`etcd.writes_slower`, `chart.x.title`") && words.contains("`reads` = 2, `writes` = 3"),
        "{words}"
    );
}

#[test]
fn tables_are_computed_row_by_row() {
    let toml = r#"
[facts.calls]
from = "v"
jq = "by(\"l\")"
unit = "count"
[tables.t]
each = ".calls | to_entries"
columns = [
  { id = "call", jq = "[.key]", unit = "text" },
  { id = "many", jq = "if .value > 1 then .value else null end", unit = "count" },
  { id = "why", string = "why.{key}", optional = true },
]
[charts.c]
kind = "bars"
jq = "[.calls | to_entries[]]"
unit = "count"
"#;
    let (facts, _) = computed(toml, &[("v", vector(&[("b", "2"), ("a", "1")]))]);
    let row = |key: &str, many: Value| {
        let cells = [("call".to_owned(), json!([key])), ("many".to_owned(), many)];
        Row { key: key.to_owned(), cells: cells.into_iter().collect() }
    };
    assert_eq!(facts.rows["t"], [row("a", Value::Null), row("b", json!(2))]);
    assert_eq!(facts.charts["c"], json!([{"key": "a", "value": 1}, {"key": "b", "value": 2}]));

    for (each, column, code) in [
        ("1", ".key", "table-rows 3:8"),
        ("[{a: 1}]", ".key", "table-rows 3:8"),
        ("[{key: 1}]", ".key", "table-rows 3:8"),
        ("[{key: \"a\"}, {key: \"a\"}]", ".key", "table-rows 3:8"),
        ("[{key: \"a\"}]", "{}", "table-cell 4:32"),
        ("[{key: \"a\"}]", "1", "table-cell 4:32"),
        ("[{key: \"a\"}]", "empty", "jq-nothing 4:32"),
    ] {
        let part = part(&format!("\n[tables.t]\neach = '{each}'\ncolumns = [{{ id = \"call\", jq = '{column}' }}]\n"));
        let (found, words) = wrong(compute(&part, &evidence(&[])));
        assert_eq!(found, [code.to_owned()], "{each} {column}: {words}");
    }
}

#[test]
fn what_is_wanted_of_a_capture_is_what_any_fact_wants() {
    let fact = |id: &str, more: &str| format!("[facts.{id}]\njq = '1'\nunit = 'count'\n{more}\n");
    let toml = [
        fact("a", "from = 'm'\nseries = ['x_*']\nwhere = { job = 'etcd', pod = 'a' }"),
        fact("b", "from = ['m', 'n']\nseries = ['y']\nwhere = { job = 'etcd' }"),
        fact("c", "from = 'n'"),
        fact("d", "from = 'o'\nseries = ['z']"),
    ]
    .concat();
    let wants = part(&toml).wants();
    assert_eq!(wants.keys().collect::<Vec<_>>(), ["m", "n", "o"]);
    assert_eq!(wants["m"].series, ["x_*", "y"]);
    assert_eq!(wants["m"].fields.iter().collect::<Vec<_>>(), [(&"job".to_owned(), &"etcd".to_owned())]);
    assert!(wants["n"].series.is_empty() && wants["n"].fields.is_empty());
    assert_eq!(wants["o"].series, ["z"]);
}

/// Equal, numbers to a relative 1e-12.
fn close(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(_), Value::Number(_)) => {
            let (a, b) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
            (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| close(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| close(a, b)))
        }
        _ => a == b,
    }
}
