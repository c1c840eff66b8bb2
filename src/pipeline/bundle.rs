//! Bundles: raw captures masked into a folder that may be published, and folders searched for what must not be.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;

use walkdir::WalkDir;

use super::{
    Block, Captures, Diagnostic, Diagnostics, Input, Map, Mask, MaskRules, Outcome, Packing, Path, Place, Progress,
    Project, Reader, Record, Source, Stage, Staged, Survey, Surveyed, Swept, Value, Want, ambiguous, blocks_of,
    capture, project, read, reader_of, remark, survey_part,
};

/// What was masked.
#[derive(Debug)]
pub struct Bundle {
    /// How many files were written.
    pub files: usize,
    /// Files that were left out, each with the reason, sorted.
    pub left_out: Vec<(String, &'static str)>,
    /// Kind → how many values of it stand in the files as aliases.
    pub kinds: BTreeMap<String, usize>,
    /// What a person should know.
    pub warnings: Diagnostics,
}

/// Folders of captures that are surveyed together.
#[derive(Debug)]
pub struct Measure {
    root: PathBuf,
    /// Folders below the root, in the order in which their hosts get aliases; empty for the root itself.
    folders: Vec<String>,
    /// Those that were asked for, each with what it is called in a bundle; empty for the bundle itself.
    asked: Vec<(String, String)>,
    /// Folders in which no capture.toml is.
    bare: BTreeSet<String>,
    rules: MaskRules,
    /// Where the map lies, if factpress.toml says so.
    map: Option<PathBuf>,
}

impl Measure {
    /// The folder of one part, or that of all parts. In a series, all of it is surveyed, so that the aliases are those of a build.
    pub fn open(from: &Path) -> Outcome<Self> {
        let from = from.canonicalize().map_err(|error| {
            Diagnostic::error("measure-unreadable", format!("{} cannot be read: {}", from.display(), error.kind()))
                .with_place(Place::file(from.to_string_lossy()))
                .with_help("name a folder with raw captures and their capture.toml")
        })?;
        let series = from.ancestors().find(|folder| folder.join(project::FILE).is_file());
        if let Some(root) = series
            && let Ok(below) = from.strip_prefix(root.join("measure"))
        {
            let project = Project::open(root)?;
            let folder = |name: &str| format!("measure/{name}");
            let parts: Vec<&str> = project.parts().iter().map(project::Part::name).collect();
            let below = below.to_string_lossy();
            let asked: Vec<_> = match &*below {
                "" => parts.iter().map(|part| (folder(part), (*part).to_owned())).collect(),
                part => parts.iter().filter(|p| **p == part).map(|part| (folder(part), String::new())).collect(),
            };
            if !asked.is_empty() {
                return Ok(Self {
                    root: root.to_owned(),
                    folders: parts.iter().map(|part| folder(part)).collect(),
                    asked,
                    bare: BTreeSet::new(),
                    rules: project.mask().clone(),
                    map: project.map(),
                });
            }
        }
        let described = |folder: &Path| folder.join(capture::FILE).is_file();
        let folders: Vec<String> = if described(&from) {
            vec![String::new()]
        } else {
            let below =
                WalkDir::new(&from).min_depth(1).max_depth(1).sort_by_file_name().into_iter().filter_map(Result::ok);
            let below = below.filter(|entry| described(entry.path()));
            below.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
        };
        let bare = if folders.is_empty() { BTreeSet::from([String::new()]) } else { BTreeSet::new() };
        let folders = if folders.is_empty() { vec![String::new()] } else { folders };
        let asked = folders.iter().map(|folder| (folder.clone(), folder.clone())).collect();
        Ok(Self { root: from, folders, asked, bare, rules: MaskRules::default(), map: None })
    }

    /// Takes what else is known to be sensitive.
    pub fn know(&mut self, nodes: &[String], domains: &[String], users: &[String]) {
        self.rules.nodes.extend_from_slice(nodes);
        self.rules.domains.extend_from_slice(domains);
        self.rules.users.extend_from_slice(users);
    }

    /// The folder of the captures, or of the series that they belong to.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where the map lies, if factpress.toml says so.
    pub fn map(&self) -> Option<&Path> {
        self.map.as_deref()
    }

    /// Surveys every capture. What a reader does not understand is a warning: it is masked as text.
    fn survey(&self, map: Option<&Map>, progress: Progress<'_>) -> Outcome<(Mask, Vec<Surveyed>, Diagnostics)> {
        let mut survey = Survey::new(&self.rules);
        let mut held = 0;
        let mut all = Vec::new();
        let mut found = Diagnostics::new();
        for folder in &self.folders {
            let captures = if self.bare.contains(folder) {
                implied(&self.root, folder)?
            } else {
                Captures::in_folder(&self.root, folder)?
            };
            let (surveyed, wrong) = survey_part(&self.root, captures, &mut survey, progress, &mut held);
            found.extend(wrong);
            all.push(surveyed);
        }
        let mask = survey.finish(map)?;
        let found = found.rewritten(|text| mask.text(text).get().clone());
        Ok((mask, all, found.into_iter().map(Diagnostic::downgraded).collect()))
    }
}

/// Every file of a folder without capture.toml as lines.
fn implied(root: &Path, folder: &str) -> Outcome<Captures> {
    let mut text = String::new();
    for (number, path) in files(&root.join(folder)).into_iter().enumerate() {
        let file = toml::Value::from(path);
        text += &format!("[file{}]\nfile = {file}\nformat = \"lines\"\n\n", number + 1);
    }
    let path = if folder.is_empty() { capture::FILE.to_owned() } else { format!("{folder}/{}", capture::FILE) };
    Captures::parse(crate::diag::Source::new(path, text))
}

/// The files below a folder, sorted, with `/` between the names.
fn files(folder: &Path) -> Vec<String> {
    let all = WalkDir::new(folder).sort_by_file_name().into_iter().filter_map(Result::ok);
    let mut paths: Vec<String> = all
        .filter(|entry| entry.file_type().is_file())
        .filter_map(|entry| {
            let below = entry.path().strip_prefix(folder).ok()?;
            Some(below.iter().map(|name| name.to_string_lossy()).collect::<Vec<_>>().join("/"))
        })
        .collect();
    paths.sort();
    paths
}

/// Masks captures into a folder. Nothing is written if anything leaks.
pub fn bundle(measure: &Measure, out: &Path, map: Option<&mut Map>, progress: Progress<'_>) -> Outcome<Bundle> {
    let resolved =
        out.parent().and_then(|folder| folder.canonicalize().ok()).map(|f| f.join(out.file_name().unwrap_or_default()));
    for (folder, _) in &measure.asked {
        let from = measure.root.join(folder);
        if resolved.as_ref().is_some_and(|out| out.starts_with(&from) || from.starts_with(out)) {
            return Err(Diagnostic::error("bundle-in-measure", "the bundle would lie among the raw captures")
                .with_place(Place::file(out.to_string_lossy()))
                .with_help("name a folder elsewhere")
                .into());
        }
    }
    let (mask, surveyed, warnings) = measure.survey(map.as_deref(), progress)?;
    let stage = Staged::new(out, |file| {
        file.file_name().is_some_and(|name| name == capture::FILE)
            && std::fs::read_to_string(file).is_ok_and(|text| text.contains("\n[bundle]\n"))
    })?;
    let verifier = mask.verifier();
    let mut making = Making {
        measure,
        mask: &mask,
        stage: &stage,
        verifier: &verifier,
        bundle: Bundle { files: 0, left_out: Vec::new(), kinds: BTreeMap::new(), warnings },
        leaks: Diagnostics::new(),
        used: BTreeSet::new(),
    };
    for (folder, name) in &measure.asked {
        let at = measure.folders.iter().position(|f| f == folder).expect("what is asked for is surveyed");
        making.folder(folder, name, &surveyed[at])?;
    }
    let Making { mut bundle, leaks, used, .. } = making;
    if !leaks.is_empty() {
        return Err(leaks);
    }
    let written = used.iter().map(String::as_str).collect();
    bundle.kinds = mask.used(&written).into_iter().map(|(kind, all)| (kind.to_owned(), all.len())).collect();
    bundle.left_out.sort();
    if let Some(map) = map {
        mask.remember(map);
    }
    stage.finish()?;
    Ok(bundle)
}

/// A bundle in the making.
struct Making<'a> {
    measure: &'a Measure,
    mask: &'a Mask,
    stage: &'a Staged,
    verifier: &'a crate::mask::Verifier,
    bundle: Bundle,
    leaks: Diagnostics,
    used: BTreeSet<String>,
}

impl Making<'_> {
    fn folder(&mut self, folder: &str, name: &str, surveyed: &Surveyed) -> Outcome<()> {
        let captures = &surveyed.captures;
        self.bundle.warnings.extend(ambiguous(surveyed, self.mask));
        let masked = self.mask.captures(captures)?;
        let home = masked.get().source().path().strip_suffix(capture::FILE).unwrap_or_default().to_owned();
        let prefix = if name.is_empty() { String::new() } else { format!("{}/", self.mask.text(name).get()) };
        let mut used: BTreeSet<String> = BTreeSet::new();
        let mut listed = BTreeSet::from([captures.source().path().to_owned()]);
        for ((name, capture), held) in captures.iter().zip(&surveyed.held) {
            listed.insert(capture.path.clone());
            let Some(to) = masked.capture(name) else {
                return Err(Diagnostic::error(
                    "capture-name",
                    "the name of a capture holds a value that must be masked",
                )
                .with_place(captures.place(name))
                .with_help("call the capture by what it shows, here and in part.toml")
                .into());
            };
            let to = format!("{prefix}{}", to.get().path.strip_prefix(&home).unwrap_or(&to.get().path));
            let reader = reader_of(captures, name).ok();
            let layout = reader.map_or(read::Layout::Lines, |reader| reader.layout());
            let source = || -> Outcome<Source<'_>> {
                Ok(match held {
                    Some(blocks) => Source::Kept(blocks),
                    None => Source::Read(blocks_of(&self.measure.root, captures, name, layout)?),
                })
            };
            let packing = capture::packing(&self.measure.root, capture);
            match source().and_then(|source| self.file((layout, packing), &to, source, &mut used)) {
                Ok(()) => self.bundle.files += 1,
                Err(wrong) => {
                    self.bundle.left_out.push((to, "it is binary, or cannot be read"));
                    self.bundle.warnings.extend(wrong.into_iter().map(Diagnostic::downgraded).collect());
                    continue;
                }
            }
            if let (Some(blocks), Some(reader)) = (held, reader) {
                self.structure(reader, &to, blocks);
            }
        }
        for path in captures.remarks() {
            listed.insert(path.to_owned());
            let to = format!("{prefix}{}", self.mask.text(path).get().strip_prefix(&home).unwrap_or(path));
            let capture = remark(path);
            let opened = capture::open(&self.measure.root, &capture, Place::file(captures.source().path()));
            let source = opened.map(|stream| Source::Read(capture::Blocks::of_lines(path, stream)));
            match source.and_then(|source| self.file((read::Layout::Lines, Packing::Plain), &to, source, &mut used)) {
                Ok(()) => self.bundle.files += 1,
                Err(_) => self.bundle.left_out.push((to, "it is binary, or cannot be read")),
            }
        }
        let home = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        for path in
            files(&self.measure.root.join(folder)).iter().filter(|path| !listed.contains(&format!("{home}{path}")))
        {
            self.bundle
                .left_out
                .push((format!("{prefix}{}", self.mask.text(path).get()), "capture.toml does not describe it"));
        }
        let mut text = masked.get().source().text().to_owned();
        if !masked.get().is_bundle() {
            let here: BTreeSet<String> = self
                .mask
                .aliases()
                .into_iter()
                .filter(|(_, alias)| text.contains(alias))
                .map(|(_, a)| a.to_owned())
                .collect();
            used.extend(here);
            let written = used.iter().map(String::as_str).collect();
            text += &Captures::bundle_table(&self.mask.used(&written));
        }
        let to = format!("{prefix}{}", capture::FILE);
        self.leaks.extend(self.verifier.block(&to, 1, text.as_bytes()).into_iter().collect());
        self.write(&to, text.as_bytes())?;
        self.bundle.files += 1;
        self.used.extend(used);
        Ok(())
    }

    /// Masks one file.
    fn file(
        &mut self,
        (layout, packing): (read::Layout, Packing),
        to: &str,
        source: Source<'_>,
        used: &mut BTreeSet<String>,
    ) -> Outcome<()> {
        self.leaks.extend(self.verifier.name(to).into_iter().collect());
        let mut swept: Swept<'_> = self.mask.sweep(self.verifier, layout, to, source);
        let mut first = swept.next()?;
        let plain: Box<dyn Write> = Box::new(self.stage.create(to)?);
        let mut file = packing.packed(plain);
        while !first.is_empty() {
            for block in first {
                self.leaks.extend(block.leaks.into_iter().collect());
                file.write_all(block.text.as_bytes()).map_err(|error| unwritten(to, &error))?;
            }
            first = swept.next()?;
        }
        file.finish().map_err(|error| unwritten(to, &error))?;
        used.extend(swept.used().map(str::to_owned));
        Ok(())
    }

    fn write(&self, to: &str, bytes: &[u8]) -> Outcome<()> {
        let mut file = self.stage.create(to)?;
        file.write_all(bytes).and_then(|()| file.flush()).map_err(|error| unwritten(to, &error).into())
    }

    /// A masked file is of the same structure as the raw one, where its reader understands that.
    fn structure(&mut self, reader: &dyn Reader, to: &str, blocks: &[Block]) {
        let raw: String = blocks.iter().map(|block| block.text.as_str()).collect();
        let Ok(before) = reader.read(Input::new(to, raw.as_bytes()), &Want::default()) else { return };
        let after = self.mask.read(reader, to, Source::Kept(blocks), &Want::default());
        if !after.is_ok_and(|after| alike(&before, after.get())) {
            self.leaks.push(
                Diagnostic::error("mask-structure", "masking would change the structure of the file")
                    .with_place(Place::file(to))
                    .with_help("nothing was written; if a value in it is harmless, name it in factpress.toml under [mask] allow"),
            );
        }
    }
}

/// Whether two records differ only in strings and in the names of members.
fn alike(a: &Record, b: &Record) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.values().zip(b.values()).all(|(a, b)| alike(a, b))
        }
        // a password of digits has an alias too
        (Value::String(_) | Value::Number(_), Value::String(_)) => true,
        _ => a == b,
    }
}

fn unwritten(path: &str, error: &std::io::Error) -> Diagnostic {
    Diagnostic::error("bundle", format!("a file of the bundle cannot be written: {}", error.kind()))
        .with_place(Place::file(path))
        .with_help("check the rights of the folder and the room on the disk")
}

/// Searches every file below a folder for what the captures hold and must not be published. Returns how many files were searched.
pub fn verify(measure: &Measure, folder: &Path, map: Option<&Map>, progress: Progress<'_>) -> Outcome<usize> {
    let (mask, _, _) = measure.survey(map, progress)?;
    let verifier = mask.verifier();
    let mut found = Diagnostics::new();
    if !folder.is_dir() {
        return Err(Diagnostic::error("verify-folder", format!("{} is no folder", folder.display()))
            .with_place(Place::file(folder.to_string_lossy()))
            .with_help("name the folder that is to be published")
            .into());
    }
    let all = files(folder);
    for path in &all {
        progress(Stage::Verify(path));
        found.extend(verifier.name(path).into_iter().collect());
        let unread = |error: &std::io::Error| {
            Diagnostic::error("verify-unreadable", format!("a file cannot be read: {}", error.kind()))
                .with_place(Place::file(path.as_str()))
                .with_help("what cannot be read cannot be searched: take it out, or mend it")
        };
        let capture = remark(path);
        let stream = match capture::open(folder, &capture, Place::file(path.as_str())) {
            Ok(stream) => stream,
            Err(wrong) => {
                found.extend(wrong);
                continue;
            }
        };
        let mut stream = BufReader::with_capacity(1 << 20, stream);
        let (mut block, mut line) = (Vec::new(), 1);
        loop {
            let more = stream.read_until(b'\n', &mut block).map_err(|error| unread(&error))?;
            if more == 0 || block.len() >= 1 << 20 {
                found.extend(verifier.block(path, line, &block).into_iter().collect());
                line += memchr::memchr_iter(b'\n', &block).count();
                block.clear();
            }
            if more == 0 {
                break;
            }
        }
    }
    found.or_value(all.len())
}
