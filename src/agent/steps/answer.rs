//! Writes the answer from the evidence, with citations that are checked.
//!
//! With an LLM the model writes it and cites; without one it is made of the evidence's best sentences.

use super::counted::counted;
use super::extract::{Quote, extract, extract_part};
use super::rules::small_talk::{SmallTalk, small_talk};
use crate::agent::ask::{Own, Prompt};
use crate::agent::citation::{Citation, CitationStyle, check};
use crate::agent::context::{By, Context, Thought};
use crate::agent::event::Event;
use crate::agent::evidence::{fitting, sendable};
use crate::agent::firewall::neutral::quoted;
use crate::agent::firewall::{Allowed, clean_answer};
use crate::agent::output::{Output, shown};
use crate::agent::plan::Format;
use crate::agent::prompt::with_parts;
use crate::agent::reply::thoughts::spoken;
use crate::agent::run::{Run, Step};
use crate::document::Hit;
use crate::error::{Error, Result, excerpt};
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const PROMPT: &str = include_str!("../prompts/answer.md");
const PROMPT_WITHOUT_PASSAGES: &str = include_str!("../prompts/answer_without_passages.md");
/// The answer where there is neither evidence nor a model.
const NOTHING_FOUND: &str = "Nothing in the documents answers this question.";
/// The answer where the search could not be made.
const NO_SEARCH: &str = "The documents were not searched for this: no search could be made.";
/// The answer where passages were found, but none of them in sentences: code, tables, names.
const NO_SENTENCE: &str = "No sentence answers this question; the passages that were found may.";
/// The answer where no search was needed and there is no model to talk to.
const NOT_SEARCHED: &str = "The documents were not searched for this.";

/// The answer step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Answer {
    /// What its style calls it.
    #[serde(skip)]
    pub name: &'static str,
    /// How sources are cited.
    pub citations: CitationStyle,
    /// About how many tokens of passages the LLM is shown; the lowest ranked are left out.
    pub max_tokens: usize,
    /// A prompt and an LLM of its own.
    #[serde(flatten)]
    pub own: Own,
}

impl Default for Answer {
    fn default() -> Self {
        Self { name: "answer", citations: CitationStyle::Number, max_tokens: 3_000, own: Own::default() }
    }
}

impl Step for Answer {
    fn name(&self) -> &str {
        self.name
    }

    fn answers(&self) -> bool {
        true
    }

    fn describe(&self, context: &Context) -> Value {
        json!({ "contextChunkCount": context.evidence().len() })
    }

    fn run<'a>(&'a self, run: &'a Run<'_>, context: &'a mut Context) -> LocalBoxFuture<'a, Result<Value>> {
        Box::pin(async move {
            let evidence = if context.skip_retrieval { Vec::new() } else { context.evidence() };
            let found = evidence.len();
            // Where the search found nothing, there is nothing to ask a model about, and no reason to tell it.
            let told = context.progress.made.iter().any(|one| one.error.is_none() && one.told.is_some());
            let in_vain =
                context.results.is_some() && evidence.is_empty() && !told && !context.skip_retrieval;
            context.citation_style = self.citations;
            (context.citations, context.invalid_citations, context.removed) = Default::default();
            // What supported an answer before this one does not support this one.
            context.grounding = None;
            let (mut by, mut finish_reason) = (By::Rule, None);
            if run.has_llm(&self.own) && !in_vain {
                match self.by_llm(run, &evidence, context).await {
                    Ok(reason) => (by, finish_reason) = (By::Llm, reason),
                    Err(error) => run.fall_back(self.name(), error, "the best sentences of the passages")?,
                }
            }
            if by == By::Rule {
                self.by_rule(run, &evidence, context);
                context.context_used = evidence.clone();
            }
            for citation in &context.citations {
                run.observer
                    .event(&Event::Citation { step: self.name().to_owned(), citation: citation.clone() });
            }
            context.answered_by = Some(by);
            let used = context.context_used.len();
            let how = if by == By::Llm { "written from" } else { "quoted from" };
            let withheld = if by == By::Llm { evidence.len() - sendable(&evidence).len() } else { 0 };
            let text = format!(
                "{how} {used} of {}, with {}{}",
                counted(found, "passage"),
                counted(context.citations.len(), "citation"),
                if withheld > 0 { format!("; {withheld} are never sent") } else { String::new() }
            );
            run.think(Thought { step: self.name().to_owned(), by, text });
            Ok(json!({
                "contextChunkCount": used,
                "foundChunkCount": found,
                "by": by,
                "citations": context.citations.len(),
                "invalidCitations": context.invalid_citations,
                "finishReason": finish_reason,
            }))
        })
    }
}

impl Answer {
    /// Returns why the reply ends, in the endpoint's word.
    async fn by_llm(&self, run: &Run<'_>, evidence: &[Hit], context: &mut Context) -> Result<Option<String>> {
        let open = run.sendable(evidence)?;
        let shown = fitting(&open, self.citations, self.max_tokens);
        let shown = shown.as_slice();
        let question = with_parts(context.asked(), &context.sub_questions);
        let inputs = json!({ "question": question, "chunks": shown, "subQuestions": context.sub_questions });
        // A pipeline without a search step answers from what the model knows.
        let without = context.skip_retrieval || (context.results.is_none() && shown.is_empty());
        let prompt = if without {
            Prompt { template: PROMPT_WITHOUT_PASSAGES, values: vec![("question", question)], inputs }
        } else {
            let mut values = run.fenced(self.name(), shown, self.citations);
            add_told(&mut values, context);
            values.extend([("citing", self.citations.told(shown)), ("question", question)]);
            Prompt { template: PROMPT, values, inputs }
        };
        let allowed = context.allowed(shown);
        let completion = run.ask_text(self.name(), &self.own, &prompt, allowed.clone()).await?;
        let fence = prompt.values.iter().find(|(name, _)| *name == "fence");
        let said = spoken(&completion.content);
        // Small models go on with the prompt where they should end.
        let said = fence.and_then(|(_, fence)| said.split(fence.as_str()).next()).unwrap_or(said).trim_end();
        let cleaned = clean_answer(said, allowed);
        context.removed = cleaned.removed;
        let said = cleaned.text.trim();
        if said.is_empty() {
            return Err(Error::LlmReply { expected: "an answer", got: "an empty message".into() });
        }
        // What there is of it has been passed on already, and is kept.
        if let Some(error) = completion.cut_off() {
            run.note_failure(error.of_step(self.name()));
        }
        let checked = check(said, shown, self.citations);
        context.answer = Some(checked.text);
        context.citations = checked.citations;
        context.invalid_citations = checked.invalid;
        // Whole, also where the prompt held a part of one.
        context.context_used = open.get(..shown.len()).unwrap_or(&open).to_vec();
        Ok(completion.finish_reason)
    }

    fn by_rule(&self, run: &Run<'_>, evidence: &[Hit], context: &mut Context) {
        let mut answer = String::new();
        let allowed = context.allowed(evidence);
        for quote in quotes(context, evidence) {
            let Some(hit) = quote.number.checked_sub(1).and_then(|place| evidence.get(place)) else {
                continue;
            };
            if !answer.is_empty() {
                answer.push(' ');
            }
            // A quotation is shown on a page as any answer is.
            let cleaned = clean_answer(&quote.text, allowed.clone());
            answer.push_str(cleaned.text.trim());
            context.removed.extend(cleaned.removed);
            answer.push(' ');
            let marker = self.citations.marker(quote.number, hit);
            let start = answer.encode_utf16().count();
            answer.push_str(&marker);
            context.citations.push(Citation::new(quote.number, hit, start, &marker, Some(quote.span)));
        }
        if let Some(output) = &context.output {
            (answer, context.citations) = listed(output, evidence, self.citations, &allowed);
        }
        if answer.is_empty() {
            answer = without_quotes(context, evidence);
        }
        run.observer.event(&Event::Token { step: self.name().to_owned(), text: answer.clone() });
        context.answer = Some(answer);
    }
}

/// Adds what tools have said beside passages, between the same fences.
fn add_told(values: &mut [(&'static str, String)], context: &Context) {
    let made = context.progress.made.iter().filter(|one| one.error.is_none());
    let told: Vec<String> = made
        .filter_map(|one| Some(format!("- {}: {}", one.tool, excerpt(one.told.as_ref()?, TOLD))))
        .collect();
    let fence = values.iter().find(|(name, _)| *name == "fence").map(|(_, fence)| fence.clone());
    if let (false, Some(fence)) = (told.is_empty(), fence)
        && let Some((_, passages)) = values.iter_mut().find(|(name, _)| *name == "passages")
    {
        passages.push_str(&format!("\n\nTools have told:\n{}", quoted(&told.join("\n"), &fence)));
    }
}

/// Letters of what a tool said that an answer is written from.
const TOLD: usize = 2_000;

/// Rows that an answer shows; the others stand in the output.
const SHOWN_ROWS: usize = 50;

/// A list as an answer: a table where one is wanted, else a line for each document, cited where it is among the evidence.
fn listed(
    output: &Output,
    evidence: &[Hit],
    style: CitationStyle,
    allowed: &Allowed,
) -> (String, Vec<Citation>) {
    // Titles and metadata are shown on a page as any answer is.
    let clean = |text: &str| clean_answer(text, allowed.clone()).text.trim().to_owned();
    let (mut answer, mut citations) = (String::new(), Vec::new());
    if output.format == Format::Table {
        let row = |row: &Vec<Value>| row.iter().map(|value| json!(clean(&shown(value)))).collect();
        let rows = output.rows.iter().take(SHOWN_ROWS).map(row).collect();
        let columns = output.columns.iter().map(|name| clean(name)).collect();
        answer = Output { rows, columns, ..output.clone() }.markdown();
    } else {
        for (row, document) in output.rows.iter().zip(&output.documents).take(SHOWN_ROWS) {
            let named = output.columns.iter().zip(row).skip(1).filter(|(_, value)| !value.is_null());
            let fields: Vec<String> = named.map(|(name, value)| format!("{name} {}", shown(value))).collect();
            let title = row.first().map(shown).unwrap_or_default();
            let fields = if fields.is_empty() { String::new() } else { format!(" ({})", fields.join(", ")) };
            answer.push_str(&format!("- {}", clean(&format!("{title}{fields}"))));
            let hit = evidence
                .iter()
                .position(|hit| [&hit.chunk.collection, &hit.chunk.doc_id] == [&document[0], &document[1]]);
            if let Some((at, hit)) = hit.and_then(|at| Some((at, evidence.get(at)?))) {
                let marker = style.marker(at + 1, hit);
                answer.push(' ');
                let start = answer.encode_utf16().count();
                answer.push_str(&marker);
                citations.push(Citation::new(at + 1, hit, start, &marker, None));
            }
            answer.push('\n');
        }
    }
    if output.total > SHOWN_ROWS.min(output.rows.len()) {
        answer.push_str(&format!("and {} more\n", output.total - SHOWN_ROWS.min(output.rows.len())));
    }
    (answer.trim_end().to_owned(), citations)
}

/// The best sentences; of a question that was taken apart, the best one for each part.
fn quotes(context: &Context, evidence: &[Hit]) -> Vec<Quote> {
    let mut found: Vec<Quote> = Vec::new();
    if context.sub_questions.len() > 1 {
        for part in &context.sub_questions {
            found.extend(extract_part(part, evidence, &found));
        }
    }
    if found.is_empty() { extract(context.asked(), evidence) } else { found }
}

fn without_quotes(context: &Context, evidence: &[Hit]) -> String {
    if context.skip_retrieval {
        small_talk(context.asked()).map_or_else(|| NOT_SEARCHED.to_owned(), SmallTalk::reply)
    } else if !evidence.is_empty() {
        NO_SENTENCE.to_owned()
    } else if context.results.as_ref().is_some_and(|all| all.iter().all(|one| one.iterations == 0)) {
        NO_SEARCH.to_owned()
    } else {
        NOTHING_FOUND.to_owned()
    }
}
