//! The verifier against leaks that are planted, and against texts that are harmless.
