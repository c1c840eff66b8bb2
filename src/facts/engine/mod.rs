//! jq over masked records: every filter of a part compiled into one program, without files, environment, network or
//! clock, and with an end: a filter that runs too long or too deep is stopped at the same step on every machine.

mod native;
mod quantile;
mod syntax;
mod value;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;

use jaq_core::data::HasLut;
use jaq_core::load::{Arena, File, Loader, parse::Def, parse::Term};
use jaq_core::{Compiler, Ctx, DataT, Lut, Vars};
use serde_json::Value;
use serde_spanned::Spanned;

use syntax::Syntax;

pub(super) use jaq_json::Val;
pub(super) use value::{Unfit, from_json, from_number, to_json};

/// Steps that one filter may take; a step is a call of a defined filter: seconds of work, and far above what facts need.
const STEPS: u64 = 10_000_000;
/// How many steps one number of `range` costs: a million numbers and no more.
const RANGE_STEPS: u64 = 10;
/// How much stack makes a call cost one step more: what is nested is gone through again for each output.
const STACK_STEP: usize = 4 << 10;
/// The stack on which filters run, and how much of it they may use before they are stopped.
const STACK: usize = 256 << 20;
const STACK_LIMIT: usize = STACK / 2;
/// The longest filter: keeps the depth to which its parser goes far below [`STACK`].
const LONGEST: usize = 32 << 10;

/// jq's own definitions and functions that reach outside; they do not exist here.
pub(super) const REFUSED: &[&str] = &[
    "debug",
    "debug_empty",
    "env",
    "halt",
    "halt_error",
    "input",
    "inputs",
    "localtime",
    "now",
    "stderr",
    "stderr_empty",
    "strflocaltime",
];

/// The function behind the meter; no filter can name it.
const TICK: &str = "!tick";

/// What the prelude says of a vector without elements.
const NO_VALUE: &str = "no value: the vector has no element";

/// The filter that chooses among all, and the variable that says which.
const MAIN: &str = "factpress_filter";
const WHICH: &str = "$factpress_filter";

/// What a running filter may reach: the program and its own budget.
pub(super) struct Sandbox;

impl DataT for Sandbox {
    type V<'a> = Val;
    type Data<'a> = &'a Budget<'a>;
}

/// What is left for one run of one filter.
pub(super) struct Budget<'a> {
    lut: &'a Lut<Sandbox>,
    steps: Cell<u64>,
    base: usize,
}

impl<'a> HasLut<'a, Sandbox> for &'a Budget<'a> {
    fn lut(&self) -> &'a Lut<Sandbox> {
        self.lut
    }
}

impl Budget<'_> {
    /// Takes `steps`; false when there are none left, or the stack is too deep: then nothing more runs.
    fn spend(&self, steps: u64) -> bool {
        let depth = self.base.abs_diff(here());
        let steps = steps + (depth / STACK_STEP) as u64;
        self.steps.set(if depth > STACK_LIMIT { 0 } else { self.steps.get().saturating_sub(steps) });
        self.steps.get() > 0
    }
}

/// About where the stack ends.
#[inline(never)]
fn here() -> usize {
    let local = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&local)).addr()
}

/// A mistake in the text of a filter.
#[derive(Debug)]
pub(super) struct Mistake {
    /// Where the filter begins in its file: which filter it is.
    pub(super) filter: usize,
    /// The place inside the filter, in bytes of the filter's text.
    pub(super) span: Range<usize>,
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) help: String,
}

/// Why a filter gives no single value.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// No output.
    Nothing,
    /// More than one output.
    Several,
    /// An error, in jq's words.
    Error(String),
    /// A vector without elements, where a value was asked for.
    NoValue,
    /// Out of steps or stack.
    Runaway,
}

/// The values of `$at` and `$capture`.
pub(super) type Variables = [Val; 2];

/// The compiled filters of a part, each known by the offset at which its string begins in part.toml.
pub(super) struct Program {
    filter: jaq_core::Filter<Sandbox>,
    filters: BTreeMap<usize, Syntax>,
    numbers: BTreeMap<usize, usize>,
    steps: u64,
}

impl Program {
    /// Compiles all of them; those with a mistake are left out of the program.
    pub(super) fn compile(filters: &[&Spanned<String>]) -> (Self, Vec<Mistake>) {
        let mut mistakes = Vec::new();
        let mut terms: BTreeMap<usize, (&str, Term<&str>)> = BTreeMap::new();
        let mut known = BTreeMap::new();
        for filter in filters {
            let (start, text) = (filter.span().start, filter.get_ref().as_str());
            match syntax::parse(text) {
                Ok((term, syntax)) => {
                    terms.insert(start, (text, term));
                    known.insert(start, syntax);
                }
                Err(mut found) => {
                    // one thing too few may be missed many times at the end
                    found.dedup_by(|next, kept| next.span == kept.span);
                    mistakes.extend(found.into_iter().map(|mistake| Mistake { filter: start, ..mistake }));
                }
            }
        }
        loop {
            match link(&terms) {
                Ok((filter, numbers)) => {
                    known.retain(|start, _| terms.contains_key(start));
                    return (Self { filter, filters: known, numbers, steps: STEPS }, mistakes);
                }
                Err(found) => {
                    terms.retain(|start, _| !found.iter().any(|mistake| mistake.filter == *start));
                    mistakes.extend(found);
                }
            }
        }
    }

    /// What is known of a filter's text; nothing if it has a mistake.
    pub(super) fn syntax(&self, filter: &Spanned<String>) -> Option<&Syntax> {
        self.filters.get(&filter.span().start)
    }

    /// Runs a filter that compiled; it must give exactly one value.
    pub(super) fn run(&self, filter: &Spanned<String>, input: Val, variables: &Variables) -> Result<Val, Stop> {
        let number = *self.numbers.get(&filter.span().start).ok_or(Stop::Nothing)?;
        let budget = Budget { lut: &self.filter.lut, steps: Cell::new(self.steps), base: here() };
        let [at, capture] = variables.clone();
        let number = isize::try_from(number).map_err(|_| Stop::Nothing)?;
        let context = Ctx::<Sandbox>::new(&budget, Vars::new([at, capture, Val::from(number)]));
        let mut outputs = self.filter.id.run((context, input));
        let first = outputs.next();
        let second = if matches!(first, Some(Ok(_))) { outputs.next() } else { None };
        drop(outputs);
        if budget.steps.get() == 0 {
            return Err(Stop::Runaway);
        }
        match (first, second) {
            (None, _) => Err(Stop::Nothing),
            (Some(Err(stop)), _) | (Some(Ok(_)), Some(Err(stop))) => Err(match stop.get_err() {
                Ok(error) => match to_json(&error.into_val()) {
                    Ok(Value::String(text)) if text == NO_VALUE => Stop::NoValue,
                    Ok(Value::String(text)) => Stop::Error(text),
                    value => Stop::Error(
                        value.map_or_else(|_| "an error that is no text".to_owned(), |value| value.to_string()),
                    ),
                },
                Err(_) => Stop::Error("the filter leaves by a label that it does not have".to_owned()),
            }),
            (Some(Ok(_)), Some(Ok(_))) => Err(Stop::Several),
            (Some(Ok(value)), None) => Ok(value),
        }
    }
}

/// Runs `job` on a stack on which filters may recurse; `None` if it broke down.
pub(super) fn on_large_stack<T: Send>(job: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("facts".to_owned()).stack_size(STACK);
        thread.spawn_scoped(scope, job).ok()?.join().ok()
    })
}

type Linked = (jaq_core::Filter<Sandbox>, BTreeMap<usize, usize>);

/// One program out of all terms: they share the compiled prelude. Or the names that do not exist.
fn link(terms: &BTreeMap<usize, (&str, Term<&str>)>) -> Result<Linked, Vec<Mistake>> {
    let count = terms.len();
    let digits: Vec<String> = (0..count).map(|number| number.to_string()).collect();
    let bodies: Vec<_> = terms.values().map(|(_, term)| term.clone()).collect();
    let main = Def { name: MAIN, args: Vec::new(), body: syntax::choose(bodies, &digits, WHICH) };
    let library = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs());
    let library = library.filter(|def| !REFUSED.contains(&def.name)).chain(native::prelude());
    let defs = library.map(|def| syntax::metered(def)).chain([main]);
    let arena = Arena::default();
    let modules = Loader::new(defs).load(&arena, File { code: MAIN, path: () });
    let modules = modules.expect("the name of a definition is a program");
    let compiler = Compiler::default()
        .with_funs(native::funs().chain(quantile::funs()))
        .with_global_vars(["$at", "$capture", WHICH]);
    match compiler.compile(modules) {
        Ok(filter) => Ok((filter, terms.keys().copied().zip(0..).collect())),
        Err(errors) => Err(errors
            .into_iter()
            .flat_map(|(_, undefined)| undefined)
            .map(|(name, kind)| {
                let within = |text: &str| text.as_bytes().as_ptr_range().contains(&name.as_ptr());
                let (start, (text, _)) = terms
                    .iter()
                    .find(|(_, (text, _))| within(text))
                    .expect("the prelude compiles: a test holds it to that");
                let span = jaq_core::load::span(text, name);
                Mistake { filter: *start, ..syntax::undefined(name, &kind, span) }
            })
            .collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str, input: &str) -> Result<String, Stop> {
        run_within(STEPS, text, input)
    }

    fn run_within(steps: u64, text: &str, input: &str) -> Result<String, Stop> {
        on_large_stack(|| {
            let filter = Spanned::new(0..text.len(), text.to_owned());
            let (mut program, mistakes) = Program::compile(&[&filter]);
            program.steps = steps;
            assert!(mistakes.is_empty(), "{text}: {mistakes:?}");
            let input = from_json(&serde_json::from_str(input).expect("JSON"));
            let value = program.run(&filter, input, &[from_number("1.5"), Val::Null])?;
            Ok(to_json(&value).map_or_else(|unfit| format!("{unfit:?}"), |value| value.to_string()))
        })
        .expect("does not break down")
    }

    fn gives(text: &str, input: &str, output: &str) {
        assert_eq!(run(text, input).as_deref(), Ok(output), "{text}");
    }

    fn mistake(text: &str) -> Mistake {
        let filter = Spanned::new(7..7 + text.len(), text.to_owned());
        let (_, mut mistakes) = Program::compile(&[&filter]);
        assert_eq!(mistakes.len(), 1, "{text}: {mistakes:?}");
        assert_eq!(mistakes[0].filter, 7);
        mistakes.remove(0)
    }

    #[test]
    fn ordinary_jq_works() {
        gives(".a.b - 1", r#"{"a":{"b":3}}"#, "2");
        gives("[.[] | select(. > 1)] | length", "[1,2,3]", "2");
        gives("$at", "null", "1.5");
        gives("def f($x): $x * 2; f(.) | f(.)", "2", "8");
        gives("map_values(. + 1) | to_entries | map(.key) | join(\",\")", r#"{"a":1,"b":2}"#, r#""a,b""#);
        gives(".a |= first | .a", r#"{"a":[1,2]}"#, "1");
        gives("reduce range(10) as $i (0; . + $i)", "null", "45");
        gives("[limit(3; repeat(1))]", "null", "[1,1,1]");
        gives("[.[] | tonumber? // 0]", r#"["x","2"]"#, "[0,2]");
        gives("[paths]", r#"{"a":[1]}"#, r#"[["a"],["a",0]]"#);
        gives("[recurse(if . < 3 then . + 1 else empty end)]", "0", "[0,1,2,3]");
    }

    #[test]
    fn numbers_keep_their_text() {
        gives(".", "18446744073709551617", "18446744073709551617");
        gives(".[0]", "[0.10000000000000000001]", "0.10000000000000000001");
        gives(".", "9.48016692718e+11", "948016692718");
        gives(". + 0", "9007199254740993", "9007199254740993");
        gives("6 / 2", "null", "3");
        gives("1 / 8", "null", "0.125");
    }

    #[test]
    fn one_value_is_due() {
        assert_eq!(run("empty", "1"), Err(Stop::Nothing));
        assert_eq!(run("1, 2", "1"), Err(Stop::Several));
        assert_eq!(run("1, error", "1"), Err(Stop::Error("1".to_owned())));
        assert!(matches!(run(".a", "[]"), Err(Stop::Error(_))));
        gives("nan", "1", "NotANumber");
        gives("[infinite]", "1", "Infinite");
    }

    #[test]
    fn a_runaway_filter_stops() {
        for text in [
            "def f: f; f",
            "[repeat(1)]",
            "def f: [f]; f",
            "def f: f + 1; f",
            "until(false; .)",
            "[range(0; 1; 0)]",
            "last(range(infinite))",
            "def f: try f catch f; f",
            "[recurse(.)] | length",
            "def f: 1 + (., f); [f]",
            "[limit(1e18; repeat(0))]",
        ] {
            assert_eq!(run_within(100_000, text, "1"), Err(Stop::Runaway), "{text}");
        }
    }

    #[test]
    fn deep_values_are_let_go() {
        gives("reduce range(900000) as $i (null; [.]) | length", "1", "1");
        gives("reduce range(900000) as $i (null; [.])", "1", "NotJson");
    }

    #[test]
    fn nothing_outside_can_be_reached() {
        for text in [
            "now",
            "env",
            "$ENV",
            "input",
            "[inputs]",
            "halt",
            "debug",
            "stderr",
            "localtime",
            "$__loc__",
            "input_filename",
            "get_search_list",
            "halt_error(1)",
            "debug(1)",
            "a::b",
            "strflocaltime(\"%Y\")",
            "$__prog_args",
        ] {
            assert_eq!(mistake(text).code, "jq-undefined", "{text}");
        }
        for text in ["import \"a\" as a; .", "include \"a\"; .", "import \"a\" as $a; .", "module {}; ."] {
            assert_eq!(mistake(text).code, "jq-syntax", "{text}");
        }
    }

    #[test]
    fn mistakes_have_their_place() {
        for (text, code, part) in [
            (".a | foo", "jq-undefined", "foo"),
            (".a | map(foo(1; 2))", "jq-undefined", "foo"),
            ("1 + $x", "jq-undefined", "$x"),
            ("break $x", "jq-undefined", "$x"),
            (".a | )", "jq-syntax", ")"),
            ("if . then 1 else 2", "jq-syntax", ""),
            ("[1, 2", "jq-syntax", ""),
            ("\"가\" | ~", "jq-syntax", "~"),
            ("\"가\\q\"", "jq-syntax", "q\""),
            ("", "jq-syntax", ""),
            ("reduce .[] as $x (0)", "jq-undefined", "reduce"),
        ] {
            let found = mistake(text);
            assert_eq!((found.code, &text[found.span.clone()]), (code, part), "{text}: {}", found.message);
        }
        let long = "[".repeat(LONGEST);
        assert!(on_large_stack(|| mistake(&long).code == "jq-syntax").expect("does not break down"));
        let longer = format!("{}1", " ".repeat(LONGEST));
        assert_eq!(mistake(&longer).code, "jq-too-long");
    }

    #[test]
    fn every_mistake_is_found_at_once_and_the_rest_runs() {
        let filters: Vec<Spanned<String>> = ["foo", "1 +", ". + 1", "bar | $baz", "[.."]
            .iter()
            .enumerate()
            .map(|(i, text)| Spanned::new(i * 100..i * 100 + 9, (*text).to_owned()))
            .collect();
        let (program, mistakes) = Program::compile(&filters.iter().collect::<Vec<_>>());
        let mut found: Vec<_> = mistakes.iter().map(|m| m.filter).collect();
        found.sort_unstable();
        assert_eq!(found, [0, 100, 300, 300, 400]);
        let value = program.run(&filters[2], Val::from(1_isize), &[Val::Null, Val::Null]).expect("runs");
        assert_eq!(value, Val::from(2_isize));
        assert!(program.syntax(&filters[0]).is_none());
    }
}
