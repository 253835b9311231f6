//! Parses tool calls written by models, and formats tool output for models.

use crate::prompt::fence;
use crate::reply::{Completion, FunctionCall, json};
use crate::scratchpad::Pending;
use crate::tools::FINAL_ANSWER;
use serde_json::{Value, json as object};
use vademecum_firewall::escape::quoted;
use vademecum_protocol::error::excerpt;

/// Maximum length of a tool's output besides passages, in characters.
pub(super) const MAX_TOOL_OUTPUT: usize = 6_000;

/// Returns the calls of a reply: native ones, or else those written into the text as JSON.
pub(super) fn calls_of(completion: &Completion, said: &str) -> Vec<Pending> {
    let call = |(at, call): (usize, &FunctionCall)| Pending {
        id: if call.id.is_empty() { format!("call-{}", at + 1) } else { call.id.clone() },
        tool: tool_name(&call.name),
        arguments: json::find(&call.arguments, |value| value.is_object().then(|| value.clone()))
            .unwrap_or_else(|| {
                let text = call.arguments.trim();
                if text.is_empty() { object!({}) } else { Value::String(excerpt(text, 1_000)) }
            }),
    };
    if !completion.tool_calls.is_empty() {
        return completion.tool_calls.iter().enumerate().map(call).collect();
    }
    json::find(said, |value| {
        let list = value.as_array().map_or_else(|| vec![value], |items| items.iter().collect());
        let calls: Vec<Pending> = list.into_iter().filter_map(written_call).collect();
        (!calls.is_empty()).then_some(calls)
    })
    .unwrap_or_default()
}

/// Parses a call in a text: `{"tool": …, "arguments": {…}}`, with alternative key names.
pub(crate) fn written_call(value: &Value) -> Option<Pending> {
    let name = value.as_object()?;
    let tool = ["tool", "name", "action", "function", "tool_name"]
        .iter()
        .find_map(|key| name.get(*key)?.as_str())?;
    let arguments =
        ["arguments", "args", "parameters", "input", "action_input"].iter().find_map(|key| name.get(*key));
    let mut arguments = arguments.cloned().unwrap_or_else(|| {
        let rest = name
            .iter()
            .filter(|(key, _)| !["tool", "name", "action", "function", "tool_name"].contains(&key.as_str()));
        Value::Object(rest.map(|(key, value)| (key.clone(), value.clone())).collect())
    });
    if let Some(text) = arguments.as_str()
        && let Some(inner) = json::find(text, |value| value.is_object().then(|| value.clone()))
    {
        arguments = inner;
    }
    Some(Pending { id: String::new(), tool: tool_name(tool), arguments })
}

/// Normalises a tool name; recognises `final_answer` regardless of case and separators.
pub(super) fn tool_name(name: &str) -> String {
    let plain =
        |name: &str| name.chars().filter(char::is_ascii_alphabetic).collect::<String>().to_ascii_lowercase();
    if plain(name) == plain(FINAL_ANSWER) { FINAL_ANSWER.to_owned() } else { name.trim().to_owned() }
}

/// Returns the answer in a call of `final_answer`.
pub(super) fn final_answer(call: &Pending) -> Option<String> {
    let said = json::field(&call.arguments, &["answer", "text", "content", "response"]).and_then(json::text);
    said.or_else(|| call.arguments.as_str().map(str::to_owned)).filter(|answer| !answer.trim().is_empty())
}

/// Puts a text between fences that it cannot close.
pub(super) fn between(number: u64, text: &str) -> String {
    let fence = fence(number, "");
    format!("{fence}\n{}\n{fence}", quoted(&excerpt(text, MAX_TOOL_OUTPUT), &fence))
}
