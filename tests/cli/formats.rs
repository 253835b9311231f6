//! Every format.

use crate::made::{archive, docx, epub, pdf, xlsx};
use crate::ran::Folder;
use serde_json::{Value, json};

fn documents(folder: &Folder) -> u64 {
    let report = folder.build();
    assert_eq!(report["notAdded"], json!([]), "{report}");
    report["documents"].as_u64().unwrap()
}

#[test]
fn markdown_has_its_front_matter_as_metadata() {
    let folder = Folder::of(&[(
        "a.md",
        "---\ntitle: Tides\ntags: [sea, moon]\ndate: 2024-05-06\n---\n\nThe moon pulls.",
    )]);
    assert_eq!(documents(&folder), 1);
    let hit = folder.first("moon");
    assert_eq!(
        (&hit["title"], &hit["metadata"]["tags"], &hit["metadata"]["date"]),
        (&json!("Tides"), &json!(["sea", "moon"]), &json!("2024-05-06"))
    );
    let found =
        |filter: &str| folder.run(&["search", "notes.library", "moon", "--filter", filter, "--json"]).code;
    assert_eq!([found("{\"date\": {\">=\": \"2024-01-01\"}}"), found("{\"tags\": \"sun\"}")], [0, 1]);
}

#[test]
fn html_is_read_as_a_page_shows_it() {
    let folder = Folder::of(&[(
        "a.html",
        "<title>Tides</title><nav>Home</nav><main><h1>The sea</h1><p>It rises.<script>evil()</script></main>",
    )]);
    assert_eq!(documents(&folder), 1);
    let hit = folder.first("rises");
    assert_eq!(
        (&hit["title"], &hit["headings"], &hit["text"]),
        (&json!("Tides"), &json!(["The sea"]), &json!("The sea\n\nIt rises."))
    );
}

#[test]
fn a_pdf_is_read_page_by_page() {
    let folder = Folder::of(&[]);
    let first = "BT /F1 12 Tf 72 700 Td (The moon) Tj 0 -14 Td [(pul) 20 (ls) -300 (the sea.)] TJ ET";
    let second = "BT /F1 12 Tf 14 TL 72 700 Td (Salt and) Tj T* (wa-) Tj T* (ter.) Tj ET";
    folder.write("notes/a.pdf", pdf(&[first, second], "/Info << /Title (On tides) /Author (Ann) >>"));
    assert_eq!(documents(&folder), 1);
    let hit = folder.first("moon");
    assert_eq!(
        (&hit["title"], &hit["page"], &hit["metadata"]["author"]),
        (&json!("On tides"), &json!(1), &json!("Ann"))
    );
    assert!(hit["text"].as_str().unwrap().starts_with("The moon\npulls the sea."), "{hit}");
    assert!(hit["text"].as_str().unwrap().ends_with("Salt and\nwater."), "{hit}");
}

#[test]
fn a_page_of_a_pdf_with_endless_drawings_is_left_out_and_noted() {
    let folder = Folder::of(&[]);
    let shown = "BT /F1 12 Tf 72 700 Td (The moon) Tj ET";
    let drawn = format!("{}BT /F1 12 Tf 72 700 Td (The sun) Tj ET", "0 0 m 9 9 l S\n".repeat(700_000));
    folder.write("notes/a.pdf", pdf(&[shown, &drawn], ""));
    let report = folder.build();
    assert_eq!((folder.found("moon"), folder.found("sun")), (vec!["a.pdf".to_owned()], vec![]));
    assert!(report["notes"][0]["note"].as_str().unwrap().starts_with("1 of its 2 pages"), "{report}");
}

#[test]
fn a_word_document_keeps_headings_and_tables() {
    let folder = Folder::of(&[]);
    let body = "<w:p><w:pPr><w:pStyle w:val='Titel'/></w:pPr><w:r><w:t>Report</w:t></w:r></w:p>\
                <w:p><w:pPr><w:pStyle w:val='berschrift1'/></w:pPr><w:r><w:t>Tides</w:t></w:r></w:p>\
                <w:p><w:r><w:t>The moon </w:t></w:r><w:del><w:r><w:delText>never</w:delText></w:r></w:del><w:r><w:t>pulls &amp; turns.</w:t></w:r></w:p>\
                <w:tbl><w:tr><w:tc><w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Place</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Metres</w:t></w:r></w:p></w:tc></w:tr>\
                <w:tr><w:tc><w:p><w:r><w:t>Fundy</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>16</w:t></w:r></w:p></w:tc></w:tr></w:tbl>";
    folder.write("notes/a.docx", docx(body));
    assert_eq!(documents(&folder), 1);
    let hit = folder.first("moon");
    assert_eq!((&hit["title"], &hit["headings"]), (&json!("Report"), &json!(["Tides"])));
    let text = hit["text"].as_str().unwrap();
    assert!(text.contains("The moon pulls & turns.") && !text.contains("never"), "{text}");
    assert!(folder.first("Fundy")["text"].as_str().unwrap().contains("16"));
}

#[test]
fn a_text_box_of_a_word_document_keeps_the_paragraph_around_it() {
    let folder = Folder::of(&[]);
    let boxed = "<w:txbxContent><w:p><w:r><w:t>Boxed salt.</w:t></w:r></w:p><w:p><w:r><w:t>Boxed foam.</w:t></w:r></w:p></w:txbxContent>";
    let body = format!(
        "<w:p><w:r><w:t>The moon </w:t></w:r><w:r><mc:AlternateContent><mc:Choice><w:drawing>{boxed}</w:drawing></mc:Choice>\
         <mc:Fallback><w:pict>{boxed}</w:pict></mc:Fallback></mc:AlternateContent></w:r><w:r><w:t>pulls.</w:t></w:r></w:p>"
    );
    folder.write("notes/a.docx", docx(&body));
    assert_eq!(documents(&folder), 1);
    let text = folder.first("moon")["text"].as_str().unwrap().to_owned();
    assert!(text.contains("The moon pulls."), "{text}");
    assert_eq!((text.matches("Boxed salt.").count(), text.matches("Boxed foam.").count()), (1, 1), "{text}");
}

#[test]
fn a_book_is_read_in_the_order_of_its_spine() {
    let folder = Folder::of(&[]);
    folder.write(
        "notes/a.epub",
        epub(&["<h1>Last</h1><p>Waves end.</p>", "<h1>First</h1><p>Waves begin.</p>"]),
    );
    assert_eq!(documents(&folder), 1);
    let hit = folder.first("waves begin");
    assert_eq!((&hit["title"], &hit["metadata"]["author"]), (&json!("Seas & Moons"), &json!("Ann")));
    assert_eq!(hit["headings"], json!(["First"]));
    assert!(hit["span"]["start"].as_u64() < folder.first("waves end")["span"]["start"].as_u64());
}

#[test]
fn rows_and_records_are_documents_of_their_own() {
    let folder = Folder::of(&[
        ("people.csv", "name;born\nAda;1815\nAlan;1912\n"),
        ("notes.jsonl", "{\"id\":\"x\",\"text\":\"Loud waves\",\"year\":2020}\n{\"text\":\"Quiet waves\"}\n"),
        ("list.json", "[{\"title\":\"Fog\",\"text\":\"Grey fog\"}]"),
        ("settings.json", "{\"mode\":\"slow\"}"),
    ]);
    assert_eq!(documents(&folder), 6);
    assert_eq!(
        [folder.found("Alan"), folder.found("loud"), folder.found("fog"), folder.found("slow")].concat(),
        ["people.csv#2", "notes.jsonl#x", "list.json#1", "settings.json"]
    );
    assert_eq!(
        folder.first("Alan")["metadata"],
        json!({ "type": "csv", "file": "people.csv", "name": "Alan", "born": 1912 })
    );
    let count: Value =
        folder.run(&["ask", "notes.library", "How many people were born after 1900?", "--json"]).json();
    assert_eq!(count["answer"].as_str().map(|answer| answer.contains('1')), Some(true), "{count}");
}

#[test]
fn source_code_and_plain_text_are_read_as_they_are() {
    let folder = Folder::of(&[
        ("main.rs", "fn tides() -> Moon { pull() }\n"),
        ("Makefile", "waves:\n\techo foam\n"),
        ("a.txt", "Sand.\n"),
    ]);
    assert_eq!(documents(&folder), 3);
    assert_eq!(
        [folder.found("tides"), folder.found("foam"), folder.found("sand")].concat(),
        ["main.rs", "Makefile", "a.txt"]
    );
}

#[test]
fn a_document_that_must_not_leave_the_device_is_marked_in_its_front_matter() {
    let folder = Folder::of(&[
        ("a.md", "---\nneverSend: true\n---\nSecret recipe."),
        ("b.md", "---\nneverSend: maybe\n---\nOther."),
    ]);
    let report = folder.build();
    assert_eq!(
        (&report["documents"], &report["notAdded"][0]["code"]),
        (&json!(1), &json!("document_refused")),
        "{report}"
    );
    assert_eq!(folder.first("recipe")["metadata"]["neverSend"], true);
    folder.write("notes/c.md", "---\ntags: [x\nneverSend: true\n---\nSecret sauce.");
    let report = folder.build();
    assert!(report["notes"][0]["note"].as_str().unwrap().contains("never sent"), "{report}");
    assert_eq!(folder.first("sauce")["metadata"]["neverSend"], true);
}

#[test]
fn a_spreadsheet_becomes_a_document_per_row_and_a_page_where_there_are_no_records() {
    let text = |place: &str, text: &str| format!("<c r='{place}' t='inlineStr'><is><t>{text}</t></is></c>");
    let row = |cells: &[String]| format!("<row>{}</row>", cells.concat());
    let staff = [
        row(&[text("A1", "Staff of the office")]),
        row(&[text("B3", "Name"), text("C3", "Salary"), text("E3", "Since")]),
        row(&[
            text("B4", "Ada"),
            "<c r='C4'><f>A1*2</f><v>61000.5</v></c><c r='E4' s='1'><v>43832</v></c>".to_owned(),
        ]),
        row(&[text("B5", "Ben"), "<c r='C5'><v>48000</v></c><c r='E5' s='1'><v>44197</v></c>".to_owned()]),
    ];
    let loose = row(&[text("A1", "Call the plumber"), text("C2", "soon")]);
    let folder = Folder::of(&[]);
    folder.write(
        "notes/a.xlsx",
        xlsx(&[("Staff", false, &staff.concat()), ("Loose", false, &loose), ("Secret", true, &loose)]),
    );
    let report = folder.build();
    assert_eq!((&report["documents"], &report["notAdded"]), (&json!(3), &json!([])), "{report}");
    assert!(report["notes"][0]["note"].as_str().unwrap().contains("“Secret” is hidden"), "{report}");
    let ada = folder.first("ada");
    assert_eq!((&ada["docId"], &ada["title"]), (&json!("a.xlsx#Staff!1"), &json!("Ada")));
    let expected = json!({ "type": "xlsx", "file": "a.xlsx", "sheet": "Staff", "table": "Staff of the office",
        "Name": "Ada", "Salary": 61000.5, "Since": "2020-01-02" });
    assert_eq!(ada["metadata"], expected);
    let filter =
        ["search", "notes.library", "name", "--filter", "{\"Since\": {\">=\": \"2021-01-01\"}}", "--json"];
    assert_eq!(folder.run(&filter).json()["hits"][0]["docId"], "a.xlsx#Staff!2");
    assert_eq!(folder.found("plumber"), ["a.xlsx#Loose"]);
}

#[test]
fn a_presentation_has_a_page_for_each_slide_with_its_notes() {
    let slide = |title: &str, body: &str| {
        format!(
            "<p:sld><p:sp><p:nvPr><p:ph type='title'/></p:nvPr><a:p><a:t>{title}</a:t></a:p></p:sp><p:sp><a:p><a:t>{body}</a:t></a:p></p:sp></p:sld>"
        )
    };
    let targets = "<Relationships><Relationship Id='r9' Target='slides/slide1.xml'/><Relationship Id='r2' Target='slides/slide2.xml'/></Relationships>";
    let notes =
        "<Relationships><Relationship Id='r1' Target='../notesSlides/notesSlide1.xml'/></Relationships>";
    let long = "The tide rises and falls twice a day. ".repeat(40);
    let folder = Folder::of(&[]);
    let parts = [
        (
            "ppt/presentation.xml",
            "<p:presentation><p:sldIdLst><p:sldId id='256' r:id='r2'/><p:sldId id='257' r:id='r9'/></p:sldIdLst></p:presentation>",
        ),
        ("ppt/_rels/presentation.xml.rels", targets),
        ("ppt/slides/slide2.xml", &slide("On tides", &long)),
        ("ppt/slides/slide1.xml", &slide("On salt", "Salt in water")),
        ("ppt/slides/_rels/slide1.xml.rels", notes),
        (
            "ppt/notesSlides/notesSlide1.xml",
            "<p:notes><p:sp><p:nvPr><p:ph type='body'/></p:nvPr><a:p><a:t>Pour slowly</a:t></a:p></p:sp></p:notes>",
        ),
    ];
    folder.write("notes/a.pptx", archive(&parts));
    assert_eq!(documents(&folder), 1);
    let hit = folder.first("pour");
    assert_eq!((&hit["title"], &folder.first("tides")["page"]), (&json!("On tides"), &json!(1)), "{hit}");
    assert!(
        hit["text"].as_str().unwrap().ends_with("On salt\n\nSalt in water\n\nNotes: Pour slowly"),
        "{hit}"
    );
}

#[test]
fn open_documents_rich_texts_and_mails_are_read() {
    let folder = Folder::of(&[
        ("a.rtf", "{\\rtf1\\ansi Minutes\\par The budget was f\\'fcr all.}"),
        (
            "a.eml",
            "From: Ann <ann@x.example>\nSubject: Keys\nDate: Fri, 2 Jan 2026 10:00:00 +0000\n\nIn the blue box.\n",
        ),
    ]);
    let content = "<office:text><text:h text:outline-level='1'>Rules</text:h><text:p>No smoking.</text:p></office:text>";
    folder.write("notes/a.odt", archive(&[("content.xml", content)]));
    assert_eq!(documents(&folder), 3);
    assert!(folder.first("budget")["text"].as_str().unwrap().contains("für all"));
    let mail = folder.first("box");
    assert_eq!(
        (&mail["title"], &mail["metadata"]["from"], &mail["metadata"]["date"]),
        (&json!("Keys"), &json!("Ann <ann@x.example>"), &json!("2026-01-02T10:00:00Z"))
    );
    assert_eq!(folder.first("smoking")["headings"], json!(["Rules"]));
}
