//! Plans the LLM calls of a run within its budget, before the run begins: which steps may call an LLM, and how often.
//!
//! If not all calls fit, steps that can make several calls get fewer, and then steps fall back to their rule, in the order of
//! [`GIVEN_UP`]. What that frees goes back to steps that can make several calls, in reverse order. The answer is never given up.

use super::records::Usage;
use super::step_id::StepId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The limits of a run. Default: none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Budget {
    /// Maximum number of LLM calls, including retries and repairs.
    pub llm_calls: Option<usize>,
    /// Maximum number of tokens of all prompts and replies.
    pub tokens: Option<usize>,
    /// Milliseconds from the beginning of the run.
    #[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0)))]
    pub ms: Option<f64>,
    /// Maximum number of searches.
    pub tool_calls: Option<usize>,
}

/// A limit of the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Limit {
    /// LLM calls.
    LlmCalls,
    /// Tokens.
    Tokens,
    /// Time.
    Ms,
    /// Searches.
    ToolCalls,
}

impl Limit {
    /// Returns the name of the limit in the options.
    pub fn name(self) -> &'static str {
        match self {
            Self::LlmCalls => "llmCalls",
            Self::Tokens => "tokens",
            Self::Ms => "ms",
            Self::ToolCalls => "toolCalls",
        }
    }
}

/// The steps in the order in which they give up their LLM: first those whose rule is nearly as good.
pub const GIVEN_UP: [StepId; 15] = [
    StepId::Prune,
    StepId::Rerank,
    StepId::Expand,
    StepId::Ground,
    StepId::Gate,
    StepId::Search,
    StepId::Reason,
    StepId::GradeResults,
    StepId::Select,
    StepId::Decompose,
    StepId::Rewrite,
    StepId::Think,
    StepId::Review,
    StepId::Plan,
    StepId::AnalyzeQuery,
];

/// Estimated tokens of a call without passages, and of one with passages.
pub(super) const SHORT_CALL: usize = 500;
pub(super) const LONG_CALL: usize = 2_500;

/// The LLM calls that a step would make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// Maximum useful number of calls.
    pub calls: usize,
    /// Minimum useful number of calls.
    pub least: usize,
    /// Estimated tokens per call, prompt and reply.
    pub tokens: usize,
}

impl Cost {
    /// Creates the cost of calls that are only useful together.
    pub fn of(calls: usize, tokens: usize) -> Self {
        Self { calls, least: calls, tokens }
    }
}

/// The planned LLM calls of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlannedCalls {
    /// The step.
    pub step: StepId,
    /// The number of calls it would make.
    pub wanted: usize,
    /// The number of calls it may make; with 0 it uses its rule.
    pub planned: usize,
}

/// Plans the LLM calls of steps within the rest of a budget. Steps before the answer may spend the given share of the tokens.
pub fn plan(budget: &Budget, spent: Usage, share: f64, costs: &[(StepId, Cost)]) -> Vec<PlannedCalls> {
    // Steps with the same name share their calls.
    let mut wanted: BTreeMap<&StepId, Cost> = BTreeMap::new();
    for (step, cost) in costs {
        let sum = wanted.entry(step).or_insert(Cost { calls: 0, least: 0, tokens: 0 });
        sum.calls += cost.calls;
        sum.least += cost.least;
        sum.tokens = sum.tokens.max(cost.tokens);
    }
    let rank = |step: &StepId| GIVEN_UP.iter().position(|one| one == step);
    let mut planned: BTreeMap<&StepId, usize> =
        wanted.iter().map(|(step, cost)| (*step, cost.calls)).collect();
    let tokens_of = |planned: &BTreeMap<&StepId, usize>, before_answer: bool| -> usize {
        let counts = planned.iter().filter(|(step, _)| !before_answer || rank(step).is_some());
        counts.map(|(step, calls)| calls * wanted.get(step).map_or(0, |cost| cost.tokens)).sum()
    };
    let used = spent.prompt_tokens.saturating_add(spent.completion_tokens);
    let fits = |planned: &BTreeMap<&StepId, usize>| {
        let calls: usize = planned.values().sum();
        let tokens = budget.tokens.map(|tokens| tokens.saturating_sub(used));
        budget.llm_calls.is_none_or(|most| calls <= most.saturating_sub(spent.llm_calls))
            && tokens.is_none_or(|most| {
                tokens_of(planned, false) <= most && tokens_of(planned, true) as f64 <= most as f64 * share
            })
    };
    for whole in [false, true] {
        for step in &GIVEN_UP {
            let least = wanted.get(step).map_or(0, |cost| if whole { 0 } else { cost.least });
            while !fits(&planned) {
                match planned.get_mut(step) {
                    // Fewer calls than the useful minimum are as good as none.
                    Some(calls) if *calls > least => *calls = if whole { 0 } else { *calls - 1 },
                    _ => break,
                }
            }
        }
    }
    // A step that was given up completely may free calls of another.
    for step in GIVEN_UP.iter().rev() {
        let most = wanted.get(step).map_or(0, |cost| cost.calls);
        while let Some(calls) = planned.get(step).copied().filter(|calls| (1..most).contains(calls)) {
            planned.insert(step, calls + 1);
            if !fits(&planned) {
                planned.insert(step, calls);
                break;
            }
        }
    }
    let mut told: Vec<PlannedCalls> = Vec::new();
    for (step, _) in costs {
        if told.iter().all(|one| one.step != *step) {
            let (wanted, planned) = (wanted.get(step), planned.get(step));
            told.push(PlannedCalls {
                step: step.clone(),
                wanted: wanted.map_or(0, |cost| cost.calls),
                planned: planned.copied().unwrap_or(0),
            });
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn planned(budget: Budget, costs: &[(&str, Cost)]) -> Vec<usize> {
        let costs: Vec<(StepId, Cost)> = costs.iter().map(|(step, cost)| ((*step).into(), *cost)).collect();
        plan(&budget, Usage::default(), 0.75, &costs).iter().map(|one| one.planned).collect()
    }

    #[test]
    fn steps_with_good_rules_give_up_their_calls_first() {
        let reason = Cost { calls: 3, least: 1, tokens: 2_000 };
        let costs = [
            ("decompose", Cost::of(1, 400)),
            ("rerank", Cost::of(3, 2_000)),
            ("reason", reason),
            ("answer", Cost::of(1, 3_000)),
        ];
        let calls = |calls: usize| planned(Budget { llm_calls: Some(calls), ..Budget::default() }, &costs);
        assert_eq!(calls(8), [1, 3, 3, 1]);
        assert_eq!(calls(7), [1, 3, 2, 1]);
        assert_eq!(calls(5), [1, 0, 3, 1], "what ranking leaves over is asked for elsewhere");
        assert_eq!(calls(2), [1, 0, 0, 1]);
        assert_eq!(calls(1), [0, 0, 0, 1]);
        let tokens = |tokens: usize| planned(Budget { tokens: Some(tokens), ..Budget::default() }, &costs);
        assert_eq!(tokens(40_000), [1, 3, 3, 1]);
        assert_eq!(tokens(6_000), [1, 0, 1, 1]);
        assert_eq!(tokens(3_500), [1, 0, 0, 1]);
    }

    proptest! {
        #[test]
        fn every_budget_leaves_a_call_for_the_answer(
            calls in 1usize..12, wanted in prop::collection::vec((0usize..GIVEN_UP.len(), 1usize..6), 0..8)
        ) {
            let mut costs: Vec<(StepId, Cost)> = wanted
                .into_iter()
                .map(|(step, calls)| (GIVEN_UP[step].clone(), Cost { calls, least: 1, tokens: 10 }))
                .collect();
            costs.push((StepId::Answer, Cost::of(1, 10)));
            let budget = Budget { llm_calls: Some(calls), ..Budget::default() };
            let planned = plan(&budget, Usage::default(), 0.75, &costs);
            prop_assert_eq!(planned.last().map(|one| (one.step.as_str(), one.planned)), Some(("answer", 1)));
            prop_assert!(planned.iter().map(|one| one.planned).sum::<usize>() <= calls);
            prop_assert!(planned.iter().all(|one| one.planned <= one.wanted));
        }
    }
}
