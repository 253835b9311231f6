//! Simulated LLMs for measurements: an oracle that knows the labels, as an upper bound for better models, and
//! a caller that can do nothing but call a tool.

use super::answers::says;
use super::{GoldStep, LabelledQuery};
use futures_util::future::{LocalBoxFuture, ready};
use serde_json::{Value, json};
use vademecum_agent::ports::{Caller as Asker, ChatRequest, Llm, Message, Role};
use vademecum_agent::reply::{Completion, FunctionCall};
use vademecum_protocol::error::{Error, Result};

/// Returns the annotators' decomposition of a question, and its answer if the passages shown contain it.
#[derive(Debug)]
pub struct Oracle<'a>(pub &'a LabelledQuery);

/// Searches for the unchanged question, then answers like [`Oracle`].
#[derive(Debug)]
pub struct Caller<'a>(pub &'a LabelledQuery);

impl Llm for Oracle<'_> {
    fn has(&self, _: Option<&str>) -> bool {
        true
    }

    fn complete<'a>(
        &'a self,
        asker: Asker<'a>,
        request: &'a ChatRequest,
        on_token: &'a dyn Fn(&str),
    ) -> LocalBoxFuture<'a, Result<Completion>> {
        tell(reply(self.0, &filled(&self.0.decomposition), asker.step, request), on_token)
    }
}

impl Llm for Caller<'_> {
    fn has(&self, _: Option<&str>) -> bool {
        true
    }

    fn complete<'a>(
        &'a self,
        asker: Asker<'a>,
        request: &'a ChatRequest,
        on_token: &'a dyn Fn(&str),
    ) -> LocalBoxFuture<'a, Result<Completion>> {
        tell(reply(self.0, std::slice::from_ref(&self.0.text), asker.step, request), on_token)
    }
}

fn tell<'a>(reply: Result<Completion>, on_token: &'a dyn Fn(&str)) -> LocalBoxFuture<'a, Result<Completion>> {
    reply.iter().for_each(|completion| on_token(&completion.content));
    Box::pin(ready(reply))
}

/// Returns the reply at a step, of a model that wants these queries searched.
fn reply(query: &LabelledQuery, queries: &[String], step: &str, request: &ChatRequest) -> Result<Completion> {
    let call = |tool: &str, query: &String| json!({ "tool": tool, "args": { "query": query } });
    let said = match step {
        // In `decompose`, plans ask for collections as well.
        "decompose" => json!({ "collections": [], "intent": "qa", "subQuestions": queries }),
        "plan" => {
            let purposed = queries.iter().map(|query| json!({ "purpose": "answer", "query": query }));
            json!({ "subqueries": purposed.collect::<Vec<Value>>(), "searchStrategy": "hybrid" })
        }
        "analyze_query" => {
            let calls: Vec<Value> = queries.iter().map(|query| call("vector_search", query)).collect();
            json!({ "intent": "qa", "concepts": [], "calls": calls })
        }
        "grade_results" => json!({ "status": "enough", "reason": "all parts were searched" }),
        "review" => {
            let made = last(request).rsplit_once("Searches so far:").map_or("", |(_, made)| made);
            match queries.iter().find(|query| !made.contains(&json!(query).to_string())) {
                Some(next) => {
                    json!({ "status": "more", "reason": "a part is left", "nextToolCall": call("search_semantic", next) })
                }
                None => json!({ "status": "enough", "reason": "all parts were searched" }),
            }
        }
        "think" => return Ok(turn(query, queries, request)),
        "answer" | "compose" | "synthesize" => {
            return Ok(Completion {
                content: answer(query, passages(last(request))),
                ..Completion::default()
            });
        }
        other => {
            return Err(Error::LlmFailed { reason: format!("nothing is known of the step `{other}`") });
        }
    };
    Ok(Completion { content: said.to_string(), ..Completion::default() })
}

/// Returns a turn of a tool conversation: all searches at once, then the answer.
fn turn(query: &LabelledQuery, queries: &[String], request: &ChatRequest) -> Completion {
    let results: Vec<&Message> = request.messages.iter().filter(|one| one.role == Role::Tool).collect();
    let call = |(at, name, arguments): (usize, &str, Value)| FunctionCall {
        id: format!("call-{at}"),
        name: name.to_owned(),
        arguments: arguments.to_string(),
    };
    let tool_calls = if results.is_empty() {
        let searches = queries.iter().enumerate();
        searches.map(|(at, query)| call((at, "search", json!({ "query": query })))).collect()
    } else {
        let shown: Vec<&str> = results.iter().map(|one| passages(&one.content)).collect();
        vec![call((0, "final_answer", json!({ "answer": answer(query, &shown.join("\n")) })))]
    };
    Completion { tool_calls, ..Completion::default() }
}

/// Returns the gold answer if the passages contain it.
fn answer(query: &LabelledQuery, shown: &str) -> String {
    let known = query.answers.first().filter(|_| says(shown, &query.answers));
    known.map_or_else(|| "The passages do not say.".into(), Clone::clone)
}

fn last(request: &ChatRequest) -> &str {
    request.messages.last().map_or("", |message| &message.content)
}

/// Returns the passages of a prompt: the text between its first line, the fence, and the next such line. The
/// question after it may contain the answer, in the parts of its decomposition.
fn passages(message: &str) -> &str {
    let (fence, rest) = message.split_once('\n').unwrap_or((message, ""));
    rest.split_once(fence).map_or("", |(passages, _)| passages)
}

/// Returns the questions of a decomposition, with `#1` etc. replaced by the answers of earlier parts.
pub fn filled(steps: &[GoldStep]) -> Vec<String> {
    let fill =
        |question: &str| {
            // In descending order, because `#1` is a prefix of `#10`.
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
    fn answers_of_earlier_parts_are_substituted_in_later_questions() {
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
