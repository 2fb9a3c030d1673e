//! The laws of the house, from the source text: which folder may know what.
//!
//! ```text
//! wire < message < reuse < shard < remote_write, loki, otlp < convert < kafka, receive
//! body, cache on wire alone
//! ```
//!
//! Reading source as text is enough for a codebase that imports with `use` at the top of its files and
//! is formatted by rustfmt; a law that is broken in another way is a law that is broken on purpose.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Folders of src that are protocols.
const PROTOCOLS: [&str; 3] = ["remote_write", "loki", "otlp"];

/// What the code of general folders must not say, in lower case.
const PROTOCOL_NAMES: [&str; 9] = [
    "remote_write",
    "remotewrite",
    "loki",
    "otlp",
    "prometheus",
    "mimir",
    "cortex",
    "writerequest",
    "pushrequest",
];

/// Circles of files that are right, each with its reason.
const CIRCLES: [(&[&str], &str); 2] = [
    (
        &["wire/reader.rs", "wire/scalar.rs", "wire/writer.rs", "wire/len.rs", "wire/message.rs"],
        "a scalar is read by the reader, which reads blocks of scalars; the writer writes messages, which \
     are what writes itself with a writer",
    ),
    (
        &["otlp/common/any_value.rs", "otlp/common/key_value.rs"],
        "a value can be a list of keys with values",
    ),
];

/// A file of src: its path in src, its text without comments, and the same without unit tests.
struct File {
    path: String,
    text: String,
    code: String,
    /// The code without its unit tests.
    shipped: String,
}

impl File {
    /// The folder or file of src that it is in: `wire`, `limits`.
    fn room(&self) -> &str {
        room(&self.path)
    }
}

fn room(path: &str) -> &str {
    path.split('/').next().unwrap().trim_end_matches(".rs")
}

fn files() -> Vec<File> {
    fn walk(folder: &Path, files: &mut Vec<File>, root: &Path) {
        let mut entries: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                walk(&path, files, root);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let path = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                let code = without_comments(&text);
                let shipped = match code.find("\nmod tests") {
                    Some(tests) => code[..tests].to_owned(),
                    None if path.ends_with("tests.rs") => String::new(),
                    None => code.clone(),
                };
                files.push(File { path, text, code, shipped });
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    walk(&root, &mut files, &root);
    assert!(files.len() > 100, "the sources are there");
    files
}

/// The text with all line comments, documentation among them, taken out.
fn without_comments(text: &str) -> String {
    let mut code = String::new();
    for line in text.lines() {
        let bytes = line.as_bytes();
        let (mut in_string, mut end) = (false, line.len());
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b'\\' if in_string => at += 1,
                b'"' if at == 0 || bytes[at - 1] != b'\'' => in_string = !in_string,
                b'/' if !in_string && bytes[at..].starts_with(b"//") => {
                    end = at;
                    break;
                }
                _ => {}
            }
            at += 1;
        }
        code.push_str(line[..end].trim_end());
        code.push('\n');
    }
    code
}

/// Each path that a file's `use` items name, such as `crate::wire::Reader`.
fn imports(code: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut rest = code;
    while let Some(start) = rest.find("use ") {
        let before = rest[..start].chars().next_back();
        let item = &rest[start + 4..];
        let end = item.find(';').unwrap_or(item.len());
        if before.is_none_or(|char| char == '\n' || char == ' ') {
            expand("", &item[..end], &mut paths);
        }
        rest = &item[end..];
    }
    // Paths in the code itself.
    for (start, _) in code.match_indices("crate::") {
        let path: String = code[start..]
            .chars()
            .take_while(|char| char.is_alphanumeric() || matches!(char, '_' | ':'))
            .collect();
        if !path.ends_with("::") {
            paths.push(path);
        }
    }
    paths
}

/// Expands `a::{b, c::d}` into `a::b` and `a::c::d`.
fn expand(prefix: &str, tree: &str, paths: &mut Vec<String>) {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else {
        let name = tree.split(" as ").next().unwrap().trim();
        if !name.is_empty() {
            paths.push(format!("{prefix}{name}"));
        }
        return;
    };
    let prefix = format!("{prefix}{}", tree[..open].trim());
    let inner = &tree[open + 1..tree.rfind('}').unwrap_or(tree.len())];
    let (mut depth, mut start) = (0, 0);
    for (at, char) in inner.char_indices() {
        match char {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                expand(&prefix, &inner[start..at], paths);
                start = at + 1;
            }
            _ => {}
        }
    }
    expand(&prefix, &inner[start..], paths);
}

/// Which file each module is, and what it passes on from others.
struct Modules {
    /// `wire::reader` -> `wire/reader.rs`; the crate is "".
    files: BTreeMap<String, String>,
    /// `wire::Reader` -> `wire::reader::Reader`.
    passed_on: BTreeMap<String, String>,
}

impl Modules {
    fn new(files: &[File]) -> Self {
        let mut modules = Self { files: BTreeMap::new(), passed_on: BTreeMap::new() };
        for file in files {
            modules.files.insert(module_of(&file.path), file.path.clone());
        }
        for file in files {
            let module = module_of(&file.path);
            if !file.path.ends_with("mod.rs") && file.path != "lib.rs" {
                continue;
            }
            let mut rest = &file.shipped[..];
            while let Some(start) = rest.find("use ") {
                let item = &rest[start + 4..];
                let end = item.find(';').unwrap_or(item.len());
                let line = rest[..start].rfind('\n').map_or(0, |at| at + 1);
                if rest[line..start].trim_start().starts_with("pub") {
                    let mut paths = Vec::new();
                    expand("", &item[..end], &mut paths);
                    for path in paths {
                        let target = modules.absolute(&module, &path);
                        let name = path.rsplit("::").next().unwrap();
                        let name = join(&module, name);
                        modules.passed_on.insert(name, target);
                    }
                }
                rest = &item[end..];
            }
        }
        modules
    }

    /// A path as it stands in `module`, from the crate's root; anything else if it leads outside.
    fn absolute(&self, module: &str, path: &str) -> String {
        if let Some(path) = path.strip_prefix("crate::") {
            return path.to_owned();
        }
        let (mut module, mut path) = (module.to_owned(), path);
        if let Some(inner) = path.strip_prefix("self::") {
            path = inner;
        }
        while let Some(outer) = path.strip_prefix("super::") {
            module = module.rsplit_once("::").map_or(String::new(), |(outer, _)| outer.to_owned());
            path = outer;
        }
        join(&module, path)
    }

    /// The file that defines what a path from the crate's root names.
    fn file_of(&self, path: &str) -> Option<&str> {
        let mut path = path.to_owned();
        for _ in 0..8 {
            let mut prefix = path.clone();
            let target = loop {
                if let Some(target) = self.passed_on.get(&prefix) {
                    break Some(format!("{target}{}", &path[prefix.len()..]));
                }
                match prefix.rsplit_once("::") {
                    Some((outer, _)) => prefix = outer.to_owned(),
                    None => break None,
                }
            };
            match target {
                Some(target) if target != path => path = target,
                _ => break,
            }
        }
        let mut module = &path[..];
        loop {
            if let Some(file) = self.files.get(module) {
                return Some(file);
            }
            module = module.rsplit_once("::")?.0;
        }
    }
}

fn join(module: &str, path: &str) -> String {
    if module.is_empty() { path.to_owned() } else { format!("{module}::{path}") }
}

fn module_of(path: &str) -> String {
    let path = path.trim_end_matches(".rs");
    let path = path.strip_suffix("/mod").unwrap_or(path);
    if path == "lib" { String::new() } else { path.replace('/', "::") }
}

/// Which files a file imports from.
fn graph(files: &[File]) -> BTreeMap<String, BTreeSet<String>> {
    let modules = Modules::new(files);
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.path != "lib.rs" && file.path != "lifetimes.rs") {
        let module = module_of(&file.path);
        let targets = graph.entry(file.path.clone()).or_default();
        for path in imports(&file.shipped) {
            let first = path.split("::").next().unwrap();
            if !matches!(first, "crate" | "super" | "self") {
                continue;
            }
            let absolute = modules.absolute(&module, &path);
            if let Some(target) = modules.file_of(&absolute)
                && target != file.path
            {
                targets.insert(target.to_owned());
            }
        }
    }
    graph
}

/// How high a room is; `None` for what has a law of its own.
fn height(room: &str) -> Option<u8> {
    Some(match room {
        "wire" => 0,
        "limits" => 1,
        "message" => 2,
        "reuse" => 3,
        "shard" => 4,
        _ if PROTOCOLS.contains(&room) => 5,
        "convert" => 6,
        "kafka" => 7,
        _ => return None,
    })
}

#[test]
fn field_numbers_stay_in_their_protocol() {
    for file in files() {
        let room = file.room();
        if PROTOCOLS.contains(&room) || matches!(room, "wire" | "message") {
            continue;
        }
        assert!(!file.code.contains("Tag::new"), "{} knows a field number", file.path);
    }
}

#[test]
fn no_tag_stands_as_a_byte_outside_its_protocol() {
    for file in files() {
        if !matches!(file.room(), "shard" | "convert" | "kafka") {
            continue;
        }
        for (marker, len) in [("0x", 2), ("\\x", 2)] {
            for (at, _) in file.code.match_indices(marker) {
                let digits: String =
                    file.code[at + 2..].chars().take_while(char::is_ascii_alphanumeric).collect();
                let digits =
                    if marker == "\\x" { &digits[..len.min(digits.len())] } else { &digits };
                let Ok(byte @ 0x08..0x80) = u8::from_str_radix(digits, 16) else { continue };
                assert!(byte & 7 > 5, "{} has a tag's byte: {marker}{digits}", file.path);
            }
        }
    }
}

#[test]
fn general_folders_name_no_protocol() {
    for file in files() {
        let general = matches!(file.room(), "wire" | "message" | "reuse" | "shard")
            || (file.room() == "body" && !file.path.starts_with("body/negotiate/"));
        if !general {
            continue;
        }
        let code = file.code.to_lowercase();
        for name in PROTOCOL_NAMES {
            assert!(!code.contains(name), "{} names a protocol: {name}", file.path);
        }
    }
}

#[test]
fn loki_is_named_by_few_files_outside_its_folder() {
    let named: Vec<_> = files()
        .into_iter()
        .filter(|file| file.room() != "loki" && file.text.to_lowercase().contains("loki"))
        .map(|file| file.path)
        .collect();
    assert!(named.len() <= 16, "{} files: {named:#?}", named.len());
}

#[test]
fn no_import_goes_up() {
    for (file, targets) in graph(&files()) {
        let from = room(&file);
        for target in targets {
            let to = room(&target);
            if from == to || to == "proto" {
                continue;
            }
            let allowed = match (height(from), height(to)) {
                (Some(from), Some(to)) => to < from,
                // Bodies and caches stand on the wire alone; negotiation knows names, not code.
                (None, Some(to)) if matches!(from, "body" | "cache") => to == 0,
                // On top of all: requests and their bodies.
                _ if from == "receive" => to != "cache",
                _ => false,
            };
            assert!(allowed, "{file} imports {target}");
        }
    }
}

#[test]
fn no_circle_of_files() {
    let graph = graph(&files());
    // What a file reaches, itself only through others.
    let reached = |start: &str| {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&str> = graph[start].iter().map(String::as_str).collect();
        while let Some(file) = open.pop() {
            if seen.insert(file.to_owned())
                && let Some(targets) = graph.get(file)
            {
                open.extend(targets.iter().map(String::as_str));
            }
        }
        seen
    };
    let all: BTreeMap<&str, BTreeSet<String>> =
        graph.keys().map(|file| (file.as_str(), reached(file))).collect();
    let mut circles = BTreeSet::new();
    for (file, targets) in &all {
        if targets.contains(*file) {
            let members: BTreeSet<String> = targets
                .iter()
                .filter(|other| all.get(other.as_str()).is_some_and(|back| back.contains(*file)))
                .cloned()
                .collect();
            circles.insert(members);
        }
    }
    let known = CIRCLES
        .map(|(files, _)| -> BTreeSet<String> { files.iter().map(ToString::to_string).collect() });
    let unknown: Vec<_> = circles.iter().filter(|circle| !known.contains(circle)).collect();
    assert!(unknown.is_empty(), "circles of files: {unknown:#?}");
    let gone: Vec<_> = known.iter().filter(|circle| !circles.contains(*circle)).collect();
    assert!(gone.is_empty(), "these circles are no more: {gone:#?}");
}
