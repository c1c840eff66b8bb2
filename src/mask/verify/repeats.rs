//! Text that repeats what stands above it, as most lines of captures do: where all of that was harmless, so is this.

/// So many beginnings are remembered.
const SLOTS: usize = 1 << 13;

/// So many bytes are compared at once.
const WORD: usize = 8;

/// Where pieces with the same beginning stood last.
#[derive(Default)]
pub(super) struct Repeats {
    /// Place + 1, by hash.
    places: Vec<u32>,
    /// From here on, everything above was harmless wherever it stands.
    harmless: usize,
}

impl Repeats {
    /// Begins with another text.
    pub(super) fn begin(&mut self) {
        self.places.clear();
        self.places.resize(SLOTS, 0);
        self.harmless = 0;
    }

    /// What ends here is not harmless by itself.
    pub(super) fn break_at(&mut self, end: usize) {
        self.harmless = end;
    }

    /// From where on the text is new; `at` is the beginning of a piece, and so is what is returned, or a sign before one. All pieces above have
    /// been looked at. The text has no sequence of a terminal, so that a sign always ends a piece.
    pub(super) fn new_from(&mut self, text: &[u8], at: usize, is_sign: impl Fn(u8) -> bool) -> usize {
        let Some(first) = word(text, at) else { return at };
        let slot = (first.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOTS.ilog2())) as usize;
        let before = std::mem::replace(&mut self.places[slot], u32::try_from(at + 1).unwrap_or_default()) as usize;
        if before <= self.harmless || word(text, before - 1) != Some(first) {
            return at;
        }
        let before = before - 1;
        let mut length = WORD;
        // what is compared with may reach into what is being compared: it then repeats itself
        while let (Some(a), Some(b)) = (word(text, before + length), word(text, at + length)) {
            if a != b {
                length += (a ^ b).trailing_zeros() as usize / 8;
                break;
            }
            length += WORD;
        }
        text[at..at + length].iter().rposition(|b| is_sign(*b)).map_or(at, |last| at + last + 1)
    }
}

fn word(text: &[u8], at: usize) -> Option<u64> {
    text.get(at..at + WORD).and_then(|bytes| bytes.try_into().ok()).map(u64::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the text is new, at the beginnings of words.
    fn new(text: &str, bad: Option<usize>) -> Vec<(usize, usize)> {
        let mut repeats = Repeats::default();
        repeats.begin();
        let mut all = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let from = repeats.new_from(text.as_bytes(), at, |b| b == b' ');
            if from > at {
                all.push((at, from));
                at = from;
                continue;
            }
            let end = text[at..].find(' ').map_or(text.len(), |i| at + i + 1);
            if bad == Some(at) {
                repeats.break_at(end);
            }
            at = end;
        }
        all
    }

    #[test]
    fn what_was_harmless_is_passed_over() {
        let text = "alpha beta gamma one alpha beta gamma two alpha beta gammas";
        assert_eq!(new(text, None), [(21, 38), (42, 53)]);
        // what stands in it was not
        assert_eq!(new(text, Some(6)), [(42, 53)]);
        assert_eq!(new(text, Some(38)), [(21, 38)]);
        // it repeats itself
        assert_eq!(new("ab ab ab ab ab ab ab ab ", None), [(3, 18)]);
    }
}
