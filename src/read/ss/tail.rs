//! What follows the addresses of a socket: processes, timers and identities, and what `-i` knows of the connection.

use serde_json::{Map, Value, json};

/// What was found; `process` is an array or null.
#[derive(Debug, Default)]
pub(super) struct Tail {
    pub(super) process: Value,
    pub(super) extra: Option<String>,
    pub(super) info: Map<String, Value>,
}

/// What `-e`, `-o`, `-m` and the like print on the line of the socket itself.
const EXTRAS: &[&str] =
    &["timer", "uid", "ino", "sk", "fwmark", "cgroup", "dev", "peers", "skmem", "v6only", "class_id", "tos", "tclass"];

/// Words of `-i` whose value is the next word.
const PAIRED: &[&str] = &["send", "pacing_rate", "delivery_rate", "max_pacing_rate"];

/// What stands behind the addresses, or `None` if it is nothing that `ss` prints there.
pub(super) fn tail(text: &str) -> Option<Tail> {
    let mut tail = Tail::default();
    let mut extra: Vec<&str> = Vec::new();
    let mut rest = Vec::new();
    for item in items(text) {
        let name = item.split([':', '=']).next().unwrap_or(item);
        if item.starts_with("users:(") {
            tail.process = users(item)?;
        } else if rest.is_empty() && (is_extra(item, name) || (extra.contains(&"peers:") && is_number(item))) {
            extra.push(item);
        } else {
            rest.push(item);
        }
    }
    tail.extra = (!extra.is_empty()).then(|| extra.join(" "));
    if !rest.is_empty() {
        tail.info = info(&rest)?;
    }
    Some(tail)
}

/// The indented line below a socket.
pub(super) fn detail(line: &str) -> Option<Tail> {
    let mut tail = Tail::default();
    let mut rest = Vec::new();
    for item in items(line) {
        if item.starts_with("users:(") {
            tail.process = users(item)?;
        } else {
            rest.push(item);
        }
    }
    if !rest.is_empty() {
        tail.info = info(&rest)?;
    }
    Some(tail)
}

/// A known name with a value, or which directions of a Unix socket are open: `<->`, `-->`, `<--`, `---`.
fn is_extra(item: &str, name: &str) -> bool {
    matches!(item.as_bytes(), [b'<' | b'-', b'-', b'>' | b'-'])
        || (name != item && (EXTRAS.contains(&name) || name == "proc_ctx"))
}

fn is_number(item: &str) -> bool {
    item.bytes().all(|b| b.is_ascii_digit())
}

/// Splits at blanks outside brackets and quotes.
fn items(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut depth, mut quoted) = (None, 0usize, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.saturating_sub(1),
            ' ' | '\t' if depth == 0 && !quoted => {
                found.extend(start.take().map(|from: usize| &text[from..at]));
                continue;
            }
            _ => {}
        }
        start.get_or_insert(at);
    }
    found.extend(start.map(|from| &text[from..]));
    found
}

/// `name:value`, `name value` for a few names, and bare words. Words alone are prose, not information.
fn info(items: &[&str]) -> Option<Map<String, Value>> {
    let mut found = Map::new();
    let mut items = items.iter().peekable();
    let mut pairs = 0;
    while let Some(item) = items.next() {
        let (name, value) = match item.split_once(':') {
            Some((name, "")) => (name, Value::from(*items.next()?)),
            Some((name, value)) => (name, Value::from(value)),
            None if PAIRED.contains(item) => (*item, Value::from(*items.next()?)),
            None => (*item, Value::Bool(true)),
        };
        if !name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b)) || name.is_empty() {
            return None;
        }
        pairs += usize::from(value.is_string());
        found.insert(name.to_owned(), value);
    }
    (pairs > 0).then_some(found)
}

/// `users:(("a",pid=1,fd=3),("b",pid=2,fd=4))`, or of old versions `users:(("a",1,3))`.
fn users(item: &str) -> Option<Value> {
    let mut rest = item.strip_prefix("users:(")?.strip_suffix(')')?;
    let mut all = Vec::new();
    loop {
        let (name, after) = rest.strip_prefix("(\"")?.split_once("\",")?;
        let (fields, after) = after.split_once(')')?;
        let (mut pid, mut fd) = (None, None);
        for (position, field) in fields.split(',').enumerate() {
            match field.split_once('=') {
                Some(("pid", value)) => pid = Some(value.parse::<u64>().ok()?),
                Some(("fd", value)) => fd = Some(value.parse::<u64>().ok()?),
                None if position == 0 => pid = Some(field.parse::<u64>().ok()?),
                None if position == 1 && fd.is_none() => fd = field.parse::<u64>().ok(),
                _ => {}
            }
        }
        all.push(json!({"name": name, "pid": pid?, "fd": fd}));
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None => return after.is_empty().then_some(Value::Array(all)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_in_the_new_and_the_old_form() {
        let new = users("users:((\"tmux: server\",pid=7,fd=3),(\"(sd-pam)\",pid=8,tid=9,fd=4))").expect("new");
        assert_eq!(new, json!([{"name": "tmux: server", "pid": 7, "fd": 3}, {"name": "(sd-pam)", "pid": 8, "fd": 4}]));
        let old = users("users:((\"sshd\",1231,3))").expect("old");
        assert_eq!(old, json!([{"name": "sshd", "pid": 1231, "fd": 3}]));
        for broken in ["users:()", "users:((\"x\"", "users:((\"x\",pid=y))", "users:((\"x\",pid=1,fd=2)"] {
            assert!(users(broken).is_none(), "{broken}");
        }
    }

    #[test]
    fn what_follows_the_addresses() {
        let tail = tail("users:((\"x y\",pid=1,fd=2)) timer:(keepalive,1min,0) ino:5 sk:2a <-> ").expect("a tail");
        assert_eq!(tail.extra.as_deref(), Some("timer:(keepalive,1min,0) ino:5 sk:2a <->"));
        assert_eq!(tail.process[0]["name"], "x y");
        let one_line = super::tail("ino:5 cubic rto:204 send 32.1Mbps app_limited busy:1ms(3.0%)").expect("-O -i");
        assert_eq!(
            Value::Object(one_line.info),
            json!({"cubic": true, "rto": "204", "send": "32.1Mbps", "app_limited": true, "busy": "1ms(3.0%)"})
        );
        assert!(super::tail("some words").is_none());
    }
}
