//! What was decided of a piece of text, so that it is decided once.

use foldhash::fast::FixedState;
use indexmap::IndexMap;

/// Pieces and what was decided of each. Exact: pieces are compared, not only their hashes.
pub(in super::super) struct Cache<V> {
    known: IndexMap<Box<[u8]>, V, FixedState>,
    bytes: usize,
}

/// A longer piece rarely comes twice.
const LONGEST: usize = 256;

/// So much text is kept before the cache begins anew.
const MOST_BYTES: usize = 6 << 20;

/// So many pieces are kept before the cache begins anew.
const MOST: usize = 1 << 17;

impl<V> Cache<V> {
    pub(in super::super) fn new() -> Self {
        Self { known: IndexMap::with_hasher(FixedState::default()), bytes: 0 }
    }

    pub(in super::super) fn get(&self, piece: &[u8]) -> Option<&V> {
        // never kept, and long to hash
        if piece.len() > LONGEST {
            return None;
        }
        self.known.get(piece)
    }

    /// Keeps a decision.
    pub(in super::super) fn put(&mut self, piece: &[u8], value: V) {
        if piece.len() > LONGEST {
            return;
        }
        if self.known.len() >= MOST || self.bytes >= MOST_BYTES {
            self.known.clear();
            self.bytes = 0;
        }
        self.bytes += piece.len();
        self.known.insert(piece.into(), value);
    }
}
