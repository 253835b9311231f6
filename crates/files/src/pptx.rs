//! Presentations: a page for each slide, with its notes.

use crate::archive::{Archive, protected};
use crate::documents::Read;
use crate::refusal::Refusal;
use crate::xml::{Malformed, Node, attribute, walk};
use std::collections::HashMap;
use vademecum_protocol::document::Document;

/// The beginning of a file in the format before 2007, in which also files with a password are wrapped.
const COMPOUND: &[u8] = &[0xD0, 0xCF, 0x11, 0xE0];
/// Placeholders whose text is the same on every slide, or none.
const REPEATED: [&str; 5] = ["sldNum", "dt", "ftr", "hdr", "sldImg"];

pub(crate) fn read(id: &str, name: &str, bytes: &[u8]) -> Result<Read, Refusal> {
    if bytes.starts_with(COMPOUND) {
        return Err(protected("PowerPoint", ".pptx"));
    }
    let mut archive = Archive::open(bytes, "a presentation", "PowerPoint")?;
    let presentation = archive.required("ppt/presentation.xml")?;
    let targets = targets(&mut archive, "ppt/presentation.xml")?;
    let slides = slides(&presentation, &targets).map_err(|_| archive.damaged())?;
    let (mut pages, mut first_title) = (Vec::new(), None);
    for path in slides {
        // A slide that is listed and missing still counts, so that numbers of pages are those of slides.
        let mut slide = part(&mut archive, &path)?;
        for notes in
            self::targets(&mut archive, &path)?.into_values().filter(|path| path.contains("notesSlide"))
        {
            let notes = part(&mut archive, &notes)?;
            if !notes.body.is_empty() {
                slide.body.push(format!("Notes: {}", notes.body.join("\n")));
            }
        }
        first_title = first_title.or_else(|| slide.title.clone());
        let parts: Vec<String> = slide.title.into_iter().chain(slide.body).collect();
        pages.push(parts.join("\n\n"));
    }
    if pages.iter().all(|page| page.trim().is_empty()) {
        return Err(Refusal::without_text());
    }
    let title = first_title.unwrap_or_else(|| name.to_owned());
    Ok(Read::of(Document { title: Some(title), pages: Some(pages), ..Document::new(id, "") }))
}

/// Returns what a part refers to, as paths in the archive by id.
fn targets(archive: &mut Archive<'_>, path: &str) -> Result<HashMap<String, String>, Refusal> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let Some(xml) = archive.text(&format!("{folder}/_rels/{name}.rels"))? else { return Ok(HashMap::new()) };
    let mut targets = HashMap::new();
    walk(&xml, |node| {
        if let Node::Start(_, attributes) = node
            && let (Some(id), Some(target)) = (attribute(&attributes, "Id"), attribute(&attributes, "Target"))
        {
            targets.insert(id.to_owned(), joined(folder, target));
        }
    })
    .map_err(|_| archive.damaged())?;
    Ok(targets)
}

/// Returns the path of a target, which counts from the folder of the part or from the root.
fn joined(folder: &str, target: &str) -> String {
    if let Some(whole) = target.strip_prefix('/') {
        return whole.to_owned();
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." | "" => {}
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// Returns the paths of the slides in their order. A slide has a number and a reference, both named `id`.
fn slides(xml: &str, targets: &HashMap<String, String>) -> Result<Vec<String>, Malformed> {
    let mut slides = Vec::new();
    walk(xml, |node| {
        if let Node::Start(name, attributes) = node
            && name == "sldId"
        {
            slides.extend(attributes.iter().find_map(|(_, value)| targets.get(value)).cloned());
        }
    })?;
    Ok(slides)
}

/// The text of a slide: of its title, and of each other shape.
#[derive(Debug, Default)]
struct Slide {
    title: Option<String>,
    body: Vec<String>,
}

fn part(archive: &mut Archive<'_>, path: &str) -> Result<Slide, Refusal> {
    let Some(xml) = archive.text(path)? else { return Ok(Slide::default()) };
    slide(&xml).map_err(|_| archive.damaged())
}

fn slide(xml: &str) -> Result<Slide, Malformed> {
    let mut slide = Slide::default();
    let (mut text, mut kind) = (String::new(), String::new());
    let (mut is_text, mut cells) = (false, 0);
    walk(xml, |node| match node {
        Node::Start(name, attributes) => match name.as_str() {
            "sp" | "graphicFrame" => (text, kind) = (String::new(), String::new()),
            "ph" => kind = attribute(&attributes, "type").unwrap_or("body").to_owned(),
            "t" => is_text = true,
            "br" => text.push('\n'),
            "tc" => {
                if cells > 0 {
                    text.push('\t');
                }
                cells += 1;
            }
            _ => {}
        },
        Node::Text(part) if is_text => text.push_str(&part),
        Node::Text(_) => {}
        Node::End(name) => match name.as_str() {
            "t" => is_text = false,
            // Paragraphs of a cell are one.
            "p" if cells > 0 => text.push(' '),
            "p" => text.push('\n'),
            "tr" => {
                cells = 0;
                text.push('\n');
            }
            "sp" | "graphicFrame" => {
                let own = std::mem::take(&mut text);
                let lines: Vec<&str> = own.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
                if lines.is_empty() || REPEATED.contains(&kind.as_str()) {
                    return;
                }
                if slide.title.is_none() && matches!(kind.as_str(), "title" | "ctrTitle") {
                    slide.title = Some(lines.join(" "));
                } else {
                    slide.body.push(lines.join("\n"));
                }
            }
            _ => {}
        },
    })?;
    Ok(slide)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slide_has_its_title_its_shapes_and_its_tables_and_no_page_number() {
        let xml = "<p:sld><p:sp><p:nvPr><p:ph type='sldNum'/></p:nvPr><a:p><a:t>7</a:t></a:p></p:sp>\
            <p:sp><p:nvPr><p:ph type='title'/></p:nvPr><a:p><a:r><a:t>Leave</a:t></a:r></a:p></p:sp>\
            <p:sp><a:p><a:t>28 days</a:t></a:p><a:p><a:t>a year</a:t></a:p></p:sp>\
            <p:graphicFrame><a:tbl><a:tr><a:tc><a:p><a:t>a</a:t></a:p></a:tc><a:tc><a:p><a:t>b</a:t></a:p></a:tc></a:tr></a:tbl></p:graphicFrame></p:sld>";
        let slide = slide(xml).unwrap();
        assert_eq!(slide.title.as_deref(), Some("Leave"));
        assert_eq!(slide.body, ["28 days\na year", "a \tb"]);
    }

    #[test]
    fn targets_count_from_the_folder_of_the_part() {
        assert_eq!(joined("ppt/slides", "../notesSlides/notesSlide1.xml"), "ppt/notesSlides/notesSlide1.xml");
        assert_eq!(joined("ppt", "slides/slide1.xml"), "ppt/slides/slide1.xml");
        assert_eq!(joined("ppt", "/ppt/slides/slide1.xml"), "ppt/slides/slide1.xml");
        assert_eq!(joined("ppt", "../../../x"), "x");
    }
}
