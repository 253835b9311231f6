//! An LLM that knows a labelled set: the upper bound of what a better model could bring.

use super::answers::says;
use super::{GoldStep, LabelledQuery};
use crate::agent::ports::{Caller, ChatRequest, Llm};
use crate::agent::reply::Completion;
use crate::error::{Error, Result};
use futures_util::future::{LocalBoxFuture, ready};
use serde_json::json;

/// Takes a question apart as its annotators did, and answers rightly what the passages that it is shown say.
#[derive(Debug)]
pub struct Oracle<'a>(pub &'a LabelledQuery);

impl Oracle<'_> {
    fn reply(&self, caller: Caller<'_>, request: &ChatRequest) -> Result<String> {
        match caller.step {
            "decompose" => Ok(json!({ "subQuestions": filled(&self.0.decomposition) }).to_string()),
            "answer" => {
                let shown = request.messages.last().map_or("", |message| passages(&message.content));
                let answer = self.0.answers.first().filter(|_| says(shown, &self.0.answers));
                Ok(answer.map_or_else(|| "The passages do not say.".into(), Clone::clone))
            }
            other => {
                Err(Error::LlmFailed { reason: format!("the oracle knows nothing of the step `{other}`") })
            }
        }
    }
}

impl Llm for Oracle<'_> {
    fn has(&self, _: Option<&str>) -> bool {
        true
    }

    fn complete<'a>(
        &'a self,
        caller: Caller<'a>,
        request: &'a ChatRequest,
        on_token: &'a dyn Fn(&str),
    ) -> LocalBoxFuture<'a, Result<Completion>> {
        let content = self.reply(caller, request);
        content.iter().for_each(|text| on_token(text));
        Box::pin(ready(content.map(|content| Completion { content, ..Completion::default() })))
    }
}

/// What a message shows of the documents: what stands between its first line, the fence, and the next line like it. The
/// question behind it may say the answer itself, in the parts it was taken apart into.
fn passages(message: &str) -> &str {
    let (fence, rest) = message.split_once('\n').unwrap_or((message, ""));
    rest.split_once(fence).map_or("", |(passages, _)| passages)
}

/// The questions of the parts, with `#1` and so on replaced by the answers of the parts before.
pub fn filled(steps: &[GoldStep]) -> Vec<String> {
    let fill =
        |question: &str| {
            // From the last: `#1` begins `#10`.
            steps.iter().enumerate().rev().fold(question.to_owned(), |text, (at, step)| {
                text.replace(&format!("#{}", at + 1), &step.answer)
            })
        };
    steps.iter().map(|step| fill(&step.question)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_earlier_parts_stand_in_the_questions_of_later_ones() {
        let step =
            |question: &str, answer: &str| GoldStep { question: question.into(), answer: answer.into() };
        let steps = [
            step("Who wrote Faust?", "Goethe"),
            step("Where was #1 born?", "Frankfurt"),
            step("Who rules #2?", ""),
        ];
        assert_eq!(filled(&steps), ["Who wrote Faust?", "Where was Goethe born?", "Who rules Frankfurt?"]);
    }
}
