//! Raw captures: surveyed, then read as what the mask leaves of them.

use std::collections::BTreeMap;
use std::io::BufRead;

use super::{
    Block, Blocks, Capture, Captures, Diagnostic, Diagnostics, Evidence, IndexMap, Input, Mask, Masked, Origin,
    Outcome, Path, Place, Progress, Reader, Source, Stage, Survey, Want, capture, read,
};

/// So much of a file, and of all files together, is kept between the survey and the sweep; what is larger is read again.
const KEPT: usize = 8 << 20;
const KEPT_IN_ALL: usize = 64 << 20;

/// So many blocks are surveyed at a time.
const AT_ONCE: usize = 8;

/// The captures of a part, surveyed.
pub(super) struct Surveyed {
    pub(super) captures: Captures,
    /// The blocks of each capture, in their order, or none where it is to be read again.
    pub(super) held: Vec<Option<Vec<Block>>>,
}

/// Reads every capture of a part for the survey. `held` counts the bytes that are kept over all parts.
pub(super) fn survey_part(
    root: &Path,
    captures: Captures,
    survey: &mut Survey,
    progress: Progress<'_>,
    held: &mut usize,
) -> (Surveyed, Diagnostics) {
    let mut wrong = Diagnostics::new();
    survey.keep(captures.aliases());
    let described = captures.source();
    survey.blocks(described.path(), read::Layout::Text, &[Block { line: 1, text: described.text().to_owned() }]);
    for path in captures.remarks() {
        let opened = capture::open(root, &remark(path), Place::file(described.path()));
        let Ok(mut blocks) = opened.map(|stream| Blocks::of_lines(path, stream)) else { continue };
        while let Ok(Some(block)) = blocks.next() {
            survey.blocks(path, read::Layout::Lines, &[block]);
        }
    }
    let mut kept = Vec::new();
    for (name, capture) in captures.iter() {
        progress(Stage::Read(name));
        survey.capture(capture);
        // what no reader knows may be sensitive all the same
        let reader = wrong.gather(reader_of(&captures, name));
        let layout = reader.map_or(read::Layout::Lines, |reader| reader.layout());
        let one = blocks_of(root, &captures, name, layout).and_then(|mut blocks| {
            let mut all: Option<Vec<Block>> = Some(Vec::new());
            loop {
                let mut some = Vec::new();
                while some.len() < AT_ONCE
                    && let Some(block) = blocks.next()?
                {
                    some.push(block);
                }
                if some.is_empty() {
                    return Ok(all);
                }
                survey.blocks(&capture.path, layout, &some);
                let size: usize = some.iter().map(|b| b.text.len()).sum();
                all = all.filter(|all| {
                    let before: usize = all.iter().map(|b| b.text.len()).sum();
                    before + size <= KEPT && *held + size <= KEPT_IN_ALL
                });
                if let Some(all) = &mut all {
                    *held += size;
                    all.extend(some);
                } else if !layout.by_lines() {
                    all = Some(some);
                }
            }
        });
        let Some(mut blocks) = wrong.gather(one) else {
            kept.push(None);
            continue;
        };
        // what a document says by its structure
        if let Some(reader) = reader.filter(|reader| !reader.layout().by_lines())
            && let Some(all) = &blocks
        {
            let text = all.first().map(|block| block.text.as_str()).unwrap_or_default();
            let input = Input::new(&capture.path, text.as_bytes());
            if let Some(record) = wrong.gather(reader.read(input, &Want::default())) {
                survey.record(&capture.format, &record);
            }
            if text.len() > KEPT {
                blocks = None;
            }
        }
        kept.push(blocks);
    }
    (Surveyed { captures, held: kept }, wrong)
}

/// What a command wrote to standard error, as a capture.
pub(super) fn remark(path: &str) -> Capture {
    Capture { path: path.to_owned(), format: "lines".to_owned(), origin: Origin::Unknown, host: None, at: None }
}

/// Reads every capture of a part as the mask leaves it.
pub(super) fn evidence(
    root: &Path,
    surveyed: &Surveyed,
    mask: &Mask,
    wants: &BTreeMap<String, Want>,
) -> Outcome<(Masked<Captures>, IndexMap<String, Evidence>)> {
    let mut wrong = Diagnostics::new();
    let masked = mask.captures(&surveyed.captures)?;
    let everything = Want::default();
    let mut evidence = IndexMap::new();
    for ((name, _), held) in surveyed.captures.iter().zip(&surveyed.held) {
        let one = reader_of(&surveyed.captures, name).and_then(|reader| {
            let source = match held {
                Some(blocks) => Source::Kept(blocks),
                None => Source::Read(blocks_of(root, &surveyed.captures, name, reader.layout())?),
            };
            let Some(capture) = masked.capture(name) else {
                return Err(Diagnostic::error(
                    "capture-name",
                    "the name of a capture holds a value that must be masked",
                )
                .with_place(surveyed.captures.place(name))
                .with_help("call the capture by what it shows, here and in part.toml")
                .into());
            };
            let want = wants.get(name).unwrap_or(&everything);
            let record = mask.read(reader, &capture.get().path, source, want).map_err(|masked| {
                // the place in the raw file is the one that a person looks for
                let raw = raw_faults((root, surveyed), name, held.as_deref(), (reader, want));
                raw.map_or(masked, |raw| raw.rewritten(|text| mask.text(text).get().clone()))
            })?;
            Ok(Evidence { record, capture })
        });
        if let Some(one) = wrong.gather(one) {
            evidence.insert(name.to_owned(), one);
        }
    }
    wrong.or_value((masked, evidence))
}

/// What is wrong in the captures that are read line by line: others were read for the survey.
pub(super) fn faults(root: &Path, surveyed: &Surveyed, wants: &BTreeMap<String, Want>) -> Diagnostics {
    let everything = Want::default();
    let mut wrong = Diagnostics::new();
    for ((name, _), held) in surveyed.captures.iter().zip(&surveyed.held) {
        if let Ok(reader) = reader_of(&surveyed.captures, name)
            && reader.layout().by_lines()
            && let Some(found) =
                raw_faults((root, surveyed), name, held.as_deref(), (reader, wants.get(name).unwrap_or(&everything)))
        {
            wrong.extend(found);
        }
    }
    wrong
}

/// What a reader finds wrong in the raw file of a capture.
fn raw_faults(
    (root, surveyed): (&Path, &Surveyed),
    name: &str,
    held: Option<&[Block]>,
    (reader, want): (&dyn Reader, &Want),
) -> Option<Diagnostics> {
    let capture = surveyed.captures.get(name)?;
    let read = |stream: Box<dyn BufRead>| reader.read(Input::new(&capture.path, stream), want).err();
    match held {
        Some(blocks) => {
            let raw: String = blocks.iter().map(|block| block.text.as_str()).collect();
            read(Box::new(std::io::Cursor::new(raw.into_bytes())))
        }
        None => read(capture::open(root, capture, surveyed.captures.place(name)).ok()?),
    }
}

/// Words that are masked only where their place says that they are names, and stand elsewhere too: a warning for each file in which one does.
pub(super) fn ambiguous(surveyed: &Surveyed, mask: &Mask) -> Diagnostics {
    let mut found = Diagnostics::new();
    for ((_, capture), held) in surveyed.captures.iter().zip(&surveyed.held) {
        let first = held.iter().flatten().find_map(|block| {
            let above = &block.text[..mask.ambiguous(&block.text)?];
            let column = above.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            Some((block.line + above.matches('\n').count(), column))
        });
        if let Some((line, column)) = first {
            let what = "a word stands here that is the name of a node or a user elsewhere; here it is not masked";
            found.push(
                Diagnostic::warning("mask-ambiguous", what)
                    .with_place(Place::at(mask.text(&capture.path).get().as_str(), line, column))
                    .with_help("name it in factpress.toml under [mask] words to mask it everywhere, or under allow"),
            );
        }
    }
    found
}

pub(super) fn reader_of(captures: &Captures, name: &str) -> Outcome<&'static dyn Reader> {
    let format = captures.get(name).map(|c| c.format.as_str()).unwrap_or_default();
    read::reader(format).ok_or_else(|| {
        let known: Vec<_> = read::READERS.iter().map(|r| r.format()).collect();
        Diagnostic::error("capture-format", format!("no reader is called `{format}`"))
            .with_place(captures.place(name))
            .with_help(format!("the formats are {}", known.join(", ")))
            .into()
    })
}

pub(super) fn blocks_of(root: &Path, captures: &Captures, name: &str, layout: read::Layout) -> Outcome<Blocks> {
    let capture = captures.get(name).expect("the name is one of them");
    let stream = capture::open(root, capture, captures.place(name))?;
    Ok(match layout.by_lines() {
        true => Blocks::of_lines(&capture.path, stream),
        false => Blocks::of_document(&capture.path, stream),
    })
}
