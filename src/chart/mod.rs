//! Finished labels and numbers → SVG.
