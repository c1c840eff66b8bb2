//! The text of a filter: its syntax, the names that it uses, and the meter that every definition gets.

use std::collections::BTreeSet;
use std::ops::Range;

use jaq_core::compile::Undefined;
use jaq_core::load::lex::{Lexer, StrPart};
use jaq_core::load::parse::{BinaryOp, Def, Parser, Pattern, Term};
use jaq_core::load::span;
use jaq_core::{ops, path};

use super::{LONGEST, Mistake, REFUSED, TICK};

/// What can be said of a filter without running it.
#[derive(Debug, Default)]
pub(in crate::facts) struct Syntax {
    /// Every string in it, names of fields among them.
    pub(in crate::facts) strings: BTreeSet<String>,
    /// The fields of its input that it names, each with its place in the filter.
    pub(in crate::facts) fields: Vec<(String, Range<usize>)>,
}

/// The syntax tree of a filter, with a meter in every definition.
pub(super) fn parse(text: &str) -> Result<(Term<&str>, Syntax), Vec<Mistake>> {
    if text.len() > LONGEST {
        let message = format!("the filter is longer than {} KiB", LONGEST >> 10);
        return Err(vec![mistake("jq-too-long", 0..1, message, "a fact may rest on other facts: split it")]);
    }
    let expected = |what: &str, found: &str| {
        let at = span(text, found);
        let message = match found.chars().next() {
            None => format!("the filter ends where {what} is due"),
            Some(_) => format!("{what} is due here"),
        };
        mistake("jq-syntax", at, message, "mend the jq filter")
    };
    let tokens = Lexer::new(text).lex().map_err(|errors| {
        let errors = errors.into_iter();
        errors
            .map(|(what, rest)| {
                let line = rest.split(['\n', ' ']).next().unwrap_or_default();
                expected(what.as_str(), line)
            })
            .collect::<Vec<_>>()
    })?;
    let term = Parser::new(&tokens).parse(|parser| parser.term()).map_err(|errors| {
        let place = |token: Option<&jaq_core::load::lex::Token<&'_ str>>| {
            token.map_or(text.len()..text.len(), |t| span(text, t.as_str()))
        };
        errors
            .into_iter()
            .map(|(what, found)| {
                let at = place(found);
                expected(what.as_str(), &text[at])
            })
            .collect::<Vec<_>>()
    })?;
    let mut term = term;
    let mut syntax = Syntax::default();
    strings(&mut term, &mut syntax.strings);
    fields(text, &term, &mut syntax.fields);
    meter(&mut term);
    Ok((term, syntax))
}

fn mistake(code: &'static str, span: Range<usize>, message: String, help: &str) -> Mistake {
    Mistake { filter: 0, span, code, message, help: help.to_owned() }
}

/// A name that does not exist.
pub(super) fn undefined(name: &str, kind: &Undefined, span: Range<usize>) -> Mistake {
    let bare = name.trim_start_matches('$');
    let message = match kind {
        Undefined::Filter(arity) if matches!(name, "reduce" | "foreach") => {
            format!("`{name}` does not take {arity} filters in its brackets")
        }
        Undefined::Filter(0) => format!("there is no filter `{name}`"),
        Undefined::Filter(arity) => {
            format!("there is no filter `{name}` with {arity} argument{}", if *arity == 1 { "" } else { "s" })
        }
        kind => format!("there is no {} `{name}`", kind.as_str()),
    };
    let help = if REFUSED.contains(&bare) || bare == "ENV" {
        "a filter sees its captures only: no clock, environment, input or output"
    } else if matches!(kind, Undefined::Var) {
        "bind it with `… as $name |`; `$at` and `$capture` are always there"
    } else {
        "check the spelling and the number of arguments, or define it with `def`"
    };
    mistake("jq-undefined", span, message, help)
}

/// A definition whose every call, and whose every inner definition's call, costs a step.
pub(super) fn metered(mut def: Def<&str>) -> Def<&str> {
    meter(&mut def.body);
    def.body = ticking(def.body);
    def
}

/// Not `tick | body`: a condition leaves paths and tail calls as they are.
fn ticking(body: Term<&str>) -> Term<&str> {
    Term::IfThenElse(vec![(Term::Call(TICK, Vec::new()), body)], None)
}

fn meter(term: &mut Term<&str>) {
    if let Term::Def(defs, _) = term {
        for def in defs.iter_mut() {
            // its own inner definitions are reached by `children`
            def.body = ticking(std::mem::take(&mut def.body));
        }
    }
    children(term, &mut meter);
}

/// `bodies[$which]`, by halving.
pub(super) fn choose<'s>(mut bodies: Vec<Term<&'s str>>, digits: &'s [String], which: &'s str) -> Term<&'s str> {
    if bodies.len() <= 1 {
        return bodies.pop().unwrap_or_default();
    }
    let middle = bodies.len() / 2;
    let upper = bodies.split_off(middle);
    let (below, above) = digits.split_at(middle);
    let number = Term::Num(above[0].as_str());
    let is_below = Term::BinOp(Box::new(Term::Var(which)), BinaryOp::Cmp(ops::Cmp::Lt), Box::new(number));
    Term::IfThenElse(vec![(is_below, choose(bodies, below, which))], Some(Box::new(choose(upper, above, which))))
}

fn strings(term: &mut Term<&str>, found: &mut BTreeSet<String>) {
    if let Some(text) = literal(term) {
        found.insert(text.to_owned());
    }
    children(term, &mut |child| strings(child, found));
}

fn literal<'s>(term: &Term<&'s str>) -> Option<&'s str> {
    match term {
        Term::Str(None, parts) => match parts[..] {
            [StrPart::Str(text)] => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// The names of fields that are certainly asked of the filter's own input.
fn fields(text: &str, term: &Term<&str>, found: &mut Vec<(String, Range<usize>)>) {
    let mut note = |name: &Term<&str>| {
        if let Some(name) = literal(name) {
            found.push((name.to_owned(), span(text, name)));
        }
    };
    match term {
        Term::Path(base, parts) => match (&**base, parts.0.first()) {
            (Term::Id, Some((path::Part::Index(name), path::Opt::Essential))) => note(name),
            (Term::Id, _) => {}
            (base, _) => fields(text, base, found),
        },
        Term::Obj(entries) => {
            for (key, value) in entries {
                match value {
                    Some(value) => fields(text, value, found),
                    None => {
                        if let Some(name) = literal(key) {
                            found.push((name.to_owned(), span(text, name)));
                        }
                    }
                }
            }
        }
        Term::BinOp(left, op, right) => {
            fields(text, left, found);
            let same_input = match op {
                BinaryOp::Pipe(None) => matches!(**left, Term::Id),
                BinaryOp::Pipe(Some(_)) | BinaryOp::Comma | BinaryOp::Or | BinaryOp::And => true,
                BinaryOp::Math(_) | BinaryOp::Cmp(_) => true,
                _ => false,
            };
            if same_input {
                fields(text, right, found);
            }
        }
        Term::Neg(term) | Term::Label(_, term) => fields(text, term, found),
        Term::Arr(Some(term)) | Term::Def(_, term) | Term::Fold(_, term, ..) => fields(text, term, found),
        Term::IfThenElse(branches, other) => {
            let branches = branches.iter().flat_map(|(condition, then)| [condition, then]);
            branches.chain(other.as_deref()).for_each(|term| fields(text, term, found));
        }
        Term::Str(_, parts) => {
            for part in parts {
                if let StrPart::Term(term) = part {
                    fields(text, term, found);
                }
            }
        }
        _ => {}
    }
}

/// Calls `each` with every term directly inside of `term`.
fn children<'s>(term: &mut Term<&'s str>, each: &mut dyn FnMut(&mut Term<&'s str>)) {
    match term {
        Term::Id | Term::Recurse | Term::Num(_) | Term::Break(_) | Term::Var(_) | Term::Arr(None) => {}
        Term::Arr(Some(inner)) | Term::Neg(inner) | Term::Label(_, inner) => each(inner),
        Term::Str(_, parts) => {
            for part in parts {
                if let StrPart::Term(inner) = part {
                    each(inner);
                }
            }
        }
        Term::Obj(entries) => {
            for (key, value) in entries {
                each(key);
                value.iter_mut().for_each(&mut *each);
            }
        }
        Term::BinOp(left, op, right) => {
            each(left);
            if let BinaryOp::Pipe(Some(bound)) = op {
                pattern(bound, each);
            }
            each(right);
        }
        Term::Fold(_, source, bound, rest) => {
            each(source);
            pattern(bound, each);
            rest.iter_mut().for_each(each);
        }
        Term::TryCatch(tried, caught) => {
            each(tried);
            caught.iter_mut().for_each(|caught| each(caught));
        }
        Term::IfThenElse(branches, other) => {
            for (condition, then) in branches {
                each(condition);
                each(then);
            }
            other.iter_mut().for_each(|other| each(other));
        }
        Term::Def(defs, rest) => {
            defs.iter_mut().for_each(|def| each(&mut def.body));
            each(rest);
        }
        Term::Call(_, arguments) => arguments.iter_mut().for_each(each),
        Term::Path(base, parts) => {
            each(base);
            for (part, _) in &mut parts.0 {
                match part {
                    path::Part::Index(index) => each(index),
                    path::Part::Range(from, to) => from.iter_mut().chain(to).for_each(&mut *each),
                }
            }
        }
    }
}

fn pattern<'s>(bound: &mut Pattern<&'s str>, each: &mut dyn FnMut(&mut Term<&'s str>)) {
    match bound {
        Pattern::Var(_) => {}
        Pattern::Arr(items) => items.iter_mut().for_each(|item| pattern(item, each)),
        Pattern::Obj(entries) => {
            for (key, value) in entries {
                each(key);
                pattern(value, each);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_the_input_are_found() {
        for (text, names) in [
            (".a - .b", "a b"),
            (".a | .b", "a"),
            (". as $x | .a + $x.b", "a"),
            ("{a, b: .c}", "a c"),
            ("[.a, .b.c] | max", "a b"),
            (".a as {b: $c} | .d", "a d"),
            ("if .a then .b else .c end", "a b c"),
            (".a? // 1", ""),
            ("\"\\(.a)\"", "a"),
            (".[\"a\"].b", "a"),
            ("map(.a)", ""),
            (". | .a", "a"),
            ("-.a", "a"),
            ("reduce .a[] as $x (0; . + .b)", "a"),
            ("def f: .a; .b", "b"),
        ] {
            let (_, syntax) = parse(text).expect("parses");
            let found: Vec<_> = syntax.fields.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(found.join(" "), names, "{text}");
            assert!(syntax.fields.iter().all(|(name, at)| text[at.clone()] == **name), "{text}");
        }
    }

    #[test]
    fn strings_are_found_everywhere() {
        let (_, syntax) =
            parse(r#". as {a: [$x]} | has("b") and .c["d"] or ({e: "f\("g")"} | def h: "i"; h)"#).expect("parses");
        assert_eq!(syntax.strings.into_iter().collect::<String>(), "abcdegi");
    }
}
