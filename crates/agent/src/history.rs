//! Keeps the history within a token budget: recent turns stay complete, older ones are summarised in one turn.
//!
//! A history over the budget is condensed to well below it, so that it is not summarised again with every question. The result of
//! a run contains the condensed history, to continue from.

use super::context::{By, Context, Thought, Turn};
use super::llm_call::{Prompt, StepOverrides};
use super::outcome::{StepOutcome, StepResult};
use super::prompt::fence;
use super::reply::json::{self as lenient, field};
use super::run::{Run, Step};
use super::step_id::StepId;
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use vademecum_grounding::claim::claimed_terms;
use vademecum_protocol::error::{Error, Result, excerpt};
use vademecum_text::chunk::{estimate_tokens, first_tokens};
use vademecum_text::sentence::sentences;
use vademecum_text::terms::is_blank;

/// Default token budget of the history.
pub const DEFAULT_TOKENS: usize = 1_500;

const STEP: &StepId = &StepId::Summarize;
const PROMPT: &str = include_str!("prompts/summarize.md");
/// Minimum number of tokens of a summary that is worth an LLM call.
const MIN_SUMMARY_TOKENS: usize = 24;
/// Maximum tokens of old turns shown to an LLM, as a multiple of the budget, newest first; and maximum characters of each text.
const SHOWN_BUDGETS: usize = 4;
const MAX_TEXT: usize = 1_200;
/// Maximum characters in which the rule looks for a first sentence, and maximum characters of a line.
const MAX_SCANNED: usize = 2_000;
const MAX_LINE: usize = 300;

/// Returns the estimated number of tokens of a history.
pub fn tokens(history: &[Turn]) -> usize {
    history.iter().map(cost).sum()
}

fn cost(turn: &Turn) -> usize {
    estimate_tokens(&turn.question) + estimate_tokens(&turn.answer)
}

/// Condenses a history by rule: old turns become the question with the first sentence of the answer.
pub fn condense(history: &[Turn], budget: usize) -> Vec<Turn> {
    let Some(parts) = Parts::of(history, budget) else { return history.to_vec() };
    let summary = by_rule(parts.older, parts.room);
    parts.with(summary)
}

/// Formats the turns for an LLM, without answers from documents that must not be sent.
pub fn formatted(history: &[Turn]) -> String {
    let turns: Vec<String> = history.iter().map(|turn| one(turn, usize::MAX)).collect();
    if turns.is_empty() { "(nothing)".into() } else { turns.join("\n") }
}

fn one(turn: &Turn, letters: usize) -> String {
    let (question, answer) = (excerpt(&turn.question, letters), excerpt(&turn.answer, letters));
    match turn {
        Turn { withheld: true, .. } => format!("Q: {question}\nA: (kept back)"),
        Turn { summary: true, .. } => format!("Before that: {answer}"),
        _ => format!("Q: {question}\nA: {answer}"),
    }
}

/// A history over its budget, split for condensing.
struct Parts<'a> {
    /// The turns to summarise.
    older: &'a [Turn],
    /// The turns to keep, at least the newest one.
    newest: Vec<Turn>,
    /// Maximum tokens of the summary.
    room: usize,
}

impl<'a> Parts<'a> {
    /// Returns `None` if the history fits.
    fn of(history: &'a [Turn], budget: usize) -> Option<Self> {
        if tokens(history) <= budget {
            return None;
        }
        let mut kept = 0;
        let mut taken = 0;
        for turn in history.iter().rev().take_while(|turn| !turn.summary) {
            let with = taken + cost(turn);
            if kept > 0 && with > budget / 2 {
                break;
            }
            (kept, taken) = (kept + 1, with);
        }
        let (older, newest) = history.split_at_checked(history.len() - kept)?;
        let newest = if taken > budget {
            newest.iter().map(|turn| cut(turn, budget)).collect()
        } else {
            newest.to_vec()
        };
        let room = (budget / 4).min(budget.saturating_sub(taken));
        Some(Self { older, newest, room })
    }

    fn with(self, summary: String) -> Vec<Turn> {
        let summary = Turn { answer: summary, summary: true, ..Turn::default() };
        let summary = Some(summary).filter(|turn| !is_blank(&turn.answer));
        summary.into_iter().chain(self.newest).collect()
    }
}

/// Truncates a single turn that exceeds the budget; a long question gets at most half of it.
fn cut(turn: &Turn, budget: usize) -> Turn {
    let answer = estimate_tokens(&turn.answer);
    let question = shorter(&turn.question, budget.saturating_sub(answer).max(budget / 2));
    let answer = shorter(&turn.answer, budget.saturating_sub(estimate_tokens(&question)));
    Turn { question, answer, ..turn.clone() }
}

/// Truncates a text to `most` tokens, with an ellipsis.
fn shorter(text: &str, most: usize) -> String {
    match first_tokens(text, most) {
        whole if whole.len() == text.len() => text.to_owned(),
        _ if most == 0 => String::new(),
        _ => format!("{}…", first_tokens(text, most - 1).trim_end()),
    }
}

/// Returns the newest lines of the old turns that fit.
fn by_rule(older: &[Turn], room: usize) -> String {
    let mut lines = Vec::new();
    let mut taken = 0;
    for line in older.iter().rev().flat_map(lines_of) {
        let with = taken + estimate_tokens(&line);
        if with > room {
            if lines.is_empty() {
                lines.push(shorter(&line, room));
            }
            break;
        }
        taken = with;
        lines.push(line);
    }
    lines.reverse();
    lines.join("\n")
}

/// Returns the lines the rule keeps of a turn, last line first. A summary, which the rule may have made itself, is kept line by
/// line.
fn lines_of(turn: &Turn) -> Vec<String> {
    if turn.summary && !turn.withheld {
        let lines = turn.answer.lines().rev().map(str::trim).filter(|line| !line.is_empty());
        return lines.map(|line| excerpt(line, MAX_SCANNED)).collect();
    }
    let answer = if turn.withheld { String::new() } else { first_sentence(&turn.answer) };
    let question: Vec<&str> = turn.question.split_whitespace().collect();
    let line = format!("{} {answer}", excerpt(&question.join(" "), MAX_LINE));
    Some(line.trim().to_owned()).filter(|line| !line.is_empty()).into_iter().collect()
}

fn first_sentence(text: &str) -> String {
    let beginning = excerpt(text, MAX_SCANNED);
    let first = sentences(&beginning).into_iter().next().and_then(|range| beginning.get(range));
    let words: Vec<&str> = first.unwrap_or_default().split_whitespace().collect();
    excerpt(&words.join(" "), MAX_LINE)
}

impl Run<'_> {
    /// Condenses the history before the first step.
    pub(super) async fn condense_history(&self, context: &mut Context) {
        let Some(parts) = Parts::of(&context.request.history, self.history_tokens) else { return };
        let asks = !parts.older.is_empty()
            && parts.room >= MIN_SUMMARY_TOKENS
            && self.has_llm(&StepOverrides::default());
        if asks {
            self.apply(&Summarize { budget: self.history_tokens }, context).await;
            return;
        }
        let text = format!("The {} oldest turns of the conversation are summarised.", parts.older.len());
        self.think(Thought { step: STEP.clone(), by: By::Rule, text });
        context.request.history = condense(&context.request.history, self.history_tokens);
    }
}

/// Summarises the older turns with an LLM.
struct Summarize {
    budget: usize,
}

impl Step for Summarize {
    fn id(&self) -> &StepId {
        STEP
    }

    fn describe(&self, context: &Context) -> Value {
        json!({ "turns": context.request.history.len(), "tokens": tokens(&context.request.history), "historyTokens": self.budget })
    }

    fn run<'a>(
        &'a self,
        run: &'a Run<'_>,
        context: &'a mut Context,
    ) -> LocalBoxFuture<'a, Result<StepOutcome>> {
        Box::pin(async move {
            let history = std::mem::take(&mut context.request.history);
            if let Some(parts) = Parts::of(&history, self.budget) {
                let (summary, by) = self.summary(run, parts.older, parts.room).await?;
                let text =
                    format!("The {} oldest turns of the conversation are summarised.", parts.older.len());
                run.think(Thought { step: STEP.clone(), by, text });
                context.request.history = parts.with(summary);
                return Ok(StepOutcome::new(by, summarized(&context.request.history)));
            }
            context.request.history = history;
            Ok(StepOutcome::new(By::Rule, summarized(&context.request.history)))
        })
    }
}

fn summarized(history: &[Turn]) -> StepResult {
    StepResult::Summarize { turns: history.len(), tokens: tokens(history) }
}

impl Summarize {
    async fn summary(&self, run: &Run<'_>, older: &[Turn], room: usize) -> Result<(String, By)> {
        let said = shown(older, self.budget.saturating_mul(SHOWN_BUDGETS));
        let prompt = Prompt {
            template: PROMPT,
            values: vec![
                ("fence", fence(run.fence, &said)),
                // A word is at least one token, and models that count words are inaccurate.
                ("words", (room * 2 / 3).to_string()),
                ("history", said.clone()),
            ],
            inputs: Value::Null,
        };
        let reply = run.ask_quietly(STEP, &StepOverrides::default(), &prompt).await;
        let read = reply.and_then(|reply| {
            read(&reply.content, &said, room).ok_or_else(|| Error::LlmReply {
                expected: "a summary of the conversation",
                got: excerpt(&reply.content, 120),
            })
        });
        match read {
            Ok(summary) => Ok((summary, By::Llm)),
            Err(error) => {
                run.fall_back(STEP, error, "the old questions, each with the first sentence of its answer")?;
                Ok((by_rule(older, room), By::Rule))
            }
        }
    }
}

/// Returns the newest of the old turns, as many as an LLM is shown.
fn shown(older: &[Turn], most: usize) -> String {
    let mut turns = Vec::new();
    let mut taken = 0;
    for turn in older.iter().rev() {
        let turn = one(turn, MAX_TEXT);
        taken += estimate_tokens(&turn);
        if taken > most && !turns.is_empty() {
            break;
        }
        turns.push(turn);
    }
    turns.reverse();
    turns.join("\n")
}

/// Parses the summary in a reply: text, or JSON with a text. A summary without any word of the turns is rejected.
fn read(reply: &str, said: &str, room: usize) -> Option<String> {
    let names = ["summary", "summarized", "text", "content"];
    let held = lenient::find(reply, |value| lenient::text(field(value, &names)?));
    let summary = held.unwrap_or_else(|| reply.trim().trim_matches('`').trim().to_owned());
    let shared = || !claimed_terms(&summary).is_disjoint(&claimed_terms(said));
    (!is_blank(&summary) && shared()).then(|| whole_sentences(&summary, room))
}

/// Returns as many sentences as fit, or the beginning of a first one that does not.
fn whole_sentences(text: &str, most: usize) -> String {
    let fitting = first_tokens(text, most);
    if fitting.len() == text.len() {
        return text.to_owned();
    }
    let ends: Vec<usize> = sentences(fitting).into_iter().map(|range| range.end).collect();
    let whole = ends.iter().rev().nth(1).and_then(|end| fitting.get(..*end));
    whole.map_or_else(|| shorter(text, most), str::to_owned)
}
