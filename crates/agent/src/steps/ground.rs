//! Finds the support of every sentence of the answer; optionally corrects or removes unsupported ones.

use super::rules::refusal::is_refusal;
use crate::budget_plan::{Cost, LONG_CALL};
use crate::context::{By, Context, Thought};
use crate::errors::never_sent;
use crate::event::Event;
use crate::evidence::fitting;
use crate::llm_call::{Prompt, StepOverrides};
use crate::outcome::{StepOutcome, StepResult};
use crate::prompt::add_quoted;
use crate::reply::thoughts::spoken;
use crate::run::{Run, Step};
use crate::step_id::StepId;
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vademecum_firewall::{Removed, clean_answer};
use vademecum_grounding::citation::{Citation, check};
use vademecum_grounding::grounding::{GroundedSentence, ground};
use vademecum_grounding::questions::Questions;
use vademecum_grounding::sourced::add_sources;
use vademecum_grounding::utf16::Utf16;
use vademecum_protocol::document::Hit;
use vademecum_protocol::error::{Error, Result};
use vademecum_text::chunk::estimate_tokens;

const PROMPT: &str = include_str!("../prompts/correct.md");
/// Maximum number of tokens of passages, answer and problems shown to the LLM.
const MAX_SHOWN_TOKENS: usize = 3_000;
/// Minimum number of tokens of passages, however long the answer is.
const MIN_PASSAGE_TOKENS: usize = 500;

/// The ground step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(description = "Options of `ground`.", rename = "GroundOptions", extend("x-extends" = ["StepOptions"])))]
#[serde(rename_all = "camelCase", default)]
pub struct Ground {
    /// The name in its style.
    #[serde(skip)]
    pub name: StepId,
    /// Whether an LLM is asked, once, to correct what is not supported.
    pub correct: bool,
    /// Whether sentences that nothing supports are removed from the answer.
    pub drop: bool,
    /// Own prompt and LLM.
    #[serde(flatten)]
    pub own: StepOverrides,
}

impl Default for Ground {
    fn default() -> Self {
        Self { name: StepId::Ground, correct: false, drop: false, own: StepOverrides::default() }
    }
}

/// An answer with its grounding.
#[derive(Clone)]
struct Draft {
    answer: String,
    citations: Vec<Citation>,
    sentences: Vec<GroundedSentence>,
}

/// A draft corrected by an LLM, with its invalid citations and what the firewall removed.
struct Corrected {
    draft: Draft,
    invalid: Vec<String>,
    removed: Vec<Removed>,
}

impl Draft {
    fn new(questions: &Questions<'_>, answer: String, citations: Vec<Citation>, evidence: &[Hit]) -> Self {
        let sentences = ground(questions, &answer, &citations, evidence);
        Self { answer, citations, sentences }
    }

    fn unsupported(&self) -> impl Iterator<Item = &GroundedSentence> {
        self.sentences.iter().filter(|one| !one.supported)
    }

    /// Returns whether a larger share is supported and no supported sentence was lost.
    fn is_better_than(&self, other: &Self) -> bool {
        let supported = |draft: &Self| draft.sentences.len() - draft.unsupported().count();
        self.share() > other.share() && supported(self) >= supported(other)
    }

    /// Returns the share of supported sentences.
    fn share(&self) -> f32 {
        let all = self.sentences.len();
        if all == 0 { 0.0 } else { 1.0 - self.unsupported().count() as f32 / all as f32 }
    }
}

impl Ground {
    /// Asks the LLM for a corrected answer.
    async fn corrected(&self, run: &Run<'_>, context: &Context, draft: &Draft) -> Result<Corrected> {
        let (evidence, style) = (&context.context_used, context.workspace.citation_style);
        // The numbers of an answer name passages by their place, so none of them can be left out.
        let kept_here = evidence.iter().any(|hit| hit.chunk.never_sent());
        if kept_here || run.holds_never_sent(&draft.answer)? {
            return Err(never_sent("the answer is quoted from passages"));
        }
        let problems: Vec<String> = draft.unsupported().map(problem).collect();
        let taken = estimate_tokens(&draft.answer) + estimate_tokens(&problems.join("\n"));
        let shown = fitting(evidence, style, MAX_SHOWN_TOKENS.saturating_sub(taken).max(MIN_PASSAGE_TOKENS));
        let mut values = run.fenced(self.id(), &shown, style);
        values.extend([("citing", style.instruction(&shown)), ("question", context.asked().to_owned())]);
        add_quoted(&mut values, "answer", &draft.answer);
        add_quoted(&mut values, "problems", &problems.join("\n"));
        let inputs = json!({
            "question": context.asked(), "chunks": shown, "answer": draft.answer, "problems": problems,
        });
        let reply =
            run.ask_quietly(self.id(), &self.own, &Prompt { template: PROMPT, values, inputs }).await?;
        let said = spoken(&reply.content);
        if said.is_empty() {
            return Err(Error::LlmReply { expected: "the mended answer", got: "an empty message".into() });
        }
        let cleaned = clean_answer(said, context.allowed(&shown));
        let checked = check(&cleaned.text, &shown, style);
        let (answer, citations) =
            add_sources(&context.questions(), &checked.text, &checked.citations, evidence, style);
        let draft = Draft::new(&context.questions(), answer, citations, evidence);
        Ok(Corrected { draft, invalid: checked.invalid, removed: cleaned.removed })
    }
}

/// Describes the problem of a sentence for the LLM.
fn problem(one: &GroundedSentence) -> String {
    let missing = match one.missing.as_slice() {
        [] => String::new(),
        missing => format!(" Not there: {}.", missing.join(", ")),
    };
    format!("- \"{}\" does not stand in the passages.{missing}", one.text)
}

/// Returns the answer without unsupported sentences; `None` if nothing would be left.
fn without_unsupported(draft: &Draft, context: &Context) -> Option<Draft> {
    if !draft.sentences.iter().any(|one| one.supported) {
        return None;
    }
    let places = Utf16::new(&draft.answer);
    let (mut answer, mut kept) = (String::new(), Vec::new());
    let (mut from, mut citations) = (0, draft.citations.iter().peekable());
    for one in draft.unsupported() {
        let bytes = places.bytes(&draft.answer, one.at)?;
        answer.push_str(draft.answer.get(from..bytes.start)?);
        // Includes the following spaces, so that none are doubled.
        let behind = draft.answer.get(bytes.end..)?;
        from = bytes.end + behind.len() - behind.trim_start_matches(' ').len();
        while let Some(citation) = citations.next_if(|citation| citation.at.start < one.at.end) {
            kept.extend((citation.at.start < one.at.start).then(|| citation.clone()));
        }
    }
    answer.push_str(draft.answer.get(from..)?);
    kept.extend(citations.cloned());
    let mut checked = check(&answer, &context.context_used, context.workspace.citation_style);
    // The quotations are the previous ones, in the same order.
    if checked.citations.len() == kept.len() {
        for (new, old) in checked.citations.iter_mut().zip(kept) {
            new.by = old.by;
            new.quote = old.quote.filter(|_| old.number == new.number);
            if new.quote.is_some() {
                new.page = old.page; // the page of the quotation
            }
        }
    }
    Some(Draft::new(&context.questions(), checked.text, checked.citations, &context.context_used))
}

impl Step for Ground {
    fn id(&self) -> &StepId {
        &self.name
    }

    fn cost(&self, run: &Run<'_>, _context: &Context) -> Option<Cost> {
        (self.correct && run.has_llm(&self.own)).then(|| Cost::of(1, LONG_CALL))
    }

    fn describe(&self, context: &Context) -> Value {
        json!({ "contextChunkCount": context.context_used.len(), "correct": self.correct, "drop": self.drop })
    }

    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<StepOutcome>> {
        Box::pin(async move {
            // An answer that says that nothing was found makes no claim. One that a rule has computed over rows is exact, and no passage
            // states it.
            let said = context.answer.as_deref().unwrap_or_default();
            let by_rule = context.answered_by == Some(By::Rule);
            let nothing_claimed = (context.citations.is_empty() || (by_rule && context.output.is_some()))
                && match context.answered_by {
                    Some(By::Rule) => true,
                    Some(By::Llm) => is_refusal(said, context.asked()),
                    _ => false,
                };
            let answer = context.answer.clone().filter(|_| !nothing_claimed).unwrap_or_default();
            // A quotation needs no words of the question: the encoder may have chosen it by its meaning.
            let questions = if by_rule { Questions::default() } else { context.questions() };
            let mut draft = Draft::new(&questions, answer, context.citations.clone(), &context.context_used);
            let (mut by, mut corrected, mut changed) = (By::Rule, false, false);
            let wrong = draft.unsupported().count() > 0 && !context.context_used.is_empty();
            if self.correct && wrong && run.has_llm(&self.own) {
                match self.corrected(run, context, &draft).await {
                    Ok(better) if better.draft.is_better_than(&draft) => {
                        (draft, by, corrected, changed) = (better.draft, By::Llm, true, true);
                        context.invalid_citations.extend(better.invalid);
                        context.removed.extend(better.removed);
                    }
                    Ok(_) => {}
                    Err(error) => run.fall_back(self.id(), error, "the answer as it was")?,
                }
            }
            let mut dropped = 0;
            if self.drop
                && draft.unsupported().count() > 0
                && let Some(rest) = without_unsupported(&draft, context)
            {
                dropped = draft.unsupported().count();
                (draft, changed) = (rest, true);
            }
            let (all, unsupported) = (draft.sentences.len(), draft.unsupported().count());
            let text = format!(
                "{} of {all} sentences are supported{}{}",
                all - unsupported,
                if corrected { ", after a correction" } else { "" },
                if dropped > 0 { format!(", {dropped} were removed") } else { String::new() },
            );
            run.think(Thought { step: self.id().clone(), by, text });
            if changed {
                for citation in &draft.citations {
                    let step = self.id().clone();
                    run.observer.event(&Event::Citation { step, citation: citation.clone() });
                }
                context.answer = Some(draft.answer);
                context.citations = draft.citations;
            }
            context.grounding = Some(draft.sentences);
            let (sentences, supported) = (all, all - unsupported);
            let result = StepResult::Ground { sentences, supported, unsupported, corrected, dropped };
            Ok(StepOutcome::new(by, result))
        })
    }
}
