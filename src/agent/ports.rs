//! What the agent needs from outside. All futures are local: the engine lives on one thread.

use super::event::Event;
use super::reply::Completion;
use crate::document::Hit;
use crate::error::Result;
use futures_util::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};

/// Who says something in a chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The instructions.
    System,
    /// The person, or the engine for them.
    User,
}

/// One message of a chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: String,
}

/// An OpenAI-compatible chat-completions body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// Left out unless the caller named one: most local servers have only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The chat so far.
    pub messages: Vec<Message>,
    /// Asks for server-sent events; a reply in one piece is understood as well.
    pub stream: bool,
}

/// A language model: a function of the user's.
pub trait Llm {
    /// Sends a request on behalf of `step`; `on_token` is told of text as it arrives.
    fn complete<'a>(
        &'a self,
        step: &'static str,
        request: &'a ChatRequest,
        on_token: &'a dyn Fn(&str),
    ) -> LocalBoxFuture<'a, Result<Completion>>;
}

/// What a searcher may need beside the question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchLimits {
    /// The most hits wanted.
    pub limit: usize,
    /// The least cosine a vector hit may have; the searcher's own default where absent.
    pub threshold: Option<f32>,
    /// How many passages a chain may have that leads from the question to a hit; 1 looks for the question alone.
    pub hops: usize,
}

/// Finds chunks for a question.
pub trait Searcher {
    /// Searches one collection.
    fn search<'a>(
        &'a self,
        question: &'a str,
        collection: &'a str,
        limits: SearchLimits,
    ) -> LocalBoxFuture<'a, Result<Vec<Hit>>>;
}

/// Is told what happens, when it happens.
pub trait Observer {
    /// One event.
    fn event(&self, event: &Event);
}
