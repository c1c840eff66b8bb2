//! `hubble-compact`: flows as `hubble observe` prints them, one a line.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value, json};

use super::{Fault, Input, Layout, Reader, Record, Want, is_masked_address, walk};
use crate::diag::Outcome;

/// The reader of `hubble-compact`.
#[derive(Debug)]
pub(super) struct HubbleCompact;

const HELP: &str =
    "this is read as the output of `hubble observe -o compact`: check `format`, and take out what is no flow";

/// Time and node: the node stands in brackets behind the time, or before or behind it with a colon.
static HEAD: LazyLock<Regex> = LazyLock::new(|| {
    let time = r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}|N/A";
    let node = r"[^\s:\[\]]+";
    Regex::new(&format!(r"^\s*(?:({node}): )?({time})(?: \[([^\]]*)\])?: (?:({node}): )?")).expect("a fixed pattern")
});

/// What was seen of a flow, what became of it, and its summary.
static TAIL: LazyLock<Regex> = LazyLock::new(|| {
    let verdict = "FORWARDED|DROPPED|ERROR|AUDIT|REDIRECTED|TRACED|TRANSLATED|VERDICT_UNKNOWN|ALLOWED|DENIED|AUDITED";
    Regex::new(&format!(r"^ (\S.*?) ({verdict})(?: \((.*)\))?$")).expect("a fixed pattern")
});

static LOST: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*(EVENTS LOST): (\S+ CPU\(-?\d+\) \d+)$").expect("a fixed pattern"));

static MAC: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}$").expect("a fixed pattern"));

impl Reader for HubbleCompact {
    fn format(&self) -> &'static str {
        "hubble-compact"
    }

    fn about(&self) -> &'static str {
        "hubble observe in its compact form, with any --time-format, with or without --print-node-name"
    }

    fn form(&self) -> &'static str {
        "An array with an object for each flow. `time` is text as printed; `node` is there only where the line names \
         one. Source is what stands to the left of the arrow, for a reply (`<-`) too. Of an end, `address` is an IP or \
         MAC address, `name` a pod, service or domain name; `port` and `identity` are text; `label` is what stands in \
         brackets behind it unless that is `ID:`. A verdict is the last word before the summary. `EVENTS LOST` becomes \
         an object whose other members are `null`, so that a count of flows must ask for `.verdict`.\n\n```json\n\
         [{\"time\": \"May  4 13:02:37.123\", \"source\": {\"address\": null, \"name\": \"default/tiefighter\", \"port\": \
         \"54134\", \"identity\": \"31028\", \"label\": null}, \"direction\": \"->\", \"destination\": {\"address\": \
         \"10.0.0.9\", \"name\": null, \"port\": \"80\", \"identity\": null, \"label\": \"host\"}, \"observation\": \
         \"to-endpoint\", \"verdict\": \"FORWARDED\", \"summary\": \"TCP Flags: SYN\"}]\n```\n"
    }

    fn layout(&self) -> Layout {
        Layout::Lines
    }

    fn read(&self, input: Input<'_>, _want: &Want) -> Outcome<Record> {
        let mut record = Vec::new();
        let wrong = walk(input, "hubble-flow", |line| {
            let line = line.trim_end();
            if !line.is_empty() {
                record.push(flow(line)?);
            }
            Ok(())
        });
        wrong.or_value(Value::Array(record))
    }
}

fn flow(line: &str) -> Result<Value, Fault> {
    let fault = |at, message| Fault { at, message, help: HELP };
    if let Some(lost) = LOST.captures(line) {
        return Ok(json!({"time": null, "source": null, "direction": null, "destination": null,
            "observation": &lost[1], "verdict": null, "summary": &lost[2]}));
    }
    let indent = line.len() - line.trim_start().len();
    let head =
        HEAD.captures(line).ok_or_else(|| fault(indent, "expected a time and a colon at the start of a flow"))?;
    let start = head[0].len();
    let rest = &line[start..];
    let (at, direction) = ["->", "<-", "<>"]
        .into_iter()
        .filter_map(|arrow| Some((rest.find(&format!(" {arrow} "))?, arrow)))
        .min()
        .ok_or_else(|| fault(start, "expected two ends of a flow with ->, <- or <> between them"))?;
    let (source, after) = end(&rest[..at])
        .filter(|(_, after)| after.is_empty())
        .ok_or_else(|| fault(start, "expected a name or an address, its port, and its identity in brackets"))?;
    debug_assert!(after.is_empty());
    let to = start + at + 4;
    let (destination, tail) = end(&line[to..])
        .ok_or_else(|| fault(to, "expected a name or an address, its port, and its identity in brackets"))?;
    let tail = TAIL.captures(tail).ok_or_else(|| {
        fault(line.len() - tail.len(), "expected what was seen, a verdict such as FORWARDED, and a summary in brackets")
    })?;

    let mut flow = Map::new();
    flow.insert("time".into(), head[2].into());
    if let Some(node) = [1, 3, 4].into_iter().find_map(|i| head.get(i)) {
        flow.insert("node".into(), node.as_str().into());
    }
    flow.insert("source".into(), source);
    flow.insert("direction".into(), direction.into());
    flow.insert("destination".into(), destination);
    flow.insert("observation".into(), tail[1].into());
    flow.insert("verdict".into(), tail[2].into());
    flow.insert("summary".into(), tail.get(3).map(|s| s.as_str()).into());
    Ok(Value::Object(flow))
}

/// `kube-system/coredns:53 (ID:9268)`, `10.0.0.1 (host)`, `[fd00::1]:80`, and what follows.
fn end(text: &str) -> Option<(Value, &str)> {
    let length = text.find(' ').unwrap_or(text.len());
    let (host, mut rest) = text.split_at(length);
    let (mut identity, mut label) = (None, None);
    if let Some(inner) = rest.strip_prefix(" (") {
        let (inner, after) = inner.split_once(')')?;
        match inner.strip_prefix("ID:") {
            Some(number) => identity = Some(number),
            None => label = Some(inner),
        }
        rest = after;
    }
    let (address, name, port) = host_and_port(host)?;
    Some((json!({"address": address, "name": name, "port": port, "identity": identity, "label": label}), rest))
}

/// Address, name and port of one end; of address and name there is one.
fn host_and_port(text: &str) -> Option<(Option<&str>, Option<&str>, Option<&str>)> {
    if text.parse::<IpAddr>().is_ok() || MAC.is_match(text) || is_masked_address(text) {
        return Some((Some(text), None, None));
    }
    let is_name = |n: &str| !n.is_empty() && n.bytes().all(|b| b.is_ascii_alphanumeric() || b"._/,*-".contains(&b));
    let Some((host, port)) = text.rsplit_once(':') else { return is_name(text).then_some((None, Some(text), None)) };
    port.parse::<u16>().ok()?;
    if let Some(inner) = host.strip_prefix('[') {
        let address = inner.strip_suffix(']').filter(|a| a.parse::<Ipv6Addr>().is_ok() || is_masked_address(a))?;
        return Some((Some(address), None, Some(port)));
    }
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(_)) => Some((Some(host), None, Some(port))),
        Ok(IpAddr::V6(_)) => None,
        Err(_) if is_masked_address(host) => Some((Some(host), None, Some(port))),
        Err(_) => is_name(host).then_some((None, Some(host), Some(port))),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Outcome<Record> {
        HubbleCompact.read(Input::new("x.txt", text.as_bytes()), &Want::default())
    }

    fn one(line: &str) -> Value {
        read(line).expect(line)[0].take()
    }

    #[test]
    fn ends_of_every_form() {
        for (text, address, name, port) in [
            ("10.0.0.1:80", Some("10.0.0.1"), None, Some("80")),
            ("10.0.0.1", Some("10.0.0.1"), None, None),
            ("[fd00::1]:80", Some("fd00::1"), None, Some("80")),
            ("fd00::1", Some("fd00::1"), None, None),
            ("aa:bb:cc:dd:ee:ff", Some("aa:bb:cc:dd:ee:ff"), None, None),
            ("kube-system/dns-1:53", None, Some("kube-system/dns-1"), Some("53")),
            ("a.example,b.example:443", None, Some("a.example,b.example"), Some("443")),
            ("a.example", None, Some("a.example"), None),
        ] {
            assert_eq!(host_and_port(text), Some((address, name, port)), "{text}");
        }
        for text in ["", ":80", "a:", "a:http", "a:70000", "[10.0.0.1]:1", "[fd00::1:1", "a b"] {
            assert_eq!(host_and_port(text), None, "{text}");
        }
    }

    #[test]
    fn flows_of_every_kind() {
        let verdict = one(
            "Feb  7 12:53:39.168 [c/node1]: a/b:54134 (ID:31028) -> 10.0.0.1 (world) policy-verdict:L3-L4 INGRESS DENIED (TCP Flags: SYN)",
        );
        assert_eq!(
            (&verdict["node"], &verdict["observation"]),
            (&json!("c/node1"), &json!("policy-verdict:L3-L4 INGRESS"))
        );
        assert_eq!((&verdict["verdict"], &verdict["destination"]["label"]), (&json!("DENIED"), &json!("world")));
        let http = one(
            "2026-05-04T13:23:40.501Z: node1: x:1 <- y:80 http-response FORWARDED (HTTP/1.1 200 0ms (POST http://y/v1))",
        );
        assert_eq!((&http["node"], &http["summary"]), (&json!("node1"), &json!("HTTP/1.1 200 0ms (POST http://y/v1)")));
        let icmp = one(
            "node1: May  4 13:02:37.123: fe80::1 (host) <> fe80::2 (remote-node) Policy denied DROPPED (ICMPv6 EchoRequest)",
        );
        assert_eq!((&icmp["observation"], &icmp["source"]["port"]), (&json!("Policy denied"), &json!(null)));
        assert_eq!((&icmp["node"], &icmp["time"]), (&json!("node1"), &json!("May  4 13:02:37.123")));
        assert_eq!(one("EVENTS LOST: HUBBLE_RING_BUFFER CPU(0) 12")["summary"], "HUBBLE_RING_BUFFER CPU(0) 12");
    }

    #[test]
    fn what_is_no_flow_is_refused() {
        for (line, column) in [
            ("   $ hubble observe", 4),
            ("TIMESTAMP   SOURCE", 1),
            ("May  4 12:47:08.811: Endpoint created (id: 1)", 22),
            ("May  4 12:47:08.811: a:b -> c:1 x FORWARDED (UDP)", 22),
            ("May  4 12:47:08.811: a:1 -> c:d x FORWARDED (UDP)", 29),
            ("May  4 12:47:08.811: a:1 -> c:1 to-endpoint (UDP)", 32),
        ] {
            let wrong = read(line).expect_err(line);
            let place = wrong.iter().next().and_then(|d| d.place()).expect("a place");
            assert_eq!((place.line(), place.column()), (Some(1), Some(column)), "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(\\PC|\n|\t){0,200}") {
            let _ = read(&text);
            let _ = read(&format!("May  4 12:47:08.811: {text}"));
        }

        #[test]
        fn anything_like_a_flow_is_read_or_refused(text in "(a|:|1| |->|<-|<>|\\(|\\)|ID:|FORWARDED|é|\\[|\\]){0,40}") {
            let _ = read(&format!("May  4 12:47:08.811: {text}"));
        }
    }
}
