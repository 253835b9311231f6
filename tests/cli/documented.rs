//! What `docs/cli.md` must say.

use crate::ran::{Folder, Ran};
use std::path::Path;

fn page() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/cli.md")).unwrap()
}

#[test]
fn every_command_and_option_is_in_the_page_and_every_one_there_is_real() {
    let (folder, page) = (Folder::new(), page());
    let mut real = vec!["--json".to_owned(), "--help".to_owned(), "--version".to_owned()];
    for command in ["build", "add", "search", "ask", "publish", "inspect", "eval", "push", "completions"] {
        assert!(page.contains(&format!("vademecum {command}")), "{command}");
        let help = folder.says(&format!("{command} --help")).out;
        let options = help.split_whitespace().filter(|word| word.starts_with("--"));
        real.extend(
            options.map(|word| word.trim_end_matches(|char: char| !char.is_alphanumeric()).to_owned()),
        );
    }
    for option in &real {
        assert!(page.contains(option.as_str()), "{option} is not documented");
    }
    let is_end = |char: char| !char.is_alphanumeric() && char != '-';
    for rest in page.split("--").skip(1) {
        let name = rest.split(is_end).next().unwrap();
        let is_option = name.starts_with(|first: char| first.is_ascii_lowercase());
        let others = ["features", "path", "profile"];
        assert!(
            !is_option || others.contains(&name) || real.contains(&format!("--{name}")),
            "there is no --{name}"
        );
    }
}

/// Runs the lines of a page's first block of commands that call the program, in a folder with the examples' notes.
fn runs_lines_of(page: &str, before: &str) -> Vec<Ran> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = Folder::new();
    for note in ["leave.md", "travel.md", "equipment.md"] {
        let name = format!("examples/notes/{note}");
        folder.write(&name, std::fs::read(root.join(&name)).unwrap());
    }
    let text = std::fs::read_to_string(root.join(page)).unwrap();
    let blocks = text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let block = blocks.into_iter().find(|block| block.contains(before)).unwrap();
    let lines = block.lines().filter_map(|line| line.strip_prefix(before));
    let arguments = |line: &str| -> Vec<String> {
        // Every other piece between double quotes is one argument.
        let pieces = line.split('"').enumerate();
        pieces
            .flat_map(|(at, piece)| match at % 2 {
                0 => piece.split_whitespace().map(str::to_owned).collect(),
                _ => vec![piece.to_owned()],
            })
            .collect()
    };
    lines.map(|line| folder.run(&arguments(line))).collect()
}

#[test]
fn the_lines_of_the_readme_and_the_page_build_a_library_and_answer_from_it() {
    for (page, before) in [("README.md", "cargo xtask cli "), ("docs/cli.md", "vademecum ")] {
        let ran = runs_lines_of(page, before);
        assert!(ran.len() > 1 && ran.iter().all(|one| one.code == 0), "{page}: {ran:?}");
        let answer = "Every employee has 30 days of paid leave a year. [1]";
        assert!(ran.last().unwrap().out.starts_with(answer), "{page}: {ran:?}");
    }
}

#[test]
fn every_reason_for_which_a_file_is_not_added_is_in_the_page() {
    let page = page();
    for code in vademecum_files::Code::ALL {
        assert!(page.contains(&format!("`{}`", code.as_str())), "{}", code.as_str());
    }
}
