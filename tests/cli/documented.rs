//! What `docs/cli.md` must say.

use crate::ran::Folder;

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

#[test]
fn every_reason_for_which_a_file_is_not_added_is_in_the_page() {
    let page = page();
    for code in vademecum_files::Code::ALL {
        assert!(page.contains(&format!("`{}`", code.as_str())), "{}", code.as_str());
    }
}
