//! Chooses the reader of a file.

use crate::documents::Read;
use crate::kind::Kind;
use crate::pdf::Pages;
use crate::refusal::{Code, Refusal};
use crate::sitemap::Page;
use crate::walk::Found;
use crate::{docx, eml, epub, html, json, markdown, odt, pptx, rtf, table, text, xlsx};
use serde_json::{Map, Value};
use vademecum_protocol::document::Document;
use vademecum_text::terms::is_blank;

/// Reads the pages of a PDF: [`crate::pdf::pages`], or a function that runs it in another process.
pub type PdfReader<'a> = dyn Fn(&[u8]) -> Result<Pages, Refusal> + Sync + 'a;

/// What is known of a file besides its bytes.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// The id of its document, or what the ids of its rows begin with.
    pub id: &'a str,
    /// What it contains.
    pub kind: Kind,
    /// The page of a site that it is.
    pub page: Option<&'a Page>,
}

/// Reads the documents of a file that was found in a folder: see [`read_file`].
///
/// # Errors
/// Every [`Code`] but those of files that cannot be opened.
pub fn read(found: &Found, bytes: Vec<u8>, pdf: &PdfReader<'_>) -> Result<Read, Refusal> {
    read_file(File { id: &found.id, kind: found.kind, page: found.page.as_ref() }, bytes, pdf)
}

/// Reads the documents of a file. Their metadata has the file's `type` and `folder`; documents of a site's pages have their address.
///
/// # Errors
/// Every [`Code`] but those of files that cannot be opened.
pub fn read_file(file: File<'_>, bytes: Vec<u8>, pdf: &PdfReader<'_>) -> Result<Read, Refusal> {
    let File { id, kind, page } = file;
    let (folder, name) = id.rsplit_once('/').unwrap_or(("", id));
    let mut read = match kind {
        Kind::Markdown => markdown::read(id, name, bytes),
        Kind::Html => html::read(id, name, bytes),
        Kind::Text | Kind::Code => text::read(id, name, bytes),
        Kind::Pdf => pdf(&bytes).and_then(|pages| paged(id, name, pages)),
        Kind::Docx => docx::read(id, name, &bytes),
        Kind::Odt => odt::read(id, name, &bytes),
        Kind::Rtf => rtf::read(id, name, &bytes),
        Kind::Xlsx => xlsx::read(id, name, &bytes),
        Kind::Pptx => pptx::read(id, name, &bytes),
        Kind::Epub => epub::read(id, name, &bytes),
        Kind::Eml => eml::read(id, name, &bytes),
        Kind::Csv => table::read(id, name, bytes),
        Kind::Jsonl => json::read_lines(id, name, bytes),
        Kind::Json => json::read(id, name, bytes),
    }?;
    if let [only] = read.documents.as_slice()
        && only.pages.is_none()
        && is_blank(&only.text)
    {
        return Err(Refusal::without_text());
    }
    for document in &mut read.documents {
        let mut metadata = Map::from_iter([("type".to_owned(), Value::from(kind.name()))]);
        if !folder.is_empty() {
            metadata.insert("folder".to_owned(), folder.into());
        }
        if let Some(page) = page {
            document.url.get_or_insert_with(|| page.url.clone());
            metadata.extend(page.modified.clone().map(|day| ("modified".to_owned(), day.into())));
        }
        metadata.extend(std::mem::take(&mut document.metadata));
        document.metadata = metadata;
    }
    Ok(read)
}

/// Makes a document of a PDF's pages.
fn paged(id: &str, name: &str, Pages { pages, title, author }: Pages) -> Result<Read, Refusal> {
    let empty = pages.iter().filter(|page| is_blank(page)).count();
    if empty == pages.len() {
        return Err(Refusal::new(
            Code::FileWithoutText,
            "It contains no readable text: its pages are images, as in a scan, or its fonts lack character codes. Run text recognition (OCR) on it, and add the result.",
        ));
    }
    let note = (empty > 0).then(|| {
        format!(
            "{empty} of its {} pages have no text, or drawings of more than 8 MB, which are not read.",
            pages.len()
        )
    });
    let document = Document {
        title: Some(title.unwrap_or_else(|| name.to_owned())),
        pages: Some(pages),
        metadata: author.into_iter().map(|author| ("author".to_owned(), author.into())).collect(),
        ..Document::new(id, "")
    };
    Ok(Read { documents: vec![document], notes: note.into_iter().collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contents::Stamp;
    use std::io::{Cursor, Write};
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    fn archive(parts: &[(&str, &str)]) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in parts {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(text.as_bytes()).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    #[test]
    fn no_reader_panics_on_a_file_that_is_cut_or_changed() {
        let docx = archive(&[
            (
                "word/document.xml",
                "<w:body><w:p><w:pPr><w:pStyle w:val='a'/></w:pPr><w:r><w:t>x &amp; y</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>1</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body>",
            ),
            ("word/styles.xml", "<w:style w:styleId='a'><w:name w:val='heading 1'/></w:style>"),
        ]);
        let epub = archive(&[
            ("META-INF/container.xml", "<rootfile full-path='b.opf'/>"),
            (
                "b.opf",
                "<package><dc:title>T</dc:title><item id='c' href='c%20.xhtml'/><itemref idref='c'/></package>",
            ),
            ("c .xhtml", "<body><h1>x</h1></body>"),
        ]);
        let xlsx = archive(&[
            (
                "_rels/.rels",
                "<Relationships><Relationship Id='r1' Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument' Target='xl/workbook.xml'/></Relationships>",
            ),
            (
                "xl/workbook.xml",
                "<workbook><sheets><sheet name='S' sheetId='1' r:id='r1'/></sheets></workbook>",
            ),
            (
                "xl/_rels/workbook.xml.rels",
                "<Relationships><Relationship Id='r1' Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet' Target='worksheets/a.xml'/></Relationships>",
            ),
            (
                "xl/worksheets/a.xml",
                "<worksheet><sheetData><row r='1'><c r='A1' t='inlineStr'><is><t>a</t></is></c><c r='B1'><v>1</v></c></row></sheetData></worksheet>",
            ),
        ]);
        let pptx = archive(&[
            ("ppt/presentation.xml", "<p><p:sldId id='1' r:id='r1'/></p>"),
            ("ppt/_rels/presentation.xml.rels", "<x><Relationship Id='r1' Target='s.xml'/></x>"),
            ("ppt/s.xml", "<p:sp><a:p><a:t>x</a:t></a:p></p:sp>"),
        ]);
        let odt = archive(&[("content.xml", "<x><text:p>a<text:s text:c='2'/>b</text:p></x>")]);
        let files: [(&str, Vec<u8>); 12] = [
            ("a.xlsx", xlsx),
            ("a.pptx", pptx),
            ("a.odt", odt),
            ("a.rtf", "{\\rtf1\\ansi\\ansicpg932 a\\u8364?\\'93\\'fa{\\*\\x y}\\bin2 zz\\par}".into()),
            (
                "a.eml",
                "From: a@x\nSubject: =?utf-8?b?eA==?=\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n\n<p>x\n--b--\n"
                    .into(),
            ),
            ("a.docx", docx),
            ("a.epub", epub),
            ("a.md", "---\na: [1, {b: 2024-01-02 03:04:05 +0200}]\n---\n# Ä\n".into()),
            ("a.csv", "a;b\n\"1\n2\";2.5\n-3;4.000\n".into()),
            ("a.jsonl", "{\"id\":1,\"text\":\"x\"}\n{\"a\":[1e9]}\n".into()),
            ("a.json", "[{\"id\":\"ü\",\"text\":\"x\"}]".into()),
            ("a.html", "<meta charset='latin1'><p>\u{e9}".into()),
        ];
        let read_in = |name: &str, bytes: Vec<u8>| {
            let kind = Kind::of_name(name).unwrap();
            let found =
                Found { id: name.into(), path: name.into(), kind, stamp: Stamp::default(), page: None };
            read(&found, bytes, &crate::pdf::pages)
        };
        let mut random = 7u64;
        for (name, bytes) in files {
            assert!(read_in(name, bytes.clone()).is_ok(), "{name}");
            for end in 0..bytes.len() {
                let _ = read_in(name, bytes[..end].to_vec());
            }
            for _ in 0..500 {
                let mut changed = bytes.clone();
                for _ in 0..3 {
                    random = random
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1_442_695_040_888_963_407);
                    let at = (random >> 33) as usize % changed.len();
                    changed[at] = (random >> 16) as u8;
                }
                let _ = read_in(name, changed);
            }
        }
    }
}
