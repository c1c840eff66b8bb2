//! factpress: a static report generator in which every figure in every language is computed from a capture.
//!
//! The modules stand in the order in which data flows; a module uses only modules declared above it, and the files of
//! one folder never use each other (`tests/architecture.rs` holds the code to both):
//!
//! 1. [`project`] reads `factpress.toml`, [`capture`] finds and opens the raw files of a part.
//! 2. [`read`] turns the bytes of one format into a record.
//! 3. [`mask`] replaces what is sensitive by aliases; everything below it accepts only [`mask::Masked`] values.
//! 4. [`facts`] computes every figure and judges every claim.
//! 5. [`locale`] holds the strings, numbers and dates of one language.
//! 6. [`chart`] draws, [`page`] joins facts and strings into what a template sees, [`render`] makes Markdown and HTML.
//! 7. [`publish`] stages, verifies and swaps `output/`.
//! 8. [`pipeline`] knows every stage; [`cli`] is how a person calls it.

pub mod diag;
pub mod quantity;
pub mod project;
pub mod capture;
pub mod read;
pub mod mask;
pub mod facts;
pub mod locale;
pub mod chart;
pub mod page;
pub mod render;
pub mod publish;
pub mod pipeline;
pub mod cli;
