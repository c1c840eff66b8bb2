//! `factpress check`: everything that a build would say, and nothing written.

use clap::Args as ClapArgs;

use super::{Console, Findings, Status, progress, progress_done};
use crate::pipeline::{self, Mode, Options};
use crate::project::Project;

/// Checks captures, facts, claims, strings and pages, and writes nothing
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) findings: Findings,
    /// Check only this part (may be given several times)
    #[arg(long = "part", value_name = "PART")]
    parts: Vec<String>,
    /// Check only the pages of this language, by its folder name (may be given several times)
    #[arg(long = "lang", value_name = "LANG")]
    languages: Vec<String>,
    /// Exit 1 for warnings too
    #[arg(long)]
    deny_warnings: bool,
}

pub(super) fn run(args: &Args, project: &Project, console: &mut Console<'_>) -> Status {
    let options = Options { parts: args.parts.clone(), languages: args.languages.clone(), mode: Mode::Publish };
    let built = pipeline::build(project, &options, &progress(console.terminal));
    progress_done(console.terminal);
    match built {
        Ok(built) => {
            let found = built.findings.has_errors() || (args.deny_warnings && !built.findings.is_empty());
            let status = console.report(&built.findings, if found { Status::Found } else { Status::Fine });
            if built.findings.is_empty() {
                let counts = built.counts;
                console.remark(&format!(
                    "{} captures, {} facts, {} claims hold: nothing to say\n",
                    counts.captures, counts.facts, counts.claims
                ));
            }
            status
        }
        Err(wrong) => console.report(&wrong, Status::Bad),
    }
}
