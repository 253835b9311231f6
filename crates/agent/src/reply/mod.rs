//! Parses LLM replies in all forms: an HTTP response in one piece or as server-sent events, a parsed completion, a string, or
//! deltas. An [`Assembler`] takes the parts as they arrive and returns a [`Completion`].

pub mod json;
pub(crate) mod repeated;
mod sse;
pub mod thoughts;

use serde::Deserialize;
use serde_json::Value;
use vademecum_protocol::error::{Error, Result, excerpt};
use vademecum_util::within::Within;

/// Maximum number of bytes kept of an error body.
const ERROR_BODY: usize = 4096;
/// Default limit of the bytes of text and tool calls in a reply.
pub const MOST_BYTES: usize = 1 << 20;
/// Maximum number of received bytes per byte of the limit: an event with one word has hundreds of bytes.
const MAX_OVERHEAD: usize = 64;
/// Overhead of each part in bytes, so that empty parts count too.
const PART_COST: usize = 256;
/// Maximum number of function calls in a reply.
const MAX_CALLS: usize = 32;

/// A complete reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completion {
    /// The text.
    pub content: String,
    /// The token usage, if the endpoint reports it.
    pub usage: Option<TokenUsage>,
    /// The function calls.
    pub tool_calls: Vec<FunctionCall>,
    /// The finish reason of the endpoint: `stop`, `length`, `tool_calls`, `content_filter`.
    pub finish_reason: Option<String>,
}

impl Completion {
    /// Returns an error if the endpoint reports that the reply was truncated.
    pub fn cut_off(&self) -> Option<Error> {
        let reason = self.finish_reason.clone()?;
        matches!(reason.as_str(), "length" | "content_filter").then_some(Error::LlmCutOff { reason })
    }
}

/// A function call requested by a model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FunctionCall {
    /// The id to reply to; empty if the endpoint gave none.
    pub id: String,
    /// The name of the function.
    pub name: String,
    /// The arguments as written; usually JSON.
    pub arguments: String,
}

/// The token usage reported by an endpoint. Both counts are required.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct TokenUsage {
    /// Tokens of the prompt.
    pub prompt_tokens: usize,
    /// Tokens of the reply.
    pub completion_tokens: usize,
}

/// A part of a reply.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// The head of an HTTP response.
    Head {
        /// The status code.
        status: u16,
        /// The `Retry-After` value in seconds.
        retry_after: Option<f64>,
    },
    /// Bytes of its body.
    Bytes(Vec<u8>),
    /// The whole text.
    Text(String),
    /// A parsed completion, or one chunk of a streamed one.
    Value(Value),
}

/// The format of a body.
#[derive(Debug, Default)]
enum Body {
    /// Not enough has arrived to tell.
    #[default]
    Unknown,
    Json,
    Events(sse::Lines),
}

/// Assembles a reply from its parts.
#[derive(Debug, Default)]
pub struct Assembler {
    status: Option<u16>,
    retry_after: Option<f64>,
    body: Body,
    bytes: Vec<u8>,
    /// The number of leading blank bytes.
    blank: usize,
    completion: Completion,
    /// The stream index of each call.
    call_indices: Vec<Option<u64>>,
    thoughts: thoughts::Thoughts,
    has_content: bool,
    /// Bytes received.
    taken: usize,
    /// Maximum number of bytes of text and tool calls. Default: [`MOST_BYTES`].
    limit: Option<usize>,
}

impl Assembler {
    /// Creates an assembler with a limit of bytes of text and tool calls.
    pub fn limited(limit: usize) -> Self {
        Self { limit: Some(limit), ..Self::default() }
    }

    /// Counts received bytes before they are parsed.
    fn count(&mut self, bytes: usize) -> Result<()> {
        self.taken = self.taken.saturating_add(bytes);
        let fits = self.taken <= self.limit.unwrap_or(MOST_BYTES).saturating_mul(MAX_OVERHEAD);
        match self.status.filter(|_| !fits && self.failed()) {
            Some(status) => Err(http_error(status, self.retry_after, &self.bytes)),
            None => self.within(fits),
        }
    }

    /// Checks text and tool calls plus `bytes` more against the limit.
    fn keep(&self, bytes: usize) -> Result<()> {
        self.within(self.kept().saturating_add(bytes) <= self.limit.unwrap_or(MOST_BYTES))
    }

    fn within(&self, fits: bool) -> Result<()> {
        let most = self.limit.unwrap_or(MOST_BYTES);
        if fits { Ok(()) } else { Err(Error::LlmReplyTooLarge { most }) }
    }

    /// Takes a part and returns the text in it, without leading thoughts.
    ///
    /// # Errors
    /// [`Error::LlmReply`] for something that is no completion or for an error within a stream; [`Error::LlmReplyTooLarge`] above
    /// the limit; [`Error::LlmHttp`] once enough of an HTTP error's body has arrived.
    pub fn take(&mut self, part: Part) -> Result<String> {
        self.count(PART_COST)?;
        match part {
            Part::Head { status, retry_after } => {
                (self.status, self.retry_after) = (Some(status), retry_after);
                Ok(String::new())
            }
            Part::Text(text) => {
                self.count(text.len())?;
                self.append(&text)
            }
            Part::Value(value) => self.value(&value),
            Part::Bytes(bytes) => {
                self.count(bytes.len())?;
                match self.status.filter(|_| self.failed()) {
                    Some(status) => self.failure(status, bytes).map(|()| String::new()),
                    None => self.bytes(&bytes),
                }
            }
        }
    }

    /// Returns the first function call, as far as it has arrived.
    pub fn first_call(&self) -> Option<&FunctionCall> {
        self.completion.tool_calls.first()
    }

    /// Returns the number of bytes of text and tool calls so far.
    fn kept(&self) -> usize {
        let calls = self.completion.tool_calls.iter();
        let calls: usize = calls.map(|call| call.id.len() + call.name.len() + call.arguments.len()).sum();
        self.completion.content.len() + calls
    }

    /// Stores the body of an HTTP error, and fails once it is long enough.
    fn failure(&mut self, status: u16, bytes: Vec<u8>) -> Result<()> {
        let room = ERROR_BODY.saturating_sub(self.bytes.len());
        self.bytes.extend(bytes.into_iter().take(room));
        if self.bytes.len() >= ERROR_BODY {
            return Err(http_error(status, self.retry_after, &self.bytes));
        }
        Ok(())
    }

    /// Returns the complete reply, and the text that could not be emitted before.
    ///
    /// # Errors
    /// [`Error::LlmHttp`] for an HTTP error, [`Error::LlmReply`] if there was no completion.
    pub fn finish(mut self) -> Result<(Completion, String)> {
        if let Some(status) = self.status.filter(|_| self.failed()) {
            return Err(http_error(status, self.retry_after, &self.bytes));
        }
        let mut rest = match &self.body {
            Body::Events(_) => self.bytes(b"\n\n")?, // the last line may lack its line break
            Body::Json => {
                let text = String::from_utf8_lossy(&self.bytes).into_owned();
                let value: Value = serde_json::from_str(&text).map_err(|_| unreadable(&text))?;
                self.value(&value)?
            }
            Body::Unknown if !self.bytes.is_empty() => {
                return Err(unreadable(&String::from_utf8_lossy(&self.bytes)));
            }
            Body::Unknown => String::new(),
        };
        if !self.has_content {
            return Err(unreadable("an empty reply"));
        }
        rest.push_str(self.thoughts.rest(&self.completion.content));
        Ok((self.completion, rest))
    }

    fn failed(&self) -> bool {
        self.status.is_some_and(|status| !(200..300).contains(&status))
    }

    /// Detects the format by the first byte of the body; the content type is unreliable in small servers.
    fn bytes(&mut self, bytes: &[u8]) -> Result<String> {
        if let Body::Events(lines) = &mut self.body {
            let mut text = String::new();
            for data in lines.take(bytes) {
                if data != "[DONE]" {
                    let value: Value = serde_json::from_str(&data).map_err(|_| unreadable(&data))?;
                    text.push_str(&self.value(&value)?);
                }
            }
            return Ok(text);
        }
        self.bytes.extend_from_slice(bytes);
        if matches!(self.body, Body::Unknown) {
            let begun = self.bytes.within(self.blank..).trim_ascii_start();
            self.blank = self.bytes.len() - begun.len();
            match begun.first() {
                Some(b'{') => self.body = Body::Json,
                // "data:", "event:", "id:", "retry:" or a comment. Prose matches none of them.
                Some(b'd' | b'e' | b'i' | b'r' | b':') if sse::begins_stream(begun) => {
                    self.body = Body::Events(sse::Lines::default());
                    let bytes = std::mem::take(&mut self.bytes);
                    return self.bytes(&bytes);
                }
                _ => {}
            }
        }
        Ok(String::new())
    }

    /// Handles a completion (`choices[0].message.content`), a chunk of one (`choices[0].delta.content`), or an error.
    fn value(&mut self, value: &Value) -> Result<String> {
        if let Some(text) = value.as_str() {
            return self.append(text);
        }
        if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
            let message =
                error.get("message").and_then(Value::as_str).map_or_else(|| error.to_string(), str::to_owned);
            return Err(Error::LlmReply {
                expected: "a completion",
                got: format!("an error: {}", excerpt(&message, 300)),
            });
        }
        if let Some(usage) = value.get("usage").and_then(|usage| TokenUsage::deserialize(usage).ok()) {
            self.completion.usage = Some(usage);
        }
        let Some(choices) = value.get("choices").and_then(Value::as_array) else {
            return Err(unreadable(&value.to_string()));
        };
        let Some(choice) = choices.first() else { return Ok(String::new()) }; // the usage chunk at the end of a stream
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            self.completion.finish_reason = Some(excerpt(reason, 40));
        }
        let message = choice.get("delta").or_else(|| choice.get("message")).unwrap_or(choice);
        self.has_content = true;
        for call in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            self.function_call(call);
            self.keep(0)?;
        }
        match message.get("content").or_else(|| choice.get("text")) {
            Some(Value::String(text)) => self.append(text),
            Some(Value::Array(parts)) => {
                let text: String = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
                self.append(&text)
            }
            _ => Ok(String::new()),
        }
    }

    /// Adds a complete call, or a fragment identified by its index.
    fn function_call(&mut self, call: &Value) {
        let calls = &mut self.completion.tool_calls;
        let index = call.get("index").and_then(Value::as_u64);
        // Some servers do not count from 0.
        let known = self.call_indices.iter().position(|known| index.is_some() && *known == index);
        if known.is_none() {
            if calls.len() == MAX_CALLS {
                return;
            }
            calls.push(FunctionCall::default());
            self.call_indices.push(index);
        }
        let Some(kept) = calls.get_mut(known.unwrap_or(self.call_indices.len() - 1)) else { return };
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        let function = call.get("function").unwrap_or(call);
        kept.id.push_str(&text(call.get("id")));
        kept.name.push_str(&text(function.get("name")));
        match function.get("arguments") {
            Some(Value::String(written)) => kept.arguments.push_str(written),
            Some(object @ Value::Object(_)) => kept.arguments = object.to_string(),
            _ => {}
        }
    }

    fn append(&mut self, text: &str) -> Result<String> {
        self.keep(text.len())?;
        self.has_content = true;
        self.completion.content.push_str(text);
        Ok(self.thoughts.pass(&self.completion.content).to_owned())
    }
}

fn unreadable(got: &str) -> Error {
    Error::LlmReply { expected: "a chat completion", got: excerpt(got, 120) }
}

fn http_error(status: u16, retry_after: Option<f64>, body: &[u8]) -> Error {
    let body = String::from_utf8_lossy(body);
    let told = serde_json::from_str::<Value>(&body).ok().and_then(|value| {
        let error = value.get("error").unwrap_or(&value);
        error.get("message").unwrap_or(error).as_str().map(str::to_owned)
    });
    let detail = excerpt(&told.unwrap_or_else(|| body.into_owned()), 200);
    Error::LlmHttp {
        status,
        retry_after_ms: retry_after
            .filter(|seconds| *seconds >= 0.0)
            .map(|seconds| (seconds * 1000.0) as u64),
        detail: if detail.is_empty() { detail } else { format!(": {detail}") },
        advice: match status {
            401 | 403 => "Check the API key.",
            404 => "Check the endpoint's address and the model's name.",
            429 => "Wait a moment, then ask again.",
            500.. => "The server failed; ask again, or look at its log.",
            _ => "Check what the endpoint expects.",
        },
    }
}
