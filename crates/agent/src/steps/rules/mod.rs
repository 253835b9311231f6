//! The rules that replace an LLM: heuristics over the words of a question.
//!
//! They are made for English and leave other languages unchanged. In doubt a rule does nothing: searching a question as asked
//! rarely hurts, but a wrong split or rewrite often does.

pub(super) mod compare;
pub(super) mod constraints;
pub(super) mod follow_up;
pub(super) mod intent;
pub(super) mod overlap;
pub(super) mod politeness;
pub(super) mod refusal;
pub(super) mod rest;
pub(super) mod small_talk;
pub(super) mod split;
pub(super) mod structure;
pub(super) mod tokens;
pub(super) mod values;
pub(super) mod variants;
pub(super) mod words;
