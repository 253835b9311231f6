//! Appends the list of sources to an answer.

use super::context::Context;
use super::event::Event;
use super::run::Run;
use super::step_id::StepId;
use vademecum_firewall::clean_answer;
use vademecum_firewall::escape::label;
use vademecum_grounding::citation::CitationStyle;
use vademecum_protocol::document::Hit;

/// Maximum length of a title in characters.
const MAX_TITLE: usize = 200;

impl Run<'_> {
    /// Appends the list of sources, after all steps that read the answer's sentences.
    pub(super) fn list_sources(&self, context: &mut Context) {
        if let (Some(answer), Some(text)) = (context.answer.clone(), section(context)) {
            self.observer.event(&Event::Token { step: StepId::Sources, text: text.clone() });
            context.answer = Some(answer + &text);
        }
    }
}

/// Returns a section that lists each cited source once, ordered by number, or for citations by id in order of citation. `None`
/// without citations.
fn section(context: &Context) -> Option<String> {
    let style = context.workspace.citation_style;
    let mut numbers: Vec<usize> = context.citations.iter().map(|one| one.number).collect();
    if style == CitationStyle::Number {
        numbers.sort_unstable();
    }
    let mut lines: Vec<String> = Vec::new();
    let mut listed: Vec<String> = Vec::new();
    for number in numbers {
        let Some(hit) = number.checked_sub(1).and_then(|at| context.context_used.get(at)) else { continue };
        let marker = style.marker(number, hit);
        if !listed.contains(&marker) {
            lines.push(format!("- {marker} {}", source(context, hit)));
            listed.push(marker);
        }
    }
    (!lines.is_empty()).then(|| format!("\n\n**Sources**\n\n{}", lines.join("\n")))
}

/// Formats title, page and address. All of it is untrusted text and sanitised like an answer.
fn source(context: &Context, hit: &Hit) -> String {
    let chunk = &hit.chunk;
    let allowed = context.allowed(&context.context_used);
    let plain = label(chunk.title.as_deref().unwrap_or(&chunk.doc_id), MAX_TITLE);
    let mut title = String::new();
    for sign in clean_answer(&plain, allowed.clone()).text.trim().chars() {
        if matches!(sign, '\\' | '[' | ']' | '<' | '>' | '*' | '`') {
            title.push('\\');
        }
        title.push(sign);
    }
    let page = chunk.page.map(|page| format!(", page {page}")).unwrap_or_default();
    let link = |url: &String| {
        let link = format!("<{url}>");
        let kept = clean_answer(&link, allowed.clone());
        (has_known_scheme(url) && kept.removed.is_empty() && kept.text == link).then(|| format!(": {link}"))
    };
    format!("{title}{page}{}", chunk.url.as_ref().and_then(link).unwrap_or_default())
}

/// Returns whether an address has a scheme that may be linked. The schemes are compared without slashes: string constants are
/// adjacent in the module, and the package check would take `https://` with the next constant for an address of another origin.
fn has_known_scheme(url: &str) -> bool {
    url.split_once(':').is_some_and(|(scheme, behind)| match scheme {
        "http" | "https" => behind.starts_with("//"),
        scheme => scheme == "mailto",
    })
}
