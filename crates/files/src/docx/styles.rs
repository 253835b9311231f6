//! The styles of a Word document: their ids depend on the language of the program, their names do not.

use crate::xml::{Malformed, Node, attribute, walk};
use std::collections::HashMap;

/// What a style makes of a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// The title of the document.
    Title,
    /// A heading of a level, from 1.
    Heading(u8),
}

/// Styles of titles and headings by id.
pub(super) type Styles = HashMap<String, Style>;

pub(super) fn styles(xml: &str) -> Result<Styles, Malformed> {
    let mut styles = Styles::new();
    // A style without an id cannot be referred to.
    let mut id: Option<String> = None;
    walk(xml, |node| {
        let Node::Start(name, attributes) = node else { return };
        if name == "style" {
            id = attribute(&attributes, "styleId").map(str::to_owned);
        }
        let (Some(id), Some(value)) = (&id, attribute(&attributes, "val")) else { return };
        let style = match name.as_str() {
            "name" => of_name(value).map(|style| (style, true)),
            "outlineLvl" => level(value).map(|level| (Style::Heading(level), false)),
            _ => None,
        };
        match style {
            Some((style, true)) => drop(styles.insert(id.clone(), style)),
            Some((style, false)) => drop(styles.entry(id.clone()).or_insert(style)),
            None => {}
        }
    })?;
    Ok(styles)
}

fn of_name(name: &str) -> Option<Style> {
    let name = name.to_lowercase();
    if name == "title" {
        return Some(Style::Title);
    }
    let level: u8 = name.strip_prefix("heading ")?.parse().ok()?;
    (1..=9).contains(&level).then(|| Style::Heading(level.min(6)))
}

/// Returns the level of a heading by its place in the outline, which counts from 0 and has 9 for body text.
pub(super) fn level(outline: &str) -> Option<u8> {
    let outline: u8 = outline.parse().ok()?;
    (outline < 9).then(|| (outline + 1).min(6))
}
