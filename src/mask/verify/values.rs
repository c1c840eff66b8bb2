//! The originals that are numbers: addresses, hardware addresses, UUIDs. A text is searched for what may be one in any notation, and its value is
//! looked up here, so that no notation has to be spelled beforehand.

use std::net::IpAddr;

/// Sorted, for looking up.
#[derive(Default)]
pub(super) struct Values {
    v4: Vec<u32>,
    v6: Vec<u128>,
    macs: Vec<u64>,
    /// UUIDs, and what machines have instead.
    ids: Vec<u128>,
}

impl Values {
    /// Takes an original, if it is a number. The others are names.
    pub(super) fn take(&mut self, kind: &str, original: &str) -> bool {
        if let Ok(address) = original.parse::<IpAddr>() {
            match address.to_canonical() {
                IpAddr::V4(v4) => self.v4.push(v4.into()),
                IpAddr::V6(v6) => self.v6.push(v6.into()),
            }
            return true;
        }
        let digits: String = original.chars().filter(|c| !matches!(c, '-' | '_' | ':' | '.')).collect();
        let hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
        match (kind, digits.len()) {
            ("mac", 12) if hex => self.macs.extend(u64::from_str_radix(&digits, 16)),
            ("uid" | "machine", 32) if hex => self.ids.extend(u128::from_str_radix(&digits, 16)),
            _ => return false,
        }
        true
    }

    pub(super) fn sort(&mut self) {
        fn sort<T: Ord>(all: &mut Vec<T>) {
            all.sort_unstable();
            all.dedup();
            all.shrink_to_fit();
        }
        sort(&mut self.v4);
        sort(&mut self.v6);
        sort(&mut self.macs);
        sort(&mut self.ids);
    }

    pub(super) fn has_v4(&self, octets: [u8; 4]) -> bool {
        self.v4.binary_search(&u32::from_be_bytes(octets)).is_ok()
    }

    /// Whether an address begins with these octets.
    pub(super) fn has_net(&self, octets: &[u8]) -> bool {
        let bits = octets.iter().fold(0, |bits, octet| bits << 8 | u128::from(*octet));
        within(&self.v4, bits, 32 - octets.len() * 8)
    }

    pub(super) fn has_v6(&self, bits: u128) -> bool {
        self.v6.binary_search(&bits).is_ok()
    }

    /// Whether an address begins with these many bits of four.
    pub(super) fn has_nibbles(&self, bits: u128, nibbles: usize) -> bool {
        within(&self.v6, bits, 128 - nibbles * 4)
    }

    pub(super) fn has_mac(&self, bits: u64) -> bool {
        self.macs.binary_search(&bits).is_ok()
    }

    pub(super) fn has_id(&self, bits: u128) -> bool {
        self.ids.binary_search(&bits).is_ok()
    }

    /// An address of either family, also as one is written within the other.
    pub(super) fn has(&self, address: IpAddr) -> bool {
        match address.to_canonical() {
            IpAddr::V4(v4) => self.has_v4(v4.octets()),
            IpAddr::V6(v6) => {
                let [a, b, c, d, e, f, g, h] = v6.segments();
                let v4 = |high: u16, low: u16| {
                    let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
                    self.has_v4([a, b, c, d])
                };
                self.has_v6(v6.into())
                    || match [a, b, c, d, e, f] {
                        // 64:ff9b::10.1.2.3, ::10.1.2.3
                        [0x64, 0xff9b, 0, 0, 0, 0] | [0, 0, 0, 0, 0, 0] => v4(g, h),
                        // 2002:a01:203::
                        [0x2002, ..] => v4(b, c),
                        _ => false,
                    }
            }
        }
    }

    pub(super) fn none_v6(&self) -> bool {
        self.v6.is_empty()
    }
}

/// Whether one of `all` is `bits` and then `rest` bits of any kind.
fn within<T: Copy + Into<u128>>(all: &[T], bits: u128, rest: usize) -> bool {
    let first = bits.checked_shl(rest as u32).unwrap_or_default();
    let at = all.partition_point(|value| (*value).into() < first);
    all.get(at).is_some_and(|value| (*value).into().checked_shr(rest as u32).unwrap_or_default() == bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_alike_is_found() {
        let mut values = Values::default();
        for (kind, original) in [("address", "10.9.8.7"), ("address", "fd4b::7"), ("address", "::ffff:10.1.1.1")] {
            assert!(values.take(kind, original));
        }
        assert!(values.take("mac", "0242ac11000b") && values.take("uid", "fbe18771-ee1b-41e9-aa62-8fe4654c3470"));
        assert!(!values.take("node", "worker-a1") && !values.take("container", &"0".repeat(64)));
        values.sort();
        assert!(values.has_net(&[10, 9]) && values.has_net(&[10, 9, 8]) && !values.has_net(&[10, 8]));
        assert!(values.has_nibbles(0xfd4b0000, 8) && !values.has_nibbles(0xfd4b0001, 8));
        assert!(
            values.has("10.1.1.1".parse().expect("an address")) && values.has("2002:a09:807::".parse().expect("one"))
        );
        assert!(values.has("64:ff9b::a09:807".parse().expect("one")) && !values.has("fd4b::8".parse().expect("one")));
        assert!(values.has_mac(0x0242_ac11_000b) && !values.has_mac(1));
    }
}
