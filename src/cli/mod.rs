//! The command line: one file a command. Help, completions and the man page come from the same definitions.

mod build;
mod check;
mod completions;
mod facts;
mod man;
mod mask;
mod verify;

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::diag::{Colour, Diagnostics, Severity};
use crate::pipeline::Stage;
use crate::project::Project;

/// Renders articles whose every figure is computed from a capture.
///
/// factpress reads raw captures (measure/), masks what is sensitive, computes every figure (templates/PART/part.toml)
/// and writes articles in several languages (output/) from templates and catalogues (locales/).
#[derive(Debug, Parser)]
#[command(name = "factpress", version, propagate_version = true, after_help = EXIT_STATUS)]
pub struct Cli {
    /// The folder that holds factpress.toml
    #[arg(long, global = true, value_name = "DIR", default_value = ".")]
    root: PathBuf,

    #[command(subcommand)]
    command: Command,
}

const EXIT_STATUS: &str = "\
Exit status:
  0  all is well
  1  something was found: a false claim, a stale output
  2  the input is bad: nothing was written
  3  something sensitive would have been published: nothing was written";

#[derive(Debug, Subcommand)]
enum Command {
    Build(build::Args),
    Check(check::Args),
    Facts(facts::Args),
    Mask(mask::Args),
    Verify(verify::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// The option of every command that reports findings.
#[derive(Debug, clap::Args)]
struct Findings {
    /// How findings are written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// How findings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a person: message, place, the line with a caret, help
    Text,
    /// One JSON array
    Json,
    /// GitHub workflow commands, which annotate a pull request
    Github,
}

/// What a run came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All is well.
    Fine,
    /// Something was found.
    Found,
    /// The input is bad.
    Bad,
    /// Something sensitive would have been published.
    Leak,
}

impl Status {
    /// The exit status of the process.
    pub fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Found => 1,
            Self::Bad => 2,
            Self::Leak => 3,
        }
    }
}

/// Where a command writes: results to one stream, findings and progress to the other.
struct Console<'a> {
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    format: Format,
    terminal: bool,
}

impl Console<'_> {
    /// Writes results. A reader that went away is no failure of ours.
    fn print(&mut self, text: &str) {
        let _ = self.out.write_all(text.as_bytes());
    }

    /// Writes a remark for a person; only where findings are text.
    fn remark(&mut self, text: &str) {
        if self.format == Format::Text {
            let _ = self.err.write_all(text.as_bytes());
        }
    }

    /// Writes findings and says what they come to: `status` if none is worse.
    fn report(&mut self, found: &Diagnostics, status: Status) -> Status {
        let text = match self.format {
            Format::Text if found.is_empty() => String::new(),
            Format::Text => found.to_text(if self.terminal { Colour::Always } else { Colour::Never }),
            Format::Json => found.to_json(),
            Format::Github => found.to_github(),
        };
        // Machine forms are the result of the run; text is a remark beside it.
        let _ = match self.format {
            Format::Text => self.err.write_all(text.as_bytes()),
            Format::Json | Format::Github => self.out.write_all(text.as_bytes()),
        };
        if found.worst() == Some(Severity::Leak) { Status::Leak } else { status }
    }
}

/// Runs one command.
pub fn run(cli: &Cli, out: &mut dyn Write, err: &mut dyn Write) -> Status {
    let terminal = std::io::stderr().is_terminal();
    let format = match &cli.command {
        Command::Build(args) => args.findings.format,
        Command::Check(args) => args.findings.format,
        Command::Mask(args) => args.findings.format,
        Command::Verify(args) => args.findings.format,
        Command::Facts(_) | Command::Completions(_) | Command::Man(_) => Format::Text,
    };
    let mut console = Console { out, err, format, terminal };
    let project = || Project::open(&cli.root);
    let done = match &cli.command {
        Command::Build(args) => project().map(|project| build::run(args, &project, &mut console)),
        Command::Check(args) => project().map(|project| check::run(args, &project, &mut console)),
        Command::Facts(args) => project().map(|project| facts::run(args, &project, &mut console)),
        Command::Mask(args) => Ok(mask::run(args, &mut console)),
        Command::Verify(args) => Ok(verify::run(args, &cli.root, &mut console)),
        Command::Completions(args) => Ok(completions::run(args, &mut console)),
        Command::Man(args) => Ok(man::run(args, &mut console)),
    };
    done.unwrap_or_else(|wrong| console.report(&wrong, Status::Bad))
}

/// Shows each stage on one line of a terminal; elsewhere nothing.
fn progress(terminal: bool) -> impl Fn(Stage<'_>) + Sync {
    move |stage| {
        if terminal {
            let what = match stage {
                Stage::Read(path) => format!("reading {path}"),
                Stage::Verify(path) => format!("searching {path}"),
                Stage::Compute(part) => format!("computing {part}"),
                Stage::Render(part, language) => format!("rendering {part} ({language})"),
            };
            let _ = write!(std::io::stderr().lock(), "\r\x1b[K{what}");
        }
    }
}

/// Takes the line of [`progress`] away.
fn progress_done(terminal: bool) {
    if terminal {
        let _ = write!(std::io::stderr().lock(), "\r\x1b[K");
    }
}
