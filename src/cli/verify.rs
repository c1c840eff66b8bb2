//! `factpress verify`: searches a folder for what the captures hold and must not be published.

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;

use super::{Console, Findings, Status, progress, progress_done};
use crate::diag::Outcome;
use crate::mask::Map;
use crate::pipeline::{self, Measure};
use crate::publish::OUTPUT;

/// Searches a folder for anything sensitive that the captures hold
///
/// For a page that was edited by hand, or a folder that is to be sent away. Every file is searched, by name and content, for every original in every
/// spelling, and for sensitive shapes.
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) findings: Findings,
    /// The folder that is searched
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The raw captures, where they are not measure/ of the series
    #[arg(long, value_name = "MEASURE_DIR")]
    measure: Option<PathBuf>,
}

pub(super) fn run(args: &Args, root: &Path, console: &mut Console<'_>) -> Status {
    let done = verify(args, root, console);
    progress_done(console.terminal);
    match done {
        Ok(files) => {
            console.remark(&format!("{files} files: nothing sensitive found\n"));
            Status::Fine
        }
        Err(wrong) => console.report(&wrong, Status::Bad),
    }
}

fn verify(args: &Args, root: &Path, console: &Console<'_>) -> Outcome<usize> {
    let measure = Measure::open(&args.measure.clone().unwrap_or_else(|| root.join("measure")))?;
    let map = match measure.map() {
        Some(path) => Some(Map::load(path, &[&measure.root().join(OUTPUT)])?),
        None => None,
    };
    pipeline::verify(&measure, &args.folder, map.as_ref(), &progress(console.terminal))
}
