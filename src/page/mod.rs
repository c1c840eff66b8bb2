//! The contract with the templates: what one page offers them.
pub mod charts;
