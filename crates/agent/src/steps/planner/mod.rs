//! The planners: what a model, or a rule in its place, makes of a question before a search.
//!
//! `parts` takes a question apart (`decompose`), `fields` chooses collections and then plans with their fields (`decompose` in two
//! phases, `plan`), `calls` plans calls of tools (`analyze_query`). `request` is how all of them ask, `queries` what they keep of
//! the questions they are given, and `planned` reads the plan later.

pub(super) mod calls;
pub(super) mod fields;
pub(super) mod parts;
pub(super) mod planned;
pub(super) mod queries;
pub(super) mod request;
