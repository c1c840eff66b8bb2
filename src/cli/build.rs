//! `factpress build`: makes the pages and writes them, or says what would change.

use clap::Args as ClapArgs;

use super::{Console, Findings, Format, Status, progress, progress_done};
use crate::diag::{Diagnostic, Diagnostics, Place};
use crate::pipeline::{self, Mode, Options};
use crate::project::Project;
use crate::publish::{self, Difference, OUTPUT};

/// Computes every figure and writes output/
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) findings: Findings,
    /// Build only this part (may be given several times)
    #[arg(long = "part", value_name = "PART")]
    parts: Vec<String>,
    /// Build only this language, by its folder name (may be given several times)
    #[arg(long = "lang", value_name = "LANG")]
    languages: Vec<String>,
    /// Write nothing; say what in output/ is stale, missing or extra, and exit 1 if anything is
    #[arg(long)]
    check: bool,
    /// Let false claims and missing strings pass, as warnings that the pages show; a leak never passes
    #[arg(long)]
    draft: bool,
}

pub(super) fn run(args: &Args, project: &Project, console: &mut Console<'_>) -> Status {
    let options = Options {
        parts: args.parts.clone(),
        languages: args.languages.clone(),
        mode: if args.draft { Mode::Draft } else { Mode::Publish },
    };
    let built = pipeline::build(project, &options, &progress(console.terminal));
    progress_done(console.terminal);
    let built = match built {
        Ok(built) => built,
        Err(wrong) => return console.report(&wrong, Status::Bad),
    };
    if built.findings.has_errors() {
        let status = console.report(&built.findings, Status::Found);
        console.remark(
            "nothing was written: a sentence of the article is no longer true; `--draft` builds all the same\n",
        );
        return status;
    }
    if args.check {
        return match publish::compare(project.root(), &built.tree, &built.scope) {
            Ok(differences) => {
                let mut found = built.findings;
                found.extend(stale(&differences));
                console.report(&found, if differences.is_empty() { Status::Fine } else { Status::Found })
            }
            Err(wrong) => console.report(&wrong, Status::Bad),
        };
    }
    let written = match publish::write(project.root(), &built.tree, &built.scope) {
        Ok(written) => written,
        Err(wrong) => return console.report(&wrong, Status::Bad),
    };
    let status = console.report(&built.findings, Status::Fine);
    if console.format == Format::Text {
        let counts = built.counts;
        console.remark(&format!(
            "{} captures, {} facts, {} claims hold; {} files in {OUTPUT}/, {} changed\n",
            counts.captures,
            counts.facts,
            counts.claims,
            built.tree.len(),
            written.len()
        ));
    }
    status
}

/// A finding for each file that is not what a build gives.
fn stale(differences: &[(String, Difference)]) -> Diagnostics {
    differences
        .iter()
        .map(|(path, difference)| {
            let what = match difference {
                Difference::Stale => "is not what a build gives",
                Difference::Missing => "is missing",
                Difference::Extra => "is made by no build",
            };
            Diagnostic::error("output-stale", format!("{OUTPUT}/{path} {what}"))
                .with_place(Place::file(format!("{OUTPUT}/{path}")))
                .with_help("run `factpress build` and commit the result")
        })
        .collect()
}
