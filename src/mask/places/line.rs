//! Lines that say by the position of a word what it is: of a system log, of a table, of a hosts file, of a manifest.

use std::net::IpAddr;
use std::sync::LazyLock;

use regex::Regex;

use super::{NODE_COLUMNS, Place, Tell, place_of_row};

/// Users in what a login says.
static LOGIN: LazyLock<Regex> = LazyLock::new(|| {
    let user = r"([A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*)";
    let forms = [
        "(?:of|for|(?i:invalid)) (?i:user) NAME",
        "(?:Accepted|Failed) [a-z-]+ for NAME from ",
        "^ *NAME : TTY=",
        r"^\(NAME\) CMD ",
    ];
    Regex::new(&forms.map(|form| form.replace("NAME", user)).join("|")).expect("the pattern is constant")
});

/// Programs that say who logs in.
const LOGINS: [&str; 10] =
    ["sshd", "sshd-session", "sudo", "su", "systemd", "systemd-logind", "login", "CRON", "crond", "cron"];

/// Visits lines in their order, and knows what those before said of them.
#[derive(Default)]
pub(in super::super) struct Scanner<'t> {
    table: Option<Table>,
    manifest: Option<Manifest>,
    /// What `kubectl describe` called `Name:`.
    name: Option<&'t str>,
}

/// The columns of a table in which something typed stands.
struct Table {
    columns: Vec<(usize, Place)>,
    /// Whether the first word is a user, the second a number.
    processes: bool,
}

/// Where in a manifest in YAML a name is due.
struct Manifest {
    place: Place,
    /// How far `kind:` is indented.
    depth: usize,
    /// How far the members of `metadata:` are.
    inner: Option<usize>,
}

impl<'t> Scanner<'t> {
    /// Visits the next line.
    pub(in super::super) fn line(&mut self, line: &'t str, tell: &mut Tell<'_>) {
        let line = line.trim_end();
        let Some(first) = line.bytes().next() else {
            *self = Self::default();
            return;
        };
        if let Some(table) = &self.table {
            table.row(line, tell);
        }
        match first {
            b'0'..=b'9' => digits(line, tell),
            b'A'..=b'Z' => self.capital(line, tell),
            b'a'..=b'z' => small(line, tell),
            b' ' | b'\t' => self.indented(line, tell),
            b'<' => standard(line, tell),
            b'|' => member(line.trim_start_matches('|').trim_start(), " | ", tell),
            _ => {}
        }
        self.manifest(line, tell);
    }

    fn capital(&mut self, line: &'t str, tell: &mut Tell<'_>) {
        if let Some(table) = Table::under(line) {
            self.table = Some(table);
        } else if let Some(rest) = line.strip_prefix("Linux ") {
            if let Some((host, release)) = rest.split_once(' ')
                && release.starts_with(|c: char| c.is_ascii_digit())
                && release.contains('#')
            {
                tell(Place::Node, host);
            }
        } else if let Some((time, rest)) = line.split_at_checked(15).filter(|(time, _)| is_time(time)) {
            let _ = time;
            let fraction = rest.strip_prefix('.').map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
            logged(fraction.unwrap_or(rest), tell);
        } else {
            self.described(line, tell);
        }
    }

    fn indented(&mut self, line: &'t str, tell: &mut Tell<'_>) {
        if let Some(table) = Table::under(line) {
            self.table = Some(table);
        } else {
            self.described(line.trim_start(), tell);
        }
    }

    /// A line of `kubectl describe` or `hostnamectl`: `Heading:   value`.
    fn described(&mut self, line: &'t str, tell: &mut Tell<'_>) {
        if !line.starts_with(|c: char| c.is_ascii_uppercase()) {
            return;
        }
        let Some((heading, rest)) = line.split_once(':') else { return };
        let value = rest.trim();
        let apart = rest.len() > value.len() + 1;
        match heading {
            "Name" if apart => self.name = Some(value),
            "Roles" => self.name.take().into_iter().for_each(|name| tell(Place::Node, name)),
            "Node" => {
                if let Some((node, address)) = value.split_once('/')
                    && address.parse::<IpAddr>().is_ok()
                {
                    tell(Place::Node, node);
                    self.name.take().into_iter().for_each(|name| tell(Place::Pod, name));
                }
            }
            "Static hostname" | "Transient hostname" => tell(Place::Node, value),
            "Hostname" if apart => tell(Place::Node, value),
            "Machine ID" | "Boot ID" | "System UUID" => tell(Place::Machine, value),
            _ => {}
        }
    }

    /// `kind`, and the name behind it or in `metadata` behind it.
    fn manifest(&mut self, line: &str, tell: &mut Tell<'_>) {
        let text = line.trim_start_matches([' ', '-']);
        let depth = line.len() - text.len();
        if let Some(kind) = text.strip_prefix("kind: ") {
            let place = match kind.trim_matches(['"', '\'']) {
                "Node" | "CiliumNode" | "CSINode" | "NodeMetrics" => Place::Node,
                "Pod" | "PodMetrics" | "CiliumEndpoint" => Place::Pod,
                _ => return self.manifest = None,
            };
            self.manifest = Some(Manifest { place, depth, inner: None });
            return;
        }
        let Some(manifest) = &mut self.manifest else { return };
        if let Some(name) = text.strip_prefix("name: ") {
            let inner = *manifest.inner.get_or_insert(depth);
            if depth == inner {
                tell(manifest.place, name.trim_matches(['"', '\'']));
                self.manifest = None;
            }
        } else if manifest.inner.is_none() {
            match text {
                // its members stand deeper: the first says how deep
                "metadata:" if depth == manifest.depth => {}
                _ if depth > manifest.depth => manifest.inner = Some(depth),
                _ if depth < manifest.depth => self.manifest = None,
                _ => {}
            }
        } else if depth < manifest.depth || (depth == manifest.depth && !text.starts_with("metadata:")) {
            self.manifest = None;
        }
    }
}

impl Table {
    /// The table of which this is the header.
    fn under(line: &str) -> Option<Self> {
        let heading = |text: &str| line.find(text).filter(|at| *at == 0 || line[..*at].ends_with(' '));
        let is_header = |text: &str| !text.bytes().any(|b| b.is_ascii_lowercase());
        if is_header(line) && (line.starts_with("USER ") || line.starts_with("UID ")) && heading("PID ").is_some() {
            return Some(Self { columns: Vec::new(), processes: true });
        }
        if is_header(line) && line.trim_start().starts_with("PID ") {
            let columns = heading("USER ").into_iter().map(|at| (at, Place::User)).collect();
            return Some(Self { columns, processes: false });
        }
        if !["NAME ", "NAMESPACE ", "LAST SEEN "].iter().any(|first| line.starts_with(first)) {
            return None;
        }
        let headings: Vec<&str> = line.split("  ").map(str::trim).filter(|heading| !heading.is_empty()).collect();
        if headings.len() < 2 || !headings.iter().all(|h| is_header(h) || h.contains('(')) {
            return None;
        }
        let has = |column: &str| headings.contains(&column);
        let name = place_of_row(has, || "", || false).and_then(|place| Some((heading("NAME ")?, place)));
        let nodes = NODE_COLUMNS.into_iter().filter(|column| has(column));
        // NODE is also the end of NOMINATED NODE
        let nodes = nodes.filter_map(|column| Some((heading(&format!("  {column}"))? + 2, Place::Node)));
        Some(Self { columns: name.into_iter().chain(nodes).collect(), processes: false })
    }

    fn row(&self, line: &str, tell: &mut Tell<'_>) {
        let mut words = line.split_ascii_whitespace();
        if self.processes
            && let (Some(user), Some(process)) = (words.next(), words.next())
            && process.bytes().all(|b| b.is_ascii_digit())
        {
            tell(Place::User, user);
        }
        if self.columns.is_empty() || !line.is_ascii() {
            return;
        }
        for (start, place) in &self.columns {
            let cell = line.get(*start..).filter(|_| *start == 0 || line[..*start].ends_with(' '));
            let cell = cell.and_then(|cell| cell.split(' ').next()).filter(|cell| !cell.is_empty());
            cell.into_iter().for_each(|cell| tell(*place, cell));
        }
    }
}

/// `Oct 16 18:01:30`
fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    [(3, b' '), (6, b' '), (9, b':'), (12, b':')].iter().all(|(at, sign)| bytes[*at] == *sign)
        && [7, 8, 10, 11, 13, 14].iter().all(|at| bytes[*at].is_ascii_digit())
        && bytes[..3].iter().all(u8::is_ascii_alphabetic)
}

/// `2026-10-16T18:01:30.5+09:00`
fn is_moment(word: &str) -> bool {
    let bytes = word.as_bytes();
    (20..=36).contains(&bytes.len())
        && [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')].iter().all(|(at, sign)| bytes[*at] == *sign)
}

/// What stands behind the time: a host and a program, or a flow.
fn logged(rest: &str, tell: &mut Tell<'_>) {
    if rest.starts_with(':') || rest.starts_with(" [") {
        return flow(rest, tell);
    }
    let mut words = rest.trim_start().splitn(3, ' ');
    let (Some(host), Some(program), text) = (words.next(), words.next(), words.next().unwrap_or_default()) else {
        return;
    };
    let Some(program) = program.strip_suffix(':') else { return };
    match program.strip_suffix(']').and_then(|p| p.split_once('[')) {
        Some((name, process)) if process.bytes().all(|b| b.is_ascii_digit()) => {
            tell(Place::Node, host);
            login(name, text, tell);
        }
        None if matches!(program, "kernel" | "systemd") => tell(Place::Node, host),
        None if program.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')) => {
            tell(Place::Host, host);
            login(program, text, tell);
        }
        _ => {}
    }
}

fn login(program: &str, text: &str, tell: &mut Tell<'_>) {
    if LOGINS.contains(&program) {
        let users = LOGIN.captures_iter(text).filter_map(|captures| captures.iter().skip(1).flatten().next());
        users.for_each(|user| tell(Place::User, user.as_str()));
    }
}

/// `<30>1 2026-10-16T18:01:30Z host program 123 …`
fn standard(line: &str, tell: &mut Tell<'_>) {
    let Some((priority, rest)) = line[1..].split_once('>') else { return };
    if priority.is_empty() || !priority.bytes().all(|b| b.is_ascii_digit()) {
        return;
    }
    let mut words = rest.split(' ');
    if words.next() == Some("1")
        && words.next().is_some_and(is_moment)
        && let Some(host) = words.next().filter(|host| *host != "-")
    {
        tell(Place::Node, host);
    } else if let Some((_, rest)) = rest.split_at_checked(15).filter(|(time, _)| is_time(time)) {
        logged(rest, tell);
    }
}

/// The two ends of a flow as `hubble observe` prints them: `ns/pod:80 (ID:7) -> 10.0.0.1:80 (ns/pod)`.
fn flow(rest: &str, tell: &mut Tell<'_>) {
    let rest = match rest.strip_prefix(" [").and_then(|rest| rest.split_once(']')) {
        Some((node, rest)) => {
            tell(Place::Node, node.rsplit('/').next().unwrap_or_default());
            rest
        }
        None => rest,
    };
    let Some(mut rest) = rest.strip_prefix(": ") else { return };
    for side in 0..2 {
        let Some((end, behind)) = rest.split_once(' ') else { return };
        let name = end.rsplit_once(':').map_or(end, |(name, _)| name);
        let (label, behind) = match behind.strip_prefix('(').and_then(|label| label.split_once(") ")) {
            Some(labelled) => labelled,
            None => ("", behind),
        };
        let ahead = behind.get(..3).filter(|arrow| matches!(*arrow, "-> " | "<- " | "<> "));
        if side == 0 && ahead.is_none() {
            return;
        }
        if let Some((_, pod)) = name.split_once('/').or_else(|| label.split_once('/')) {
            tell(Place::Pod, pod);
        } else if matches!(label, "host" | "remote-node" | "kube-apiserver" | "health") {
            tell(Place::Node, name);
        }
        rest = behind.get(3..).unwrap_or_default();
    }
}

/// A line that begins with a digit: a time, an address with its names, a member of etcd.
fn digits(line: &str, tell: &mut Tell<'_>) {
    let Some((first, rest)) = line.split_once([' ', '\t']) else { return };
    if is_moment(first.trim_end_matches(':')) {
        logged(&line[first.trim_end_matches(':').len()..], tell);
    } else if first.parse::<IpAddr>().is_ok_and(|address| !address.is_loopback()) {
        hosts(rest, tell);
    } else {
        member(line, ", ", tell);
    }
}

/// The names behind an address in a hosts file: the full one and others.
fn hosts(rest: &str, tell: &mut Tell<'_>) {
    let names: Vec<&str> = rest.split('#').next().unwrap_or_default().split_ascii_whitespace().collect();
    let is_name = |name: &&str| {
        name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.'))
            && name.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    if (1..=6).contains(&names.len()) && names.iter().all(is_name) && names.iter().any(|name| name.contains('.')) {
        names.into_iter().for_each(|name| tell(Place::Host, name));
    }
}

/// `8e9e05c52164694d, started, name, …` as `etcdctl member list` prints it, or with other signs between.
fn member(line: &str, sign: &str, tell: &mut Tell<'_>) {
    let mut cells = line.split(sign).map(str::trim);
    let id = cells.next().unwrap_or_default();
    if (12..=16).contains(&id.len())
        && id.bytes().all(|b| b.is_ascii_hexdigit())
        && cells.next() == Some("started")
        && let Some(name) = cells.next()
    {
        tell(Place::Node, name);
    }
}

/// A line that begins with a small letter.
fn small(line: &str, tell: &mut Tell<'_>) {
    let Some(sign) = line.bytes().find(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'_' | b'-')) else { return };
    match sign {
        b'{' if line.starts_with("kube_node_") => {
            let node = line
                .split_once("node=\"")
                .and_then(|(before, node)| before.ends_with(['{', ',']).then(|| node.split('"').next()).flatten());
            node.into_iter().for_each(|node| tell(Place::Node, node));
        }
        b' ' => {
            let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
            let rest = rest.trim_start();
            if matches!(first, "search" | "domain") {
                // of a resolver, and no sentence
                let all = || rest.split_ascii_whitespace();
                if all().all(|domain| domain.contains('.')) {
                    all().for_each(|domain| tell(Place::Domain, domain));
                }
            } else if ["pts/", "tty1 ", "console "].iter().any(|terminal| rest.starts_with(terminal)) {
                tell(Place::User, first);
            }
        }
        b'=' if line.starts_with("uid=") => {
            let user = line.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
            user.into_iter().for_each(|(user, _)| tell(Place::User, user));
        }
        b',' => member(line, ", ", tell),
        _ => {}
    }
}
