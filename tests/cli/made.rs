//! Small files of formats that are archives or have offsets.

use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// A zip archive with these parts.
pub(crate) fn archive(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A Word document with this body.
pub(crate) fn docx(body: &str) -> Vec<u8> {
    let styles = "<w:styles xmlns:w='w'><w:style w:styleId='berschrift1'><w:name w:val='heading 1'/></w:style>\
                  <w:style w:styleId='Titel'><w:name w:val='Title'/></w:style></w:styles>";
    let document =
        format!("<?xml version='1.0'?><w:document xmlns:w='w'><w:body>{body}</w:body></w:document>");
    archive(&[("word/document.xml", &document), ("word/styles.xml", styles)])
}

/// An electronic book with these chapters.
pub(crate) fn epub(chapters: &[&str]) -> Vec<u8> {
    let container = "<container><rootfiles><rootfile full-path='OEBPS/book.opf'/></rootfiles></container>";
    let at = |n: usize| format!("text/chapter {n}.xhtml");
    let item = |n: usize| format!("<item id='c{n}' href='{}'/>", at(n).replace(' ', "%20"));
    let items: String = (0..chapters.len()).map(item).collect();
    let spine: String = (0..chapters.len()).rev().map(|n| format!("<itemref idref='c{n}'/>")).collect();
    let package = format!(
        "<package xmlns:dc='dc'><metadata><dc:title>Seas &amp; Moons</dc:title><dc:creator>Ann</dc:creator>\
         <dc:language>en</dc:language></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    );
    let pages: Vec<(String, String)> = chapters
        .iter()
        .enumerate()
        .map(|(n, text)| {
            (
                format!("OEBPS/{}", at(n)),
                format!("<html><head><title>x</title></head><body>{text}</body></html>"),
            )
        })
        .collect();
    let mut parts = vec![("META-INF/container.xml", container), ("OEBPS/book.opf", &package)];
    parts.extend(pages.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    archive(&parts)
}

/// A PDF whose pages have these operators, and a trailer with these entries.
pub(crate) fn pdf(pages: &[&str], trailer: &str) -> Vec<u8> {
    let kids: Vec<String> = (0..pages.len()).map(|n| format!("{} 0 R", 4 + 2 * n)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), pages.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    for (n, content) in pages.iter().enumerate() {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /Contents {} 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
            5 + 2 * n
        ));
        objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
    }
    let mut bytes = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (n, object) in objects.iter().enumerate() {
        places.push(bytes.len());
        bytes.extend(format!("{} 0 obj\n{object}\nendobj\n", n + 1).into_bytes());
    }
    let start = bytes.len();
    bytes.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).into_bytes());
    for place in places {
        bytes.extend(format!("{place:010} 00000 n \n").into_bytes());
    }
    let size = objects.len() + 1;
    bytes.extend(
        format!("trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n")
            .into_bytes(),
    );
    bytes
}

/// A spreadsheet with these sheets: their names, whether they are hidden, and the XML of their rows. Style 1 is that of days.
pub(crate) fn xlsx(sheets: &[(&str, bool, &str)]) -> Vec<u8> {
    let listed: String = (1..=sheets.len())
        .zip(sheets)
        .map(|(n, (name, is_hidden, _))| {
            let state = if *is_hidden { " state='hidden'" } else { "" };
            format!("<sheet name='{name}' sheetId='{n}'{state} r:id='r{n}'/>")
        })
        .collect();
    let book = format!("<workbook xmlns:r='r'><sheets>{listed}</sheets></workbook>");
    let kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet";
    let root = "<Relationships><Relationship Id='r1' Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument' Target='xl/workbook.xml'/></Relationships>";
    let targets: String = (1..=sheets.len())
        .map(|n| format!("<Relationship Id='r{n}' Type='{kind}' Target='worksheets/sheet{n}.xml'/>"))
        .collect();
    let targets = format!("<Relationships>{targets}</Relationships>");
    let styles = "<styleSheet><cellXfs><xf numFmtId='0'/><xf numFmtId='14'/></cellXfs></styleSheet>";
    let pages: Vec<(String, String)> = (1..)
        .zip(sheets)
        .map(|(n, (_, _, rows))| {
            let page = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
            (format!("xl/worksheets/sheet{n}.xml"), page)
        })
        .collect();
    let mut parts = vec![
        ("_rels/.rels", root),
        ("xl/workbook.xml", book.as_str()),
        ("xl/_rels/workbook.xml.rels", &targets),
        ("xl/styles.xml", styles),
    ];
    parts.extend(pages.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    archive(&parts)
}
