//! How a text is taken apart before anything is looked for in it: lines into pieces, JSON into strings.
//!
//! Captures repeat themselves: most pieces of a line were met before. A line without escapes, and without a word that gives the words
//! around it a meaning, is judged piece by piece, each piece once; what is found is the same as in the whole line.

mod cache;
mod json;
mod pieces;

pub(super) use cache::Cache;
pub(super) use json::{JsonText, NoJson, Token, strings as json_strings, write as json_write};
pub(super) use pieces::{is_plain, is_separator, joint, may_hide, split};
