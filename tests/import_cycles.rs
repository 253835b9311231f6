//! No file imports a file that imports it, by whatever way round: modules lie in layers, and can be read one after another.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemUse, UseTree, Visibility};

type Modules = BTreeMap<Vec<String>, Imports>;

/// The paths that a file names, and those among them that it only passes on.
#[derive(Default)]
struct Imports {
    used: Vec<Vec<String>>,
    passed_on: Vec<Vec<String>>,
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|one| {
        one.path().is_ident("cfg")
            && one.meta.require_list().is_ok_and(|list| list.tokens.to_string() == "test")
    })
}

/// All paths of a `use`.
fn leaves(tree: &UseTree, before: &mut Vec<String>, into: &mut Vec<Vec<String>>) {
    let whole = |last: &str| before.iter().cloned().chain([last.to_owned()]).collect();
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            leaves(&path.tree, before, into);
            before.pop();
        }
        UseTree::Name(name) => into.push(whole(&name.ident.to_string())),
        UseTree::Rename(rename) => into.push(whole(&rename.ident.to_string())),
        UseTree::Glob(_) => into.push(whole("*")),
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, before, into)),
    }
}

impl<'ast> Visit<'ast> for Imports {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes: &[Attribute] = match item {
            Item::Mod(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            _ => &[],
        };
        if !is_test(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let passed_on = !matches!(item.vis, Visibility::Inherited);
        leaves(&item.tree, &mut Vec::new(), if passed_on { &mut self.passed_on } else { &mut self.used });
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        // A single word is a name, or says who may see something: `pub(crate)`.
        if path.segments.len() > 1 {
            self.used.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }
}

/// The files of a crate by the paths of their modules.
fn modules(folder: &Path, path: &mut Vec<String>, into: &mut Modules) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        let name = entry.file_stem().unwrap().to_string_lossy().into_owned();
        if entry.is_dir() {
            path.push(name);
            modules(&entry, path, into);
            path.pop();
        } else if entry.extension().is_some_and(|extension| extension == "rs") && name != "main" {
            let mut module = path.clone();
            if name != "lib" && name != "mod" {
                module.push(name);
            }
            let mut imports = Imports::default();
            imports.visit_file(&syn::parse_file(&fs::read_to_string(&entry).unwrap()).unwrap());
            into.insert(module, imports);
        }
    }
}

/// The file that a path leads to from a module: the longest beginning of it that is one.
fn file_of(path: &[String], from: &[String], modules: &Modules) -> Option<Vec<String>> {
    let supers = path.iter().take_while(|part| *part == "super").count();
    let full: Vec<String> = match path.first()?.as_str() {
        "crate" => path[1..].to_vec(),
        "super" => from[..from.len().checked_sub(supers)?].iter().chain(&path[supers..]).cloned().collect(),
        "self" => from.iter().chain(&path[1..]).cloned().collect(),
        first => {
            let child: Vec<String> = from.iter().cloned().chain([first.to_owned()]).collect();
            if !modules.contains_key(&child) {
                return None; // another crate, or a name of this file's
            }
            from.iter().chain(path).cloned().collect()
        }
    };
    (0..=full.len()).rev().map(|length| full[..length].to_vec()).find(|module| modules.contains_key(module))
}

/// Each file with those that it imports. What a file only passes on is imported from where it is.
fn graph(modules: &Modules) -> BTreeMap<Vec<String>, BTreeSet<Vec<String>>> {
    let mut origins = BTreeMap::new();
    for (module, imports) in modules {
        for path in &imports.passed_on {
            if let Some(file) = file_of(path, module, modules) {
                origins.insert((module.clone(), path.last().unwrap().clone()), file);
            }
        }
    }
    let edges = |(module, imports): (&Vec<String>, &Imports)| {
        let mut to = BTreeSet::new();
        for path in &imports.used {
            let Some(mut file) = file_of(path, module, modules) else { continue };
            while let Some(origin) = origins.get(&(file.clone(), path.last().unwrap().clone())) {
                file.clone_from(origin);
            }
            to.insert(file);
        }
        to.remove(module);
        (module.clone(), to)
    };
    modules.iter().map(edges).collect()
}

/// A way from a file back to itself, if there is one.
fn circle(graph: &BTreeMap<Vec<String>, BTreeSet<Vec<String>>>) -> Option<Vec<String>> {
    let mut left = graph.clone();
    // What imports nothing that is left is in no circle.
    while let Some(done) = left
        .iter()
        .find(|(_, to)| to.iter().all(|file| !left.contains_key(file)))
        .map(|(file, _)| file.clone())
    {
        left.remove(&done);
    }
    let mut way = vec![left.keys().next()?.clone()];
    loop {
        let next = left[way.last().unwrap()].iter().find(|file| left.contains_key(*file)).unwrap().clone();
        let seen = way.iter().position(|file| *file == next);
        way.push(next);
        if let Some(at) = seen {
            let name = |file: &Vec<String>| if file.is_empty() { "lib".into() } else { file.join("::") };
            return Some(way[at..].iter().map(name).collect());
        }
    }
}

#[test]
fn no_file_of_a_crate_imports_itself_by_way_of_others() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    let mut looked_at = 0;
    for folder in fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path().join("src")) {
        if folder.is_dir() {
            let mut found = Modules::new();
            modules(&folder, &mut Vec::new(), &mut found);
            looked_at += found.len();
            let circle = circle(&graph(&found));
            assert_eq!(
                circle,
                None,
                "{}: move what both sides need into a file below them",
                folder.display()
            );
        }
    }
    assert!(looked_at > 200, "{looked_at} files");
}

#[test]
fn a_circle_is_found_with_its_way() {
    let graph = |edges: &[(&str, &[&str])]| {
        let file = |name: &&str| vec![(*name).to_owned()];
        edges.iter().map(|(from, to)| (file(from), to.iter().map(file).collect())).collect()
    };
    assert_eq!(circle(&graph(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])])), None);
    let found = circle(&graph(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"])])).unwrap();
    assert_eq!(found, ["b", "c", "b"]);
}
