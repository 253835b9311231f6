//! Weights of terms by their rarity in the evidence.

use super::claim::Claim;
use super::source::Source;
use std::collections::BTreeMap;

/// Rarity of terms among the sentences of the evidence.
pub(super) struct Weights {
    sentences: f32,
    holding: BTreeMap<String, f32>,
}

impl Weights {
    pub(super) fn new(sources: &[Source<'_>]) -> Self {
        let mut weights = Self { sentences: 0.0, holding: BTreeMap::new() };
        for window in sources.iter().flat_map(|source| &source.windows).filter(|window| window.sentences == 1)
        {
            weights.sentences += 1.0;
            for term in &window.held {
                *weights.holding.entry(term.clone()).or_default() += 1.0;
            }
        }
        weights
    }

    /// Returns the weight of a term. An unknown term weighs as much as the rarest known one.
    pub(super) fn of(&self, term: &str) -> f32 {
        let holding = self.holding.get(term).copied().unwrap_or(1.0);
        (1.0 + (self.sentences + 0.5) / (holding + 0.5)).ln()
    }

    pub(super) fn share<'t>(&self, claim: &Claim, covered: impl Iterator<Item = &'t String>) -> f32 {
        let all: f32 = claim.terms.iter().map(|term| self.of(term)).sum();
        let held: f32 = covered.map(|term| self.of(term)).sum();
        if all > 0.0 { (held / all).clamp(0.0, 1.0) } else { 0.0 }
    }
}
