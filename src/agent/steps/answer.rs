//! Writes the answer from the evidence, with citations that are checked.
//!
//! With an LLM the model writes it and cites by number; without one it is made of the evidence's best sentences.

use super::extract::extract;
use crate::agent::ask::{Own, Prompt};
use crate::agent::citation::{Citation, check};
use crate::agent::context::{By, Context};
use crate::agent::event::Event;
use crate::agent::prompt::{fence, passages};
use crate::agent::run::{Run, Step};
use crate::document::Hit;
use crate::error::{Error, Result};
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const PROMPT: &str = include_str!("../prompts/answer.md");
const PROMPT_WITHOUT_PASSAGES: &str = include_str!("../prompts/answer_without_passages.md");
/// The answer where there is neither evidence nor a model.
const NOTHING_FOUND: &str = "Nothing in the documents answers this question.";
/// The answer where passages were found, but none of them in sentences: code, tables, names.
const NO_SENTENCE: &str = "No sentence answers this question; the passages that were found may.";

/// How sources are cited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CitationStyle {
    /// `[1]`, the number of a passage.
    #[default]
    Number,
}

/// The answer step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Answer {
    /// How sources are cited.
    pub citations: CitationStyle,
    /// A prompt and an LLM of its own.
    #[serde(flatten)]
    pub own: Own,
}

impl Step for Answer {
    fn name(&self) -> &str {
        "answer"
    }

    fn describe(&self, context: &Context) -> Value {
        json!({ "contextChunkCount": context.evidence().len() })
    }

    fn run<'a>(&'a self, run: &'a Run<'_>, context: &'a mut Context) -> LocalBoxFuture<'a, Result<Value>> {
        Box::pin(async move {
            let evidence = context.evidence();
            // Where the search found nothing, there is nothing to ask a model about, and no reason to tell it.
            let in_vain = context.results.is_some() && evidence.is_empty() && !context.skip_retrieval;
            let mut by = By::Rule;
            if run.has_llm(&self.own) && !in_vain {
                match self.by_llm(run, &evidence, context).await {
                    Ok(()) => by = By::Llm,
                    Err(error) => run.fall_back(self.name(), error, "the best sentences of the passages")?,
                }
            }
            if by == By::Rule {
                self.by_rule(run, &evidence, context);
            }
            for citation in &context.citations {
                run.observer
                    .event(&Event::Citation { step: self.name().to_owned(), citation: citation.clone() });
            }
            context.answered_by = Some(by);
            let metadata = json!({
                "contextChunkCount": evidence.len(),
                "by": by,
                "citations": context.citations.len(),
                "invalidCitations": context.invalid_citations,
            });
            context.context_used = evidence;
            Ok(metadata)
        })
    }
}

impl Answer {
    async fn by_llm(&self, run: &Run<'_>, evidence: &[Hit], context: &mut Context) -> Result<()> {
        // A pipeline without a search step answers from what the model knows.
        let question = context.asked().to_owned();
        let inputs =
            json!({ "question": question, "chunks": evidence, "subQuestions": context.sub_questions });
        let prompt = if context.results.is_none() || context.skip_retrieval {
            Prompt { template: PROMPT_WITHOUT_PASSAGES, values: vec![("question", question)], inputs }
        } else {
            let passages = passages(evidence);
            let values = vec![("fence", fence(&passages)), ("passages", passages), ("question", question)];
            Prompt { template: PROMPT, values, inputs }
        };
        let completion = run.ask_text(self.name(), &self.own, &prompt).await?;
        if completion.content.trim().is_empty() {
            return Err(Error::LlmReply { expected: "an answer", got: "an empty message".into() });
        }
        let checked = check(&completion.content, evidence);
        context.answer = Some(checked.text);
        context.citations = checked.citations;
        context.invalid_citations = checked.invalid;
        Ok(())
    }

    fn by_rule(&self, run: &Run<'_>, evidence: &[Hit], context: &mut Context) {
        let mut answer = String::new();
        for quote in extract(context.asked(), evidence) {
            if !answer.is_empty() {
                answer.push(' ');
            }
            answer.push_str(&quote.text);
            let marker = format!(" [{}]", quote.number);
            let start = answer.encode_utf16().count() + 1;
            answer.push_str(&marker);
            context.citations.extend(Citation::new(quote.number, evidence, start, Some(quote.span)));
        }
        if answer.is_empty() {
            answer.push_str(if evidence.is_empty() { NOTHING_FOUND } else { NO_SENTENCE });
        }
        run.observer.event(&Event::Token { step: self.name().to_owned(), text: answer.clone() });
        context.answer = Some(answer);
    }
}
