//! What an address keeps: its class, and with whom it shares a net.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The net of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Net {
    /// With which its token begins.
    pub(super) class: &'static str,
    /// The /24 of IPv4, the /64 of IPv6.
    first: IpAddr,
}

impl Net {
    /// `address` is canonical: no IPv4 address in IPv6.
    pub(super) fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(v4) => {
                let [a, b, c, _] = v4.octets();
                let class = match (a, b) {
                    _ if v4.is_private() => "priv",
                    (169, 254) => "ll",
                    (100, 64..128) => "cgnat",
                    (224..240, _) => "mcast",
                    _ => "pub",
                };
                Self { class, first: Ipv4Addr::new(a, b, c, 0).into() }
            }
            IpAddr::V6(v6) => {
                let class = match v6.segments()[0] {
                    0xfe80..0xfec0 => "ll",
                    0xff00.. => "mcast",
                    _ => "v6",
                };
                Self { class, first: Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64).into() }
            }
        }
    }

    /// `10.9.8.0/24`: by which an earlier run knows it.
    pub(super) fn canonical(&self) -> String {
        let length = if self.first.is_ipv4() { 24 } else { 64 };
        format!("{}/{length}", self.first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_net_has_a_class_and_a_name() {
        for (address, class, name) in [
            ("10.9.8.77", "priv", "10.9.8.0/24"),
            ("172.31.0.1", "priv", "172.31.0.0/24"),
            ("172.32.0.1", "pub", "172.32.0.0/24"),
            ("169.254.3.4", "ll", "169.254.3.0/24"),
            ("100.127.0.9", "cgnat", "100.127.0.0/24"),
            ("100.128.0.9", "pub", "100.128.0.0/24"),
            ("239.1.2.3", "mcast", "239.1.2.0/24"),
            ("fd00:1:2:3:4:5:6:7", "v6", "fd00:1:2:3::/64"),
            ("febf::1", "ll", "febf::/64"),
            ("ff02::fb", "mcast", "ff02::/64"),
        ] {
            let net = Net::of(address.parse().expect("an address"));
            assert_eq!((net.class, net.canonical().as_str()), (class, name), "{address}");
        }
    }
}
