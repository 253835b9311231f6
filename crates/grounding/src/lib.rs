//! Judgements that need no model: what a sentence claims, which passages support it, whether the evidence suffices, and
//! the citations of an answer.
//!
//! ```
//! use vademecum_grounding::claim::claim;
//!
//! assert!(claim("The tower is 330 metres high.").numbers.contains_key("330"));
//! ```

pub mod citation;
pub mod claim;
pub mod grounding;
mod initial_names;
pub mod sufficiency;
