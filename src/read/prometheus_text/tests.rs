//! Tests of the exposition formats beside the golden files: skipping, limits, and what is written is read again.

use proptest::prelude::*;

use super::*;
use crate::diag::Colour;

fn read(text: &str, want: &Want) -> Outcome<Record> {
    PrometheusText.read(Input::new("f", text.as_bytes()), want)
}

fn all(text: &str) -> Record {
    read(text, &Want::default()).unwrap_or_else(|found| panic!("{}", found.to_text(Colour::Never)))
}

fn wrong(text: &str) -> String {
    read(text, &Want::default()).expect_err("it is wrong").to_text(Colour::Never)
}

fn want(series: &[&str], fields: &[(&str, &str)]) -> Want {
    Want {
        series: series.iter().map(|s| (*s).to_owned()).collect(),
        fields: fields.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
    }
}

#[test]
fn times_are_seconds_in_both_formats() {
    assert_eq!(
        all("a 1 1592829361218\nb 1\n")["result"].to_string(),
        r#"[{"metric":{"__name__":"a"},"value":[1592829361.218,1]},{"metric":{"__name__":"b"},"value":[null,1]}]"#
    );
    assert_eq!(all("a 1 1592829361.218\n# EOF")["result"][0]["value"].to_string(), "[1592829361.218,1]");
    assert!(wrong("a 1 1592829361.218\nb 1\n").contains("f:1:5"));
}

#[test]
fn other_names_stand_in_quotes() {
    let text = "# HELP \"a.b\" x\n{\"a.b\",\"c.d\"=\"e\"} 1\n{x=\"y\",\"a b\"} 2\nplain{\"c.d\"=\"1\"} 3\n# EOF\n";
    for text in [text, text.strip_suffix("# EOF\n").expect("it ends so")] {
        let record = all(text);
        assert_eq!(record["result"][0]["metric"].to_string(), r#"{"__name__":"a.b","c.d":"e"}"#);
        assert_eq!(record["result"][1]["metric"].to_string(), r#"{"__name__":"a b","x":"y"}"#);
        assert_eq!(record["result"][2]["metric"].to_string(), r#"{"__name__":"plain","c.d":"1"}"#);
        assert_eq!(record["metadata"]["a.b"]["help"], "x");
    }
    assert!(wrong("a{\"b\"} 1\n\n").contains("f:1:3"));
    assert!(wrong("{\"b\",\"c\"} 1\n\n").contains("f:1:6"));
}

#[test]
fn a_histogram_needs_all_buckets_in_openmetrics_only() {
    let text = "# TYPE a histogram\na_bucket{le=\"1\"} 1\na_sum 1\na_count 1\n";
    assert_eq!(all(text)["result"].as_array().map(Vec::len), Some(3));
    assert!(wrong(&format!("{text}# EOF\n")).contains("exposition-histogram"));
}

#[test]
fn a_nul_is_a_character() {
    for end in ["", "# EOF\n"] {
        let record = all(&format!("# HELP a x\0y\na{{b=\"\0\"}} 1\n{end}"));
        assert_eq!(record["result"][0]["metric"]["b"], "\0");
        assert_eq!(record["metadata"]["a"]["help"], "x\0y");
    }
}

#[test]
fn columns_count_characters() {
    assert!(wrong("# HELP 가 x\nb 1\n").contains("f:1:8"));
    assert!(wrong("a{b=\"가나\",c=1} 1\nb 1\n").contains("f:1:12"), "{}", wrong("a{b=\"가나\",c=1} 1\nb 1\n"));
}

#[test]
fn mistakes_are_told_up_to_a_limit_and_in_order() {
    let found = read(&"1x 1\n".repeat(1000), &Want::default()).expect_err("it is wrong");
    assert_eq!(found.len(), 21);
    let found = wrong("a 1\n# TYPE a gauge\nb\n# TYPE c gauge\n# TYPE c gauge\n");
    let lines: Vec<_> = found.lines().filter(|l| l.contains("-->")).collect();
    assert_eq!(lines, [" --> f:2:10", " --> f:3:2", " --> f:5:10"]);
}

#[test]
fn a_page_is_no_exposition_even_if_little_is_wanted() {
    let page = "<html>\n<body>503 Service Unavailable</body>\n</html>\n";
    assert!(read(page, &want(&["up"], &[])).is_err());
    assert!(read(page, &want(&[], &[("a", "b")])).is_err());
}

const SERIES: &str = "# HELP a x\n# TYPE a histogram\na_bucket{le=\"1\",p=\"/x\"} 1\na_bucket{le=\"+Inf\",p=\"/x\"} 1\n\
# TYPE ab gauge\nab{p=\"/x\"} 2\nab{p=\"q\\\"\"} 3\nab 4\n# HELP b y\nb broken\n{\"c\",p=\"/x\"} 5\n";

#[test]
fn lines_that_are_not_wanted_need_not_be_right() {
    for (want, values) in [
        (want(&["ab"], &[]), vec![2, 3, 4]),
        (want(&["a*"], &[]), vec![1, 1, 2, 3, 4]),
        (want(&["a_*", "c"], &[]), vec![1, 1, 5]),
        (want(&[], &[("p", "/x")]), vec![1, 1, 2, 5]),
        (want(&["ab"], &[("p", "q\"")]), vec![3]),
        (want(&["ab"], &[("p", "")]), vec![4]),
        (want(&[], &[("__name__", "a_bucket"), ("le", "1")]), vec![1]),
    ] {
        let record = read(SERIES, &want).expect("it is right");
        let found: Vec<_> =
            record["result"].as_array().expect("a list").iter().map(|s| s["value"][1].clone()).collect();
        assert_eq!(Value::from(found), Value::from(values), "{want:?}");
    }
    let record = read(SERIES, &want(&["a_bucket"], &[])).expect("it is right");
    assert_eq!(record["metadata"].to_string(), r#"{"a":{"help":"x","type":"histogram"}}"#);
    assert!(read(SERIES, &want(&["b"], &[])).is_err());
}

#[test]
fn a_longer_name_is_another_name() {
    for (series, values) in [("upper", vec![2, 5]), ("up", vec![1, 3, 4])] {
        let text = "up 1\nupper 2\nup{a=\"b\"} 3\nup\t4\nupper{} 5\n";
        let record = read(text, &want(&[series], &[])).expect("it is right");
        let found: Vec<_> =
            record["result"].as_array().expect("a list").iter().map(|s| s["value"][1].clone()).collect();
        assert_eq!(Value::from(found), Value::from(values), "{series}");
    }
}

#[test]
fn openmetrics_rules_hold_for_what_is_wanted() {
    let text =
        "# TYPE a histogram\na_bucket{le=\"1\"} 1\na_bucket{le=\"+Inf\"} 1\n# TYPE b counter\nb_total -1\n# EOF\n";
    assert!(read(text, &want(&["a_bucket"], &[("le", "1")])).is_ok());
    assert!(read(text, &want(&["b_total"], &[])).is_err());
    assert!(read(&format!("{text}c 1\n"), &want(&["a_bucket"], &[])).is_err());
}

/// A label text or help text as either format writes it.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

type Written = (String, std::collections::BTreeMap<String, String>, String, Option<i64>);

fn written() -> impl Strategy<Value = Written> {
    let label = prop_oneof!["[a-z_][a-z0-9_]{0,5}", "[가-힣.\"\\\\]{1,3}"];
    let text = "[ -~\\n\\t\0가é\\\\\"#{},]{0,8}";
    let value = prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        any::<f64>().prop_map(|x| if x.is_nan() { "NaN".to_owned() } else { format!("{x:e}") }),
        Just("+Inf".to_owned()),
    ];
    let name = prop_oneof!["[a-zA-Z_:][a-zA-Z0-9_:]{0,6}", "[a.가 \"]{1,4}"];
    (name, proptest::collection::btree_map(label, text, 0..4), value, proptest::option::of(0i64..10_000_000_000_000))
}

proptest! {
    #[test]
    fn what_is_written_is_read(samples in proptest::collection::vec(written(), 0..8)) {
        let mut text = String::from("\n");
        for (name, labels, value, time) in &samples {
            let bare = name.bytes().all(is_name) && name.bytes().next().is_some_and(starts_name);
            let mut parts: Vec<String> = labels.iter().map(|(n, t)| format!("\"{}\"=\"{}\"", escape(n), escape(t))).collect();
            if bare {
                text.push_str(name);
            } else {
                parts.insert(0, format!("\"{}\"", escape(name)));
            }
            if !parts.is_empty() {
                text.push_str(&format!("{{{}}}", parts.join(",")));
            }
            text.push_str(&format!(" {value}{}\n", time.map_or(String::new(), |t| format!(" {t}"))));
        }
        let record = all(&text);
        let result = record["result"].as_array().expect("a list");
        prop_assert_eq!(result.len(), samples.len());
        for (series, (name, labels, value, time)) in result.iter().zip(&samples) {
            let metric = series["metric"].as_object().expect("an object");
            prop_assert_eq!(metric["__name__"].as_str(), Some(name.as_str()));
            let read: std::collections::BTreeMap<_, _> =
                metric.iter().skip(1).map(|(n, t)| (n.clone(), t.as_str().expect("text").to_owned())).collect();
            prop_assert_eq!(&read, labels);
            match (value.parse::<f64>().expect("a float"), &series["value"][1]) {
                (x, Value::Number(n)) => prop_assert_eq!(n.as_f64().map(f64::to_bits), Some(x.to_bits())),
                (x, other) => prop_assert!(!x.is_finite() && other.is_string()),
            }
            match time {
                None => prop_assert!(series["value"][0].is_null()),
                Some(ms) => {
                    let seconds = series["value"][0].to_string();
                    let (whole, rest) = seconds.split_once('.').unwrap_or((&seconds, ""));
                    prop_assert_eq!(format!("{whole}{rest:0<3}").parse::<i64>().ok(), Some(*ms));
                }
            }
        }
        // the same lines, wanted by a pattern that all names fit
        prop_assert_eq!(&read(&text, &want(&["*"], &[])).expect("right")["result"], &record["result"]);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
        let _ = PrometheusText.read(Input::new("f", bytes.as_slice()), &Want::default());
        let _ = PrometheusText.read(Input::new("f", bytes.as_slice()), &want(&["a*"], &[("b", "c")]));
    }

    #[test]
    fn anything_alike_is_read_or_refused(text in "(# (HELP|TYPE|UNIT|EOF)? ?[a\"]{0,2} ?(histogram|summary|info|counter|x)?\n|[a\\{\\}\",=\\\\ 1#_le]{0,12}\n){0,8}") {
        for text in [text.clone(), format!("{text}# EOF")] {
            if let Err(found) = read(&text, &Want::default()) {
                prop_assert!(found.iter().all(|d| d.place().is_some()));
            }
        }
    }
}
