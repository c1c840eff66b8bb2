//! Typed places: where records and texts say by a key, a flag, a column or a position that a value is a node, a user, a pod, a secret.
//!
//! What is told is a part of the text that was given, so that who asks knows where it stands.

mod key;
mod line;
mod object;
mod pairs;
mod typed;

#[cfg(test)]
mod tests;

use super::{Found, Kind, Place, host_name, is_of_set, is_secret_name, json_strings, split};

use key::{in_prose, is_of_node, is_of_user, members};
use object::{NODE_COLUMNS, place_of_row};

pub(super) use key::keyed;
pub(super) use line::Scanner;
pub(super) use object::{is_structural, record};
pub(super) use pairs::joined;
pub(super) use typed::TypedWords;

/// What is told of each value in a typed place.
type Tell<'a> = dyn FnMut(Place, &str) + 'a;

/// Visits the typed places of a text.
pub(super) fn text(text: &str, tell: &mut Tell<'_>) {
    pairs::text(text, tell);
    // a piece of a line is no line
    if memchr::memchr(b' ', text.as_bytes()).is_some() {
        let mut scanner = Scanner::default();
        text.lines().for_each(|line| scanner.line(line, tell));
    }
}
