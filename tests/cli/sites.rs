//! The output folder of a site.

use crate::ran::Folder;
use serde_json::json;

#[test]
fn pages_have_their_addresses_and_days_by_the_sitemap() {
    let sitemap = "<?xml version='1.0'?><urlset><url><loc>https://x.example/docs/guide/</loc><lastmod>2026-01-02</lastmod></url>\
                   <url><loc>https://x.example/docs/about</loc></url><url><loc>https://x.example/docs/gone</loc></url></urlset>";
    let folder = Folder::of(&[
        ("sitemap.xml", sitemap),
        ("guide/index.html", "<p>The moon pulls the sea."),
        ("about.html", "<p>About waves."),
        ("404.html", "<p>Nothing but sand."),
        ("app.js", "moon()"),
    ]);
    let report = folder.build();
    assert_eq!((&report["documents"], &report["skipped"]), (&json!(3), &json!({ "js": 1, "xml": 1 })));
    let hit = folder.first("moon");
    assert_eq!(
        (&hit["url"], &hit["metadata"]["modified"]),
        (&json!("https://x.example/docs/guide/"), &json!("2026-01-02"))
    );
    assert_eq!(folder.first("waves")["url"], "https://x.example/docs/about");
    assert_eq!(folder.first("sand")["url"], json!(null));
    folder.write_at("notes/sitemap.xml", sitemap.replace("x.example", "y.example"), 10);
    assert_eq!(folder.build()["files"]["changed"], 2, "addresses have changed, though no page has");
    assert_eq!(folder.first("moon")["url"], "https://y.example/docs/guide/");
}

#[test]
fn a_library_within_its_own_folder_is_no_part_of_it() {
    let folder = Folder::of(&[("a.html", "<p>Waves.")]);
    for _ in 0..2 {
        let ran = folder.says("build notes --out notes/search.library --json");
        assert_eq!(
            (ran.code, &ran.json()["documents"], &ran.json()["skipped"]),
            (0, &json!(1), &json!({})),
            "{ran:?}"
        );
        assert!(ran.err.contains("notes/search.library.files") && ran.err.contains("publish"), "{ran:?}");
    }
    assert_eq!(folder.says("build notes --out search.library --json").err, "");
}

#[test]
fn a_damaged_sitemap_keeps_no_page_out() {
    let folder = Folder::of(&[("sitemap.xml", "<urlset><url>"), ("a.html", "<p>Waves.")]);
    let report = folder.build();
    assert_eq!((&report["documents"], &report["notes"][0]["file"]), (&json!(1), &json!("sitemap.xml")));
}

#[test]
fn files_whose_names_only_resemble_a_library_are_read() {
    let folder = Folder::of(&[("old.library.notes.md", "Waves."), ("search.library.md", "Sand.")]);
    let ran = folder.says("build notes --out notes/search.library --json");
    assert_eq!((ran.code, &ran.json()["documents"]), (0, &json!(2)), "{ran:?}");
}
