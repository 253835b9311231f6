//! Ignore rules of the folders along a path, for programs that list folders themselves.

use crate::ignore_files::{NAMES, faults, unreadable_message};
use crate::refusal::{Code, Refusal};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The ignore rules of a folder and of those above it, up to the folder that is read.
///
/// The rules are those of [`Walk`](crate::Walk): a program that has no file system enters each folder with the texts of its ignore
/// files, asks about each entry, and leaves the folder again.
///
/// ```
/// use vademecum_files::Rules;
///
/// let mut rules = Rules::default();
/// rules.enter("", &[Some("*.tmp\n".to_owned()), None, None]);
/// assert!(rules.leaves_out("a.tmp", false) && !rules.leaves_out("a.md", false));
/// assert!(rules.leaves_out(".hidden", true));
/// ```
#[derive(Debug, Default)]
pub struct Rules {
    /// Matchers by folder, and within a folder in the order of [`NAMES`].
    folders: Vec<[Gitignore; NAMES.len()]>,
}

impl Rules {
    /// Names of ignore files, in the order of the texts of [`Rules::enter`].
    pub const FILES: [&str; NAMES.len()] = NAMES;

    /// Adds the rules of a folder, by the texts of its ignore files. Returns what is wrong with them, by the name of the file.
    pub fn enter(
        &mut self,
        folder: &str,
        texts: &[Option<String>; NAMES.len()],
    ) -> Vec<(&'static str, Refusal)> {
        let mut wrong = Vec::new();
        let mut matchers = std::array::from_fn(|_| Gitignore::empty());
        for ((text, name), matcher) in texts.iter().zip(NAMES).zip(&mut matchers) {
            let mut builder = GitignoreBuilder::new(folder);
            for line in text.iter().flat_map(|text| text.lines()) {
                if let Err(error) = builder.add_line(None, line) {
                    wrong.extend(faults(&error).into_iter().map(|(_, refusal)| (name, refusal)));
                }
            }
            match builder.build() {
                Ok(built) => *matcher = built,
                Err(error) => {
                    wrong.extend(faults(&error).into_iter().map(|(_, refusal)| (name, refusal)));
                }
            }
        }
        self.folders.push(matchers);
        wrong
    }

    /// Removes the rules of the folder that was entered last.
    pub fn leave(&mut self) {
        self.folders.pop();
    }

    /// Returns whether a file or folder is left out: by a rule, or because it is hidden and no rule takes it in. `path` counts from the
    /// folder that is read.
    pub fn leaves_out(&self, path: &str, is_folder: bool) -> bool {
        // A kind of file that decides goes before the others, wherever it is; of one kind, the innermost decides.
        for kind in (0..NAMES.len()).rev() {
            let matchers = self.folders.iter().rev().filter_map(|folder| folder.get(kind));
            let decided = matchers.map(|matcher| matcher.matched(path, is_folder)).find(|one| !one.is_none());
            match decided {
                Some(Match::Ignore(_)) => return true,
                Some(Match::Whitelist(_)) => return false,
                _ => {}
            }
        }
        path.rsplit('/').next().is_some_and(|name| name.starts_with('.'))
    }

    /// Returns the refusal of a folder whose ignore file cannot be read, for the reason given.
    pub fn unreadable(name: &str, reason: &str) -> Refusal {
        Refusal::new(Code::IgnoreFileInvalid, unreadable_message(name, reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Place, Walk, WalkOptions};
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    /// Lists a folder by the rules alone.
    fn listed(root: &Path, folder: &str, rules: &mut Rules, found: &mut BTreeSet<String>) {
        let here = root.join(folder);
        rules.enter(folder, &NAMES.map(|name| fs::read_to_string(here.join(name)).ok()));
        for entry in fs::read_dir(&here).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            let is_folder = root.join(&path).is_dir();
            if !rules.leaves_out(&path, is_folder) {
                if is_folder {
                    listed(root, &path, rules, found);
                } else {
                    found.insert(path);
                }
            }
        }
        rules.leave();
    }

    #[test]
    fn the_rules_leave_out_what_a_walk_leaves_out() {
        let names = ["a", "b", ".c", "d"];
        let patterns = [
            "a", "!a", "/b", "b/", "*.md", "!*.md", ".c", "!.c", "a/**", "**/b.md", "!d.md", "d/a", "#a",
            "\\!a", "a ",
        ];
        let mut random = 11u64;
        let mut next = |below: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as usize % below
        };
        for _ in 0..60 {
            let folder = tempfile::tempdir().unwrap();
            for _ in 0..24 {
                let depth = next(3);
                let mut path = folder.path().to_owned();
                for _ in 0..depth {
                    path.push(names[next(names.len())]);
                }
                fs::create_dir_all(&path).unwrap();
                if next(3) == 0 {
                    let lines: Vec<&str> = (0..=next(3)).map(|_| patterns[next(patterns.len())]).collect();
                    fs::write(path.join(NAMES[next(NAMES.len())]), lines.join("\n")).unwrap();
                } else {
                    fs::write(path.join(format!("{}.md", names[next(names.len())])), "x").unwrap();
                }
            }
            let walk = Walk::of(&[Place::of(folder.path()).unwrap()], &WalkOptions::default());
            let walked: BTreeSet<String> = walk.found.into_iter().map(|found| found.id).collect();
            let mut own = BTreeSet::new();
            listed(folder.path(), "", &mut Rules::default(), &mut own);
            own.retain(|path| path.ends_with(".md"));
            assert_eq!(own, walked);
        }
    }

    #[test]
    fn a_pattern_that_means_nothing_is_told_with_its_file() {
        let mut rules = Rules::default();
        let wrong = rules.enter("deep", &[Some("{x\nd.md".to_owned()), None, None]);
        assert_eq!(wrong.len(), 1);
        assert_eq!((wrong[0].0, wrong[0].1.code), (".gitignore", Code::IgnoreFileInvalid));
        assert!(wrong[0].1.message.contains("{x"), "{}", wrong[0].1);
        assert!(rules.leaves_out("deep/d.md", false), "the other patterns count");
    }
}
