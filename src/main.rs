//! The command line program: parse, run, exit status.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use factpress::cli::{Cli, run};

fn main() -> ExitCode {
    // the message of a panic may quote a capture: only its place is told
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(std::io::stderr(), "factpress: a mistake in the program at {place}; please report it");
    }));
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            // clap: 0 for --help and --version, 2 for a wrong call.
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    // Not locked: progress is written from other threads.
    let status = run(&cli, &mut out, &mut std::io::stderr());
    let _ = out.flush();
    ExitCode::from(status.code())
}
