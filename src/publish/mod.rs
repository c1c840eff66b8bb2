//! The only module that writes `output/`: stage, verify, swap, prune; or compare.
