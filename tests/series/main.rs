//! The series of this repository, built by the program as a person builds it: its figures, its output, its mistakes.

#![expect(clippy::disallowed_methods, reason = "a test copies folders and runs the program")]
#![expect(clippy::print_stdout, reason = "a test says what it skipped")]

mod bundle;
mod copy;
mod errors;
mod figures;
mod output;
