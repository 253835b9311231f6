//! What steps decide by without an LLM: plain rules over a question's words.
//!
//! They are for English first and leave other languages as they are. Each does nothing when in doubt: a question that
//! is searched as it was asked is rarely worse off, one that was torn apart or rewritten wrongly often is.

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
