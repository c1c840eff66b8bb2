//! The pieces in which nothing was found, so that each is searched once. Exact: pieces are compared, not only their hashes.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;

/// Longer pieces rarely come twice.
const LONGEST: usize = 1024;

/// So much text is kept before it begins anew.
const MOST_BYTES: usize = (4 << 20) - 2048;

/// So many slots at most, three of four taken.
const MOST_SLOTS: usize = 1 << 18;

/// A set of pieces, bounded.
pub(super) struct Seen {
    /// The upper half of the hash, and where in `bytes` the piece stands; 0 is empty.
    slots: Vec<u64>,
    /// For each piece two bytes of its length, and the piece.
    bytes: Vec<u8>,
    taken: usize,
    hasher: FixedState,
}

impl Default for Seen {
    fn default() -> Self {
        Self { slots: vec![0; 1 << 12], bytes: vec![0], taken: 0, hasher: FixedState::default() }
    }
}

impl Seen {
    /// Whether a piece is known; and its hash, with which it can be added.
    pub(super) fn has(&self, piece: &[u8]) -> (bool, u64) {
        let hash = self.hash(piece);
        (self.find(hash, piece).is_none(), hash)
    }

    /// Adds a piece that is not known.
    pub(super) fn add(&mut self, piece: &[u8], hash: u64) {
        if piece.len() > LONGEST {
            return;
        }
        if self.bytes.len() >= MOST_BYTES || (self.taken * 4 >= self.slots.len() * 3 && self.slots.len() >= MOST_SLOTS)
        {
            self.slots.fill(0);
            self.bytes.truncate(1);
            self.taken = 0;
        } else if self.taken * 4 >= self.slots.len() * 3 {
            self.grow();
        }
        if let Some(free) = self.find(hash, piece) {
            self.slots[free] = hash >> 32 << 32 | self.bytes.len() as u64;
            self.bytes.extend_from_slice(&(piece.len() as u16).to_le_bytes());
            self.bytes.extend_from_slice(piece);
            self.taken += 1;
        }
    }

    fn hash(&self, piece: &[u8]) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(piece);
        hasher.finish()
    }

    /// The free slot in which a piece belongs; none if it is there.
    fn find(&self, hash: u64, piece: &[u8]) -> Option<usize> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return Some(at);
            }
            if slot >> 32 == hash >> 32 && self.at(slot as u32 as usize) == piece {
                return None;
            }
            at = (at + 1) & mask;
        }
    }

    fn at(&self, place: usize) -> &[u8] {
        let length = usize::from(u16::from_le_bytes([self.bytes[place], self.bytes[place + 1]]));
        &self.bytes[place + 2..place + 2 + length]
    }

    fn grow(&mut self) {
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![0; old.len() * 2];
        let mask = self.slots.len() - 1;
        for slot in old.into_iter().filter(|slot| *slot != 0) {
            let mut at = self.hash(self.at(slot as u32 as usize)) as usize & mask;
            while self.slots[at] != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = slot;
        }
    }

    /// Bytes of memory.
    #[cfg(test)]
    pub(super) fn size(&self) -> usize {
        self.slots.capacity() * 8 + self.bytes.capacity()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn it_knows_what_was_added_and_nothing_else_and_stays_small() {
        let mut seen = Seen::default();
        let mut known = BTreeSet::new();
        for i in 0..600_000u32 {
            let piece = format!("{:x}-{}", i.wrapping_mul(0x9e37_79b1) % 400_000, "x".repeat(i as usize % 23));
            let (has, hash) = seen.has(piece.as_bytes());
            // it may have begun anew, but never knows what was not added
            assert!(!has || known.contains(&piece));
            if !has {
                seen.add(piece.as_bytes(), hash);
                assert!(seen.has(piece.as_bytes()).0);
            }
            known.insert(piece);
        }
        assert!(seen.size() <= 6 << 20, "{}", seen.size());
    }
}
