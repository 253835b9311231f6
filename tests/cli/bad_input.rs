//! What goes wrong with files, folders and libraries: each with a code, and without harm to anything else.

use crate::made::{archive, docx, pdf};
use crate::ran::{Folder, LIBRARY, Ran};
use serde_json::{Value, json};
use std::fs;

/// Returns the codes of the files that were not added, by name.
fn refused(report: &Value) -> Value {
    let refused = report["notAdded"].as_array().unwrap().iter();
    refused
        .map(|one| (one["file"].as_str().unwrap().to_owned(), one["code"].clone()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

#[test]
fn files_that_cannot_be_read_are_listed_with_reasons_and_the_others_are_added() {
    let folder = Folder::of(&[
        ("good.md", "Apples."),
        ("cut.docx", "PK\u{3}\u{4} cut"),
        ("cut.pdf", "%PDF-1.7 cut"),
        ("blank.html", "<p> </p>"),
    ]);
    folder.write("notes/latin.txt", b"f\xFCr");
    folder.write("notes/binary.py", b"a\0b");
    folder.write("notes/scan.pdf", pdf(&["0 0 100 100 re f"], ""));
    folder.write("notes/old.docx", b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1 an old file, or one with a password");
    folder.write("notes/old.xlsx", b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1 an old file, or one with a password");
    folder.write("notes/no.pptx", archive(&[("x", "no presentation")]));
    folder.write("notes/no.eml", "No mail at all.");
    folder.write("notes/no.rtf", "No rich text.");
    folder.write("notes/no-text.docx", docx("<w:p/>"));
    folder.write(
        "notes/locked.pdf",
        pdf(
            &["BT ET"],
            &format!(
                "/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{0}> /U <{0}> >> /ID [<00> <00>]",
                "41".repeat(32)
            ),
        ),
    );
    let protection = "<encryption><EncryptedData><EncryptionMethod Algorithm='http://www.w3.org/2001/04/xmlenc#aes128-cbc'/></EncryptedData></encryption>";
    folder.write("notes/locked.epub", archive(&[("META-INF/encryption.xml", protection)]));
    folder.write("notes/lines.jsonl", "{\"text\":\"x\"}\nnot json\n");
    let report = folder.build();
    let expected = json!({
        "binary.py": "file_not_utf8", "blank.html": "file_without_text", "cut.docx": "file_damaged", "cut.pdf": "file_damaged",
        "latin.txt": "file_not_utf8", "lines.jsonl": "file_damaged", "locked.epub": "file_protected", "locked.pdf": "file_protected",
        "no-text.docx": "file_without_text", "old.docx": "file_protected", "old.xlsx": "file_protected",
        "no.pptx": "file_damaged", "no.eml": "file_damaged", "no.rtf": "file_damaged", "scan.pdf": "file_without_text",
    });
    assert_eq!(refused(&report), expected, "{report:#}");
    assert_eq!((&report["documents"], folder.found("apples")), (&json!(1), vec!["good.md".to_owned()]));
}

#[test]
fn archives_and_pages_that_unpack_to_far_more_are_refused() {
    let folder = Folder::of(&[]);
    let zeros = " ".repeat(70 << 20);
    folder.write("notes/bomb.docx", docx(&format!("<w:p><w:r><w:t>{zeros}</w:t></w:r></w:p>")));
    assert!(folder.path("notes/bomb.docx").metadata().unwrap().len() < 1 << 20);
    assert_eq!(refused(&folder.build()), json!({ "bomb.docx": "file_too_large" }));
}

#[cfg(unix)]
#[test]
fn links_that_lead_in_circles_and_files_without_permission_are_listed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = Folder::of(&[("a.md", "Apples."), ("sub/b.md", "Pears."), ("locked.md", "Plums.")]);
    symlink("..", folder.path("notes/sub/circle")).unwrap();
    symlink("gone.md", folder.path("notes/nowhere.md")).unwrap();
    symlink("a.md", folder.path("notes/link.md")).unwrap();
    fs::set_permissions(folder.path("notes/locked.md"), fs::Permissions::from_mode(0o000)).unwrap();
    let report = folder.build();
    let mut expected = json!({ "sub/circle": "file_loop", "nowhere.md": "file_unreadable" });
    if fs::read(folder.path("notes/locked.md")).is_err() {
        expected["locked.md"] = "file_unreadable".into(); // unless the tests run as root
    }
    assert_eq!(refused(&report), expected);
    assert_eq!(folder.found("pears"), ["sub/b.md"]);
    fs::set_permissions(folder.path("notes/locked.md"), fs::Permissions::from_mode(0o644)).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_in_the_folder_is_not_waited_for() {
    let folder = Folder::of(&[("a.md", "Apples.")]);
    assert!(
        std::process::Command::new("mkfifo").arg(folder.path("notes/pipe.md")).status().unwrap().success()
    );
    assert_eq!(folder.build()["documents"], 1);
}

#[test]
fn one_bad_document_keeps_no_other_file_out() {
    let folder = Folder::of(&[
        ("a.md", "Apples."),
        ("b.md", "---\nvademecumSummary: x\n---\nPears."),
        ("c.html", "<script>x</script>"),
        ("d.md", "Plums."),
    ]);
    let report = folder.build();
    assert_eq!(refused(&report), json!({ "b.md": "document_refused", "c.html": "file_without_text" }));
    assert_eq!((&report["documents"], &report["files"]["added"]), (&json!(2), &json!(2)));
}

#[test]
fn a_damaged_library_is_an_error_that_says_how_to_mend_it() {
    let folder = Folder::of(&[("a.md", "Apples.")]);
    folder.build();
    let whole = fs::read(folder.path(LIBRARY)).unwrap();
    let mut changed = whole.clone();
    let last = changed.len() - 5;
    changed[last] ^= 1;
    for damaged in [&whole[..whole.len() / 2], &changed[..], &b"no library"[..]] {
        fs::write(folder.path(LIBRARY), damaged).unwrap();
        for line in [
            "search notes.library apples --json",
            "inspect notes.library --json",
            "ask notes.library apples? --json",
            "add notes.library notes --json",
        ] {
            let ran = folder.says(line);
            assert_eq!((ran.code, ran.error().as_str()), (3, "library_corrupt"), "{line}: {ran:?}");
            assert!(ran.err.contains("notes.library") && ran.err.contains("--fresh"), "{ran:?}");
        }
        assert_eq!(fs::read(folder.path(LIBRARY)).unwrap(), damaged, "nothing was changed");
    }
}

#[test]
fn a_library_of_a_later_format_is_refused() {
    let folder = Folder::of(&[("a.md", "Apples.")]);
    folder.build();
    let mut later = fs::read(folder.path(LIBRARY)).unwrap();
    later[8] = 99;
    fs::write(folder.path(LIBRARY), later).unwrap();
    let ran = folder.says("search notes.library apples --json");
    assert_eq!((ran.code, ran.error().as_str()), (3, "library_newer"));
}

#[test]
fn what_is_missing_is_named() {
    let folder = Folder::of(&[("a.md", "Apples.")]);
    let usage = [
        ("build nowhere --out notes.library --json", "nowhere"),
        ("build notes --out nowhere/notes.library --json", "nowhere"),
        ("build notes --out notes --json", "--out"),
        ("search notes.library apples --filter {no --json", "--filter"),
    ];
    for (line, named) in usage {
        let ran = folder.says(line);
        assert_eq!((ran.code, ran.error().as_str()), (2, "invalid_argument"), "{line}: {ran:?}");
        assert!(ran.err.contains(named), "{ran:?}");
    }
    let failed = [
        ("search notes.library apples --json", "storage_failed"),
        ("build notes --out notes.library --model nowhere --json", "model_unavailable"),
    ];
    for (line, code) in failed {
        let ran = folder.says(line);
        assert_eq!((ran.code, ran.error().as_str()), (3, code), "{line}: {ran:?}");
    }
    for line in ["build notes --json", "bild notes --json", "build notes --out a.library --top x --json"] {
        let ran = folder.says(line);
        assert_eq!((ran.code, ran.error().as_str()), (2, "invalid_argument"), "{ran:?}");
        assert!(ran.err.starts_with("error: "), "{ran:?}");
    }
    let version = folder.says("--version --json");
    assert_eq!((version.code, version.out.starts_with("vademecum ")), (0, true), "{version:?}");
    assert_eq!(folder.says("build notes").code, 2, "an option is missing");
    assert_eq!(folder.says("bild notes").code, 2);
}

#[test]
fn an_empty_folder_makes_no_library() {
    let folder = Folder::of(&[]);
    let ran = folder.says("build notes --out notes.library --json");
    assert_eq!((ran.code, &ran.json()["documents"]), (1, &json!(0)), "{ran:?}");
    assert!(!folder.path(LIBRARY).exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_a_failure_and_one_that_nobody_reads_is_none() {
    let folder = Folder::of(&[("a.md", "Apples.")]);
    folder.build();
    for options in [&["inspect", LIBRARY][..], &["search", LIBRARY, "apples", "--json"]] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let ran = Ran::of(&folder.command().args(options).stdout(full).output().unwrap());
        assert_eq!(ran.code, 3, "{ran:?}");
        assert!(ran.err.contains("Standard output cannot be written"), "{ran:?}");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        assert_eq!(folder.command().args(options).stdout(writer).output().unwrap().status.code(), Some(0));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_keeps_the_last_good_library() {
    let folder = Folder::of(&[("a.md", "Apples.")]);
    folder.build();
    let before = fs::read(folder.path(LIBRARY)).unwrap();
    for at in 0..40 {
        folder.write(&format!("notes/{at}.txt"), format!("Pear number {at}. ").repeat(300));
    }
    // A limit to the size of files fails as a full disk does, once its signal is ignored.
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" build notes --out notes.library --json";
    let mut shell = std::process::Command::new("sh");
    shell.current_dir(folder.path("")).args(["-c", script, env!("CARGO_BIN_EXE_vademecum")]);
    let ran = Ran::of(&shell.output().unwrap());
    assert_eq!((ran.code, ran.error().as_str()), (3, "storage_full"), "{ran:?}");
    assert_eq!(fs::read(folder.path(LIBRARY)).unwrap(), before);
    let left: Vec<String> = fs::read_dir(folder.path(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(left.iter().all(|name| !name.contains("tmp")), "{left:?}");
    assert_eq!(folder.build()["documents"], 41);
}

#[cfg(unix)]
#[test]
fn two_builds_of_one_library_at_once_are_refused() {
    let folder = Folder::of(&[("a.md", "Apples.")]);
    let lock = fs::File::create(folder.path("notes.library.lock")).unwrap();
    lock.lock().unwrap();
    let ran = folder.says("build notes --out notes.library --json");
    assert_eq!((ran.code, ran.error().as_str()), (3, "library_in_use"));
    drop(lock);
    assert_eq!(folder.build()["documents"], 1);
    assert!(!folder.path("notes.library.lock").exists());
}

#[test]
fn only_files_that_a_killed_process_left_are_removed() {
    let folder = Folder::of(&[("a.md", "Apples.")]);
    for name in ["notes.library.tmp-7", "notes.library.files.tmp-7", "notes.library.plan.tmp-7.md"] {
        folder.write(name, "x");
    }
    folder.build();
    assert!(
        !folder.path("notes.library.tmp-7").exists() && !folder.path("notes.library.files.tmp-7").exists()
    );
    assert!(folder.path("notes.library.plan.tmp-7.md").exists());
}

#[test]
fn escape_sequences_of_documents_do_not_reach_the_terminal() {
    let folder = Folder::of(&[("a.md", "Apples \u{1b}[31mare red.")]);
    folder.build();
    let ran = folder.says("search notes.library apples");
    assert!(ran.out.contains("Apples") && !ran.out.contains('\u{1b}'), "{ran:?}");
}
