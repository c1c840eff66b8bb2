//! `ss`: sockets as iproute2's `ss` prints them, with or without a header line.

mod address;
mod tail;

use serde_json::{Map, Value};

use super::{Fault, Input, Layout, Reader, Record, Want, Word, walk, words};
use crate::diag::Outcome;

/// The reader of `ss`.
#[derive(Debug)]
pub(super) struct Ss;

/// What `ss` calls the kinds of sockets.
const NETIDS: &[&str] = &[
    "tcp", "udp", "u_str", "u_dgr", "u_seq", "raw", "icmp6", "nl", "p_raw", "p_dgr", "sctp", "dccp", "mptcp", "v_str",
    "v_dgr", "ti_st", "ti_dg", "ti_rd", "ti_sq", "xdp", "???", "unknown",
];

/// What `ss` calls the states of sockets, those of SCTP associations last.
const STATES: &[&str] = &[
    "ESTAB",
    "LISTEN",
    "UNCONN",
    "TIME-WAIT",
    "CLOSE-WAIT",
    "SYN-SENT",
    "SYN-RECV",
    "FIN-WAIT-1",
    "FIN-WAIT-2",
    "LAST-ACK",
    "CLOSING",
    "UNDEF",
    "UNKNOWN",
    "CLOSED",
    "COOKIE_WAIT",
    "COOKIE_ECHOED",
    "SHUTDOWN_PENDING",
    "SHUTDOWN_SENT",
    "SHUTDOWN_RECEIVED",
    "ACK_SENT",
];

/// Stands before the state of an SCTP association, where its Netid would be.
const ASSOCIATION: &str = "`-";

const HELP: &str = "this is read as the output of `ss`: check `format`, and take out what is no part of it";

/// Which of the columns that may be missing a header names.
#[derive(Clone, Copy, Debug)]
struct Columns {
    netid: bool,
    state: bool,
    queues: bool,
}

impl Reader for Ss {
    fn format(&self) -> &'static str {
        "ss"
    }

    fn about(&self) -> &'static str {
        "ss with any of -t -u -x -n -l -a -p -e -o -i -m -O -H; a state filter may leave out the State column"
    }

    fn form(&self) -> &'static str {
        "An array with an object for each socket. What the file does not say is `null`. `recv_q`, `send_q`, `pid` and \
         `fd` are numbers, ports are text (`\"*\"`, a service name, and for Unix sockets the inode). IPv6 addresses \
         stand without brackets, `%zone` is kept. `local_family` is `inet`, `inet6`, `unix`, `netlink`, `packet`, \
         `vsock`, `tipc` or `xdp`; `*` alone does not tell it. `local_address` of a Unix socket is its path, \
         `@abstract`, or `*`. `extra` is what follows the addresses besides the processes, as printed. `info` holds \
         what `-i` and `-m` print: names and their text, `true` for a word without a value. A header without rows \
         and an empty file give an empty array.\n\n```json\n[{\"netid\": \"tcp\", \"state\": \"ESTAB\", \"recv_q\": 0, \
         \"send_q\": 0, \"local_address\": \"127.0.0.1\", \"local_port\": \"2379\", \"peer_address\": \"127.0.0.1\", \
         \"peer_port\": \"49391\", \"local_family\": \"inet\", \"process\": [{\"name\": \"etcd\", \"pid\": 40, \
         \"fd\": 9}], \"extra\": \"timer:(keepalive,14sec,0) ino:1 sk:2\", \"info\": {\"cubic\": true, \"rto\": \
         \"204\"}}]\n```\n"
    }

    fn layout(&self) -> Layout {
        Layout::Text
    }

    fn read(&self, input: Input<'_>, _want: &Want) -> Outcome<Record> {
        let mut columns = None;
        let mut rows: Vec<Map<String, Value>> = Vec::new();
        let wrong = walk(input, "ss-row", |line| {
            let line = line.trim_end();
            let words: Vec<Word<'_>> = words(line).collect();
            let Some(first) = words.first() else { return Ok(()) };
            if let Some(named) = header(&words) {
                columns = Some(named);
            } else if first.start > 0 && !begins_row(&words) {
                detail(rows.last_mut(), line, first.start)?;
            } else {
                rows.push(row(line, &words, columns)?);
            }
            Ok(())
        });
        wrong.or_value(Value::Array(rows.into_iter().map(Value::Object).collect()))
    }
}

/// The columns that a header names, if these words are one. Wide tables push its words together or apart.
fn header(words: &[Word<'_>]) -> Option<Columns> {
    let first = words.first()?.text;
    if !["Netid", "State", "Recv-Q", "Local"].iter().any(|name| first.starts_with(name)) {
        return None;
    }
    let joined: String = words.iter().map(|w| w.text).collect();
    let rest = joined.as_str();
    let (netid, rest) = optional(rest, "Netid");
    let (state, rest) = optional(rest, "State");
    let (queues, rest) = optional(rest, "Recv-QSend-Q");
    let rest = rest.strip_prefix("LocalAddress:PortPeerAddress:Port")?;
    optional(rest, "Process").1.is_empty().then_some(Columns { netid, state, queues })
}

fn optional<'a>(text: &'a str, name: &str) -> (bool, &'a str) {
    text.strip_prefix(name).map_or((false, text), |rest| (true, rest))
}

/// Whether an indented line is a row all the same: only a row begins with its kind, its state or two numbers.
fn begins_row(words: &[Word<'_>]) -> bool {
    let first = words[0].text;
    let number = |w: Option<&Word<'_>>| w.is_some_and(|w| w.text.bytes().all(|b| b.is_ascii_digit()));
    NETIDS.contains(&first)
        || STATES.contains(&first)
        || first == ASSOCIATION
        || (number(words.first()) && number(words.get(1)))
}

/// A socket. Without a header the shape of the row tells its columns.
fn row(line: &str, words: &[Word<'_>], columns: Option<Columns>) -> Result<Map<String, Value>, Fault> {
    let mut at = 0;
    let fault = |at: usize, message| Fault { at: words.get(at).map_or(line.len(), |w| w.start), message, help: HELP };
    let word = |at: usize| words.get(at).map(|w| w.text);
    let is_number = |at: usize| word(at).is_some_and(|w| w.bytes().all(|b| b.is_ascii_digit()));

    let mut netid = None;
    if word(at) == Some(ASSOCIATION) {
        netid = Some("sctp");
        at += 1;
    } else if columns.map_or_else(|| word(at).is_some_and(|w| NETIDS.contains(&w)), |c| c.netid) {
        netid = word(at);
        if !netid.is_some_and(|w| w.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_?".contains(&b)))
        {
            return Err(fault(at, "expected the kind of a socket, such as tcp or u_str"));
        }
        at += 1;
    }
    let mut state = None;
    if columns.map_or_else(|| word(at).is_some_and(|w| STATES.contains(&w)), |c| c.state) {
        state = word(at).filter(|w| STATES.contains(w));
        if state.is_none() {
            return Err(fault(at, "expected the state of a socket, such as ESTAB"));
        }
        at += 1;
    }
    let mut queues = [Value::Null, Value::Null];
    if columns.map_or_else(|| is_number(at) && is_number(at + 1), |c| c.queues) {
        for queue in &mut queues {
            let number = word(at).filter(|_| is_number(at)).and_then(|w| w.parse::<u64>().ok());
            *queue = number.ok_or_else(|| fault(at, "expected the length of a queue, a whole number"))?.into();
            at += 1;
        }
    }
    if at == 0 && columns.is_none() {
        return Err(fault(at, "expected a socket: its kind, its state or the lengths of its queues"));
    }
    let pair = address::pair(line, &words[at..], netid)
        .ok_or_else(|| fault(at, "expected a local and a peer address, each with its port"))?;
    at += pair.words;
    let end = words.get(at).map_or(line.len(), |w| w.start);
    let tail = tail::tail(&line[end..])
        .ok_or_else(|| fault(at, "expected processes, timer:, ino: or the like behind the addresses"))?;

    let text = |t: Option<&str>| t.map_or(Value::Null, Value::from);
    let [recv_q, send_q] = queues;
    let mut row = Map::new();
    row.insert("netid".into(), text(netid));
    row.insert("state".into(), text(state));
    row.insert("recv_q".into(), recv_q);
    row.insert("send_q".into(), send_q);
    row.insert("local_address".into(), pair.local.address.into());
    row.insert("local_port".into(), pair.local.port.into());
    row.insert("peer_address".into(), pair.peer.address.into());
    row.insert("peer_port".into(), pair.peer.port.into());
    row.insert("local_family".into(), text(pair.family));
    row.insert("process".into(), tail.process);
    row.insert("extra".into(), tail.extra.into());
    row.insert("info".into(), if tail.info.is_empty() { Value::Null } else { Value::Object(tail.info) });
    Ok(row)
}

/// An indented line says more of the socket above it.
fn detail(row: Option<&mut Map<String, Value>>, line: &str, at: usize) -> Result<(), Fault> {
    let fault = |message| Fault { at, message, help: HELP };
    let row = row.ok_or_else(|| fault("expected a socket before this indented line"))?;
    let found = tail::detail(line).ok_or_else(|| fault("expected name:value pairs, as `ss -i` prints them"))?;
    if !found.process.is_null() {
        row.insert("process".into(), found.process);
    }
    match row.get_mut("info") {
        Some(Value::Object(info)) => info.extend(found.info),
        _ if found.info.is_empty() => {}
        _ => {
            row.insert("info".into(), Value::Object(found.info));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Outcome<Record> {
        Ss.read(Input::new("ss.txt", text.as_bytes()), &Want::default())
    }

    fn only(text: &str) -> Value {
        let mut rows = read(text).expect("sockets");
        assert_eq!(rows.as_array().map(Vec::len), Some(1), "{rows}");
        rows[0].take()
    }

    #[test]
    fn rows_without_header_are_told_by_their_shape() {
        let row = only("0      0             127.0.0.1:2379       127.0.0.1:49391   \n");
        assert_eq!((&row["netid"], &row["state"], &row["recv_q"]), (&json!(null), &json!(null), &json!(0)));
        assert_eq!((&row["local_address"], &row["local_port"]), (&json!("127.0.0.1"), &json!("2379")));
        let row = only("u_str ESTAB 0      0      /run/my dir/x.sock 21455            * 21456 \n");
        assert_eq!((&row["local_address"], &row["local_port"]), (&json!("/run/my dir/x.sock"), &json!("21455")));
        assert_eq!((&row["peer_address"], &row["local_family"]), (&json!("*"), &json!("unix")));
        assert_eq!(only("ESTAB 3 9 [fe80::1]%eth0:22 [fe80::2]:50122\n")["local_address"], json!("fe80::1%eth0"));
    }

    #[test]
    fn a_header_alone_is_no_sockets() {
        assert_eq!(read("").expect("nothing"), json!([]));
        assert_eq!(
            read("State Recv-Q Send-Q Local Address:Port  Peer Address:PortProcess\n").expect("none"),
            json!([])
        );
    }

    #[test]
    fn what_is_no_socket_is_refused_at_its_place() {
        for (text, line, column) in [
            ("$ ss -Htn\n", 1, 1),
            ("0 0 127.0.0.1:2379\n", 1, 5),
            ("0 0 127.0.0.1:1 127.0.0.1:2 and more words\n", 1, 29),
            ("State Recv-Q Send-Q Local Address:Port Peer Address:Port\nESTAB 0 x 1.2.3.4:1 1.2.3.4:2\n", 2, 9),
            ("   cubic rto:204\n", 1, 4),
            ("Total: 5\n", 1, 1),
        ] {
            let wrong = read(text).expect_err(text);
            let place = wrong.iter().next().and_then(|d| d.place()).expect("a place");
            assert_eq!((place.line(), place.column()), (Some(line), Some(column)), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "(\\PC|\n|\t){0,200}") {
            let _ = read(&text);
        }

        #[test]
        fn anything_like_a_socket_is_read_or_refused(text in "(tcp|u_str|nl|ESTAB|[0-9]{1,3}|\\*|::1:5|:|users:\\(\\(\"|a\",pid=1|\\)| |\n|\"|,|\\[|%|é){0,40}") {
            let _ = read(&text);
        }

        #[test]
        fn what_was_printed_is_read_back(recv in 0u64.., send in 0u64.., port in 0u16.., ip in any::<std::net::Ipv6Addr>()) {
            let row = only(&format!("tcp ESTAB {recv} {send} [{ip}]:{port} 10.0.0.1:1\n"));
            prop_assert_eq!(&row["recv_q"], &json!(recv));
            prop_assert_eq!(&row["send_q"], &json!(send));
            prop_assert_eq!(&row["local_address"], &json!(ip.to_string()));
            prop_assert_eq!(&row["local_port"], &json!(port.to_string()));
        }
    }
}
