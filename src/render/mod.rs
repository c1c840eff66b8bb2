//! Tera → Markdown → HTML. Returns path → bytes, writes nothing.

mod emphasis;

use std::ops::Range;

use pulldown_cmark::Options;

/// What of Markdown is read: GitHub's tables and strikethrough besides CommonMark.
const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH);

/// A byte range and what is to stand there instead.
type Edit = (Range<usize>, String);

/// `text` after `edits`, which are in order and do not overlap.
fn apply(text: &str, edits: &[Edit]) -> String {
    let mut done = String::with_capacity(text.len() + edits.len() * 8);
    let mut at = 0;
    for (range, with) in edits {
        done.push_str(&text[at..range.start]);
        done.push_str(with);
        at = range.end;
    }
    done.push_str(&text[at..]);
    done
}
