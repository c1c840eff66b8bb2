//! `factpress mask`: raw captures into a folder that may be published.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::{Console, Findings, Format, Status, progress, progress_done};
use crate::diag::{Outcome, Severity};
use crate::mask::Map;
use crate::pipeline::{self, Bundle, Measure};
use crate::publish::{self, OUTPUT};

/// Masks raw captures into a folder that may be published
///
/// The files keep their names, their structure and their counts; a build from them makes the same bytes as one from the raw captures. In a series
/// the aliases are those of its build. What is written was searched for every original first: one hit, and nothing is written.
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) findings: Findings,
    /// The folder of one part, or of all of them: measure/PART or measure/
    #[arg(value_name = "MEASURE_DIR")]
    from: PathBuf,
    /// The folder that is written; an earlier bundle in it is replaced
    #[arg(value_name = "OUT_DIR")]
    out: PathBuf,
    /// A node, by its short or full name (may be given several times)
    #[arg(long = "known-node", value_name = "NAME")]
    nodes: Vec<String>,
    /// A domain, whose hosts are masked with it (may be given several times)
    #[arg(long = "known-domain", value_name = "DOMAIN")]
    domains: Vec<String>,
    /// A user (may be given several times)
    #[arg(long = "known-user", value_name = "NAME")]
    users: Vec<String>,
    /// The map that keeps aliases from one measurement to the next; it is made if it is not there, for its owner alone
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
}

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Status {
    let done = mask(args, console);
    progress_done(console.terminal);
    match done {
        Ok(bundle) => {
            let status = console.report(&bundle.warnings, Status::Fine);
            if console.format == Format::Text {
                console.print(&told(&bundle));
            }
            status
        }
        // a file that would lose its structure is a finding of ours, not of the captures
        Err(wrong) => {
            let status = if wrong.worst() == Some(Severity::Leak) { Status::Leak } else { Status::Bad };
            console.report(&wrong, status)
        }
    }
}

fn mask(args: &Args, console: &Console<'_>) -> Outcome<Bundle> {
    let mut measure = Measure::open(&args.from)?;
    measure.know(&args.nodes, &args.domains, &args.users);
    let path = args.map.clone().or_else(|| measure.map().map(PathBuf::from));
    let output = measure.root().join(OUTPUT);
    let mut map = match &path {
        Some(path) => Some(Map::load(path, &[&output, &args.out])?),
        None => None,
    };
    let bundle = pipeline::bundle(&measure, &args.out, map.as_mut(), &progress(console.terminal))?;
    if let (Some(path), Some(map)) = (&path, &map) {
        publish::private(path, &map.to_bytes())?;
    }
    Ok(bundle)
}

/// What was masked, by kind and count, and what was left out.
fn told(bundle: &Bundle) -> String {
    let kinds: Vec<String> = bundle.kinds.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    let kinds = if kinds.is_empty() { "nothing".to_owned() } else { kinds.join(", ") };
    let mut text = format!("{} files; masked: {kinds}\n", bundle.files);
    for (path, why) in &bundle.left_out {
        text += &format!("left out: {path} ({why})\n");
    }
    text
}
