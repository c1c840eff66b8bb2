//! `factpress completions`: a completion script, from the definitions of the command line.

use clap::{Args as ClapArgs, CommandFactory};
use clap_complete::Shell;

use super::{Cli, Console, Status};

/// Prints a completion script for a shell
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Status {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "factpress", &mut script);
    console.print(&String::from_utf8_lossy(&script));
    Status::Fine
}
