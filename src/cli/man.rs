//! `factpress man`: the manual page, from the definitions of the command line.

use clap::{Args as ClapArgs, CommandFactory};

use super::{Cli, Console, Status};

/// Prints the manual page (roff), of factpress or of one command
#[derive(Debug, ClapArgs)]
pub(super) struct Args {
    /// A command, e.g. build
    command: Option<String>,
}

pub(super) fn run(args: &Args, console: &mut Console<'_>) -> Status {
    let mut command = Cli::command();
    command.build();
    let page = match &args.command {
        None => command,
        Some(name) => match command.find_subcommand(name) {
            Some(found) => found.clone(),
            None => {
                console.remark(&format!("factpress has no command `{name}`; `factpress --help` lists them\n"));
                return Status::Bad;
            }
        },
    };
    let mut roff = Vec::new();
    clap_mangen::Man::new(page).render(&mut roff).expect("writing to memory does not fail");
    console.print(&String::from_utf8_lossy(&roff));
    Status::Fine
}
