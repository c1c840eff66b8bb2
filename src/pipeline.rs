//! The only module that knows every stage.
