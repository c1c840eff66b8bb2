//! The two addresses of a socket: of the internet, of Unix, of netlink and the rest.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::read::Word;

/// One end of a socket.
#[derive(Debug)]
pub(super) struct End {
    pub(super) address: String,
    pub(super) port: Option<String>,
}

/// Both ends, the family of the local one, and how many words they took.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) local: End,
    pub(super) peer: End,
    pub(super) family: Option<&'static str>,
    pub(super) words: usize,
}

/// The addresses at the start of `words`; `netid` tells their family, and without it their form does.
pub(super) fn pair(line: &str, words: &[Word<'_>], netid: Option<&str>) -> Option<Pair> {
    match netid {
        Some("u_str" | "u_dgr" | "u_seq") => unix(line, words),
        Some("nl") => named(line, words, "netlink"),
        Some("p_raw" | "p_dgr") => named(line, words, "packet"),
        Some("xdp") => named(line, words, "xdp"),
        Some("v_str" | "v_dgr") => numbered(words, "vsock"),
        Some("ti_st" | "ti_dg" | "ti_rd" | "ti_sq") => numbered(words, "tipc"),
        Some(_) => inet(words),
        None => inet(words).or_else(|| unix(line, words)).or_else(|| named(line, words, "netlink")),
    }
}

fn inet(words: &[Word<'_>]) -> Option<Pair> {
    let (local, family) = inet_end(words.first()?.text)?;
    let (peer, peer_family) = inet_end(words.get(1)?.text)?;
    Some(Pair { local, peer, family: family.or(peer_family), words: 2 })
}

/// `127.0.0.1:22`, `[::1]%lo:22`, `::1:22` of old versions, `*:*`, `host.name:ssh`.
fn inet_end(text: &str) -> Option<(End, Option<&'static str>)> {
    let (host, port) = text.rsplit_once(':')?;
    let (address, family) = host_of(host)?;
    let is_name = |p: &str| !p.is_empty() && p.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.+-".contains(&b));
    let is_port = if port.bytes().all(|b| b.is_ascii_digit()) { port.parse::<u16>().is_ok() } else { is_name(port) };
    (port == "*" || is_port).then(|| (End { address, port: Some(port.to_owned()) }, family))
}

fn host_of(text: &str) -> Option<(String, Option<&'static str>)> {
    let (bare, zone) = match text.strip_prefix('[') {
        Some(rest) => {
            let (inner, outside) = rest.split_once(']')?;
            let (inner, inside) = inner.split_once('%').map_or((inner, ""), |(a, z)| (a, z));
            inner.parse::<Ipv6Addr>().ok()?;
            (inner, if outside.is_empty() { inside } else { outside.strip_prefix('%')? })
        }
        None => text.split_once('%').unwrap_or((text, "")),
    };
    let is_name = |n: &str| n.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b)) && !n.is_empty();
    let family = if bare.parse::<Ipv4Addr>().is_ok() {
        Some("inet")
    } else if bare.parse::<Ipv6Addr>().is_ok() {
        Some("inet6")
    } else if bare == "*" || is_name(bare) {
        None
    } else {
        return None;
    };
    Some((if zone.is_empty() { bare.to_owned() } else { format!("{bare}%{zone}") }, family))
}

/// `<path> <inode> <peer path> <peer inode>`. A path may hold blanks, so the inodes tell where it ends.
fn unix(line: &str, words: &[Word<'_>]) -> Option<Pair> {
    let is_inode = |i: usize| words[i].text.bytes().all(|b| b.is_ascii_digit());
    let is_path = |i: usize| words[i].text == "*" || words[i].text.starts_with(['/', '@']);
    let span = |from: usize, to: usize| line[words[from].start..words[to].end()].to_owned();
    // Behind the addresses a bare number stands only in the list that `peers:` begins.
    let details = ["users:(", "uid:", "ino:", "peers:"];
    let end = words.iter().position(|w| details.iter().any(|d| w.text.starts_with(d))).unwrap_or(words.len());
    let last = (3..end).rev().find(|i| is_inode(*i))?;
    let whole_peer = is_path(last - 1) && is_inode(last - 2);
    let first = if whole_peer {
        last - 2
    } else {
        let mut inodes = (1..last - 1).filter(|i| is_inode(*i));
        let only = inodes.next()?;
        if inodes.next().is_some() {
            return None;
        }
        only
    };
    Some(Pair {
        local: End { address: span(0, first - 1), port: Some(words[first].text.to_owned()) },
        peer: End { address: span(first + 1, last - 1), port: Some(words[last].text.to_owned()) },
        family: Some("unix"),
        words: last + 1,
    })
}

/// `rtnl:name of a process/878  *`, `*:eth0  *`, `nft:12  1:34`.
fn named(line: &str, words: &[Word<'_>], family: &'static str) -> Option<Pair> {
    let is_number = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    let peer = |t: &str| t == "*" || t.split_once(':').is_some_and(|(a, b)| is_number(a) && is_number(b));
    let at = (1..words.len()).find(|i| peer(words[*i].text))?;
    let (address, port) = line[words[0].start..words[at - 1].end()].split_once(':')?;
    let (peer_address, peer_port) =
        words[at].text.split_once(':').map_or((words[at].text, None), |(a, p)| (a, Some(p.to_owned())));
    let good = !address.is_empty() && !address.contains(' ') && !port.is_empty();
    good.then(|| Pair {
        local: End { address: address.to_owned(), port: Some(port.to_owned()) },
        peer: End { address: peer_address.to_owned(), port: peer_port },
        family: Some(family),
        words: at + 1,
    })
}

/// `2:1024`, `*:*`: numbers on both sides.
fn numbered(words: &[Word<'_>], family: &'static str) -> Option<Pair> {
    let end = |word: &Word<'_>| {
        let (address, port) = word.text.rsplit_once(':')?;
        let good = !address.is_empty() && !port.is_empty();
        good.then(|| End { address: address.to_owned(), port: Some(port.to_owned()) })
    };
    Some(Pair { local: end(words.first()?)?, peer: end(words.get(1)?)?, family: Some(family), words: 2 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::words;

    #[test]
    fn hosts_of_every_form() {
        for (text, address, family) in [
            ("127.0.0.1", "127.0.0.1", Some("inet")),
            ("127.0.0.53%lo", "127.0.0.53%lo", Some("inet")),
            ("[::1]", "::1", Some("inet6")),
            ("[fe80::1]%eth0", "fe80::1%eth0", Some("inet6")),
            ("[::ffff:10.0.0.1]", "::ffff:10.0.0.1", Some("inet6")),
            ("::1", "::1", Some("inet6")),
            ("::", "::", Some("inet6")),
            ("*", "*", None),
            ("*%virbr0", "*%virbr0", None),
            ("db.example", "db.example", None),
        ] {
            assert_eq!(host_of(text), Some((address.to_owned(), family)), "{text}");
        }
        for text in ["", "[::1", "[10.0.0.1]", "a b", "::x", "users:((\"x\"", "[::1]x"] {
            assert_eq!(host_of(text), None, "{text}");
        }
    }

    #[test]
    fn unix_paths_may_hold_blanks_but_not_doubt() {
        for (line, local, peer) in [
            ("* 1 * 2", "* 1", "* 2"),
            ("@/run/.X11 unix 7 0 12 * 0", "@/run/.X11 unix 7 0 12", "* 0"),
            ("private/smtp 25 * 0 <->", "private/smtp 25", "* 0"),
            ("/a 1 /b  c 2", "/a 1", "/b  c 2"),
        ] {
            let words: Vec<_> = words(line).collect();
            let pair = unix(line, &words).expect(line);
            let show = |end: &End| format!("{} {}", end.address, end.port.as_deref().unwrap_or_default());
            assert_eq!((show(&pair.local), show(&pair.peer)), (local.to_owned(), peer.to_owned()));
        }
        let line = "/a 1 x 2 y 3";
        assert!(unix(line, &words(line).collect::<Vec<_>>()).is_none(), "either number may be the inode");
    }
}
