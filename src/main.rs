//! The command line program: parse, run, exit status.

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use factpress::cli::{Cli, run};

fn main() -> ExitCode {
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
